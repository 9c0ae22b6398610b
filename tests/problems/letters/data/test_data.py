"""The shipped words as Taskar's set is described, and the features of letter images."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from skimage.feature import hog

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.problems.letters import handwriting

WORDS = handwriting.load_words()
SAMPLE = WORDS.pixels[::3000]


def test_the_words_are_those_of_the_papers():
    n_letters, n_words = 52152, 6877
    shapes = [(n_letters, 16, 8), (n_letters,), (n_words,), (n_words,)]
    assert [a.shape for a in WORDS] == shapes
    assert [a.dtype for a in WORDS] == [np.uint8, np.int64, np.int64, np.int64]
    assert set(np.unique(WORDS.pixels)) == {0, 1}
    assert set(np.unique(WORDS.labels)) == set(range(26))
    assert WORDS.lengths.sum() == n_letters
    assert (WORDS.lengths.min(), WORDS.lengths.max()) == (3, 14)
    texts = {WORDS.text(w) for w in range(n_words)}
    assert len(texts) == 55
    assert {"ommanding", "rojections"} <= texts
    assert WORDS.starts[0] == 0
    assert WORDS.starts[-1] == n_letters


def test_folds_are_tenths_of_the_words():
    sizes = np.bincount(WORDS.folds)
    assert len(sizes) == handwriting.N_FOLDS
    assert sizes.min() > 600
    assert sizes.max() < 760


def test_words_are_read_only_and_loaded_once():
    assert handwriting.load_words() is WORDS
    for array in WORDS:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_ink_looks_like_letters():
    """On average, a letter's mean image is closer to its own images than another letter's mean image is."""
    flat, labels = WORDS.pixels.reshape(-1, 128)[::10].astype(float), WORDS.labels[::10]
    mean = np.array([flat[labels == k].mean(axis=0) for k in range(26)])
    distance = ((flat[:, None] - mean) ** 2).sum(axis=2)
    assert (distance.argmin(axis=1) == labels).mean() > 0.6


def test_rows_of_follows_the_order_asked_for():
    rows, lengths = handwriting.rows_of(WORDS, [5000, 2])
    assert lengths.tolist() == [WORDS.lengths[5000], WORDS.lengths[2]]
    assert WORDS.text(5000) != WORDS.text(2)
    spelled = "".join(handwriting.ALPHABET[k] for k in WORDS.labels[rows])
    assert spelled == WORDS.text(5000) + WORDS.text(2)
    rows, lengths = handwriting.rows_of(WORDS, [])
    assert (len(rows), len(lengths)) == (0, 0)
    assert rows.dtype == np.int64


@pytest.mark.parametrize("chosen", [[-1], [6877], [0.5], ["a"]])
def test_rows_of_refuses_words_that_do_not_exist(chosen):
    with pytest.raises(ArgumentError, match="chosen"):
        handwriting.rows_of(WORDS, chosen)


def test_shapes_and_dtypes_of_features():
    n = len(SAMPLE)
    assert handwriting.raw_features(SAMPLE).shape == (n, 129)
    assert handwriting.hog_features(SAMPLE, 3).shape == (n, 4 * 1 * 36)
    assert handwriting.hog_features(SAMPLE, 2).shape == (n, 7 * 3 * 36)
    every = handwriting.all_features(SAMPLE)
    assert every.shape == (n, 129 + 144 + 756)
    assert_array_equal(every[:, :129], handwriting.raw_features(SAMPLE))
    assert_array_equal(every[:, 129:273], handwriting.hog_features(SAMPLE, 3))
    assert_array_equal(every[:, 273:], handwriting.hog_features(SAMPLE, 2))
    for table in (handwriting.raw_features(SAMPLE), handwriting.hog_features(SAMPLE, 3), every):
        assert table.dtype == np.float32
        assert np.isfinite(table).all()


def test_raw_features_are_pixels_and_a_bias():
    table = handwriting.raw_features(SAMPLE)
    assert_array_equal(table[:, :128].reshape(-1, 16, 8), SAMPLE)
    assert (table[:, 128] == 1).all()


@pytest.mark.parametrize("cell", [1, 2, 3, 4])
def test_hog_is_scikit_images(cell):
    want = [
        hog(image.astype(float), orientations=9, pixels_per_cell=(cell, cell), cells_per_block=(2, 2))
        for image in SAMPLE
    ]
    assert_allclose(handwriting.hog_features(SAMPLE, cell), want, atol=1e-6)


def test_random_waves_approximate_the_gaussian_kernel():
    rng = np.random.default_rng(0)
    inputs, width = rng.normal(size=(30, 5)).astype(np.float32), 1.5
    fourier = handwriting.draw_fourier(5, 20_000, width, rng)
    assert 0 <= fourier.phases.min() < 0.01
    assert 6.27 < fourier.phases.max() <= 6.2832
    table = handwriting.fourier_features(inputs, fourier)
    assert table.dtype == np.float32
    assert table.shape == (30, 20_001)
    assert (table[:, -1] == 1).all()
    squared = ((inputs[:, None] - inputs) ** 2).sum(axis=2)
    kernel = np.exp(-squared / (2 * width**2))
    # Each entry is a mean of 20,000 waves of variance at most 1 around the kernel: 5 deviations.
    assert_allclose(table[:, :-1] @ table[:, :-1].T, kernel, atol=5 / np.sqrt(20_000))


def test_random_waves_come_from_the_generator():
    first, again, other = (handwriting.draw_fourier(3, 4, 2.0, np.random.default_rng(s)) for s in (0, 0, 1))
    assert_array_equal(first.frequencies, again.frequencies)
    assert_array_equal(first.phases, again.phases)
    assert not np.array_equal(first.frequencies, other.frequencies)
    assert (first.frequencies.dtype, first.phases.dtype) == (np.float32, np.float32)
    assert (first.frequencies.shape, first.phases.shape) == ((3, 4), (4,))


@pytest.mark.parametrize(
    "features", [handwriting.raw_features, handwriting.all_features, lambda p: handwriting.hog_features(p, 2)]
)
@pytest.mark.parametrize(
    ("pixels", "error", "message"),
    [
        (np.zeros((2, 8, 16)), ArgumentError, "pixels has shape (2, 8, 16); letters need (R >= 1, 16, 8)"),
        (np.zeros((16, 8)), ArgumentError, "pixels has shape (16, 8)"),
        (np.zeros((0, 16, 8)), ArgumentError, "pixels has shape (0, 16, 8)"),
        (np.full((1, 16, 8), np.nan), ScoreError, "pixels must be finite, got nan"),
        (np.full((1, 16, 8), -np.inf), ScoreError, "pixels must be finite, got -inf"),
        (np.full((1, 16, 8), "a"), ArgumentError, "pixels must be an array of numbers"),
        ([[1], [2, 3]], ArgumentError, "pixels must be an array of numbers"),
        (None, ArgumentError, "pixels must be an array of numbers"),
    ],
)
def test_bad_pixels(features, pixels, error, message):
    with pytest.raises(error, match=re.escape(message)):
        features(pixels)


@pytest.mark.parametrize("cell", [0, 5, 8, 2.0])
def test_bad_cells(cell):
    with pytest.raises(ArgumentError, match="cell must be a whole number from 1 to 4"):
        handwriting.hog_features(SAMPLE, cell)


def test_bad_waves():
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match="n_outputs must be a whole number from 1"):
        handwriting.draw_fourier(3, 0, 1.0, rng)
    for width in (0, -1.0, np.nan):
        with pytest.raises(ArgumentError, match="width must be a number from 1e-06"):
            handwriting.draw_fourier(3, 4, width, rng)
    with pytest.raises(ShapeError, match=re.escape("inputs has shape (2, 5); they need (R, 3)")):
        handwriting.fourier_features(np.zeros((2, 5)), handwriting.draw_fourier(3, 4, 1.0, rng))

"""Pictures to clean: their classes, the noise on them, and scores that are log-probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pictures.data import pictures


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_hold_their_classes(name):
    picture = pictures.load_picture(name)
    assert set(np.unique(picture)) == set(range(pictures.PICTURES[name].n_classes))
    assert picture.dtype == np.int64


@given(st.integers(2, 6), st.floats(0, 1), st.integers(0, 1000))
def test_a_spoiled_pixel_always_changes_and_the_others_never(n_classes, noise, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, (9, 11))
    seen = pictures.spoil(truth, n_classes, noise, np.random.default_rng(seed))
    is_hit = np.random.default_rng(seed).random(truth.shape) < noise
    np.testing.assert_array_equal(seen != truth, is_hit)
    assert seen.min() >= 0
    assert seen.max() < n_classes


@given(st.integers(2, 8), st.floats(0, 1))
def test_scores_are_logs_of_probabilities(n_classes, noise):
    scores = pictures.seen_scores(np.zeros((1, 1), dtype=int), n_classes, noise)
    assert np.exp(scores).sum() == pytest.approx(1.0)
    assert np.isfinite(scores).all()


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ArgumentError, match="name must be one of horse"):
        pictures.load_picture("../x")
    with pytest.raises(ArgumentError, match=r"rng must be a numpy\.random\.Generator, got NoneType"):
        pictures.spoil(np.zeros((1, 1), dtype=int), 2, 0.1, None)
    with pytest.raises(ArgumentError, match=r"truth\[0\] must be from 0 to 1, got 2"):
        pictures.spoil(np.array([[2]]), 2, 0.1, np.random.default_rng(0))
    with pytest.raises(ArgumentError, match="n_classes must be a whole number from 2 to 256, got 1"):
        pictures.seen_scores(np.zeros((1, 1), dtype=int), 1, 0.1)

"""The letter model of open words: learned, floored, laid out as the cascade reads it; random waves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.model import ink as inks

SMALL = inks.InkSettings("fourier", 40, 6.0, 3, epochs=12, rate=40.0)


@pytest.fixture(scope="module")
def few():
    words = letters.load_words()
    rows = np.flatnonzero(np.isin(words.labels, [0, 8, 14]))[:400]
    return words.pixels[rows], words.labels[rows]


def test_waves_follow_from_their_seed_alone():
    one, other = inks.waves(SMALL), inks.waves(SMALL._replace(seed=4))
    assert one.frequencies.shape == (1029, 40)
    assert not np.array_equal(one.phases, other.phases)
    assert_allclose(one.frequencies.std(), 1 / 6.0, rtol=0.02)
    assert (one.frequencies * 4096 == np.round(one.frequencies * 4096)).all()
    assert 0 <= one.phases.min() <= one.phases.max() <= 6.3


def test_it_learns_letters(few):
    pixels, labels = few
    features = inks.image_features(SMALL, pixels)
    ink = inks.train_ink(SMALL, features[:300], labels[:300], np.random.default_rng(0))
    scores = inks.ink_scores(ink, features[300:])
    assert (scores.argmax(axis=1) == labels[300:]).mean() > 0.8  # three letters, forty waves
    assert scores.min() >= inks.FLOOR
    assert scores.max() <= 0


def test_rows_hold_scores_first_letters_and_one():
    rows = inks.rows_for_cascade(np.full((5, 26), -2.0), [3, 2])
    assert rows.shape == (5, 28)
    assert rows[:, 26].tolist() == [1, 0, 0, 1, 0]
    assert (rows[:, 27] == 1).all()
    assert (rows[:, :26] == -2).all()


def test_unknown_features_are_refused(few):
    with pytest.raises(ArgumentError, match="features must be one of raw, fourier, got 'hog'"):
        inks.image_features(inks.InkSettings("hog"), few[0])

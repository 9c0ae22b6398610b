"""Whole words read again where it pays, and a batch divided between methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.hybrid import reproduce
from spcviz.problems.hybrid.model import whole_words
from spcviz.problems.hybrid.model.times import ActionTimes

N_COURSES = len(whole_words.COURSES)
CLOCK = ActionTimes([0.0, 20.0, 21.0], [2.0, 3.0, 5.0], 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
PARENTS = {"spc_hard": [[float(t + n) for n in range(1, 7)] for t in range(3)], "whole_words": 1.5}


def read_of(rng, n_words):
    lengths = rng.integers(1, 9, n_words)
    at_first = rng.integers(0, lengths + 1)
    wrong = rng.integers(0, lengths[:, None] + 1, (n_words, N_COURSES))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return whole_words.CascadeReadings(starts, wrong, at_first, rng.normal(size=(n_words, 4)))


def us_of(done):
    return whole_words.us_of(CLOCK, PARENTS, np.diff(done.starts))


def test_a_reread_letter_costs_its_cascade_and_the_features_up_to_its_tier():
    us = us_of(read_of(np.random.default_rng(0), 5)._replace(starts=np.array([0, 2])))
    assert us.shape == (1, N_COURSES)
    at = whole_words.COURSES.index
    assert us[0, at((0, 3))] == 2 * 3.0  # pixels were scored for the chain
    assert us[0, at((1, 3))] == 2 * (4.0 + 20.0 + 3.0)
    assert us[0, at((2, 1))] == 2 * (3.0 + 20.0 + 21.0 + 5.0)


@given(st.integers(0, 2**32 - 1))
def test_at_every_price_the_batch_loses_and_pays_least_together(seed):
    done = read_of(np.random.default_rng(seed), 6)
    us, mended = us_of(done), done.at_first[:, None] - done.wrong
    points = whole_words.points_of(done, mended.astype(float), us, 7.0)
    assert np.all(np.diff(points.us) >= -1e-9)
    for price, spent, wrong in zip(whole_words.PRICES, points.us, points.wrong):
        least = sum(
            min(first, *(lost + price * paid)) for first, lost, paid in zip(done.at_first, done.wrong, us)
        )
        assert wrong + price * (spent - 7.0) == pytest.approx(least)
    assert points.wrong[-1] == np.minimum(done.at_first, done.wrong.min(axis=1)).sum()
    assert points.wrong_words[0] == (done.at_first > 0).sum() or points.us[0] > 7.0


def test_what_features_say_of_words_is_learned():
    rng = np.random.default_rng(1)
    done = read_of(rng, 400)
    wrong = np.rint(done.at_first[:, None] - 3.0 * done.features[:, :1] + np.zeros(N_COURSES))
    done = done._replace(wrong=wrong)
    predictor = whole_words.fit(done)
    predicted = whole_words.predict_mended(predictor, done.features)
    assert np.corrcoef(predicted[:, 0], 3.0 * done.features[:, 0])[0, 1] > 0.99
    assert np.abs(whole_words.predicted_unseen(done) - predicted).max() < 0.5


COSTS = st.integers(10, 1000).map(lambda tenths: tenths / 10)  # else rounding decides a slope
options = st.lists(
    st.tuples(COSTS, st.floats(50, 100)), min_size=1, max_size=12, unique_by=lambda option: option[0]
)


@given(options, st.floats(0, 1))
def test_no_mixture_of_two_options_is_above_what_is_chosen(drawn, share):
    offered = [reproduce.Option("", us, right, right) for us, right in drawn]
    chosen = [offered[i] for i in reproduce.hull_of(offered)]
    for a in offered:
        for b in offered:
            us = share * a.us + (1 - share) * b.us
            right, _ = reproduce.mix_options(chosen, np.array([us]))
            if not np.isnan(right[0]):
                assert share * a.right + (1 - share) * b.right <= right[0] + 1e-6


def test_before_the_cheapest_option_there_is_nothing():
    right, words = reproduce.mix_options(
        [reproduce.Option("spc", 2.0, 80.0, 30.0)], np.array([1.0, 2.0, 9.0])
    )
    assert np.isnan(right[0])
    assert right[1:].tolist() == [80.0, 80.0]
    assert words[1:].tolist() == [30.0, 30.0]

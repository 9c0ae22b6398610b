"""The structured SVM's hinge on lattices against enumeration, differences, and the loss that it bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.prune import prune
from spcviz.learning.cascade.losses import MarginHinge, Perceptron, checked_loss
from tests.learning.cascade.test_losses import problems, run

DELTAS = st.sampled_from([0.0, 0.3, 2.0])
MARGINS = st.sampled_from([0.0, 0.5, 1.0, 3.0])


def labels_of(lat, path, start):
    """States of one path of example 1, position by position."""
    mask, keys = (1 << lat.bits) - 1, [int(lat.arc_key[start + a]) for a in path]
    n = int(lat.order[1])
    first = [keys[0] >> lat.bits * back & mask for back in range(n - 1, -1, -1)]
    return np.array(first + [key & mask for key in keys[1:]])


def by_hand(lat, score, truth, at, every, loss):
    """The hinge by enumeration: (value, paths that attain the largest augmented score)."""
    start, tail, _ = at
    own = score[start : start + len(tail)]
    right = labels_of(lat, truth, start)
    length = lat.row_start[2] - lat.row_start[1]
    wrong = [np.sum(labels_of(lat, path, start) != right) for path in every]
    extra = np.array(wrong) * loss.margin if loss.by_hamming else np.full(len(every), loss.margin * length)
    totals = np.array([own[list(path)].sum() for path in every]) + extra
    value = max(0.0, totals.max() - loss.delta - own[list(truth)].sum())
    return value, [every[i] for i in np.flatnonzero(totals > totals.max() - 1e-9)]


@given(case=problems(), delta=DELTAS, margin=MARGINS, by_hamming=st.booleans())
def test_the_hinge_is_the_one_that_enumeration_finds(case, delta, margin, by_hamming):
    lat, score, truth, at, every = case
    loss = MarginHinge(delta, margin, by_hamming)
    value, gradient = run(loss, lat, score, truth, at[0])
    wanted, best = by_hand(lat, score, truth, at, every, loss)
    assert np.isclose(value, wanted, rtol=1e-9, atol=1e-9)
    if value > 1e-9:
        steps = []
        for path in best:
            step = np.zeros(len(at[1]))
            np.add.at(step, list(truth), 1.0)
            np.add.at(step, list(path), -1.0)
            steps.append(step)
        assert any(np.array_equal(gradient, step) for step in steps)


@given(case=problems(), delta=DELTAS)
def test_the_direction_is_minus_the_gradient(case, delta):
    lat, score, truth, at, every = case
    loss = MarginHinge(delta, 1.0)
    value, gradient = run(loss, lat, score, truth, at[0])
    _, best = by_hand(lat, score, truth, at, every, loss)
    if value < 1e-3 or len(best) > 1:
        return
    own = slice(at[0], at[0] + len(at[1]))
    rng, h = np.random.default_rng(0), 1e-7
    direction = rng.normal(size=len(at[1]))
    moved = score.copy()
    moved[own] += h * direction
    up, _ = by_hand(lat, moved, truth, at, every, loss)
    moved[own] -= 2 * h * direction
    down, _ = by_hand(lat, moved, truth, at, every, loss)
    assert np.isclose((up - down) / (2 * h), -gradient @ direction, atol=1e-5)


@given(case=problems(), delta=st.sampled_from([1e-3, 0.3, 2.0]), margin=st.sampled_from([0.5, 2.0]))
def test_it_is_at_least_the_margin_where_the_truth_is_lost(case, delta, margin):
    lat, score, truth, at, _every = case
    value, _ = run(MarginHinge(delta, margin), lat, score, truth, at[0])
    kept = prune(lat, score, -delta, rule="margin").keep[at[0] : at[0] + len(at[1])]
    if not kept[list(truth)].all():
        assert value >= margin - 1e-9


@given(case=problems())
def test_without_a_margin_it_is_the_perceptron_s(case):
    lat, score, truth, at, _ = case
    mine, theirs = (run(loss, lat, score, truth, at[0]) for loss in (MarginHinge(0.0, 0.0), Perceptron()))
    assert np.isclose(mine[0], theirs[0], atol=1e-9)


@pytest.mark.parametrize(("change", "name"), [({"delta": -1.0}, "delta"), ({"margin": np.nan}, "margin")])
def test_bad_settings_are_named(change, name):
    with pytest.raises(ArgumentError, match=f"{name} must be a number from 0"):
        checked_loss(MarginHinge(**change))

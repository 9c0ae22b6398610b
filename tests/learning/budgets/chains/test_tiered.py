"""The tiered predictor: blocks of weights, draws of extraction states, learning."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.budgets.chains.tiered import Tiered, draw_tiers, fit_tiered, tier_scores


def _task(rng, n_words=60):
    """Tier 0 sees noise, tier 1 adds the answer."""
    lengths = rng.integers(1, 6, n_words)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    labels = rng.integers(0, 3, starts[-1])
    features = rng.normal(size=(starts[-1], 5)).astype(np.float32)
    features[:, 2:] = np.eye(3)[labels]
    return features, labels, starts


def test_scores_use_the_copy_of_each_tier():
    rng = np.random.default_rng(0)
    model = Tiered(np.array([2, 5]), rng.normal(size=(7, 3)), np.zeros((3, 3)))
    features = rng.normal(size=(4, 5)).astype(np.float32)
    scores = tier_scores(model, features)
    assert_allclose(scores[:, 0], features[:, :2] @ model.weights[:2], atol=6e-5)
    assert_allclose(scores[:, 1], features @ model.weights[2:], atol=6e-5)


def test_learns_at_every_tier_what_is_there_to_learn():
    rng = np.random.default_rng(1)
    features, labels, starts = _task(rng)
    edges = np.array([2, 5])
    model = fit_tiered(features, labels, starts, edges, 3, lambda r: draw_tiers(starts, 2, r), rng, epochs=5)
    scores = tier_scores(model, features)
    assert (scores[:, 1].argmax(axis=1) == labels).mean() > 0.95
    assert (scores[:, 0].argmax(axis=1) == labels).mean() < 0.7


def test_one_tier_is_an_averaged_perceptron():
    """Against the same algorithm in plain numpy, on chains of one position: no inference to hide behind."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(30, 4)).astype(np.float32)
    labels, starts = rng.integers(0, 3, 30), np.arange(31)
    seed = 5
    model = fit_tiered(
        features, labels, starts, np.array([4]), 3, lambda r: np.zeros(30, dtype=int),
        np.random.default_rng(seed), epochs=3,
    )  # fmt: skip
    order, rate = np.random.default_rng(seed), 1 / np.mean((features.astype(float) ** 2).sum(axis=1))
    weights, total, seen = np.zeros((4, 3)), np.zeros((4, 3)), 0
    for _ in range(3):
        for i in order.permutation(30):
            total += weights
            seen += 1
            predicted = int((features[i].astype(float) @ weights).argmax())
            if predicted != labels[i]:
                weights[:, labels[i]] += rate * features[i]
                weights[:, predicted] -= rate * features[i]
    # Our average counts each step's weights from the step after it on.
    assert_allclose(model.weights, total / seen, rtol=0.1, atol=0.02)


def test_draws_cover_all_states_and_can_go_by_example():
    rng = np.random.default_rng(3)
    starts = np.array([0, 3, 4, 9])
    drawn = np.array([draw_tiers(starts, 3, rng) for _ in range(400)])
    assert drawn.min() == 0
    assert drawn.max() == 2
    assert_allclose(drawn.mean(axis=0), 1.0, atol=0.15)  # budgets are uniform from none to all
    per_word = drawn[:, :3].sum(axis=1)
    assert set(per_word.tolist()) == set(range(7))
    by_example = draw_tiers(starts, 3, rng, by_example=True)
    assert len(set(by_example[:3].tolist())) == 1
    assert draw_tiers(starts, 1, rng).max() == 0


def test_refusals():
    rng = np.random.default_rng(4)
    features, labels, starts = _task(rng, 3)
    with pytest.raises(ShapeError, match="labels"):
        fit_tiered(features, labels[:-1], starts, [5], 3, lambda r: 0, rng, epochs=1)
    with pytest.raises(ArgumentError, match="labels"):
        fit_tiered(features, labels + 3, starts, np.array([5]), 3, lambda r: 0, rng, epochs=1)
    with pytest.raises(ArgumentError, match="finite"):
        fit_tiered(features * np.nan, labels, starts, np.array([5]), 3, lambda r: 0, rng, epochs=1)


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_entries_are_learned_from_as_the_array_they_stand_for(density):
    rng = np.random.default_rng(5)
    _, labels, starts = _task(rng, 12)
    features = rng.normal(size=(len(labels), 7)).astype(np.float32)
    features[rng.random(features.shape) >= density] = 0.0
    edges, models = np.array([2, 5, 7]), []
    halves = sparse.csr_array(features)  # each entry in two halves, columns in descending order
    halves = sparse.csr_array(
        (
            np.repeat(halves.data / 2, 2),
            np.repeat(halves.indices, 2),
            halves.indptr * 2,
        ),
        shape=features.shape,
    )
    halves.data, halves.indices = _turned(halves.data, halves.indptr), _turned(halves.indices, halves.indptr)
    before = halves.data.copy(), halves.indices.copy()
    for table in (features, sparse.csr_array(features), sparse.coo_matrix(features), halves):
        draw = np.random.default_rng(1)
        fitted = fit_tiered(
            table, labels, starts, edges, 3, lambda r: draw_tiers(starts, 3, r), draw, epochs=4
        )
        models.append((*fitted, tier_scores(fitted, table)))
    for model in models[1:]:
        for one, other in zip(models[0], model):
            assert np.array_equal(one, other)
    assert np.array_equal(before[0], halves.data), "what is given stays as it is"
    assert np.array_equal(before[1], halves.indices), "what is given stays as it is"


def _turned(values, start):
    """The entries of each row from last to first."""
    return np.concatenate([values[a:b][::-1] for a, b in itertools.pairwise(start)])


def test_scores_do_not_hang_on_the_last_bit():
    """A 5 after the fourth decimal, as in averages: 0.00025 comes out one bit above or below it."""
    weights = np.full((10, 1), 0.000025)
    model = Tiered(np.array([10]), weights, np.zeros((1, 1)))
    ones = np.ones((1, 10), dtype=np.float32)
    sums = {float(sum(weights[:, 0])), float(np.float64(0.00025))}
    assert len(sums) == 2, "the order of a sum shows in its last bit"
    assert tier_scores(model, ones)[0, 0, 0] == np.round(0.00025, 4)
    assert tier_scores(model, sparse.csr_array(ones))[0, 0, 0] == np.round(0.00025, 4)

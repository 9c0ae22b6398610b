"""The selector against its normal equations; the oracle against enumeration; the imitator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ShapeError
from spcviz.learning.budgets import selector as subject


def _batch(rng, n=80):
    meta = rng.normal(size=(n, 2, 3))
    values = np.stack([meta[:, 0] @ [1.0, 0.0, -2.0] + 0.5, meta[:, 1] @ [0.0, 3.0, 0.0] - 1.0], axis=1)
    return meta, values


def test_recovers_linear_values():
    rng = np.random.default_rng(0)
    meta, values = _batch(rng)
    fitted = subject.fit_selector(meta, values, rng.integers(0, 4, len(meta)))
    assert fitted.penalty == min(subject.LAMBDAS)
    assert_allclose(subject.predict_values(fitted, meta), values, atol=1e-3)


def test_stationary_point_of_the_printed_objective():
    rng = np.random.default_rng(1)
    meta, values = _batch(rng)
    values += rng.normal(size=values.shape)
    fitted = subject.fit_selector(meta, values, np.arange(len(meta)) % 4, penalties=(7.0,))
    inputs = (meta - fitted.mean) / fitted.scale
    for i in range(2):
        residual = inputs[:, i] @ fitted.beta[i, :-1] + fitted.beta[i, -1] - values[:, i]
        slope = 2 * inputs[:, i].T @ residual + 7.0 * fitted.beta[i, :-1]
        assert_allclose(slope, 0, atol=1e-8)


def test_crossed_values_do_not_see_their_own_fold():
    rng = np.random.default_rng(2)
    meta, values = _batch(rng)
    folds = np.arange(len(meta)) % 4
    before = subject.cross_values(meta, values, folds, 1.0)
    values[folds == 2] += 100
    after = subject.cross_values(meta, values, folds, 1.0)
    assert_array_equal(before[folds == 2], after[folds == 2])
    assert not np.allclose(before[folds == 1], after[folds == 1])


def test_oracle_stops_are_the_cheapest_sums():
    rng = np.random.default_rng(3)
    losses, costs = rng.integers(0, 5, (50, 3)), np.array([1.0, 2.0])
    stops = subject.oracle_stops(losses, costs, 0.7)
    for j, stop in enumerate(stops):
        sums = [losses[j, t] + 0.7 * costs[:t].sum() for t in range(3)]
        assert sums[stop] == min(sums)
        assert stop == sums.index(min(sums))


def test_imitator_follows_a_separable_oracle_and_constant_ones():
    rng = np.random.default_rng(4)
    meta = rng.normal(size=(300, 2, 2))
    stops = np.where(meta[:, 0, 0] > 0, np.where(meta[:, 1, 1] > 0, 2, 1), 0)
    imitated = subject.imitate(subject.fit_imitator(meta, stops), meta)
    assert (imitated == stops).mean() > 0.95
    for constant in (0, 2):
        stops = np.full(300, constant)
        assert_array_equal(subject.imitate(subject.fit_imitator(meta, stops), meta), stops)


def test_uniform_values_are_synchronised_or_not():
    rng = np.random.default_rng(5)
    together = subject.uniform_values(50, 2, rng)
    assert together[:, 0].min() >= together[:, 1].max()
    assert not subject.uniform_values(50, 2, rng, synchronised=False)[:, 0].min() >= 0.9


def test_differences():
    meta = np.array([[[1.0], [3.0]]])
    assert subject.with_differences(meta).tolist() == [[[1.0, 0.0], [3.0, 2.0]]]


def test_refusals():
    with pytest.raises(ShapeError, match="meta"):
        subject.fit_selector(np.zeros((4, 2, 3)), np.zeros((4, 1)), np.zeros(4, dtype=int))

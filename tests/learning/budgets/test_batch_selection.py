"""Whole examples under a budget: folds, values per part, rows for several kinds of loss, separate costs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.learning.budgets import batch_selection as subject
from spcviz.learning.budgets import expansion
from spcviz.learning.budgets.batch_selection import Looked

N, N_TIERS = 30, 3


def looked(seed=0, **more):
    """Examples whose first meta-feature is the gain of each model per part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 20, N)
    gains = rng.integers(-1, 3, (N, N_TIERS - 1))
    losses = 100 - np.concatenate([np.zeros((N, 1), int), np.cumsum(gains * sizes[:, None], axis=1)], axis=1)
    meta = np.stack([gains, rng.normal(size=gains.shape)], axis=2).astype(float)
    return Looked(meta, losses, np.zeros((N_TIERS, 0), int), **more), sizes, gains


def test_examples_of_a_group_share_a_fold():
    group = np.repeat(np.arange(10), 3)
    examples, _, _ = looked(group=group)
    folds = subject.draw_folds(examples, np.random.default_rng(1))
    assert all(len(set(folds[group == g])) == 1 for g in range(10))
    assert len(set(folds)) > 1


def test_values_a_part_are_exact_where_sums_cannot_be():
    plain, sizes, gains = looked()
    a_part = plain._replace(sizes=sizes)
    wrong = {}
    for name, data in (("sum", plain), ("part", a_part)):
        chooser = subject.choose(data, [1.0, 1.0], np.random.default_rng(0))
        values = subject.predict_values(chooser.selector, data)
        wrong[name] = np.abs(values - gains * sizes[:, None]).max()
    assert wrong["part"] < 0.1
    assert wrong["sum"] > 1.0


def test_a_row_for_two_kinds_of_loss_is_two_rows():
    data, sizes, gains = looked()
    rng = np.random.default_rng(3)
    costs = rng.uniform(0.5, 2.0, gains.shape)
    other = rng.integers(0, 9, data.losses.shape)
    bought = expansion.expand(gains.astype(float), costs)
    both = subject.row_of("x", bought, np.stack([data.losses, other], axis=2), sizes)
    for j, losses in enumerate((data.losses, other)):
        row = subject.row_of("x", bought, losses, sizes)
        assert_allclose(both["error"][:, j], row["error"])
        assert_array_equal(both["cost"], row["cost"])
    assert both["cost"][-1] == pytest.approx(costs.sum() / N)
    assert both["share"][-1] == pytest.approx([1.0, 1.0])


def test_stopping_points_cost_what_their_examples_cost():
    data, sizes, _ = looked()
    costs = np.random.default_rng(4).uniform(0.5, 2.0, (N, N_TIERS - 1))
    stops = [np.full(N, 2), np.zeros(N, int), np.arange(N) % 3]
    row = subject.stops_row("x", stops, costs, data.losses, sizes)
    mixed = np.mean([costs[i, : i % 3].sum() for i in range(N)])
    assert_allclose(row["cost"], [0.0, mixed, costs.sum() / N])
    assert_allclose(row["error"][[0, -1]], 100 * data.losses[:, [0, 2]].sum(axis=0) / sizes.sum())


def test_what_is_free_comes_first_and_what_loses_last():
    values = subject.per_cost(np.array([[2.0, 3.0, -1.0, -1.0]]), np.array([[0.0, 1.0, 5.0, 1.0]]))[0]
    assert np.isfinite(values).all()
    assert np.argsort(-values).tolist() == [0, 1, 3, 2]

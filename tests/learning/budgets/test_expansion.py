"""Algorithm 3: identities of a batch budget, degenerate budgets, costs and values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.learning.budgets.expansion import SpendingCurve, at_cost, curve_of, expand, least_cost


@st.composite
def batches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, tiers = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    return rng.integers(-3, 4, (n, tiers)).astype(float), rng.integers(0, 4, (n, tiers)).astype(float)


def check_within(values, costs, budget):
    """Purchases under a budget: not too much, and no tier before the one below it."""
    bought = expand(values, costs, budget)
    assert bought.cost.sum() <= budget * (1 + 1e-12)
    reached = np.zeros(len(values), dtype=int)
    for j, tier in zip(bought.example, bought.tier, strict=True):
        assert tier == reached[j] + 1
        reached[j] = tier
    return bought


@given(batch=batches(), budget=st.floats(0, 60))
def test_budget_is_kept_and_tiers_come_in_order(batch, budget):
    values, costs = batch
    bought = check_within(values, costs, budget)
    again = expand(values, costs, budget)
    assert all(map(np.array_equal, bought, again))


@given(batch=batches())
def test_each_purchase_is_the_dearest_value_on_offer(batch):
    values, costs = batch
    bought, reached = expand(values, costs), np.zeros(len(values), dtype=int)
    assert len(bought.example) == values.size
    for j, value in zip(bought.example, bought.value, strict=True):
        offers = [values[i, t] if t < values.shape[1] else -np.inf for i, t in enumerate(reached)]
        assert value == max(offers)
        assert j == int(np.argmax(offers))
        reached[j] += 1


def test_equal_values_go_level_by_level_when_later_tiers_are_worth_less():
    bought = expand(np.tile([0.0, -1.0], (3, 1)), [1.0, 1.0])
    assert bought.example.tolist() == [0, 1, 2, 0, 1, 2]
    assert bought.tier.tolist() == [1, 1, 1, 2, 2, 2]


def test_misfits_are_dropped_for_good_so_more_money_may_spend_less():
    values, costs = [[3.0], [2.0], [1.0]], [[3.0], [2.0], [2.0]]
    assert expand(values, costs, 4).cost.tolist() == [3.0]
    assert expand([[3.0], [2.0]], [[5.0], [2.0]], 4).example.tolist() == [1]


def test_degenerate_budgets_and_costs():
    free = np.zeros((2, 1))
    assert len(expand(free, free, 0).example) == 0  # a budget of nothing buys nothing, not even what is free
    assert len(expand(free, free, 0.1).example) == 2
    assert len(expand(free, free + 1, np.inf).example) == 2
    assert len(expand(np.zeros((0, 2)), [1.0, 1.0]).example) == len(expand(np.zeros((3, 0)), []).example) == 0
    for budget in (-1, np.nan, -np.inf, "1", None, True):
        with pytest.raises(ArgumentError, match="budget"):
            expand(free, free, budget)
    with pytest.raises(ShapeError, match="costs"):
        expand(free, [1.0, 2.0])
    with pytest.raises(ArgumentError, match="costs"):
        expand(free, [-1.0])
    with pytest.raises(ScoreError, match="values"):
        expand([[np.nan]], [1.0])


def test_curves():
    losses = np.array([[2, 0], [1, 3]])
    curve = curve_of(expand([[1.0], [0.0]], [1.0]), losses)
    assert_array_equal(curve.cost, [0, 1, 2])
    assert_array_equal(curve.loss, [3, 1, 3])
    assert at_cost(curve, [0, 0.5, 1, 5]).tolist() == [3, 3, 1, 3]
    assert least_cost(curve, 1) == 1
    assert least_cost(curve, 0) == np.inf
    assert isinstance(curve, SpendingCurve)

"""Bolukbasi's theorems on random small problems, and that the checks can fail."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.budgets import optimality
from spcviz.learning.budgets.optimality import (
    all_policies,
    best_orders,
    check_one_shot,
    check_step,
    every_state_risk,
    greedy_orders,
    pseudo_label_risk,
    risk,
    successors,
)

COSTS = st.integers(1, 3).flatmap(
    lambda n: st.integers(1, 3).flatmap(
        lambda parts: arrays(np.int64, (n, 2**parts), elements=st.integers(-9, 9))
    )
)


@given(COSTS, st.data())
def test_the_objectives_written_out_one_policy_at_a_time(costs, data):
    n, n_states = costs.shape
    chosen = np.array([[data.draw(st.integers(0, n_states - 1)) for _ in range(n)]])
    total = sum(costs[i, chosen[0, i]] for i in range(n))
    by_all = sum(costs[i].max() - costs[i, s] for i in range(n) for s in range(n_states) if chosen[0, i] != s)
    bound = 0
    for i in range(n):
        label = min(range(n_states), key=lambda s: costs[i, s])
        bound += costs[i, label] + (costs[i].max() - costs[i, label]) * (chosen[0, i] != label)
    assert risk(costs, chosen)[0] == total
    assert every_state_risk(costs, chosen)[0] == by_all
    assert pseudo_label_risk(costs, chosen)[0] == bound


@given(COSTS, st.data())
def test_theorems_2_1_and_2_2_hold_for_every_policy_of_every_class(costs, data):
    n, n_states = costs.shape
    groups = [data.draw(st.integers(0, n - 1)) for _ in range(n)]
    groups = np.unique(groups, return_inverse=True)[1]
    check = check_one_shot(costs, all_policies([range(n_states)] * (groups.max() + 1), groups))
    assert check.n_policies == n_states ** (groups.max() + 1)
    assert (check.n_unequal, check.n_below) == (0, 0)
    assert check.least_by_bound >= check.least == check.least_by_sum
    if len(set(groups)) == n:  # each example alone: the pseudo-labels themselves can be chosen
        assert check.least_by_bound == check.least == costs.min(axis=1).sum()


@given(COSTS, st.data())
def test_theorem_2_3_holds_at_every_step(costs, data):
    full = costs.shape[1] - 1
    reached = [data.draw(st.integers(0, full - 1)) for _ in costs]
    check = check_step(costs, reached)
    assert (check.n_unequal, check.n_below) == (0, 0)
    assert check.n_policies == np.prod([bin(full ^ s).count("1") for s in reached])
    assert check.least == sum(
        min(row[s] for s in successors(at, full + 1)) for row, at in zip(costs, reached)
    )


@given(COSTS)
def test_orders(costs):
    greedy, best = greedy_orders(costs), best_orders(costs)
    n_parts = costs.shape[1].bit_length() - 1
    for row, states, least in zip(costs, greedy, best):
        before = [0, *states[:-1]]
        assert all(row[s] == min(row[t] for t in successors(b, len(row))) for b, s in zip(before, states))
        sums = []
        for order in itertools.permutations(range(n_parts)):
            sums.append(sum(row[sum(1 << r for r in order[: t + 1])] for t in range(n_parts)))
        assert least == min(sums) <= row[states].sum()


def test_the_bound_can_lead_astray():
    """Alone, both want different extremes; together a middle state is best, and (2) cannot see it."""
    costs = np.array([[0, 10, 1], [10, 0, 1]])
    check = check_one_shot(costs, all_policies([range(3)], [0, 0]))
    assert check.least == 2
    assert check.least_by_bound == 10


@pytest.mark.parametrize("name", ["every_state_risk", "pseudo_label_risk"])
def test_the_checks_can_fail(name, monkeypatch):
    costs, chosen = np.array([[0, 3], [4, 1]]), all_policies([range(2)] * 2, [0, 1])
    true = getattr(optimality, name)
    monkeypatch.setattr(optimality, name, lambda c, p, *more: true(c, p, *more) - 2 * p.sum(axis=1))
    check = check_one_shot(costs, chosen)
    assert check.n_unequal + check.n_below > 0
    if name == "every_state_risk":
        assert check_step(np.array([[0, 3, 1, 2]]), [0]).n_unequal == 2


def test_bad_arguments():
    with pytest.raises(ArgumentError, match="costs must be an array of whole numbers"):
        check_one_shot([[0.5, 1.0]], np.zeros((1, 1), dtype=int))
    with pytest.raises(ShapeError, match=r"chosen has shape \(1, 2\); costs \(1, 2\) needs \(policies, 1\)"):
        check_one_shot([[0, 1]], np.zeros((1, 2), dtype=int))
    with pytest.raises(ArgumentError, match="policies; at most 1000000 are enumerated"):
        all_policies([range(1000)] * 3, [0, 1, 2])

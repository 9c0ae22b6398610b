"""Policies of parts: choosing chains, shares by cost, both queues, groups kept together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.learning.budgets import part_policy as subject
from spcviz.learning.budgets.chains.parts import typical_margin
from tests.learning.budgets.chains.test_parts import N_TIERS, batch, lost, read


@pytest.mark.parametrize("kind", ["letters", "arms"])
def test_chains_in_any_order_are_read_as_before(kind):
    parts = batch(1, kind, n_chains=5)
    some, rows = parts.some([3, 0, 4])
    assert_array_equal(np.diff(some.starts), np.diff(parts.starts)[[3, 0, 4]])
    tiers = np.random.default_rng(0).integers(0, N_TIERS, len(parts.scores))
    assert_array_equal(read(some, tiers[rows]), read(parts, tiers)[rows])


def test_a_curve_is_in_shares_of_what_everything_costs():
    parts = batch(2, "arms", n_chains=6)
    costs = np.random.default_rng(0).uniform(0.1, 5.0, (len(parts.scores), N_TIERS - 1))
    noise = np.random.default_rng(1).random(costs.shape)
    course = subject.spend(parts, subject.rule(fixed=noise), costs=costs)
    curve = subject.curve(parts, course, costs)
    assert curve.cost[0] == 0
    assert curve.cost[-1] == pytest.approx(1.0)
    assert curve.loss[0] == lost(parts, read(parts, np.zeros(len(costs), int))).sum()
    assert curve.loss[-1] == lost(parts, read(parts, np.full(len(costs), N_TIERS - 1))).sum()
    points = subject.points(parts, course, costs)
    assert_allclose(points["tiers"][-1], 1.0)
    assert_allclose(points["share"], curve.cost)
    half = subject.spend(parts, subject.rule(fixed=noise), 0.5 * costs.sum(), costs)
    assert half.cost.sum() <= 0.5 * costs.sum()


def same_draws():
    """The generator that `train_queues` hands to `train` if its own starts at 0."""
    return np.random.default_rng(np.random.default_rng(0).integers(2**62))


def test_both_queues_are_trained_and_judged():
    parts = batch(3, "arms", n_chains=24)
    costs = np.tile([0.1, 10.0], (len(parts.scores), 1))
    group = np.repeat(np.arange(12), 2)
    rng = np.random.default_rng(0)
    _, _, dev = subject.train(parts, rng, costs, group=group)
    assert (np.bincount(group[dev], minlength=12) % 2 == 0).all()  # both or neither of a group
    by_value, per_cost = subject.train_queues(parts, np.random.default_rng(0), costs, group=group)
    assert (by_value.per_cost, per_cost.per_cost) == (False, True)
    held, rows = parts.some(subject.train(parts, same_draws(), costs, group=group)[2])
    for queue in (by_value, per_cost):  # judged on the same chains
        how = subject.rule(queue.policy.beta, per_cost=queue.per_cost)
        points = subject.curve(held, subject.spend(held, how, costs=costs[rows]), costs[rows])
        assert subject.badness(points) == pytest.approx(queue.badness)
        assert_array_equal(parts.some(queue.held)[1], rows)
    for queue in (by_value, per_cost):
        assert queue.policy.beta.shape == (N_TIERS - 1, 22)
        assert 0 <= queue.budgets["least_error"] <= 1
        assert queue.badness > 0


def test_typical_margin_without_any():
    assert typical_margin(np.full((3, 2), -np.inf)) == 1.0

"""Pseudo-labels on a task with additive losses; policies that learn them; anytime steps."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import classifiers

STARTS = np.array([0, 2, 5])
GAIN = np.array([[3.0, 0.0], [0.0, 0.0], [1.0, 1.0], [-1.0, 4.0], [0.0, 0.0]])
"""Decrease of each part's loss at tier 1 and at tier 2: losses add up over parts."""


def losses_if(tiers, targets):
    saved = np.concatenate([np.zeros((5, 1)), np.cumsum(GAIN, axis=1)], axis=1)
    current = saved[np.arange(5), tiers]
    base = 10 - np.add.reduceat(current, STARTS[:-1])
    return base, np.repeat(base, np.diff(STARTS)) + current - saved[np.arange(5), targets]


def test_trajectories_buy_everything_step_by_step():
    trajectories = classifiers.greedy_trajectories(losses_if, STARTS, 3)
    assert trajectories.first_loss.tolist() == [10.0, 10.0]
    assert trajectories.starts.tolist() == [0, 4, 10]
    for w in range(2):
        steps = trajectories.part[trajectories.starts[w] : trajectories.starts[w + 1]]
        assert_array_equal(np.bincount(steps, minlength=5)[STARTS[w] : STARTS[w + 1]], 2)
    assert trajectories.loss[trajectories.starts[1:] - 1].tolist() == [7.0, 5.0]
    assert trajectories.part[0] == 0
    assert trajectories.part[4] == 2


def test_best_on_the_trajectory():
    trajectories = classifiers.greedy_trajectories(losses_if, STARTS, 3)
    # The greedy walk passes part 4, which gains nothing, before part 3, which loses before it gains.
    assert classifiers.trajectory_labels(trajectories, 5, 0.1).tolist() == [1, 0, 2, 2, 2]
    assert classifiers.trajectory_labels(trajectories, 5, 5.0).tolist() == [0, 0, 0, 0, 0]


def test_parsimonious_labels_look_one_part_at_a_time():
    assert classifiers.parsimonious_labels(losses_if, 5, 3, 0.5, STARTS).tolist() == [1, 0, 1, 2, 0]
    assert classifiers.parsimonious_labels(losses_if, 5, 3, 0.0, STARTS).tolist() == [1, 0, 1, 2, 0]
    assert not classifiers.parsimonious_labels(losses_if, 5, 3, 9.0, STARTS).any()


def test_importance_is_what_a_mistake_costs():
    weights = classifiers.importance(losses_if, np.array([1, 0, 1, 2, 0]), 3, 0.5, STARTS)
    assert weights.tolist() == [2.5, 0.5, 0.5, 2.0, 0.5]


def test_policy_learns_separable_labels_and_never_skips_a_tier():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(400, 3))
    tiers = np.digitize(inputs[:, 0], [-0.5, 0.5])
    policy = classifiers.fit_one_shot(inputs, tiers, 3, weights=np.ones(400))
    odds = classifiers.odds(policy, inputs)
    assert ((odds > 0).sum(axis=1) == tiers).mean() > 0.9
    assert (np.diff(odds, axis=1) <= 0).all()
    eager = classifiers.fit_one_shot(inputs, tiers, 3, positive_weight=10.0)
    assert (classifiers.odds(eager, inputs) > 0).sum() > (odds > 0).sum()
    for constant, sign in ((0, -1), (2, 1)):
        same = classifiers.fit_one_shot(inputs, np.full(400, constant), 3)
        assert (np.sign(classifiers.odds(same, inputs)) == sign).all()
    with pytest.raises(ArgumentError, match="tiers"):
        classifiers.fit_one_shot(inputs, tiers[1:], 3)


def test_anytime_learns_to_take_the_most_useful_part_first():
    def describe(tiers):
        gains = np.concatenate([GAIN, np.zeros((5, 1))], axis=1)[np.arange(5), tiers]
        return np.stack([gains, np.ones(5)], axis=1)

    policy = classifiers.fit_anytime(losses_if, describe, STARTS, 3, 4)
    steps = classifiers.roll_out(policy, describe, STARTS, 3)
    assert sorted(steps[0][0].tolist()) == [0, 2]
    everything = np.concatenate([parts for parts, _ in steps])
    assert_array_equal(np.bincount(everything, minlength=5), 2)
    for parts, scores in steps:
        assert len(parts) <= 2
        assert (np.diff(scores) <= 0).all()

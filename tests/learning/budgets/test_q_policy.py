"""Q* against its definition; shaping; least squares; one policy iteration on a task with a known answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import q_policy as subject
from spcviz.learning.budgets.q_policy import TrajectorySteps, q_values


@given(seed=st.integers(0, 2**31), n=st.integers(1, 8))
def test_undiscounted_values_are_the_best_stop_still_ahead(seed, n):
    losses = np.random.default_rng(seed).integers(0, 9, n + 1).astype(float)
    values = q_values(losses[:-1] - losses[1:], [0, n])
    assert_allclose(values, [losses[i] - losses[i + 1 :].min() for i in range(n)])


@given(seed=st.integers(0, 2**31), gamma=st.floats(0, 1))
def test_trajectories_do_not_mix_and_gamma_zero_is_the_reward(seed, gamma):
    reward = np.random.default_rng(seed).normal(size=7)
    values = q_values(reward, [0, 3, 3, 7], gamma)
    assert_allclose(
        values, np.concatenate([q_values(reward[:3], [0, 3], gamma), q_values(reward[3:], [0, 4], gamma)])
    )
    assert_allclose(q_values(reward, [0, 3, 3, 7], 0.0), reward)


def test_least_squares_by_tier():
    rng = np.random.default_rng(0)
    features, tier = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    beta = np.array([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]])
    targets = np.einsum("sd,sd->s", features, beta[tier])
    steps = TrajectorySteps(features, tier, targets, np.arange(0, 201, 10))
    assert_allclose(subject.fit_values(steps, targets, 0.0), beta, atol=1e-9)
    assert subject.best_penalty(steps, targets, (1e-6, 1.0)) == 1e-6
    ridge = subject.fit_values(steps, targets, 0.5)[0]
    phi, y = features[tier == 0], targets[tier == 0]
    assert_allclose(phi.T @ (phi @ ridge - y) / len(phi) + 0.5 * ridge, 0, atol=1e-9)


def test_one_iteration_learns_to_pay_now_for_a_later_gain():
    """Action a gains nothing on its own but lets the next gain 5; action b gains 1 at once."""
    rng = np.random.default_rng(0)

    def roll_out(beta):
        rows, tiers, rewards = [], [], []
        for _ in range(200):
            takes_a = rng.random() < 0.5 if beta is None else beta[0][0] >= beta[0][1] or rng.random() < 0.5
            rows += [[1.0, 0.0] if takes_a else [0.0, 1.0], [1.0, 0.0] if takes_a else [0.0, 1.0]]
            tiers += [0, 1]
            rewards += [0.0, 5.0] if takes_a else [1.0, 0.0]
        return TrajectorySteps(np.array(rows), np.array(tiers), np.array(rewards), np.arange(0, 401, 2))

    policy = subject.train_policy(roll_out, lambda beta: -float(beta[0][0] > beta[0][1]), alphas=(0.0,))
    assert policy.myopic[0][0] < policy.myopic[0][1]
    assert policy.beta[0][0] > policy.beta[0][1]
    assert policy.gamma > 0


def test_bought_early():
    features = np.array([[1.0, 1.0], [1.0, -1.0]] * 20)
    steps = TrajectorySteps(features, np.zeros(40, dtype=int), np.zeros(40), np.arange(0, 41, 2))
    beta = subject.fit_bought_early(steps, np.ones(40), 0.5)
    assert beta[0] @ [1.0, 1.0] > 0 > beta[0] @ [1.0, -1.0]
    assert subject.fit_bought_early(steps, np.ones(40), 1.0)[0, 0] == 1.0
    assert subject.fit_bought_early(steps, np.ones(40), 0.0)[0, 0] == -1.0


def test_refusals():
    for bad in ({"gamma": 1.5}, {"gamma": np.nan}):
        with pytest.raises(ArgumentError, match="gamma"):
            q_values([1.0], [0, 1], **bad)
    with pytest.raises(ArgumentError, match="alpha"):
        subject.shape_rewards([1.0], -1)
    with pytest.raises(ArgumentError, match="starts"):
        q_values([1.0], [0, 2])

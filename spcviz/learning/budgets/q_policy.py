r"""Feature extraction as a Markov decision process: values of actions from trajectories (thesis 7.2).

A state is what has been bought, an action buys one more, its reward is the loss that it saves. One backward
pass over a trajectory gives the off-policy values of its actions with optimal stopping (thesis (7.6)),

.. math:: Q^*(s_t, a_t) = R_t + \gamma [Q^*(s_{t+1}, a_{t+1})]_+

least squares turns them into a linear policy (7.7), and one more roll-out is one policy iteration. The kind
of example does not matter here: the caller supplies roll-outs.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import larger_of


class TrajectorySteps(NamedTuple):
    """Steps of trajectories, one trajectory after another."""

    features: np.ndarray  # (S, D) of each action in its state
    tier: np.ndarray  # (S,) int64: the tier the action starts from, 0 .. T - 2: each has its own weights
    reward: np.ndarray  # (S,) loss before minus loss after
    starts: np.ndarray  # (N + 1,) int64: steps of trajectory n: starts[n] .. starts[n + 1] - 1


class QPolicy(NamedTuple):
    """A linear policy and how it was trained."""

    beta: np.ndarray  # (T - 1, D) after one policy iteration
    # (T - 1, D) fitted to immediate rewards: where the iteration began, and the greedy policy
    myopic: np.ndarray
    # gamma, alpha, penalty: discount, shaping and ridge, chosen on development data
    gamma: float
    alpha: float
    penalty: float


def q_values(reward: np.ndarray, starts: np.ndarray, gamma: float = 1.0) -> np.ndarray:
    """Off-policy values (S,) of rewards (S,) with optimal stopping, one backward pass per trajectory.

    Trajectory n has the steps ``starts[n] : starts[n + 1]``; gamma is from 0 to 1 (thesis (7.6)).

    Examples
    --------
    >>> q_values([-1.0, 3.0, -2.0], [0, 3]).tolist()
    [2.0, 3.0, -2.0]
    """
    reward = checks.scores("reward", reward, 1)
    starts = checks.offsets("starts", starts, len(reward))
    return _backward(reward, starts, checks.fraction("gamma", gamma))


@kernel
def _backward(reward: np.ndarray, starts: np.ndarray, gamma: float) -> np.ndarray:
    out = reward.copy()
    for n in range(len(starts) - 1):
        for s in range(starts[n + 1] - 2, starts[n] - 1, -1):
            out[s] += gamma * larger_of(out[s + 1], 0.0)
    return out


def shape_rewards(reward: np.ndarray, alpha: float) -> np.ndarray:
    """Rewards with steps that raise the loss punished alpha times more (thesis (7.8)).

    Examples
    --------
    >>> shape_rewards([1.0, -1.0], 2.0).tolist()
    [1.0, -3.0]
    """
    reward = np.asarray(reward, dtype=np.float64)
    return reward + checks.strength("alpha", alpha) * np.minimum(reward, 0.0)


def fit_values(steps: TrajectorySteps, targets: np.ndarray, penalty: float) -> np.ndarray:
    """Ridge regression of values (S,) on features, a block of weights per tier: (T - 1, D) (thesis (7.7)).

    ``penalty``: lambda, against the mean squared error.
    """
    n_tiers, width = int(steps.tier.max(initial=0)) + 1, steps.features.shape[1]
    beta = np.zeros((n_tiers, width))
    for t in range(n_tiers):
        here = steps.tier == t
        phi = steps.features[here]
        gram = phi.T @ phi / max(len(phi), 1) + penalty * np.eye(width)
        beta[t] = np.linalg.solve(gram, phi.T @ targets[here] / max(len(phi), 1))
    return beta


def best_penalty(
    steps: TrajectorySteps, targets: np.ndarray, penalties: Sequence[float], n_folds: int = 3
) -> float:
    """The lambda of least squared error over folds of whole trajectories."""
    trajectory = np.repeat(np.arange(len(steps.starts) - 1), np.diff(steps.starts))
    errors = np.zeros(len(penalties))
    for fold in range(n_folds):
        held = trajectory % n_folds == fold
        rest = TrajectorySteps(steps.features[~held], steps.tier[~held], steps.reward[~held], steps.starts)
        for i, penalty in enumerate(penalties):
            beta = fit_values(rest, targets[~held], penalty)
            at = np.minimum(steps.tier[held], len(beta) - 1)
            errors[i] += ((np.einsum("sd,sd->s", steps.features[held], beta[at]) - targets[held]) ** 2).sum()
    return float(penalties[int(np.argmin(errors))])


def train_policy(
    roll_out: Callable[[np.ndarray | None], TrajectorySteps],
    judge: Callable[[np.ndarray], float],
    *,
    gammas: Sequence[float] = (0.0, 0.5, 0.9, 1.0),
    alphas: Sequence[float] = (0.0, 1.0, 4.0),
    penalties: Sequence[float] = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
) -> QPolicy:
    """Fit immediate rewards, roll out, fit values: one policy iteration (thesis 7.2.3).

    ``roll_out(beta)`` returns the steps of a policy's trajectories, or of random ones if beta is None;
    ``judge(beta)`` returns how bad a policy is on development data: gammas and alphas are chosen by it,
    penalties by cross-validation.
    """
    at_random = roll_out(None)
    myopic = fit_values(at_random, at_random.reward, best_penalty(at_random, at_random.reward, penalties))
    steps = roll_out(myopic)
    candidates = []
    for alpha in alphas:
        reward = shape_rewards(steps.reward, alpha)
        for gamma in gammas:
            targets = q_values(reward, steps.starts, gamma)
            penalty = best_penalty(steps, targets, penalties)
            beta = fit_values(steps, targets, penalty)
            candidates.append((judge(beta), QPolicy(beta, myopic, gamma, alpha, penalty)))
    return min(candidates, key=lambda candidate: candidate[0])[1]


def fit_bought_early(steps: TrajectorySteps, costs: np.ndarray, budget: float) -> np.ndarray:
    """The imitation baseline (thesis 7.3): tell actions bought within a budget from those after it.

    `steps` are trajectories to imitate, `costs` (S,) what each step costs, `budget` is per trajectory, as a
    share of its whole cost. Returns weights of linear support vector machines, (T - 1, D), to be used as
    values of actions.
    """
    from sklearn.svm import LinearSVC  # takes a second to import, only fitting needs it

    total = np.add.reduceat(costs, steps.starts[:-1])
    before = np.cumsum(costs)
    begun = np.repeat(np.concatenate([[0.0], before])[steps.starts[:-1]], np.diff(steps.starts))
    within = before - begun <= budget * np.repeat(total, np.diff(steps.starts)) + 1e-9
    beta = np.zeros((int(steps.tier.max(initial=0)) + 1, steps.features.shape[1]))
    for t in range(len(beta)):
        here = steps.tier == t
        if within[here].any() and not within[here].all():
            svm = LinearSVC(C=0.1, dual=False, fit_intercept=False)
            beta[t] = svm.fit(steps.features[here], within[here]).coef_[0]
        else:
            beta[t, 0] = 1.0 if within[here].any() else -1.0
    return beta

"""DMS-pi on chains: spending by a rule, learning one from trajectories, what a budget buys (thesis ch. 7).

Costs are of lifting part r from tier t to t + 1, shape (R, T - 1), in whatever unit a budget is counted
in: one a tier if none are given. A share is of the cost of everything.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.quiescent import is_margin
from spcviz.learning.budgets import expansion, q_policy
from spcviz.learning.budgets.chains.parts import Course, Rule, run

IMITATED_BUDGETS = (0.05, 0.1, 0.2, 0.4)
"""Shares of a chain's features that the imitation baseline may be told to copy."""

_NONE = np.zeros((0, 0))


def no_looks(n_rows):
    """`Parts.looks` or `Parts.places` of states that have none."""
    return np.zeros((n_rows, 0, 0), dtype=np.float32)


def typical_margin(max_marginals):
    """Median difference of the best two states over rows of (R, K) max-marginals, at least 1e-9.

    What margins are compared with (`Parts.scale`). Rows with one possible state are left out.

    Examples
    --------
    >>> typical_margin(np.array([[1.0, 3.0, 0.0], [5.0, 1.0, 0.0], [2.0, -np.inf, -np.inf]]))
    3.0
    """
    best = np.sort(max_marginals, axis=1)[:, -2:]
    best = best[np.isfinite(best).all(axis=1)]
    return max(float(np.median(best[:, 1] - best[:, 0])), 1e-9) if len(best) else 1.0


def some_chains(parts, chosen):
    """Some chains of a batch, in the order chosen.

    Parameters
    ----------
    parts : Parts
    chosen : sequence of int
        Chains.

    Returns
    -------
    Parts
        Transition tables stay as they are: steps point into them.
    ndarray, shape (parts of the chosen chains,), int64
        Where they were.
    """
    chosen = np.asarray(chosen, dtype=np.int64)
    lengths = np.diff(parts.starts)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(parts.starts[:-1][chosen] - starts[:-1], lengths) + np.arange(starts[-1])
    some = parts._replace(
        scores=np.ascontiguousarray(parts.scores[rows]),
        step=parts.step[rows],
        starts=starts,
        loss=parts.loss[rows],
        looks=parts.looks[rows],
        places=parts.places[rows],
    )
    return some, rows


def rule(beta=None, *, fixed=None, refreshed=True, all_at_once=False, q=0.0, scale="range", per_cost=False):
    """A `Rule` from weights of actions, shape (T - 1, D), or from fixed values of shape (R, T - 1)."""
    beta = _NONE if beta is None else np.ascontiguousarray(beta)
    fixed = _NONE if fixed is None else np.ascontiguousarray(fixed, dtype=np.float64)
    return Rule(beta, fixed, refreshed, all_at_once, float(q), is_margin(scale), per_cost)


def costs_of(parts, costs=None):
    """Costs as an array of shape (R, T - 1); one a tier if None."""
    shape = (len(parts.scores), parts.scores.shape[1] - 1)
    return expansion.checked_costs(np.ones(shape[1]) if costs is None else costs, shape)


def spend(parts, how, budget=np.inf, costs=None, *, keep_features=False, keep_all=False):
    """Algorithm 5 on a batch.

    Parameters
    ----------
    parts : Parts
    how : Rule
    budget : float
        For the whole batch.
    costs : array_like, shape (R, T - 1) or (T - 1,), optional
        Incremental; one unit a tier if None.

    Returns
    -------
    Course

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If the budget is negative or NaN, or the costs do not fit.
    """
    budget = expansion.checked_budget(budget)
    return Course(*run(parts, how, costs_of(parts, costs), budget, keep_features, keep_all))


def steps_of(parts, course):
    """A course of whole chains as trajectories, chain by chain, and the cost of each step."""
    chain = np.searchsorted(parts.starts, course.part, side="right") - 1
    order = np.argsort(chain, kind="stable")
    starts = np.searchsorted(chain[order], np.arange(len(parts.starts)))
    steps = q_policy.Steps(
        course.features[order], course.tier[order] - 1, course.gain[order].astype(np.float64), starts
    )
    return steps, course.cost[order]


def curve(parts, course, costs=None):
    """(share of the cost of everything, summed loss) before the first step and after each."""
    lost = parts.loss[np.arange(len(parts.loss)), course.labels_before].sum()
    cost = np.concatenate([[0.0], np.cumsum(course.cost)]) / costs_of(parts, costs).sum()
    return expansion.Curve(cost, lost - np.concatenate([[0], np.cumsum(course.gain)]))


def train(parts, rng, costs=None, *, per_cost=False, group=None):
    """Policies of a batch of training chains.

    Parameters
    ----------
    parts : Parts
        Read by models that have not seen the chains.
    rng : numpy.random.Generator
    costs : array_like, optional
    per_cost : bool
        As in `Rule`, for all policies.
    group : ndarray of int, shape (W,), optional
        Chains of one group are all for learning or all for development.

    Returns
    -------
    QPolicy, ndarray, ndarray
        The policy; weights of the imitation baseline, (T - 1, D); the chains left for development.
    """
    n, costs = len(parts.starts) - 1, costs_of(parts, costs)
    _, group = np.unique(np.arange(n) if group is None else group, return_inverse=True)
    is_dev = (rng.permutation(group.max() + 1) % 3 == 0)[group]
    learn, learn_rows = some_chains(parts, np.flatnonzero(~is_dev))
    dev, dev_rows = some_chains(parts, np.flatnonzero(is_dev))
    noise = rng.random((len(learn.scores), costs.shape[1]))

    def rolled(beta):
        how = rule(fixed=noise) if beta is None else rule(beta, per_cost=per_cost)
        return steps_of(learn, spend(learn, how, costs=costs[learn_rows], keep_features=True))

    def judge(beta):
        course = spend(dev, rule(beta, per_cost=per_cost), costs=costs[dev_rows])
        return badness(curve(dev, course, costs[dev_rows]))

    policy = q_policy.train_policy(lambda beta: rolled(beta)[0], judge)
    steps, paid = rolled(policy.myopic)
    imitators = [q_policy.fit_bought_early(steps, paid, share) for share in IMITATED_BUDGETS]
    return policy, min(imitators, key=judge), np.flatnonzero(is_dev)


class Trained(NamedTuple):
    """What `train` returns for one queue, and how it does on its chains.

    Attributes
    ----------
    policy : QPolicy
    imitation : ndarray, shape (T - 1, D)
    per_cost : bool
        The queue goes by value per cost; else by value, as printed.
    badness : float
        On the chains left for development.
    budgets : dict of str to float
        Of `chosen_budgets`, on all chains: the few left for development say too little about a budget.
    """

    policy: q_policy.QPolicy
    imitation: np.ndarray
    per_cost: bool
    badness: float
    budgets: dict


def train_queues(parts, rng, costs=None, *, group=None):
    """Policies for a queue by value and for one by value per cost; arguments as in `train`.

    Returns
    -------
    list of Trained
        By value, then by value per cost. That with the smaller badness wastes less.
    """
    costs, out = costs_of(parts, costs), []
    seed = rng.integers(2**62)
    for per_cost in (False, True):
        # The same chains are left for development, or the two could not be compared.
        own = np.random.default_rng(seed)
        policy, imitation, dev = train(parts, own, costs, per_cost=per_cost, group=group)
        held, rows = some_chains(parts, dev)
        how = rule(policy.beta, per_cost=per_cost)
        bad = badness(curve(held, spend(held, how, costs=costs[rows]), costs[rows]))
        out.append(Trained(policy, imitation, per_cost, bad, chosen_budgets(parts, how, costs)))
    return out


def badness(points):
    """Mean loss over shares from 1 to 100 %, cheap ones as much as dear ones (evenly in log share)."""
    return float(expansion.at_cost(points, np.geomspace(0.01, 1.0, 40)).mean())


def chosen_budgets(parts, how, costs=None):
    """Shares found on development chains: for the loss of all features, and for the least loss.

    Returns
    -------
    dict of str to float
    """
    points = curve(parts, spend(parts, how, costs=costs), costs)
    return {
        "final_error": expansion.least_cost(points, points.loss[-1]),
        "least_error": float(points.cost[np.argmin(points.loss)]),
    }


def rules(policy, imitation, parts, rng, *, per_cost=False):
    """Part-level methods: name to Rule."""
    n_more = parts.scores.shape[1] - 1
    noise = rng.random((len(parts.scores), n_more))
    return {
        "q-learning": rule(policy.beta, per_cost=per_cost),
        "q-learning, as printed": rule(policy.beta, refreshed=False, per_cost=per_cost),
        "greedy": rule(policy.myopic, per_cost=per_cost),
        "greedy, as printed": rule(policy.myopic, refreshed=False, per_cost=per_cost),
        "imitation": rule(imitation, per_cost=per_cost),
        "all tiers at once": rule(policy.beta, all_at_once=True, per_cost=per_cost),
        "random": rule(fixed=noise),
        "uniform by tiers": rule(fixed=noise - np.arange(n_more)),
    }


def points(parts, course, costs=None):
    """What a course comes to, step by step.

    Returns
    -------
    dict
        ``share`` (S + 1,) of the cost of everything; ``error``, summed loss in percent of the number of
        parts; ``tiers`` (S + 1, T - 1), of parts lifted to each tier; ``messages``, share of full passes.
    """
    found, n_more = curve(parts, course, costs), parts.scores.shape[1] - 1
    jumps = len(course.tier) > 0 and course.tier.min() > 1
    lifted = np.zeros((len(course.part) + 1, n_more))
    for t in range(n_more):
        reached = np.ones(len(course.tier), dtype=bool) if jumps else course.tier == t + 1
        lifted[1:, t] = np.cumsum(reached) / len(parts.scores)
    length = np.diff(parts.starts)[np.searchsorted(parts.starts, course.part, side="right") - 1]
    return {
        "share": found.cost,
        "error": 100 * found.loss / len(parts.scores),
        "tiers": lifted,
        "messages": float(course.messages.sum() / (2 * length).sum()) if len(length) else 0.0,
    }

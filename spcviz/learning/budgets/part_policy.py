"""DMS-pi: spending by a rule, learning one from trajectories, what a budget buys (thesis ch. 7).

Features are bought in a `World`: chains, trees, regions.

Costs are those of lifting part r from tier t to t + 1, shape (R, T - 1), in the unit of the budget: one
per tier if none are given. Shares are of the cost of everything.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine.chains.quiescent import is_margin
from spcviz.learning.budgets import expansion, methods, q_policy
from spcviz.learning.budgets.world import Rule, Trajectory, World

IMITATED_BUDGETS = (0.05, 0.1, 0.2, 0.4)
"""Shares of a chain's features that the imitation baseline may be trained to copy."""

_NONE = np.zeros((0, 0))


def rule(
    beta: np.ndarray | None = None,
    *,
    fixed: np.ndarray | None = None,
    refreshed: bool = True,
    all_at_once: bool = False,
    q: float = 0.0,
    scale: str = "range",
    per_cost: bool = False,
) -> Rule:
    """A `Rule` from weights of actions, shape (T - 1, D), or from fixed values of shape (R, T - 1)."""
    beta, fixed = (_NONE if given is None else _one_type(np.asarray(given, float)) for given in (beta, fixed))
    return Rule(beta, fixed, refreshed, all_at_once, float(q), is_margin(scale), per_cost)


def _one_type(array: np.ndarray) -> np.ndarray:
    """The array; a copy if it is read-only or not C-contiguous: numba would recompile all for that type."""
    return array if array.flags.writeable and array.flags.c_contiguous else array.copy("C")


def costs_of(world: World, costs: np.ndarray | None = None) -> np.ndarray:
    """Costs as an array of shape (R, T - 1); one per tier if None."""
    shape = (world.shape[0], world.shape[1] - 1)
    return _one_type(expansion.checked_costs(np.ones(shape[1]) if costs is None else costs, shape))


def spend(
    world: World,
    how: Rule,
    budget: float = np.inf,
    costs: np.ndarray | None = None,
    *,
    keep_features: bool = False,
    keep_all: bool = False,
) -> Trajectory:
    """Algorithm 5 on a batch.

    ``budget`` is for the whole batch; costs (R, T - 1) or (T - 1,) are incremental, one per tier if None.

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If the budget is negative or NaN, or the costs do not fit.
    """
    budget = expansion.checked_budget(budget)
    return world.spend(how, costs_of(world, costs), budget, keep_features, keep_all)


def steps_of(world: World, trajectory: Trajectory) -> tuple[q_policy.TrajectorySteps, np.ndarray]:
    """A batch's trajectory split into one for each example, and the cost of each step."""
    example = np.searchsorted(world.starts, trajectory.part, side="right") - 1
    order = np.argsort(example, kind="stable")
    starts = np.searchsorted(example[order], np.arange(len(world.starts)))
    steps = q_policy.TrajectorySteps(
        trajectory.features[order],
        trajectory.tier[order] - 1,
        trajectory.gain[order].astype(np.float64),
        starts,
    )
    return steps, trajectory.cost[order]


def curve(world: World, trajectory: Trajectory, costs: np.ndarray | None = None) -> expansion.SpendingCurve:
    """(share of the cost of everything, summed loss) before the first step and after each."""
    lost = world.loss_of(trajectory.labels_before)
    cost = np.concatenate([[0.0], np.cumsum(trajectory.cost)]) / costs_of(world, costs).sum()
    return expansion.SpendingCurve(cost, lost - np.concatenate([[0], np.cumsum(trajectory.gain)]))


def train(
    world: World,
    rng: np.random.Generator,
    costs: np.ndarray | None = None,
    *,
    per_cost: bool = False,
    group: np.ndarray | None = None,
) -> tuple[q_policy.QPolicy, np.ndarray, np.ndarray]:
    """Train policies on a batch of training examples.

    Parameters
    ----------
    world : World
        Read by models that have not seen the examples.
    per_cost : bool
        As in `Rule`, for all policies.
    group : ndarray of int, shape (W,), optional
        Examples of one group are all for learning or all for development.

    Returns
    -------
    QPolicy, ndarray, ndarray
        The policy; weights of the imitation baseline, (T - 1, D); the examples left for development.
    """
    n, costs = len(world.starts) - 1, costs_of(world, costs)
    _, group = np.unique(np.arange(n) if group is None else group, return_inverse=True)
    is_dev = (rng.permutation(group.max() + 1) % 3 == 0)[group]
    learn, learn_rows = world.some(np.flatnonzero(~is_dev))
    dev, dev_rows = world.some(np.flatnonzero(is_dev))
    noise = rng.random((learn.shape[0], costs.shape[1]))

    def rolled(beta: np.ndarray | None) -> tuple[q_policy.TrajectorySteps, np.ndarray]:
        how = rule(fixed=noise) if beta is None else rule(beta, per_cost=per_cost)
        return steps_of(learn, spend(learn, how, costs=costs[learn_rows], keep_features=True))

    def judge(beta: np.ndarray) -> float:
        trajectory = spend(dev, rule(beta, per_cost=per_cost), costs=costs[dev_rows])
        return badness(curve(dev, trajectory, costs[dev_rows]))

    policy = q_policy.train_policy(lambda beta: rolled(beta)[0], judge)
    steps, paid = rolled(policy.myopic)
    imitators = [q_policy.fit_bought_early(steps, paid, share) for share in IMITATED_BUDGETS]
    return policy, min(imitators, key=judge), np.flatnonzero(is_dev)


class TrainedPolicy(NamedTuple):
    """What `train` returns for one queue, and its results on its chains."""

    policy: q_policy.QPolicy
    imitation: np.ndarray  # (T - 1, D)
    per_cost: bool  # the queue goes by value per cost; else by value, as printed
    badness: float  # on the examples left for development
    # from `chosen_budgets`, on all examples: the few left for development say too little
    # about a budget
    budgets: dict[str, float]
    held: np.ndarray  # (H,) examples left for development


def train_queues(
    world: World,
    rng: np.random.Generator,
    costs: np.ndarray | None = None,
    *,
    group: np.ndarray | None = None,
) -> list[TrainedPolicy]:
    """Policies for a queue by value, then for one by value per cost; arguments as in `train`.

    The one with the smaller badness wastes less.
    """
    costs, out = costs_of(world, costs), []
    seed = rng.integers(2**62)
    for per_cost in (False, True):
        # The same examples are left for development, or the two could not be compared.
        seeded = np.random.default_rng(seed)
        policy, imitation, dev = train(world, seeded, costs, per_cost=per_cost, group=group)
        held, rows = world.some(dev)
        how = rule(policy.beta, per_cost=per_cost)
        bad = badness(curve(held, spend(held, how, costs=costs[rows]), costs[rows]))
        out.append(TrainedPolicy(policy, imitation, per_cost, bad, chosen_budgets(world, how, costs), dev))
    return out


def badness(points: expansion.SpendingCurve) -> float:
    """Mean loss over shares from 1 to 100 %, small ones as much as large ones (evenly in log share)."""
    return float(expansion.at_cost(points, np.geomspace(0.01, 1.0, 40)).mean())


def chosen_budgets(
    world: World, how: Rule, costs: np.ndarray | None = None, *, loss: float | None = None
) -> dict[str, float]:
    """Shares found on development examples: for the loss of all features, and for the least loss.

    ``loss``: that of all features; the rule's own final loss if None (with exact messages they are the same).
    Infinity where it is never reached.
    """
    points = curve(world, spend(world, how, costs=costs), costs)
    return {
        "final_error": expansion.least_cost(points, points.loss[-1] if loss is None else loss),
        "least_error": float(points.cost[np.argmin(points.loss)]),
    }


class Learned(NamedTuple):
    """Weights and values from which `rule_of` makes rules."""

    # policy, one_step, imitation (T - 1, D): weights of actions: learned from whole trajectories, for the
    # next purchase alone, by imitation (None where it is not needed)
    policy: np.ndarray
    one_step: np.ndarray
    imitation: np.ndarray | None
    noise: np.ndarray  # (R, T - 1) random numbers in 0 .. 1
    fixed: dict[str, np.ndarray]  # (R, T - 1) values of methods that have their own, by key
    per_cost: bool = False  # the learned methods' queues go by value per cost

    def at(self, rows: np.ndarray) -> Self:
        """For some of the parts."""
        fixed = {key: values[rows] for key, values in self.fixed.items()}
        return self._replace(noise=self.noise[rows], fixed=fixed)


def rule_of(method: methods.Method, learned: Learned, *, q: float = 0.0, scale: str = "range") -> Rule:
    """The `Rule` of a method that lifts single parts.

    ``q`` is the tolerance of quiescent inference, as a fraction of the ``scale``, "range" or "margin".
    """
    spends = method.rule
    how: dict[str, Any] = {"q": q, "scale": scale}
    if method.key in learned.fixed:
        return rule(fixed=learned.fixed[method.key], **how)
    if spends.by in methods.RANDOM:
        tiers = np.arange(learned.noise.shape[1]) if spends.by == methods.BY_TIER else 0
        return rule(fixed=learned.noise - tiers, **how)
    weights = {"policy": learned.policy, "one step": learned.one_step, "imitation": learned.imitation}
    return rule(
        weights[spends.by],
        refreshed=spends.is_refreshed,
        all_at_once=spends.is_all_at_once,
        per_cost=learned.per_cost,
        **how,
    )


def points(world: World, trajectory: Trajectory, costs: np.ndarray | None = None) -> dict[Any, Any]:
    """Results of a trajectory, step by step.

    Returns
    -------
    dict
        ``share`` (S + 1,) of the cost of everything; ``error``, summed loss in percent of the number of
        parts; ``tiers`` (S + 1, T - 1), of parts lifted to each tier; ``messages``, share of full passes.
    """
    (n_parts, n_tiers), course_curve = world.shape, curve(world, trajectory, costs)
    jumps = len(trajectory.tier) > 0 and trajectory.tier.min() > 1
    lifted = np.zeros((len(trajectory.part) + 1, n_tiers - 1))
    for t in range(n_tiers - 1):
        reached = np.ones(len(trajectory.tier), dtype=bool) if jumps else trajectory.tier == t + 1
        lifted[1:, t] = np.cumsum(reached) / n_parts
    length = np.diff(world.starts)[np.searchsorted(world.starts, trajectory.part, side="right") - 1]
    return {
        "share": course_curve.cost,
        "error": 100 * course_curve.loss / n_parts,
        "tiers": lifted,
        "messages": float(trajectory.messages.sum() / (2 * length).sum()) if len(length) else 0.0,
    }

"""Controllers of SPC-pi: values of actions learned from trajectories (thesis 7.2), and their evaluation.

A controller may raise orders, buy tiers, or both (`Reach`). Its value of an action is the number of letters
that this action and later ones will correct, `spcviz.learning.budgets.q_policy`; the queue goes by value per
price. Prices are microseconds of an action, measured once and kept as a setting, so that the same command
learns the same policy. Reported times are measured again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.learning.budgets import q_policy
from spcviz.learning.budgets.chains.factors import merge_queues
from spcviz.learning.budgets.expansion import checked_budget
from spcviz.learning.hybrid import courses, records
from spcviz.learning.hybrid.adaptive import AdaptivePart, of_part

_NONE = np.zeros((0, 0))


class Reach(NamedTuple):
    """How far a controller may go: orders 1 .. n_orders, tiers 0 .. n_tiers - 1."""

    n_orders: int
    n_tiers: int


@dataclass(frozen=True)
class ActionPrices:
    """Microseconds that a controller assumes."""

    sweep: float = 3.0  # an action, or a round of them, whatever it changes
    arc: float = 0.035  # an arc that it makes or scores
    tiers: tuple[float, ...] = (27.0, 30.0)  # a letter's features and scores of tier 1, 2, ...
    begin: float = 4.5  # a letter, before any action

    def of_blocks(self, n_orders: int) -> np.ndarray:
        """Price of each block, for actions done alone."""
        return np.array([*[self.sweep] * (n_orders - 1), *(self.sweep + tier for tier in self.tiers)])


class CoursePoints(NamedTuple):
    """A batch's course in the order of the queue: before the first action and after each, shape (S + 1,)."""

    us: np.ndarray  # spent on the whole batch
    # wrong, wrong_words int64: numbers of wrong letters and words
    wrong: np.ndarray
    wrong_words: np.ndarray


def rule_of(
    model: records.AdaptiveModel,
    prices: ActionPrices,
    reach: Reach,
    *,
    beta: np.ndarray | None = None,
    noise: np.ndarray | None = None,
    together: float = records.ALONE,
) -> records.ActionRule:
    """A `Rule` of a learned controller (``beta``), or of fixed values (``noise``), shape (R, blocks)."""
    n_tiers, n_orders = model.filters.ink.shape
    shape = len(model.alphas), records.N_FEATURES
    beta = np.zeros(shape) if beta is None else np.ascontiguousarray(beta, dtype=np.float64)
    fixed = _NONE if noise is None else np.ascontiguousarray(noise, dtype=np.float64)
    checks.integer("n_orders", reach.n_orders, 1, n_orders)
    checks.integer("n_tiers", reach.n_tiers, 1, n_tiers)
    return records.ActionRule(
        beta,
        fixed,
        prices.of_blocks(n_orders),
        float(prices.arc),
        reach.n_orders,
        reach.n_tiers,
        float(together),
    )


def course(
    batch: records.WordBatch,
    model: records.AdaptiveModel,
    rule: records.ActionRule,
    *,
    most: int | None = None,
    keep_features: bool = False,
    keep_labels: bool = True,
) -> records.ActionCourse:
    """Run every word's own course to its end, or to at most `most` actions per word: an `ActionCourse`."""
    most = 2**40 if most is None else checks.integer("most", most, 0, 2**40)
    fields = courses.run(batch, model, rule, most, keep_features, keep_labels)
    return records.ActionCourse(*fields)


def prices_paid(rollout: records.ActionCourse, prices: ActionPrices, n_orders: int) -> np.ndarray:
    """Microseconds of each action of a course, by a controller's own prices, shape (S,)."""
    bought = np.array([*[0.0] * (n_orders - 1), *prices.tiers])[rollout.block]
    return bought + prices.sweep * rollout.work[:, 4] + prices.arc * rollout.work[:, 0]


def points_of(
    batch: records.WordBatch, rollout: records.ActionCourse, us: np.ndarray, begun_us: float
) -> CoursePoints:
    """A batch's course action by action, the queue's most valuable first.

    ``us`` (S,): microseconds of each action; ``begun_us``: of the whole batch before the first.
    """
    order, firsts = merge_queues(rollout.value, rollout.starts), rollout.starts
    word = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    wrong_at_first = np.add.reduceat(rollout.before != batch.labels, batch.starts[:-1])
    total = np.concatenate([[0], np.cumsum(rollout.gain)])
    wrong_after = (wrong_at_first + total[firsts[:-1]])[word] - total[1:]
    wrong_before = wrong_after + rollout.gain
    turned = (wrong_after > 0).astype(np.int64) - (wrong_before > 0)
    return CoursePoints(
        begun_us + np.concatenate([[0.0], np.cumsum(us[order])]),
        wrong_at_first.sum() - np.concatenate([[0], np.cumsum(rollout.gain[order])]),
        (wrong_at_first > 0).sum() + np.concatenate([[0], np.cumsum(turned[order])]),
    )


def at_budgets(points: CoursePoints, budgets: Sequence[float] | np.ndarray) -> np.ndarray:
    """Index of the last point within each budget, -1 where not even the first is; budgets are at least 0.

    Examples
    --------
    >>> some = CoursePoints(np.array([1.0, 3.0]), np.array([5, 4]), np.array([2, 2]))
    >>> at_budgets(some, [0.0, 1.0, 2.9, np.inf]).tolist()
    [-1, 0, 0, 1]
    """
    budgets = [checked_budget(budget, f"budgets[{i}]") for i, budget in enumerate(budgets)]
    return np.searchsorted(points.us, np.asarray(budgets) + 1e-9, side="right") - 1


def train(
    parts: Sequence[AdaptivePart],
    dev: records.WordBatch,
    model: records.AdaptiveModel,
    prices: ActionPrices,
    reach: Reach,
    rng: np.random.Generator,
) -> q_policy.QPolicy:
    """Train a policy on trajectories of the parts; discount, shaping and penalty are chosen on `dev`."""
    noises = [rng.random((len(part.batch.labels), len(model.alphas))) for part in parts]

    def roll_out(beta: np.ndarray | None) -> q_policy.TrajectorySteps:
        rollouts = []
        for part, noise in zip(parts, noises):
            how = {"noise": noise} if beta is None else {"beta": _whole(beta, model)}
            rule = rule_of(model, prices, reach, **how)
            rollouts.append(course(part.batch, of_part(part, model), rule, keep_features=True))
        return _steps(rollouts)

    def judge(beta: np.ndarray) -> float:
        return badness(dev, model, prices, rule_of(model, prices, reach, beta=_whole(beta, model)), reach)

    policy = q_policy.train_policy(roll_out, judge, gammas=(0.0, 0.7, 1.0), alphas=(0.0, 1.0))
    return policy._replace(beta=_whole(policy.beta, model), myopic=_whole(policy.myopic, model))


def badness(
    batch: records.WordBatch,
    model: records.AdaptiveModel,
    prices: ActionPrices,
    rule: records.ActionRule,
    reach: Reach,
) -> float:
    """Number of wrong letters, mean over budgets from almost none to large (`judged_range`)."""
    rollout = course(batch, model, rule)
    paid = prices_paid(rollout, prices, model.filters.ink.shape[1])
    points = points_of(batch, rollout, paid, prices.begin * len(batch.labels))
    budgets = np.geomspace(*judged_range(batch, prices, reach), 30)
    return float(points.wrong[at_budgets(points, budgets)].mean())


def best_share(
    batch: records.WordBatch,
    model: records.AdaptiveModel,
    prices: ActionPrices,
    reach: Reach,
    beta: np.ndarray,
    shares: Sequence[float],
) -> float:
    """The share for rounds that has the least `badness`."""

    def bad(share: float) -> float:
        return badness(batch, model, prices, rule_of(model, prices, reach, beta=beta, together=share), reach)

    return min(shares, key=bad)


def judged_range(batch: records.WordBatch, prices: ActionPrices, reach: Reach) -> tuple[float, float]:
    """(least, most) microseconds between which policies are judged: almost no budget and a large one."""
    n = len(batch.labels)
    most = prices.begin + 3 * prices.sweep * (reach.n_orders > 1) + sum(prices.tiers[: reach.n_tiers - 1])
    return n * prices.begin * 1.05, n * most


def _whole(beta: np.ndarray, model: records.AdaptiveModel) -> np.ndarray:
    """Weights of all blocks: 0 for blocks that no trajectory has seen."""
    return np.concatenate([beta, np.zeros((len(model.alphas) - len(beta), beta.shape[1]))])


def _steps(rollouts: Sequence[records.ActionCourse]) -> q_policy.TrajectorySteps:
    starts = np.cumsum([0, *(len(rollout.row) for rollout in rollouts)])
    firsts = [rollout.starts[:-1] + begin for rollout, begin in zip(rollouts, starts)]
    return q_policy.TrajectorySteps(
        np.concatenate([rollout.features for rollout in rollouts]),
        np.concatenate([rollout.block for rollout in rollouts]),
        np.concatenate([rollout.gain for rollout in rollouts]).astype(np.float64),
        np.concatenate([*firsts, starts[-1:]]),
    )

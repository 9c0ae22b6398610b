"""Spend a budget on features that are computed only when they are bought.

Purchases on one sequence depend on the others only through the queue. So each sequence is run separately with
the known scores (`spcviz.learning.budgets.spending`), up to the first purchase whose scores are unknown: that
is its offer to the queue. The trajectory is that of a batch with all features computed.
"""

from collections.abc import Callable

import numpy as np

from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.world import Rule, Trajectory
from spcviz.spending.turns import Offer, spend_in_turns

_Step = tuple[int, int, float, float]
"""Part, tier, value and cost of a purchase."""

_HUGE, _PLENTY = 1e30, 1e18
"""Cost of a purchase that no longer fits, and a budget that covers everything else."""


class _Chain:
    """One sequence: its known scores, and its next purchase."""

    def __init__(self, world: Parts, rule: Rule, costs: np.ndarray) -> None:
        self.world, self.rule, self.real = world, rule, costs
        # If values do not depend on costs, unit costs end the run after one step that is not known yet.
        rule_costs = costs if rule.per_cost else np.ones_like(costs)
        self.costs = np.repeat(rule_costs[None], world.shape[0], axis=0)
        self.tiers = np.zeros(world.shape[0], dtype=np.int64)
        self.bought: list[_Step] = []
        # Unknown tiers repeat the known scores: a purchase that is not made changes nothing before it.
        self.scores = np.repeat(world.scores[:, :1], world.shape[1], axis=1)
        self.look()

    def look(self) -> None:
        """Run as far as scores are known."""
        world = self.world._replace(scores=np.ascontiguousarray(self.scores))
        n = len(self.bought)
        enough = _PLENTY if self.rule.per_cost else n + 1.0
        trajectory = part_policy.spend(world, self.rule, enough, self.costs, keep_all=True)
        self.labels = trajectory.all_labels[n - 1] if n else trajectory.labels_before
        self.is_done = n == len(trajectory.part)
        self.next = (0, 0, -np.inf, 0.0) if self.is_done else self._step(trajectory, n)

    def _step(self, trajectory: Trajectory, n: int) -> _Step:
        tier = int(trajectory.tier[n])
        return int(trajectory.part[n]), tier, float(trajectory.value[n]), float(self.real[tier - 1])

    @property
    def offer(self) -> Offer | None:
        """Value and cost of the next purchase."""
        return None if self.is_done else self.next[2:]

    @property
    def rest(self) -> float:
        """Cost of everything that it could still buy."""
        is_open = np.arange(len(self.real)) >= self.tiers[:, None]
        return float((np.where(self.costs < _HUGE, self.real, 0.0) * is_open).sum())

    def drop(self) -> None:
        """Drop the next purchase, which does not fit the budget any more and never will."""
        part, tier, _, _ = self.next
        self.costs[part, tier - 1 :] = _HUGE
        self.look()

    def buy(self, scores: np.ndarray) -> None:
        """Make the next purchase; scores (K,) of the part at its new tier."""
        part, tier, _, _ = self.next
        self.bought.append(self.next)
        self.tiers[part] = tier
        self.scores[part, tier:] = scores
        self.look()


def spend_lazily(
    world: Parts,
    rule: Rule,
    budget: float,
    costs: np.ndarray,
    compute: Callable[[list[tuple[int, int, int]]], np.ndarray],
    *,
    is_together: bool = False,
) -> tuple[np.ndarray, np.ndarray, float]:
    """(labels (R,), tiers (R,), amount spent) of Algorithm 5 on a batch; costs (T - 1,).

    Scores of tiers other than 0 are ignored: ``compute([(w, part, tier), ...])`` returns those (n, K) of
    parts of sequences w, once for each purchase: one after another in order, or all certain ones together;
    see `spcviz.spending.turns`.
    """
    chains = []
    for w in range(len(world.starts) - 1):
        sequence, rows = world.some(np.array([w]))
        fixed = rule._replace(fixed=rule.fixed[rows]) if len(rule.fixed) else rule
        chains.append(_Chain(sequence, fixed, costs))

    def buy(some: list[int]) -> None:
        scores = compute([(w, *chains[w].next[:2]) for w in some])
        for w, row in zip(some, scores):
            chains[w].buy(row)

    _, spent = spend_in_turns(chains, budget, buy, is_together=is_together)
    none = [np.zeros(0, dtype=np.int64)]
    labels = np.concatenate([*none, *(chain.labels for chain in chains)])
    return labels, np.concatenate([*none, *(chain.tiers for chain in chains)]), spent

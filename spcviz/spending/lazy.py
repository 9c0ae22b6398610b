"""Spend a budget on features that are computed only when bought, in turns or many at once.

The queue is that of Algorithm 5: the sequence with the most valuable offer buys next, and its following offer
is known only once that purchase has been computed. Purchases on one sequence depend on the others only
through the queue. So each sequence is run separately with the known scores
(`spcviz.learning.budgets.spending`), up to the first purchase whose scores are unknown: that is its offer to
the queue. The trajectory is that of a batch with all features computed.

Computing is expensive if a function calls a server or runs a neural network, and then many at once cost
little more than one. So offers that are *certain* are bought together: those that will be bought whatever the
other offers turn out to be. Nothing is computed that is not paid for, and the purchases are those of the
queue, in its order.

An offer is certain if the budget covers everything that could be bought before it. Before an offer of value
v, a sequence buys only what comes before its first offer below v; after an offer of at least v that is not
computed yet, anything is possible.
"""

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.world import Rule, Trajectory

_SLACK = 1 + 1e-9
"""Costs are summed in a different order than in the queue; an offer that fits by less is not certain."""

Offer = tuple[float, float]
"""Value and cost of a sequence's next purchase."""

_Step = tuple[int, int, float, float]
"""Part, tier, value and cost of a purchase."""

_HUGE, _PLENTY = 1e30, 1e18
"""Cost of a purchase that no longer fits, and a budget that covers everything else."""


class QueuedSequence(Protocol):
    """A sequence in the queue."""

    @property
    def offer(self) -> Offer | None:
        """The next purchase; None if there is none left."""

    @property
    def rest(self) -> float:
        """Cost of everything that it could still buy, including the offer."""

    def drop(self) -> None:
        """Drop the offer, which does not fit the budget any more and never will."""


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
    parts of sequences w, once for each purchase: one after another in order, or all certain ones together
    (`is_together`).
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


def spend_in_turns(
    lines: Sequence[QueuedSequence], budget: float, buy: Callable[[list[int]], None], *, is_together: bool
) -> tuple[list[int], float]:
    """(number of the sequence of each purchase, in order; the amount spent).

    Parameters
    ----------
    lines : sequence of QueuedSequence
    budget : float
    buy : callable
        Buys the offers of the sequences whose numbers it is given; each then has its next offer.
    is_together : bool
        Whether all certain offers are bought at once; else one after another.
    """
    early: list[deque[Offer]] = [deque() for _ in lines]  # bought before their place in the queue

    def head(w: int) -> Offer | None:
        return early[w][0] if early[w] else lines[w].offer

    queue = [(-offer[0], w, offer[1]) for w, line in enumerate(lines) if (offer := line.offer) is not None]
    heapq.heapify(queue)
    order: list[int] = []
    spent = 0.0
    while spent < budget and queue:
        _, w, cost = heapq.heappop(queue)
        if not early[w] and cost > budget - spent:
            lines[w].drop()
        else:
            if not early[w]:
                chosen = sorted({w, *(certain(lines, early, budget - spent) if is_together else ())})
                for v in chosen:
                    early[v] += [offer for offer in (lines[v].offer,) if offer is not None]
                buy(chosen)
            early[w].popleft()
            order.append(w)
            spent += cost
        if (offer := head(w)) is not None:
            heapq.heappush(queue, (-offer[0], w, offer[1]))
    return order, spent


def certain(lines: Sequence[QueuedSequence], early: Sequence[Sequence[Offer]], left: float) -> list[int]:
    """Numbers of the sequences whose offer will be bought, whatever the other offers turn out to be.

    Parameters
    ----------
    lines : sequence of QueuedSequence
    early : sequence of sequences of Offer
        For each sequence, the purchases made before their place in the queue.
    left : float
        The remaining budget, before any of these.
    """
    w = np.array([i for i, line in enumerate(lines) if line.offer is not None], dtype=np.int64)
    offers = np.array([lines[i].offer for i in w]).reshape(-1, 2)
    least = [np.minimum.accumulate([value for value, _ in some]) for some in early if some]
    bought_least = np.concatenate([np.zeros(0), *least])
    bought_cost = np.array([cost for some in early for _, cost in some])
    ends = {i: part[-1] for i, part in zip((i for i, some in enumerate(early) if some), least)}
    value = np.minimum(offers[:, 0], [ends.get(i, np.inf) for i in w.tolist()])
    rest = np.array([lines[i].rest for i in w])
    before = _sum_of_higher(bought_least, bought_cost, value) + _sum_of_higher(value, rest, value) - rest
    return w[(before + offers[:, 1]) * _SLACK <= left].tolist()


def _sum_of_higher(values: np.ndarray, costs: np.ndarray, than: np.ndarray) -> np.ndarray:
    """For each entry of `than`, the sum of the costs whose value is at least as high.

    >>> _sum_of_higher(np.array([1.0, 3.0, 2.0]), np.array([10.0, 5.0, 1.0]), np.array([2.0, 9.0])).tolist()
    [6.0, 0.0]
    """
    order = np.argsort(-values, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(costs[order])])
    return sums[np.searchsorted(-values[order], -than, side="right")]

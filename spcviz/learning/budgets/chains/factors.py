r"""A world of chains whose letters and steps are bought separately: one action per factor (thesis (7.12)).

For position i of `Parts`, part 2 i is its own scores and part 2 i + 1 the step into it; each has its own
tier, :math:`z = [z_u\ z_e]`. A chain's first position has no step.

Chains share nothing but the budget. So Algorithm 5 runs on each chain alone, to the end, and the queue is the
merge of these trajectories: the chain whose next purchase is worth most takes its next step.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.quiescent import fill_messages, pass_on
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import inlined_kernel, kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.learning.budgets.chains.actions import (
    LONGEST,
    State,
    at_tiers,
    describe_action,
    n_features,
    read_off,
    state_at,
)
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.world import Rule, Trajectory

_NOTHING = np.zeros((0, 0), dtype=np.int64)


class Factors(NamedTuple):
    """The `World` of a batch of chains whose steps are bought separately."""

    parts: Parts  # ``parts.step`` [r, t] is the table of the step into r when the step is at tier t

    @property
    def shape(self) -> tuple[int, int]:
        """(2 R, T)."""
        rows, n_tiers = self.parts.shape
        return 2 * rows, n_tiers

    @property
    def starts(self) -> np.ndarray:
        """First part of each chain, shape (W + 1,)."""
        return 2 * self.parts.starts

    def costs(self) -> np.ndarray:
        """One unit per tier of every letter and every step, 0 where there is no step: (2 R, T - 1)."""
        rows, n_tiers = self.shape
        costs = np.ones((rows, n_tiers - 1))
        costs[2 * self.parts.starts[:-1] + 1] = 0.0
        return costs

    def some(self, chosen: np.ndarray) -> tuple["Factors", np.ndarray]:
        """Some chains, in the order chosen, and the indices that their parts have here."""
        parts, rows = self.parts.some(chosen)
        return Factors(parts), (2 * rows[:, None] + np.arange(2)).ravel()

    def loss_of(self, labels: np.ndarray) -> int:
        """Summed loss if positions are read as ``labels``, shape (R,)."""
        return self.parts.loss_of(labels)

    def spend(
        self,
        rule: Rule,
        costs: np.ndarray,
        budget: float,
        keep_features: bool = False,
        keep_all: bool = False,
    ) -> Trajectory:
        """Algorithm 5 to the end: a `Trajectory`.

        A step's tiers count from T on, because they have their own weights: ``rule.beta`` has 2 (T - 1) rows
        and one column more than for letters alone, the tier of the other factor at the position. An
        ArgumentError if the rule buys all tiers at once or by value per cost, the budget does not cover
        everything, or values of all parts are to be kept.
        """
        if keep_all or rule.all_at_once or rule.per_cost or budget < costs.sum():
            raise ArgumentError("steps apart are bought tier by tier, by value, to the end")
        courses = _courses(self.parts, rule, keep_features)
        part, tier, value, gain, messages, first, last, features, before, labels, tiers = courses
        n_steps = np.diff(self.starts - np.arange(len(self.starts))) * (self.shape[1] - 1)
        order = merge_queues(value, np.concatenate([[0], np.cumsum(n_steps)]))
        kind = (tier - 1) // (self.shape[1] - 1)
        cost = costs[part, tier - 1 - kind * (self.shape[1] - 1)][order]
        kept = features[order] if keep_features else features
        return Trajectory(
            part[order], tier[order], value[order], cost, gain[order], messages[order], first[order],
            last[order], kept, before, labels, tiers, _NOTHING, _NOTHING,
        )  # fmt: skip


def merge_queues(value: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The order (S,) in which a queue takes the steps of sequences: always the largest next value.

    Sequence w has the values ``starts[w] : starts[w + 1]``; ties go to the first sequence.

    Examples
    --------
    >>> merge_queues(np.array([1.0, 9.0, 3.0, 2.0]), np.array([0, 2, 4])).tolist()
    [2, 3, 0, 1]
    """
    return _build_heap(np.asarray(value, dtype=np.float64), np.asarray(starts, dtype=np.int64))


@kernel
def _build_heap(value: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Merge by a heap of sequences, with the one whose next value is largest at its root."""
    heap, at, n = np.empty(len(starts) - 1, np.int64), starts[:-1].copy(), 0
    for w in range(len(at)):
        if at[w] < starts[w + 1]:
            heap[n] = w
            n += 1
    for root in range(n // 2 - 1, -1, -1):
        _sink(heap, n, root, value, at)
    order = np.empty(len(value), np.int64)
    s = 0
    while n > 0:
        w = heap[0]
        order[s] = at[w]
        s, at[w] = s + 1, at[w] + 1
        if at[w] == starts[w + 1]:
            n -= 1
            heap[0] = heap[n]
        _sink(heap, n, 0, value, at)
    return order[:s]


@inlined_kernel
def _sink(heap: np.ndarray, n: int, root: int, value: np.ndarray, at: np.ndarray) -> None:
    """Restore the heap below its root; of equal values the first sequence is above."""
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and _is_above(heap[child + 1], heap[child], value, at):
            child += 1
        if not _is_above(heap[child], heap[root], value, at):
            return
        heap[child], heap[root] = heap[root], heap[child]
        root = child


@inlined_kernel
def _is_above(w: int, other: int, value: np.ndarray, at: np.ndarray) -> bool:
    mine, theirs = value[at[w]], value[at[other]]
    return mine > theirs or (mine == theirs and w < other)


@kernel
def _value(
    parts: Parts, rule: Rule, state: State, steps_at: np.ndarray, part: int, a: int, b: int, phi: np.ndarray
) -> float:
    """Value of the next action of a part of chain a .. b - 1; phi gets its features."""
    i, is_step = part // 2, part % 2
    n_more, width = parts.scores.shape[1] - 1, len(phi) - 1
    tier, other = (steps_at[i], state.at[i]) if is_step else (state.at[i], steps_at[i])
    describe_action(parts, state, i, a, b, phi[:width])
    phi[width] = other / n_more
    if len(rule.fixed):
        return rule.fixed[part, tier]
    value = 0.0
    for d in range(len(phi)):
        value += rule.beta[n_more * is_step + tier, d] * phi[d]
    return value


@kernel
def _courses(parts: Parts, rule: Rule, keep_features: bool) -> tuple[np.ndarray, ...]:
    """Every chain's own trajectory, one after the other; see `Trajectory`."""
    n_rows, n_tiers, _ = parts.scores.shape
    n_chains, n_more = len(parts.starts) - 1, n_tiers - 1
    most = (2 * n_rows - n_chains) * n_more
    part, tier, value = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.float64)
    gain, messages = np.empty(most, np.int64), np.empty(most, np.int64)
    first, last = np.empty(most, np.int64), np.empty(most, np.int64)
    phi = np.empty(n_features(parts) + 1, np.float64)
    features = np.empty((most if keep_features else 0, len(phi)), np.float64)
    at, steps_at = fill_new(n_rows, np.int64, 0), fill_new(n_rows, np.int64, 0)
    unary, into = at_tiers(parts, at)
    state = state_at(at, unary)
    forward, backward, labels = state.forward, state.backward, state.labels
    values = fill_new(2 * n_rows, np.float64, -np.inf)
    before = np.empty(n_rows, np.int64)
    s = 0
    for w in range(n_chains):
        a, b = parts.starts[w], parts.starts[w + 1]
        steps_at[a] = n_more
        fill_messages(unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b])
        lo, hi = a, b - 1
        for n in range((2 * (b - a) - 1) * n_more + 1):
            read_off(parts, state, a, b, lo, hi)
            if n == 0:
                before[a:b] = labels[a:b]
            else:
                for i in range(lo, hi + 1):
                    gain[s - 1] -= parts.loss[i, labels[i]]
            if n == (2 * (b - a) - 1) * n_more:
                break
            for i in range(larger_of(a, lo - LONGEST + 1), smaller_of(b, hi + LONGEST)):
                for p in range(2 * i, 2 * i + 2):
                    is_sold = (steps_at[i] if p % 2 else at[i]) == n_more
                    fresh = rule.refreshed or n == 0 or p == part[s - 1]
                    if is_sold:
                        values[p] = -np.inf
                    elif fresh:
                        values[p] = _value(parts, rule, state, steps_at, p, a, b, phi)
            best = 2 * a
            for p in range(2 * a, 2 * b):
                if values[p] > values[best]:
                    best = p
            i = best // 2
            if keep_features:
                _value(parts, rule, state, steps_at, best, a, b, features[s])
            part[s], value[s] = best, values[best]
            if best % 2:
                steps_at[i] += 1
                into[i] = parts.step[i, steps_at[i]]
                tier[s] = n_more + steps_at[i]
            else:
                at[i] += 1
                unary[i] = parts.scores[i, at[i]]
                tier[s] = at[i]
            lo, hi, messages[s] = pass_on(
                unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b],
                i - a, rule.tolerance, rule.by_margin,
            )  # fmt: skip
            lo, hi = a + lo, a + hi
            first[s], last[s], gain[s] = lo, hi, 0
            for j in range(lo, hi + 1):
                gain[s] += parts.loss[j, labels[j]]
            s += 1
    tiers = np.empty(2 * n_rows, np.int64)
    tiers[::2], tiers[1::2] = at, steps_at
    return part, tier, value, gain, messages, first, last, features, before, labels, tiers

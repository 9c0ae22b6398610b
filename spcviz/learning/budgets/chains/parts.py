"""A world of chains whose positions are bought one by one, with the kernels of Algorithm 5 for it.

A batch of chains (examples) has R positions (parts) in all, each at a tier 0 .. T - 1. An action lifts
one part by one tier: its states get other scores, and the step into it another table.
Algorithm 5 repeatedly takes the most valuable action of the whole batch that still fits the budget.
Messages are passed by quiescent inference, so most of an example stays as it was, and so do the
values of most of its actions. `losses_if` and `describe_parts` evaluate tiers that no trajectory has reached.
"""

from typing import NamedTuple, Self

import numpy as np

from spcviz.engine.chains.quiescent import fill_messages, pass_on
from spcviz.engine.kernels.jit import inlined_kernel, kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import copy
from spcviz.learning.budgets import spending
from spcviz.learning.budgets.chains.actions import (
    LONGEST,
    PartArrays,
    State,
    at_tiers,
    describe_action,
    n_features,
    read_off,
    state_at,
    value_of,
)
from spcviz.learning.budgets.spending import KINDS, Kind
from spcviz.learning.budgets.world import Rule, Trajectory, some_rows


class Parts(PartArrays):
    """A batch of chains at all tiers."""

    @property
    def shape(self) -> tuple[int, int]:
        """(R, T)."""
        return self.scores.shape[:2]

    def some(self, chosen: np.ndarray) -> tuple[Self, np.ndarray]:
        """Some chains, in the order chosen, and the indices that their parts have here; tables stay."""
        starts, rows = some_rows(self.starts, chosen)
        some = self._replace(
            scores=np.ascontiguousarray(self.scores[rows]),
            step=self.step[rows],
            starts=starts,
            loss=self.loss[rows],
            looks=self.looks[rows],
            places=self.places[rows],
        )
        return some, rows

    def loss_of(self, labels: np.ndarray) -> int:
        """Summed loss if parts are read as ``labels``, shape (R,)."""
        return self.loss[np.arange(len(self.loss)), labels].sum()

    def spend(
        self,
        rule: Rule,
        costs: np.ndarray,
        budget: float,
        keep_features: bool = False,
        keep_all: bool = False,
    ) -> Trajectory:
        """Algorithm 5: a `Trajectory`; arguments as in `spcviz.learning.budgets.spending.trajectory_of`."""
        return spending.trajectory_of(self, rule, costs, budget, keep_features, keep_all)

    def describe(self, tiers: np.ndarray) -> np.ndarray:
        """Features of every part's next action when parts are at the given tiers, shape (R, D)."""
        return describe_parts(self, tiers)

    def losses_if(self, tiers: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loss of every chain at the given tiers, and, for every part, with that part alone changed."""
        return losses_if(self, tiers, targets)


def no_looks(n_rows: int) -> np.ndarray:
    """`Parts.looks` or `Parts.places` of states that have none."""
    return np.zeros((n_rows, 0, 0), dtype=np.float32)


def typical_margin(max_marginals: np.ndarray) -> float:
    """Median difference of the best two states over rows of (R, K) max-marginals, at least 1e-9.

    Margins are compared with it (`Parts.scale`). Rows with only one possible state are left out.

    Examples
    --------
    >>> typical_margin(np.array([[1.0, 3.0, 0.0], [5.0, 1.0, 0.0], [2.0, -np.inf, -np.inf]]))
    3.0
    """
    best = np.sort(max_marginals, axis=1)[:, -2:]
    best = best[np.isfinite(best).all(axis=1)]
    return max(float(np.median(best[:, 1] - best[:, 0])), 1e-9) if len(best) else 1.0


@kernel
def losses_if(parts: PartArrays, tiers: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Loss of every chain (W,), loss (R,) of part r's chain if r alone moves to ``targets[r]``), both int64.

    Where tiers and targets agree the loss stays the same.
    """
    unary, into = at_tiers(parts, tiers)
    n_rows, n_states = unary.shape
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    base, moved = fill_new(len(parts.starts) - 1, np.int64, 0), fill_new(n_rows, np.int64, 0)
    for w in range(len(base)):
        a, b = parts.starts[w], parts.starts[w + 1]
        fill_messages(unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b])
        lost = np.empty(b - a, np.int64)
        for i in range(a, b):
            lost[i - a] = parts.loss[i, _best_state(forward[i], backward[i])]
            base[w] += lost[i - a]
        ahead, behind = np.empty((b - a, n_states), np.float64), np.empty((b - a, n_states), np.float64)
        for r in range(a, b):
            moved[r] = base[w]
            if targets[r] == tiers[r]:
                continue
            # Messages are passed on from r exactly, as far as they change: a part costs the positions they
            # change, not its whole chain.
            ahead[:], behind[:] = forward[a:b], backward[a:b]
            unary[r], into[r] = parts.scores[r, targets[r]], parts.step[r, targets[r]]
            lo, hi, _ = pass_on(
                unary[a:b], parts.pairwise, parts.transposed, into[a:b], ahead, behind, r - a, 0.0, False
            )
            for i in range(lo, hi + 1):
                moved[r] += parts.loss[a + i, _best_state(ahead[i], behind[i])] - lost[i]
            # Each part is tried alone.
            unary[r], into[r] = parts.scores[r, tiers[r]], parts.step[r, tiers[r]]
    return base, moved


@kernel
def describe_parts(parts: PartArrays, tiers: np.ndarray) -> np.ndarray:
    """Features of lifting every part from its tier, see `actions`: shape (R, D)."""
    unary, into = at_tiers(parts, tiers)
    state = state_at(tiers, unary)
    forward, backward = state.forward, state.backward
    out = np.empty((len(unary), n_features(parts)), np.float64)
    for w in range(len(parts.starts) - 1):
        a, b = parts.starts[w], parts.starts[w + 1]
        fill_messages(unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b])
        read_off(parts, state, a, b, a, b - 1)
        for r in range(a, b):
            describe_action(parts, state, r, a, b, out[r])
    return out


@kernel
def _best_state(forward: np.ndarray, backward: np.ndarray) -> int:
    best, arg = -np.inf, 0
    for k in range(len(forward)):
        if forward[k] + backward[k] > best:
            best, arg = forward[k] + backward[k], k
    return arg


class PartsScratch(NamedTuple):
    """Working memory during spending: `State`, the table of the step into each part, and buffers."""

    tiers: np.ndarray
    labels: np.ndarray
    phi: np.ndarray
    into: np.ndarray
    state: State


@kernel
def _begin(parts: Parts, rule: Rule, keep_features: bool) -> PartsScratch:
    tiers = fill_new(len(parts.scores), np.int64, 0)
    unary, into = at_tiers(parts, tiers)
    state = state_at(tiers, unary)
    for w in range(len(parts.starts) - 1):
        a, b = parts.starts[w], parts.starts[w + 1]
        fill_messages(
            unary[a:b], parts.pairwise, parts.transposed, into[a:b], state.forward[a:b], state.backward[a:b]
        )
        read_off(parts, state, a, b, a, b - 1)
    return PartsScratch(tiers, state.labels, np.empty(n_features(parts), np.float64), into, state)


@inlined_kernel
def _value(
    parts: Parts, scratch: PartsScratch, rule: Rule, i: int, j: int, a: int, b: int, values: np.ndarray
) -> None:
    state, phi = scratch.state, scratch.phi
    for r in range(i, j):
        if values[r] > -np.inf:
            values[r] = value_of(parts, rule, state, r, a, b, phi)


@kernel
def _describe(parts: Parts, scratch: PartsScratch, r: int, a: int, b: int, out: np.ndarray) -> None:
    describe_action(parts, scratch.state, r, a, b, out)


@inlined_kernel
def _buy(
    parts: Parts, scratch: PartsScratch, rule: Rule, w: int, r: int, tier: int
) -> tuple[int, int, int, int, int]:
    """Pass messages on from the change; windows of labels reach beyond the positions read again."""
    state, into, labels = scratch.state, scratch.into, scratch.labels
    a, b = parts.starts[w], parts.starts[w + 1]
    scratch.tiers[r] = tier
    copy(parts.scores[r, tier], state.unary[r])
    into[r] = parts.step[r, tier]
    lo, hi, count = pass_on(
        state.unary[a:b], parts.pairwise, parts.transposed, into[a:b], state.forward[a:b],
        state.backward[a:b], r - a, rule.tolerance, rule.by_margin,
    )  # fmt: skip
    lo, hi = a + lo, a + hi
    saved = 0
    for i in range(lo, hi + 1):
        saved += parts.loss[i, labels[i]]
    read_off(parts, state, a, b, lo, hi)
    for i in range(lo, hi + 1):
        saved -= parts.loss[i, labels[i]]
    return lo, hi, LONGEST - 1, count, saved


KINDS[Parts] = Kind(_begin, _value, _describe, _buy)

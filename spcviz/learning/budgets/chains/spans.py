r"""A world of chains whose positions are bought in spans: an action lifts several in a row by one tier.

A chain of n positions is cut into ceil(n / s) spans of at most s, as equal as possible: s = 1 gives single
positions (`Parts`), s >= n the whole chain. An action's features are the sum of those of its positions,

.. math:: \beta \cdot \phi(\mathrm{span}) = \sum_{i \in \mathrm{span}} \beta \cdot \phi(i),

so the same code learns and follows policies as for single positions. Purchases, values and
labels for s = 1 are those of `Parts` to the last bit.
"""

from typing import NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.kernels.jit import inlined_kernel, kernel
from spcviz.learning.budgets import spending
from spcviz.learning.budgets.chains.parts import Parts, PartsScratch
from spcviz.learning.budgets.spending import KINDS, Kind
from spcviz.learning.budgets.world import Rule, Trajectory, some_rows

WHOLE = 2**31 - 1
"""A length that no chain exceeds, so each chain is one span."""


class Spans(NamedTuple):
    """The `World` of a batch of chains bought in spans: its parts are spans, its labels are of positions."""

    parts: Parts
    starts: np.ndarray  # (W + 1,) int64: first span of each chain
    first: np.ndarray  # (S + 1,) int64: first position of each span
    span: np.ndarray  # (R,) int64: which span each position is in

    @property
    def shape(self) -> tuple[int, int]:
        """(S, T)."""
        return len(self.first) - 1, self.parts.shape[1]

    def costs(self, of_positions: np.ndarray) -> np.ndarray:
        """Costs of spans' next tier, (S, T - 1), from those of positions, (R, T - 1)."""
        return np.add.reduceat(of_positions, self.first[:-1])

    def some(self, chosen: np.ndarray) -> tuple[Self, np.ndarray]:
        """Some chains, in the order chosen, and the indices that their spans have here."""
        parts, _ = self.parts.some(chosen)
        starts, rows = some_rows(self.starts, chosen)
        return type(self)(parts, starts, *_lay_spans(np.diff(self.first)[rows])), rows

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
        """Algorithm 5: a `Trajectory`; arguments as in `spcviz.learning.budgets.spending.trajectory_of`."""
        return spending.trajectory_of(self, rule, costs, budget, keep_features, keep_all)


def in_spans(parts: Parts, length: int) -> Spans:
    """Chains in spans of at most ``length`` positions; an `ArgumentError` if that is below 1.

    Examples
    --------
    >>> sizes_of(np.array([10, 3]), 4).tolist()
    [4, 3, 3, 3]
    """
    length, lengths = checks.integer("length", length, 1, WHOLE), np.diff(parts.starts)
    starts = np.concatenate([[0], np.cumsum(_counts(lengths, length))])
    return Spans(parts, starts, *_lay_spans(sizes_of(lengths, length)))


def sizes_of(lengths: np.ndarray, length: int) -> np.ndarray:
    """Number of positions in each span of chains of these lengths, chain by chain, longer spans first."""
    counts = _counts(lengths, length)
    chain = np.repeat(np.arange(len(lengths)), counts)
    place = np.arange(len(chain)) - (np.cumsum(counts) - counts)[chain]
    return lengths[chain] // counts[chain] + (place < (lengths % counts)[chain])


def _counts(lengths: np.ndarray, length: int) -> np.ndarray:
    return -(-lengths // length)


def _lay_spans(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`Spans.first` and `Spans.span` of spans that lie end to end."""
    return np.concatenate([[0], np.cumsum(sizes)]), np.repeat(np.arange(len(sizes)), sizes)


class SpansScratch(NamedTuple):
    """Working memory during spending: that of the positions, tiers of spans, and buffers."""

    tiers: np.ndarray  # (S,)
    labels: np.ndarray  # (R,)
    phi: np.ndarray  # (D,)
    positions: PartsScratch
    values: np.ndarray  # (R,) of positions' actions


@kernel
def _begin(world: Spans, rule: Rule, keep_features: bool) -> SpansScratch:
    positions = spending.begin(world.parts, rule, keep_features)
    tiers, values = np.zeros(len(world.first) - 1, np.int64), np.zeros(len(world.span))
    return SpansScratch(tiers, positions.labels, np.empty_like(positions.phi), positions, values)


@inlined_kernel
def _value(
    world: Spans, scratch: SpansScratch, rule: Rule, i: int, j: int, a: int, b: int, values: np.ndarray
) -> None:
    first = world.first
    for s in range(i, j):
        if values[s] > -np.inf:
            spending.value(
                world.parts,
                scratch.positions,
                rule,
                first[s],
                first[s + 1],
                first[a],
                first[b],
                scratch.values,
            )
            worth = 0.0
            for r in range(first[s], first[s + 1]):
                worth += scratch.values[r]
            values[s] = worth


@kernel
def _describe(world: Spans, scratch: SpansScratch, s: int, a: int, b: int, out: np.ndarray) -> None:
    first = world.first
    out[:] = 0.0
    for r in range(first[s], first[s + 1]):
        spending.describe(world.parts, scratch.positions, r, first[a], first[b], scratch.phi)
        for d in range(len(out)):
            out[d] += scratch.phi[d]


@inlined_kernel
def _buy(
    world: Spans, scratch: SpansScratch, rule: Rule, w: int, s: int, tier: int
) -> tuple[int, int, int, int, int]:
    """Lift the span's positions one after another; whatever changes is read and valued again."""
    first, span = world.first, world.span
    begin, end = world.parts.starts[w], world.parts.starts[w + 1]
    scratch.tiers[s] = tier
    lo, hi, left, right, count, saved = first[s], first[s], first[s], first[s], 0, 0
    for r in range(first[s], first[s + 1]):
        low, high, reach, passed, gained = spending.buy(world.parts, scratch.positions, rule, w, r, tier)
        lo, hi = min(lo, low), max(hi, high)
        left, right = min(left, max(low - reach, begin)), max(right, min(high + reach, end - 1))
        count += passed
        saved += gained
    return span[lo], span[hi], max(span[lo] - span[left], span[right] - span[hi]), count, saved


KINDS[Spans] = Kind(_begin, _value, _describe, _buy)

"""Build lattices from the survivors of many filtered chains, a few chains at a time.

Only the surviving n-grams are stored, 16 bytes each. The lattice of the next order, which needs several
times that for each arc while a model is trained on it, exists for as many chains as `MOST_ARCS` allows.
No result depends on their number.
"""

import itertools
from typing import NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import Lattice, extend, extended_size, path_of
from spcviz.learning.cascade.features import Features
from spcviz.learning.cascade.problem import Problem, prepare
from spcviz.learning.chains import rows as layouts

MOST_ARCS = 1 << 19
"""Arcs built at a time (more only for a single chain). With 16 times as many, a cascade of order 3 on 45
tags trains a third longer and takes twice the memory."""


class Space(NamedTuple):
    """The n-grams of one order that filters have left, as their (n - 1)-grams."""

    survivors: Lattice  # of order n - 1, all of whose arcs have survived
    features: Features
    labels: np.ndarray  # (R,) int64
    forbidden: np.ndarray | None = None  # (K, K) bool: pairs that are left out where n is 2

    @property
    def n_examples(self) -> int:
        return len(self.survivors.order)

    def batches(self, chosen: np.ndarray) -> list[np.ndarray]:
        """The chosen examples in their order, in runs that may be built at a time; at least one run."""
        sizes = extended_size(self.survivors, np.ones(self.survivors.n_arcs, dtype=bool))[chosen]
        ends, starts = np.cumsum(sizes), [0]
        while starts[-1] < len(chosen):
            begin = starts[-1]
            limit = MOST_ARCS + (ends[begin - 1] if begin else 0)
            starts.append(max(int(np.searchsorted(ends, limit, side="right")), begin + 1))
        return [chosen[a:b] for a, b in itertools.pairwise(starts)] or [chosen]

    def lattice(self, chosen: np.ndarray) -> Lattice:
        """The n-grams of the chosen examples."""
        shorter = take_examples(self.survivors, chosen)
        grown = extend(shorter, np.ones(shorter.n_arcs, dtype=bool))
        return grown if self.forbidden is None else without(grown, self.forbidden)

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """Rows of the chosen examples, in their order."""
        row_start = self.survivors.row_start
        return layouts.ranges(row_start[chosen], np.diff(row_start)[chosen])

    def problem(self, chosen: np.ndarray) -> Problem:
        """The training problem of the chosen examples."""
        rows = self.rows(chosen)
        return prepare(self.lattice(chosen), layouts.take_rows(self.features, rows), self.labels[rows])

    def has_truth(self) -> np.ndarray:
        """Which examples have all their true n-grams left, (W,) bool."""
        path = path_of(self.survivors, self.labels)
        return np.logical_and.reduceat(path >= 0, self.survivors.col_start[:-1])


def without(lattice: Lattice, forbidden: np.ndarray) -> Lattice:
    """A lattice of pairs (and single states) without those that are forbidden, (K, K) bool."""
    bits, key = lattice.bits, lattice.arc_key
    is_pair = np.repeat(lattice.order > 1, np.diff(lattice.example_start))
    before, after = (key >> bits) - 1, (key & (1 << bits) - 1) - 1
    return extend(lattice, ~(is_pair & forbidden[before, after]), grow=False)


def take_examples(lattice: Lattice, chosen: np.ndarray) -> Lattice:
    """Some examples of a lattice, in the order chosen.

    Examples
    --------
    >>> from spcviz.engine.ngrams.lattice import unigrams
    >>> take_examples(unigrams([1, 2], 3), np.array([1])).row_start.tolist()
    [0, 2]
    """
    n = len(lattice.order)
    if len(chosen) == n and np.array_equal(chosen, np.arange(n)):
        return lattice
    first, n_columns = lattice.col_start[chosen], np.diff(lattice.col_start)[chosen]
    columns = layouts.ranges(first, n_columns)
    example_start = lattice.example_start
    n_arcs = np.diff(example_start)[chosen]
    arcs = layouts.ranges(example_start[chosen], n_arcs)
    node_columns = layouts.ranges(first + chosen, n_columns + 1)
    node_start = _starts(np.diff(lattice.node_start)[node_columns])
    first_nodes = node_start[_starts(n_columns + 1)[:-1]]
    shift = np.repeat((first_nodes - lattice.node_start[first + chosen]).astype(np.int32), n_arcs)
    return Lattice(
        lattice.n_states,
        lattice.bits,
        lattice.order[chosen],
        _starts(np.diff(lattice.row_start)[chosen]),
        _starts(n_columns),
        _starts(np.diff(lattice.arc_start)[columns]),
        node_start,
        lattice.arc_tail[arcs] + shift,
        lattice.arc_head[arcs] + shift,
        lattice.arc_key[arcs],
    )


def join_lattices(lattices: list[Lattice]) -> Lattice:
    """The examples of several lattices, one lattice after another."""
    if len(lattices) == 1:
        return lattices[0]

    def starts(name: str) -> np.ndarray:
        return _starts(np.concatenate([np.diff(getattr(lattice, name)) for lattice in lattices]))

    nodes = _starts(np.array([lattice.node_start[-1] for lattice in lattices])).astype(np.int32)
    return Lattice(
        lattices[0].n_states,
        lattices[0].bits,
        np.concatenate([lattice.order for lattice in lattices]),
        starts("row_start"),
        starts("col_start"),
        starts("arc_start"),
        starts("node_start"),
        np.concatenate([lattice.arc_tail + shift for lattice, shift in zip(lattices, nodes)]),
        np.concatenate([lattice.arc_head + shift for lattice, shift in zip(lattices, nodes)]),
        np.concatenate([lattice.arc_key for lattice in lattices]),
    )


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

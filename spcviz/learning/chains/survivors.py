"""Survivors of filtered chains: states that a pair model leaves, and lattices built from them.

A pair model filters single states, with a cap on the pairs of those that are left (`states_left`). Of every
later level only the surviving n-grams are stored, 16 bytes each. The lattice of the next order (`Space`),
which needs several times that for each arc while a model is trained on it, exists for as many chains as
`MOST_ARCS` allows. No result depends on their number.
"""

import itertools
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import marginals_batch
from spcviz.engine.kernels.jit import strict_kernel
from spcviz.engine.ngrams.lattice import Lattice, extend, extended_size, path_of
from spcviz.engine.thresholds import filtering
from spcviz.engine.thresholds.rules import at_first, break_points, checked_rule, way_at_first
from spcviz.learning.cascade.features import Features
from spcviz.learning.cascade.letters_first import keep_states
from spcviz.learning.cascade.problem import LevelProblem, prepare
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import forbid

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
        shorter = take_lattices(self.survivors, chosen)
        grown = extend(shorter, np.ones(shorter.n_arcs, dtype=bool))
        return grown if self.forbidden is None else without(grown, self.forbidden)

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """Rows of the chosen examples, in their order."""
        row_start = self.survivors.row_start
        return layouts.ranges(row_start[chosen], np.diff(row_start)[chosen])

    def problem(self, chosen: np.ndarray) -> LevelProblem:
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


def take_lattices(lattice: Lattice, chosen: np.ndarray) -> Lattice:
    """Some examples of a lattice, in the order chosen.

    Examples
    --------
    >>> from spcviz.engine.ngrams.lattice import unigrams
    >>> take_lattices(unigrams([1, 2], 3), np.array([1])).row_start.tolist()
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
    node_start = checks.starts(np.diff(lattice.node_start)[node_columns])
    first_nodes = node_start[checks.starts(n_columns + 1)[:-1]]
    shift = np.repeat((first_nodes - lattice.node_start[first + chosen]).astype(np.int32), n_arcs)
    return Lattice(
        lattice.n_states,
        lattice.bits,
        lattice.order[chosen],
        checks.starts(np.diff(lattice.row_start)[chosen]),
        checks.starts(n_columns),
        checks.starts(np.diff(lattice.arc_start)[columns]),
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
        return checks.starts(np.concatenate([np.diff(getattr(lattice, name)) for lattice in lattices]))

    nodes = checks.starts(np.array([lattice.node_start[-1] for lattice in lattices])).astype(np.int32)
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


class StateValues(NamedTuple):
    """For examples one after another: max-marginals, the best labelling and its score."""

    values: np.ndarray  # (R, K) -inf where no labelling goes through a state; for "probability" its share
    best: np.ndarray  # (R,) int64
    scores: np.ndarray  # (W,) -inf where an example has no labelling
    row_start: np.ndarray  # (W + 1,) int64
    rule: str = "mean_max"

    @property
    def starts(self) -> np.ndarray:
        """Where each example's values begin among all of them, and the end."""
        return self.row_start * self.values.shape[1]

    def points(self) -> np.ndarray:
        """The setting from which each state is pruned, (R, K); nothing has been filtered before."""
        flat = break_points(at_first(self.rule), self.values.reshape(-1), self.starts)
        return flat.reshape(self.values.shape)

    def gaps(self) -> np.ndarray:
        """Best less mean of each example, (W,): the unit of "mean_max_first" at later levels."""
        limits = filtering.threshold_batch(self.values.reshape(-1), self.starts, 0.0)
        return limits.best - limits.mean


def state_values(
    unary: np.ndarray,
    row_start: np.ndarray,
    pairwise: np.ndarray,
    forbidden: np.ndarray | None = None,
    rule: str = "mean_max",
) -> StateValues:
    """Evaluate states by a pair model: unary (R, K), pairwise (K, K).

    Writes to unary scores where states are forbidden, (3, K, K) as in `crf.loss_and_gradient`.
    """
    if forbidden is not None:
        forbid(unary, row_start, forbidden)
        pairwise = np.where(forbidden[1], -np.inf, pairwise)
    lengths = np.diff(row_start)
    decoded = chain.decode_batch(unary, lengths, pairwise)
    if checked_rule(rule) == "probability":
        values = marginals_batch(unary, lengths, pairwise).unary
    else:
        values = chain.max_marginals_batch(unary, lengths, pairwise).unary
    return StateValues(values, decoded.labels, decoded.scores, row_start, rule)


def states_left(marginals: StateValues, alpha: float, max_pairs: int) -> np.ndarray:
    """The threshold rule on max-marginals of states, with a cap on the pairs of those that are left.

    Alpha, the setting of the marginals' rule, is raised, just enough, for examples that would keep more pairs
    than ``max_pairs``. Returns a mask (R, K) that includes the best labelling.

    Examples
    --------
    >>> unary = np.array([[4.0, 3.0, 0.0], [4.0, 1.0, 3.0]])
    >>> marginals = state_values(unary, np.array([0, 2]), np.zeros((3, 3)))
    >>> states_left(marginals, 0.0, 9).sum(axis=1), states_left(marginals, 0.0, 1).sum(axis=1)
    (array([2, 2]), array([1, 1]))
    """
    left = np.empty(marginals.values.shape, dtype=np.bool_)
    alpha, given = way_at_first(marginals.rule, alpha)
    if marginals.rule == "probability":
        return _probable(marginals, alpha, max_pairs)
    way = alpha, given
    _keep_all(marginals.values, marginals.best, marginals.row_start, way, max_pairs, left)
    return left


def _probable(marginals: StateValues, least: float, max_pairs: int) -> np.ndarray:
    """States with a share over `least`, or over more if too many pairs would be left, and the best ones."""
    values, rows = marginals.values, np.arange(len(marginals.values))
    left = values > least
    left[rows, marginals.best] = True
    each = left.sum(axis=1)
    for a, b in zip(marginals.row_start[:-1], marginals.row_start[1:]):
        if int((each[a + 1 : b] * each[a : b - 1]).sum()) <= max_pairs:
            continue
        shares = np.unique(values[a:b][left[a:b]])
        low, high = -1, len(shares) - 1  # over the largest share only the best labelling is left
        while high - low > 1:
            middle = (low + high) // 2
            n = np.maximum((values[a:b] > shares[middle]).sum(axis=1), 1)
            low, high = (low, middle) if int((n[1:] * n[:-1]).sum()) <= max_pairs else (middle, high)
        left[a:b] = values[a:b] > shares[high]
        left[rows[a:b], marginals.best[a:b]] = True
        n = left[a:b].sum(axis=1)
        if int((n[1:] * n[:-1]).sum()) > max_pairs:  # the best labelling is not made of the likeliest states
            left[a:b] = False
            left[rows[a:b], marginals.best[a:b]] = True
    return left


@strict_kernel
def _keep_all(
    values: np.ndarray,
    best: np.ndarray,
    row_start: np.ndarray,
    way: tuple[float, float],
    max_pairs: int,
    left: np.ndarray,
) -> None:
    for w in range(len(row_start) - 1):
        a, b = row_start[w], row_start[w + 1]
        keep_states(values[a:b], best[a:b], way, max_pairs, left[a:b])

"""Lattices of a fitted cascade on new sequences: growth level by level, marginals, the k best."""

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.ngrams.lattice import Lattice, bigrams, decode, extend, messages, score_arcs
from spcviz.engine.ngrams.prune import points_of, prune, truth_points
from spcviz.engine.ngrams.space import path_of
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.decoding import decode_examples
from spcviz.learning.cascade.features import (
    DenseRows,
    Features,
    SparseRows,
    check_features,
    scores_where,
    unary_scores,
)
from spcviz.learning.cascade.letters_first import keep_by_bigrams
from spcviz.learning.chains.rows import CsrRows, Rows
from spcviz.learning.chains.survivors import StateValues, state_values, states_left, without

MAX_DENSE = 200_000_000
"""Most values, zeros included, to which sparse matrices are expanded when they are not all 1."""

ASKING = ("mean_max_first", "probability")
"""Rules that need more from the first level than its surviving states by max-marginals."""


class Filtered(NamedTuple):
    """Survivors of the filters on some sequences: labels that each token may still have, (L, K) bool each.

    `lattice` has the surviving n-grams of all sequences that are not empty; None if all are empty.
    """

    states: list[np.ndarray]
    lattice: Lattice | None


class OneLevel(NamedTuple):
    """One level on one sequence, before its own pruning."""

    lattice: Lattice
    score: np.ndarray  # of each arc
    alpha: float  # the setting it is pruned with; 0 at the last level, which decodes


class Some(NamedTuple):
    """Some sequences: feature rows, lengths, allowed states (R, K) or None, and places in X."""

    features: Features
    lengths: np.ndarray
    mask: np.ndarray | None
    places: np.ndarray


class TruthPoints(NamedTuple):
    """Alphas at which true n-grams are pruned, the least of each example, and examples already lost."""

    of_positions: np.ndarray
    of_examples: np.ndarray
    is_lost: np.ndarray


class Grown(NamedTuple):
    """A cascade that begins with a pair model, and the forbidden transitions, (3, K, K) or None."""

    cascade: Cascade
    forbidden: np.ndarray | None

    def states_left(self, some: Some, alpha: float) -> np.ndarray:
        """The states that the first filter leaves, (R, K) bool."""
        return self._filter_first(some, alpha)[0]

    def _filter_first(self, some: Some, alpha: float) -> tuple[np.ndarray, np.ndarray | None]:
        """(the states that the first filter leaves, the examples' gaps if the rule needs them)."""
        cascade = self.cascade
        if self.forbidden is not None or cascade.rule in ASKING:
            states = self.states(some)
            left = states_left(states, alpha, cascade.max_arcs)
            gaps = states.gaps() if cascade.rule == "mean_max_first" else None
            return left if self.forbidden is not None else _allow(left, some.mask), gaps
        first, row_start = cascade.levels[0].filter, checks.starts(some.lengths)
        unary = scores_where(check_features(some.features), first.packed_weights, None)
        left = keep_by_bigrams(unary, row_start, first.pairs, alpha, cascade.max_arcs, cascade.rule)
        return _allow(left, some.mask), None

    def states(self, some: Some) -> StateValues:
        """The first level's max-marginals; under constraints, over what they and `allowed` permit."""
        first, row_start = self.cascade.levels[0].filter, checks.starts(some.lengths)
        unary = scores_where(check_features(some.features), first.packed_weights, None)
        if self.forbidden is not None and some.mask is not None:
            unary[~some.mask] = -np.inf
        states = state_values(unary, row_start, first.pairs.inner, self.forbidden, self.cascade.rule)
        if states.scores.min(initial=0.0) == -np.inf:
            place = some.places[states.scores.argmin()]
            raise InfeasibleError(
                f"X[{place}] must have a labelling that constraints and allowed leave, got none"
            )
        return states

    def lattice(self, some: Some, alphas: Sequence[float]) -> Lattice:
        """The lattice of the next order that the first ``len(alphas)`` filters leave."""
        left, gaps = self._filter_first(some, alphas[0])
        lattice = bigrams(some.lengths, self.cascade.n_states, left)
        if self.forbidden is not None:
            lattice = without(lattice, self.forbidden[1])
        for level, alpha in zip(self.cascade.levels[1:], alphas[1:]):
            unary = unary_scores(some.features, level.filter.weights)
            arc_score = score_arcs(lattice, unary, level.filter.table)
            how: Any = {"rule": self.cascade.rule, "first_gap": gaps}
            pruned = prune(lattice, arc_score, alpha, max_arcs=self.cascade.max_arcs, **how)
            lattice = extend(lattice, pruned.keep)
        return lattice

    def is_lost(self, some: Some, truth: np.ndarray, alphas: Sequence[float]) -> np.ndarray:
        """Whether the first ``len(alphas)`` filters lose each sequence's truth, bool (W,)."""
        lattice = self.lattice(some, alphas)
        kept = np.zeros(len(some.lengths), dtype=bool)
        has_columns = np.diff(lattice.col_start) > 0
        if has_columns.any():
            path = path_of(lattice, truth)
            kept[has_columns] = np.logical_and.reduceat(path >= 0, lattice.col_start[:-1][has_columns])
        return ~kept

    def last(self, some: Some) -> tuple[Lattice, np.ndarray]:
        """The last level's lattice and arc scores."""
        lattice = self.lattice(some, [level.alpha for level in self.cascade.levels[:-1]])
        model = self.cascade.levels[-1].predictor
        return lattice, score_arcs(lattice, unary_scores(some.features, model.weights), model.table)

    def best(self, some: Some) -> np.ndarray:
        """The best labels, (R,)."""
        if self.forbidden is not None or self.cascade.rule in ASKING:
            return decode(*self.last(some)).labels
        left = self.states_left(some, self.cascade.levels[0].alpha)
        return decode_examples(self.cascade, some.features, some.lengths, left=left).labels

    def points(self, some: Some, truth: np.ndarray, alphas: Sequence[float]) -> TruthPoints:
        """The settings at which the filter after those with `alphas` loses the truth."""
        if not alphas:
            states = self.states(some)
            at_truth = states.points()[np.arange(len(truth)), truth]
            is_lost = np.zeros(len(some.lengths), dtype=bool)
            return TruthPoints(at_truth, np.minimum.reduceat(at_truth, states.row_start[:-1]), is_lost)
        level, lattice = self.cascade.levels[len(alphas)], self.lattice(some, alphas)
        arc_score = score_arcs(lattice, unary_scores(some.features, level.filter.weights), level.filter.table)
        gaps = self.states(some).gaps() if self.cascade.rule == "mean_max_first" else None
        pruned = prune(lattice, arc_score, 0.0, rule=self.cascade.rule, first_gap=gaps)
        path = path_of(lattice, truth)
        is_lost = ~np.logical_and.reduceat(path >= 0, lattice.col_start[:-1])
        every = points_of(pruned)
        _, event = truth_points(lattice, pruned, path, np.where(is_lost, -np.inf, 0.0))
        return TruthPoints(every[path[path >= 0]], event, is_lost)


def _allow(left: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The states both left and allowed; all allowed ones at a position where none are both."""
    if mask is None:
        return left
    left &= mask
    is_empty = ~left.any(axis=1)
    left[is_empty] = mask[is_empty]
    return left


def levels_of(
    cascade: Cascade, features: Features, grown: Callable[[list[float]], Lattice]
) -> list[OneLevel]:
    """Levels of pairs, triples and so on, grown from what the first level, of single labels, leaves.

    `grown` maps the alphas of the first filters to the lattice that they leave.
    """
    levels = cascade.levels
    alphas = [float(level.alpha) for level in levels[:-1]]
    scored = []
    for n, level in enumerate(levels[1:], start=1):
        is_last = n == len(levels) - 1
        model, lattice = level.predictor if is_last else level.filter, grown(alphas[:n])
        score = score_arcs(lattice, unary_scores(features, model.weights), model.table)
        scored.append(OneLevel(lattice, score, 0.0 if is_last else alphas[n]))
    return scored


def rank_labellings(
    lattice: Lattice, arc_score: np.ndarray, example: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k best labellings of one example, best first: (scores (m,), labels (m, L)).

    Best-first search from the end; the forward messages give the exact score of the rest, so that only
    prefixes of the k best are expanded. Soong and Huang (1991), A tree-trellis based fast search for finding
    the N best sentence hypotheses.
    """
    forward = messages(lattice, arc_score).forward
    first, last = lattice.col_start[example], lattice.col_start[example + 1]
    start, stop = lattice.arc_start[first], lattice.arc_start[last]
    by_head = start + np.argsort(lattice.arc_head[start:stop], kind="stable")
    heads = lattice.arc_head[by_head]
    inner = lattice.node_start[first + example + 1]  # nodes before it have no arcs into them
    ends = range(lattice.node_start[last + example], lattice.node_start[last + example + 1])
    count = itertools.count()  # breaks ties in the order of discovery
    waiting: list[tuple[float, int, int, float, tuple[Any, ...]]] = [
        (-forward[v], next(count), v, 0.0, ()) for v in ends if forward[v] > -np.inf
    ]
    heapq.heapify(waiting)
    scores: list[float] = []
    labels: list[list[int]] = []
    while waiting and len(scores) < k:
        total, _, node, behind, path = heapq.heappop(waiting)
        if node < inner:
            scores.append(-total)
            labels.append(_spell(lattice, example, path))
            continue
        a, b = np.searchsorted(heads, [node, node + 1])
        for arc in by_head[a:b].tolist():
            more, tail = arc_score[arc] + behind, lattice.arc_tail[arc]
            if forward[tail] + more > -np.inf:
                heapq.heappush(waiting, (-(forward[tail] + more), next(count), tail, more, (arc, path)))
    return np.array(scores), np.array(labels, dtype=np.int64)


def _spell(lattice: Lattice, example: int, path: tuple[Any, ...]) -> list[int]:
    """The states along a linked list of arcs that begins with the first one."""
    mask, n = (1 << lattice.bits) - 1, int(lattice.order[example])
    key = int(lattice.arc_key[path[0]])
    states = [(key >> lattice.bits * back & mask) - 1 for back in range(n - 1, 0, -1)]
    while path:
        arc, path = path
        states.append((int(lattice.arc_key[arc]) & mask) - 1)
    return states


def state_shares(lattice: Lattice, arc_share: np.ndarray) -> np.ndarray:
    """Sums over the n-grams through each state of each position, (R, K), from shares of n-grams."""
    shares = np.zeros((int(lattice.row_start[-1]), lattice.n_states))
    column = np.repeat(np.arange(len(lattice.arc_start) - 1), np.diff(lattice.arc_start))
    example = np.repeat(np.arange(len(lattice.order)), np.diff(lattice.col_start))[column]
    within, order = column - lattice.col_start[example], lattice.order[example]
    symbol = (1 << lattice.bits) - 1
    for back in range(int(lattice.order.max(initial=1))):
        # each position ends the n-grams of one column, except those that only the first column spells
        is_there = np.ones(len(order), bool) if back == 0 else (within == 0) & (order > back)
        row = (lattice.row_start[example] + within + order - 1 - back)[is_there]
        state = (lattice.arc_key[is_there] >> lattice.bits * back & symbol) - 1
        np.add.at(shares, (row, state), arc_share[is_there])
    return shares


def features_of(rows: Rows) -> Features:
    """Rows in the form that lattice learners read: indicators, or dense values."""
    if isinstance(rows, DenseRows):
        return rows
    if np.all(rows.values == 1.0):
        return SparseRows(rows.start, rows.index, rows.n_features)
    n = len(rows.start) - 1
    if n * rows.n_features > MAX_DENSE:
        raise ArgumentError(
            f"X must hold only 0 and 1 for a cascade, or at most {MAX_DENSE} values, zeros too, "
            f"got {n} tokens of {rows.n_features} features"
        )
    return DenseRows(_laid_out(rows, n))


def _laid_out(rows: CsrRows, n: int) -> np.ndarray:
    values = np.zeros((n, rows.n_features), dtype=np.float32)
    np.add.at(values, (np.repeat(np.arange(n), np.diff(rows.start)), rows.index), rows.values)
    return values

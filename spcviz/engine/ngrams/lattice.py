r"""Forward-backward and Viterbi on sparse n-gram lattices: scores, messages, best paths, witnesses.

A level of order n scores labellings of a chain by

.. math:: \psi(x, y) = \sum_i u_i(y_i) + \sum_i \sum_{j=2}^{n} w_j(y_{i-j+1} .. y_i)

(terms that would begin before the first position are dropped; optionally one more family of terms
:math:`w_j(y_{L-j+2} .. y_{L}, \#)` marks the end). Arcs of column 0 carry the terms of all their
positions. The space itself, `Lattice`, and its growth are in `space`, whose names are exported here too.

Everything is for many examples at once. Legend: W examples, A arcs, N nodes, one example after the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS, Semiring
from spcviz.engine.ngrams.arc_ranges import Runs, start_total, trace, walk_back_through, walk_forth
from spcviz.engine.ngrams.lattice_scores import fill_arc_scores, label_scores, largest_finite, level_sums
from spcviz.engine.ngrams.space import (
    Lattice,
    bigrams,
    extend,
    extended_size,
    labels_of,
    path_of,
    spell,
    states_left,
    symbols,
    unigrams,
)
from spcviz.engine.ngrams.table import NgramTable

__all__ = [
    "Lattice",
    "Messages",
    "Paths",
    "best_path",
    "bigrams",
    "decode",
    "extend",
    "extended_size",
    "labels_of",
    "log_marginals",
    "messages",
    "path_of",
    "pointers",
    "score_arcs",
    "score_labels",
    "states_left",
    "symbols",
    "unigrams",
    "witness",
]

_FLOAT = np.dtype(np.float64)

WIDE = 1e5
"""Sums of scores up to which their differences are log probabilities, accurate to 1e-10."""


class Messages(NamedTuple):
    """Messages at nodes and their results; for the sum semiring read "log of the sum of" for "best".

    `best` (W,): of each example; -inf if nothing is feasible. `forward`, `backward` (N,): best score of a
    path from the start to the node, and from the node to the end. `max_marginal` (A,): forward[tail] + score
    + backward[head].
    """

    best: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    max_marginal: np.ndarray


class Paths(NamedTuple):
    """One complete path per example: `scores` (W,), `arcs` (arc columns,), `labels` (rows,), int64.

    -1 where the example has no feasible path.
    """

    scores: np.ndarray
    arcs: np.ndarray
    labels: np.ndarray


def score_arcs(lattice: Lattice, unary: ArrayLike, table: NgramTable) -> np.ndarray:
    """Score of every arc, shape (A,), under a model: `unary` (rows, K), `table` of 2-grams and longer.

    `ShapeError`, `ScoreError` if a table does not fit, or holds NaN or +inf. Weiss (2013), thesis, equation
    (4.15).
    """
    unary = _checked_unary(lattice, unary, table)
    out = np.empty(lattice.n_arcs)
    fill_arc_scores(lattice, unary, table, out)
    return out


def messages(lattice: Lattice, arc_score: ArrayLike, semiring: Semiring = MAX_PLUS) -> Messages:
    """Messages and (max-)marginals of every arc, in time linear in the arcs.

    `ShapeError`, `ScoreError` if the scores do not fit, or hold NaN or +inf.

    Parameters
    ----------
    arc_score : array_like, shape (A,)
    semiring : MaxPlus or LogPlus
        Best paths, or sums over all paths.

    Examples
    --------
    >>> messages(unigrams([2], 2), [1.0, 0.0, 0.0, 5.0]).max_marginal
    array([6., 5., 1., 6.])
    """
    arc_score = _ready(lattice, arc_score)
    nodes = int(lattice.node_start[-1])
    best, forward, backward = np.empty(len(lattice.order)), np.empty(nodes), np.empty(nodes)
    max_marginal = np.empty(len(arc_score))
    if not _messages(semiring, lattice.runs, arc_score, best, forward, backward, max_marginal):
        _check_arc_scores(lattice, arc_score)
    return Messages(best, forward, backward, max_marginal)


def log_marginals(lattice: Lattice, arc_score: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(log partition (W,), log probability of every arc (A,)) under p proportional to exp(score).

    >>> log_partition, table = log_marginals(unigrams([1], 2), [0.0, 0.0])
    >>> np.exp(table)
    array([0.5, 0.5])
    """
    passed = messages(lattice, arc_score, LOG_PLUS)
    reached = np.where(passed.best > -np.inf, passed.best, 0.0)  # -inf - -inf would be NaN
    table = passed.max_marginal - np.repeat(reached, np.diff(lattice.example_start))
    if is_wide(passed):
        level_sums(table, lattice.arc_start)
    return passed.best, table


def is_wide(passed: Messages) -> bool:
    """Whether messages are so large that their differences are no longer log probabilities to 1e-10."""
    return any(largest_finite(sums) > WIDE for sums in (passed.best, passed.forward, passed.backward))


def decode(lattice: Lattice, arc_score: ArrayLike) -> Paths:
    """Best path of every example. Ties go to the smallest arc, last column first. Arguments as in `messages`.

    >>> decode(unigrams([2], 2), [1.0, 0.0, 0.0, 5.0]).labels
    array([0, 1])
    """
    arc_score = _ready(lattice, arc_score)
    scores, arcs = np.empty(len(lattice.order)), np.empty(int(lattice.col_start[-1]), dtype=np.int64)
    labels = np.empty(int(lattice.row_start[-1]), dtype=np.int64)
    _, bits, order, row_start, *_, arc_key = lattice
    if not _decode(lattice.runs, arc_score, order, row_start, bits, arc_key, scores, arcs, labels):
        _check_arc_scores(lattice, arc_score)
    return Paths(scores, arcs, labels)


def best_path(lattice: Lattice, arc_score: ArrayLike, forward: ArrayLike) -> np.ndarray:
    """Arcs of the best path of every example from given forward messages, (arc columns,) int64.

    -1 in all columns of an example without a feasible path.
    """
    arc_score, forward = _check_arc_scores(lattice, arc_score), _checked_message(lattice, forward)
    arcs = np.empty(int(lattice.col_start[-1]), dtype=np.int64)
    _trace(lattice.runs, arc_score, forward, arcs)
    return arcs


def witness(lattice: Lattice, arc_score: ArrayLike, arc: int) -> tuple[float, np.ndarray]:
    """Best complete path through one arc: its score, and its arcs, one per column of the arc's example.

    `ArgumentError` if the arc does not exist; `InfeasibleError` if no complete path goes through it. Weiss
    (2013), thesis, equation (4.2).
    """
    checks.of_own_type("lattice", lattice, Lattice)
    arc = checks.integer("arc", arc, 0, lattice.n_arcs - 1)
    passed = messages(lattice, arc_score)
    if passed.max_marginal[arc] == -np.inf:
        raise InfeasibleError(f"no complete path goes through arc {arc}")
    into, out_of = pointers(lattice, arc_score, passed.forward, passed.backward)
    before, after = [], []
    a = into[lattice.arc_tail[arc]]
    while a >= 0:
        before.append(a)
        a = into[lattice.arc_tail[a]]
    a = out_of[lattice.arc_head[arc]]
    while a >= 0:
        after.append(a)
        a = out_of[lattice.arc_head[a]]
    return float(passed.max_marginal[arc]), np.array([*before[::-1], arc, *after], dtype=np.int64)


def pointers(
    lattice: Lattice, arc_score: ArrayLike, forward: ArrayLike, backward: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """The best arc into and out of every node, (N,) and (N,) int64; -1 where there is none.

    Following them from an arc in both directions spells its witness.
    """
    arc_score = _check_arc_scores(lattice, arc_score)
    forward, backward = (_checked_message(lattice, m) for m in (forward, backward))
    into, out_of = np.full(len(forward), -1, dtype=np.int64), np.full(len(forward), -1, dtype=np.int64)
    n = lattice.n_arcs
    attaining_arcs(lattice.arc_tail, lattice.arc_head, arc_score, 0, n, forward, into)
    attaining_arcs(lattice.arc_head, lattice.arc_tail, arc_score, 0, n, backward, out_of)
    return into, out_of


def score_labels(lattice: Lattice, unary: ArrayLike, table: NgramTable, labels: ArrayLike) -> np.ndarray:
    """Score of labellings (rows,) under a model, in or out of the lattice, shape (W,).

    The lattice gives each example's rows and order. Other arguments and errors as in `score_arcs`.
    """
    unary = _checked_unary(lattice, unary, table)
    labels = checks.states("labels", labels, int(lattice.row_start[-1]), lattice.n_states)
    return label_scores(lattice, unary, table, labels)


def _ready(lattice: Lattice, arc_score: ArrayLike) -> np.ndarray:
    """Scores as an array for kernels, which check its values."""
    if (
        isinstance(lattice, Lattice)
        and type(arc_score) is np.ndarray
        and arc_score.dtype is _FLOAT
        and arc_score.shape == lattice.arc_key.shape
        and arc_score.flags.c_contiguous
    ):
        return arc_score
    return _check_arc_scores(lattice, arc_score)


def _check_arc_scores(lattice: Lattice, arc_score: ArrayLike) -> np.ndarray:
    checks.of_own_type("lattice", lattice, Lattice)
    arc_score = checks.scores("arc_score", arc_score, 1)
    if len(arc_score) != lattice.n_arcs:
        raise ShapeError(f"arc_score has shape {arc_score.shape}; the lattice needs {(lattice.n_arcs,)}")
    return arc_score


def _checked_unary(lattice: Lattice, unary: ArrayLike, table: NgramTable) -> np.ndarray:
    checks.of_own_type("lattice", lattice, Lattice)
    checks.of_own_type("table", table, NgramTable)
    unary = checks.scores("unary", unary, 2)
    wanted = (int(lattice.row_start[-1]), lattice.n_states)
    if unary.shape != wanted:
        raise ShapeError(f"unary has shape {unary.shape}; the lattice needs {wanted}")
    if table.n_states != lattice.n_states:
        raise ShapeError(f"table has {table.n_states} states; the lattice needs {lattice.n_states}")
    return unary


def _checked_message(lattice: Lattice, message: ArrayLike) -> np.ndarray:
    message = checks.sums("message", message, 1)
    if len(message) != lattice.node_start[-1]:
        wanted = (int(lattice.node_start[-1]),)
        raise ShapeError(f"message has shape {message.shape}; the lattice's nodes need {wanted}")
    return message


@kernel
def _messages(
    sr: Semiring,
    runs: Runs,
    arc_score: np.ndarray,
    best: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    max_marginal: np.ndarray,
) -> bool:
    """Fill the fields of `Messages`; False, with nothing filled, if a score is bad."""
    if checks.first_bad(arc_score) >= 0:
        return False
    for w in range(len(best)):
        walk_forth(sr, runs, w, arc_score, forward)
        walk_back_through(sr, runs, w, arc_score, forward, backward, max_marginal)
        best[w] = start_total(sr, runs, w, backward)
    return True


@kernel
def attaining_arcs(
    source: np.ndarray,
    target: np.ndarray,
    arc_score: np.ndarray,
    start: int,
    stop: int,
    message: np.ndarray,
    best: np.ndarray,
) -> None:
    """For every target node the first of arcs start .. stop - 1 that attains its message.

    Sets ``best`` only where it is negative; recomputing the sum repeats its rounding exactly.
    """
    for a in range(start, stop):
        t = target[a]
        if best[t] < 0 and message[t] > -np.inf and message[source[a]] + arc_score[a] == message[t]:
            best[t] = a


@kernel
def _trace(runs: Runs, arc_score: np.ndarray, forward: np.ndarray, arcs: np.ndarray) -> None:
    for w in range(len(runs.col_start) - 1):
        trace(runs, w, arc_score, forward, arcs)


@kernel
def _decode(
    runs: Runs,
    arc_score: np.ndarray,
    order: np.ndarray,
    row_start: np.ndarray,
    bits: int,
    arc_key: np.ndarray,
    scores: np.ndarray,
    arcs: np.ndarray,
    labels: np.ndarray,
) -> bool:
    """Fill the fields of `Paths`; False, with nothing filled, if a score is bad."""
    if checks.first_bad(arc_score) >= 0:
        return False
    forward = np.empty(runs.column[-1, 1], np.float64)
    for w in range(len(scores)):
        walk_forth(MAX_PLUS, runs, w, arc_score, forward)
        scores[w] = trace(runs, w, arc_score, forward, arcs)
    spell(order, row_start, runs.col_start, bits, arc_key, arcs, labels)
    return True

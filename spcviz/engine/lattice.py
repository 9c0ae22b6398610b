r"""Inference on sparse n-gram lattices: scores, messages, best paths, witnesses, for many examples at once.

A level of order n scores labellings of a chain by

.. math:: \psi(x, y) = \sum_i u_i(y_i) + \sum_i \sum_{j=2}^{n} w_j(y_{i-j+1} .. y_i)

(terms that would begin before the first position are dropped; optionally one more family of terms
:math:`w_j(y_{L-j+2} .. y_{L}, \#)` marks the end). Arcs of column 0 carry the terms of all their
positions. The space itself, `Lattice`, and how it grows stand in `space`; its names are here too.

Legend: W examples, A arcs, N nodes, all examples one after the other.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.jit import kernel
from spcviz.engine.ngrams import NgramTable, find, lookup
from spcviz.engine.semirings import LOG_PLUS, MAX_PLUS, gather, total
from spcviz.engine.space import (
    Lattice,
    bigrams,
    extend,
    extended_size,
    labels_of,
    path_of,
    states_left,
    symbols,
    unigrams,
)

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


class Messages(NamedTuple):
    """Messages at nodes and what follows from them; over the sum read "log of the sum of" for "best".

    Attributes
    ----------
    best : ndarray, shape (W,)
        Best score of each example; -inf if nothing is feasible.
    forward, backward : ndarray, shape (N,)
        Best score of a path from the start to the node, and from the node to the end.
    max_marginal : ndarray, shape (A,)
        forward[tail] + score + backward[head].
    """

    best: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    max_marginal: np.ndarray


class Paths(NamedTuple):
    """One complete path per example.

    Attributes
    ----------
    scores : ndarray, shape (W,)
    arcs : ndarray, shape (arc columns,), int64
        -1 where the example has no feasible path.
    labels : ndarray, shape (rows,), int64
        -1 likewise.
    """

    scores: np.ndarray
    arcs: np.ndarray
    labels: np.ndarray


def score_arcs(lattice, unary, table):
    """Score of every arc under a model.

    Parameters
    ----------
    lattice : Lattice
    unary : array_like, shape (rows, K)
    table : NgramTable
        Weights of 2-grams and longer; see `spcviz.engine.ngrams`.

    Returns
    -------
    ndarray, shape (A,)

    Raises
    ------
    ShapeError, ScoreError
        If the table does not fit, or holds NaN or +inf.

    References
    ----------
    Weiss (2013), thesis, equation (4.15).
    """
    unary = _checked_unary(lattice, unary, table)
    out = np.empty(lattice.n_arcs)
    _score_arcs(lattice, unary, table, out)
    return out


def messages(lattice, arc_score, semiring=MAX_PLUS):
    """Messages and (max-)marginals of every arc, in time linear in the arcs.

    Parameters
    ----------
    lattice : Lattice
    arc_score : array_like, shape (A,)
    semiring : MaxPlus or LogPlus
        Best paths, or sums over all paths.

    Returns
    -------
    Messages

    Raises
    ------
    ShapeError, ScoreError
        If the scores do not fit, or hold NaN or +inf.

    Examples
    --------
    >>> messages(unigrams([2], 2), [1.0, 0.0, 0.0, 5.0]).max_marginal
    array([6., 5., 1., 6.])
    """
    arc_score = _checked(lattice, arc_score)
    nodes = int(lattice.node_start[-1])
    forward, backward = np.empty(nodes), np.empty(nodes)
    _walk(semiring, lattice, arc_score, forward, 1)
    _walk(semiring, lattice, arc_score, backward, -1)
    best = _start_totals(semiring, lattice, backward)
    return Messages(best, forward, backward, _through(lattice, arc_score, forward, backward))


def log_marginals(lattice, arc_score):
    """(log partition (W,), log probability of every arc (A,)) under p proportional to exp(score).

    Parameters
    ----------
    lattice, arc_score
        As in `messages`.

    Examples
    --------
    >>> log_partition, table = log_marginals(unigrams([1], 2), [0.0, 0.0])
    >>> np.exp(table)
    array([0.5, 0.5])
    """
    passed = messages(lattice, arc_score, LOG_PLUS)
    reached = np.where(passed.best > -np.inf, passed.best, 0.0)  # -inf - -inf would be NaN
    return passed.best, passed.max_marginal - np.repeat(reached, np.diff(lattice.example_start))


def decode(lattice, arc_score):
    """Best path of every example. Ties go to the smallest arc, last column first.

    Parameters
    ----------
    lattice, arc_score
        As in `messages`.

    Returns
    -------
    Paths

    Examples
    --------
    >>> decode(unigrams([2], 2), [1.0, 0.0, 0.0, 5.0]).labels
    array([0, 1])
    """
    arc_score = _checked(lattice, arc_score)
    forward = np.empty(int(lattice.node_start[-1]))
    _walk(MAX_PLUS, lattice, arc_score, forward, 1)
    arcs = np.full(int(lattice.col_start[-1]), -1, dtype=np.int64)
    scores = _trace(lattice, arc_score, forward, arcs)
    return Paths(scores, arcs, labels_of(lattice, arcs))


def best_path(lattice, arc_score, forward):
    """Arcs of the best path of every example from forward messages already there, (arc columns,) int64.

    -1 in all columns of an example without a feasible path.
    """
    arcs = np.full(int(lattice.col_start[-1]), -1, dtype=np.int64)
    _trace(lattice, _checked(lattice, arc_score), _checked_message(lattice, forward), arcs)
    return arcs


def witness(lattice, arc_score, arc):
    """Best complete path through one arc.

    Parameters
    ----------
    lattice, arc_score
        As in `messages`.
    arc : int

    Returns
    -------
    (float, ndarray of int64)
        Its score and its arcs, one a column of the arc's example.

    Raises
    ------
    ArgumentError
        If the arc does not exist.
    InfeasibleError
        If no complete path goes through it.

    References
    ----------
    Weiss (2013), thesis, equation (4.2).
    """
    checks.made("lattice", lattice, Lattice)
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


def pointers(lattice, arc_score, forward, backward):
    """The best arc into and out of every node, (N,) and (N,) int64; -1 where there is none.

    Following them from an arc in both directions spells its witness.
    """
    arc_score = _checked(lattice, arc_score)
    forward, backward = (_checked_message(lattice, m) for m in (forward, backward))
    into, out_of = np.full(len(forward), -1, dtype=np.int64), np.full(len(forward), -1, dtype=np.int64)
    n = lattice.n_arcs
    attaining_arcs(lattice.arc_tail, lattice.arc_head, arc_score, 0, n, forward, into)
    attaining_arcs(lattice.arc_head, lattice.arc_tail, arc_score, 0, n, backward, out_of)
    return into, out_of


def score_labels(lattice, unary, table, labels):
    """Score of given labellings under a model, in or out of the lattice, shape (W,).

    Parameters
    ----------
    lattice : Lattice
        Gives each example's place and order.
    unary, table
        As in `score_arcs`.
    labels : array_like of int, shape (rows,)
    """
    unary = _checked_unary(lattice, unary, table)
    labels = checks.states("labels", labels, int(lattice.row_start[-1]), lattice.n_states)
    return _score_labels(lattice, unary, table, labels)


def _checked(lattice, arc_score):
    checks.made("lattice", lattice, Lattice)
    arc_score = checks.scores("arc_score", arc_score, 1)
    if len(arc_score) != lattice.n_arcs:
        raise ShapeError(f"arc_score has shape {arc_score.shape}; the lattice needs {(lattice.n_arcs,)}")
    return arc_score


def _checked_unary(lattice, unary, table):
    checks.made("lattice", lattice, Lattice)
    checks.made("table", table, NgramTable)
    unary = checks.scores("unary", unary, 2)
    wanted = (int(lattice.row_start[-1]), lattice.n_states)
    if unary.shape != wanted:
        raise ShapeError(f"unary has shape {unary.shape}; the lattice needs {wanted}")
    if table.n_states != lattice.n_states:
        raise ShapeError(f"table has {table.n_states} states; the lattice needs {lattice.n_states}")
    return unary


def _checked_message(lattice, message):
    message = checks.scores("message", message, 1)
    if len(message) != lattice.node_start[-1]:
        wanted = (int(lattice.node_start[-1]),)
        raise ShapeError(f"message has shape {message.shape}; the lattice's nodes need {wanted}")
    return message


@kernel
def walk(sr, lattice, w, arc_score, message, step):
    """Messages at the nodes of example w, column by column: step 1 from the start, -1 from the end.

    A kernel for kernels: `message` (N,) and `arc_score` (A,) belong to all examples.
    """
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    edge = first + w if step == 1 else last + w  # the node column the walk begins at
    for v in range(lattice.node_start[edge], lattice.node_start[edge + 1]):
        message[v] = sr.one
    for i in range(last - first):
        c = first + i if step == 1 else last - 1 - i
        t = c + w + 1 if step == 1 else c + w
        lo, hi = lattice.node_start[t], lattice.node_start[t + 1]
        a, b = lattice.arc_start[c], lattice.arc_start[c + 1]
        if step == 1:
            gather(sr, lattice.arc_tail, lattice.arc_head, arc_score, a, b, message, lo, hi)
        else:
            gather(sr, lattice.arc_head, lattice.arc_tail, arc_score, a, b, message, lo, hi)


@kernel
def _walk(sr, lattice, arc_score, message, step):
    for w in range(len(lattice.order)):
        walk(sr, lattice, w, arc_score, message, step)


@kernel
def start_total(sr, lattice, w, backward):
    """Plus over all complete paths of example w: what `backward` says at its first nodes."""
    c = lattice.col_start[w] + w
    return total(sr, backward[lattice.node_start[c] : lattice.node_start[c + 1]])


@kernel
def _start_totals(sr, lattice, backward):
    out = np.empty(len(lattice.order))
    for w in range(len(out)):
        out[w] = start_total(sr, lattice, w, backward)
    return out


@kernel
def _through(lattice, arc_score, forward, backward):
    out = np.empty(len(arc_score))
    tail, head = lattice.arc_tail, lattice.arc_head
    for a in range(len(out)):
        out[a] = forward[tail[a]] + arc_score[a] + backward[head[a]]
    return out


@kernel
def attaining_arcs(source, target, arc_score, start, stop, message, best):
    """For every target node the first of arcs start .. stop - 1 that attains its message.

    Sets ``best`` only where it is negative; recomputing the sum repeats its rounding exactly.
    """
    for a in range(start, stop):
        t = target[a]
        if best[t] < 0 and message[t] > -np.inf and message[source[a]] + arc_score[a] == message[t]:
            best[t] = a


@kernel
def trace(lattice, w, arc_score, forward, arcs):
    """Best score of example w; fills its arcs from the last column to the first."""
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    best, node = -np.inf, -1
    for v in range(lattice.node_start[last + w], lattice.node_start[last + w + 1]):
        if forward[v] > best:
            best, node = forward[v], v
    tail, head = lattice.arc_tail, lattice.arc_head
    c = last - 1
    while node >= 0 and c >= first:
        top, arg = -np.inf, -1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            if head[a] == node:
                s = forward[tail[a]] + arc_score[a]
                if s > top:
                    top, arg = s, a
        arcs[c] = arg
        node = tail[arg]
        c -= 1
    return best


@kernel
def _trace(lattice, arc_score, forward, arcs):
    scores = np.empty(len(lattice.order))
    for w in range(len(scores)):
        scores[w] = trace(lattice, w, arc_score, forward, arcs)
    return scores


# Inner loops take arrays out of their tuples first: at each step that costs more than the step.


@kernel
def _score_arcs(lattice, unary, table, out):
    dense, keys, values, arc_key = table.dense, table.keys, table.values, lattice.arc_key
    bits, n_dense, end = table.bits, table.n_dense, table.n_states + 1
    mask = (1 << bits) - 1
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            start, stop = lattice.arc_start[c], lattice.arc_start[c + 1]
            row = lattice.row_start[w] + c - first + n - 1  # of the arc's last symbol
            local = unary[row]
            for a in range(start, stop):
                key = arc_key[a]
                value = local[(key & mask) - 1]
                if n > 1:
                    value += find(dense, keys, values, bits, n_dense, key, n)
                out[a] = value
            if c == first:
                for a in range(start, stop):
                    prefix = arc_key[a]
                    for m in range(n - 1, 0, -1):
                        prefix >>= bits
                        out[a] += unary[row - n + m, (prefix & mask) - 1]
                        if m > 1:
                            out[a] += find(dense, keys, values, bits, n_dense, prefix, m)
            if c == last - 1 and table.has_end:
                for a in range(start, stop):
                    out[a] += find(dense, keys, values, bits, n_dense, (arc_key[a] << bits) + end, n + 1)


@kernel
def _score_labels(lattice, unary, table, labels):
    scores = np.zeros(len(lattice.order))
    for w in range(len(scores)):
        start, stop = lattice.row_start[w], lattice.row_start[w + 1]
        n, key = lattice.order[w], 0
        for i in range(start, stop):
            m = min(i - start + 1, n)
            key = ((key << table.bits) + labels[i] + 1) & ((np.int64(1) << (table.bits * n)) - 1)
            scores[w] += unary[i, labels[i]]
            if m > 1:
                scores[w] += lookup(table, key, m)
        if table.has_end:
            scores[w] += lookup(table, (key << table.bits) + table.n_states + 1, n + 1)
    return scores

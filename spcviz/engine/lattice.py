r"""Sparse n-gram lattices: the space a cascade works on, as flat arrays, for many examples at once.

A level of order n scores labellings of a chain by

.. math:: \psi(x, y) = \sum_i u_i(y_i) + \sum_i \sum_{j=2}^{n} w_j(y_{i-j+1} .. y_i)

(terms that would begin before the first position are dropped; optionally one more family of terms
:math:`w_j(y_{L-j+2} .. y_{L}, \#)` marks the end). It is a chain over (n-1)-grams: *nodes* are
(n-1)-grams, *arcs* are n-grams. With C = L - n + 1 arc columns, column c holds the valid
assignments of positions c .. c+n-1; every complete path takes one arc of each column. Arcs of
column 0 carry the terms of all their positions. An example shorter than n stays at order L.

Within a column arcs lie in dictionary order of their symbols, so those that leave a node are
neighbours and ties go to the smallest. Codes are those of `ngrams`: symbols are
state + 1, in equal numbers of bits, so n-grams of different n never share a code.

Legend: W examples, A arcs, N nodes, all examples one after the other.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.jit import kernel
from spcviz.engine.ngrams import MAX_BITS, find, lookup, symbol_bits
from spcviz.engine.semirings import LOG_PLUS, MAX_PLUS, gather, total

_MOST_ARCS = 2**31 - 1  # nodes are numbered in 32 bits


class Lattice(NamedTuple):
    """Valid n-grams of many examples.

    Attributes
    ----------
    n_states, bits : int
        K, and the bits of a symbol.
    order : ndarray, shape (W,), int64
        n of each example: the level's order, or the example's length if that is shorter.
    row_start : ndarray, shape (W + 1,), int64
        Example w owns rows ``row_start[w] : row_start[w + 1]`` of a unary table.
    col_start : ndarray, shape (W + 1,), int64
        ... and arc columns ``col_start[w] : col_start[w + 1]``. It has one more node column than
        arc columns, so its node columns begin at ``col_start[w] + w``.
    arc_start : ndarray, shape (arc columns + 1,), int64
    node_start : ndarray, shape (node columns + 1,), int64
    arc_tail, arc_head : ndarray, shape (A,), int32
        Node indices.
    arc_key : ndarray, shape (A,), int64
        The n-gram's code.
    """

    n_states: int
    bits: int
    order: np.ndarray
    row_start: np.ndarray
    col_start: np.ndarray
    arc_start: np.ndarray
    node_start: np.ndarray
    arc_tail: np.ndarray
    arc_head: np.ndarray
    arc_key: np.ndarray

    @property
    def example_start(self):
        """First arc of each example, shape (W + 1,)."""
        return self.arc_start[self.col_start]

    @property
    def n_arcs(self):
        return len(self.arc_key)


class Messages(NamedTuple):
    """Max-sum messages at nodes and what follows from them.

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


def unigrams(lengths, n_states, allowed=None):
    """The lattice of order 1: every state at every position, or those allowed.

    Parameters
    ----------
    lengths : array_like of int, shape (W,)
        At least 1 each.
    n_states : int
        K, 1 to 10,000.
    allowed : array_like of bool, shape (sum of lengths, K), optional
        At least one state a position.

    Returns
    -------
    Lattice

    Raises
    ------
    ArgumentError, ShapeError
        If a length or K is out of range, or the mask has the wrong shape or an empty row.

    Examples
    --------
    >>> unigrams([3, 2], 26).n_arcs
    130
    """
    n_states = checks.integer("n_states", n_states, 1, 10_000)
    lengths = checks.lengths(lengths, _MOST_ARCS // n_states)
    if lengths.sum() * n_states > _MOST_ARCS:
        raise ArgumentError(f"lengths must add up to at most {_MOST_ARCS // n_states}, got {lengths.sum()}")
    row_start = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=row_start[1:])
    rows = int(row_start[-1])
    if allowed is None:
        allowed = np.ones((rows, n_states), dtype=bool)
    allowed = np.asarray(allowed, dtype=bool)
    if allowed.shape != (rows, n_states):
        raise ShapeError(f"allowed has shape {allowed.shape}; lengths needs {(rows, n_states)}")
    if rows and not allowed.any(axis=1).all():
        raise ArgumentError(
            f"allowed must leave a state everywhere, got none at row {allowed.any(axis=1).argmin()}"
        )
    position, state = np.nonzero(allowed)
    example = np.repeat(np.arange(len(lengths)), lengths)
    arc_start = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(allowed.sum(axis=1), out=arc_start[1:])
    tail = (position + example[position]).astype(np.int32)  # one empty context a node column
    return Lattice(
        n_states,
        symbol_bits(n_states),
        np.ones(len(lengths), dtype=np.int64),
        row_start,
        row_start.copy(),
        arc_start,
        np.arange(rows + len(lengths) + 1, dtype=np.int64),
        tail,
        tail + np.int32(1),
        state.astype(np.int64) + 1,
    )


def extend(lattice, keep, *, grow=True):
    """The next level's lattice: an (n+1)-gram is valid iff both its n-grams survived.

    Parameters
    ----------
    lattice : Lattice
    keep : ndarray of bool, shape (A,)
        Survivors.
    grow : bool
        False restricts the lattice to its survivors at the same order.

    Returns
    -------
    Lattice
        Order n + 1; examples of length n stay at order n, restricted to their survivors.

    Raises
    ------
    ShapeError
        If the mask does not fit.
    InfeasibleError
        If an example keeps no arc in some column.
    ArgumentError
        If the codes of the larger n-grams do not fit 63 bits.

    References
    ----------
    Luo, summary of SPC, equation (3); Weiss (2013), thesis, section 4.5.

    Examples
    --------
    >>> letters = unigrams([3], 4)
    >>> extend(letters, letters.arc_key <= 2).n_arcs
    8
    """
    keep = np.asarray(keep)
    if keep.shape != lattice.arc_key.shape or keep.dtype != bool:
        raise ShapeError(
            f"keep has shape {keep.shape}, dtype {keep.dtype}; it needs {lattice.arc_key.shape} bool"
        )
    largest = int(lattice.order.max(initial=1))
    if lattice.bits * (largest + 2) > MAX_BITS:  # one symbol to grow by, one for the end mark
        raise ArgumentError(
            f"lattice of order {largest} cannot grow: "
            f"codes of {lattice.n_states} states overflow {MAX_BITS} bits"
        )
    kept = np.zeros(len(keep) + 1, dtype=np.int64)
    np.cumsum(keep, out=kept[1:])
    survivors = np.diff(kept[lattice.arc_start])
    if len(survivors) and survivors.min() == 0:
        column = int(survivors.argmin())
        example = int(np.searchsorted(lattice.col_start, column, side="right")) - 1
        raise InfeasibleError(
            f"keep leaves no arc in column {column - lattice.col_start[example]} of example {example}"
        )
    return Lattice(*_extend(lattice, keep, kept, grow))


def extended_size(lattice, keep):
    """How many arcs `extend` would make for each example, without making them; shape (W,)."""
    keep = np.asarray(keep)
    if keep.shape != lattice.arc_key.shape or keep.dtype != bool:
        raise ShapeError(
            f"keep has shape {keep.shape}, dtype {keep.dtype}; it needs {lattice.arc_key.shape} bool"
        )
    return _extended_size(lattice, keep)


def symbols(lattice, example=0):
    """The states of each arc of one example, shape (arcs of the example, n), int32.

    Examples
    --------
    >>> symbols(unigrams([1], 3)).ravel().tolist()
    [0, 1, 2]
    """
    example = checks.integer("example", example, 0, len(lattice.order) - 1)
    start, stop = lattice.example_start[example : example + 2]
    keys, n = lattice.arc_key[start:stop], int(lattice.order[example])
    shifts = lattice.bits * np.arange(n - 1, -1, -1)
    return ((keys[:, None] >> shifts & (1 << lattice.bits) - 1) - 1).astype(np.int32)


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


def messages(lattice, arc_score):
    """Max-sum messages and max-marginals of every arc, in time linear in the arcs.

    Parameters
    ----------
    lattice : Lattice
    arc_score : array_like, shape (A,)

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
    _walk(MAX_PLUS, lattice, arc_score, forward, 1)
    _walk(MAX_PLUS, lattice, arc_score, backward, -1)
    best = _start_totals(MAX_PLUS, lattice, backward)
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
    arc_score = _checked(lattice, arc_score)
    nodes = int(lattice.node_start[-1])
    forward, backward = np.empty(nodes), np.empty(nodes)
    _walk(LOG_PLUS, lattice, arc_score, forward, 1)
    _walk(LOG_PLUS, lattice, arc_score, backward, -1)
    log_partition = _start_totals(LOG_PLUS, lattice, backward)
    table = _through(lattice, arc_score, forward, backward)
    return log_partition, table - np.repeat(log_partition, np.diff(lattice.example_start))


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


def path_of(lattice, labels):
    """The arcs that spell given labellings.

    Parameters
    ----------
    lattice : Lattice
    labels : array_like of int, shape (rows,)
        One labelling per example, one after the other.

    Returns
    -------
    ndarray, shape (arc columns,), int64
        -1 where the n-gram is not in the lattice.

    Examples
    --------
    >>> path_of(unigrams([3], 4), [2, 0, 3])
    array([ 2,  4, 11])
    """
    labels = checks.states("labels", labels, int(lattice.row_start[-1]), lattice.n_states)
    return _path_of(lattice, labels)


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


def labels_of(lattice, arcs):
    """States spelled by one path per example, shape (rows,), int64; -1 where there is no path."""
    arcs = checks.whole_numbers("arcs", arcs, -1, lattice.n_arcs - 1)
    if len(arcs) != lattice.col_start[-1]:
        raise ShapeError(f"arcs has shape {arcs.shape}; the lattice needs {(int(lattice.col_start[-1]),)}")
    return _labels_of(lattice, arcs)


def _checked(lattice, arc_score):
    arc_score = checks.scores("arc_score", arc_score, 1)
    if len(arc_score) != lattice.n_arcs:
        raise ShapeError(f"arc_score has shape {arc_score.shape}; the lattice needs {(lattice.n_arcs,)}")
    return arc_score


def _checked_unary(lattice, unary, table):
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


@kernel
def _labels_of(lattice, arcs):
    mask = (1 << lattice.bits) - 1
    labels = np.full(lattice.row_start[-1], -1, dtype=np.int64)
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
            if arcs[c] < 0:
                continue
            key = lattice.arc_key[arcs[c]]
            row = lattice.row_start[w] + c - lattice.col_start[w] + n - 1
            labels[row] = (key & mask) - 1
            if c == lattice.col_start[w]:
                for j in range(1, n):
                    key >>= lattice.bits
                    labels[row - j] = (key & mask) - 1
    return labels


@kernel
def _path_of(lattice, labels):
    arcs = np.full(lattice.col_start[-1], -1, dtype=np.int64)
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
            row = lattice.row_start[w] + c - lattice.col_start[w]
            key = 0
            for j in range(n):
                key = (key << lattice.bits) + labels[row + j] + 1
            a, b = lattice.arc_start[c], lattice.arc_start[c + 1]
            at = a + np.searchsorted(lattice.arc_key[a:b], key)
            if at < b and lattice.arc_key[at] == key:
                arcs[c] = at
    return arcs


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


@kernel
def _kept_leaving(lattice, keep):
    """Number of kept arcs that leave each node."""
    out = np.zeros(lattice.node_start[-1], dtype=np.int64)
    arc_tail = lattice.arc_tail
    for a in range(len(keep)):
        out[arc_tail[a]] += keep[a]
    return out


@kernel
def _extended_size(lattice, keep):
    out = np.zeros(len(lattice.order), dtype=np.int64)
    leaving, arc_head = _kept_leaving(lattice, keep), lattice.arc_head
    for w in range(len(out)):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        size = 0
        for a in range(lattice.arc_start[first], lattice.arc_start[max(last - 1, first + 1)]):
            if keep[a]:
                size += leaving[arc_head[a]] if last - first > 1 else 1
        out[w] = size
    return out


@kernel
def _extend(lattice, keep, kept, grow):
    """Fields of the next lattice. `kept[a]`: number of kept arcs before a."""
    n_examples = len(lattice.order)
    order, col_start = lattice.order.copy(), np.zeros(n_examples + 1, dtype=np.int64)
    leaving = _kept_leaving(lattice, keep)
    size = _extended_size(lattice, keep)
    n_arcs = 0
    for w in range(n_examples):
        n_columns = lattice.col_start[w + 1] - lattice.col_start[w]
        grows = grow and n_columns > 1
        order[w] += grows
        col_start[w + 1] = col_start[w] + n_columns - grows
        if grows:
            n_arcs += size[w]
        else:
            first, last = lattice.col_start[w], lattice.col_start[w + 1]
            n_arcs += kept[lattice.arc_start[last]] - kept[lattice.arc_start[first]]

    survivor = np.flatnonzero(keep)
    tails, heads, keys = lattice.arc_tail[survivor], lattice.arc_head[survivor], lattice.arc_key[survivor]
    first_out = np.zeros(len(leaving), dtype=np.int64)  # survivors that leave a node lie together
    for g in range(len(survivor) - 1, -1, -1):
        first_out[tails[g]] = g

    arc_start = np.zeros(col_start[-1] + 1, dtype=np.int64)
    node_start = np.zeros(col_start[-1] + n_examples + 1, dtype=np.int64)
    tail, head = np.empty(n_arcs, dtype=np.int32), np.empty(n_arcs, dtype=np.int32)
    key = np.empty(n_arcs, dtype=np.int64)
    bits, mask = lattice.bits, (1 << lattice.bits) - 1
    at, nodes = 0, 0
    for w in range(n_examples):
        first, n_columns = lattice.col_start[w], col_start[w + 1] - col_start[w]
        grows = order[w] > lattice.order[w]
        # Nodes of the new level: the surviving n-grams, or the old contexts where it does not grow.
        shift = nodes - (kept[lattice.arc_start[first]] if grows else lattice.node_start[first + w])
        for i in range(n_columns + 1):
            node_start[col_start[w] + w + i] = nodes
            if grows:
                nodes += kept[lattice.arc_start[first + i + 1]] - kept[lattice.arc_start[first + i]]
            else:
                nodes += lattice.node_start[first + w + i + 1] - lattice.node_start[first + w + i]
        for i in range(n_columns):
            arc_start[col_start[w] + i] = at
            for g in range(kept[lattice.arc_start[first + i]], kept[lattice.arc_start[first + i + 1]]):
                if not grows:
                    tail[at], head[at], key[at] = tails[g] + shift, heads[g] + shift, keys[g]
                    at += 1
                    continue
                begin = first_out[heads[g]]
                for h in range(begin, begin + leaving[heads[g]]):
                    tail[at], head[at] = g + shift, h + shift
                    key[at] = (keys[g] << bits) + (keys[h] & mask)
                    at += 1
    arc_start[-1] = at
    node_start[-1] = nodes
    return (
        lattice.n_states,
        lattice.bits,
        order,
        lattice.row_start,
        col_start,
        arc_start,
        node_start,
        tail,
        head,
        key,
    )

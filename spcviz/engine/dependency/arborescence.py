r"""Dependency trees: the best one, the best one through each arc, arc probabilities.

A tree gives each of N words one head, another word or the root, so that every word is reached from the root:
a spanning arborescence. It scores the sum of its arcs,

.. math:: \psi(x, y) = \sum_{d = 1}^{N} s(d, y_d)

Throughout: ``scores`` is s, shape (N + 1, N + 1), indexed ``[dependent, head]``; node 0 is the root, words
are 1 .. N. Row 0 and the diagonal mean nothing and are not read. Larger is better; -inf forbids an arc.
``heads`` has shape (N,): ``heads[d - 1]`` is the head of word d.

The best tree: every node takes its best head; where these close a cycle, the cycle becomes one node, whose
arcs say what they gain over the arc of the cycle that they replace (Chu-Liu-Edmonds). Rows are merged in
place and columns stay the words, so a merge costs the rows that it merges: O(N^2) in all (Tarjan 1977).

Probabilities under exp(psi): eliminating a word v hands its dependents on to its heads,
``w[d, h] += w[d, v] w[v, h] / S_v`` with ``S_v`` the sum of row v, and the product of all S is the sum over
all trees (the matrix-tree theorem by elimination). Only additions, so nothing cancels. A random walk from a
word to its heads ends at the root; that it does so before it meets d is the share of trees, among those in
which d is left without a head, in which the word does not hang below d.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.dependency import exact_trees
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import copy

MAX_WORDS = 2000
RELIABLE = 1e6
"""A tree is taken as plain arithmetic finds it where what was subtracted is at most so many times, divided by
N + 1, the smallest of its scores: rounding then stays below 1e-9 of that. Else it is found exactly."""
TAME_RANGE = 600.0
"""Scores of one word may differ by so much where trees are summed: exp(-600) is no smallest double yet."""


class Tree(NamedTuple):
    """A best dependency tree.

    Attributes
    ----------
    score : float
    heads : ndarray of int, shape (N,)
        ``[d - 1]``: head of word d, 0 for the root.
    """

    score: float
    heads: np.ndarray


class ArcMarginals(NamedTuple):
    """Probabilities of arcs under p(tree) proportional to exp(psi(tree)).

    Attributes
    ----------
    log_partition : float
    arcs : ndarray, shape (N + 1, N + 1)
        ``[d, h]``; row 0 and the diagonal are 0.
    """

    log_partition: float
    arcs: np.ndarray


class Without(NamedTuple):
    """Best trees that leave out one arc of the best tree each.

    Attributes
    ----------
    scores : ndarray, shape (N,)
        ``[d - 1]``: without the arc into word d; -inf if there is no such tree.
    heads : ndarray of int, shape (N,)
        The head that word d has there; -1 if there is no such tree.
    """

    scores: np.ndarray
    heads: np.ndarray


def decode(scores, *, single_root=False):
    """Best dependency tree, projective or not, in O(N^2).

    Parameters
    ----------
    scores : array_like, shape (N + 1, N + 1)
        ``[dependent, head]``, see above. N is 1 .. 2000.
    single_root : bool
        Whether exactly one word may hang below the root.

    Returns
    -------
    Tree
        Of equal arcs into a word the one from the smallest head is taken.

    Notes
    -----
    What is lost to rounding is below 1e-9 of the smallest score in the tree that is not 0. Where subtracting
    floats could lose more, as beside soft masks of -1e9, whole numbers of any length decide: O(N^2) too, but
    some hundred times slower (`exact_trees`).

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        The array is not square, too small or too large, or holds NaN or +inf.
    InfeasibleError
        No such tree has a finite score.

    References
    ----------
    Tarjan (1977), Finding optimum branchings; McDonald et al. (2005); Bolukbasi et al. (2017), section 4.3.

    Examples
    --------
    >>> scores = [[0, 0, 0], [5, 0, 9], [4, 9, 0]]
    >>> decode(scores)
    Tree(score=14.0, heads=array([0, 1]))
    >>> scores = [[0, 0, 0], [9, 0, 1], [9, 1, 0]]
    >>> decode(scores).heads, decode(scores, single_root=True).heads
    (array([0, 0]), array([0, 1]))
    """
    # What kernels take as it is, the kernel checks: a check by itself takes half as long again.
    if not (type(scores) is np.ndarray and scores.dtype == np.float64 and scores.flags.c_contiguous):
        scores = checks.scores("scores", scores, 2)
    _check_shape(scores)
    return _decoded(scores, single_root)


def max_marginals(scores, *, single_root=False):
    """Score of the best tree through each arc.

    One decoding for each arc that is not in the best tree: O(N^4), 2 ms at 25 words.

    Parameters
    ----------
    scores, single_root
        As in `decode`.

    Returns
    -------
    ndarray, shape (N + 1, N + 1)
        ``[d, h]``; row 0 and the diagonal are -inf.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    References
    ----------
    Weiss (2013), thesis, equation (4.1), on trees of words.

    Examples
    --------
    >>> max_marginals([[0, 0, 0], [5, 0, 9], [4, 9, 0]])[1:]
    array([[ 14., -inf,  13.],
           [ 13.,  14., -inf]])
    """
    scores = checked(scores)
    best = _decoded(scores, single_root)
    out = np.full(scores.shape, -np.inf)
    is_rough = _through_each_arc(scores, best.heads, best.score, bool(single_root), out)
    for d, h in np.argwhere(out == np.inf) if is_rough else ():
        cut = scores.copy()
        cut[d] = -np.inf
        cut[d, h] = scores[d, h]
        out[d, h] = exact_trees.best(cut, bool(single_root))[0]
    return out


def without_arcs(scores, *, single_root=False):
    """The best tree without each word's arc of the best tree: N decodings.

    Parameters
    ----------
    scores, single_root
        As in `decode`.

    Returns
    -------
    Without

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    Examples
    --------
    >>> without_arcs([[0, 0, 0], [5, 0, 9], [4, 9, 0]])
    Without(scores=array([13., 13.]), heads=array([2, 0]))
    """
    scores = checked(scores)
    best = _decoded(scores, single_root)
    found = Without(np.empty(len(best.heads)), np.empty(len(best.heads), dtype=np.int64))
    _without_each_arc(scores, best.heads, bool(single_root), found.scores, found.heads)
    for d in np.flatnonzero(found.scores == np.inf) + 1:
        cut = scores.copy()
        cut[d, best.heads[d - 1]] = -np.inf
        found.scores[d - 1], heads = exact_trees.best(cut, bool(single_root))
        found.heads[d - 1] = heads[d - 1]
    return found


def marginals(scores, *, single_root=False):
    """Sum over all dependency trees and the probability of every arc, in O(N^4).

    Parameters
    ----------
    scores, single_root
        As in `decode`; the finite scores of one word may differ by at most 600.

    Returns
    -------
    ArcMarginals

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    References
    ----------
    Koo et al. (2007), Structured prediction models via the matrix-tree theorem.

    Examples
    --------
    >>> found = marginals([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    >>> round(np.exp(found.log_partition)), found.arcs[1]
    (3, array([0.66666667, 0.        , 0.33333333]))
    """
    scores = checked(scores)
    _decoded(scores, single_root)  # refuses what has no tree
    words = scores[1:]
    top = words.max(axis=1)
    spread = top - np.where(np.isfinite(words), words, np.inf).min(axis=1)
    if spread.max() > TAME_RANGE:
        word = int(spread.argmax()) + 1
        raise ArgumentError(
            f"scores[{word}] must lie within {TAME_RANGE:.0f} to sum over trees, got {spread.max():.6g}"
        )
    weights = np.zeros(scores.shape)
    weights[1:] = np.exp(words - top[:, None])
    arcs = np.zeros(scores.shape)
    log_sum = _single_root_sums(weights, arcs) if single_root else _arc_sums(weights, arcs)
    return ArcMarginals(float(log_sum + top.sum()), arcs)


def checked(scores):
    """Scores as float64 with the diagonal and row 0 forbidden; errors as in `decode`."""
    array = _square(scores).copy()
    array[0] = -np.inf
    np.fill_diagonal(array, -np.inf)
    return array


def _square(scores):
    array = checks.scores("scores", scores, 2)
    _check_shape(array)
    return array


def _check_shape(array):
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not 1 <= len(array) - 1 <= MAX_WORDS:
        raise ShapeError(
            f"scores has shape {array.shape}; it needs (N + 1, N + 1) for 1 <= N <= {MAX_WORDS} words"
        )


def _decoded(scores, single_root):
    heads = np.empty(len(scores) - 1, dtype=np.int64)
    score = _decode(scores, bool(single_root), heads)
    if score != score:  # NaN; a ufunc would take longer than the tree
        checks.scores("scores", scores, 2)  # says what is wrong, and where
    if score == np.inf:
        return Tree(*exact_trees.best(scores, bool(single_root)))
    if score == -np.inf:
        what = "dependency tree with one word below the root" if single_root else "dependency tree"
        raise InfeasibleError(f"no {what} has a finite score")
    return Tree(score, heads)


@kernel
def _decode(scores, single_root, heads):
    """Fill heads; the tree's score, -inf if there is none, NaN if a score is bad, inf to find it exactly."""
    n = len(scores)
    if checks.first_bad(scores.reshape(-1)) >= 0:
        return np.nan
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    score, rough = _decode_into(
        scores, single_root, heads, gain, origin, np.empty((9, 2 * n), dtype=np.int64)
    )
    return score if rough == 0.0 or rough <= RELIABLE / n * _finest(scores, heads) else np.inf


@kernel
def decode_into(scores, single_root, heads, gain, origin, marks):
    """`decode` for kernels: fill heads (N,), return the score, -inf if there is no tree.

    Scratch memory: gain float, origin int32, of at least (N + 1, N + 1), marks int64, at least (9, 2 N + 2).
    In plain arithmetic: what it subtracts is rounded to 1e-16 of the largest score that it subtracts.
    """
    return _decode_into(scores, single_root, heads, gain, origin, marks)[0]


@kernel
def _decode_into(scores, single_root, heads, gain, origin, marks):
    """As `decode_into`: (score, the largest magnitude that was subtracted or left: what rounding goes by)."""
    _allowed(scores, gain)
    rough = _grow(gain, origin, marks, heads, False)
    if rough >= 0.0 and single_root and np.sum(heads == 0) != 1:
        _allowed(scores, gain)
        rough = _grow(gain, origin, marks, heads, True)
        if np.sum(heads == 0) != 1:
            rough = -1.0
    if rough < 0.0:
        return -np.inf, 0.0
    total = 0.0
    for d in range(1, len(scores)):
        total += scores[d, heads[d - 1]]
    return total, rough


@kernel
def _finest(scores, heads):
    """The smallest magnitude of a tree's arcs that is not 0; 0 if none is."""
    least = np.inf
    for d in range(1, len(scores)):
        size = abs(scores[d, heads[d - 1]])
        if 0.0 < size < least:
            least = size
    return least if least < np.inf else 0.0


@kernel
def _coarsest(scores, heads):
    """The largest magnitude of a tree's arcs."""
    most = 0.0
    for d in range(1, len(scores)):
        most = max(most, abs(scores[d, heads[d - 1]]))
    return most


@kernel
def _allowed(scores, out):
    """Copy scores into `out`, with no arc into the root and none from a word to itself."""
    for u in range(len(scores)):
        for v in range(len(scores)):
            out[u, v] = -np.inf if u in (0, v) else scores[u, v]


@kernel
def _grow(gain, origin, marks, heads, is_last_resort):
    """Chu-Liu-Edmonds by growing one path after the other towards the root; fills heads.

    Returns the largest magnitude that a merge subtracted or its node paid (0 if nothing merged), or -1 if a
    path gets stuck.
    ``is_last_resort``: the root is taken where nothing else is left, so by as few words as can be. That is
    the order of pairs (arcs from the root, score). A path ends at the root, so what merges subtract is never
    the price of an arc from it, and scores alone say which of two such arcs is better.

    ``gain[c, u]``: what the arc from word u into node c adds; ``origin[c, u]``: the word of c it goes into.
    Nodes are rows, named by one of their words; ``number`` tells apart the nodes that one row was, one after
    the other, merged nodes from n on.
    """
    n = len(gain)
    node, number, place, path = marks[0, :n], marks[1, :n], marks[2, :n], marks[3, :n]
    parent, tail, into, settled = marks[4], marks[5], marks[6], marks[7]
    done = marks[8, :n]
    paid, rough = np.empty(n), 0.0
    for u in range(n):
        node[u], number[u], place[u], done[u] = u, u, -1, u == 0
        origin[u, :] = u
    parent[:] = -1
    settled[:] = 0
    count = n
    for start in range(1, n):
        c = node[start]
        if done[c]:
            continue
        length = 0
        while True:
            if place[c] < 0:
                place[c], path[length] = length, c
                length += 1
            u = _best_head(gain[c, 1:]) + 1 if is_last_resort else _best_head(gain[c])
            if gain[c, u] == -np.inf:
                u = 0
                if gain[c, 0] == -np.inf:
                    return -1.0
            paid[c], tail[number[c]], into[number[c]] = gain[c, u], u, origin[c, u]
            if number[c] >= n:
                rough = max(rough, abs(paid[c]))
            before = node[u]
            if done[before]:
                break
            if place[before] < 0:
                c = before
                continue
            first = place[before]
            for i in range(first, length):
                rough = max(rough, abs(paid[path[i]]))
            count = _merge(gain, origin, path[first:length], paid, node, number, parent, count)
            for i in range(first + 1, length):
                place[path[i]] = -1
            length, c = first + 1, before
        for i in range(length):
            done[path[i]], place[path[i]] = 1, -1
    for k in range(count - 1, 0, -1):  # a node's arc enters it at a word and frees all nodes on the way
        if settled[k]:
            continue
        d = into[k]
        heads[d - 1] = tail[k]
        v = d
        while v != k:
            settled[v] = 1
            v = parent[v]
    return rough


@kernel
def _best_head(row):
    """Smallest index of the largest value."""
    n = len(row)
    a = b = c = d = row[0]  # four at a time: one maximum after the other would wait for the last
    for u in range(0, n - 3, 4):
        a = row[u] if row[u] > a else a
        b = row[u + 1] if row[u + 1] > b else b
        c = row[u + 2] if row[u + 2] > c else c
        d = row[u + 3] if row[u + 3] > d else d
    for u in range(n - n % 4, n):
        a = row[u] if row[u] > a else a
    best = max(max(a, b), max(c, d))
    u = 0
    while row[u] != best:
        u += 1
    return u


@kernel
def _merge(gain, origin, cycle, paid, node, number, parent, count):
    """Make one node, in the row of the cycle's first, of all nodes of a cycle; returns the next number."""
    n, c = len(gain), cycle[0]
    gain[c] -= paid[c]
    parent[number[c]] = count
    for i in range(1, len(cycle)):
        v = cycle[i]
        parent[number[v]] = count
        bill = paid[v]
        for u in range(n):
            offered = gain[v, u] - bill
            is_more = offered > gain[c, u]
            gain[c, u] = offered if is_more else gain[c, u]
            origin[c, u] = origin[v, u] if is_more else origin[c, u]
    for i in range(1, len(cycle)):
        for u in range(n):
            node[u] = c if node[u] == cycle[i] else node[u]
    for u in range(n):
        if node[u] == c:
            gain[c, u] = -np.inf
    number[c] = count
    return count + 1


@kernel
def _score(scores, single_root, heads, gain, origin, marks):
    """As `decode_into`; inf where rounding may count beside the largest score of the tree."""
    score, rough = _decode_into(scores, single_root, heads, gain, origin, marks)
    most, n = RELIABLE / len(scores), len(scores)
    is_fine = rough <= most / n * abs(score) or rough <= most * _coarsest(scores, heads)  # the first is quick
    return score if is_fine else np.inf


@kernel
def _through_each_arc(scores, heads, best, single_root, out):
    """out[d, h] = `_score` of the best tree with the arc, row d cut down to it; whether any is inf."""
    n = len(scores)
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    marks = np.empty((9, 2 * n), dtype=np.int64)
    changed, own, is_rough = scores.copy(), np.empty(n - 1, dtype=np.int64), False
    for d in range(1, n):
        for h in range(n):
            if heads[d - 1] == h:
                out[d, h] = best
            elif scores[d, h] > -np.inf:
                changed[d, :] = -np.inf
                changed[d, h] = scores[d, h]
                out[d, h] = _score(changed, single_root, own, gain, origin, marks)
                is_rough |= out[d, h] == np.inf
        copy(scores[d], changed[d])
    return is_rough


@kernel
def _without_each_arc(scores, heads, single_root, out, other):
    """out[d - 1] = score, see `_score`, of the best tree in which d has another head, other[d - 1]."""
    n = len(scores)
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    marks = np.empty((9, 2 * n), dtype=np.int64)
    changed, own = scores.copy(), np.empty(n - 1, dtype=np.int64)
    for d in range(1, n):
        changed[d, heads[d - 1]] = -np.inf
        out[d - 1] = _score(changed, single_root, own, gain, origin, marks)
        other[d - 1] = own[d - 1] if out[d - 1] > -np.inf else -1
        changed[d, heads[d - 1]] = scores[d, heads[d - 1]]


@kernel
def _eliminate(weights, is_end, order, sums):
    """Hand every word's dependents on to its heads, in order; returns the log of the product of the sums.

    Words of ``order`` are eliminated one after the other; ``is_end`` are nodes that are never entered.
    ``weights`` is left with each word's row as it was when it was eliminated; ``sums`` gets its sum then.
    """
    n, log_product = len(weights), 0.0
    for i in range(len(order)):
        v = order[i]
        total = 0.0
        for h in range(n):
            if is_end[h]:
                total += weights[v, h]
        for j in range(i + 1, len(order)):
            total += weights[v, order[j]]
        sums[v] = total
        if total == 0.0:
            return -np.inf
        log_product += np.log(total)
        for j in range(i + 1, len(order)):
            d = order[j]
            share = weights[d, v] / total
            if share > 0.0:
                for h in range(n):
                    weights[d, h] += share * weights[v, h]
    return log_product


@kernel
def _arc_sums(weights, arcs):
    """Probabilities of arcs into ``arcs``, row by row; returns the log of the sum over trees.

    The trees with an arc (d, h) are those in which d is an end of its own, times w[d, h], times the share in
    which h hangs below the root and not below d.
    """
    n = len(weights)
    is_end, order, sums = np.zeros(n, dtype=np.bool_), np.arange(1, n), np.empty(n)
    is_end[0] = True
    reached = np.empty(n)
    whole = _eliminate(weights.copy(), is_end, order, sums)
    if whole == -np.inf:
        return whole
    for d in range(1, n):
        own, others = weights.copy(), np.empty(n - 2, dtype=np.int64)
        for i in range(n - 2):
            others[i] = i + 1 if i + 1 < d else i + 2
        is_end[d] = True
        scale = np.exp(_eliminate(own, is_end, others, sums) - whole)
        is_end[d] = False
        reached[0], reached[d] = 1.0, 0.0
        for i in range(n - 3, -1, -1):
            v = others[i]
            total = own[v, 0]
            for j in range(i + 1, n - 2):
                total += own[v, others[j]] * reached[others[j]]
            reached[v] = total / sums[v]
        for h in range(n):
            if h != d:
                arcs[d, h] = scale * weights[d, h] * reached[h]
    return whole


@kernel
def _single_root_sums(weights, arcs):
    """The same over trees with one word below the root, O(N^5): one sum for each such word."""
    n = len(weights)
    logs, own_arcs = np.full(n, -np.inf), np.zeros((n, n, n))
    for r in range(1, n):
        if weights[r, 0] > 0.0:
            own = weights.copy()
            own[:, 0] = 0.0
            own[r, :] = 0.0
            own[r, 0] = weights[r, 0]
            logs[r] = _arc_sums(own, own_arcs[r])
    top = logs.max()
    total = np.exp(logs - top).sum()
    for r in range(1, n):
        if logs[r] > -np.inf:
            arcs += np.exp(logs[r] - top) / total * own_arcs[r]
    return top + np.log(total)

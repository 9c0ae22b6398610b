r"""The best dependency tree in O(N^2): the recursion of Chu and Liu, and Edmonds, for spanning arborescences.

A tree gives each of N words one head, another word or the root, so that every word is reached from the root:
a spanning arborescence. It scores the sum of the potentials of its arcs,

.. math:: \psi(x, y) = \sum_{d = 1}^{N} s(d, y_d)

Throughout: ``scores`` is s, shape (N + 1, N + 1), indexed ``[dependent, head]``; node 0 is the root, words
are 1 .. N. Row 0 and the diagonal mean nothing and are not read. Larger is better; -inf forbids an arc.
``heads`` has shape (N,): ``heads[d - 1]`` is the head of word d.

Every node takes its best head; where these close a cycle, the cycle becomes one node, whose arcs hold their
gain over the arc of the cycle that they replace. Rows are merged in place and columns remain the words, so
the cost of a merge is that of the rows it merges: O(N^2) in all (Tarjan 1977).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.dependency import exact_trees
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel

MAX_WORDS = 2000
RELIABLE = 1e6
"""The tree of plain arithmetic is accepted if the largest number subtracted is at most this factor, divided
by N + 1, times the smallest of its scores: rounding then stays below 1e-9 of that. Else it is found
exactly."""


class DependencyTree(NamedTuple):
    """A best dependency tree: ``heads[d - 1]`` (N,), int64, is the head of word d, 0 for the root."""

    score: float
    heads: np.ndarray


def decode(scores: ArrayLike, *, single_root: bool = False) -> DependencyTree:
    """Best dependency tree, projective or not, in O(N^2).

    Among equal arcs into a word, the one from the smallest head is chosen. Rounding loses less than 1e-9 of
    the smallest score in the tree that is not 0. Where subtracting floats could lose more, as next to soft
    masks of -1e9, integers of any length decide: O(N^2) too, but about a hundred times slower
    (`exact_trees`). Tarjan (1977), Finding optimum branchings; McDonald et al. (2005); Bolukbasi et al.
    (2017), section 4.3.

    Parameters
    ----------
    scores : array_like, shape (N + 1, N + 1)
        ``[dependent, head]``, see above. N is 1 .. 2000.
    single_root : bool
        Whether exactly one word may hang below the root.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        The array is not square, too small or too large, or holds NaN or +inf.
    InfeasibleError
        No such tree has a finite score.

    Examples
    --------
    >>> scores = [[0, 0, 0], [5, 0, 9], [4, 9, 0]]
    >>> decode(scores)
    DependencyTree(score=14.0, heads=array([0, 1]))
    >>> scores = [[0, 0, 0], [9, 0, 1], [9, 1, 0]]
    >>> decode(scores).heads, decode(scores, single_root=True).heads
    (array([0, 0]), array([0, 1]))
    """
    # The kernel itself checks arrays that it can take unchanged: a separate check takes half as long again.
    if not (type(scores) is np.ndarray and scores.dtype == np.float64 and scores.flags.c_contiguous):
        scores = checks.scores("scores", scores, 2)
    _check_shape(scores)
    return decode_checked(scores, single_root)


def check_scores(scores: ArrayLike) -> np.ndarray:
    """Scores as float64 with the diagonal and row 0 forbidden; errors as in `decode`."""
    array = checks.scores("scores", scores, 2).copy()
    _check_shape(array)
    array[0] = -np.inf
    np.fill_diagonal(array, -np.inf)
    return array


def _check_shape(array: np.ndarray) -> None:
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not 1 <= len(array) - 1 <= MAX_WORDS:
        raise ShapeError(
            f"scores has shape {array.shape}; it needs (N + 1, N + 1) for 1 <= N <= {MAX_WORDS} words"
        )


def decode_checked(scores: np.ndarray, single_root: bool) -> DependencyTree:
    """`decode` of scores of the right shape and type; raises an error if their values are wrong."""
    heads = np.empty(len(scores) - 1, dtype=np.int64)
    score = _decode(scores, bool(single_root), heads)
    if score != score:  # NaN; a ufunc would take longer than the tree
        checks.scores("scores", scores, 2)  # says what is wrong, and where
    if score == np.inf:
        return DependencyTree(*exact_trees.best(scores, bool(single_root)))
    if score == -np.inf:
        what = "dependency tree with one word below the root" if single_root else "dependency tree"
        raise InfeasibleError(f"no {what} has a finite score")
    return DependencyTree(score, heads)


@kernel
def _decode(scores: np.ndarray, single_root: bool, heads: np.ndarray) -> float:
    """Fill heads; the tree's score, -inf if there is none, NaN if a score is bad, inf if it must be exact."""
    n = len(scores)
    if checks.first_bad(scores.reshape(-1)) >= 0:
        return np.nan
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    score, rough = decode_with_rounding(
        scores, single_root, heads, gain, origin, np.empty((9, 2 * n), dtype=np.int64)
    )
    return score if rough == 0.0 or rough <= RELIABLE / n * _finest(scores, heads) else np.inf


@kernel
def decode_into(
    scores: np.ndarray,
    single_root: bool,
    heads: np.ndarray,
    gain: np.ndarray,
    origin: np.ndarray,
    marks: np.ndarray,
) -> float:
    """`decode` for kernels: fill heads (N,), return the score, -inf if there is no tree.

    Scratch memory: gain float, origin int32, of at least (N + 1, N + 1), marks int64, at least (9, 2 N + 2).
    In plain arithmetic: differences are rounded to 1e-16 of the largest score that it subtracts.
    """
    return decode_with_rounding(scores, single_root, heads, gain, origin, marks)[0]


@kernel
def decode_with_rounding(
    scores: np.ndarray,
    single_root: bool,
    heads: np.ndarray,
    gain: np.ndarray,
    origin: np.ndarray,
    marks: np.ndarray,
) -> tuple[float, float]:
    """As `decode_into`: (score, the largest magnitude subtracted or left, which scales the rounding)."""
    _copy_allowed(scores, gain)
    rough = _grow(gain, origin, marks, heads, False)
    if rough >= 0.0 and single_root and np.sum(heads == 0) != 1:
        _copy_allowed(scores, gain)
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
def _finest(scores: np.ndarray, heads: np.ndarray) -> float:
    """The smallest magnitude of a tree's arcs that is not 0; 0 if all are."""
    least = np.inf
    for d in range(1, len(scores)):
        size = abs(scores[d, heads[d - 1]])
        if 0.0 < size < least:
            least = size
    return least if least < np.inf else 0.0


@kernel
def _copy_allowed(scores: np.ndarray, out: np.ndarray) -> None:
    """Copy scores into `out`, with no arc into the root and none from a word to itself."""
    for u in range(len(scores)):
        for v in range(len(scores)):
            out[u, v] = -np.inf if u in (0, v) else scores[u, v]


@kernel
def _grow(
    gain: np.ndarray, origin: np.ndarray, marks: np.ndarray, heads: np.ndarray, is_last_resort: bool
) -> float:
    """Chu-Liu-Edmonds by growing one path after the other towards the root; fills heads.

    Returns the largest magnitude that a merge subtracted or its node paid (0 if nothing merged), or -1 if a
    path gets stuck.
    ``is_last_resort``: the root is chosen only where no other head is left, so by as few words as possible.
    That is the order of pairs (arcs from the root, score). A path ends at the root, so merges never subtract
    the price of an arc from it, and scores alone decide which of two such arcs is better.

    ``gain[c, u]``: the gain of the arc from word u into node c; ``origin[c, u]``: the word of c that it
    enters. Nodes are rows, named by one of their words; ``number`` distinguishes the successive nodes of one
    row, merged nodes from n on.
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
def _best_head(row: np.ndarray) -> int:
    """Smallest index of the largest value."""
    n = len(row)
    a = b = c = d = row[0]  # four at a time: a single running maximum would wait for each step
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
def _merge(
    gain: np.ndarray,
    origin: np.ndarray,
    cycle: np.ndarray,
    paid: np.ndarray,
    node: np.ndarray,
    number: np.ndarray,
    parent: np.ndarray,
    count: int,
) -> int:
    """Merge all nodes of a cycle into one, in the row of the cycle's first; returns the next number."""
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
    # Arcs between nodes of the cycle enter no node that is left.
    for u in range(n):
        if node[u] == c:
            gain[c, u] = -np.inf
    number[c] = count
    return count + 1

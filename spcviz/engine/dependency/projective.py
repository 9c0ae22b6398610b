r"""Projective dependency trees, whose arcs do not cross: the inside recursion over spans of Eisner (1996).

Trees and ``scores`` as in `arborescence`: ``scores[dependent, head]``, node 0 is the root. Over spans s .. t

- ``left[s, t]``, ``right[s, t]``: best with an arc between the ends, head t or head s, of
  ``right_done[s, q] + left_done[q + 1, t]`` plus the arc
- ``left_done[s, t]``: best with t above all the others, ``left_done[s, q] + left[q, t]``
- ``right_done[s, t]``: best with s above all the others, ``right[s, q] + right_done[q, t]``

Each table is kept twice, by row and by column, so that every maximum runs over contiguous memory.
"""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.dependency.chu_liu_edmonds import DependencyTree, check_scores
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.kernels.jit import kernel

LEFT, RIGHT, LEFT_DONE, RIGHT_DONE = 0, 1, 2, 3


def decode(scores: ArrayLike, *, single_root: bool = False) -> DependencyTree:
    """Best projective dependency tree in O(N^3).

    Arguments and errors as in `arborescence.decode`. Ties go to the first place where a span can be cut.
    Eisner (1996), Three new probabilistic models for dependency parsing.

    Arcs 1-3 and 2-4 would cross; the best tree without a crossing is another.

    >>> import numpy as np
    >>> scores = np.zeros((5, 5))
    >>> scores[1, 0], scores[3, 1], scores[2, 4], scores[4, 1] = 9, 9, 8, 1
    >>> decode(scores)
    DependencyTree(score=19.0, heads=array([0, 3, 1, 1]))
    """
    scores = check_scores(scores)
    heads = np.full(len(scores) - 1, -1, dtype=np.int64)
    _decode(scores, bool(single_root), heads)
    if heads.min() < 0:
        raise InfeasibleError("no projective dependency tree has a finite score")
    return DependencyTree(float(scores[np.arange(1, len(scores)), heads].sum()), heads)


@kernel
def _decode(scores: np.ndarray, single_root: bool, heads: np.ndarray) -> None:
    """Fill heads; an entry that stays -1 means that there is no tree."""
    n = len(scores)
    by_row, by_column = np.full((4, n, n), -np.inf), np.full((4, n, n), -np.inf)
    first = 1 if single_root else 0
    for i in range(first, n):
        for table in (LEFT_DONE, RIGHT_DONE):
            by_row[table, i, i] = by_column[table, i, i] = 0.0
    for width in range(1, n - first):
        for s in range(first, n - width):
            _fill(scores, by_row, by_column, s, s + width)
    if not single_root:
        _trace(by_row, by_column, RIGHT_DONE, 0, n - 1, heads)
        return
    best, chosen = -np.inf, 0
    for r in range(1, n):
        score = by_row[LEFT_DONE, 1, r] + by_row[RIGHT_DONE, r, n - 1] + scores[r, 0]
        if score > best:
            best, chosen = score, r
    if chosen > 0:
        heads[chosen - 1] = 0
        _trace(by_row, by_column, LEFT_DONE, 1, chosen, heads)
        _trace(by_row, by_column, RIGHT_DONE, chosen, n - 1, heads)


@kernel
def _fill(scores: np.ndarray, by_row: np.ndarray, by_column: np.ndarray, s: int, t: int) -> None:
    """All four tables of one span."""
    between = _best(by_row[RIGHT_DONE, s, s:t], by_column[LEFT_DONE, t, s + 1 : t + 1])
    for table, score in ((LEFT, scores[s, t]), (RIGHT, scores[t, s])):
        by_row[table, s, t] = by_column[table, t, s] = between + score
    above = _best(by_row[LEFT_DONE, s, s:t], by_column[LEFT, t, s:t])
    by_row[LEFT_DONE, s, t] = by_column[LEFT_DONE, t, s] = above
    above = _best(by_row[RIGHT, s, s + 1 : t + 1], by_column[RIGHT_DONE, t, s + 1 : t + 1])
    by_row[RIGHT_DONE, s, t] = by_column[RIGHT_DONE, t, s] = above


@kernel
def _best(a: np.ndarray, b: np.ndarray) -> float:
    best = -np.inf
    for i in range(len(a)):
        best = max(best, a[i] + b[i])
    return best


@kernel
def _first(a: np.ndarray, b: np.ndarray) -> int:
    """The first index at which `_best` is attained."""
    best = _best(a, b)
    for i in range(len(a)):
        if a[i] + b[i] == best:
            return i
    return 0


@kernel
def _trace(by_row: np.ndarray, by_column: np.ndarray, table: int, s: int, t: int, heads: np.ndarray) -> None:
    """Heads of all words of a span but its head; nothing if no tree of it is allowed."""
    if by_row[table, s, t] == -np.inf:
        return
    # Spans still to be split, as a stack: long sentences would nest too deep for calls.
    waiting = np.empty((2 * len(by_row[0]), 3), dtype=np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = table, s, t
    count = 1
    while count > 0:
        count -= 1
        table, s, t = waiting[count, 0], waiting[count, 1], waiting[count, 2]
        if s == t:
            continue
        if table == LEFT_DONE:
            q = s + _first(by_row[LEFT_DONE, s, s:t], by_column[LEFT, t, s:t])
            parts = ((LEFT_DONE, s, q), (LEFT, q, t))
        elif table == RIGHT_DONE:
            q = s + 1 + _first(by_row[RIGHT, s, s + 1 : t + 1], by_column[RIGHT_DONE, t, s + 1 : t + 1])
            parts = ((RIGHT, s, q), (RIGHT_DONE, q, t))
        else:
            if table == LEFT:
                heads[s - 1] = t
            else:
                heads[t - 1] = s
            q = s + _first(by_row[RIGHT_DONE, s, s:t], by_column[LEFT_DONE, t, s + 1 : t + 1])
            parts = ((RIGHT_DONE, s, q), (LEFT_DONE, q + 1, t))
        for part in parts:
            waiting[count, 0], waiting[count, 1], waiting[count, 2] = part
            count += 1

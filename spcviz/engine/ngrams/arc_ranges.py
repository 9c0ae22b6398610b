r"""Message passing along runs of arcs from one node to adjacent ones, so that loops over them read rows.

In a lattice that `space.bigrams` lays out and `space.extend` grows, the arcs that leave a node are contiguous
and lead to adjacent nodes: one run per node. In any lattice a single arc is a run too. Messages and best
paths follow runs, and look up no arc's ends.

Legend: W examples, C arc columns, G runs, N nodes, A arcs.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.lattice_steps import back, back_through, forth
from spcviz.engine.kernels.semirings import Semiring, total


class Runs(NamedTuple):
    """A lattice's arcs as runs, for loops.

    All int64. Example w owns columns ``col_start[w] : col_start[w + 1]``. `column` (C + 1, 4): each column's
    first run, first tail node, first head node and the node after its heads. `run` (G + 1, 3): each run's
    first arc, its tail and the head of its first arc; its other arcs lead to the nodes that follow. The last
    rows close the runs, nodes and arcs.
    """

    col_start: np.ndarray
    column: np.ndarray
    run: np.ndarray


@kernel
def runs_of(
    col_start: np.ndarray,
    arc_start: np.ndarray,
    node_start: np.ndarray,
    arc_tail: np.ndarray,
    arc_head: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(column, run) of a lattice's fields; see `Runs`."""
    n_columns, n_arcs = col_start[-1], len(arc_tail)
    # Allocated flat and reshaped: numba compiles an allocation anew for every number of dimensions.
    column = np.empty((n_columns + 1) * 4, np.int64).reshape((n_columns + 1, 4))
    begins, n = np.empty(n_arcs + 1, np.int32), 0
    for w in range(len(col_start) - 1):
        for c in range(col_start[w], col_start[w + 1]):
            column[c, 0] = n
            for i in range(3):
                column[c, i + 1] = node_start[c + w + i]
            start, tail, next_head = arc_start[c], -1, -1
            tails, heads = arc_tail[start:], arc_head[start:]
            for i in range(arc_start[c + 1] - start):
                begins[n] = start + i  # counted if a run begins here, else overwritten
                n += (tails[i] != tail) | (heads[i] != next_head)
                tail, next_head = tails[i], heads[i] + 1
    column[n_columns] = node_start[-1]
    column[n_columns, 0] = n
    run = np.empty((n + 1) * 3, np.int64).reshape((n + 1, 3))
    for r in range(n):
        a = begins[r]
        run[r, 0], run[r, 1], run[r, 2] = a, arc_tail[a], arc_head[a]
    run[n] = n_arcs
    return column, run


@kernel
def walk_forth(sr: Semiring, runs: Runs, w: int, arc_score: np.ndarray, message: np.ndarray) -> None:
    """Messages from the start at the nodes of example w, column by column.

    A kernel for other kernels, like all below: `message` (N,) and `arc_score` (A,) belong to all examples.
    """
    column, run = runs.column, runs.run
    first, last = runs.col_start[w], runs.col_start[w + 1]
    for v in range(column[first, 1], column[first, 2]):
        message[v] = sr.one
    for c in range(first, last):
        arcs, heads = (column[c, 0], column[c + 1, 0]), (column[c, 2], column[c, 3])
        forth(sr, run, arcs, arc_score, message, heads)


@kernel
def walk_back(sr: Semiring, runs: Runs, w: int, arc_score: np.ndarray, message: np.ndarray) -> None:
    """Messages from the end, as in `walk_forth`."""
    column, run = runs.column, runs.run
    first, last = runs.col_start[w], runs.col_start[w + 1]
    for v in range(column[last - 1, 2], column[last - 1, 3]):
        message[v] = sr.one
    for c in range(last - 1, first - 1, -1):
        arcs, tails = (column[c, 0], column[c + 1, 0]), (column[c, 1], column[c, 2])
        back(sr, run, arcs, arc_score, message, tails)


@spliced_kernel
def start_total(sr: Semiring, runs: Runs, w: int, backward: np.ndarray) -> float:
    """Plus over all complete paths of example w: plus over `backward` at its first nodes."""
    first = runs.col_start[w]
    return total(sr, backward[runs.column[first, 1] : runs.column[first, 2]])


@kernel
def walk_back_through(
    sr: Semiring,
    runs: Runs,
    w: int,
    arc_score: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    out: np.ndarray,
) -> None:
    """Messages from the end; also fills out (A,): plus over the paths through each arc of example w."""
    column, run = runs.column, runs.run
    first, last = runs.col_start[w], runs.col_start[w + 1]
    for v in range(column[last - 1, 2], column[last - 1, 3]):
        backward[v] = sr.one
    for c in range(last - 1, first - 1, -1):
        arcs, tails = (column[c, 0], column[c + 1, 0]), (column[c, 1], column[c, 2])
        back_through(sr, run, arcs, arc_score, backward, tails, forward, out)


@kernel
def trace(runs: Runs, w: int, arc_score: np.ndarray, forward: np.ndarray, arcs: np.ndarray) -> float:
    """Best score of example w; fills its arcs from the last column to the first, with -1 if there is no path.

    Ties go to the smallest arc, last column first.
    """
    column, run = runs.column, runs.run
    first, last = runs.col_start[w], runs.col_start[w + 1]
    best, node = -np.inf, -1
    for v in range(column[last - 1, 2], column[last - 1, 3]):
        if forward[v] > best:
            best, node = forward[v], v
    for c in range(last - 1, first - 1, -1):
        top, arg, tail = -np.inf, -1, -1
        if node >= 0:
            for r in range(column[c, 0], column[c + 1, 0]):
                a = run[r, 0] + node - run[r, 2]
                if run[r, 0] <= a < run[r + 1, 0]:
                    s = forward[run[r, 1]] + arc_score[a]
                    if s > top:
                        top, arg, tail = s, a, run[r, 1]
        arcs[c], node = arg, tail
    return best

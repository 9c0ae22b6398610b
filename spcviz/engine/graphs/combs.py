"""Kernels of a grid's combs: max-marginals of each row or column with all the columns or rows it crosses.

On the Loopy grids page's 11 x 11 x 8, 20 times as fast as passing messages in each comb as a separate tree.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_kernel, kernel
from spcviz.engine.kernels.vectors import Width, largest, sum_of
from spcviz.engine.kernels.widths import add_rows, combine_max


class Side(NamedTuple):
    """One orientation of a grid: its lines are spines, its posts cross them.

    Node (line, post) is ``line * node[0] + post * node[1]``. A spine or tooth is (tables (T, W, W), the same
    from the other end, strides of line and post).
    """

    lines: int
    posts: int
    node: tuple[int, int]
    spine: tuple[np.ndarray, np.ndarray, tuple[int, int]]
    tooth: tuple[np.ndarray, np.ndarray, tuple[int, int]]


class Filled(NamedTuple):
    """Outputs that the kernels fill: table (T, N, K), best and mean (R + C,), summed (N, K)."""

    table: np.ndarray
    best: np.ndarray
    mean: np.ndarray
    summed: np.ndarray


@kernel
def fill_shared(width: Width, tables: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(tables / count, the same with the two states exchanged), (T, W, W) each."""
    there, back = tables / count, np.empty_like(tables)
    for t in range(len(tables)):
        for k in range(len(width)):
            for j in range(len(width)):
                back[t, k, j] = there[t, j, k]
    return there, back


@kernel
def fill_combs(width: Width, side: Side, u: np.ndarray, first: int, filled: Filled) -> None:
    """All combs whose spine is a line: tables to table[first + line], sums added to `summed`."""
    n, lines = len(width), side.lines
    above, below = np.zeros_like(u), np.zeros_like(u)
    room = np.empty((4, max(side.posts, 2), n))
    _teeth(width, side, u, above, below, room[0])
    values = np.empty_like(u)
    for s in range(lines):
        _comb(width, s, side, u, above, below, room, values)
        copy = filled.table[(first + s) % len(filled.table)]
        filled.best[first + s], filled.mean[first + s] = take_values(values, filled.summed, copy)


@bare_kernel
def _teeth(
    width: Width, side: Side, u: np.ndarray, above: np.ndarray, below: np.ndarray, acc: np.ndarray
) -> None:
    """Messages along all teeth, downwards and upwards; acc (posts, W): scratch memory."""
    lines, posts, node, _, tooth = side
    tables, back, step = tooth
    for r in range(1, lines):
        for c in range(posts):
            i = r * node[0] + c * node[1]
            add_rows(width, u, i - node[0], above, i - node[0], acc, c)
            combine_max(width, acc, c, tables, (r - 1) * step[0] + c * step[1], above, i)
    for r in range(lines - 2, -1, -1):
        for c in range(posts):
            i = r * node[0] + c * node[1]
            add_rows(width, u, i + node[0], below, i + node[0], acc, c)
            combine_max(width, acc, c, back, r * step[0] + c * step[1], below, i)


@bare_kernel
def _comb(
    width: Width,
    s: int,
    side: Side,
    u: np.ndarray,
    above: np.ndarray,
    below: np.ndarray,
    room: np.ndarray,
    out: np.ndarray,
) -> None:
    """Max-marginals of the comb whose spine is line s, into out (N, W).

    room : (4, posts or more, W), scratch memory.

    Outwards all teeth are processed side by side: a message waits for the one before, not for other teeth.
    """
    n = len(width)
    lines, posts, node, spine, tooth = side
    across, across_back, along = spine
    tables, back, step = tooth
    acc, hub, left, right = room[0], room[1], room[2], room[3]
    for c in range(posts):
        i = s * node[0] + c * node[1]
        add_rows(width, u, i, above, i, hub, c)
        add_rows(width, hub, c, below, i, hub, c)
        for k in range(n):
            left[c, k] = right[c, k] = 0.0
    for c in range(1, posts):
        e, b = posts - 1 - c, s * along[0]
        add_rows(width, hub, c - 1, left, c - 1, acc, 0)
        combine_max(width, acc, 0, across, b + (c - 1) * along[1], left, c)
        add_rows(width, hub, e + 1, right, e + 1, acc, 1)
        combine_max(width, acc, 1, across_back, b + e * along[1], right, e)
    for c in range(posts):
        i = s * node[0] + c * node[1]
        add_rows(width, left, c, right, c, acc, 0)
        add_rows(width, hub, c, acc, 0, out, i)
        add_rows(width, u, i, above, i, left, c)
        add_rows(width, left, c, acc, 0, left, c)  # passed on downwards
        add_rows(width, u, i, below, i, right, c)
        add_rows(width, right, c, acc, 0, right, c)  # passed on upwards
    for r in range(s + 1, lines):
        for c in range(posts):
            i = r * node[0] + c * node[1]
            combine_max(width, left, c, tables, (r - 1) * step[0] + c * step[1], acc, c)
            add_rows(width, acc, c, u, i, left, c)
            add_rows(width, left, c, below, i, out, i)
    for r in range(s - 1, -1, -1):
        for c in range(posts):
            i = r * node[0] + c * node[1]
            combine_max(width, right, c, back, r * step[0] + c * step[1], acc, c)
            add_rows(width, acc, c, u, i, right, c)
            add_rows(width, right, c, above, i, out, i)


@bare_kernel
def take_values(values: np.ndarray, summed: np.ndarray, out: np.ndarray) -> tuple[float, float]:
    """Add a comb's table to the sum and copy it without its padding; returns (best, finite mean)."""
    most = summed.shape[1]
    if most == values.shape[1]:  # one long loop instead of many short ones
        flat, total, copy = values.reshape(-1), summed.reshape(-1), out.reshape(-1)
        for i in range(len(flat)):
            total[i] += flat[i]
            copy[i] = flat[i]
    else:
        for i in range(len(values)):
            for k in range(most):
                summed[i, k] += values[i, k]
                out[i, k] = values[i, k]
    best, mean = largest(out[0]), sum_of(out.reshape(-1)) / out.size
    return best, mean if -np.inf < mean < np.inf else _finite_mean(out.reshape(-1), best)


@bare_kernel
def _finite_mean(values: np.ndarray, best: float) -> float:
    """Mean of the entries that are not pruned; -inf if there is none."""
    acc, count = 0.0, 0
    for v in values:
        if v > -np.inf:
            acc += v - best
            count += 1
    return best + acc / max(count, 1)

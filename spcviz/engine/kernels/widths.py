r"""Loops of known length: the same recursions with the number of states known at compile time.

With the number of states K only known at run time, a loop over states costs bookkeeping and half-filled
vectors; with K known, it becomes a handful of vector instructions.
A *width* is a tuple of W zeros: its length is part of its type, so numba compiles one kernel for each W. Only
a few widths exist; states are padded up to the next with the semiring's zero (-inf, or 0 for SumTimes), which
no path can use. Rows are named by an array and an index: making a view costs more than a row's arithmetic.
"""

from typing import Any

import numpy as np

from spcviz.engine.kernels.jit import by_type, inlined_kernel
from spcviz.engine.kernels.vectors import Width, add, larger, load, mul, splat, store

WIDTHS = (8, 16, 32)


def width_of(n_states: int) -> Width | None:
    """The smallest width for `n_states`, or None if there is none.

    >>> width_of(5), width_of(33)
    ((0, 0, 0, 0, 0, 0, 0, 0), None)
    """
    return next(((0,) * w for w in WIDTHS if w >= n_states), None)


def pad_states(array: np.ndarray, width: Width, n_axes: int, fill: float) -> np.ndarray:
    """`array` with its last `n_axes` axes, of states, padded to the width; `array` itself if they fit.

    >>> pad_states(np.ones((1, 6)), width_of(6), 1, -np.inf)
    array([[  1.,   1.,   1.,   1.,   1.,   1., -inf, -inf]])
    """
    w, n = len(width), array.shape[-1]
    if n == w:
        return array
    out = np.full((*array.shape[: array.ndim - n_axes], *(w,) * n_axes), fill)
    index: tuple[Any, ...] = (..., *(slice(n),) * n_axes)
    out[index] = array
    return out


def combine_max(
    width: Width, vectors: np.ndarray, v: int, tables: np.ndarray, t: int, out: np.ndarray, o: int
) -> None:
    """out[o, k] = max over j of vectors[v, j] + tables[t, j, k]; rows of width W, out must not be vectors."""
    for k in range(len(width)):
        top = -np.inf
        for j in range(len(width)):
            s = vectors[v, j] + tables[t, j, k]
            top = s if s > top else top
        out[o, k] = top


def add_rows(
    width: Width, first: np.ndarray, i: int, second: np.ndarray, j: int, out: np.ndarray, o: int
) -> None:
    """out[o] = first[i] + second[j], rows of width W."""
    for k in range(len(width)):
        out[o, k] = first[i, k] + second[j, k]


# Compiled versions: a row of the table is one vector; four at a time, so that none waits for the one before.


@inlined_kernel
def max_row(width: Width, vectors: np.ndarray, v: int, tables: np.ndarray, t: int) -> Any:
    """The row that `combine_max` stores, as a vector."""
    acc = splat(width, -np.inf)
    for j in range(0, len(width), 4):
        a = add(splat(width, vectors[v, j]), load(width, tables, (t, j, 0)))
        b = add(splat(width, vectors[v, j + 1]), load(width, tables, (t, j + 1, 0)))
        c = add(splat(width, vectors[v, j + 2]), load(width, tables, (t, j + 2, 0)))
        d = add(splat(width, vectors[v, j + 3]), load(width, tables, (t, j + 3, 0)))
        acc = larger(larger(larger(a, b), larger(c, d)), acc)
    return acc


@inlined_kernel
def sum_row(width: Width, vectors: np.ndarray, v: int, tables: np.ndarray, t: int) -> Any:
    """Row k: the sum over j of vectors[v, j] x tables[t, j, k], as a vector."""
    acc = splat(width, 0.0)
    for j in range(0, len(width), 4):
        a = mul(splat(width, vectors[v, j]), load(width, tables, (t, j, 0)))
        b = mul(splat(width, vectors[v, j + 1]), load(width, tables, (t, j + 1, 0)))
        c = mul(splat(width, vectors[v, j + 2]), load(width, tables, (t, j + 2, 0)))
        d = mul(splat(width, vectors[v, j + 3]), load(width, tables, (t, j + 3, 0)))
        acc = add(add(add(a, b), add(c, d)), acc)
    return acc


@inlined_kernel
def _combine_max_row(
    width: Width, vectors: np.ndarray, v: int, tables: np.ndarray, t: int, out: np.ndarray, o: int
) -> None:
    store(out, (o, 0), max_row(width, vectors, v, tables, t))


@inlined_kernel
def _added_row(
    width: Width, first: np.ndarray, i: int, second: np.ndarray, j: int, out: np.ndarray, o: int
) -> None:
    store(out, (o, 0), add(load(width, first, (i, 0)), load(width, second, (j, 0))))


by_type(combine_max, lambda *rows: _combine_max_row)
by_type(add_rows, lambda *rows: _added_row)

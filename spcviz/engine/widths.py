r"""Loops of known length: the same recursions with the number of states a constant of the compiler.

With the number of states K only known at run time, a loop over states costs bookkeeping and half-filled
vectors; known, it becomes a handful of vector instructions (Gibbs on 8 states: 12 instead of 60 ns a draw).
A *width* is a tuple of W zeros: its length is part of its type, so numba compiles one kernel for each W. Only
a few widths exist; states are padded up to the next with the semiring's zero (-inf, or 0 for SumTimes), which
no path can use. Rows are named by an array and an index: making a view costs more than a row's arithmetic.
"""

import numpy as np

from spcviz.engine.jit import inlined_kernel

WIDTHS = (4, 8, 16, 32)


def width_of(n_states):
    """The smallest width for `n_states`, or None if there is none.

    Examples
    --------
    >>> width_of(5), width_of(33)
    ((0, 0, 0, 0, 0, 0, 0, 0), None)
    """
    return next(((0,) * w for w in WIDTHS if w >= n_states), None)


def padded(array, width, n_axes, fill):
    """`array` with its last `n_axes` axes, of states, filled up to the width; itself if they fit.

    Examples
    --------
    >>> padded(np.ones((1, 2)), (0, 0, 0, 0), 1, -np.inf)
    array([[  1.,   1., -inf, -inf]])
    """
    w, n = len(width), array.shape[-1]
    if n == w:
        return array
    out = np.full((*array.shape[: array.ndim - n_axes], *(w,) * n_axes), fill)
    out[(..., *(slice(n),) * n_axes)] = array
    return out


@inlined_kernel
def combine_max(width, vectors, v, tables, t, out, o):
    """out[o, k] = max over j of vectors[v, j] + tables[t, j, k]; rows of width W, out apart from vectors.

    Four rows of the table at a time: their maxima meet in registers before `out` is read again.
    """
    n = len(width)
    for j in range(0, n, 4):
        v0, v1, v2, v3 = vectors[v, j], vectors[v, j + 1], vectors[v, j + 2], vectors[v, j + 3]
        for k in range(n):
            a, b = v0 + tables[t, j, k], v1 + tables[t, j + 1, k]
            c, d = v2 + tables[t, j + 2, k], v3 + tables[t, j + 3, k]
            a = b if b > a else a
            c = d if d > c else c
            a = c if c > a else a
            if j > 0:
                a = out[o, k] if out[o, k] > a else a
            out[o, k] = a


@inlined_kernel
def combine_sum(width, vectors, v, tables, t, out, o):
    """out[o, k] = sum over j of vectors[v, j] x tables[t, j, k]; as `combine_max`."""
    n = len(width)
    for j in range(0, n, 4):
        v0, v1, v2, v3 = vectors[v, j], vectors[v, j + 1], vectors[v, j + 2], vectors[v, j + 3]
        for k in range(n):
            a = v0 * tables[t, j, k] + v1 * tables[t, j + 1, k]
            a += v2 * tables[t, j + 2, k] + v3 * tables[t, j + 3, k]
            out[o, k] = a + out[o, k] if j > 0 else a

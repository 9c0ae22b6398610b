"""Kernels of the k best labellings of a chain."""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new


@kernel
def best_labellings(unary: np.ndarray, pairwise: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(scores (m,), labels (m, L)): per state a sorted list of its k best prefixes."""
    length, n = unary.shape
    # One-dimensional first: numba compiles these again for each number of dimensions.
    value = fill_new(length * n * k, np.float64, -np.inf).reshape((length, n, k))
    back = fill_new(length * n * k, np.int64, 0).reshape((length, n, k))  # previous state * k + rank
    for s in range(n):
        value[0, s, 0] = unary[0, s]
    candidate = np.empty(n * k, np.float64)
    for i in range(1, length):
        step = pairwise[(i - 1) % len(pairwise)]
        for s in range(n):
            for r in range(n):
                for q in range(k):
                    candidate[r * k + q] = value[i - 1, r, q] + step[r, s]
            _fill_top(candidate, value[i, s], back[i, s])
            for q in range(k):
                value[i, s, q] += unary[i, s]
    final, origin = np.empty(k, np.float64), np.empty(k, np.int64)
    _fill_top(value[length - 1].copy().reshape(-1), final, origin)
    m = 0
    while m < k and final[m] > -np.inf:
        m += 1
    labels = np.empty(m * length, np.int64).reshape((m, length))
    for q in range(m):
        at = origin[q]
        for i in range(length - 1, -1, -1):
            labels[q, i] = at // k
            at = back[i, at // k, at % k]
    return final[:m].copy(), labels


@kernel
def _fill_top(candidate: np.ndarray, values: np.ndarray, origins: np.ndarray) -> None:
    """The len(values) largest candidates in falling order, the first of equals first."""
    k, size = len(values), 0
    for c in range(len(candidate)):
        v = candidate[c]
        if v == -np.inf or (size == k and v <= values[k - 1]):
            continue
        if size < k:
            size += 1
        at = size - 1
        while at > 0 and values[at - 1] < v:
            values[at], origins[at] = values[at - 1], origins[at - 1]
            at -= 1
        values[at], origins[at] = v, c
    for q in range(size, k):
        values[q], origins[q] = -np.inf, 0

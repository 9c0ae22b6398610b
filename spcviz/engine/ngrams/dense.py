r"""Exact dense Viterbi of any order: the baseline that cascades are compared with.

Explores all K^n n-grams at every position, in O(L K^n), vectorised over the last state and two first states
at a time. Scores as in `lattice`: unaries plus summed n-gram weights.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.chain import Decoded
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import copy
from spcviz.engine.ngrams.table import NgramTable, begin_code, lookup

_MAX_ENTRIES = 30_000_000


class DenseModel(NamedTuple):
    """N-gram sums as dense tables; made by `dense_model`.

    ``sums[m - 1]`` (K^(m-1), K) for m = 1 .. n: sums of m-grams, last state contiguous. ``begin[m - 1]``: the
    same for the first m states of a chain; `sums` itself where no weight begins with ^. `end` (K^(n-1), K):
    what ending the chain in each n-gram adds; only n-grams as long as the chain allows.
    """

    n_states: int
    order: int
    sums: tuple[np.ndarray, ...]
    begin: tuple[np.ndarray, ...]
    end: np.ndarray
    table: NgramTable


def dense_model(table: NgramTable, order: int) -> DenseModel:
    """Tables for `dense_decode`; `ArgumentError` if K^n, n the order, exceeds 30 million."""
    n = checks.of_own_type("table", table, NgramTable).n_states
    order = checks.integer("order", order, 1, 12)
    if float(n) ** order > _MAX_ENTRIES:
        raise ArgumentError(f"order {order} needs {n}^{order} table entries; the limit is {_MAX_ENTRIES}")
    sums = tuple(_sums(table, m, False, False) for m in range(1, order + 1))
    begin = sums
    if table.has_begin:
        begin = tuple(_sums(table, m, False, True) for m in range(1, order + 1))
    end = _sums(table, order, True, False) if table.has_end else np.zeros((n ** (order - 1), n))
    return DenseModel(n, order, sums, begin, end, table)


def dense_decode(model: DenseModel, unary: ArrayLike) -> Decoded:
    """Best labelling of one chain over all K^n n-grams.

    `unary` (L, K). Ties go to the smallest state, first position of the n-gram first. Errors as in
    `chain.decode`; a chain shorter than the order is decoded at its own length.

    >>> from spcviz.engine.ngrams.table import empty_table
    >>> dense_decode(dense_model(empty_table(3), 2), [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    Decoded(score=3.0, labels=array([1, 0]))
    """
    checks.of_own_type("model", model, DenseModel)
    unary = checks.scores("unary", unary, 2)
    if unary.shape[1] != model.n_states or len(unary) == 0:
        raise ShapeError(f"unary has shape {unary.shape}; the model needs (L >= 1, {model.n_states})")
    if len(unary) < model.order:
        model = dense_model(model.table, len(unary))
    labels = np.empty(len(unary), dtype=np.int64)
    best = decode_kernel(model.sums, model.begin, model.end, unary, model.order, labels)
    if best == -np.inf:
        raise InfeasibleError("every labelling has score -inf")
    return Decoded(float(best), labels)


@kernel
def decode_kernel(
    sums: tuple[np.ndarray, ...],
    begin: tuple[np.ndarray, ...],
    end: np.ndarray,
    unary: np.ndarray,
    order: int,
    labels: np.ndarray,
) -> float:
    """Best score over all n-grams; fills `labels` (L,), L at least `order`. A kernel that kernels call too.

    `sums`, `begin` and `end` as in `DenseModel`.
    """
    if order == 1:
        return _decode_independent(unary, end, labels)
    prefix = unary[0].copy()
    for m in range(2, order):
        prefix = _first(prefix, begin[m - 1], unary[m - 1])
    return _decode(prefix, sums[order - 1], begin[order - 1], end, unary, order, labels)


@kernel
def _sums(table: NgramTable, m: int, is_end: bool, is_begin: bool) -> np.ndarray:
    """Sums of all m-grams (or what they add as the last, or their sums as the first), shape (K^(m-1), K)."""
    k = table.n_states
    # Allocated flat and reshaped: numba compiles an allocation anew for every number of dimensions.
    out = fill_new(k**m, np.float64, 0.0).reshape((k ** (m - 1), k))
    front = begin_code(is_begin, k, table.bits, m)
    for i in range(out.size):
        rest, key = i, 0
        for j in range(m):
            key += (rest % k + 1) << (table.bits * j)
            rest //= k
        if is_end:
            out[i // k, i % k] = lookup(table, (key << table.bits) + k + 1, m + 1)
        elif m > 1:
            out[i // k, i % k] = lookup(table, front + key, m + (front > 0))
    return out


@kernel
def _first(prefix: np.ndarray, sums: np.ndarray, unary: np.ndarray) -> np.ndarray:
    """Scores of all (m)-gram prefixes from those of (m-1)-grams, flat."""
    k = len(unary)
    out = np.empty(sums.size, np.float64)
    for i in range(len(prefix)):
        for s in range(k):
            out[i * k + s] = prefix[i] + sums[i, s] + unary[s]
    return out


@kernel
def _decode(
    prefix: np.ndarray,
    later: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    unary: np.ndarray,
    order: int,
    labels: np.ndarray,
) -> float:
    """`later` (K^(n-1), K): sums of n-grams, and `begin` those of the first."""
    length, k = unary.shape
    contexts = len(prefix)  # K^(n-1), first state most significant
    heads = contexts // k
    forward = np.empty((length - order + 2, contexts), np.float64)
    copy(prefix, forward[0])
    for t in range(1, len(forward)):
        before, after, u = forward[t - 1], forward[t], unary[order - 2 + t]
        sums = begin if t == 1 else later
        for m in range(heads):
            out = after[m * k : (m + 1) * k]
            out[:] = -np.inf
            for a in range(0, k - k % 2, 2):
                i, j = a * heads + m, (a + 1) * heads + m
                p, q, row, other = before[i], before[j], sums[i], sums[j]
                for s in range(k):
                    x, y = p + row[s], q + other[s]
                    x = y if y > x else x
                    o = out[s]
                    out[s] = x if x > o else o
            if k % 2:
                i = (k - 1) * heads + m
                p, row = before[i], sums[i]
                for s in range(k):
                    x = p + row[s]
                    out[s] = x if x > out[s] else out[s]
            for s in range(k):
                out[s] += u[s]
    # The end terms depend on the whole last n-gram, so the last step is chosen over n-grams.
    last = len(forward) - 1
    sums = begin if last == 1 else later
    best, arg = -np.inf, 0
    for i in range(contexts):
        for s in range(k):
            v = forward[last - 1, i] + sums[i, s] + end[i, s]
            v += unary[length - 1, s]
            if v > best:
                best, arg = v, i * k + s
    gram = arg
    for j in range(order):
        labels[length - 1 - j] = gram % k
        gram //= k
    context = arg // k
    for t in range(last - 1, 0, -1):
        state, tail = context % k, context // k
        sums = begin if t == 1 else later
        top, pick = -np.inf, 0
        for a in range(k):
            v = forward[t - 1, a * heads + tail] + sums[a * heads + tail, state]
            if v > top:
                top, pick = v, a
        labels[order - 2 + t - order + 1] = pick
        context = pick * heads + tail
    return best


@kernel
def _decode_independent(unary: np.ndarray, end: np.ndarray, labels: np.ndarray) -> float:
    best = 0.0
    for i in range(len(unary)):
        top, arg = -np.inf, 0
        for k in range(unary.shape[1]):
            v = unary[i, k] + (end[0, k] if i == len(unary) - 1 else 0.0)
            if v > top:
                top, arg = v, k
        labels[i] = arg
        best += top
    return best

r"""Semirings as types: one recursion of message passing, several readings.

===========  ============================  ==================================================
semiring     plus, times                   what a dynamic program over it returns
===========  ============================  ==================================================
MaxPlus      max, +                        max-marginals, decoding
LogPlus      log-sum-exp, +                log marginals, log partition function
SumTimes     +, x  (rescaled each step)    the same as LogPlus, faster, for tame scores only
===========  ============================  ==================================================

A semiring is a NamedTuple *type*: numba specialises a kernel for each at compile time and still
caches it on disk (closures over ``plus`` do not cache). To add one, write a class and an entry for each of
the operations.

The operations, on vectors over states:

- ``combine(sr, vector, matrix, out)``: out[j] = plus over i of vector[i] times matrix[i, j]
- ``multiply(sr, vector, other, out)``: out[j] = vector[j] times other[j]
- ``settle(sr, vector)``: rescale in place to avoid underflow; returns the log of the factor
- ``total(sr, vector)``: plus over the vector, as a log-domain score

Along the runs of a sparse lattice, see `lattice_steps`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from spcviz.engine.kernels import vectors
from spcviz.engine.kernels.jit import bare_inlined_kernel, by_type, spliced_kernel
from spcviz.engine.kernels.vectors import Width, largest, stretch


class MaxPlus(NamedTuple):
    """Best score. `one` is the score of doing nothing."""

    one: float = 0.0


class LogPlus(NamedTuple):
    """Log of a sum of exponentials; safe at any scale, one exp per term."""

    one: float = 0.0


class SumTimes(NamedTuple):
    """Sums of products of exponentials already taken; rescaled at each step."""

    one: float = 1.0


Semiring = MaxPlus | LogPlus | SumTimes

MAX_PLUS, LOG_PLUS, SUM_TIMES = MaxPlus(), LogPlus(), SumTimes()


def _combine_max(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    for j in range(matrix.shape[1]):
        top = -np.inf
        for i in range(matrix.shape[0]):
            v = vector[i] + matrix[i, j]
            top = v if v > top else top
        out[j] = top


def _combine_log(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    n, m = matrix.shape
    for j in range(m):
        top = -np.inf
        for i in range(n):
            v = vector[i] + matrix[i, j]
            top = v if v > top else top
        if top == -np.inf:  # nothing reaches j: exp(-inf - -inf) would be NaN
            out[j] = top
            continue
        acc = 0.0
        for i in range(n):
            acc += np.exp(vector[i] + matrix[i, j] - top)
        out[j] = top + np.log(acc)


def _combine_sum(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    for j in range(matrix.shape[1]):
        acc = 0.0
        for i in range(matrix.shape[0]):
            acc += vector[i] * matrix[i, j]
        out[j] = acc


# The same with explicit vectors: blocks of columns whose maxima or sums stay in registers, four rows at a
# time so that none waits for the one before. The last block overlaps the one before it rather than being
# short. Compared with the plain loops: 3.2 times as fast in `decode_batch` of all handwritten words, 4.0 in
# `max_marginals_batch`; 1.5, 1.8 and 1.7 in `decode`, `max_marginals` and `marginals` of 8 x 26.

_EIGHT, _SIXTEEN, _MANY = (0,) * 8, (0,) * 16, (0,) * 32

_OF_MAX, _OF_SUM = (), (0,)  # kinds: their length is known to the compiler


@spliced_kernel
def _row_plus(width: Width, vector: np.ndarray, matrix: np.ndarray, i: int, j: int, one: Any) -> Any:
    """Matrix row times `one`, plus the vector's entry, as one fused product."""
    row = vectors.mul(one, vectors.load(width, matrix, (i, j)))
    return vectors.add(row, vectors.splat(width, vector[i]))


@spliced_kernel
def _plus_row(width: Width, vector: np.ndarray, matrix: np.ndarray, i: int, j: int, acc: Any) -> Any:
    row = vectors.mul(vectors.splat(width, vector[i]), vectors.load(width, matrix, (i, j)))
    return vectors.add(row, acc)


@bare_inlined_kernel
def _block(
    width: Width, kind: tuple[int, ...], vector: np.ndarray, matrix: np.ndarray, j: int, out: np.ndarray
) -> None:
    """Columns j .. j + W - 1 of `combine`."""
    n = len(vector)
    whole = n - n % 4
    if len(kind) == 0:
        acc = vectors.splat(width, vector.dtype.type(-np.inf))
        # 1 in every lane, which the compiler cannot know: so each sum is one fused product, the same to the
        # last bit. Additions and maxima share two units of AMD's Zen 4, fused products have two separate
        # ones: 1.4 times as fast there, while the table is in the first-level cache; it was not timed
        # elsewhere.
        one = vectors.splat(width, vector.dtype.type(n if n < 1 else 1))
        for i in range(0, whole, 4):
            a = _row_plus(width, vector, matrix, i, j, one)
            b = _row_plus(width, vector, matrix, i + 1, j, one)
            c = _row_plus(width, vector, matrix, i + 2, j, one)
            d = _row_plus(width, vector, matrix, i + 3, j, one)
            acc = vectors.larger(vectors.larger(vectors.larger(a, b), vectors.larger(c, d)), acc)
        for i in range(whole, n):
            acc = vectors.larger(_row_plus(width, vector, matrix, i, j, one), acc)
    else:
        acc = b = c = d = vectors.splat(width, vector.dtype.type(0.0))
        for i in range(0, whole, 4):
            acc = _plus_row(width, vector, matrix, i, j, acc)
            b = _plus_row(width, vector, matrix, i + 1, j, b)
            if len(width) > 16:  # more than two sums would not stay in registers
                acc = _plus_row(width, vector, matrix, i + 2, j, acc)
                b = _plus_row(width, vector, matrix, i + 3, j, b)
            else:
                c = _plus_row(width, vector, matrix, i + 2, j, c)
                d = _plus_row(width, vector, matrix, i + 3, j, d)
        acc = vectors.add(vectors.add(acc, b), vectors.add(c, d))
        for i in range(whole, n):
            acc = _plus_row(width, vector, matrix, i, j, acc)
    vectors.store(out, (j,), acc)


@bare_inlined_kernel
def _by_blocks(kind: tuple[int, ...], vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    """`combine` of at least eight columns."""
    m = matrix.shape[1]
    j: Any = np.int64(0)  # one type throughout: a literal 0 would compile everything again
    while m - j >= 32:
        _block(_MANY, kind, vector, matrix, j, out)
        j += 32
    if m >= 16:
        while j < m:
            _block(_SIXTEEN, kind, vector, matrix, j if j < m - 16 else m - 16, out)
            j += 16
    else:
        while j < m:
            _block(_EIGHT, kind, vector, matrix, j if j < m - 8 else m - 8, out)
            j += 8


@bare_inlined_kernel
def _combine_max_wide(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    if matrix.shape[1] >= 8:
        _by_blocks(_OF_MAX, vector, matrix, out)
    else:
        combine_plain(sr, vector, matrix, out)


@bare_inlined_kernel
def _combine_sum_wide(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    if matrix.shape[1] >= 8:
        _by_blocks(_OF_SUM, vector, matrix, out)
    else:
        combine_plain(sr, vector, matrix, out)


def _multiply_add(sr: Semiring, vector: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
    for j in range(len(out)):
        out[j] = vector[j] + other[j]


def _multiply_times(sr: Semiring, vector: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
    for j in range(len(out)):
        out[j] = vector[j] * other[j]


@intrinsic
def _times(typing: Any, sr: Any, a: Any, b: Any) -> Any:
    """The semiring's times of two numbers, or of two vectors lane by lane."""
    if a != b or not isinstance(a, types.Float | vectors.Vector):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        multiplied = builder.fmul if kind_of(sr) is SumTimes else builder.fadd
        return multiplied(arguments[1], arguments[2])

    return a(sr, a, b), generate


@bare_inlined_kernel
def _multiply_wide(sr: Semiring, vector: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
    """`multiply` with vectors."""
    n = len(out)
    j: Any = np.int64(0)  # see `_by_blocks`
    if n >= 8:
        # computed before the others, which it overlaps, are stored
        last = _times(sr, vectors.load(_EIGHT, vector, (n - 8,)), vectors.load(_EIGHT, other, (n - 8,)))
        while n - j > 16:
            both = _times(sr, vectors.load(_SIXTEEN, vector, (j,)), vectors.load(_SIXTEEN, other, (j,)))
            vectors.store(out, (j,), both)
            j += 16
        if n - j > 8:
            half = _times(sr, vectors.load(_EIGHT, vector, (j,)), vectors.load(_EIGHT, other, (j,)))
            vectors.store(out, (j,), half)
        vectors.store(out, (n - 8,), last)
    else:
        while j < n:
            out[j] = _times(sr, vector[j], other[j])
            j += 1


def _settle_never(sr: Semiring, vector: np.ndarray) -> float:
    return 0.0


def _settle_sum(sr: Semiring, vector: np.ndarray) -> float:
    top = largest(vector)
    if top <= 0.0:
        return 0.0
    factor = 1.0 / top
    if factor < np.inf:
        stretch(vector, factor)
    else:  # top is so small that its inverse overflows: divide
        for j in range(len(vector)):
            vector[j] /= top
    return np.log(top)


def _total_max(sr: Semiring, vector: np.ndarray) -> float:
    return largest(vector)


def _total_log(sr: Semiring, vector: np.ndarray) -> float:
    top = largest(vector)
    if top == -np.inf:
        return top
    acc = 0.0
    for v in vector:
        acc += np.exp(v - top)
    return top + np.log(acc)


def _total_sum(sr: Semiring, vector: np.ndarray) -> float:
    return np.log(vectors.sum_of(vector))


_TABLE: dict[str, dict[type, Callable[..., Any]]] = {
    "combine": {MaxPlus: _combine_max, LogPlus: _combine_log, SumTimes: _combine_sum},
    "multiply": {MaxPlus: _multiply_add, LogPlus: _multiply_add, SumTimes: _multiply_times},
    "settle": {MaxPlus: _settle_never, LogPlus: _settle_never, SumTimes: _settle_sum},
    "total": {MaxPlus: _total_max, LogPlus: _total_log, SumTimes: _total_sum},
}

_KERNELS = {name: {sr: bare_inlined_kernel(f) for sr, f in row.items()} for name, row in _TABLE.items()}
_WIDE: dict[type, Callable[..., Any]] = {MaxPlus: _combine_max_wide, SumTimes: _combine_sum_wide}


def combine(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    """out[j] = plus over i of vector[i] times matrix[i, j]; shapes (K,), (K, M), (M,)."""
    _TABLE["combine"][type(sr)](sr, vector, matrix, out)


def combine_plain(sr: Semiring, vector: np.ndarray, matrix: np.ndarray, out: np.ndarray) -> None:
    """`combine` exactly as in its formula, in kernels too: the reference that vectors are tested against."""
    combine(sr, vector, matrix, out)


def multiply(sr: Semiring, vector: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
    """out[j] = vector[j] times other[j]; all of shape (K,)."""
    _TABLE["multiply"][type(sr)](sr, vector, other, out)


def settle(sr: Semiring, vector: np.ndarray) -> float:
    """Rescale a column in place where the semiring needs it; returns the log of the factor taken out."""
    return _TABLE["settle"][type(sr)](sr, vector)


def total(sr: Semiring, vector: np.ndarray) -> float:
    """Plus over a vector, as a log-domain score."""
    return _TABLE["total"][type(sr)](sr, vector)


def _are_rows(*arrays: Any) -> bool:
    """Whether vectors may be loaded from the arrays: C-contiguous, of one type."""
    are_rows = all(isinstance(a, types.Array) and a.layout == "C" for a in arrays)
    return are_rows and len({a.dtype for a in arrays}) == 1


def kind_of(sr: Any) -> type:
    """Class of a semiring, from numba's type of it."""
    return sr.instance_class


def _combine_kernel(sr: Any, vector: Any, matrix: Any, out: Any) -> Callable[..., Any]:
    wide = _WIDE if _are_rows(vector, matrix, out) else {}
    return wide.get(kind_of(sr)) or _KERNELS["combine"][kind_of(sr)]


def _multiply_kernel(sr: Any, vector: Any, other: Any, out: Any) -> Callable[..., Any]:
    return _multiply_wide if _are_rows(vector, other, out) else _KERNELS["multiply"][kind_of(sr)]


by_type(combine, _combine_kernel)
by_type(combine_plain, lambda sr, vector, matrix, out: _KERNELS["combine"][kind_of(sr)])
by_type(multiply, _multiply_kernel)
by_type(settle, lambda sr, vector: _KERNELS["settle"][kind_of(sr)])
by_type(total, lambda sr, vector: _KERNELS["total"][kind_of(sr)])

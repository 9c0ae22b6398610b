"""A chain's arrays in the form kernels take: checked once on entry, in rows that vectors can load."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import bare_kernel, kernel

FLOAT: np.dtype = np.dtype(np.float64)

_SINGLE: np.dtype = np.dtype(np.float32)

INDEX: np.dtype = np.dtype(np.int64)

FORTH, BACK = np.bool_(False), np.bool_(True)
"""Direction of `table_rows`: of one type, where literal False and True would compile it twice."""

NO_EDGES = {kind.itemsize: np.empty((0, 1, 1), kind) for kind in (FLOAT, _SINGLE)}
"""An empty table of transitions by the bytes of a number, for calls that need states only."""


def _is_ready(unary: Any, pairwise: Any) -> bool:
    """Whether arrays can go to the kernels unchanged: small chains are call overhead."""
    return (
        type(unary) is np.ndarray is type(pairwise)
        and unary.dtype is pairwise.dtype
        and (unary.dtype is FLOAT or unary.dtype is _SINGLE)
        and unary.ndim == 2 == pairwise.ndim
        and unary.flags.c_contiguous
        and pairwise.flags.c_contiguous
    )


def ready(unary: Any, pairwise: Any) -> tuple[np.ndarray, np.ndarray]:
    """A chain's arrays for kernels, which check their values: transitions (1 or L - 1, K, K)."""
    if _is_ready(unary, pairwise):
        return unary, pairwise[None]
    return checked_chain(unary, pairwise, precision(unary, pairwise))


def precision(*scores: ArrayLike) -> np.dtype:
    """float32 if all of the arrays have it, else float64."""
    return _SINGLE if all(getattr(a, "dtype", None) == _SINGLE for a in scores) else FLOAT


def checked_chain(
    unary: ArrayLike, pairwise: ArrayLike, dtype: np.dtype = FLOAT
) -> tuple[np.ndarray, np.ndarray]:
    """A chain's arrays for kernels, (L, K) and (1 or L - 1, K, K), or the error that names what is wrong."""
    unary = checks.scores("unary", unary, 2, dtype)
    if 0 in unary.shape:
        raise ShapeError(f"unary has shape {unary.shape}; it needs at least one position and one state")
    pairwise = checks.scores("pairwise", pairwise, (2, 3), dtype)
    length, n = unary.shape
    if pairwise.ndim == 2:
        pairwise = pairwise[None]
    if pairwise.shape not in ((1, n, n), (length - 1, n, n)):
        shape = pairwise.shape[1:] if len(pairwise) == 1 else pairwise.shape
        raise ShapeError(
            f"pairwise has shape {shape}; unary {unary.shape} needs {(length - 1, n, n)} or {(n, n)}"
        )
    return unary, pairwise


def checked_batch(unary: Any, lengths: ArrayLike, pairwise: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(unary, lengths, pairwise) as arrays for the kernels, which check their values."""
    if not _is_ready(unary, pairwise):
        unary, pairwise = _checked_tables(unary, pairwise)
    whole = checks.typed_array("lengths", lengths, "iu", "whole numbers")
    if whole.ndim != 1:
        whole = checks.lengths(whole, len(unary))
    return unary, np.ascontiguousarray(whole, dtype=np.int64), pairwise


def checked_steps(
    unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(unary, starts (N + 1,), tables (1 or R, K, K)) of many chains."""
    unary = checks.scores("unary", unary, 2)
    pairwise = checks.scores("pairwise", pairwise, (2, 3))
    lengths = checks.lengths(lengths, len(unary))
    if lengths.sum() != len(unary) or unary.shape[1] == 0:
        raise ShapeError(f"unary has shape {unary.shape}; lengths needs {int(lengths.sum())} rows")
    square = (unary.shape[1],) * 2
    each = (len(unary), *square)
    if pairwise.shape not in (square, each):
        raise ShapeError(f"pairwise has shape {pairwise.shape}; unary {unary.shape} needs {square} or {each}")
    return unary, checks.starts(lengths), pairwise if pairwise.ndim == 3 else pairwise[None]


def _checked_tables(unary: ArrayLike, pairwise: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    dtype = precision(unary, pairwise)
    return checks.scores("unary", unary, 2, dtype), checks.scores("pairwise", pairwise, 2, dtype)


def wrong_batch(unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray) -> ShapeError:
    """The error that names what a kernel has found wrong with a batch."""
    unary, pairwise = _checked_tables(unary, pairwise)
    lengths = checks.lengths(lengths, len(unary))
    if lengths.sum() != len(unary):
        return ShapeError(f"unary has shape {unary.shape}; lengths needs {int(lengths.sum())} rows")
    wanted = (unary.shape[1],) * 2
    return ShapeError(f"pairwise has shape {pairwise.shape}; unary {unary.shape} needs {wanted}")


def infeasible(table: np.ndarray) -> InfeasibleError:
    dead = np.flatnonzero(np.all(np.isneginf(table), axis=1))
    where = f"position {dead[0]}" if len(dead) else "the end"
    return InfeasibleError(f"every labelling has score -inf: all {table.shape[1]} states are dead at {where}")


@kernel
def align_rows(shape: tuple[int | np.int64, int], like: np.ndarray) -> np.ndarray:
    """Empty rows (N, K) of the type of `like`, from a cache line on; 8 states or more fill whole vectors."""
    each = 64 // like.itemsize
    n, k = shape
    wide = k if k < 8 else (k + 7) // 8 * 8
    raw = np.empty(n * wide + each, like.dtype)
    skip = (-raw.ctypes.data % 64) // like.itemsize
    return raw[skip : skip + n * wide].reshape((n, wide))


@kernel
def table_rows(pairwise: np.ndarray, zero: float, is_back: bool | np.bool_) -> np.ndarray:
    """Transitions (T, K, K), or the same from right to left, in `align_rows` rows padded with `zero`."""
    t, n, wide = pairwise.shape  # rows that are already padded are longer
    rows = align_rows((t * n, n), pairwise.reshape((t * n, wide)))
    out = rows.reshape((t, n, rows.shape[1]))
    for p in range(t):
        for i in range(n):
            if is_back:
                for j in range(n):  # writes are contiguous
                    out[p, i, j] = pairwise[p, j, i]
            else:
                for j in range(n):
                    out[p, i, j] = pairwise[p, i, j]
            for j in range(n, rows.shape[1]):
                out[p, i, j] = zero
    return out


def there_and_back(table: np.ndarray, zero: float) -> np.ndarray:
    """`table_rows` of a table and its transpose, in one array: passing each array takes time."""
    return table_rows(np.stack([table, table.T]), zero, FORTH)


@bare_kernel
def is_wrong(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether a chain, with transitions (1 or L - 1, K, K), has a wrong shape or a bad score."""
    length, n = unary.shape
    if length == 0 or not 0 < n == pairwise.shape[1] == pairwise.shape[2]:
        return True
    if len(pairwise) != 1 and len(pairwise) != length - 1:
        return True
    return checks.first_bad(unary.reshape(-1)) >= 0 or checks.first_bad(pairwise.reshape(-1)) >= 0


@kernel
def longest_of(unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray) -> int:
    """Positions of the longest chain; -1 if the shapes or the transitions are wrong."""
    longest, rows = 0, len(unary)
    if not 0 < len(pairwise) == pairwise.shape[1] == unary.shape[1]:
        return -1
    for w in range(len(lengths)):
        if not 0 < lengths[w] <= rows:
            return -1
        rows, longest = rows - lengths[w], lengths[w] if lengths[w] > longest else longest
    return longest if rows == 0 and checks.first_bad(pairwise.reshape(-1)) < 0 else -1

r"""Features with values, row by row: the linear part of a chain's scores and its gradient.

.. math:: u_r(k) = \sum_f x_{rf} W_{fk} \qquad \frac{\partial}{\partial W_{fk}} = \sum_r x_{rf} g_r(k)

`CsrRows` holds the entries that are not zero, as scipy's csr does; `DenseRows` (`learning.cascade.features`)
all of them. Legend: R rows, F features, K states, n entries.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.cascade import features as layouts
from spcviz.learning.cascade.features import DenseRows, SparseRows


class CsrRows(NamedTuple):
    """Features of each row with their values."""

    start: np.ndarray  # (R + 1,) int64
    # (n,) int32: features of row r: ``index[start[r] : start[r + 1]]``; one that is there twice counts twice
    index: np.ndarray  # type: ignore[assignment]  # nobody asks this tuple where an entry is
    values: np.ndarray  # (n,) float32 or float64
    n_features: int  # F


Rows = CsrRows | DenseRows


def n_rows(rows: Rows) -> int:
    """R of either layout."""
    return len(rows.values) if isinstance(rows, DenseRows) else len(rows.start) - 1


def n_features(rows: Rows) -> int:
    """F of either layout."""
    return rows.values.shape[1] if isinstance(rows, DenseRows) else rows.n_features


def part(rows: Rows, first: int, last: int) -> Rows:
    """Rows ``first .. last - 1``, as views."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[first:last])
    start = rows.start[first : last + 1]
    entries = slice(start[0], start[-1])
    return CsrRows(start - start[0], rows.index[entries], rows.values[entries], rows.n_features)


def taken(rows: Any, places: np.ndarray) -> Any:
    """Some rows of any layout, `SparseRows` too, in the order asked for."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[places])
    counts = np.diff(rows.start)[places]
    entries = ranges(rows.start[places], counts)
    start, index = np.concatenate([[0], np.cumsum(counts)]), rows.index[entries]
    if isinstance(rows, SparseRows):
        return SparseRows(start, index, rows.n_features)
    return CsrRows(start, index, rows.values[entries], rows.n_features)


def ranges(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """``first[i] .. first[i] + counts[i] - 1`` of each i, one after the other.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 1])).tolist()
    [5, 6, 0]
    """
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))


def checked(rows: Rows | None) -> Rows:
    """`rows` as arrays that kernels may walk over.

    Raises
    ------
    ArgumentError
        If they are of neither layout, or an index is not from 0 to F - 1.
    ShapeError
        If their arrays disagree.
    ScoreError
        If a value is not finite.
    """
    if isinstance(rows, DenseRows):
        values = layouts.checked(rows).values  # type: ignore[union-attr]
        return DenseRows(np.ascontiguousarray(values, values.dtype if values.dtype.kind == "f" else float))
    if not isinstance(rows, CsrRows):
        raise ArgumentError(f"rows must be CsrRows or DenseRows, got {rows!r:.60}")
    count = checks.integer("n_features", rows.n_features, 0, 2**31 - 1)
    index = checks.whole_numbers("index", rows.index, 0, count - 1).astype(np.int32)
    start = checks.offsets("start", rows.start, len(index))
    values = checks.typed("values", rows.values, "biuf", "numbers")
    if values.shape != index.shape:
        raise ShapeError(f"values has shape {values.shape}; index {index.shape} needs the same")
    if not np.isfinite(values).all():
        at = int(np.isfinite(values).argmin())
        raise ScoreError(f"values[{at}] must be finite, got {values[at]}")
    return CsrRows(start, index, compact(values), count)


def compact(values: np.ndarray) -> np.ndarray:
    """`values` in 32 bits where those hold every one of them exactly, else in 64.

    Examples
    --------
    >>> compact(np.array([1.0, 0.5])).dtype, compact(np.array([0.1])).dtype
    (dtype('float32'), dtype('float64'))
    """
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values) else values.astype(np.float64)


def emissions(rows: Rows, weights: np.ndarray) -> np.ndarray:
    """Unary scores of every row.

    Parameters
    ----------
    rows : CsrRows or DenseRows
        As `checked` returns them.
    weights : ndarray, shape (F, K), float64 or float32

    Returns
    -------
    ndarray, shape (R, K)

    Raises
    ------
    ShapeError
        If the weights are for another number of features.

    Examples
    --------
    >>> rows = CsrRows(np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.array([1.0, 2.0, 0.5]), 2)
    >>> emissions(rows, np.array([[1.0, 2.0], [10.0, 20.0]])).tolist()
    [[1.0, 2.0], [7.0, 14.0]]
    """
    if len(weights) != n_features(rows):
        raise ShapeError(f"weights has shape {weights.shape}; the rows need {n_features(rows)} features")
    if isinstance(rows, DenseRows):
        return np.asarray(rows.values @ weights, dtype=np.float64)
    out = np.empty((n_rows(rows), weights.shape[1]))
    _score_all(rows, weights, out)
    return out


def add_gradient(rows: Rows, amounts: np.ndarray, gradient: np.ndarray) -> None:
    """gradient[f, k] += sum over rows of x[r, f] times amounts[r, k].

    Parameters
    ----------
    rows : CsrRows or DenseRows
        As `checked` returns them.
    amounts : ndarray, shape (R, K)
    gradient : ndarray, shape (F, K)
        Added to in place.

    Examples
    --------
    >>> gradient = np.zeros((2, 1))
    >>> rows = CsrRows(np.array([0, 1, 2]), np.array([0, 0], np.int32), np.array([1.0, 2.0]), 2)
    >>> add_gradient(rows, np.array([[1.0], [10.0]]), gradient)
    >>> gradient.tolist()
    [[21.0], [0.0]]
    """
    if isinstance(rows, DenseRows):
        gradient += rows.values.T @ amounts
    else:
        _add_all(rows, amounts, gradient)


def observed(rows: Rows, labels: np.ndarray, n_states: int) -> np.ndarray:
    """Which feature occurs with which state: sorted flat indices f K + k, each once.

    Parameters
    ----------
    labels : ndarray of int, shape (R,)
        Negative ones (unknown) count as every state.
    n_states : int
        K.

    Returns
    -------
    ndarray of int64
    """
    seen = np.zeros((n_features(rows), n_states), dtype=np.bool_)
    if isinstance(rows, DenseRows):
        for k in range(n_states):
            seen[:, k] = (rows.values[(labels == k) | (labels < 0)] != 0).any(axis=0)
    else:
        known = np.repeat(labels, np.diff(rows.start))
        is_known = (known >= 0) & (rows.values != 0)
        seen[rows.index[is_known], known[is_known]] = True
        seen[rows.index[known < 0]] = True
    return np.flatnonzero(seen)


def score_into(rows: Rows, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    """out[k] = the row's scores; a kernel for kernels."""
    _SCORE[type(rows)](rows, row, weights, out)


def add_into(rows: Rows, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    """weights[f, k] += x[row, f] times amount[k]; a kernel for kernels."""
    _ADD[type(rows)](rows, row, amount, weights)


def _score_csr(rows: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0.0
    for i in range(rows.start[row], rows.start[row + 1]):
        x, own = np.float64(rows.values[i]), weights[rows.index[i]]
        for k in range(len(own)):
            out[k] += x * own[k]


def _score_dense(rows: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0.0
    for f in range(rows.values.shape[1]):
        x, own = np.float64(rows.values[row, f]), weights[f]
        for k in range(len(own)):
            out[k] += x * own[k]


def _add_csr(rows: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    for i in range(rows.start[row], rows.start[row + 1]):
        x, own = np.float64(rows.values[i]), weights[rows.index[i]]
        for k in range(len(own)):
            own[k] += x * amount[k]


def _add_dense(rows: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    for f in range(rows.values.shape[1]):
        x, own = np.float64(rows.values[row, f]), weights[f]
        for k in range(len(own)):
            own[k] += x * amount[k]


# numba wants the arguments of each and of its `overload` annotated alike.
_SCORE: dict[type, Callable[..., None]] = {DenseRows: _score_dense, CsrRows: _score_csr}
_ADD: dict[type, Callable[..., None]] = {DenseRows: _add_dense, CsrRows: _add_csr}


@overload(score_into)
def _score_into_jit(rows: Any, row: int, weights: np.ndarray, out: np.ndarray) -> Callable:
    return _SCORE[rows.instance_class]


@overload(add_into)
def _add_into_jit(rows: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> Callable:
    return _ADD[rows.instance_class]


@kernel
def _score_all(rows: CsrRows, weights: np.ndarray, out: np.ndarray) -> None:
    for r in range(len(out)):
        score_into(rows, r, weights, out[r])


@kernel
def _add_all(rows: CsrRows, amounts: np.ndarray, gradient: np.ndarray) -> None:
    for r in range(len(amounts)):
        add_into(rows, r, amounts[r], gradient)

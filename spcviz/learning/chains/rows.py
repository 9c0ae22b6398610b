r"""Features with values, row by row: the linear part of a chain's scores, its biases and its gradient.

.. math:: u_r(k) = \sum_f x_{rf} W_{fk} + a(k) + [r \text{ first}]\, b(k) + [r \text{ last}]\, e(k), \qquad
          \frac{\partial}{\partial W_{fk}} = \sum_r x_{rf} g_r(k)

`CsrRows` holds the entries that are not zero, as scipy's csr does; `DenseRows` (`learning.cascade.features`)
all of them. In training the biases of edges are three more columns (`with_edges`), which learners treat like
any other; once learned they are added to the scores (`add_edges`), so prediction needs no columns for them.

Legend: R rows, the positions of all chains; F features, K states, n entries; edges (3, K) are a, b and e, of
every position, of a chain's first one and of its last.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.cascade import features as layouts
from spcviz.learning.cascade.features import ADD, SCORE, DenseRows, SparseRows, add_row, scores_by_rows
from spcviz.learning.cascade.features import n_features as n_features  # of rows of both kinds
from spcviz.learning.cascade.features import n_rows as n_rows

N_EDGES = 3
"""Biases of each state: of every position, of a chain's first one and of its last."""


class CsrRows(NamedTuple):
    """Features of each row with their values."""

    start: np.ndarray  # (R + 1,) int64
    # (n,) int32: features of row r: ``index[start[r] : start[r + 1]]``; one that occurs twice counts twice
    index: np.ndarray  # type: ignore[assignment]  # `tuple.index` is never called here
    values: np.ndarray  # (n,) float32 or float64
    n_features: int  # F


Rows = CsrRows | DenseRows


def part(rows: Rows, first: int, last: int) -> Rows:
    """Rows ``first .. last - 1``, as views."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[first:last])
    start = rows.start[first : last + 1]
    entries = slice(start[0], start[-1])
    return CsrRows(start - start[0], rows.index[entries], rows.values[entries], rows.n_features)


def take_rows(rows: Any, places: np.ndarray) -> Any:
    """Some rows of any layout, `SparseRows` too, in the order of `places`."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.values[places])
    counts = np.diff(rows.start)[places]
    entries = ranges(rows.start[places], counts)
    start, index = np.concatenate([[0], np.cumsum(counts)]), rows.index[entries]
    if isinstance(rows, SparseRows):
        return SparseRows(start, index, rows.n_features)
    return CsrRows(start, index, rows.values[entries], rows.n_features)


def square_rows(rows: Rows) -> Rows:
    """Rows with the square of each value."""
    return rows._replace(values=np.square(rows.values))


def ranges(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """``first[i] .. first[i] + counts[i] - 1`` for each i, one after another.

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 1])).tolist()
    [5, 6, 0]
    """
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()))


def check_rows(rows: Rows | None) -> Rows:
    """`rows` as arrays that kernels can read.

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If they have neither layout, an index is not 0 .. F - 1, arrays disagree, or values are not finite.
    """
    if isinstance(rows, DenseRows):
        values = layouts.check_features(rows).values  # type: ignore[union-attr]
        return DenseRows(np.ascontiguousarray(values, values.dtype if values.dtype.kind == "f" else float))
    if not isinstance(rows, CsrRows):
        raise ArgumentError(f"rows must be CsrRows or DenseRows, got {rows!r:.60}")
    count = checks.integer("n_features", rows.n_features, 0, 2**31 - 1)
    index = checks.whole_numbers("index", rows.index, 0, count - 1).astype(np.int32)
    start = checks.offsets("start", rows.start, len(index))
    values = checks.typed_array("values", rows.values, "biuf", "numbers")
    if values.shape != index.shape:
        raise ShapeError(f"values has shape {values.shape}; index {index.shape} needs the same")
    if not np.isfinite(values).all():
        at = int(np.isfinite(values).argmin())
        raise ScoreError(f"values[{at}] must be finite, got {values[at]}")
    return CsrRows(start, index, compact(values), count)


def compact(values: np.ndarray) -> np.ndarray:
    """`values` in 32 bits if that represents every one of them exactly, else in 64.

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
    """Unary scores (R, K) of every row under weights (F, K), or a ShapeError; rows as from `check_rows`.

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
    scores_by_rows(rows, weights, out)
    return out


def add_gradient(rows: Rows, amounts: np.ndarray, gradient: np.ndarray) -> None:
    """gradient[f, k] += sum over rows of x[r, f] times amounts[r, k]; amounts (R, K), gradient (F, K).

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


def observed_pairs(rows: Rows, labels: np.ndarray, n_states: int) -> np.ndarray:
    """Which feature occurs with which state: sorted flat indices f K + k, each once.

    Negative labels (R,) are unknown and count as every state.
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


def _score_csr(features: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0.0
    for i in range(features.start[row], features.start[row + 1]):
        x, feature_row = np.float64(features.values[i]), weights[features.index[i]]
        for k in range(len(feature_row)):
            out[k] += x * feature_row[k]


def _add_csr(features: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    for i in range(features.start[row], features.start[row + 1]):
        x, feature_row = np.float64(features.values[i]), weights[features.index[i]]
        for k in range(len(feature_row)):
            feature_row[k] += x * amount[k]


SCORE[CsrRows], ADD[CsrRows] = _score_csr, _add_csr


@kernel
def _add_all(rows: CsrRows, amounts: np.ndarray, gradient: np.ndarray) -> None:
    for r in range(len(amounts)):
        add_row(rows, r, amounts[r], gradient)


class SplitWeights(NamedTuple):
    """Weights (F, K) of features and (0 or 3, K) of edges, as views of one table."""

    features: np.ndarray
    edges: np.ndarray


def with_edges(rows: Rows, lengths: np.ndarray) -> Rows:
    """Rows with a column of ones, one that marks chains' first positions and one their last; lengths (W,).

    >>> with_edges(DenseRows(np.zeros((3, 1))), np.array([2, 0, 1])).values.tolist()
    [[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]]
    """
    ends = np.cumsum(lengths)[lengths > 0]
    columns = np.zeros((n_rows(rows), N_EDGES), dtype=bool)
    columns[:, 0] = True
    columns[ends - lengths[lengths > 0], 1] = columns[ends - 1, 2] = True
    if isinstance(rows, DenseRows):
        kind = rows.values.dtype if rows.values.dtype.kind == "f" else np.float64
        return DenseRows(np.concatenate([rows.values, columns], axis=1, dtype=kind))
    more, counts = columns.sum(axis=1), np.diff(rows.start)
    before = np.cumsum(more) - more
    start = np.concatenate([[0], np.cumsum(counts + more)])
    is_old = np.zeros(start[-1], dtype=bool)
    is_old[np.arange(len(rows.index)) + np.repeat(before, counts)] = True
    index, values = np.empty(len(is_old), np.int32), np.ones(len(is_old), rows.values.dtype)
    index[is_old], values[is_old] = rows.index, rows.values
    index[~is_old] = rows.n_features + np.nonzero(columns)[1]
    return CsrRows(start, index, values, rows.n_features + N_EDGES)


def add_edges(unary: np.ndarray, row_start: np.ndarray, edges: np.ndarray) -> None:
    """Add edges (3, K), or none (0, K), to scores (R, K) in place; chains begin at row_start (W + 1,).

    >>> unary = np.zeros((3, 1))
    >>> add_edges(unary, np.array([0, 2, 2, 3]), np.array([[1.0], [10.0], [100.0]]))
    >>> unary.ravel().tolist()
    [11.0, 101.0, 111.0]
    """
    if not len(edges):
        return
    is_there = np.diff(row_start) > 0
    unary += edges[0]
    unary[row_start[:-1][is_there]] += edges[1]
    unary[row_start[1:][is_there] - 1] += edges[2]


def split(table: np.ndarray, n_edges: int) -> SplitWeights:
    """The parts of a table whose last `n_edges` rows are of edges.

    >>> split(np.arange(4), 3)
    SplitWeights(features=array([0]), edges=array([1, 2, 3]))
    """
    n = len(table) - n_edges
    return SplitWeights(table[:n], table[n:])


def widen_table(table: np.ndarray, n_rows: int, n_edges: int) -> np.ndarray:
    """A table (F + E, K) with `n_rows` rows: zeros of new features between those of old ones and of edges.

    >>> widen_table(np.array([[1.0], [7.0]]), 3, 1).ravel().tolist()
    [1.0, 0.0, 7.0]
    """
    features, edges = split(table, n_edges)
    return np.concatenate([features, np.zeros((n_rows - len(table), *table.shape[1:])), edges])

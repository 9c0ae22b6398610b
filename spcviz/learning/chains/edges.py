r"""Bias weights of chains: of every position, of the first one and of the last.

.. math:: u_i(k) = \sum_f x_{if} W_{fk} + a(k) + [i = 1]\, b(k) + [i = L]\, e(k)

In training they are three more columns, which learners treat like any other; once learned they are added to
the scores, so prediction needs no columns for them.

Legend: R positions of all chains, F features, K states; edges (3, K) are a, b and e.
"""

from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.rows import CsrRows, Rows, n_rows

N_EDGES = 3


class Split(NamedTuple):
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


def split(table: np.ndarray, n_edges: int) -> Split:
    """The parts of a table whose last `n_edges` rows are of edges.

    >>> split(np.arange(4), 3)
    Split(features=array([0]), edges=array([1, 2, 3]))
    """
    n = len(table) - n_edges
    return Split(table[:n], table[n:])


def widen_table(table: np.ndarray, n_rows: int, n_edges: int) -> np.ndarray:
    """A table (F + E, K) with `n_rows` rows: zeros of new features between those of old ones and of edges.

    >>> widen_table(np.array([[1.0], [7.0]]), 3, 1).ravel().tolist()
    [1.0, 0.0, 7.0]
    """
    features, edges = split(table, n_edges)
    return np.concatenate([features, np.zeros((n_rows - len(table), *table.shape[1:])), edges])

r"""Grids as ensembles of combs: message passing on the R + C spanning trees of an R x C grid.

A comb's spine is one row, with all columns as teeth (combs 0 .. R - 1, by row), or one column, with all rows
as teeth (combs R .. R + C - 1, by column). Each spans all R C nodes. A node lies in R + C combs, a horizontal
edge in C + 1 (its own row's comb and all column combs), a vertical one in R + 1. Scores are divided by these
numbers, so that the combs' scores of any labelling sum to the grid's:

.. math:: \psi(x, y) = \sum_{p=1}^{R+C} \psi_p(x, y), \qquad \psi^*(x, y_j) \le \sum_p \psi^*_p(x, y_j)

Throughout: ``unary`` is (R, C, K); ``across`` is (R, C - 1, K, K), ``[r, c, state of (r, c), state of
(r, c + 1)]``; ``down`` is (R - 1, C, K, K), ``[r, c, state of (r, c), state of (r + 1, c)]``.

Combs of one orientation share their teeth: the messages along a column towards a spine are those of the whole
column, computed once for all spines. Each spine then needs only its own chain and the messages back outwards.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import graph
from spcviz.engine.graphs.combs import Filled, Side, fill_combs, fill_shared
from spcviz.engine.graphs.tree_messages import node_table
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import Width
from spcviz.engine.kernels.widths import pad_states, width_of

_MAX_TABLE = 50_000_000  # doubles: 400 MB


class CombMaxMarginals(NamedTuple):
    """Max-marginals of every comb.

    `best` (R + C,): score of each comb's best labelling, row combs first. ``unary[p, r, c, k]``
    (R + C, R, C, K): best score in comb p of a labelling with state k at (r, c).
    """

    best: np.ndarray
    unary: np.ndarray


class SummedMaxMarginals(NamedTuple):
    """The sums over combs that filtering needs, without a table for each.

    `best`, and `mean` of the finite max-marginals, of each comb (R + C,). `unary` (R, C, K): sum over combs,
    an upper bound of the grid's own max-marginal.
    """

    best: np.ndarray
    mean: np.ndarray
    unary: np.ndarray


def comb_membership(rows: int, columns: int) -> np.ndarray:
    """Edges of a grid that each comb has, (R + C, E) bool: row combs first, edges as in `graph.grid_edges`.

    `ArgumentError` unless rows and columns are 1 .. 300. Weiss (2013), thesis, Fig. 5.1 and section 5.5.1.

    >>> member = comb_membership(3, 3)
    >>> member.sum(axis=1), member.sum(axis=0)
    (array([8, 8, 8, 8, 8, 8]), array([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]))
    """
    rows, columns = checks.integer("rows", rows, 1, 300), checks.integer("columns", columns, 1, 300)
    n_across, n_down = rows * (columns - 1), (rows - 1) * columns
    member = np.zeros((rows + columns, n_across + n_down), dtype=bool)
    member[:rows, n_across:] = True
    member[rows:, :n_across] = True
    for r in range(rows):
        member[r, r * (columns - 1) : (r + 1) * (columns - 1)] = True
    for c in range(columns):
        member[rows + c, n_across + c :: columns] = True
    return member


def as_graph(
    unary: ArrayLike, across: ArrayLike, down: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A grid as a general graph: (unary (N, K), edges (E, 2), pairwise (E, K, K)).

    Numbered as in `graph.grid_edges`; arguments and errors as in `comb_max_marginals`.

    >>> [a.shape for a in as_graph(np.zeros((2, 3, 4)), np.zeros((2, 2, 4, 4)), np.zeros((1, 3, 4, 4)))]
    [(6, 4), (7, 2), (7, 4, 4)]
    """
    unary, across, down = _check_grid(unary, across, down)
    rows, columns, n = unary.shape
    pairwise = np.concatenate([across.reshape(-1, n, n), down.reshape(-1, n, n)])
    return unary.reshape(-1, n), graph.grid_edges(rows, columns), pairwise


def comb_max_marginals(unary: ArrayLike, across: ArrayLike, down: ArrayLike) -> CombMaxMarginals:
    """Max-marginals of all R + C combs of a grid, in O((R + C) R C K^2) with the teeth shared.

    Weiss (2013), thesis, equations (5.1), (5.2), Fig. 5.1.

    Parameters
    ----------
    unary : array_like, shape (R, C, K)
        State scores of the whole grid; they are divided among the combs here.
    across : array_like, shape (R, C - 1, K, K)
        Scores of horizontal neighbours, left state first.
    down : array_like, shape (R - 1, C, K, K)
        Scores of vertical neighbours, upper state first.

    Raises
    ------
    ShapeError, ScoreError
        If the arrays disagree or hold NaN or +inf.
    ArgumentError
        If the table would have more than 50 million entries; see `summed_max_marginals`.
    InfeasibleError
        If a comb, and so the grid, has no labelling of finite score.

    Examples
    --------
    >>> comb_max_marginals(np.zeros((1, 1, 2)), np.zeros((1, 0, 2, 2)), np.zeros((0, 1, 2, 2))).best
    array([0., 0.])
    """
    unary, across, down = _check_grid(unary, across, down)
    rows, columns, n = unary.shape
    if (rows + columns) * unary.size > _MAX_TABLE:
        raise ArgumentError(
            f"unary must have at most {_MAX_TABLE // (rows + columns)} entries for a table of all combs, "
            f"got {unary.size}"
        )
    table = np.empty((rows + columns, rows, columns, n))
    best, _, _ = _all_combs(unary, across, down, table)
    return CombMaxMarginals(_feasible(best, rows), table)


def summed_max_marginals(unary: ArrayLike, across: ArrayLike, down: ArrayLike) -> SummedMaxMarginals:
    """The sum over combs of their max-marginals, in R C K instead of (R + C) R C K memory.

    Arguments and errors as in `comb_max_marginals`. Weiss (2013), thesis, equation (5.2).

    >>> summed_max_marginals(np.ones((2, 2, 1)), np.ones((2, 1, 1, 1)), np.ones((1, 2, 1, 1))).unary[0, 0]
    array([8.])
    """
    unary, across, down = _check_grid(unary, across, down)
    table = np.empty((1, *unary.shape))
    best, mean, summed = _all_combs(unary, across, down, table)
    return SummedMaxMarginals(_feasible(best, len(unary)), mean, summed)


def score(unary: ArrayLike, across: ArrayLike, down: ArrayLike, labels: ArrayLike) -> float:
    """Score of one labelling of the grid.

    `labels` (R, C) of int; other arguments and errors as in `comb_max_marginals`.

    >>> score([[[0.0, 2.0]]], np.zeros((1, 0, 2, 2)), np.zeros((0, 1, 2, 2)), [[1]])
    2.0
    """
    unary, across, down = _check_grid(unary, across, down)
    labels = checks.typed_array("labels", labels, "biuf", "whole numbers")
    if labels.shape != unary.shape[:2]:
        raise ShapeError(f"labels has shape {labels.shape}; unary {unary.shape} needs {unary.shape[:2]}")
    y = checks.states("labels", labels.reshape(-1), labels.size, unary.shape[2]).reshape(labels.shape)
    at = np.indices(y.shape)
    r, c = at[0], at[1]
    total = unary[r, c, y].sum()
    total += across[r[:, :-1], c[:, :-1], y[:, :-1], y[:, 1:]].sum()
    return float(total + down[r[:-1], c[:-1], y[:-1], y[1:]].sum())


def _check_grid(
    unary: ArrayLike, across: ArrayLike, down: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    unary = checks.scores("unary", unary, 3)
    if 0 in unary.shape:
        raise ShapeError(f"unary has shape {unary.shape}; it needs at least one row, column and state")
    across, down = checks.scores("across", across, 4), checks.scores("down", down, 4)
    rows, columns, n = unary.shape
    for name, table, wanted in (
        ("across", across, (rows, columns - 1, n, n)),
        ("down", down, (rows - 1, columns, n, n)),
    ):
        if table.shape != wanted:
            raise ShapeError(f"{name} has shape {table.shape}; unary {unary.shape} needs {wanted}")
    return unary, across, down


def _feasible(best: np.ndarray, rows: int) -> np.ndarray:
    dead = np.flatnonzero(np.isneginf(best))
    if len(dead):
        p = int(dead[0])
        name = f"row {p}" if p < rows else f"column {p - rows}"
        raise InfeasibleError(f"every labelling has score -inf in the comb whose spine is {name}")
    return best


def _all_combs(
    unary: np.ndarray, across: np.ndarray, down: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(best (P,), mean (P,), summed (R, C, K)); comb p's max-marginals go to table[p % len(table)]."""
    rows, columns, n = unary.shape
    width = width_of(n)
    if width is None:
        return _one_by_one(unary, across, down, table)
    w = len(width)
    u = pad_states(unary, width, 1, -np.inf).reshape(-1, w)
    a, d = (pad_states(t, width, 2, -np.inf).reshape(-1, w, w) for t in (across, down))
    best, mean, summed = np.empty(rows + columns), np.empty(rows + columns), np.zeros_like(unary)
    filled = Filled(table.reshape(len(table), -1, n), best, mean, summed.reshape(-1, n))
    _every_comb(width, rows, columns, u, a, d, filled)
    return best, mean, summed


def _one_by_one(
    unary: np.ndarray, across: np.ndarray, down: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_all_combs` for more states than any width: each comb as a tree, nothing shared."""
    member = comb_membership(*unary.shape[:2])
    flat, edges, pairwise = as_graph(unary, across, down)
    shares = pairwise / member.sum(axis=0)[:, None, None]
    best, mean, summed = np.empty(len(member)), np.empty(len(member)), np.zeros_like(unary)
    for p, mask in enumerate(member):
        rooted = graph.forest(len(flat), edges[mask])
        best[p], max_marginals = node_table(flat / len(member), shares[mask], rooted)
        table[p % len(table)] = max_marginals.reshape(unary.shape)
        summed += table[p % len(table)]
        mean[p] = max_marginals[max_marginals > -np.inf].mean() if best[p] > -np.inf else best[p]
    return best, mean, summed


@kernel
def _every_comb(
    width: Width,
    rows: int,
    columns: int,
    u: np.ndarray,
    a: np.ndarray,
    d: np.ndarray,
    filled: Filled,
) -> None:
    """Row combs, then column combs: the same loops with rows and columns exchanged by their strides."""
    u = u / (rows + columns)
    (a, a_back), (d, d_back) = fill_shared(width, a, columns + 1), fill_shared(width, d, rows + 1)
    by_row, by_column = (columns, 1), (1, columns)  # node (line, post) is line * [0] + post * [1]
    across, turned = (columns - 1, 1), (1, columns - 1)
    spine, tooth = (a, a_back, across), (d, d_back, by_row)
    fill_combs(width, Side(rows, columns, by_row, spine, tooth), u, 0, filled)
    spine, tooth = (d, d_back, by_column), (a, a_back, turned)
    fill_combs(width, Side(columns, rows, by_column, spine, tooth), u, rows, filled)

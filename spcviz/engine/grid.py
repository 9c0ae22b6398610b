r"""Grids as ensembles of combs: the R + C spanning trees of an R x C grid and their max-marginals.

A comb's spine is one row, with all columns as teeth (combs 0 .. R - 1, by row), or one column, with all rows
as teeth (combs R .. R + C - 1, by column). Each spans all R C nodes. A node lies in R + C combs, a horizontal
edge in C + 1 (its own row's comb and all column combs), a vertical one in R + 1. Scores are divided by these
numbers, so that the combs' scores of any labelling sum to the grid's:

.. math:: \psi(x, y) = \sum_{p=1}^{R+C} \psi_p(x, y), \qquad \psi^*(x, y_j) \le \sum_p \psi^*_p(x, y_j)

Throughout: ``unary`` is (R, C, K); ``across`` is (R, C - 1, K, K), ``[r, c, state of (r, c), state of
(r, c + 1)]``; ``down`` is (R - 1, C, K, K), ``[r, c, state of (r, c), state of (r + 1, c)]``.

Combs of one orientation share their teeth: the messages along a column towards a spine are those of the whole
column, computed once for all spines. What is left for each spine is its own chain and the way back out.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks, graph, tree
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.jit import inlined_kernel, kernel
from spcviz.engine.widths import combine_max, padded, width_of

_MAX_TABLE = 50_000_000  # doubles: 400 MB


class CombMaxMarginals(NamedTuple):
    """Max-marginals of every comb.

    Attributes
    ----------
    best : ndarray, shape (R + C,)
        Score of each comb's best labelling, row combs first.
    unary : ndarray, shape (R + C, R, C, K)
        ``[p, r, c, k]``: best score in comb p of a labelling with state k at (r, c).
    """

    best: np.ndarray
    unary: np.ndarray


class SummedMaxMarginals(NamedTuple):
    """What filtering needs of all combs, without a table for each.

    Attributes
    ----------
    best : ndarray, shape (R + C,)
    mean : ndarray, shape (R + C,)
        Mean of each comb's finite max-marginals.
    unary : ndarray, shape (R, C, K)
        Sum over combs: an upper bound of the grid's own max-marginal.
    """

    best: np.ndarray
    mean: np.ndarray
    unary: np.ndarray


def comb_membership(rows, columns):
    """Which edges of a grid each comb has.

    Parameters
    ----------
    rows, columns : int
        1 .. 300.

    Returns
    -------
    ndarray, shape (R + C, E), bool
        Row combs first; edges as in `graph.grid_edges`.

    Raises
    ------
    ArgumentError

    References
    ----------
    Weiss (2013), thesis, Fig. 5.1 and section 5.5.1.

    Examples
    --------
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


def as_graph(unary, across, down):
    """A grid as a general graph: (unary (N, K), edges (E, 2), pairwise (E, K, K)).

    Parameters
    ----------
    unary, across, down : array_like
        As in `comb_max_marginals`.

    Returns
    -------
    tuple of ndarray
        Nodes and edges numbered as in `graph.grid_edges`.

    Raises
    ------
    ShapeError, ScoreError

    Examples
    --------
    >>> [a.shape for a in as_graph(np.zeros((2, 3, 4)), np.zeros((2, 2, 4, 4)), np.zeros((1, 3, 4, 4)))]
    [(6, 4), (7, 2), (7, 4, 4)]
    """
    unary, across, down = _checked(unary, across, down)
    rows, columns, n = unary.shape
    pairwise = np.concatenate([across.reshape(-1, n, n), down.reshape(-1, n, n)])
    return unary.reshape(-1, n), graph.grid_edges(rows, columns), pairwise


def comb_max_marginals(unary, across, down):
    """Max-marginals of all R + C combs of a grid, in O((R + C) R C K^2) with the teeth shared.

    Parameters
    ----------
    unary : array_like, shape (R, C, K)
        State scores of the whole grid; they are divided among the combs here.
    across : array_like, shape (R, C - 1, K, K)
        Scores of horizontal neighbours, left state first.
    down : array_like, shape (R - 1, C, K, K)
        Scores of vertical neighbours, upper state first.

    Returns
    -------
    CombMaxMarginals

    Raises
    ------
    ShapeError, ScoreError
        If the arrays disagree or hold NaN or +inf.
    ArgumentError
        If the table would have more than 50 million entries; see `summed_max_marginals`.
    InfeasibleError
        If a comb, and so the grid, has no labelling of finite score.

    References
    ----------
    Weiss (2013), thesis, equations (5.1), (5.2), Fig. 5.1.

    Examples
    --------
    >>> comb_max_marginals(np.zeros((1, 1, 2)), np.zeros((1, 0, 2, 2)), np.zeros((0, 1, 2, 2))).best
    array([0., 0.])
    """
    unary, across, down = _checked(unary, across, down)
    rows, columns, n = unary.shape
    if (rows + columns) * unary.size > _MAX_TABLE:
        raise ArgumentError(
            f"unary must have at most {_MAX_TABLE // (rows + columns)} entries for a table of all combs, "
            f"got {unary.size}"
        )
    table = np.empty((rows + columns, rows, columns, n))
    best, _, _ = _all_combs(unary, across, down, table)
    return CombMaxMarginals(_feasible(best, rows), table)


def summed_max_marginals(unary, across, down):
    """The sum over combs of their max-marginals, in R C K instead of (R + C) R C K memory.

    Parameters
    ----------
    unary, across, down : array_like
        As in `comb_max_marginals`.

    Returns
    -------
    SummedMaxMarginals

    Raises
    ------
    ShapeError, ScoreError, InfeasibleError
        As in `comb_max_marginals`.

    References
    ----------
    Weiss (2013), thesis, equation (5.2).

    Examples
    --------
    >>> summed_max_marginals(np.ones((2, 2, 1)), np.ones((2, 1, 1, 1)), np.ones((1, 2, 1, 1))).unary[0, 0]
    array([8.])
    """
    unary, across, down = _checked(unary, across, down)
    table = np.empty((1, *unary.shape))
    best, mean, summed = _all_combs(unary, across, down, table)
    return SummedMaxMarginals(_feasible(best, len(unary)), mean, summed)


def score(unary, across, down, labels):
    """Score of one labelling of the grid.

    Parameters
    ----------
    unary, across, down : array_like
        As in `comb_max_marginals`.
    labels : array_like of int, shape (R, C)

    Returns
    -------
    float

    Raises
    ------
    ShapeError, ScoreError, ArgumentError

    Examples
    --------
    >>> score([[[0.0, 2.0]]], np.zeros((1, 0, 2, 2)), np.zeros((0, 1, 2, 2)), [[1]])
    2.0
    """
    unary, across, down = _checked(unary, across, down)
    labels = np.asarray(labels)
    if labels.shape != unary.shape[:2]:
        raise ShapeError(f"labels has shape {labels.shape}; unary {unary.shape} needs {unary.shape[:2]}")
    y = checks.states("labels", labels.reshape(-1), labels.size, unary.shape[2]).reshape(labels.shape)
    r, c = np.indices(y.shape)
    found = unary[r, c, y].sum()
    found += across[r[:, :-1], c[:, :-1], y[:, :-1], y[:, 1:]].sum()
    return float(found + down[r[:-1], c[:-1], y[:-1], y[1:]].sum())


def _checked(unary, across, down):
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


def _feasible(best, rows):
    dead = np.flatnonzero(np.isneginf(best))
    if len(dead):
        p = int(dead[0])
        name = f"row {p}" if p < rows else f"column {p - rows}"
        raise InfeasibleError(f"every labelling has score -inf in the comb whose spine is {name}")
    return best


def _all_combs(unary, across, down, table):
    """(best (P,), mean (P,), summed (R, C, K)); comb p's max-marginals go to table[p % len(table)]."""
    rows, columns, n = unary.shape
    width = width_of(n)
    if width is None:
        return _one_by_one(unary, across, down, table)
    w = len(width)
    u = padded(unary / (rows + columns), width, 1, -np.inf)
    a = padded(across / (columns + 1), width, 2, -np.inf)
    d = padded(down / (rows + 1), width, 2, -np.inf)
    best, mean, summed = np.empty(rows + columns), np.empty(rows + columns), np.zeros_like(unary)
    teeth = d.reshape(-1, w, w), _reversed(d).reshape(-1, w, w)
    spines = a.reshape(-1, w, w), _reversed(a).reshape(-1, w, w)
    _combs(width, u, *spines, *teeth, table, 0, best, mean, summed)
    # Column combs are row combs of the transposed grid; the sums and tables come back transposed.
    a, d = np.ascontiguousarray(a.swapaxes(0, 1)), np.ascontiguousarray(d.swapaxes(0, 1))
    teeth = a.reshape(-1, w, w), _reversed(a).reshape(-1, w, w)
    spines = d.reshape(-1, w, w), _reversed(d).reshape(-1, w, w)
    u = np.ascontiguousarray(u.swapaxes(0, 1))
    _combs(width, u, *spines, *teeth, table.swapaxes(1, 2), rows, best, mean, summed.swapaxes(0, 1))
    return best, mean, summed


def _one_by_one(unary, across, down, table):
    """`_all_combs` for more states than any width: each comb as a tree, nothing shared."""
    member = comb_membership(*unary.shape[:2])
    flat, edges, pairwise = as_graph(unary, across, down)
    shares = pairwise / member.sum(axis=0)[:, None, None]
    best, mean, summed = np.empty(len(member)), np.empty(len(member)), np.zeros_like(unary)
    for p, mask in enumerate(member):
        rooted = graph.forest(len(flat), edges[mask])
        best[p], found = tree.node_table(flat / len(member), shares[mask], *rooted)
        table[p % len(table)] = found.reshape(unary.shape)
        summed += table[p % len(table)]
        mean[p] = found[found > -np.inf].mean() if best[p] > -np.inf else best[p]
    return best, mean, summed


@kernel
def _reversed(tables):
    """Tables (A, B, W, W) with the two states exchanged."""
    out = np.empty_like(tables)
    n = tables.shape[2]
    for a in range(len(tables)):
        for b in range(tables.shape[1]):
            for j in range(n):
                for k in range(n):
                    out[a, b, k, j] = tables[a, b, j, k]
    return out


@kernel
def _combs(width, u, a, a_back, d, d_back, table, first, best, mean, summed):
    """All combs with a row for a spine: tables to table[first + row], sums added to `summed`.

    Spine tables `a` are ``[r (C - 1) + c]``, tooth tables `d` are ``[r C + c]``; W x W each.
    """
    rows, columns, n = u.shape
    u = u.reshape((rows * columns, n))
    above, below = np.zeros_like(u), np.zeros_like(u)
    acc = np.empty((1, n))
    for i in range(columns, rows * columns):
        _add(width, u, i - columns, above, i - columns, acc, 0)
        combine_max(width, acc, 0, d, i - columns, above, i)
    for i in range((rows - 1) * columns - 1, -1, -1):
        _add(width, u, i + columns, below, i + columns, acc, 0)
        combine_max(width, acc, 0, d_back, i, below, i)
    buffer = np.empty_like(u)
    for s in range(rows):
        _comb(width, s, columns, u, above, below, a, a_back, d, d_back, buffer)
        out = table[(first + s) % len(table)]
        best[first + s], mean[first + s] = _take(buffer, columns, summed, out)


@inlined_kernel
def _add(width, first, i, second, j, out, o):
    """out[o] = first[i] + second[j], rows of width W."""
    for k in range(len(width)):
        out[o, k] = first[i, k] + second[j, k]


@kernel
def _comb(width, s, columns, u, above, below, a, a_back, d, d_back, out):
    """Max-marginals of the comb whose spine is row s, into out (R C, W)."""
    n = len(width)
    base, steps = s * columns, s * (columns - 1)
    hub, acc = np.empty((columns, n)), np.empty((1, n))
    left, right = np.zeros((columns, n)), np.zeros((columns, n))
    for c in range(columns):
        for k in range(n):
            hub[c, k] = u[base + c, k] + above[base + c, k] + below[base + c, k]
    for c in range(1, columns):
        _add(width, hub, c - 1, left, c - 1, acc, 0)
        combine_max(width, acc, 0, a, steps + c - 1, left, c)
    for c in range(columns - 2, -1, -1):
        _add(width, hub, c + 1, right, c + 1, acc, 0)
        combine_max(width, acc, 0, a_back, steps + c, right, c)
    for c in range(columns):
        for k in range(n):
            sides = left[c, k] + right[c, k]
            out[base + c, k] = hub[c, k] + sides
            left[c, k] = u[base + c, k] + above[base + c, k] + sides  # what goes on downwards
            right[c, k] = u[base + c, k] + below[base + c, k] + sides  # what goes on upwards
    for c in range(columns):
        for i in range(base + columns + c, len(u), columns):
            combine_max(width, left, c, d, i - columns, acc, 0)
            _add(width, acc, 0, u, i, left, c)
            _add(width, left, c, below, i, out, i)
        for i in range(base - columns + c, -1, -columns):
            combine_max(width, right, c, d_back, i, acc, 0)
            _add(width, acc, 0, u, i, right, c)
            _add(width, right, c, above, i, out, i)


@kernel
def _take(values, columns, summed, out):
    """Add a comb's table to the sum and copy it; (best, mean of the finite entries)."""
    best = -np.inf
    for k in range(values.shape[1]):
        best = max(best, values[0, k])
    acc, count = 0.0, 0
    for i in range(len(values)):
        r, c = i // columns, i % columns
        for k in range(summed.shape[2]):
            v = values[i, k]
            summed[r, c, k] += v
            out[r, c, k] = v
            if v > -np.inf:
                acc += v - best
                count += 1
    return best, best + acc / max(count, 1)

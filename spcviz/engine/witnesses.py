r"""Sums over all witnesses of a tree, without decoding one of them.

The witness of state k at node i is the best labelling through it, :math:`y^*(x, y_i = k)`. Learning needs
the sum of the features of all of them, and so how often each assignment occurs among them. Every witness
leaves its node along back-pointers, outwards; `tree`'s tables hold what each choice compares:

- from v in state k up to its parent: argmax over j of ``above[v, j] + p_e(j, k)``
- from the parent in state j down to v: argmax over k of ``below[v, k] + p_e(j, k)``
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks, tree
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.jit import kernel
from spcviz.engine.semirings import MAX_PLUS
from spcviz.engine.tree import downward, oriented, upward


class WitnessCounts(NamedTuple):
    """How often each assignment occurs in the witnesses of all assignments, weighted.

    Attributes
    ----------
    unary : ndarray, shape (N, K)
    pairwise : ndarray, shape (E, K, K)
    total : float
        Sum of the weights that were counted: every node's row of `unary` adds up to it.
    """

    unary: np.ndarray
    pairwise: np.ndarray
    total: float


def witness_counts(unary, edges, pairwise, weights=None):
    """Sum of the indicator vectors of all witnesses, in O(E K^2) instead of one decoding each.

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`.
    weights : array_like, shape (N, K), optional
        How much the witness of state k at node i counts; 1 by default. States without a witness
        (max-marginal -inf) never count.

    Returns
    -------
    WitnessCounts

    Raises
    ------
    CycleError, ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    Notes
    -----
    Every witness leaves its node along back-pointers, so counts travel instead of labellings: those that
    start in a subtree go up to the parent's best state given the child's; at each node, all that did not
    come from a child go down to the child's best state given the parent's. What starts in another tree of
    the forest enters at the root's best state.

    References
    ----------
    The mean's sub-gradient in Weiss (2013), thesis, equations (4.9) and (5.6).

    Examples
    --------
    >>> witness_counts([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]]).unary
    array([[2., 2.], [2., 2.]])
    """
    unary, edges, pairwise, rooted = tree.checked(unary, edges, pairwise)
    weights = np.ones_like(unary) if weights is None else checks.scores("weights", weights, 2).copy()
    if weights.shape != unary.shape:
        raise ShapeError(f"weights has shape {weights.shape}; unary needs {unary.shape}")
    if np.isneginf(weights).any():
        raise ArgumentError("weights must be finite, got -inf")
    best, node = tree.node_table(unary, pairwise, *rooted)
    if best == -np.inf:
        raise tree.infeasible(unary, pairwise, rooted)
    weights[np.isneginf(node)] = 0.0
    nodes, pairs = _witness_counts(unary, pairwise, weights, len(edges), *rooted)
    return WitnessCounts(nodes, pairs, float(weights.sum()))


@kernel
def _argmax_plus(first, second):
    """Smallest index of the largest sum."""
    top, arg = -np.inf, 0
    for k in range(len(first)):
        value = first[k] + second[k]
        if value > top:
            top, arg = value, k
    return arg


@kernel
def _witness_counts(unary, pairwise, weights, n_edges, order, parent, towards, root):
    """(nodes (N, K), pairs (E, K, K)): see `witness_counts`."""
    n = unary.shape[1]
    below, up = np.empty_like(unary), np.empty_like(unary)
    above, down = np.empty_like(unary), np.empty_like(unary)
    upward(MAX_PLUS, unary, pairwise, below, up, order, parent, towards, root)
    downward(MAX_PLUS, unary, pairwise, up, above, down, order, parent, towards, root)
    table, back = np.empty((n, n)), np.empty((n, n))
    counts = weights.copy()  # on the way up: witnesses that start in the subtree
    came = np.zeros_like(unary)  # came[v, j]: those of them that reach the parent in state j
    pairs = np.zeros((n_edges, n, n))
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        if parent[v] < 0:
            continue
        oriented(pairwise, towards[v] ^ 1, back)
        for k in range(n):
            if counts[v, k] != 0.0:
                j = _argmax_plus(above[v], back[k])
                came[v, j] += counts[v, k]
                _add_pair(pairs, towards[v], j, k, counts[v, k])
        for j in range(n):
            counts[parent[v], j] += came[v, j]
    everything = weights.sum()
    for at in range(len(order)):
        v = order[at]
        if parent[v] < 0:
            k = _argmax_plus(below[v], down[v])
            counts[v, k] += everything - counts[v].sum()
            continue
        oriented(pairwise, towards[v], table)
        for j in range(n):
            rest = counts[parent[v], j] - came[v, j]
            if rest != 0.0:
                k = _argmax_plus(below[v], table[j])
                counts[v, k] += rest
                _add_pair(pairs, towards[v], j, k, rest)
    return counts, pairs


@kernel
def _add_pair(pairs, directed, j, k, amount):
    """Count parent state j with child state k."""
    if directed & 1:
        pairs[directed >> 1, k, j] += amount
    else:
        pairs[directed >> 1, j, k] += amount

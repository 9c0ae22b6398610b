r"""Trees and forests: message passing for the best labelling, max-marginals, sum marginals, witnesses.

The score of a labelling :math:`y \in \{0..K-1\}^N` of the nodes of a forest is

.. math:: \psi(x, y) = \sum_{i} u_i(y_i) + \sum_{e = (a, b)} p_e(y_a, y_b)

Throughout: ``unary`` is u, shape (N, K); ``edges`` is (E, 2); ``pairwise`` is p, shape (E, K, K), indexed
``[e, state of edges[e, 0], state of edges[e, 1]]``, or one (K, K) for all edges. Scores are in the log
domain, larger is better; -inf forbids. The forest is rooted (`graph.Rooted`), then for a node v with parent p

- ``below[v, k]``: plus over the subtree of v with y_v = k, v's unary included
- ``up[v, j]``: ``below[v]`` combined over the edge: the message from v to its parent in state j
- ``above[v, j]``: plus over everything but the subtree of v, with y_p = j
- ``down[v, k]``: ``above[v]`` combined over the edge: the message from the parent to v in state k

so below times down is the marginal of v, and above times p_e times below that of its edge. Nothing is ever
divided out, so -inf stays -inf. Trees of a forest are independent: their totals multiply.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.chain import Decoded
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.graphs import graph
from spcviz.engine.graphs.tree_messages import (
    decode_tree,
    fill_log_tables,
    fill_tables,
    is_tame,
    node_table,
    upward,
)
from spcviz.engine.kernels.semirings import MAX_PLUS, SUM_TIMES


class TreeMaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    ``unary[i, k]`` (N, K): with y_i = k. ``pairwise[e, j, k]`` (E, K, K): with state j at ``edges[e, 0]`` and
    k at ``edges[e, 1]``. `best` is the best score of all.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray


class TreeMarginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)): `unary` (N, K), `pairwise` (E, K, K)."""

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray


def decode(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> Decoded:
    """Best labelling of a forest in O(E K^2). Ties go to the smallest state, parents first.

    Labels (N,); every tree is rooted at its smallest node. Weiss (2013), thesis, equations (3.2), (3.3).

    Parameters
    ----------
    unary : array_like, shape (N, K)
        State scores.
    edges : array_like of int, shape (E, 2)
        No cycles; several trees and lone nodes are fine.
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; a (K, K) array serves every edge.

    Raises
    ------
    CycleError
        If the graph has a cycle; the message names it.
    ShapeError, ScoreError, ArgumentError
        If the arrays disagree, hold NaN or +inf, or an edge leaves the graph.
    InfeasibleError
        If no labelling has a finite score.

    Examples
    --------
    >>> star = [[0, 1], [0, 2]]
    >>> decode([[0.0, 1.0], [0.5, 0.0], [0.5, 0.0]], star, [[0.0, 0.0], [-3.0, 0.0]])
    Decoded(score=1.0, labels=array([0, 0, 0]))
    """
    unary, edges, pairwise, tree = check_tree(unary, edges, pairwise)
    return _decode_or_raise(unary, pairwise, tree)


def witness(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, node: int, state: int) -> Decoded:
    """Best labelling with ``labels[node] == state``: the one that attains the max-marginal.

    The node's tree is rooted there, which settles ties. Other arguments and errors as in `decode`; infeasible
    also if every labelling through the state is forbidden. Weiss (2013), thesis, equation (4.2).

    >>> witness([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]], node=0, state=1)
    Decoded(score=1.0, labels=array([1, 1]))
    """
    unary, edges, pairwise, _ = check_tree(unary, edges, pairwise)
    node = checks.integer("node", node, 0, len(unary) - 1)
    state = checks.integer("state", state, 0, unary.shape[1] - 1)
    clamped = unary.copy()
    clamped[node] = -np.inf
    clamped[node, state] = unary[node, state]
    try:
        return _decode_or_raise(clamped, pairwise, graph.forest(len(unary), edges, node))
    except InfeasibleError:
        message = f"no labelling with state {state} at node {node} has a finite score"
        raise InfeasibleError(message) from None


def max_marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> TreeMaxMarginals:
    """Best score through every state of every node and every pair of states of every edge, in O(E K^2).

    Arguments and errors as in `decode`. Weiss (2013), thesis, equation (4.1).

    >>> result = max_marginals([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> result.best, result.unary.tolist()
    (1.0, [[0.5, 1.0], [0.5, 1.0]])
    """
    unary, edges, pairwise, tree = check_tree(unary, edges, pairwise)
    best, node, edge = fill_tables(MAX_PLUS, unary, pairwise, len(edges), tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return TreeMaxMarginals(float(best), node, edge)


def node_max_marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> tuple[float, np.ndarray]:
    """`max_marginals` without the table of edges: (best, node table (N, K)).

    >>> node_max_marginals([[0.0, 1.0]], [], np.zeros((2, 2)))
    (1.0, array([[0., 1.]]))
    """
    unary, edges, pairwise, tree = check_tree(unary, edges, pairwise)
    best, node = node_table(unary, pairwise, tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return float(best), node


def marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> TreeMarginals:
    """Probability of every state of every node and every pair of states of every edge, in O(E K^2).

    Arguments and errors as in `decode`; p(y) is proportional to exp of the score, which is summed as in
    `spcviz.engine.chains.chain.marginals`.

    >>> marginals([[0.0, 0.0]], [], np.zeros((2, 2))).unary
    array([[0.5, 0.5]])
    """
    unary, edges, pairwise, tree = check_tree(unary, edges, pairwise)
    degree = np.bincount(edges.reshape(-1), minlength=len(unary)).max() if len(edges) else 0
    if is_tame(unary, pairwise, degree + 1):
        top, high = unary.max(axis=1, keepdims=True), pairwise.max() if pairwise.size else 0.0
        exps = np.exp(unary - top), np.exp(pairwise - high)
        log_partition, node, edge = fill_tables(SUM_TIMES, *exps, len(edges), tree)
        node /= node.sum(axis=1, keepdims=True)
        edge /= edge.sum(axis=(1, 2), keepdims=True)
        return TreeMarginals(float(log_partition + top.sum() + len(edges) * high), node, edge)
    node, edge = np.zeros_like(unary), np.empty((len(edges), unary.shape[1], unary.shape[1]))
    log_partition = fill_log_tables(unary, pairwise, tree, node, edge)
    if log_partition == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return TreeMarginals(float(log_partition), node, edge)


def score(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, labels: ArrayLike) -> float:
    """Score of one labelling; the graph may have cycles.

    `labels` (N,) of int; other arguments and errors as in `decode`.

    >>> score([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]], [1, 0])
    -1.5
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise, cycles=False)
    labels = checks.states("labels", labels, len(unary), unary.shape[1])
    which = np.arange(len(edges)) % max(len(pairwise), 1)
    steps = pairwise[which, labels[edges[:, 0]], labels[edges[:, 1]]]
    return float(unary[np.arange(len(unary)), labels].sum() + steps.sum())


def check_tree(
    unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, graph.Rooted]:
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise, cycles=False)
    return unary, edges, pairwise, graph.forest(len(unary), edges)


def _decode_or_raise(unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted) -> Decoded:
    labels = np.empty(len(unary), dtype=np.int64)
    best = decode_tree(unary, pairwise, labels, tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return Decoded(float(best), labels)


def infeasible(unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted) -> InfeasibleError:
    below = np.empty_like(unary)
    upward(MAX_PLUS, unary, pairwise, below, np.empty_like(unary), tree)
    dead = [int(v) for v in tree.order[::-1] if np.all(np.isneginf(below[v]))]
    where = f"node {dead[0]}" if dead else "the root"
    return InfeasibleError(f"every labelling has score -inf: all {unary.shape[1]} states are dead at {where}")

r"""Trees and forests: message passing for the best labelling, max-marginals, sum marginals, witnesses.

Scores a labelling :math:`y \in \{0..K-1\}^N` of the nodes of a forest as

.. math:: \psi(x, y) = \sum_{i} u_i(y_i) + \sum_{e = (a, b)} p_e(y_a, y_b)

Throughout: ``unary`` is u, shape (N, K); ``edges`` is (E, 2); ``pairwise`` is p, shape (E, K, K), indexed
``[e, state of edges[e, 0], state of edges[e, 1]]``, or one (K, K) for all edges. Scores are in the log
domain, larger is better; -inf forbids. The forest is rooted (`graph.Rooted`), then for a node v with parent p

- ``below[v, k]``: plus over the subtree of v with y_v = k, v's unary included
- ``up[v, j]``: ``below[v]`` combined over the edge: what v tells its parent in state j
- ``above[v, j]``: plus over everything but the subtree of v, with y_p = j
- ``down[v, k]``: ``above[v]`` combined over the edge: what the parent tells v in state k

so that below times down is the marginal of v, and above times p_e times below that of its edge. Nothing is
ever divided out, so -inf stays -inf. Trees of a forest are independent: their totals multiply.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.chain import Decoded
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.graphs import graph
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import (
    LOG_PLUS,
    MAX_PLUS,
    SUM_TIMES,
    Semiring,
    combine,
    multiply,
    settle,
    total,
)
from spcviz.engine.kernels.vectors import copy

_TAME_RANGE = 600.0  # exp(-600) is far above the smallest double; see chain.py


class MaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    Attributes
    ----------
    best : float
        Score of the best labelling.
    unary : ndarray, shape (N, K)
        ``[i, k]``: best score with y_i = k.
    pairwise : ndarray, shape (E, K, K)
        ``[e, j, k]``: best score with state j at ``edges[e, 0]`` and k at ``edges[e, 1]``.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray


class Marginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)).

    Attributes
    ----------
    log_partition : float
    unary : ndarray, shape (N, K)
    pairwise : ndarray, shape (E, K, K)
    """

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray


def decode(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> Decoded:
    """Best labelling of a forest in O(E K^2). Ties go to the smallest state, parents first.

    Parameters
    ----------
    unary : array_like, shape (N, K)
        State scores.
    edges : array_like of int, shape (E, 2)
        No cycles; several trees and lone nodes are fine.
    pairwise : array_like, shape (E, K, K) or (K, K)
        ``[e, state of edges[e, 0], state of edges[e, 1]]``; a (K, K) array serves every edge.

    Returns
    -------
    Decoded
        `labels` has shape (N,). Every tree is rooted at its smallest node.

    Raises
    ------
    CycleError
        If the graph has a cycle; the message names it.
    ShapeError, ScoreError, ArgumentError
        If the arrays disagree, hold NaN or +inf, or an edge leaves the graph.
    InfeasibleError
        If no labelling has a finite score.

    References
    ----------
    Weiss (2013), thesis, equations (3.2), (3.3).

    Examples
    --------
    >>> star = [[0, 1], [0, 2]]
    >>> decode([[0.0, 1.0], [0.5, 0.0], [0.5, 0.0]], star, [[0.0, 0.0], [-3.0, 0.0]])
    Decoded(score=1.0, labels=array([0, 0, 0]))
    """
    unary, edges, pairwise, tree = checked(unary, edges, pairwise)
    return _decoded(unary, pairwise, tree)


def witness(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, node: int, state: int) -> Decoded:
    """Best labelling with ``labels[node] == state``: what attains the max-marginal.

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`.
    node : int
        0 .. N - 1; its tree is rooted there, which settles ties.
    state : int
        0 .. K - 1.

    Returns
    -------
    Decoded

    Raises
    ------
    CycleError, ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`; infeasible also if every labelling through the state is forbidden.

    References
    ----------
    Weiss (2013), thesis, equation (4.2).

    Examples
    --------
    >>> witness([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]], node=0, state=1)
    Decoded(score=1.0, labels=array([1, 1]))
    """
    unary, edges, pairwise, _ = checked(unary, edges, pairwise)
    node = checks.integer("node", node, 0, len(unary) - 1)
    state = checks.integer("state", state, 0, unary.shape[1] - 1)
    clamped = unary.copy()
    clamped[node] = -np.inf
    clamped[node, state] = unary[node, state]
    try:
        return _decoded(clamped, pairwise, graph.forest(len(unary), edges, node))
    except InfeasibleError:
        message = f"no labelling with state {state} at node {node} has a finite score"
        raise InfeasibleError(message) from None


def max_marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> MaxMarginals:
    """Best score through every state of every node and every pair of states of every edge, in O(E K^2).

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`.

    Returns
    -------
    MaxMarginals

    Raises
    ------
    CycleError, ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    References
    ----------
    Weiss (2013), thesis, equation (4.1).

    Examples
    --------
    >>> result = max_marginals([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> result.best, result.unary.tolist()
    (1.0, [[0.5, 1.0], [0.5, 1.0]])
    """
    unary, edges, pairwise, tree = checked(unary, edges, pairwise)
    best, node, edge = _tables(MAX_PLUS, unary, pairwise, len(edges), tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return MaxMarginals(float(best), node, edge)


def node_max_marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> tuple[float, np.ndarray]:
    """`max_marginals` without the table of edges: (best, node table (N, K)).

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`.

    Returns
    -------
    best : float
    node : ndarray, shape (N, K)

    Raises
    ------
    CycleError, ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    Examples
    --------
    >>> node_max_marginals([[0.0, 1.0]], [], np.zeros((2, 2)))
    (1.0, array([[0., 1.]]))
    """
    unary, edges, pairwise, tree = checked(unary, edges, pairwise)
    best, node = node_table(unary, pairwise, tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return float(best), node


def marginals(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike) -> Marginals:
    """Probability of every state of every node and every pair of states of every edge, in O(E K^2).

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`; p(y) is proportional to exp of the score.

    Returns
    -------
    Marginals

    Raises
    ------
    CycleError, ShapeError, ScoreError, ArgumentError, InfeasibleError
        As in `decode`.

    Notes
    -----
    Scores of moderate range are exponentiated once and summed with rescaling; anything else goes
    through log-sum-exp. Both are exact to rounding.

    Examples
    --------
    >>> marginals([[0.0, 0.0]], [], np.zeros((2, 2))).unary
    array([[0.5, 0.5]])
    """
    unary, edges, pairwise, tree = checked(unary, edges, pairwise)
    degree = np.bincount(edges.reshape(-1), minlength=len(unary)).max() if len(edges) else 0
    if is_tame(unary, pairwise, degree + 1):
        top, high = unary.max(axis=1, keepdims=True), pairwise.max() if pairwise.size else 0.0
        exps = np.exp(unary - top), np.exp(pairwise - high)
        log_partition, node, edge = _tables(SUM_TIMES, *exps, len(edges), tree)
        node /= node.sum(axis=1, keepdims=True)
        edge /= edge.sum(axis=(1, 2), keepdims=True)
        return Marginals(float(log_partition + top.sum() + len(edges) * high), node, edge)
    node, edge = np.zeros_like(unary), np.empty((len(edges), unary.shape[1], unary.shape[1]))
    log_partition = _log_tables(unary, pairwise, tree, node, edge)
    if log_partition == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return Marginals(float(log_partition), node, edge)


def score(unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, labels: ArrayLike) -> float:
    """Score of one labelling; the graph may have cycles.

    Parameters
    ----------
    unary, edges, pairwise : array_like
        As in `decode`.
    labels : array_like of int, shape (N,)

    Returns
    -------
    float

    Raises
    ------
    ShapeError, ScoreError, ArgumentError

    Examples
    --------
    >>> score([[0.0, 1.0], [0.5, 0.0]], [[0, 1]], [[0.0, 0.0], [-3.0, 0.0]], [1, 0])
    -1.5
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise, cycles=False)
    labels = checks.states("labels", labels, len(unary), unary.shape[1])
    which = np.arange(len(edges)) % max(len(pairwise), 1)
    steps = pairwise[which, labels[edges[:, 0]], labels[edges[:, 1]]]
    return float(unary[np.arange(len(unary)), labels].sum() + steps.sum())


def is_tame(unary: np.ndarray, pairwise: np.ndarray, n_factors: int) -> bool:
    """True if exponentials may be multiplied directly: one node's scores and `n_factors` messages
    together span too little to underflow. (A message spans at most what its table spans.)
    """
    if pairwise.size:
        low, high = pairwise.min(), pairwise.max()
        spread = high - low if low > -np.inf else np.inf
    else:
        spread = 0.0
    low = unary.min(axis=1)
    if spread == np.inf or low.min() == -np.inf:
        return False
    return bool((unary.max(axis=1) - low).max() + n_factors * spread < _TAME_RANGE)


def checked(
    unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray, graph.Rooted]:
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise, cycles=False)
    return unary, edges, pairwise, graph.forest(len(unary), edges)


def _decoded(unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted) -> Decoded:
    labels = np.empty(len(unary), dtype=np.int64)
    best = _decode(unary, pairwise, labels, tree)
    if best == -np.inf:
        raise infeasible(unary, pairwise, tree)
    return Decoded(float(best), labels)


def infeasible(unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted) -> InfeasibleError:
    below = np.empty_like(unary)
    upward(MAX_PLUS, unary, pairwise, below, np.empty_like(unary), tree)
    dead = [int(v) for v in tree.order[::-1] if np.all(np.isneginf(below[v]))]
    where = f"node {dead[0]}" if dead else "the root"
    return InfeasibleError(f"every labelling has score -inf: all {unary.shape[1]} states are dead at {where}")


@kernel
def oriented(pairwise: np.ndarray, directed: int, out: np.ndarray) -> None:
    """Fill `out` with the table of a directed edge, [state it leaves, state it enters]."""
    table = pairwise[(directed >> 1) % len(pairwise)]
    n = len(out)
    if directed & 1:
        for j in range(n):
            for k in range(n):
                out[j, k] = table[k, j]
    else:
        for j in range(n):
            for k in range(n):
                out[j, k] = table[j, k]


@kernel
def upward(
    sr: Semiring,
    unary: np.ndarray,
    pairwise: np.ndarray,
    below: np.ndarray,
    up: np.ndarray,
    tree: graph.Rooted,
) -> float:
    """Fill `below` and `up`; returns (plus over each tree, times over trees), a log-domain score."""
    order, parent, towards, _ = tree
    table = np.empty((unary.shape[1], unary.shape[1]))
    for v in range(len(unary)):
        copy(unary[v], below[v])
    log_total = 0.0
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        log_total += settle(sr, below[v])
        p = parent[v]
        if p < 0:
            log_total += total(sr, below[v])
            continue
        oriented(pairwise, towards[v] ^ 1, table)
        combine(sr, below[v], table, up[v])
        multiply(sr, below[p], up[v], below[p])
        log_total += settle(sr, below[p])
    return log_total


@kernel
def downward(
    sr: Semiring,
    unary: np.ndarray,
    pairwise: np.ndarray,
    up: np.ndarray,
    above: np.ndarray,
    down: np.ndarray,
    tree: graph.Rooted,
) -> None:
    """Fill `above` and `down`. Children of a node stand side by side in `order`."""
    order, parent, towards, _ = tree
    n = unary.shape[1]
    table, acc = np.empty((n, n)), np.empty(n)
    first = 0
    for at in range(len(order)):
        p = order[at]
        if parent[p] < 0:
            down[p] = sr.one
            first = max(first, at + 1)
        last = first
        while last < len(order) and parent[order[last]] == p:
            last += 1
        multiply(sr, unary[p], down[p], acc)
        for q in range(first, last):  # everything but the younger siblings ...
            copy(acc, above[order[q]])
            multiply(sr, acc, up[order[q]], acc)
            settle(sr, acc)
        acc[:] = sr.one
        for q in range(last - 1, first - 1, -1):  # ... times the younger siblings
            c = order[q]
            multiply(sr, above[c], acc, above[c])
            multiply(sr, acc, up[c], acc)
            settle(sr, acc)
            settle(sr, above[c])
            oriented(pairwise, towards[c], table)
            combine(sr, above[c], table, down[c])
        first = last


@kernel
def node_table(unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted) -> tuple[float, np.ndarray]:
    """(best, max-marginals (N, K))."""
    below, up = np.empty_like(unary), np.empty_like(unary)
    above, down = np.empty_like(unary), np.empty_like(unary)
    best = upward(MAX_PLUS, unary, pairwise, below, up, tree)
    downward(MAX_PLUS, unary, pairwise, up, above, down, tree)
    for v in range(len(unary)):
        elsewhere = _elsewhere(best, below, tree.root[v])
        for k in range(unary.shape[1]):
            down[v, k] += below[v, k] + elsewhere
    return best, down


@kernel
def _elsewhere(best: float, below: np.ndarray, r: int) -> float:
    """Best score of all trees but the one rooted at r."""
    return best - total(MAX_PLUS, below[r]) if best > -np.inf else best


@kernel
def _tables(
    sr: Semiring, unary: np.ndarray, pairwise: np.ndarray, n_edges: int, tree: graph.Rooted
) -> tuple[float, np.ndarray, np.ndarray]:
    """(log total, node (N, K), edge (E, K, K)); under SumTimes the tables are up to a factor each."""
    _, parent, towards, root = tree
    n = unary.shape[1]
    below, up = np.empty_like(unary), np.empty_like(unary)
    above, down = np.empty_like(unary), np.empty_like(unary)
    log_total = upward(sr, unary, pairwise, below, up, tree)
    downward(sr, unary, pairwise, up, above, down, tree)
    node, edge = np.empty_like(unary), np.empty((n_edges, n, n))
    table, side = np.empty((n, n)), np.empty(n)
    for v in range(len(unary)):
        elsewhere = 0.0
        if sr.one == 0.0 and log_total > -np.inf:
            elsewhere = log_total - total(sr, below[root[v]])
        multiply(sr, below[v], down[v], node[v])
        if sr.one == 0.0:
            node[v] += elsewhere
        if parent[v] < 0:
            continue
        e = towards[v] >> 1
        oriented(pairwise, towards[v], table)
        for j in range(n):
            # times is + in the log domain: above[j] + table[j, k] + below[k], in the semiring's own terms
            side[:] = above[v, j]
            multiply(sr, side, table[j], side)
            multiply(sr, side, below[v], side)
            for k in range(n):
                value = side[k] + elsewhere if sr.one == 0.0 else side[k]
                if towards[v] & 1:
                    edge[e, k, j] = value
                else:
                    edge[e, j, k] = value
    return log_total, node, edge


@kernel
def _log_tables(
    unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted, node: np.ndarray, edge: np.ndarray
) -> float:
    """Log partition by log-sum-exp; fills node, which comes as zeros, and edge.

    Upward logs of sums, of which each node's largest is 0; downward p(y_v | y_parent), which adds up to 1 by
    itself, so nodes and edges do, and agree, at any scale.
    """
    order, parent, towards, _ = tree
    n = unary.shape[1]
    below, up, log_partition = unary.copy(), np.empty(n), 0.0
    table = np.empty((n, n))
    for at in range(len(order) - 1, -1, -1):
        v = order[at]
        top = total(MAX_PLUS, below[v])
        if top == -np.inf:
            return top
        log_partition += top
        for k in range(n):
            below[v, k] -= top
        p = parent[v]
        if p < 0:
            log_partition += total(LOG_PLUS, below[v])
            continue
        oriented(pairwise, towards[v] ^ 1, table)
        combine(LOG_PLUS, below[v], table, up)
        multiply(LOG_PLUS, below[p], up, below[p])
    for at in range(len(order)):
        v = order[at]
        p = parent[v]
        if p < 0:
            _add_shares(below[v], 1.0, node[v], up)
            continue
        e, is_back = towards[v] >> 1, towards[v] & 1
        oriented(pairwise, towards[v], table)
        for j in range(n):
            multiply(LOG_PLUS, table[j], below[v], table[j])
            _add_shares(table[j], node[p, j], node[v], up)
            for k in range(n):
                if is_back:
                    edge[e, k, j] = up[k]
                else:
                    edge[e, j, k] = up[k]
    return log_partition


@kernel
def _add_shares(logs: np.ndarray, whole: float, node: np.ndarray, out: np.ndarray) -> None:
    """Divide `whole` as exp(logs) says, into out, and add that to node."""
    top = total(MAX_PLUS, logs)
    if whole == 0.0 or top == -np.inf:
        out[:] = 0.0
        return
    acc = 0.0
    for k in range(len(logs)):
        out[k] = np.exp(logs[k] - top)
        acc += out[k]
    for k in range(len(logs)):
        out[k] *= whole / acc
        node[k] += out[k]


@kernel
def _decode(unary: np.ndarray, pairwise: np.ndarray, labels: np.ndarray, tree: graph.Rooted) -> float:
    """Best score; fills labels from the roots down."""
    order, parent, towards, _ = tree
    n = unary.shape[1]
    below, up = np.empty_like(unary), np.empty_like(unary)
    best = upward(MAX_PLUS, unary, pairwise, below, up, tree)
    for at in range(len(order)):
        v = order[at]
        top, arg = -np.inf, 0
        directed = towards[v]
        for k in range(n):
            value = below[v, k]
            if parent[v] >= 0:
                table, j = pairwise[(directed >> 1) % len(pairwise)], labels[parent[v]]
                value += table[k, j] if directed & 1 else table[j, k]
            if value > top:
                top, arg = value, k
        labels[v] = arg
    return best

"""Kernels of trees: messages to the root and back, best labellings, tables of max-marginals and marginals."""

import numpy as np

from spcviz.engine.chains.sums import TAME_RANGE
from spcviz.engine.graphs import graph
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import (
    LOG_PLUS,
    MAX_PLUS,
    Semiring,
    combine,
    multiply,
    settle,
    total,
)
from spcviz.engine.kernels.vectors import copy


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
    return bool((unary.max(axis=1) - low).max() + n_factors * spread < TAME_RANGE)


@kernel
def orient_table(pairwise: np.ndarray, directed: int, out: np.ndarray) -> None:
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
        orient_table(pairwise, towards[v] ^ 1, table)
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
    """Fill `above` and `down`. Children of a node are adjacent in `order`."""
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
            orient_table(pairwise, towards[c], table)
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
def fill_tables(
    sr: Semiring, unary: np.ndarray, pairwise: np.ndarray, n_edges: int, tree: graph.Rooted
) -> tuple[float, np.ndarray, np.ndarray]:
    """(log total, node (N, K), edge (E, K, K)); under SumTimes each table is up to a factor."""
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
        orient_table(pairwise, towards[v], table)
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
def fill_log_tables(
    unary: np.ndarray, pairwise: np.ndarray, tree: graph.Rooted, node: np.ndarray, edge: np.ndarray
) -> float:
    """Log partition by log-sum-exp; fills node, which must be zeros, and edge.

    Upward go logs of sums, with each node's largest at 0; downward p(y_v | y_parent), which sums to 1 on its
    own, so nodes and edges do too, and agree, at any scale.
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
        orient_table(pairwise, towards[v] ^ 1, table)
        combine(LOG_PLUS, below[v], table, up)
        multiply(LOG_PLUS, below[p], up, below[p])
    for at in range(len(order)):
        v = order[at]
        p = parent[v]
        if p < 0:
            _add_shares(below[v], 1.0, node[v], up)
            continue
        e, is_back = towards[v] >> 1, towards[v] & 1
        orient_table(pairwise, towards[v], table)
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
    """Divide `whole` in proportion to exp(logs), into out, and add that to node."""
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
def decode_tree(unary: np.ndarray, pairwise: np.ndarray, labels: np.ndarray, tree: graph.Rooted) -> float:
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

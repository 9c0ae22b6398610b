"""Pairwise graphs, trees or not, by enumeration. Imports nothing from spcviz."""

from itertools import product

import numpy as np


def score(unary, edges, pairwise, y):
    total = sum(unary[i][y[i]] for i in range(len(unary)))
    for e, (a, b) in enumerate(edges):
        total += pairwise[e][y[a]][y[b]]
    return total


def all_scores(unary, edges, pairwise):
    """{labelling: score} over all K**N labellings, in dictionary order."""
    n, k = np.shape(unary)
    return {y: score(unary, edges, pairwise, y) for y in product(range(k), repeat=n)}


def node_table(unary, edges, pairwise, reduce):
    """(N, K): `reduce` over the scores of labellings with state k at node i."""
    scores = all_scores(unary, edges, pairwise)
    n, k = np.shape(unary)
    return np.array(
        [[reduce([v for y, v in scores.items() if y[i] == s]) for s in range(k)] for i in range(n)]
    )


def edge_table(unary, edges, pairwise, reduce):
    """(E, K, K): `reduce` over the scores of labellings with both states."""
    scores = all_scores(unary, edges, pairwise)
    k = np.shape(unary)[1]
    table = np.empty((len(edges), k, k))
    for e, (a, b) in enumerate(edges):
        for s, t in product(range(k), repeat=2):
            table[e, s, t] = reduce([v for y, v in scores.items() if y[a] == s and y[b] == t])
    return table


def log_sum(values):
    """Log of the sum of exponentials, without overflow and without a warning for -inf."""
    top = max(values)
    return top if top == -np.inf else top + np.log(sum(np.exp(v - top) for v in values))


def witness(unary, edges, pairwise, node, state):
    """A best labelling through the state, and how many share its score to 1e-9."""
    through = {y: v for y, v in all_scores(unary, edges, pairwise).items() if y[node] == state}
    best = max(through.values())
    return next(y for y, v in through.items() if v == best), sum(v > best - 1e-9 for v in through.values())


def witness_counts(unary, edges, pairwise, weights):
    """(nodes (N, K), pairs (E, K, K)): one witness after the other, each by enumeration."""
    n, k = np.shape(unary)
    nodes, pairs = np.zeros((n, k)), np.zeros((len(edges), k, k))
    for i, s in product(range(n), range(k)):
        y, _ = witness(unary, edges, pairwise, i, s)
        if score(unary, edges, pairwise, y) == -np.inf:
            continue
        for j in range(n):
            nodes[j, y[j]] += weights[i, s]
        for e, (a, b) in enumerate(edges):
            pairs[e, y[a], y[b]] += weights[i, s]
    return nodes, pairs


def combs(rows, columns):
    """The R + C combs as lists of node pairs, spines along rows first, straight from the definition."""

    def node(r, c):
        return r * columns + c

    across = {(r, c): (node(r, c), node(r, c + 1)) for r in range(rows) for c in range(columns - 1)}
    down = {(r, c): (node(r, c), node(r + 1, c)) for r in range(rows - 1) for c in range(columns)}
    by_row = [[pair for (r, _), pair in across.items() if r == s] + list(down.values()) for s in range(rows)]
    by_column = [
        list(across.values()) + [pair for (_, c), pair in down.items() if c == s] for s in range(columns)
    ]
    return by_row + by_column


def is_spanning_tree(n_nodes, pairs):
    """Whether there are n - 1 edges that connect all nodes."""
    group = list(range(n_nodes))
    for a, b in pairs:
        if group[a] == group[b]:
            return False
        group = [group[a] if g == group[b] else g for g in group]
    return len(set(group)) == 1


def factor_score(scopes, tables, y):
    return sum(table[tuple(y[d] for d in scope)] for scope, table in zip(scopes, tables))


def best_configuration(n_states, scopes, tables):
    """(score, first best configuration in dictionary order)."""
    best = (-np.inf, None)
    for y in product(*(range(k) for k in n_states)):
        value = factor_score(scopes, tables, y)
        if value > best[0]:
            best = (value, y)
    return best


def spearman(first, second):
    """Rank correlation of two rankings without ties."""
    n = len(first)
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(first, second)) / (n * (n * n - 1))

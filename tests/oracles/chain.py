"""Chains by enumeration. Imports nothing from spcviz: an oracle shares no code with its subject."""

from itertools import product

import numpy as np


def all_scores(unary, pairwise):
    """{labelling: score} over all K**L labellings; pairwise is (K, K) or (L - 1, K, K)."""
    length, n = unary.shape
    edge = np.broadcast_to(pairwise, (max(length - 1, 0), n, n))
    return {
        y: sum(unary[i, y[i]] for i in range(length))
        + sum(edge[i, y[i], y[i + 1]] for i in range(length - 1))
        for y in product(range(n), repeat=length)
    }


def tables(unary, pairwise, combine):
    """(total, node table, edge table), each entry combining the scores of the labellings through it."""
    length, n = unary.shape
    scores = all_scores(unary, pairwise)
    node = [[combine([v for y, v in scores.items() if y[i] == k]) for k in range(n)] for i in range(length)]
    edge = [
        [
            [combine([v for y, v in scores.items() if y[i : i + 2] == (j, k)]) for k in range(n)]
            for j in range(n)
        ]
        for i in range(length - 1)
    ]
    return combine(list(scores.values())), np.array(node), np.array(edge).reshape(length - 1, n, n)


def ranked(unary, pairwise):
    """All scores, best first."""
    return sorted(all_scores(unary, pairwise).values(), reverse=True)

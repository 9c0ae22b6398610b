"""Chains by enumeration. Imports nothing from spcviz: an oracle shares no code with its subject."""

import numpy as np


def labellings(length, n_states):
    """All labellings, shape (K**L, L), in dictionary order."""
    return np.indices((n_states,) * length).reshape(length, -1).T


def scores(unary, pairwise, every):
    """Score of each row of `every`; pairwise is (K, K) or (L - 1, K, K)."""
    length, n = unary.shape
    edge = np.broadcast_to(pairwise, (max(length - 1, 0), n, n))
    total = unary[np.arange(length), every].sum(axis=1)
    return total + edge[np.arange(length - 1), every[:, :-1], every[:, 1:]].sum(axis=1)


def tables(unary, pairwise, combine):
    """(total, node table, edge table), each entry combining the scores of the labellings through it."""
    length, n = unary.shape
    every = labellings(length, n)
    value = scores(unary, pairwise, every)
    node = np.array([[combine(value[every[:, i] == k]) for k in range(n)] for i in range(length)])
    edge = np.array(
        [
            [
                [combine(value[(every[:, i] == j) & (every[:, i + 1] == k)]) for k in range(n)]
                for j in range(n)
            ]
            for i in range(length - 1)
        ]
    )
    return combine(value), node, edge.reshape(length - 1, n, n)


def ranked(unary, pairwise):
    """(scores, labellings), best first; ties by the smallest last label, then the one before it."""
    every = labellings(*unary.shape)
    value = scores(unary, pairwise, every)
    order = np.lexsort((*every.T, -value))
    return value[order], every[order]


def log_sum(values):
    """log of the sum of exponentials; -inf for none."""
    top = values.max(initial=-np.inf)
    return top if top == -np.inf else top + np.log(np.exp(values - top).sum())

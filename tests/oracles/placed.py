"""Placed states by enumeration: the formula of a pair, and every labelling."""

import itertools

import numpy as np


def pair_scores(places, joints, kind):
    """Table of every pair of states, whether on the edge or not: (S, S)."""
    n_angles = joints.table.shape[1]
    n = len(places.x)
    table = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        a, b = (2 * np.pi * places.angle[s] / n_angles for s in (i, j))
        u, v = np.array([np.cos(a), np.sin(a)]), np.array([np.cos(b), np.sin(b)])
        first = np.array([places.x[i], places.y[i]]) + joints.reach[kind, 0] * u
        second = np.array([places.x[j], places.y[j]]) + joints.reach[kind, 1] * v
        gap = second - first
        seen = np.array([gap @ u, gap @ np.array([-u[1], u[0]])]) - joints.mean[kind]
        turn = (places.angle[j] - places.angle[i]) % n_angles
        table[i, j] = joints.table[kind, turn] - joints.weight[kind] @ seen**2
    return table


def enumerate_all(unary, places, edges, kinds, joints):
    """(best score, max-marginal of every state, a function that scores labels)."""
    tables = [pair_scores(places, joints, kind) for kind in range(len(joints.mean))]

    def score(labels):
        pairs = sum(tables[k][labels[i], labels[j]] for (i, j), k in zip(edges, kinds))
        return sum(unary[s] for s in labels) + pairs

    max_marginals = np.full(len(unary), -np.inf)
    states = [range(a, b) for a, b in itertools.pairwise(places.start)]
    for labels in itertools.product(*states):
        got = score(labels)
        for s in labels:
            max_marginals[s] = max(max_marginals[s], got)
    return max_marginals.max(), max_marginals, score

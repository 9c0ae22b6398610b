"""Dependency trees by enumeration: every choice of a head for every word. Imports nothing from spcviz."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np


def is_tree(heads):
    """Whether every word is reached from the root; ``heads[d - 1]`` is the head of word d."""
    for start in range(1, len(heads) + 1):
        node = start
        for _ in range(len(heads)):
            node = heads[node - 1] if node else 0
        if node:
            return False
    return True


def is_projective(heads):
    """Whether no two arcs cross, the root's arcs among them."""
    arcs = [(min(d, h), max(d, h)) for d, h in enumerate(heads, 1)]
    return not any(a < c < b < e for a, b in arcs for c, e in arcs)


@cache
def all_trees(n, single_root=False, projective=False):
    """Every tree over n words, in dictionary order of the heads."""
    return tuple(_trees(n, single_root, projective))


def _trees(n, single_root, projective):
    for heads in product(range(n + 1), repeat=n):
        alone = any(h == d for d, h in enumerate(heads, 1))
        if alone or (single_root and heads.count(0) != 1) or not is_tree(heads):
            continue
        if not projective or is_projective(heads):
            yield heads


def score(scores, heads):
    return sum(scores[d, h] for d, h in enumerate(heads, 1))


def best(scores, **which):
    """Score of the best tree; -inf if there is none."""
    return max((score(scores, heads) for heads in all_trees(len(scores) - 1, **which)), default=-np.inf)


def max_marginals(scores, **which):
    out = np.full(np.shape(scores), -np.inf)
    for heads in all_trees(len(scores) - 1, **which):
        for d, h in enumerate(heads, 1):
            out[d, h] = max(out[d, h], score(scores, heads))
    return out


def marginals(scores, **which):
    """(log of the sum over trees, probability of each arc)."""
    trees = list(all_trees(len(scores) - 1, **which))
    logs = np.array([score(scores, heads) for heads in trees])
    top = logs.max()
    weights = np.exp(logs - top)
    arcs = np.zeros(np.shape(scores))
    for heads, weight in zip(trees, weights / weights.sum()):
        for d, h in enumerate(heads, 1):
            arcs[d, h] += weight
    return top + np.log(weights.sum()), arcs


UNIT = 2**1074
"""Every float is a whole multiple of 1 / UNIT."""


def whole(scores):
    """Scores as whole numbers of 1 / UNIT, exactly; None for -inf."""
    return [
        [None if x == -np.inf else int(Fraction(x) * UNIT) for x in row]
        for row in np.asarray(scores).tolist()
    ]


def exact_scores(table, **which):
    """(heads, score) of every tree without a forbidden arc, scores as whole numbers of 1 / UNIT."""
    for heads in all_trees(len(table) - 1, **which):
        arcs = [table[d][h] for d, h in enumerate(heads, 1)]
        if None not in arcs:
            yield heads, sum(arcs)

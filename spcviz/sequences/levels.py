"""The n-grams of each level of a fitted cascade on one sequence, with their scores: what a picture shows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import Lattice, score_arcs
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import Features, unary_scores


class OneLevel(NamedTuple):
    """One level on one sequence, before its own pruning."""

    lattice: Lattice
    score: np.ndarray  # of each arc
    alpha: float  # what it is pruned with; 0 at the last level, which decodes


def levels_of(
    cascade: Cascade, features: Features, grown: Callable[[list[float]], Lattice]
) -> list[OneLevel]:
    """Levels of pairs, triples and so on; what the first level, of single labels, has left.

    `grown` gives the lattice that filters with so many alphas leave.
    """
    levels = cascade.levels
    alphas = [float(level.alpha) for level in levels[:-1]]
    scored = []
    for n, level in enumerate(levels[1:], start=1):
        is_last = n == len(levels) - 1
        model, lattice = level.predictor if is_last else level.filter, grown(alphas[:n])
        score = score_arcs(lattice, unary_scores(features, model.weights), model.table)
        scored.append(OneLevel(lattice, score, 0.0 if is_last else alphas[n]))
    return scored

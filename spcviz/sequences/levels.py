"""The n-grams of each level of a fitted cascade on one sequence, with their scores: what a picture shows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import Lattice, score_arcs
from spcviz.learning.cascade.features import unary_scores
from spcviz.sequences.lattices import features_of


class OneLevel(NamedTuple):
    """One level on one sequence, before its own pruning."""

    lattice: Lattice
    score: np.ndarray  # of each arc
    alpha: float  # what it is pruned with; 0 at the last level, which decodes


class HasLevels:
    """What a cascade tells of one sequence."""

    def levels(self, x: Sequence[Any]) -> list[OneLevel]:
        """N-grams of labels with their scores, level by level, each as the levels before have left it.

        Parameters
        ----------
        x : sequence
            One item of an ``X`` as `fit` takes it.

        Returns
        -------
        list of OneLevel
            Of pairs, triples and so on; what single labels were filtered to is the first one's pairs.
        """
        encoded = self._encode([x])
        features, levels = features_of(encoded.rows), self.cascade_.levels
        alphas = [level.alpha for level in levels[:-1]]
        found = []
        for n in range(1, len(levels)):
            level = levels[n]
            is_last = n == len(levels) - 1
            model = level.predictor if is_last else level.filter
            lattice = self._lattice(features, encoded.lengths, alphas[:n], None)
            score = score_arcs(lattice, unary_scores(features, model.weights), model.table)
            found.append(OneLevel(lattice, score, 0.0 if is_last else float(level.alpha)))
        return found

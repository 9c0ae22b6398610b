"""The n-grams of each level of a fitted cascade on one sequence, with their scores: what a picture shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import Lattice, score_arcs
from spcviz.learning.cascade.features import unary_scores
from spcviz.sequences.lattices import features_of

if TYPE_CHECKING:
    from spcviz.sequences.cascade import CascadeTagger


class OneLevel(NamedTuple):
    """One level on one sequence, before its own pruning."""

    lattice: Lattice
    score: np.ndarray  # of each arc
    alpha: float  # what it is pruned with; 0 at the last level, which decodes


def levels_of(tagger: "CascadeTagger", x: Sequence[Any]) -> list[OneLevel]:
    """Levels of pairs, triples and so on of labels; the first level, of single labels, has left these pairs."""
    encoded = tagger._encode([x])
    features, levels = features_of(encoded.rows), tagger.cascade_.levels
    alphas = [level.alpha for level in levels[:-1]]
    found = []
    for n in range(1, len(levels)):
        level = levels[n]
        is_last = n == len(levels) - 1
        model = level.predictor if is_last else level.filter
        lattice = tagger._lattice(features, encoded.lengths, alphas[:n], None)
        score = score_arcs(lattice, unary_scores(features, model.weights), model.table)
        found.append(OneLevel(lattice, score, 0.0 if is_last else float(level.alpha)))
    return found

"""Curves of filter loss against efficiency loss of one filter, at a few hundred alphas."""

from typing import Literal

import numpy as np

from spcviz.engine.ngrams.lattice import path_of, score_arcs, score_labels
from spcviz.engine.ngrams.prune import points_of, prune, truth_points
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.thresholds.rule import ALPHA_CAP
from spcviz.learning.cascade.features import DenseRows, SparseRows, unary_scores
from spcviz.learning.cascade.online import Model


def curve_of(
    method: Literal["spc", "perceptron", "crf"],
    linear: Model,
    lattice: Lattice,
    features: DenseRows | SparseRows,
    labels: np.ndarray,
    n_points: int = 200,
    *,
    on_nodes: bool = False,
) -> dict:
    """(alpha, losses) of one filter on one unpruned space, at the alphas where its efficiency changes most.

    The CRF is thresholded at a global alpha on sum-product marginals, the others at alpha max + (1 - alpha)
    mean of max-marginals. Losses are in percent of the examples whose truth is in the space; Definition 1's
    is None for the CRF.
    """
    unary = unary_scores(features, linear.weights)
    rule = "probability" if method == "crf" else "mean_max"
    pruned = prune(lattice, score_arcs(lattice, unary, linear.table), 0.0, on_nodes=on_nodes, rule=rule)
    truth = path_of(lattice, labels)
    alive = np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1])
    scores = score_labels(lattice, unary, linear.table, labels)
    by_definition, event = truth_points(lattice, pruned, truth, scores)
    points, sizes = points_of(pruned), np.diff(pruned.starts)
    weight = np.repeat(1.0 / (len(sizes) * sizes), sizes)
    order = np.argsort(points)
    fallen = np.cumsum(weight[order])
    at = points[order]
    # Equal steps in efficiency: the CRF's tiny probabilities are then spaced as in log automatically.
    chosen = np.searchsorted(fallen, np.linspace(0, fallen[-1], n_points + 2)[1:-1])
    alphas = np.unique(np.minimum(at[np.minimum(chosen, len(at) - 1)], ALPHA_CAP))
    alphas = alphas[alphas > -np.inf]
    gone = np.searchsorted(at, alphas, side="right")
    efficiency = 1.0 - np.where(gone > 0, fallen[np.maximum(gone - 1, 0)], 0.0)

    def share(points_of_truth):
        ordered = np.sort(points_of_truth[alive])
        return 100 * np.searchsorted(ordered, alphas, side="right") / max(alive.sum(), 1)

    return {
        "method": method,
        "alpha": alphas.tolist(),
        "filter_loss": share(event).tolist(),
        "filter_loss_definition": None if method == "crf" else share(by_definition).tolist(),
        "efficiency_loss": (100 * efficiency).tolist(),
        "n_examples": int(alive.sum()),
    }

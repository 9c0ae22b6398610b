"""The loss family from the CRF's log loss to the SVM's hinge (lecture, equation 1), on a handwritten word.

The lecture's CRF has no cost L, its SVM has one; so that one control leads from one to the other, a curve of
this project lets a wrong letter cost 1 - epsilon.
"""

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.learning.loss_family import loss_family
from spcviz.problems.exact.page.shown import FamilyRun, WordProblem

EPSILONS = np.linspace(1.0, 0.0, 51)


def run_family(problem: WordProblem) -> FamilyRun:
    """A word's losses (all 26 letters) at every epsilon, where a wrong letter costs 0, 1, or 1 - epsilon.

    >>> from spcviz.problems.exact.page.live import word_problem
    >>> run = run_family(word_problem(6320, 2, 4, 26))
    >>> run.value[:, [0, -1]].round(2).tolist()  # log-loss, perceptron; softmax-margin, hinge; the path
    [[0.45, 0.0], [1.68, 0.0], [0.45, 0.0]]
    """
    n = problem.unary.shape[1]
    if n != 26:
        raise ArgumentError(f"candidates has shape {problem.candidates.shape}; a loss needs all 26 letters")
    given = problem.unary, problem.pairwise, problem.truth
    path = [loss_family(*given, [epsilon], cost=1.0 - epsilon) for epsilon in EPSILONS]
    losses = [[loss_family(*given, EPSILONS, cost=cost)] for cost in (0.0, 1.0)] + [path]
    value, weights, n_readings = (
        np.stack([np.concatenate([getattr(one, name) for one in parts]) for parts in losses])
        for name in ("value", "weights", "n_readings")
    )
    return FamilyRun(EPSILONS, value, weights, n_readings)

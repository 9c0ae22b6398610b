r"""The lecture's family of losses, from the CRF to the structured SVM, on one example.

.. math:: \ell_\epsilon = \epsilon \ln \sum_{\hat y} \exp \frac{L(y, \hat y) + F(x, \hat y)}{\epsilon}
          - F(x, y)

L counts `cost` for every wrong position. The corner cases have names:

==========  ===================================  ========================
epsilon     cost 0                               cost 1
==========  ===================================  ========================
1           CRF: log-loss, -ln p(y | x)          softmax-margin
0           structured perceptron                structured SVM: hinge
==========  ===================================  ========================

The regulariser (C / 2) ||w||^2 of the lecture does not depend on the example and is not included.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.inputs import checked_chain
from spcviz.engine.chains.soft import soft_best


class FamilyLoss(NamedTuple):
    """One row per epsilon; gradients are with respect to the scores F of states and transitions."""

    value: np.ndarray  # (E,) at least 0
    weights: np.ndarray  # (E, L, K) share of each state in the softened best, 0 .. 1: these are pushed down
    unary: np.ndarray  # (E, L, K) d value / d unary: the weights, less 1 at the truth
    pairwise: np.ndarray  # (E, L - 1, K, K) d value / d pairwise
    n_readings: np.ndarray  # (E,) number of labellings that share the weight: exp of its entropy, 1 .. K^L


def loss_family(
    unary: np.ndarray, pairwise: np.ndarray, truth: np.ndarray, epsilons: np.ndarray, *, cost: float = 1.0
) -> FamilyLoss:
    """Losses of one chain at many epsilons, with their gradients.

    Parameters
    ----------
    unary : array_like, shape (L, K)
    pairwise : array_like, shape (L - 1, K, K) or (K, K)
    truth : array_like of int, shape (L,)
    epsilons : array_like, shape (E,)
        At least 0; 0 gives the limit.
    cost : float
        Cost of a wrong position, at least 0.

    Raises
    ------
    ShapeError, ScoreError, InfeasibleError, ArgumentError
        As in `spcviz.engine.chains.soft.soft_best`; also if the truth is forbidden.

    References
    ----------
    Schwing, ECE 544NA lecture 12, equation (1); Gimpel and Smith (2010) for softmax-margin.

    Examples
    --------
    >>> losses = loss_family([[0.0, 1.0]], np.zeros((2, 2)), [0], [1.0, 0.0])
    >>> losses.value.round(3).tolist(), losses.unary[1].tolist()
    ([2.127, 2.0], [[-1.0, 1.0]])
    """
    unary, pairwise = checked_chain(unary, pairwise)
    truth = checks.states("truth", truth, *unary.shape)
    cost = checks.strength("cost", cost)
    truth_score = checks.number("score of the truth", chain.score(unary, pairwise, truth))
    here = np.arange(len(truth))
    costly = unary + cost
    costly[here, truth] = unary[here, truth]
    soft = soft_best(costly, pairwise, epsilons)
    by_unary, by_pairwise = soft.unary.copy(), soft.pairwise.copy()
    by_unary[:, here, truth] -= 1.0
    by_pairwise[:, here[:-1], truth[:-1], truth[1:]] -= 1.0
    value = np.maximum(soft.value - truth_score, 0.0)  # rounding only: the truth is one of the readings
    return FamilyLoss(value, soft.unary, by_unary, by_pairwise, np.exp(soft.entropy))

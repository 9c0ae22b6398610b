r"""Train a CRF a few examples at a time (AdaGrad): for endless data, or data that come in parts.

.. math:: h \leftarrow h + g^2, \qquad w \leftarrow w - \eta\, g / \sqrt{h}
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.learning.chains.crf import Examples, Weights, loss_and_gradient, take_examples
from spcviz.learning.chains.edges import widen_table

AT_A_TIME = 64
"""Examples per step."""


class Adapting(NamedTuple):
    """Weights in training, and the sums of their squared gradients."""

    weights: Weights
    squares: Weights

    def widen(self, weights: Weights, n_edges: int = 0) -> "Adapting":
        """The state with other weights, of more features perhaps; the last `n_edges` rows stay the last."""
        squares = widen_table(self.squares.unary, len(weights.unary), n_edges)
        return Adapting(weights, self.squares._replace(unary=squares))


def begin(weights: Weights) -> Adapting:
    """Start from given weights, with no gradients yet.

    Examples
    --------
    >>> begin(Weights(np.ones((1, 2)), np.zeros((2, 2)))).squares.unary
    array([[0., 0.]])
    """
    return Adapting(weights, Weights(*map(np.zeros_like, weights)))


def fit_stochastic(
    examples: Examples,
    rng: np.random.Generator,
    start: Adapting,
    *,
    rate: float,
    c2: float,
    forbidden: np.ndarray | None = None,
) -> Adapting:
    """One pass over the examples, in a random order, `AT_A_TIME` per step; `start` is not changed.

    Parameters
    ----------
    rate : float
        eta.
    c2 : float
        Factor of the squared weights, as in `spcviz.learning.chains.batch.fit_crf`; each step has its share.
    forbidden : ndarray of bool, shape (3, K, K), optional
        See `spcviz.learning.chains.crf.loss_and_gradient`.

    Raises
    ------
    ShapeError, ArgumentError
        If the weights are for other examples, or a setting is out of range.

    References
    ----------
    Duchi, Hazan and Singer (2011), Adaptive subgradient methods.
    """
    rate, c2 = checks.strength("rate", rate), checks.strength("c2", c2)
    if start.weights.unary.shape[1] != examples.n_states:
        raise ShapeError(f"start has {start.weights.unary.shape[1]} states; it needs {examples.n_states}")
    now = Adapting(*(Weights(*(array.copy() for array in pair)) for pair in start))
    turn = rng.permutation(np.flatnonzero(np.diff(examples.row_start)))
    for first in range(0, len(turn), AT_A_TIME):
        some = turn[first : first + AT_A_TIME]
        _, gradient = loss_and_gradient(take_examples(examples, some), now.weights, forbidden=forbidden)
        for weights, squares, slope in zip(now.weights, now.squares, gradient):
            slope += (2 * c2 * len(some) / len(turn)) * weights
            squares += slope * slope
            weights -= rate * slope / np.sqrt(np.maximum(squares, 1e-12))
    return now

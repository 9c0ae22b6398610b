"""Which states of a chain a pair model leaves: by max-marginals, and no more pairs than may be laid out."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.kernels.jit import strict_kernel
from spcviz.engine.thresholds.rules import way_at_first
from spcviz.learning.cascade.letters_first import keep_states
from spcviz.learning.chains.crf import forbid


class StateValues(NamedTuple):
    """Of examples one after the other: max-marginals, the best labelling and its score."""

    values: np.ndarray  # (R, K) -inf where no labelling goes through a state
    best: np.ndarray  # (R,) int64
    scores: np.ndarray  # (W,) -inf where an example has no labelling
    row_start: np.ndarray  # (W + 1,) int64


def state_values(
    unary: np.ndarray, row_start: np.ndarray, pairwise: np.ndarray, forbidden: np.ndarray | None = None
) -> StateValues:
    """What a pair model makes of states: unary (R, K), pairwise (K, K).

    Unary scores are written to where states are forbidden, (3, K, K) as of `crf.loss_and_gradient`.
    """
    if forbidden is not None:
        forbid(unary, row_start, forbidden)
        pairwise = np.where(forbidden[1], -np.inf, pairwise)
    lengths = np.diff(row_start)
    decoded = chain.decode_batch(unary, lengths, pairwise)
    values = chain.max_marginals_batch(unary, lengths, pairwise).unary
    return StateValues(values, decoded.labels, decoded.scores, row_start)


def states_left(
    marginals: StateValues, alpha: float, max_pairs: int, rule: str = "mean_max"
) -> np.ndarray:
    """The threshold rule on max-marginals of states, with a cap on the pairs of those that are left.

    Alpha, the setting of a `rule` of max-marginals, is raised, just enough, for examples that would keep more
    pairs than ``max_pairs``. A mask (R, K), with the best labelling.

    Examples
    --------
    >>> unary = np.array([[4.0, 3.0, 0.0], [4.0, 1.0, 3.0]])
    >>> marginals = state_values(unary, np.array([0, 2]), np.zeros((3, 3)))
    >>> states_left(marginals, 0.0, 9).sum(axis=1), states_left(marginals, 0.0, 1).sum(axis=1)
    (array([2, 2]), array([1, 1]))
    """
    left = np.empty(marginals.values.shape, dtype=np.bool_)
    way = way_at_first(rule, alpha)
    _keep_all(marginals.values, marginals.best, marginals.row_start, way, max_pairs, left)
    return left


@strict_kernel
def _keep_all(
    values: np.ndarray,
    best: np.ndarray,
    row_start: np.ndarray,
    way: tuple[float, float],
    max_pairs: int,
    left: np.ndarray,
) -> None:
    for w in range(len(row_start) - 1):
        a, b = row_start[w], row_start[w + 1]
        keep_states(values[a:b], best[a:b], way, max_pairs, left[a:b])

"""Filter single states of a chain by a pair model, and cap the number of pairs that are left."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import marginals_batch
from spcviz.engine.kernels.jit import strict_kernel
from spcviz.engine.thresholds import filtering
from spcviz.engine.thresholds.rules import at_first, break_points, checked_rule, way_at_first
from spcviz.learning.cascade.letters_first import keep_states
from spcviz.learning.chains.crf import forbid


class StateValues(NamedTuple):
    """For examples one after another: max-marginals, the best labelling and its score."""

    values: np.ndarray  # (R, K) -inf where no labelling goes through a state; for "probability" its share
    best: np.ndarray  # (R,) int64
    scores: np.ndarray  # (W,) -inf where an example has no labelling
    row_start: np.ndarray  # (W + 1,) int64
    rule: str = "mean_max"

    @property
    def starts(self) -> np.ndarray:
        """Where each example's values begin among all of them, and the end."""
        return self.row_start * self.values.shape[1]

    def points(self) -> np.ndarray:
        """The setting from which each state is pruned, (R, K); nothing has been filtered before."""
        flat = break_points(at_first(self.rule), self.values.reshape(-1), self.starts)
        return flat.reshape(self.values.shape)

    def gaps(self) -> np.ndarray:
        """Best less mean of each example, (W,): the unit of "mean_max_first" at later levels."""
        limits = filtering.threshold_batch(self.values.reshape(-1), self.starts, 0.0)
        return limits.best - limits.mean


def state_values(
    unary: np.ndarray,
    row_start: np.ndarray,
    pairwise: np.ndarray,
    forbidden: np.ndarray | None = None,
    rule: str = "mean_max",
) -> StateValues:
    """Evaluate states by a pair model: unary (R, K), pairwise (K, K).

    Writes to unary scores where states are forbidden, (3, K, K) as in `crf.loss_and_gradient`.
    """
    if forbidden is not None:
        forbid(unary, row_start, forbidden)
        pairwise = np.where(forbidden[1], -np.inf, pairwise)
    lengths = np.diff(row_start)
    decoded = chain.decode_batch(unary, lengths, pairwise)
    if checked_rule(rule) == "probability":
        values = marginals_batch(unary, lengths, pairwise).unary
    else:
        values = chain.max_marginals_batch(unary, lengths, pairwise).unary
    return StateValues(values, decoded.labels, decoded.scores, row_start, rule)


def states_left(marginals: StateValues, alpha: float, max_pairs: int) -> np.ndarray:
    """The threshold rule on max-marginals of states, with a cap on the pairs of those that are left.

    Alpha, the setting of the marginals' rule, is raised, just enough, for examples that would keep more pairs
    than ``max_pairs``. Returns a mask (R, K) that includes the best labelling.

    Examples
    --------
    >>> unary = np.array([[4.0, 3.0, 0.0], [4.0, 1.0, 3.0]])
    >>> marginals = state_values(unary, np.array([0, 2]), np.zeros((3, 3)))
    >>> states_left(marginals, 0.0, 9).sum(axis=1), states_left(marginals, 0.0, 1).sum(axis=1)
    (array([2, 2]), array([1, 1]))
    """
    left = np.empty(marginals.values.shape, dtype=np.bool_)
    alpha, given = way_at_first(marginals.rule, alpha)
    if marginals.rule == "probability":
        return _probable(marginals, alpha, max_pairs)
    way = alpha, given
    _keep_all(marginals.values, marginals.best, marginals.row_start, way, max_pairs, left)
    return left


def _probable(marginals: StateValues, least: float, max_pairs: int) -> np.ndarray:
    """States with a share over `least`, or over more if too many pairs would be left, and the best ones."""
    values, rows = marginals.values, np.arange(len(marginals.values))
    left = values > least
    left[rows, marginals.best] = True
    each = left.sum(axis=1)
    for a, b in zip(marginals.row_start[:-1], marginals.row_start[1:]):
        if int((each[a + 1 : b] * each[a : b - 1]).sum()) <= max_pairs:
            continue
        shares = np.unique(values[a:b][left[a:b]])
        low, high = -1, len(shares) - 1  # over the largest share only the best labelling is left
        while high - low > 1:
            middle = (low + high) // 2
            n = np.maximum((values[a:b] > shares[middle]).sum(axis=1), 1)
            low, high = (low, middle) if int((n[1:] * n[:-1]).sum()) <= max_pairs else (middle, high)
        left[a:b] = values[a:b] > shares[high]
        left[rows[a:b], marginals.best[a:b]] = True
        n = left[a:b].sum(axis=1)
        if int((n[1:] * n[:-1]).sum()) > max_pairs:  # the best labelling is not made of the likeliest states
            left[a:b] = False
            left[rows[a:b], marginals.best[a:b]] = True
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

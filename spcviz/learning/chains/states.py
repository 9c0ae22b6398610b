"""Which states of a chain a pair model leaves: by max-marginals, and no more pairs than may be laid out."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.thresholds import filtering, rule
from spcviz.learning.chains import rows as layouts
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


def states_left(marginals: StateValues, alpha: float, max_pairs: int) -> np.ndarray:
    """The threshold rule on max-marginals of states, with a cap on the pairs of those that are left.

    Alpha is raised, just enough, for examples that would keep more pairs than ``max_pairs``. A mask (R, K),
    with the best labelling.

    Examples
    --------
    >>> unary = np.array([[4.0, 3.0, 0.0], [4.0, 1.0, 3.0]])
    >>> marginals = state_values(unary, np.array([0, 2]), np.zeros((3, 3)))
    >>> states_left(marginals, 0.0, 9).sum(axis=1), states_left(marginals, 0.0, 1).sum(axis=1)
    (array([2, 2]), array([1, 1]))
    """
    n = len(marginals.row_start) - 1
    left = _left_at(marginals, np.full(n, alpha))
    chosen = np.flatnonzero(pairs_of(left, marginals.row_start) > max_pairs)
    if not len(chosen):
        return left
    lengths = np.diff(marginals.row_start)[chosen]
    rows, starts = (
        layouts.ranges(marginals.row_start[chosen], lengths),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
    large = StateValues(marginals.values[rows], marginals.best[rows], marginals.scores[chosen], starts)
    low, high = np.full(len(chosen), alpha), np.ones(len(chosen))
    for _ in range(40):
        middle = (low + high) / 2
        fits = pairs_of(_left_at(large, middle), starts) <= max_pairs
        low, high = np.where(fits, low, middle), np.where(fits, middle, high)
    fewer = _left_at(large, high)
    fewer[np.repeat(pairs_of(fewer, starts) > max_pairs, lengths)] = False  # no alpha parts equals
    fewer[np.arange(len(rows)), large.best] = True
    left[rows] = fewer
    return left


def _left_at(marginals: StateValues, alphas: np.ndarray) -> np.ndarray:
    lengths, n_states = np.diff(marginals.row_start), marginals.values.shape[1]
    limits = filtering.threshold_batch(marginals.values.reshape(-1), marginals.row_start * n_states, alphas)
    left = rule.survives(marginals.values, np.repeat(limits.tau, lengths)[:, None])
    left[np.arange(len(left)), marginals.best] = True
    return left


def pairs_of(left: np.ndarray, row_start: np.ndarray) -> np.ndarray:
    """Pairs of states that neighbours have left, of each example, (W,)."""
    counts = left.sum(axis=1)
    pairs = np.zeros(len(counts) + 1, dtype=np.int64)
    pairs[1:-1] = counts[:-1] * counts[1:]
    pairs[row_start] = 0  # from one example to the next
    return np.add.reduceat(pairs[:-1], row_start[:-1])

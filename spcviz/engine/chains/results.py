"""What questions about a linear chain are answered with: labellings, max-marginals, marginals."""

from typing import NamedTuple

import numpy as np


class Decoded(NamedTuple):
    """A labelling and its score.

    Attributes
    ----------
    score : float
    labels : ndarray, shape (L,), int64
    """

    score: float
    labels: np.ndarray


class MaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    Attributes
    ----------
    best : float
        Score of the best labelling.
    unary : ndarray, shape (L, K)
        ``[i, k]``: best score with y_i = k.
    pairwise : ndarray, shape (L - 1, K, K), or None
        ``[i, j, k]``: best score with y_i = j and y_{i+1} = k; None if not asked for.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class Marginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)).

    Attributes
    ----------
    log_partition : float
    unary : ndarray, shape (L, K)
        ``[i, k]``: p(y_i = k).
    pairwise : ndarray, shape (L - 1, K, K), or None
        ``[i, j, k]``: p(y_i = j, y_{i+1} = k); None if not asked for.
    """

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class KBest(NamedTuple):
    """The best labellings in falling order of score.

    Attributes
    ----------
    scores : ndarray, shape (m,), m <= k
        Fewer than k if fewer labellings have a finite score.
    labels : ndarray, shape (m, L), int64
    """

    scores: np.ndarray
    labels: np.ndarray


class BatchDecoded(NamedTuple):
    """`Decoded` for many chains; labels one chain after the other.

    Attributes
    ----------
    scores : ndarray, shape (N,)
    labels : ndarray, shape (sum of lengths,), int64
    """

    scores: np.ndarray
    labels: np.ndarray


class BatchMaxMarginals(NamedTuple):
    """Node max-marginals of many chains.

    Attributes
    ----------
    best : ndarray, shape (N,)
    unary : ndarray, shape (sum of lengths, K)
    """

    best: np.ndarray
    unary: np.ndarray

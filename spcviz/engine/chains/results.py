"""Result types of queries on a linear chain: labellings, max-marginals, marginals."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np


class Decoded(NamedTuple):
    """A labelling (L,), int64, and its score."""

    score: float
    labels: np.ndarray


class MaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    ``unary[i, k]`` (L, K): with y_i = k. ``pairwise[i, j, k]`` (L - 1, K, K): with y_i = j and y_{i+1} = k;
    None if not requested. `best` is the best score of all.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class Marginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)).

    ``unary[i, k]`` (L, K): p(y_i = k). ``pairwise[i, j, k]`` (L - 1, K, K): p(y_i = j, y_{i+1} = k); None if
    not requested.
    """

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray | None


# From tuples, without a Python call, which is noticeable on a small chain.
decoded: Callable[[tuple[float, np.ndarray]], Decoded] = partial(tuple.__new__, Decoded)
_Tables = tuple[float, np.ndarray, np.ndarray | None]
best_through: Callable[[_Tables], MaxMarginals] = partial(tuple.__new__, MaxMarginals)
probabilities: Callable[[_Tables], Marginals] = partial(tuple.__new__, Marginals)


class KBest(NamedTuple):
    """The best labellings (m, L), int64, in falling order of score; m < k if fewer have a finite score."""

    scores: np.ndarray
    labels: np.ndarray


class BatchDecoded(NamedTuple):
    """`Decoded` for many chains: `scores` (N,), `labels` (sum of lengths,), int64, one after the other."""

    scores: np.ndarray
    labels: np.ndarray


class BatchMaxMarginals(NamedTuple):
    """Node max-marginals of many chains: `best` (N,), `unary` (sum of lengths, K)."""

    best: np.ndarray
    unary: np.ndarray

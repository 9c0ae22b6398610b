"""Result types of filtering: thresholds, losses, and curves over alpha."""

from typing import NamedTuple

import numpy as np


class Threshold(NamedTuple):
    """One example's threshold.

    - `tau`: keep iff max-marginal > tau; -inf when there is no spread
    - `best`, `mean`: over the finite max-marginals
    - `n_valid`: number of finite max-marginals
    - `has_spread`: False if all are equal (to 1e-12 of the best): then nothing is pruned
    """

    tau: float
    best: float
    mean: float
    n_valid: int
    has_spread: bool


class Thresholds(NamedTuple):
    """`Threshold` for many examples; every field has shape (N,)."""

    tau: np.ndarray
    best: np.ndarray
    mean: np.ndarray
    n_valid: np.ndarray
    has_spread: np.ndarray


class Losses(NamedTuple):
    """Cost and savings of pruning on one example.

    - `filter_loss`: Definition 1: 1 if the truth's score <= tau. Never less than `was_pruned`
    - `was_pruned`: the event itself: 1 if some assignment of the truth is not kept
    - `efficiency_loss`: Definition 2: share of valid assignments kept
    """

    filter_loss: float
    was_pruned: float
    efficiency_loss: float


class Curve(NamedTuple):
    """A right-continuous step function of alpha, up to 1.

    `alpha` (S,): where it steps, rising from the lowest alpha (0 unless a caller asks for less).
    `value` (S,): its value from alpha[s] on, up to alpha[s + 1].
    """

    alpha: np.ndarray
    value: np.ndarray

"""What filtering answers with: thresholds, losses and curves over alpha."""

from typing import NamedTuple

import numpy as np


class Threshold(NamedTuple):
    """One example's threshold.

    Attributes
    ----------
    tau : float
        Keep iff max-marginal > tau; -inf when there is no spread.
    best, mean : float
        Over the finite max-marginals.
    n_valid : int
        How many are finite.
    has_spread : bool
        False if all are equal (to 1e-12 of the best): then nothing is pruned.
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
    """What pruning cost and saved on one example.

    Attributes
    ----------
    filter_loss : float
        Definition 1: 1 if the truth's score <= tau. Never less than `was_pruned`.
    was_pruned : float
        The event itself: 1 if some assignment of the truth is not kept.
    efficiency_loss : float
        Definition 2: share of valid assignments kept.
    """

    filter_loss: float
    was_pruned: float
    efficiency_loss: float


class Curve(NamedTuple):
    """A right-continuous step function of alpha on [0, 1].

    Attributes
    ----------
    alpha : ndarray, shape (S,)
        Where it steps, rising; the first entry is 0.
    value : ndarray, shape (S,)
        Its value from alpha[s] on, up to alpha[s + 1].
    """

    alpha: np.ndarray
    value: np.ndarray

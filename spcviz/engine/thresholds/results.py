"""Results of filtering: thresholds, losses, and exact curves of losses over alpha."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError


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
    """A loss as a right-continuous step function of alpha, up to 1.

    `alpha` (S,): where it steps, rising from the lowest alpha (0 unless a caller asks for less).
    `value` (S,): its value from alpha[s] on, up to alpha[s + 1].
    """

    alpha: np.ndarray
    value: np.ndarray


def curve(points: ArrayLike, weights: ArrayLike, lowest: float = 0.0) -> Curve:
    """Total weight of the points that have fallen, as a step function of alpha.

    Parameters
    ----------
    points : ndarray, shape (P,)
        Break points; inf never falls.
    weights : ndarray, shape (P,)
        The amount each adds once it has fallen.
    lowest : float
        Alpha at which the curve begins; points that fall before count there.

    Examples
    --------
    >>> curve(np.array([0.5, -1.0, np.inf]), np.full(3, 0.25))
    Curve(alpha=array([0. , 0.5]), value=array([0.25, 0.5 ]))
    """
    points, weights = checks.points("points", points), checks.scores("weights", weights, 1)
    if points.shape != weights.shape:
        raise ShapeError(f"weights has shape {weights.shape}; points needs {points.shape}")
    falls = points <= 1
    at, weight = np.maximum(points[falls], lowest), weights[falls]
    order = np.argsort(at, kind="stable")
    at, height = at[order], np.cumsum(weight[order])
    last = np.flatnonzero(np.r_[at[1:] != at[:-1], True]) if len(at) else np.zeros(0, dtype=np.int64)
    at, height = at[last], height[last]
    if len(at) == 0 or at[0] > lowest:
        at, height = np.r_[lowest, at], np.r_[0.0, height]
    return Curve(at, height)


def efficiency_curve(points: ArrayLike, starts: np.ndarray, lowest: float = 0.0) -> Curve:
    """Mean share of valid assignments that are kept, as a step function of alpha.

    It falls from at most 1. `points` (A,): break points of all examples' assignments, which begin at `starts`
    (N + 1,); -inf counts as never valid. `lowest` as in `curve`. Weiss (2013), thesis, Definition 2, averaged
    over examples.

    >>> efficiency_curve(np.array([-1.0, 0.5, np.inf, np.inf]), np.array([0, 4]))
    Curve(alpha=array([0. , 0.5]), value=array([0.75, 0.5 ]))
    """
    points = checks.points("points", points)
    sizes = np.diff(starts)
    example = np.repeat(np.arange(len(sizes)), sizes)
    valid = points > -np.inf
    n_valid = np.bincount(example[valid], minlength=len(sizes))
    pruned = curve(points[valid], 1.0 / (len(sizes) * n_valid[example[valid]]), lowest)
    return Curve(pruned.alpha, 1.0 - pruned.value)


def thin_curve(steps: Curve, n_points: int) -> Curve:
    """About n_points of a curve's steps, at equal distances of its value; each exact at its alpha."""
    if len(steps.alpha) <= n_points:
        return steps
    height = np.abs(steps.value - steps.value[0])
    at = np.searchsorted(height, np.linspace(0, height[-1], n_points))
    at = np.unique(np.concatenate([[0], np.minimum(at, len(height) - 1)]))
    return Curve(steps.alpha[at], steps.value[at])

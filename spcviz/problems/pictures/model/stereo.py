r"""Stereo: random-dot pairs with exact truth, matching scores, and the three readings of lecture 12.

A pixel (r, c) of the left image at disparity d is seen at (r, c - d) in the right one. Scores are local
evidence plus smoothness (lecture 12, eq. 11),

.. math:: F(y) = -\sum_{r, c} |left_{r, c} - right_{r, c - y_{r, c}}|
   - \sum_{neighbours} \lambda \min(|y_i - y_j|, cut)

read pixel by pixel (no second term: `unary.argmax`), row by row (`exhaustive.scanlines`, each row exact) or
on the whole grid (`loopy_bp.propagate`, approximate).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError

_UNSEEN = -1.0  # a match outside the right image counts like the worst possible one


class StereoPair(NamedTuple):
    """Two views and how far each left pixel is shifted."""

    left: np.ndarray  # left, right, each (H, W): 0 (black) .. 1 (white)
    right: np.ndarray
    disparity: np.ndarray  # (H, W) int64: true disparities of the left image's pixels


def random_dots(
    rng: np.random.Generator, height: int = 60, width: int = 80, n_disparities: int = 8, noise: float = 0.1
) -> StereoPair:
    """A random-dot stereogram: nothing is visible in one view, a stepped pyramid in both together; a share
    `noise` of the right view is drawn again.

    >>> pair = random_dots(np.random.default_rng(0), 20, 30, 4)
    >>> pair.left.shape, np.unique(pair.disparity)
    ((20, 30), array([0, 1, 2, 3]))
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    height, width = checks.integer("height", height, 4, 2_000), checks.integer("width", width, 4, 2_000)
    n = checks.integer("n_disparities", n_disparities, 2, min(64, width - 1))
    noise = checks.fraction("noise", noise)
    r = np.abs(np.linspace(-1, 1, height))[:, None]
    c = np.abs(np.linspace(-1, 1, width))[None, :]
    depth = np.clip((1 - np.maximum(r, c)) * 1.25, 0, 1)
    disparity = np.minimum((depth * n).astype(np.int64), n - 1)
    left = rng.integers(0, 2, (height, width)).astype(float)
    right = rng.integers(0, 2, (height, width)).astype(float)  # what no left pixel fills stays random
    for d in range(n):  # nearer surfaces hide farther ones
        rows, columns = np.nonzero(disparity == d)
        seen = columns >= d
        right[rows[seen], columns[seen] - d] = left[rows[seen], columns[seen]]
    spoiled = rng.random((height, width)) < noise
    right[spoiled] = rng.integers(0, 2, int(spoiled.sum()))
    return StereoPair(left, right, disparity)


def matching_scores(left: ArrayLike, right: ArrayLike, n_disparities: int, cut: float = 1.0) -> np.ndarray:
    """Minus the mean colour difference of the pixels that each disparity matches, as a share of `cut`, at
    which it is truncated (a pixel may be hidden); -1 where the match lies outside the right view.

    >>> matching_scores([[0.0, 1.0]], [[1.0, 0.0]], 2)[0, 1]
    array([-1., -0.])
    """
    left, right = checks.scores("left", left, (2, 3)), checks.scores("right", right, (2, 3))
    if left.shape != right.shape:
        raise ShapeError(f"right has shape {right.shape}; left needs {left.shape}")
    n, cut = checks.integer("n_disparities", n_disparities, 1, 256), checks.number("cut", cut, 0.001, 1)
    left, right = (image.reshape(*image.shape[:2], -1) for image in (left, right))
    unary = np.full((*left.shape[:2], n), _UNSEEN)
    for d in range(min(n, left.shape[1])):
        apart = np.abs(left[:, d:] - right[:, : left.shape[1] - d]).mean(axis=2)
        unary[:, d:, d] = -np.minimum(apart / cut, 1.0)
    return unary


def smoothness(n_disparities: int, weight: float = 0.5, cut: int = 2) -> np.ndarray:
    """Scores of neighbouring disparities: -weight times their difference, which `cut` bounds so that edges
    stay sharp.

    >>> smoothness(4, 0.5, 2)[0]
    array([-0. , -0.5, -1. , -1. ])
    """
    n = checks.integer("n_disparities", n_disparities, 1, 256)
    cut = checks.integer("cut", cut, 1, 256)
    weight = checks.number("weight", weight, 0, 1000)
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -weight * np.minimum(apart, cut)


def errors_of(labels: ArrayLike, truth: ArrayLike, slack: float = 0) -> tuple[float, float]:
    """(share of pixels more than `slack` off, mean distance), over pixels whose truth is not NaN.

    >>> errors_of([0, 1, 3, 9], [0, 1, 1, np.nan], slack=1)
    (0.3333333333333333, 0.6666666666666666)
    """
    off = np.abs(np.asarray(labels, dtype=float) - np.asarray(truth, dtype=float))
    off = off[np.isfinite(off)]
    if not off.size:
        raise ArgumentError("truth must be known at one pixel at least, got none")
    return float((off > slack).mean()), float(off.mean())

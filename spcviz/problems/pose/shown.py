"""What the Pose page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class PosePart(NamedTuple):
    """Hypotheses of one limb in one frame at one level, strongest last.

    Attributes
    ----------
    limbs : ndarray, shape (n, 2, 2)
        ``[hypothesis, inner or outer end, x or y]``, pixels of a 240 x 240 picture.
    below_best : ndarray, shape (n,)
        Summed max-marginal minus the best: 0 or less.
    keep : ndarray of bool, shape (n,)
    each : ndarray, shape (sub-models, n)
        The same for every sub-model by itself.
    """

    limbs: np.ndarray
    below_best: np.ndarray
    keep: np.ndarray
    each: np.ndarray


class PoseLevel(NamedTuple):
    """One level of a frame.

    Attributes
    ----------
    rows, columns, n_angles : int
        The level's own grid.
    parts : tuple of PosePart
    threshold : float
        Below the best, as `PosePart.below_best`.
    alpha : float
    """

    rows: int
    columns: int
    n_angles: int
    parts: tuple
    threshold: float
    alpha: float


class PoseFrame(NamedTuple):
    """A frame after the whole cascade.

    Attributes
    ----------
    levels : tuple of PoseLevel
    best : ndarray, shape (P, 2, 2)
    top : ndarray, shape (P, 4, 2, 2)
        The best limbs that differ, by max-marginal at the last level.
    seconds_detect, seconds_cascade : float
        Measured a frame.
    """

    levels: tuple
    best: np.ndarray
    top: np.ndarray
    seconds_detect: float
    seconds_cascade: float


class PoseScene(NamedTuple):
    """A picture or clip to look at.

    Attributes
    ----------
    title : str
    images : ndarray, shape (N, 240, 240, 3), uint8
    pictures, thumbnails : tuple of str
        The same as data URIs, for browsers.
    truth : ndarray, shape (N, 5, 2, 2), or None
    """

    title: str
    images: np.ndarray
    pictures: tuple
    thumbnails: tuple
    truth: np.ndarray | None

"""What the Pose page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class PoseScene(NamedTuple):
    """A picture or clip to look at.

    Attributes
    ----------
    title : str
    images : ndarray, shape (N, 240, 240, 3), uint8
    pictures, thumbnails : tuple of str
        The same as data URIs, for browsers.
    truth : ndarray, shape (N, 5, 2, 2), or None
        NaN: not known.
    truth_name : str
        What it is: "truth", or "reference" where a program found it.
    rate : float
        Frames a second.
    credit : str
        Whose pictures they are.
    """

    title: str
    images: np.ndarray
    pictures: tuple
    thumbnails: tuple
    truth: np.ndarray | None
    truth_name: str = "truth"
    rate: float = 10.0
    credit: str = ""


class ClipLevel(NamedTuple):
    """One level of every frame of a clip, small enough to travel: see `spcviz.problems.pose.page.trace`.

    States are not listed: level 0 has the whole grid, and a later level the children of what the one before
    keeps under its own `alpha`.

    Attributes
    ----------
    rows, columns : int
        The level's own grid.
    alpha, tuned : float
        What the next level was made with, and the model's own.
    n_given : ndarray, shape (F, P), int32
        States of each limb.
    best, mean, low : ndarray, shape (F,)
        Of the summed max-marginals: largest, mean (as the threshold takes them), least.
    codes : ndarray, shape (S,), uint16
        Summed max-marginals in steps of the slider, `trace.codes_of`.
    first : ndarray, shape (F, P), int32
        Each limb's best state, as its place among the limb's: never pruned.
    unary : ndarray, shape (S,), uint16
        Score of a state by itself, between `unary_range` of its frame; empty for several sub-models.
    unary_range : ndarray, shape (F, 2)
    each : ndarray, shape (M - 1, S), uint8
        Max-marginals of all sub-models but the last, from low to best; no rows for one sub-model.
    reach, gap, weight : ndarray, shape (P - 1, 2)
        Of the joints of the limbs' tree: `engine.placed.Joints`.
    turn : ndarray, shape (P - 1, 24)
    """

    rows: int
    columns: int
    alpha: float
    tuned: float
    n_given: np.ndarray
    best: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    codes: np.ndarray
    first: np.ndarray
    unary: np.ndarray
    unary_range: np.ndarray
    each: np.ndarray
    reach: np.ndarray
    gap: np.ndarray
    weight: np.ndarray
    turn: np.ndarray


class ClipTrace(NamedTuple):
    """A clip and all that its cascade found.

    Attributes
    ----------
    title, credit : str
    method : str
    rate : float
        Frames a second.
    pictures : tuple of str
        Data URIs of the frames that are done; F of `n_frames`.
    n_frames : int
    levels : tuple of ClipLevel
    truth : ndarray, shape (F, P, 2, 2), or None
        NaN: not known.
    truth_name : str
        What it is: "truth" or "reference".
    reachable : ndarray, shape (F, 7, P), bool
        Whether a level's whole grid has a state near the truth.
    seconds_detect, seconds_cascade : float
        Measured processor time, of all frames done.
    part : tuple of float
        (x1, y1, x2, y2): what of a frame there is to see, the rest being black; pixels.
    """

    title: str
    credit: str
    method: str
    rate: float
    pictures: tuple
    n_frames: int
    levels: tuple[ClipLevel, ...]
    truth: np.ndarray | None
    truth_name: str
    reachable: np.ndarray
    seconds_detect: float
    seconds_cascade: float
    part: tuple

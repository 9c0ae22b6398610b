"""Records that the Pose page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class PoseScene(NamedTuple):
    """A picture or clip to look at."""

    title: str
    images: np.ndarray  # (N, 240, 240, 3), uint8
    pictures: tuple  # pictures, thumbnails: the same as data URIs, for browsers
    thumbnails: tuple
    truth: np.ndarray | None  # (N, 5, 2, 2): NaN: not known
    truth_name: str = "truth"  # "truth", or "reference" where it was computed by a program
    rate: float = 10.0  # frames a second
    credit: str = ""  # whose pictures they are


class ClipLevel(NamedTuple):
    """One level of a clip's frames (`trace`): states are the grid's or children of those kept before."""

    rows: int  # rows, columns: the level's own grid
    columns: int
    alpha: float  # alpha, tuned: the one the next level was made with, and the model's own
    tuned: float
    n_given: np.ndarray  # (F, P), int32: states of each limb
    best: np.ndarray  # best, mean (the threshold's), low (F,): of summed max-marginals
    mean: np.ndarray
    low: np.ndarray
    codes: np.ndarray  # (S,), uint16: summed max-marginals in steps of the slider, `trace.codes_of`
    first: np.ndarray  # (F, P), int32: each limb's best state, as its place among the limb's: never pruned
    unary: np.ndarray  # (S,), uint16: a state's own score, in its `unary_range`; empty for several sub-models
    unary_range: np.ndarray  # (F, 2)
    each: np.ndarray  # (M - 1, S), uint8: max-marginals of all sub-models but the last, low to best
    reach: np.ndarray  # reach, gap, weight (P - 1, 2): of the tree's joints: `placed.Joints`
    gap: np.ndarray
    weight: np.ndarray
    turn: np.ndarray  # (P - 1, 24)


class ClipTrace(NamedTuple):
    """A clip and all results of its cascade."""

    title: str
    credit: str
    method: str
    rate: float  # frames a second
    pictures: tuple  # data URIs of the frames that are done; F of `n_frames`
    n_frames: int
    levels: tuple[ClipLevel, ...]
    truth: np.ndarray | None  # (F, P, 2, 2): NaN: not known
    truth_name: str  # "truth" or "reference"
    reachable: np.ndarray  # (F, 7, P), bool: whether a level's whole grid has a state near the truth
    seconds_detect: float  # seconds_detect, seconds_cascade: processor time of all frames done
    seconds_cascade: float
    part: tuple  # (x1, y1, x2, y2) in pixels: the visible part of a frame, the rest being black

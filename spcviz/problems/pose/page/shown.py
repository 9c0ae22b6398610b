"""What the Pose page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class PoseScene(NamedTuple):
    """A picture or clip to look at."""

    title: str
    images: np.ndarray  # (N, 240, 240, 3), uint8
    # pictures, thumbnails: the same as data URIs, for browsers
    pictures: tuple
    thumbnails: tuple
    truth: np.ndarray | None  # (N, 5, 2, 2): NaN: not known
    truth_name: str = "truth"  # "truth", or "reference" where it was computed by a program
    rate: float = 10.0  # frames a second
    credit: str = ""  # whose pictures they are


class ClipLevel(NamedTuple):
    """One level of a clip's frames (`trace`): states are the grid's or children of those kept before."""

    # rows, columns: the level's own grid
    rows: int
    columns: int
    # alpha, tuned: what the next level was made with, and the model's own
    alpha: float
    tuned: float
    n_given: np.ndarray  # (F, P), int32: states of each limb
    # best, mean, low (F,): of the summed max-marginals: largest, mean (as the threshold takes them), least
    best: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    codes: np.ndarray  # (S,), uint16: summed max-marginals in steps of the slider, `trace.codes_of`
    first: np.ndarray  # (F, P), int32: each limb's best state, as its place among the limb's: never pruned
    # (S,), uint16: score of a state by itself, between `unary_range` of its frame; empty for several
    # sub-models
    unary: np.ndarray
    unary_range: np.ndarray  # (F, 2)
    # (M - 1, S), uint8: max-marginals of all sub-models but the last, from low to best; no rows for one
    # sub-model
    each: np.ndarray
    # reach, gap, weight (P - 1, 2): of the joints of the limbs' tree: `engine.placed.Joints`
    reach: np.ndarray
    gap: np.ndarray
    weight: np.ndarray
    turn: np.ndarray  # (P - 1, 24)


class ClipTrace(NamedTuple):
    """A clip and all that its cascade found."""

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
    # seconds_detect, seconds_cascade: measured processor time, of all frames done
    seconds_detect: float
    seconds_cascade: float
    part: tuple  # (x1, y1, x2, y2) in pixels: the visible part of a frame, the rest being black

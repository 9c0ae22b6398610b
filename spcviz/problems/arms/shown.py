"""Records of arms under a budget for the pages to draw, with labels of parts and tiers."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.methods import Terms, Tier

TERMS = Terms("arm", "arms", "frame", "frames", gain="gain for the time")
TIERS = (  # of an arm's features in a frame, in the order of `LADDER` of model/features.py; the first is free
    Tier("detectors", "detectors", "detect"),
    Tier("coarse_flow", "+ coarse flow", "coarse"),
    Tier("flow", "+ optical flow", "flow"),
)
EVERYONE, AT_ONCE, EITHER = "everyone to the useful tier", "random clips at once", "learned or by tier"
"""Methods in results only. At each budget, the last uses what training clips preferred there: the learned
order or random tier by tier."""
SPAN_LENGTHS = 4, 6, 8  # the most consecutive frames of an arm that one purchase lifts
SPANS, ANY_SPANS, WHOLE_SPANS = (f"q-learning, {what}" for what in ("spans", "any spans", "clips as spans"))
"""Methods in results only: spans whose length training clips chose from `SPAN_LENGTHS`; what they chose
from single frames, these spans and whole arms; whole arms by the policy of frames and spans."""
OFFERED = ("dms", "fixed", "uniform_arms", "dms_pi", "greedy", "myopic", "uniform")  # in this order
COST_HELP = (
    "Units: 1 lifts one frame of one arm by one tier, from detectors to coarse flow to flow. Measured: "
    "features, inference and the method itself."
)
ORIGIN = (  # of what the Trade-off page shows
    "Rendered clips that no model here has seen, with exact joints; an elbow or wrist counts as right within "
    "20 pixels of the truth, in windows of 240 x 240. Each arm has 32 guesses a frame, of which a chain over "
    "the frames takes one. Detectors make the guesses; with how joints move they are what all have (free "
    "here). Then: optical flow, how the picture moved, at a third of its size; flow at half the size. Times: "
    "measured; features when the models were trained (python -m spcviz train budget-pose), choosing and "
    "inference on this server, now. A dozen clips are few, and one arm read anew "
    "moves a curve by many joints: who is ahead changes from batch to batch; the page Paper tables has many. "
    "Weiss (2013), sections 6.3.2 and 7.4.1."
)


def spans_of(length: int) -> str:
    """Name in results of spans of one length."""
    return f"q-learning, spans of {length}"


class ArmPictures(NamedTuple):
    """Pictures and joints of W chains of arms: R frames in all, from C clips."""

    clip: np.ndarray  # (W,) int: the clip of its pictures, 0 .. C - 1.
    side: np.ndarray  # (W,) int: 0 = left arm, 1 = right
    sheets: tuple[str, ...]  # the frames of a clip side by side, squares: data URIs
    joints: np.ndarray  # (R, K, 3, 2): shoulder, elbow, wrist of each state, pixels of a picture of 240 x 240
    truth: np.ndarray  # (R, 3, 2)


class PoseBudget(NamedTuple):
    """Arms of N frames, (N, 2 sides, 3 joints, 2) pixels: by a plain model per tier, and by DMS-pi."""

    tier_names: tuple  # (T)
    four: np.ndarray  # (T, N, 2, 3, 2): by the plain model of each tier
    truth: np.ndarray | None  # (N, 2, 3, 2)
    # (T,): time for everything up to each tier, in all frames; tier 0 is free. Like all times but `seconds`
    four_ms: np.ndarray  # it was measured in training, because a policy must know it before it buys
    free_ms: float  # tier 0, for each frame and arm
    seconds: float  # all features of the clip, as measured here
    ms: np.ndarray  # (S + 1,): time spent by DMS-pi before its first purchase and after each
    tiers: np.ndarray  # (S + 1, N, 2), int64
    arms: np.ndarray  # (S + 1, N, 2, 3, 2), float32

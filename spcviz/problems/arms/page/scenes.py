"""Numbers and sentences about arms under a budget, for the Pose page, Trade-off and `spcviz.scenes`.

Modules that compute are imported when a function is called.
"""

from typing import TYPE_CHECKING

import numpy as np

from spcviz.engine import checks
from spcviz.problems.arms.shown import TIERS, PoseBudget
from spcviz.shared.folders import MODELS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.budgets.shown import TradeOff

NEAR_PX = 20.0  # an elbow or wrist counts as right within this many pixels
MISSING = (
    "The models of arms are not stored here. Make them with: `python -m spcviz train budget-pose` (needs the "
    "Buffy data)."
)
INTRODUCTION = (
    "#### Pose on video: which frames deserve a closer look?\n"
    "Each arm has 32 guesses a frame, made by detectors, and a chain over the frames takes one of them. How "
    "joints move is known with them; **coarse flow** (how the picture moved, at a third of its size) and "
    "**optical flow** at half the size cost more and more time, and may be bought for some frames only."
)
TRAINED_ON = (
    "The models of arms were trained on rendered clips at about 8 frames a second (their modes also on Buffy "
    "Stickmen): one upright person, seen from the front. Other clips are outside of what they have learned."
)
WAIT = "Detectors and flow of every frame ..."


def step_of(budget, share):
    """Number of purchases that fit into a share of the time for everything."""
    return int(np.searchsorted(budget.ms, share * budget.ms[-1] * (1 + 1e-9) + 1e-9, side="right") - 1)


def facts(budget: PoseBudget, step: int | None) -> dict[str, str]:
    """Numbers for a tour's sentences after `step` purchases; if None, only the models side by side."""
    names = ("free", *(tier.key for tier in TIERS[1:]))
    costs = np.diff(budget.four_ms) / np.prod(budget.four.shape[1:3])
    numbers = {f"ms_{name}": f"{cost:.1f} ms" for name, cost in zip(names[1:], costs)}
    if budget.truth is not None:
        shares = 100 * (off(budget.four, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
        numbers |= {f"off_{name}": f"{share:.1f} %" for name, share in zip(names, shares)}
    if step is None:
        return numbers
    numbers |= {"spent": f"{budget.ms[step] / 1e3:.2f} s", "full": f"{budget.ms[-1] / 1e3:.2f} s"}
    if budget.truth is not None:
        lost = 100 * (off(budget.arms, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
        steps = {"lost": step, "lost_free": 0, "lost_all": -1}
        numbers |= {name: f"{lost[at]:.1f} %" for name, at in steps.items()}
    return numbers


def off(joints, truth):
    """Distance in pixels from the true elbow and wrist, (..., N, 2 sides, 2 joints)."""
    return np.linalg.norm(joints[..., 1:, :] - truth[..., 1:, :], axis=-1)


def arms(
    kind: str = "signs", name: str | int = "thanks", *, method: str = "single", spend: float = 0.1
) -> dict[str, str]:
    """Read both arms of a clip, and spend a budget on its frames.

    Parameters
    ----------
    kind, name, method
        The clip, and how its frames are chosen, as in `pose`.
    spend : float
        Share of the time for all features of all frames, 0 to 1.

    Returns
    -------
    dict of str
        Numbers by name, as texts: milliseconds of each tier's features, elbows and wrists that are off
        with each, and the outcome of the budget.

    Raises
    ------
    ArgumentError
        For an unknown clip or method, or a share outside 0 to 1.
    NoCacheError, StoreError
        If a clone's stored models are missing, or this one is.
    """
    from spcviz.problems.arms.model import stored
    from spcviz.problems.arms.page import live
    from spcviz.problems.pose.page.scenes import clip_of

    spend = checks.fraction("spend", spend)
    scene = clip_of(kind, name, method)
    watched = live.watch(stored.load(shipped_path(MODELS)), scene.images, scene.truth)
    return facts(watched, step_of(watched, spend))


def batch(clips: int = 12, seed: int = 0) -> "TradeOff":
    """A random batch of rendered test clips under every method."""
    from spcviz.problems.arms.model import readings, stored
    from spcviz.problems.arms.page import live

    model = stored.load(shipped_path(MODELS))
    return live.compare(model, readings.draw_batch(model, clips, seed), seed)

"""Texts of the Pose page about arms under a budget, and numbers for its tour."""

import numpy as np

from spcviz.problems.arms.shown import TIERS, PoseBudget

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

"""What the Pose page says about arms and budgets: sentences worked out from the numbers."""

import numpy as np

from spcviz.figures.arms.clip import NEAR_PX, off

MISSING = (
    "The models of arms are not stored here. Make them with: `python -m spcviz train budget-pose` (needs the "
    "Buffy data)."
)
INTRODUCTION = (
    "#### Pose on video: which frames deserve a closer look?\n"
    "Each arm has 32 guesses a frame, and a chain over the frames takes one of them. How joints move is "
    "known for free; **colours**, **superpixels** (regions of one colour) and **optical flow** (how the "
    "picture moved) cost more and more time, and may be bought for some frames only."
)
TRAINED_ON = (
    "The models of arms were trained on rendered clips at about 8 frames a second (their modes also on Buffy "
    "Stickmen): one upright person, seen from the front. Other clips are outside of what they have learned."
)
SPEND_HELP = "How much of the time for all features of all frames may be spent."
WAIT = "Kinematics, colour, superpixels and flow of every frame ..."


def four(budget, frame, with_truth):
    """What the four models are, and how they do here."""
    costs = np.diff(budget.four_ms) / np.prod(budget.four.shape[1:3])
    names = budget.tier_names
    said = (
        "Each model knows all that the one before knows: "
        + ", ".join([f"**{names[0]}** (how joints move)"]
                    + [f"**{name}** ({cost:.1f} ms a frame and arm)"
                       for name, cost in zip(names[1:], costs)])
        + ", times measured in training. Where they agree, the thinner lies on the thicker."
    )  # fmt: skip
    if budget.truth is None or not with_truth:
        return said
    errors = off(budget.four, budget.truth)
    here = "; ".join(f"{name} {error:.0f}" for name, error in zip(names, errors[:, frame].mean(axis=(1, 2))))
    shares = 100 * (errors > NEAR_PX).mean(axis=(1, 2, 3))
    over = "; ".join(f"{name} {share:.0f} %" for name, share in zip(names, shares))
    return (
        f"{said} In this frame elbows and wrists are off by (mean, in pixels): {here}. Over the clip, off by "
        f"more than 20 pixels: {over}."
    )


def step_of(budget, share):
    """Purchases that fit into a share of the time for everything."""
    return int(np.searchsorted(budget.ms, share * budget.ms[-1] * (1 + 1e-9) + 1e-9, side="right") - 1)


def bought(budget, step, with_truth):
    """What the money went into, and what it brought."""
    counts = [int((budget.tiers[step] == t).sum()) for t in range(len(budget.tier_names))]
    stopped = ", ".join(f"{name} {count}" for name, count in zip(budget.tier_names, counts))
    said = (
        f"**{budget.ms[step] / 1e3:.2f} s** of {budget.ms[-1] / 1e3:.2f} s spent; frames of the two arms by "
        f"the last thing bought: {stopped}. Not counted: detectors and kinematics, {budget.free_ms:.0f} ms a "
        f"frame and arm, which are always needed. Times as measured in training; here all features of the "
        f"clip took {budget.seconds:.1f} s."
    )
    if budget.tiers.shape[1] == 1:
        said += " A single picture has no movement: flow has nothing to add."
    else:
        said += " The first frame has none before it: its flow is empty and costs nothing."
    if budget.truth is None or not with_truth:
        return said
    lost = 100 * (off(budget.arms, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
    return (
        f"{said} Elbows and wrists off by more than 20 pixels: **{lost[step]:.1f} %**; with nothing bought "
        f"{lost[0]:.1f} %, with everything {lost[-1]:.1f} %."
    )


def facts(budget, step):
    """Numbers of arms under a budget for the sentences of a tour.

    Parameters
    ----------
    budget : spcviz.problems.arms.shown.PoseBudget
    step : int or None
        Purchases made; None: the four models beside each other.

    Returns
    -------
    dict of str to str
    """
    names = ("free", "colour", "superpixels", "flow")
    costs = np.diff(budget.four_ms) / np.prod(budget.four.shape[1:3])
    found = {f"ms_{name}": f"{cost:.1f} ms" for name, cost in zip(names[1:], costs)}
    if budget.truth is not None:
        shares = 100 * (off(budget.four, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
        found |= {f"off_{name}": f"{share:.0f} %" for name, share in zip(names, shares)}
    if step is None:
        return found
    found |= {"spent": f"{budget.ms[step] / 1e3:.2f} s", "full": f"{budget.ms[-1] / 1e3:.2f} s"}
    if budget.truth is not None:
        lost = 100 * (off(budget.arms, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
        found |= {
            "lost": f"{lost[step]:.1f} %",
            "lost_free": f"{lost[0]:.1f} %",
            "lost_all": f"{lost[-1]:.1f} %",
        }
    return found

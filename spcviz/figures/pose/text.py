"""What the Pose page says: sentences worked out from the numbers, plain words first, symbols after."""

import numpy as np

from spcviz.figures.pose.charts import N_DRAWN, NAMES

INTRODUCTION = (
    "#### Pose on video: from coarse cells to fine, limb by limb\n"
    "Where are the torso and the arms? Every limb could be anywhere and point anywhere: 153,600 "
    "states on the "
    "finest grid. The cascade starts with 10 × 10 coarse cells, throws away what cannot be part of a good "
    "body, halves the cells that are left, and repeats, seven times."
)
TRAINED_ON = (
    "The model was trained on frames of one television series (Buffy Stickmen, episodes 3 and 4), its limb "
    "detectors also on photographs (PARSE): upright people, seen from the front or back, head to hips. Other "
    "pictures are outside of what it has learned."
)
MISSING = (
    "The pose model is not stored here. Make it with: `python -m spcviz train pose` (needs Buffy Stickmen, "
    "PARSE and LSPET)."
)
WINDOW = (
    "The window should hold one person from a little above the head to below the hips, the neck a "
    "third from the "
    "top and the hips two thirds down."
)
HELP = {
    "show": "What is drawn over the frame.",
    "scene": "A rendered clip with exact truth, a photograph, a real test clip (where the data are here), or "
    "your own picture or clip.",
    "seed": "Draws another person, cloth, movement and background; the seed is in the address.",
    "frame": "Which frame of the clip.",
    "level": "0: 10 × 10 cells; each level halves them, across or down, up to 80 × 80 at level 6.",
    "alpha": "α sets the threshold τ = α · best + (1 − α) · mean of all max-marginals. A state stays if its "
    "max-marginal exceeds it. Without a choice every level has the one tuned on development frames.",
    "method": "*Single frame*: every frame by itself. *Ensemble*: three sub-models, each tying one limb from "
    "frame to frame; their max-marginals are summed. *Torso only*: the first of the three alone.",
    "truth": "The true limbs, where they are known.",
    "window": WINDOW,
}
METHODS = {"single": "Single frame", "ensemble": "Ensemble", "torso": "Torso only"}
SUB_MODELS = ("ties the torso", "ties the left arm", "ties the right arm")


def view(show, frame, number, truth):
    """What is said under a view of `figures.pose.view`."""
    if show == "level":
        return f"{filtered(frame, number)} {survival(frame, truth, number)}"
    if show == "all":
        return levels(frame)
    if show == "three":
        return f"{sub_models(frame)} {filtered(frame, number)}"
    return top(frame, truth)


def level_title(level, number):
    """One level in words."""
    return f"level {number}: {level.columns} × {level.rows} cells, {level.n_angles} angles"


def filtered(frame, number):
    """What a level did to this frame."""
    level = frame.levels[number]
    given = sum(len(part.keep) for part in level.parts)
    kept = sum(int(part.keep.sum()) for part in level.parts)
    grid = level.columns * level.rows * level.n_angles * len(level.parts)
    most = max(len(part.keep) for part in level.parts)
    note = f" Of each limb {N_DRAWN} are drawn, from weak to strong." if most > N_DRAWN else ""
    return (
        f"**{level_title(level, number).capitalize()}**: of {grid:,} states {given:,} were left by "
        f"the levels "
        f"before; this one keeps **{kept:,}** ({100 * kept / grid:.2f} % of its grid), with α = "
        f"{level.alpha:.2f} "
        f"and a threshold {-level.threshold:.2f} below the best.{note}"
    )


def levels(frame):
    """All levels in a sentence."""
    last = frame.levels[-1]
    kept = sum(int(part.keep.sum()) for part in last.parts)
    grid = last.columns * last.rows * last.n_angles * len(last.parts)
    given = sum(len(part.keep) for level in frame.levels for part in level.parts)
    return (
        f"Over all seven levels the cascade looked at {given:,} states instead of the finest grid's "
        f"{grid:,} and "
        f"left {kept:,}. Measured: {1e3 * frame.seconds_detect:.0f} ms for features and detectors, "
        f"{1e3 * frame.seconds_cascade:.0f} ms for the cascade, a frame."
    )


def top(frame, truth):
    """How the best guesses compare with the truth."""
    said = "The best limb of each part thick, the next three that differ (12 pixels or 30 degrees) thin."
    if truth is None:
        return f"{said} No truth is known for this picture."
    right = [is_right(limb, true, 0.5) for limb, true in zip(frame.best, truth)]
    among = [any(is_right(t, true, 0.25) for t in tops) for tops, true in zip(frame.top, truth)]
    words = "; ".join(
        f"{name} {'right ✓' if a else 'wrong ✗'}{'' if b else ', not within 25 % in the top 4'}"
        for name, a, b in zip(NAMES, right, among)
    )
    return f"{said} Best guess, both ends within half a limb's length of the truth: {words}."


def is_right(limb, truth, share):
    """PCP of one limb."""
    allowed = share * np.linalg.norm(truth[1] - truth[0])
    return bool((np.linalg.norm(limb - truth, axis=1) <= allowed).all())


def survival(frame, truth, number):
    """Whether the truth survives a level, in a sentence; "" without one."""
    if truth is None:
        return ""
    lost = []
    for name, part, true in zip(NAMES, frame.levels[number].parts, truth):
        limbs = part.limbs[part.keep]
        ends = np.linalg.norm(limbs - true, axis=2).max(axis=1)
        if not (ends <= 0.25 * np.linalg.norm(true[1] - true[0])).any():
            lost.append(name)
    if not lost:
        return "✓ Every limb still has a state within 25 % of its length of the truth."
    why = " (cells this coarse need not hold one)" if number < 2 else ""
    return f"✗ No state within 25 % of its length of the truth is left for: {', '.join(lost)}{why}."


def sub_models(frame):
    """What the three sub-models are."""
    return (
        "Each sub-model keeps every frame's tree of limbs and ties one limb to itself in the next "
        "frame, so each "
        "has no cycle and is solved exactly. The sum of their max-marginals decides what falls."
    )

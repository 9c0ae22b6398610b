"""Sentences of the page Scenes at any time, and its numbers for tours."""

import numpy as np

from spcviz.problems.scene.shown import LONGER, SceneCourse
from spcviz.web.cached.ownership import GOES

INTRODUCTION = (
    "# Scenes at any time: labels that sharpen as time is spent\n"
    "The **anytime predictor** (SIM) can be stopped at any moment: each step chooses the regions it is least "
    "sure of, at one of seven sizes, and buys the features it needs there. The **inference machine** (HIM) "
    "computes everything first and answers once. Drag the time."
)
TRAINED_ON = (
    "The predictors know 11 classes of British streets seen from a car (CamVid, 240 x 180 pixels, for "
    "personal and research use only); other pictures get the nearest of those classes."
)
KIND_HELP = f"A picture that you bring stays in this server's memory, is never written to a disk, and {GOES}."
MISSING = "No predictor is stored here: python -m spcviz train scene"


def missing(_kind):
    """The message for a link to CamVid's pictures, which are not available here."""
    return (
        "This link asks for a test picture of CamVid, which does not come with the app: `python -m spcviz "
        "data get scene_camvid` brings it. Shown instead: the photograph that the page opens with."
    )


def facts(course: SceneCourse, state: dict) -> dict[str, str]:
    """Numbers at a moment, ``spend`` of the state, for a tour's sentences, as the component counts them."""
    sim, him = 1000 * np.asarray(course.sim.seconds), 1000 * float(course.him.seconds[0])
    time = state["spend"] * LONGER * max(sim[-1], him)
    step = int(np.searchsorted(sim, time, side="right")) - 1
    numbers = {
        "steps": str(len(sim)),
        "step": str(step + 1),
        "him_ms": f"{him:.0f} ms",
        "time": f"{time:.0f}",
    }
    if course.truth is not None and step >= 0:
        numbers["sim_right"] = f"{course.sim.accuracy[step]:.1f} %"
        numbers["him_right"] = f"{course.him.accuracy[0]:.1f} %"
    return numbers


def values(course: SceneCourse, state: dict) -> dict:
    """Numbers at a moment, as `facts` has them, for the checks of tasks: shares in percent, times in ms."""
    sim, him = 1000 * np.asarray(course.sim.seconds), 1000 * float(course.him.seconds[0])
    time = state["spend"] * LONGER * max(sim[-1], him)
    step = int(np.searchsorted(sim, time, side="right")) - 1
    numbers = {"step": step + 1, "him_ms": round(him, 1), "time": round(float(time), 1)}
    if course.truth is None or step < 0:
        return numbers | {"sim_right": None, "him_right": None, "best_before": None}
    best = np.max(course.sim.accuracy[: step + 1])
    rights = {
        "sim_right": course.sim.accuracy[step],
        "him_right": course.him.accuracy[0],
        "best_before": best,
    }
    return numbers | {name: round(float(value), 1) for name, value in rights.items()}


def waits(course: SceneCourse, state: dict) -> str:
    """The text at a moment while a question hides what comes after it."""
    known = facts(course, state)
    right = f", {known['sim_right']} of its pixels are right" if "sim_right" in known else ""
    return f"After {known['time']} ms{right}. What comes later stays hidden until you have guessed."

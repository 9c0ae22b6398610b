"""Sentences of the Pose page, composed from the numbers: plain words first, symbols after."""

from spcviz.problems.pose.shown import ClipTrace
from spcviz.web.cached.ownership import GOES

NAMES = ("torso", "left upper arm", "right upper arm", "left lower arm", "right lower arm")
WAIT = "Features and detectors, frame by frame ..."
INTRODUCTION = (
    "# Pose on video: from coarse cells to fine, limb by limb\n"
    "Where are the torso and the arms? Every limb could be anywhere and point anywhere: 153,600 states a "
    "limb on the finest grid. The cascade starts with 10 × 10 coarse cells, throws away what cannot be part "
    "of a good body, splits the cells that are left, and repeats: seven levels, 0 to 6."
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
NOT_HERE = (
    "This link asks for a clip of Buffy Stickmen, a data set that does not come with the app: `python -m "
    "spcviz data get pose_buffy` brings it. Shown instead: people signing."
)
WINDOW = (
    "The window should hold one person from a little above the head to below the hips, the neck a "
    "third from the "
    "top and the hips two thirds down."
)
CAMERA = f"The picture goes to this server, stays in its memory, is never written to a disk, and {GOES}."
NO_CAMERA = (
    "Browsers give a page the camera only on localhost or over https; elsewhere no picture appears here: "
    "take one with the phone's own camera and bring it under *Your own*."
)
NOBODY_THERE = "Where nobody stands it draws limbs all the same."
_SETS = {
    ("signs", "as filmed"): "signing frames of people that it was not trained on",
    ("signs", "cut at random"): "the same frames cut at random",
    ("buffy", "whole frames"): "whole test frames of Buffy",
}


def _rows(rows, *kind):
    return [row for row in rows if (row["data"], row["how"]) == kind and row["part"] != "dev"]


def _share(rows, key):
    """Mean share over all pictures of some rows, in percent."""
    return f"{100 * sum(row[key] * row['n'] for row in rows) / sum(row['n'] for row in rows):.0f} %"


def found_how(rows: list[dict]):
    """How often the search for the person is right, from rows of `finder_train.row_of`."""
    shares = "; ".join(
        f"{_share(set_rows, 'right')} of {name} (a fixed average window: {_share(set_rows, 'mean_right')})"
        for kind, name in _SETS.items()
        if (set_rows := _rows(rows, *kind))
    )
    return (
        "The window is found by a search; correct it with the sliders. It is right (centre within a quarter "
        f"of the side, size within 25 %) on {shares}. If there are several people, it picks one."
    )


def nobody(best: dict):
    """That no person was found, and by how much; `best` has ``score`` and ``threshold``."""
    return (
        f"Nobody seems to be in this picture: the limbs below may be on a wall. (The best window scores "
        f"{best['score']:.2f}, people score at least {best['threshold']:.2f}.)"
    )


def found_nobody(rows: list[dict]):
    """How often the search wrongly says that nobody, or that somebody, is there; from the same rows."""
    people = [row for row in rows if "missed" in row and row["part"] != "dev"]
    # the threshold was chosen on other walls, so they are no evidence
    empty = [row for row in rows if "invented" in row and row["how"] != "other walls"]
    invented = ", ".join(f"{_share([row], 'invented')} of {row['how']}" for row in empty)
    return (
        f"It says “nobody” of {_share(people, 'missed')} of pictures with people, and sees someone in "
        f"{invented}, all of them without people."
    )


HELP = {
    "show": "What is drawn over the frame.",
    "scene": "A rendered clip with exact truth, a photograph, a real test clip (where the data are here), or "
    "your own picture or clip.",
    "seed": "Draws another person, cloth, movement and background; the seed is in the address.",
    "frame": "Which frame of the clip.",
    "level": "0: 10 × 10 cells; each level halves them, across or down, up to 80 × 80 at level 6.",
    "alpha": "α sets the threshold τ = α · best + (1 − α) · mean of all max-marginals; below 0 it lies under "
    "the mean. A state stays if its "
    "max-marginal exceeds it. Without a choice every level has the one tuned on development frames.",
    "method": "*Single frame*: every frame by itself. *Ensemble*: three sub-models, each tying one limb from "
    "frame to frame; their max-marginals are summed. *Torso only*: the first of the three alone.",
    "truth": "The true limbs, where they are known.",
    "window": WINDOW,
}
METHODS = {"single": "Single frame", "ensemble": "Ensemble", "torso": "Torso only"}


def facts(clip: ClipTrace, state: dict) -> dict[str, str]:
    """The number of limbs' states left at the page's frame and level, as the component counts them."""
    at = min(state["level"], len(clip.levels) - 1)
    level = clip.levels[at]
    frame = min(state["frame"], len(level.n_given) - 1)
    given = int(level.n_given[frame].sum())
    seconds = (clip.seconds_detect + clip.seconds_cascade) / len(level.n_given)
    facts = {
        "level": str(at),
        "grid": f"{level.columns} × {level.rows}",
        "given": f"{given:,}",
        "frames": str(clip.n_frames),
        "ms": f"{round(1000 * seconds)} ms",
        "limbs": str(level.n_given.shape[1]),
    }
    if at + 1 < len(clip.levels):  # what is kept is halved for the next level
        facts["kept"] = f"{int(clip.levels[at + 1].n_given[frame].sum()) // 2:,}"
    return facts


def values(clip: ClipTrace, state: dict) -> dict:
    """The same for all levels, to check tasks; `scored` is the number of states scored at all levels."""
    at = min(state["level"], len(clip.levels) - 1)
    frame = min(state["frame"], len(clip.levels[0].n_given) - 1)
    given = [int(level.n_given[frame].sum()) for level in clip.levels]
    kept = [n // 2 for n in given[1:]]  # what is kept is halved for the next level
    out = {f"kept_{n}": value for n, value in enumerate(kept)} | {"given": given[at], "scored": sum(given)}
    return out | {"kept": kept[at] if at < len(kept) else None}


def waits(clip: ClipTrace, state: dict) -> str:
    """The text about a frame while a question hides which states are kept."""
    known = facts(clip, state)
    return (
        f"Torso and arms may be anywhere and point anywhere: {known['given']} states on a grid of "
        f"{known['grid']} cells. What is kept stays hidden until you have guessed."
    )

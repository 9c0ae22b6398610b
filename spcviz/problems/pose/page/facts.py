"""Numbers of the Pose page for the sentences of a tour."""

from spcviz.problems.pose.page.shown import ClipTrace


def clip(found: ClipTrace, state: dict) -> dict[str, str]:
    """What is left of the limbs' states at the page's frame and level, as the component counts it."""
    at = min(state["level"], len(found.levels) - 1)
    level = found.levels[at]
    frame = min(state["frame"], len(level.n_given) - 1)
    given = int(level.n_given[frame].sum())
    seconds = (found.seconds_detect + found.seconds_cascade) / len(level.n_given)
    facts = {
        "level": str(at),
        "grid": f"{level.columns} × {level.rows}",
        "given": f"{given:,}",
        "frames": str(found.n_frames),
        "ms": f"{round(1000 * seconds)} ms",
        "limbs": str(level.n_given.shape[1]),
    }
    if at + 1 < len(found.levels):  # what is kept is halved for the next level
        facts["kept"] = f"{int(found.levels[at + 1].n_given[frame].sum()) // 2:,}"
    return facts

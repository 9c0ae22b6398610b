"""Thesis Fig. 5.5(a, b): an ensemble over time against single frames and the torso's persistence alone.

On three kinds of clips. *signs*: five people signing (30 frames a second, every third taken), one left out at
a time; geometry, weights, thresholds and the joint learning of (5.6) come from the other four (`people`), and
a neural network's joints stand for the truth. *rendered*: dense clips with exact truth. *buffy*: the real
test clips of 4 frames with irregular gaps. On the last two the stored model runs, whose ties over time are
set by hand.
"""

from pathlib import Path

import numpy as np

from spcviz.problems.common.report import describe
from spcviz.problems.common.work.jobs import run_all
from spcviz.problems.pose.data import buffy, signs
from spcviz.problems.pose.model import seen, stored
from spcviz.problems.pose.paper import follow, hand_set, joint_signers
from spcviz.problems.problem import Run

SOURCE = "Weiss (2013), thesis, sections 5.3, 5.5.2 and Fig. 5.5(a, b)"
PAPER = {"order": "ensemble best for every joint; single frame better than torso only"}
FOLDS = (*(f"signs, {person}" for person in signs.PERSONS), "rendered", "buffy")
"""A person left out, or a set of clips."""


def reproduce_ensemble(run: Run) -> dict:
    """Fig. 5.5(a, b) on the first ``run.folds`` of `FOLDS`; quick: few clips and little learning."""
    names, quick = FOLDS[: run.folds], run.quick
    test = buffy.load_buffy(stored.data_folder(), "test")
    reference = signs.load_reference()
    about = {"pose_buffy": {"limbs": test.limbs, "images": test.images}}
    jobs = [(name, str(run.models), str(run.work), quick) for name in names]
    made = run_all(run.executor, measured, jobs, run.tick)
    fold_rows = [{"fold": name, "rows": rows_of(name, own)} for name, own in zip(names, made)]
    rows = []
    for kind in dict.fromkeys(kind_of(name) for name in names):
        joined = _joined([own for name, own in zip(names, made) if kind_of(name) == kind])
        rows += [row | _times(own["found"]) for row, own in zip(rows_of(kind, joined), joined)]
    return describe(
        "pose-ensemble", SOURCE, rows, baselines=[],
        settings={
            "first_seed": hand_set.FIRST_SEED, "n_frames": hand_set.N_FRAMES, "within_px": follow.WITHIN_PX,
            "quick": quick, "n_dev": joint_signers.N_DEV,
            "buffy_every": hand_set.BUFFY_EVERY, "every": seen.EVERY, "piece": joint_signers.PIECE,
            "every_piece": joint_signers.EVERY_PIECE,
            "step_over_time": joint_signers.STEP_OVER_TIME, "alpha_over_time": joint_signers.ALPHA_OVER_TIME,
            "learning": stored.chosen(joint_signers.SETTINGS), "random_state": joint_signers.RANDOM_STATE,
            "joints_left": {name: list(left) for name, left in signs.joints_left().items()},
            "visible": signs.VISIBLE, "attribution": signs.ATTRIBUTION,
            "detectors": "as trained on Buffy and single pictures; none of the five persons",
            "wrist_error": "the thesis' model has no lower arms; nor has this one",
        },
        data=about | {"pose_signs": {"joints": reference.joints, "visibility": reference.visibility}},
        fold_rows=fold_rows, paper=PAPER, random_state=joint_signers.RANDOM_STATE,
    )  # fmt: skip


def kind_of(fold):
    """``"signs"``, ``"rendered"`` or ``"buffy"``."""
    return fold.split(",")[0]


def measured(
    fold: str, folder: str | Path, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """What every method makes of the clips of one of `FOLDS`; see `joint_signers.measured` for the form."""
    model, kind = stored.load_pose(folder), kind_of(fold)
    if kind == "signs":
        return joint_signers.of_person(model, fold.split(", ")[1], work, quick)
    return hand_set.of_set(model, kind, work, quick)


def _joined(parts):
    out = []
    for same in zip(*parts):
        found = [one for own in same for one in own["found"]]
        out.append({"method": same[0]["method"], "ties": same[0]["ties"], "found": found})
    return out


def rows_of(fold, made):
    """A row for each method: see `follow.row`; learned ties also beside the same method's hand-set ones."""
    (single,) = (own["found"] for own in made if own["method"] == "single")
    set_by_hand = {own["method"]: own["found"] for own in made if own["ties"] == "hand-set"}
    kind = kind_of(fold)
    said = {"signs": f"signs, every {seen.EVERY}rd frame", "buffy": "buffy, every 3rd clip of 4 frames",
            "rendered": f"rendered, {hand_set.N_FRAMES} frames"}[kind]  # fmt: skip
    rows = []
    for own in made:
        row = {"data": kind, "clips": said} | {key: own[key] for key in ("method", "ties")}
        row |= follow.row(own["found"], single)
        if own["ties"] == "learned":
            gain, error = follow.gain(own["found"], set_by_hand[own["method"]])
            row["elbow_gain_over_hand_set"] = follow.rounded(gain)
            row["elbow_gain_over_hand_set_stderr"] = follow.rounded(error)
        rows.append(row | {"wrist_error": None})
    return rows


def _times(found):
    """Medians over pieces: processor milliseconds a frame, and the share of features and detectors in it."""
    detect = np.array([one["detect_ms"] for one in found])
    spent = detect + np.array([one["ms"] / len(one["frames"]) for one in found])
    return {
        "ms_per_frame": round(float(np.median(spent)), 3),
        "features_share": round(float(np.median(detect / spent)), 3),
    }

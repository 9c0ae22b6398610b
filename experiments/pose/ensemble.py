"""Thesis Fig. 5.5(a, b): an ensemble over time against single frames and the torso's persistence alone.

The clips are those of `clip_sets`: people signing (a neural network's joints serve as truth; frames 0.1 and
0.2 s apart), rendered clips with exact truth, and Buffy's real test clips of 4 frames with irregular gaps.
For the first two, everything but the detectors is learned from clips of other people or bodies
(`joint_learning`).
"""

from pathlib import Path

import numpy as np

from experiments.pose import clip_sets, follow, joint_learning
from spcviz.problems.pose.data import buffy, signs
from spcviz.problems.pose.model import detectors, stored
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.jobs import run_all

SOURCE = "Weiss (2013), thesis, sections 5.3, 5.5.2 and Fig. 5.5(a, b)"
PAPER = {"order": "ensemble best for every joint; single frame better than torso only"}
FOLDS = (
    *(f"{kind}, {person}" for kind in clip_sets.STEPS for person in signs.PERSONS),
    *(f"rendered, {part}" for part in range(clip_sets.N_PARTS)),
    "buffy",
)
"""Clips and the person left out, or a part of the clips."""
CLIPS = {
    "signs": f"signs, every {detectors.EVERY}rd frame",
    "signs, far apart": f"signs, every {detectors.EVERY * clip_sets.STEPS['signs, far apart']}th frame",
    "rendered": f"rendered, fast arms, often hidden, {clip_sets.N_FRAMES} frames",
    "buffy": f"buffy, every {clip_sets.BUFFY_EVERY}rd clip of 4 frames",
}


def reproduce_ensemble(run: Run) -> dict:
    """Fig. 5.5(a, b) on the first ``run.folds`` of `FOLDS`; quick: few clips and little learning."""
    names, quick = FOLDS[: run.folds], run.quick
    test = buffy.load_buffy(stored.data_folder(), "test")
    reference = signs.load_reference()
    about = {"pose_buffy": {"limbs": test.limbs, "images": test.images}}
    jobs = [(name, str(run.models), str(run.work), quick) for name in names]
    made = run_all(run.executor, measure_methods, jobs, run.tick)
    fold_rows = [{"fold": name, "rows": rows_of(name, runs)} for name, runs in zip(names, made)]
    rows = []
    for kind in dict.fromkeys(kind_of(name) for name in names):
        joined = _join_runs([runs for name, runs in zip(names, made) if kind_of(name) == kind])
        rows += [row | _times(of_method["found"]) for row, of_method in zip(rows_of(kind, joined), joined)]
    return describe(
        "pose-ensemble", SOURCE, rows, baselines=[],
        settings={
            "within_px": follow.WITHIN_PX, "quick": quick,
            "every": detectors.EVERY, "steps": clip_sets.STEPS,
            "cuts": {kind: list(cut) for kind, cut in clip_sets.CUTS.items()},
            "rendered_seeds": clip_sets.SEEDS, "rendered_every": clip_sets.STRIDE,
            "buffy_every": clip_sets.BUFFY_EVERY, "alpha_over_time": joint_learning.ALPHA_OVER_TIME,
            "learning": {"signs": stored.settings_given(joint_learning.SETTINGS),
                         "rendered": stored.settings_given(clip_sets.RENDERED)},
            "random_state": joint_learning.RANDOM_STATE,
            "joints_left": {name: list(left) for name, left in signs.joints_left().items()},
            "visible": signs.VISIBLE, "attribution": signs.ATTRIBUTION,
            "detectors": "as trained on Buffy and single pictures; none of the five persons",
            "wrist_error": "the thesis' model has no lower arms; nor has this one",
        },
        data=about | {"pose_signs": {"joints": reference.joints, "visibility": reference.visibility}},
        fold_rows=fold_rows, paper=PAPER, random_state=joint_learning.RANDOM_STATE,
    )  # fmt: skip


def kind_of(fold):
    """A key of `CLIPS`.

    >>> [kind_of(fold) for fold in ("signs, A", "signs, far apart, A", "rendered, 0", "buffy")]
    ['signs', 'signs, far apart', 'rendered', 'buffy']
    """
    return max((kind for kind in CLIPS if fold.startswith(kind)), key=len)


def measure_methods(
    fold: str, folder: str | Path, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """Results of every method on the clips of one of `FOLDS`, as in `joint_learning.measure_model`."""
    model, kind, which = stored.load_pose(folder), kind_of(fold), fold.split(", ")[-1]
    if kind in clip_sets.STEPS:
        return clip_sets.of_person(model, kind, which, work, quick)
    if kind == "rendered":
        return clip_sets.of_rendered(model, int(which), work, quick)
    return clip_sets.of_buffy(model, work, quick)


def _join_runs(parts):
    out = []
    for same in zip(*parts):
        pieces = [one for run in same for one in run["found"]]
        out.append({"method": same[0]["method"], "ties": same[0]["ties"], "found": pieces})
    return out


def rows_of(fold, made):
    """One row per method, see `follow.row`; learned ties are also compared with those they started from."""
    (single,) = (run["found"] for run in made if run["method"] == "single")
    by_run = {(run["method"], run["ties"]): run["found"] for run in made}
    kind, rows = kind_of(fold), []
    for (method, ties), pieces in by_run.items():
        row = {"data": kind.split(",")[0], "clips": CLIPS[kind], "method": method, "ties": ties}
        row |= follow.row(pieces, single)
        before = joint_learning.TIES[ties]
        if before:
            gain, error = follow.gain(pieces, by_run[method, before])
            row["elbow_gain_over_unlearned"] = follow.round_value(gain)
            row["elbow_gain_over_unlearned_stderr"] = follow.round_value(error)
        rows.append(row | {"wrist_error": None})
    return rows


def _times(pieces):
    """Medians over pieces: CPU milliseconds per frame, and the share of features and detectors in them."""
    detect = np.array([one["detect_ms"] for one in pieces])
    spent = detect + np.array([one["ms"] / len(one["frames"]) for one in pieces])
    return {
        "ms_per_frame": round(float(np.median(spent)), 3),
        "features_share": round(float(np.median(detect / spent)), 3),
    }

"""Thesis Fig. 5.5(a, b): an ensemble over time against single frames and the torso's persistence alone.

On the real test clips (4 frames, irregular gaps) and on dense rendered clips with exact truth. Errors are
standard errors over clips; the difference to single frames is taken clip by clip, which is what can tell
methods apart.
"""

import time

import numpy as np

from spcviz.problems.common.report import describe
from spcviz.problems.pose import body, cascade, data, live, models, render
from spcviz.problems.pose.tables import clip_error

SOURCE = "Weiss (2013), thesis, section 5.5.2 and Fig. 5.5(a, b)"
PAPER = {"order": "ensemble best for every joint; single frame better than torso only"}
FIRST_SEED, N_RENDERED, N_FRAMES = 1000, 12, 16
WITHIN_PX = 20.0


def reproduce_ensemble(folder, *, quick=False, tick=None):
    """Fig. 5.5(a, b).

    Parameters
    ----------
    folder : path
        Of the stored models.
    quick : bool
        Few clips: for a look.
    tick : callable, optional

    Returns
    -------
    dict
        As `report.describe`.

    Raises
    ------
    ArgumentError, StoreError
    """
    start = time.perf_counter()
    model = models.load_pose(folder)
    test = data.load_buffy(models.data_folder(), "test")
    numbers = np.unique(test.clips)[:: 8 if quick else 1]
    buffy = [test.chosen(test.clips == number) for number in numbers]
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_RENDERED))
    dense = [render.render_clip(seed, N_FRAMES) for seed in seeds]
    rows = []
    for name, clips in (("buffy, 4 frames", buffy), (f"rendered, {N_FRAMES} frames", dense)):
        measured = _measure(model, clips, name, tick)
        single = measured["single"]
        for method, found in measured.items():
            rows.append({"clips": name, "n_clips": len(clips), "method": method} | _row(found, single))
    return describe(
        "pose-ensemble", SOURCE, rows, baselines=[],
        settings={"first_seed": FIRST_SEED, "n_frames": N_FRAMES, "within_px": WITHIN_PX, "quick": quick,
                  "wrist_error": "the thesis' model has no lower arms; nor has this one"},
        data={"pose_buffy": {"limbs": test.limbs, "images": test.images}},
        seconds=time.perf_counter() - start, paper=PAPER,
    )  # fmt: skip


def _measure(model, clips, name, tick):
    """{method: [clip, what]}: elbow off, shoulder off, within 20 px, PCP 0.5, processor ms, of detectors."""
    found = {method: [] for method in cascade.SUB_MODELS}
    for number, clip in enumerate(clips):
        began = time.process_time()
        fine = list(cascade.detect(model, clip.images))
        detect = time.process_time() - began
        for method, rows in found.items():
            began = time.process_time()
            limbs = guesses(model, fine, method)
            spent = time.process_time() - began + detect
            rows.append((*_errors(limbs, clip.limbs), 1e3 * spent / len(fine), 1e3 * detect / len(fine)))
        if tick is not None:
            tick(f"{name}: clip {number + 1} of {len(clips)}")
    return {method: np.array(rows) for method, rows in found.items()}


def guesses(model, fine, method):
    """The best limb of every part and frame, (frames, P, 2, 2); single frames run one by one."""
    n = model.geometry.n_parts
    runs = [[one] for one in fine] if method == "single" else [fine]
    limbs = []
    for run in runs:
        levels = list(cascade.run_cascade(model, run, method))
        limbs += [live.top_limbs(levels[-1], v, v % n, 1)[0] for v in range(len(run) * n)]
    return np.array(limbs).reshape(len(fine), n, 2, 2)


def _errors(limbs, truth):
    """(elbow off, shoulder off, share of elbows within 20 px, PCP 0.5 of upper arms): means over a clip."""
    off = np.linalg.norm(limbs[:, 1:3] - truth[:, 1:3], axis=-1)
    right = body.is_correct(limbs[:, 1:3], truth[:, 1:3], 0.5)
    return off[..., 1].mean(), off[..., 0].mean(), (off[..., 1] <= WITHIN_PX).mean(), right.mean()


def _row(found, single):
    """Means and standard errors over clips; `..._gain` is single frames minus the method, clip by clip."""
    clips = np.arange(len(found))
    row = {
        "elbow_error": found[:, 0].mean(),
        "elbow_error_stderr": clip_error(found[:, 0], clips),
        "elbow_gain_over_single": (single[:, 0] - found[:, 0]).mean(),
        "elbow_gain_stderr": clip_error(single[:, 0] - found[:, 0], clips),
        "shoulder_error": found[:, 1].mean(),
        "elbow_within_20px": 100 * found[:, 2].mean(),
        "elbow_within_20px_stderr": clip_error(100 * found[:, 2], clips),
        "pcp50_upper_arms": 100 * found[:, 3].mean(),
        "pcp50_upper_arms_stderr": clip_error(100 * found[:, 3], clips),
        "ms_per_frame": np.median(found[:, 4]),
        "features_share": np.median(found[:, 5] / found[:, 4]),
    }
    return {key: round(float(value), 3) for key, value in row.items()} | {"wrist_error": None}

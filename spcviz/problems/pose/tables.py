"""Thesis Fig. 5.5(c) on Buffy Stickmen: what each level keeps, and how good the best guess is.

Two protocols over the same 276 test frames: "annotated" crops, whose window was set from the annotated head,
neck and hips, and "jittered" ones, moved by 10 pixels and scaled by 10 % (standard deviations), as unsure as
a detector's. Beside every number stands a mean pose that never looks at the picture. The truth survives a
level if a kept state lies within 25 % of the limb's length of both true ends; Definition 1's loss and the
loss of the exact cell are given apart.
"""

import time
from dataclasses import asdict

import numpy as np

from spcviz.problems.common.report import describe
from spcviz.problems.pose import body, cascade, detectors, live, models
from spcviz.problems.pose import data as pose_data
from spcviz.problems.pose import train as pose_train

SOURCE = "Weiss (2013), thesis, section 5.5.2 and Fig. 5.5(c)"
PAPER = {
    2: {"grid": "20x20x24", "oracle_pcp25_top4": 98.8, "efficiency": 87.5},
    4: {"grid": "40x40x24", "oracle_pcp25_top4": 93.8, "efficiency": 96.9},
    6: {"grid": "80x80x24", "oracle_pcp25_top4": 84.6, "efficiency": 99.2},
}
"""VideoPose: 17 test clips of three series, torso and upper arms; oracle PCP 0.25 in the top 4."""

JITTER_SEED = 276


def reproduce_cascade(folder, *, quick=False, tick=None):
    """Fig. 5.5(c).

    Parameters
    ----------
    folder : path
        Of the stored models.
    quick : bool
        Every eighth frame: for a look, not the figure.
    tick : callable, optional
        Called with a label for every ten frames.

    Returns
    -------
    dict
        As `report.describe`.

    Raises
    ------
    ArgumentError
        The data are not there.
    StoreError
        The model is not there.
    """
    start = time.perf_counter()
    data = models.data_folder()
    test = pose_data.load_buffy(data, "test")
    test = test.chosen(np.arange(0, len(test.clips), 8)) if quick else test
    train = pose_data.load_buffy(data, "train")
    learned = models.load_pose(folder)
    hand = models.load_pose(folder, models.HAND_SET)
    rows, baselines, dev_choice = [], [], []
    for protocol in ("annotated", "jittered"):
        rng = np.random.default_rng(JITTER_SEED)
        frames = test if protocol == "annotated" else pose_data.jittered(test, rng)
        n = learned.geometry.n_parts
        mean = detectors.augmented_limbs(train).mean(axis=0)[:n]
        said = {"method": "mean pose, picture not seen", "protocol": protocol}
        baselines.append(said | _pcp(np.tile(mean, (len(frames.clips), 1, 1, 1)), frames))
        measured = measure(learned, frames, tick=tick)
        rows += [{"method": "learned", "protocol": protocol} | row for row in measured]
    dev = pose_data.load_buffy(data, "dev")
    for name, model in (("learned", learned), ("hand-set weights", hand)):
        last = measure(model, dev if not quick else dev.chosen(np.arange(0, len(dev.clips), 8)), tick=tick)[
            -1
        ]
        dev_choice.append({"method": name, "protocol": "annotated, development frames"} | last)
    arms = models.load_pose(folder, models.ARMS)
    lower_arms = {"method": "learned, with lower arms", "protocol": "annotated"} | measure(
        arms, test, tick=tick
    )[-1]
    for row in rows:
        if row["protocol"] == "annotated" and row["level"] in PAPER:
            row["paper"] = PAPER[row["level"]]
    return describe(
        "pose-cascade", SOURCE, rows, baselines=baselines + dev_choice,
        settings={
            "n_parts": learned.geometry.n_parts, "method": "single frame", "jitter_px": pose_data.JITTER_PX,
            "jitter_scale": pose_data.JITTER_SCALE, "jitter_seed": JITTER_SEED, "n_frames": len(test.clips),
            "training": {name: asdict(settings) for name, (settings, _) in pose_train.SETTINGS.items()},
            "quick": quick,
            "top4": f"kept limbs at least {live.APART_PX:g} px or 30 degrees apart, by max-marginal",
        },
        data={"pose_buffy": {"limbs": test.limbs, "images": test.images}},
        seconds=time.perf_counter() - start, lower_arms=[lower_arms],
    )  # fmt: skip


def measure(model, frames, *, tick=None):
    """One row a level.

    Parameters
    ----------
    model : cascade.PoseModel
    frames : data.PoseClips
    tick : callable, optional

    Returns
    -------
    list of dict
        Shares in percent, "pcp50" and "pcp25" of the level's best guess; "..._stderr" over clips;
        "..._ms" is processor time, medians over frames.
    """
    n, parts = model.geometry.n_parts, range(model.geometry.n_parts)
    found = np.zeros((len(frames.clips), body.N_LEVELS, 5, n))
    best = np.zeros((body.N_LEVELS, len(frames.clips), n, 2, 2))
    seconds = np.zeros((len(frames.clips), 2))
    for f, image in enumerate(frames.images):
        began = time.process_time()
        fine = list(cascade.detect(model, [image]))
        seconds[f, 0] = time.process_time() - began
        levels = list(cascade.run_cascade(model, fine))
        seconds[f, 1] = time.process_time() - began - seconds[f, 0]
        for number, level in enumerate(levels):
            is_lost = _is_lost(model, fine, number, level, frames.limbs[f])
            for part in parts:
                found[f, number, :, part] = (*_survival(level, number, part, frames.limbs[f, part]), is_lost)
                best[number, f, part] = live.top_limbs(level, part, part, 1, number)[0]
        if tick is not None and f % 10 == 0:
            tick(f"frame {f + 1} of {len(frames.clips)}")
    rows = [
        _row(number, found[:, number], frames) | _pcp(best[number], frames) for number in range(body.N_LEVELS)
    ]
    detect, filtering = (round(1e3 * float(np.median(column)), 1) for column in seconds.T)
    rows[-1] |= {"detect_ms": detect, "cascade_ms": filtering}
    return rows


def _survival(level, number, part, truth):
    """(kept share, a kept state within PCP 0.25, one of the top 4, the exact cell kept)."""
    at = level.of(part)
    states = level.states[at][level.keep[at]]
    kept = len(states) / body.grid(number).n_states
    survives = body.is_correct(body.limbs_of(number, part, states), truth, 0.25).any()
    top = body.is_correct(live.top_limbs(level, part, part, number=number), truth, 0.25).any()
    return kept, survives, top, (states == body.nearest_states(number, truth)).any()


def _is_lost(model, fine, number, level, limbs):
    """Definition 1: the true labelling scores no more than the threshold."""
    states = body.nearest_states(number, limbs[: model.geometry.n_parts])
    start = np.arange(len(states) + 1)
    (truth,) = cascade.sub_models(model.geometry, fine, number, start, states, ("single",))
    return truth.max_marginals(model.weights["single"][number][0]).best <= level.threshold


def _row(number, found, frames):
    """Means over frames; `found` is ``[frame, what, part]``."""
    cells = body.grid(number)
    upper = found[:, :, :3]  # what the paper has: torso and upper arms
    kept = found[:, 0].mean(axis=0)
    last = body.grid(body.N_LEVELS - 1).n_states
    row = {
        "level": number,
        "grid": f"{cells.columns}x{cells.rows}x{body.N_ANGLES}",
        "efficiency": 100 * (1 - kept.mean()),
        "efficiency_of_final": 100 * (1 - kept.mean() * cells.n_states / last),
        "states_kept": float(kept.mean() * cells.n_states),
        "oracle_pcp25": 100 * upper[:, 1].mean(),
        "oracle_pcp25_stderr": clip_error(100 * upper[:, 1].mean(axis=1), frames.clips),
        "oracle_pcp25_by_part": _by_part(100 * found[:, 1].mean(axis=0)),
        "oracle_pcp25_top4": 100 * upper[:, 2].mean(),
        "oracle_pcp25_top4_stderr": clip_error(100 * upper[:, 2].mean(axis=1), frames.clips),
        "exact_cell_kept": 100 * upper[:, 3].mean(),
        "filter_loss_definition_1": 100 * found[:, 4, 0].mean(),
    }
    return {key: round(value, 2) if isinstance(value, float) else value for key, value in row.items()}


def _by_part(values):
    """{part: value}."""
    return {name: round(float(value), 2) for name, value in zip(body.PARTS, values)}


def _pcp(limbs, frames):
    """PCP of one guess a limb."""
    truth = frames.limbs[:, : limbs.shape[1]]
    half, quarter = (100 * body.is_correct(limbs, truth, share) for share in (0.5, 0.25))
    return {
        "pcp50": _by_part(half.mean(axis=0)),
        "pcp50_upper_arms": round(float(half[:, 1:3].mean()), 2),
        "pcp50_upper_arms_stderr": round(clip_error(half[:, 1:3].mean(axis=1), frames.clips), 2),
        "pcp25": _by_part(quarter.mean(axis=0)),
        "pcp25_mean": round(float(quarter[:, :3].mean()), 2),
    }


def clip_error(values, clips):
    """Standard error of a mean over frames whose clips are the independent units.

    Examples
    --------
    >>> clip_error(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    numbers, of = np.unique(clips, return_inverse=True)
    if len(numbers) < 2:
        return float("nan")
    sums = np.bincount(of, weights=np.asarray(values) - np.mean(values))
    return float(np.sqrt(len(numbers) / (len(numbers) - 1) * (sums**2).sum()) / len(clips))

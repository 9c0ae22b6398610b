"""Thesis Fig. 5.5(c) on Buffy Stickmen: the states each level keeps, and the accuracy of the best guess.

The 276 test frames are "annotated" (windows by head, neck and hips) or "jittered" by 10 pixels and 10 %
(standard deviations), as uncertain as a detector's, and compared with a mean pose that ignores the picture.
Thresholds are tuned on development frames under a tolerance, so the share pruned is a result. The trade-off
has other tolerances, by the true state or one within 25 % of the limb, and the sizes of the thesis' figure.
For losses see `measure`.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.pose import measure
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.model import detectors, stored
from spcviz.problems.pose.model import levels as pose_train
from spcviz.problems.pose.page import live as pose_live
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import load_or_compute, tree_of
from spcviz.shared.work.jobs import run_all

SOURCE = "Weiss (2013), thesis, section 5.5.2 and Fig. 5.5(c)"
PAPER = {  # VideoPose: 17 test clips of three series, torso and upper arms
    2: {"grid": "20x20x24", "oracle_pcp25_top4": 98.8, "efficiency": 87.5},
    4: {"grid": "40x40x24", "oracle_pcp25_top4": 93.8, "efficiency": 96.9},
    6: {"grid": "80x80x24", "oracle_pcp25_top4": 84.6, "efficiency": 99.2},
}
JITTER_SEED = 276
EPISODES = ("s5e2", "s5e5", "s5e6")  # test folds: frames of one episode
OWN = pose_train.SETTINGS[stored.NAME][0]
TRADE = (
    (OWN.tolerance, "score", None),
    (0.1, OWN.tolerance_kind, None),
    (None, None, pose_train.PoseSettings().n_kept),
)
"""(tolerance, its kind, size) of other thresholds: the model's tolerance counted as the thesis counts it, by
Definition 4; a larger one; 1200 states per limb, the thesis' shares at levels 2, 4 and 6."""
EVERY_LEVEL = (0, 2)  # entries of `TRADE` with rows for every level; the others have the last only
MODULES = ("experiments.pose.reproduce",)


def train(run: Run) -> Iterator[str]:
    """Train the pose models on Buffy's training episodes; yields a line for each that is stored."""
    dev = pose_data.load_buffy(stored.data_folder(), "dev")
    for name, (settings, methods) in pose_train.SETTINGS.items():
        if run.quick:
            settings = replace(settings, n_frames=32, n_clips=4, n_epochs=1, n_negatives=20)
        trained = pose_train.train(settings, methods, tick=run.tick)
        names = (name, stored.HAND_SET) if name == stored.NAME else (name,)
        for model_name, model in zip(names, trained):
            measured = measure.measure(model, dev.images, dev.limbs)
            last = measure.rows(measured, dev.limbs, dev.clips)[-1]
            how = {"metrics": {"development": last}, "name": model_name}
            path = stored.save_pose(run.models, model, settings, **how)
            yield (
                f"{path}: upper arms {last['pcp50_upper_arms']:.1f} % (PCP 0.5), survivors "
                f"{last['oracle_pcp25']:.1f} % at {last['efficiency']:.1f} % pruned, on development frames"
            )


def reproduce_cascade(run: Run) -> dict:
    """Fig. 5.5(c) on the first ``run.folds`` of `EPISODES`; quick: every eighth frame."""
    episodes, quick, folder, work = EPISODES[: run.folds], run.quick, str(run.models), str(run.work)
    test, moved = _protocols()
    (dev,) = run_all(run.executor, development, [("development", folder, work, quick)], run.tick)
    others = [row["alphas"] for row in dev["tuning"][1:]]
    jobs = [(episode, folder, others, work, quick) for episode in episodes]
    made = run_all(run.executor, episode_part, jobs, run.tick)
    frames = [_of_episode(test, episode, quick) for episode in episodes]
    mean = mean_pose()
    sets = {"annotated": test, "jittered": moved}
    folds_of = [_rows(runs, chosen, sets, mean, dev["tuning"]) for runs, chosen in zip(made, frames)]
    joined = {name: measure.join_measured([runs[name] for runs in made]) for name in made[0]}
    whole = _rows(joined, np.concatenate(frames), sets, mean, dev["tuning"])
    for row in whole["rows"]:
        if row["protocol"] == "annotated" and row["level"] in PAPER:  # whatever the tolerance counts
            row["paper"] = PAPER[row["level"]]
    return describe(
        "pose-cascade", SOURCE, whole["rows"], baselines=whole["baselines"] + dev["baselines"],
        settings={
            "n_parts": 3, "method": "single frame", "jitter_px": pose_data.JITTER_PX,
            "jitter_scale": pose_data.JITTER_SCALE, "jitter_seed": JITTER_SEED,
            "n_frames": sum(len(chosen) for chosen in frames),
            "training": {name: stored.settings_given(settings)
                         for name, (settings, _) in pose_train.SETTINGS.items()},
            "quick": quick, "n_development": dev["n_frames"],
            "top4": f"kept limbs at least {pose_live.APART_PX:g} px or 30 degrees apart, by max-marginal",
        },
        data={"pose_buffy": {"limbs": test.limbs, "images": test.images}},
        fold_rows=[
            {"fold": name, "rows": fold["rows"] + fold["trade"] + fold["lower_arms"]}
            for name, fold in zip(episodes, folds_of)
        ],
        lower_arms=whole["lower_arms"], trade=whole["trade"], tuning=dev["tuning"],
        random_state=stored.RANDOM_STATE,
    )  # fmt: skip


def mean_pose():
    """Mean limbs of Buffy's training frames and their mirrored pictures, (3, 2, 2)."""
    train = pose_data.load_buffy(stored.data_folder(), "train")
    return detectors.augmented_limbs(train).mean(axis=0)[:3]


def development(_label, folder, work=None, quick=False) -> dict:
    """Alphas of the model and of `TRADE`, each level's loss among the frames that reach it; baselines."""
    learned, hand = stored.load_pose(folder), stored.load_pose(folder, stored.HAND_SET)
    dev = pose_data.load_buffy(stored.data_folder(), "dev")
    dev = dev.pick(np.arange(0, len(dev.clips), 8)) if quick else dev
    key = {"models": [stored.digest_of(learned), stored.digest_of(hand)], "data": dev.digest()}
    return load_or_compute(work, "pose-cascade-dev", key, MODULES, lambda: _development(learned, hand, dev))


def _development(learned, hand, dev):
    fine, baselines = [], []
    for name, model in (("learned", learned), ("hand-set weights", hand)):  # they share detectors
        measured = measure.measure(model, dev.images, dev.limbs, fine)
        last = measure.rows(measured, dev.limbs, dev.clips)[-1]
        baselines.append({"method": name, "protocol": "annotated, development frames"} | last)
    tuning = []
    for tolerance, kind, size in ((OWN.tolerance, OWN.tolerance_kind, None), *TRADE):
        settings = replace(OWN, tolerance=tolerance, tolerance_kind=kind or "score")
        model = learned
        if tuning:
            problems = pose_train.clip_problems(fine, dev, 3, by_clip=False)
            rng = np.random.default_rng(stored.RANDOM_STATE)
            model = pose_train.train_method(learned, "single", [], problems, settings, rng, learn=False)
        problems = pose_train.clip_problems(fine, dev, 3, by_clip=False)
        losses = pose_train.losses(model, "single", problems, settings.tolerance_kind)
        alphas = model.alphas["single"].tolist()
        how = {"tolerance": tolerance, "tolerance_kind": kind, "n_kept": size}
        tuning.append(how | {"alphas": alphas, "losses": losses})
    return {"tuning": tuning, "baselines": baselines, "n_frames": len(dev.clips)}


def episode_part(
    episode: str,
    folder: str | Path,
    others: list[list[float]],
    work: str | Path | None = None,
    quick: bool = False,
) -> dict[str, measure.Measured]:
    """Every run, `others` under the alphas of `TRADE`, over the test frames of one of `EPISODES`."""
    learned, arms = stored.load_pose(folder), stored.load_pose(folder, stored.ARMS)
    test, moved = _protocols()
    key = {"episode": episode, "alphas": others, "quick": quick, "data": test.digest(),
           "models": [stored.digest_of(learned), stored.digest_of(arms)]}  # fmt: skip

    def make():
        frames, fine = _of_episode(test, episode, quick), []
        images, limbs = test.images[frames], test.limbs[frames]
        runs = {
            "annotated": measure.measure(learned, images, limbs, fine),
            "jittered": measure.measure(learned, moved.images[frames], moved.limbs[frames]),
            "lower arms": measure.measure(arms, images, limbs),
        }
        for number, alphas in enumerate(others):
            model = learned._replace(alphas=learned.alphas | {"single": np.array(alphas)})
            runs[f"trade {number}"] = measure.measure(model, images, limbs, fine)
        return runs

    return load_or_compute(work, f"pose-cascade-{episode}", key, MODULES, make, tree_of(measure.Measured))


def _protocols():
    """Test frames as annotated, and jittered."""
    test = pose_data.load_buffy(stored.data_folder(), "test")
    return test, pose_data.jitter_clips(test, np.random.default_rng(JITTER_SEED))


def _rows(runs, frames, sets, mean, tuning):
    """Rows of some test frames: ``rows``, ``baselines``, ``lower_arms``, ``trade``."""
    annotated = sets["annotated"].limbs[frames], sets["annotated"].clips[frames]
    out = {"rows": [], "baselines": []}
    for protocol, test in sets.items():
        limbs, clips = test.limbs[frames], test.clips[frames]
        about = {"method": "mean pose, picture not seen", "protocol": protocol}
        guess = np.tile(mean, (len(frames), 1, 1, 1))
        out["baselines"].append(about | measure.pcp(guess, limbs, clips))
        rows = measure.rows(runs[protocol], limbs, clips)
        labels = {"method": "learned", "protocol": protocol, "tolerance_kind": OWN.tolerance_kind}
        out["rows"] += [labels | row for row in rows]
    for number, (_, kind, size) in enumerate(TRADE):
        if number in EVERY_LEVEL:
            labels = {"method": "learned", "protocol": "annotated", "tolerance_kind": kind or "size"}
            labels |= {"n_kept": size} if size else {}
            out["rows"] += [labels | row for row in measure.rows(runs[f"trade {number}"], *annotated)]
    last = measure.rows(runs["lower arms"], *annotated)[-1]
    out["lower_arms"] = [{"method": "learned, with lower arms", "protocol": "annotated"} | last]
    names = ["annotated", *(f"trade {number}" for number in range(len(TRADE)))]
    out["trade"] = []
    for tuned, name in zip(tuning, names):
        row = {"protocol": "annotated"} | {
            key: tuned[key] for key in ("tolerance", "tolerance_kind", "n_kept")
        }
        out["trade"].append(row | measure.rows(runs[name], *annotated)[-1])
    return out


def _of_episode(test, episode, quick):
    frames = np.flatnonzero([name.startswith(episode) for name in test.names])
    return frames[::8] if quick else frames

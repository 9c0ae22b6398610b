"""The result pose-rules: the pose cascade's levels by two threshold rules, on Buffy's test frames.

The model is the shipped one, whose levels were learned for the thesis' rule. Each rule's thresholds of every
level come from development frames: to keep 1,200 states per limb, as in the caption of the thesis' figure, or
to lose a share of the frames that reach the level.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.pose import measure
from experiments.pose.reproduce import EPISODES, OWN, PAPER
from spcviz.problems.pose.data import body
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.model import levels, stored
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import load_or_compute, tree_of
from spcviz.shared.work.jobs import run_all

RULES = ("mean_max", "margin")
AGAINST = "mean_max"
WAYS = {"size": (None, "near"), "near 1 %": (0.01, "near"), "near 10 %": (0.1, "near")}
"""How thresholds are chosen -> (tolerance, what it counts); see `levels.PoseSettings`."""

N_DRAWS = 2000
MODULES = ("experiments.pose.measure", "spcviz.problems.pose.model.levels")


def reproduce(run: Run) -> dict:
    """Rows by way of tuning, rule and level; quick: every eighth frame."""
    episodes = EPISODES[: run.folds]
    (settings,) = run_all(
        run.executor, tune_settings, [("development", str(run.models), str(run.work), run.quick)]
    )
    run.tick("development frames")
    jobs = [(episode, str(run.models), settings, str(run.work), run.quick) for episode in episodes]
    made = run_all(run.executor, episode_part, jobs, run.tick)
    test = pose_data.load_buffy(stored.data_folder(), "test")
    frames = [frames_of(test, episode, run.quick) for episode in episodes]
    joined = {name: measure.join_measured([part[name] for part in made]) for name in made[0]}
    return describe(
        run.name,
        "Weiss (2013), thesis, section 5.5.2 and Fig. 5.5(c), by another threshold rule",
        rows_of(joined, test, np.concatenate(frames), settings),
        baselines=[],
        settings={
            "ways": {way: {"tolerance": tolerance} for way, (tolerance, _) in WAYS.items()},
            "n_kept": levels.PoseSettings().n_kept,
            "n_frames": sum(map(len, frames)),
            "draws_of_clips": N_DRAWS,
            "quick": run.quick,
            "random_state": stored.RANDOM_STATE,
            "chosen_on": "development frames of Buffy's training episodes",
        },
        data={"pose_buffy": {"limbs": test.limbs, "images": test.images}},
        fold_rows=[
            {"fold": name, "rows": rows_of(part, test, chosen, settings)}
            for name, part, chosen in zip(episodes, made, frames)
        ],
        missing=["Levels were not learned anew: the shipped ones were learned for the thesis' rule."],
    )  # fmt: skip


def tune_settings(
    _label: str, folder: str | Path, work: str | Path | None, quick: bool
) -> dict[str, list[float]]:
    """The setting of every level by way and rule ("size, margin") on development frames, stored in `work`."""
    model = stored.load_pose(folder)
    dev = pose_data.load_buffy(stored.data_folder(), "dev")
    dev = dev.pick(np.arange(0, len(dev.clips), 8)) if quick else dev

    def make():
        fine: list[np.ndarray] = []
        measure.measure(model, dev.images, dev.limbs, fine)
        out = {}
        for way, (tolerance, kind) in WAYS.items():
            for rule in RULES:
                how = replace(OWN, rule=rule, tolerance=tolerance, tolerance_kind=kind)
                problems = levels.clip_problems(fine, dev, 3, by_clip=False)
                rng = np.random.default_rng(stored.RANDOM_STATE)
                chosen = levels.train_method(model, "single", [], problems, how, rng, learn=False)
                out[f"{way}, {rule}"] = chosen.alphas["single"].tolist()
        return out

    key = {"model": stored.digest_of(model), "data": dev.digest(), "ways": WAYS, "rules": RULES}
    return load_or_compute(work, "pose-rules-dev", key, MODULES, make)


def episode_part(
    episode: str, folder: str | Path, settings: dict[str, list[float]], work: str | Path | None, quick: bool
) -> dict[str, measure.Measured]:
    """Every way and rule over the test frames of one of `EPISODES`, stored in `work`."""
    model = stored.load_pose(folder)
    test = pose_data.load_buffy(stored.data_folder(), "test")
    frames = frames_of(test, episode, quick)

    def make():
        fine: list[np.ndarray] = []
        out = {}
        for name, alphas in settings.items():
            mine = model._replace(alphas=model.alphas | {"single": np.array(alphas)})
            rule = name.rpartition(", ")[2]
            out[name] = measure.measure(mine, test.images[frames], test.limbs[frames], fine, rule=rule)
        return out

    key = {"model": stored.digest_of(model), "data": test.digest(), "frames": frames, "settings": settings}
    return load_or_compute(work, f"pose-rules-{episode}", key, MODULES, make, tree_of(measure.Measured))


def frames_of(test: pose_data.PoseClips, episode: str, quick: bool = False) -> np.ndarray:
    """Indices of the frames of an episode; `quick` takes every eighth."""
    frames = np.flatnonzero([name.startswith(episode) for name in test.names])
    return frames[::8] if quick else frames


def rows_of(
    runs: dict[str, measure.Measured],
    test: pose_data.PoseClips,
    frames: np.ndarray,
    settings: dict[str, list[float]],
) -> list[dict]:
    """One row per way, rule and level: `measure.rows`, and a comparison with the thesis' rule by clip."""
    limbs, clips = test.limbs[frames], test.clips[frames]
    rows = []
    for way, (tolerance, _) in WAYS.items():
        base = runs[f"{way}, {AGAINST}"].found
        for rule in RULES:
            name = f"{way}, {rule}"
            about = {
                "way": way,
                "rule": rule,
                "guarantee": None,
                "tolerance": tolerance,
                "frames": len(frames),
            }
            about |= {
                "trained_on": "Buffy's training episodes (shipped model)",
                "train_alpha": OWN.train_alpha,
            }
            for row in measure.rows(runs[name], limbs, clips):
                level = row["level"]
                row |= beside(runs[name].found[:, level], base[:, level], clips)
                row |= {"setting": settings[name][level]}
                if tolerance is None and level in PAPER:
                    row["paper"] = PAPER[level]
                rows.append(about | row)
    return rows


def beside(mine: np.ndarray, theirs: np.ndarray, clips: np.ndarray, n_draws: int = N_DRAWS) -> dict:
    """Ratio of states kept to another rule's, and gain in survivors, as [value, low, high] by draws of clips.

    `mine`, `theirs` : ndarray, shape (frames, 7, P), one level of `measure.Measured.found`. ``worst``: the
    largest share of a limb's grid that is kept in a frame, percent.
    """
    numbers, of = np.unique(clips, return_inverse=True)
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)), n_draws)
    weights = np.concatenate([np.ones((1, len(numbers))), drawn])

    def sums(values):
        return weights @ np.bincount(of, weights=values, minlength=len(numbers))

    n = sums(np.ones(len(clips)))
    kept_ratio = sums(mine[:, 0].mean(axis=1)) / sums(theirs[:, 0].mean(axis=1))
    upper = slice(0, body.PARTS.index("right upper arm") + 1)
    more = 100 * (sums(mine[:, 1, upper].mean(axis=1)) - sums(theirs[:, 1, upper].mean(axis=1))) / n
    return {
        "states_ratio": _with_ends(kept_ratio),
        "survivors_more": _with_ends(more),
        "worst": round(100 * float(mine[:, 0].max()), 2),
    }


def _with_ends(values):
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return [round(float(value), 4) for value in (values[0], low, high)]

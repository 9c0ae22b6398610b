"""The stored model, whose ties over time are set by hand, on rendered clips and on every third of Buffy's."""

from pathlib import Path

import numpy as np

from spcviz.problems.common.work.kept import kept
from spcviz.problems.pose.data import buffy, render
from spcviz.problems.pose.model import cascade, stored
from spcviz.problems.pose.paper import follow

FIRST_SEED, N_RENDERED, N_FRAMES = 1000, 6, 16
BUFFY_EVERY = 3  # of the test clips: under alphas of 0 over time a frame takes all methods a second
MODULES = ("spcviz.problems.pose.paper.hand_set",)


def of_set(
    model: cascade.PoseModel, kind: str, work: str | Path | None = None, quick: bool = False
) -> list[dict]:
    """What every method makes of the "rendered" or "buffy" clips, as `joint_signers.measured`."""
    key, clips = (_buffy if kind == "buffy" else _rendered)(quick)
    key |= {"kind": kind, "model": stored.digest_of(model)}
    return kept(work, f"pose-ensemble-{kind}", key, MODULES, lambda: _of(model, clips))


def _rendered(quick):
    """(what the clips depend on, (name, clip) pairs)."""
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_RENDERED))
    clips = ((str(seed), render.render_clip(seed, N_FRAMES)) for seed in seeds)
    return {"seeds": list(seeds), "n_frames": N_FRAMES}, clips


def _buffy(quick):
    test = buffy.load_buffy(stored.data_folder(), "test")
    numbers = np.unique(test.clips)[:: 9 if quick else BUFFY_EVERY]
    clips = ((str(number), test.chosen(test.clips == number)) for number in numbers)
    return {"data": test.digest(), "quick": quick}, clips


def _of(model, clips):
    found = {method: [] for method in cascade.SUB_MODELS}
    for name, clip in clips:
        fine, detect = follow.detected(model, clip.images)
        for method, rows in found.items():
            own = follow.follow(model, fine, clip.limbs, method)
            rows.append({"clip": name, "detect_ms": detect} | own)
    ties = dict.fromkeys(cascade.SUB_MODELS, "hand-set") | {"single": "none"}
    return [{"method": m, "ties": ties[m], "found": own} for m, own in found.items()]

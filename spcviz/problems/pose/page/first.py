"""What the Pose page opens with, computed beforehand: a signing clip, its pictures and all its levels.

`python -m spcviz train pose-first` writes it; the manifest names the model that it came from, and with
another model in its place it counts as missing.
"""

import numpy as np

from spcviz.problems.common.work.derived import made_with
from spcviz.problems.pose.data import signs
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import live, trace
from spcviz.problems.pose.page.shown import ClipTrace
from spcviz.store import load_value, save_value

NAME = "pose-first"
SIGN = "thanks"
"""A plain background, a hand to the face and away. Chosen by eye for what it shows, not by what is found."""


def train(run):
    """Work the first clip out; a command of `PROBLEM.trains`, yields a line."""
    model, scene = stored.load_pose(run.models), live.sign_scene(SIGN)
    runs, seconds = [], np.zeros(2)
    for image in scene.images:
        scores, detecting = live.scores_of(model, image)
        levels, filtering = trace.run_levels(model, [scores])
        runs.append(levels)
        seconds += detecting, filtering
        run.tick(f"frame {len(runs)} of {len(scene.images)}")
    clip = trace.clip_trace(scene, "single", trace.joined(runs), tuple(seconds.tolist()))
    yield f"{save(run.models, clip)}: {clip.n_frames} frames of “{SIGN}”"


def save(folder, clip):
    """Store a clip beside the model that it came from; returns the manifest's path."""
    now = made_with(folder, stored.NAME)
    return save_value(folder, NAME, clip, ClipTrace, made_from=now, data_digest=signs.SHIPPED_SHA256)


def load(folder) -> ClipTrace:
    """The stored clip.

    Raises `StoreError` if it is missing, damaged, or made with another model than the stored one.
    """
    return load_value(folder, NAME, ClipTrace, made_from=made_with(folder, stored.NAME))

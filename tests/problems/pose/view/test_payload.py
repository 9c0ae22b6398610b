"""The Pose page's message for a shipped clip stays within 3 MB, arms included."""

import numpy as np
import pytest

from spcviz.problems.arms.shown import PoseBudget
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import cached, live, trace
from spcviz.problems.pose.view import component
from spcviz.shared.folders import MODELS
from spcviz.web.view.mount import pack

MOST_BYTES = 3_000_000
LONGEST = ("walk", "book", "sister")
"""Shipped clips with the most frames."""


def arms_bytes(n_frames):
    n_steps = 6 * n_frames + 1
    arms = np.full((n_steps, n_frames, 2, 3, 2), 239.9)
    budget = PoseBudget(
        ("kinematics",) * 4, arms[:4], arms[0], np.ones(4), 1.0, 1.0, np.ones(n_steps),
        np.zeros((n_steps, n_frames, 2), dtype=np.int64), arms,
    )  # fmt: skip
    return len(pack(component.arms_part(budget)))


@pytest.mark.skipif(not cached.HAS_POSE, reason="no pose model stored: python -m spcviz train pose")
@pytest.mark.parametrize("name", LONGEST)
def test_a_shipped_clip_and_its_arms_take_less_than_3_megabytes(name):
    """Levels of one frame represent all: frames have about equally many states."""
    scene = cached.thin_scene(live.sign_scene(name), "single")
    middle, n = len(scene.images) // 2, len(scene.images)
    model = stored.load_pose(MODELS)
    levels, _ = trace.run_levels(model, [live.scores_of(model, scene.images[middle])[0]])
    makers = (component.level_part, component.codes_part, component.scores_part)
    one = sum(len(pack(make(level))) for level in levels for make in makers)
    whole = n * one + sum(map(len, scene.pictures)) + arms_bytes(n)
    print(name, n, whole)
    assert 1.25 * whole < MOST_BYTES
    assert len(levels) == body.N_LEVELS

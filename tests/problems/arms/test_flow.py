"""Flow by matching blocks against trying every step of every pixel by hand."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.problems.arms.model import features
from spcviz.problems.arms.model.features import match_blocks


def by_hand(before, after, reach, half, weight, cap):
    """The best of all steps, pixel by pixel; ties go to the shortest, then to the first of a row."""
    height, width = before.shape[:2]
    steps = [(x, y) for y in range(-reach, reach + 1) for x in range(-reach, reach + 1)]
    steps = sorted(
        (s for s in steps if s[0] ** 2 + s[1] ** 2 <= reach**2), key=lambda s: s[0] ** 2 + s[1] ** 2
    )

    def colour(picture, y, x):
        return picture[min(max(y, 0), height - 1), min(max(x, 0), width - 1)]

    def cost(y, x, step):
        total = 0
        for v in range(y - half, y + half + 1):
            for u in range(x - half, x + half + 1):
                v0, u0 = min(max(v, 0), height - 1), min(max(u, 0), width - 1)
                apart = np.abs(before[v0, u0] - colour(after, v0 + step[1], u0 + step[0])).sum()
                total += min(apart, cap)
        return total + weight * (2 * half + 1) ** 2 * np.hypot(*step)

    best = [[min(steps, key=lambda s: cost(y, x, s)) for x in range(width)] for y in range(height)]
    return np.array(best)


@pytest.mark.parametrize("seed", range(6))
def test_every_pixel_gets_the_best_step(seed):
    rng = np.random.default_rng(seed)
    before, after = rng.integers(0, 60, (2, 7, 9, 3))
    reach, half, cap = int(rng.integers(0, 4)), int(rng.integers(0, 3)), int(rng.integers(20, 120))
    weight = float(rng.choice([0.0, 0.7, 5.0]))
    want = by_hand(before, after, reach, half, weight, cap)
    assert (match_blocks(before, after, reach, half, weight, cap) == want).all()


def test_a_patch_that_moves_over_a_still_ground_is_followed():
    rng = np.random.default_rng(1)
    ground, patch = rng.integers(0, 256, (40, 40, 3)), rng.integers(0, 256, (12, 12, 3))
    before, after = ground.copy(), ground.copy()
    before[10:22, 8:20] = patch
    after[13:25, 14:26] = patch
    flow = match_blocks(before, after, reach=8, half=2)
    assert (flow[12:20, 10:18] == (6, 3)).all()
    assert (flow[30:, :] == 0).all()


def test_a_picture_that_stands_still_has_no_flow():
    picture = np.random.default_rng(0).integers(0, 256, (240, 240, 3)).astype(np.uint8)
    flow = features.flow_between(picture, picture)
    assert flow.steps.shape == (120, 80, 2)
    assert features.flow_between(picture, picture, 3).steps.shape == (80, 53, 2)
    assert not flow.steps.any()
    assert not flow.background.any()
    moved = np.roll(picture, (4, 6), axis=(0, 1))
    flow = features.flow_between(picture, moved)
    assert np.median(flow.steps.reshape(-1, 2), axis=0).tolist() == flow.background.tolist() == [6.0, 4.0]


def test_what_does_not_fit_is_named():
    two = np.zeros((4, 4, 3)), np.zeros((4, 5, 3))
    with pytest.raises(ShapeError, match="before has shape"):
        match_blocks(*two)
    with pytest.raises(ArgumentError, match="reach"):
        match_blocks(two[0], two[0], reach=-1)

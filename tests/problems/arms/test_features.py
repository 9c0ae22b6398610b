"""Features of arms: areas, superpixels against all subsets, flow on a picture that was moved."""

from itertools import combinations

import numpy as np
import pytest

from spcviz.problems.arms.model import features, modes
from spcviz.problems.pose.data import render

ARM = np.array([[[60.0, 100.0], [60.0, 140.0], [90.0, 140.0]]])


def test_points_cover_the_two_rectangles():
    points, area = features.points_of(ARM)
    assert area.sum() == pytest.approx(40 * 16 + 30 * 12)
    upper, lower = points[0, :48], points[0, 48:]
    assert (np.abs(upper[:, 0] - 60) < 8).all()
    assert ((upper[:, 1] > 100) & (upper[:, 1] < 140)).all()
    assert (np.abs(lower[:, 1] - 140) < 6).all()


def test_allowed_steps_come_from_the_nearest():
    rng = np.random.default_rng(0)
    now, before = rng.uniform(0, 240, (2, 32, 3, 2))
    chosen = features.nearest_before(now, before)
    apart = np.linalg.norm((now[:, None] - before[None]).reshape(32, 32, 6), axis=2)
    for k in range(32):
        assert sorted(apart[k, chosen[k]]) == pytest.approx(sorted(apart[k])[:5])
        assert (np.diff(apart[k, chosen[k]]) >= 0).all()


def test_kinematics_of_a_known_step():
    after = ARM.copy()
    after[0, 2] = [60.0, 170.0]  # the lower arm turns by a quarter: 90 degrees
    found = features.kinematics(after, ARM, np.array([[0]]))[0, 0]
    wrist = np.hypot(30, 30) / 20
    assert found == pytest.approx([0.0, 0.5, 0.0, wrist, 0.0, 1.0])


def test_chi_squared_is_symmetric_and_between_0_and_1():
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.full(8, 0.3), (2, 50))
    found = features.chi_squared(p, q)
    assert found == pytest.approx(features.chi_squared(q, p))
    assert ((found >= 0) & (found <= 1)).all()
    assert features.chi_squared(p, p) == pytest.approx(0.0)


def test_histograms_are_of_the_colours_under_the_arm():
    picture = np.zeros((240, 240, 3), np.uint8)
    picture[:, :75] = [255, 0, 0]
    found = features.colour_histograms(picture, features.points_of(ARM)[0])[0]
    assert found.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(found)) == {0, 3 * 16}
    assert found[48] == pytest.approx((48 + 24) / 96)


def test_overlap_is_the_best_of_all_sets_of_superpixels():
    rng = np.random.default_rng(2)
    segments = (
        rng.choice([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5], (15, 10)).repeat(16, axis=0).repeat(16, axis=1)
    )
    segments[100:120, 55:65] = 5  # a small one that fits among large ones that cover more
    points, area = features.points_of(ARM)
    inside = segments[points[0, :, 1].astype(int), points[0, :, 0].astype(int)]
    size = np.bincount(segments.ravel(), minlength=6)
    covered = np.minimum(np.bincount(inside, area[0], minlength=6), size)
    best = 0.0
    for n in range(1, 7):
        for chosen in combinations(range(6), n):
            common = covered[list(chosen)].sum()
            best = max(best, common / (area.sum() + size[list(chosen)].sum() - common))
    assert features.superpixel_overlap(segments, points, area)[0] == pytest.approx(best)


def test_an_arm_that_is_a_superpixel_overlaps_wholly_and_one_outside_does_not():
    segments = np.zeros((240, 160), int)
    points, area = features.points_of(np.array([[[60.0, 100.0], [60.0, 140.0], [60.0, 170.0]]]))
    segments[100:140, 52:68] = 1
    segments[140:170, 54:66] = 1
    assert features.superpixel_overlap(segments, points, area)[0] > 0.97
    assert features.superpixel_overlap(segments, points + 500.0, area)[0] == 0.0


def test_flow_moves_an_arm_with_the_picture():
    clip = render.render_clip(11, 1, occlusion=False)
    arms = modes.arms_of(clip.limbs)[0, :1]
    picture = clip.images[0]
    moved = np.roll(picture, (4, 6), axis=(0, 1))
    flow, background = features.flow_between(picture, moved)
    assert background == pytest.approx([6.0, 4.0], abs=1.0)
    shifted = arms + np.array([6.0, 4.0])
    found = features.flow_overlap(flow, background, arms, np.concatenate([shifted, arms]))
    assert found.shape == (1, 2, 2)
    assert found[0, 0, 0] > 0.8  # as it is: where the picture was
    assert found[0, 1, 1] > 0.8  # less the background: where it stands
    assert found[0, 0, 0] > found[0, 1, 0] + 0.1
    assert found[0, 1, 1] > found[0, 0, 1] + 0.1


def test_the_arm_that_moves_stands_out():
    flow = np.zeros((120, 80, 2))
    flow[:] = (2.0, 1.0)  # the camera
    flow[60:, :40] = (12.0, 1.0)  # what lies low and left moves 10 pixels more
    arms = np.array([
        [[100.0, 90.0], [60.0, 150.0], [40.0, 200.0]],  # its lower arm lies there
        [[100.0, 90.0], [120.0, 100.0], [140.0, 60.0]],
        [[110.0, 90.0], [130.0, 100.0], [140.0, 70.0]],
    ])  # fmt: skip
    found = features.motion(flow, np.array([2.0, 1.0]), arms)
    assert found.shape == (3, len(features.STATE_NAMES) - features.STATE_EDGES[2])
    lower = np.array([10.0, 0.0, 0.0])
    want = (lower - lower.mean()) / lower.std()
    assert found[:, 1] == pytest.approx(want)
    assert found[:, 2] == pytest.approx(want)
    still = features.motion(np.zeros((120, 80, 2)), np.zeros(2), arms)
    assert not still.any()
    shaking = np.random.default_rng(0).normal(0, 0.2, (120, 80, 2))
    assert np.abs(features.motion(shaking, np.zeros(2), arms)).max() < 0.5  # noise is not blown up


def test_scores_stand_against_the_best():
    found = features.standing(np.array([1.0, 6.0]))
    assert found[:, 0].tolist() == [-1.0, 0.0]
    assert found[:, 1] == pytest.approx([-1.0, 1.0])

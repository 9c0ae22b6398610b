"""Features of arms: areas, detectors at two resolutions, flow on a picture that was moved."""

from pathlib import Path

import numpy as np
import pytest

from spcviz.problems.arms.model import detectors, features, modes
from spcviz.problems.pose.data import render
from spcviz.problems.pose.model import body, cascade
from spcviz.problems.pose.model import features as pose_features
from spcviz.problems.pose.model.stored import ARMS, load_pose

MODELS = Path(__file__).parents[3] / "cache" / "models"
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


def test_histograms_are_of_the_colours_under_the_arm():
    picture = np.zeros((240, 240, 3), np.uint8)
    picture[:, :75] = [255, 0, 0]
    found = features.colour_histograms(picture, features.points_of(ARM)[0])[0]
    assert found.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(found)) == {0, 3 * 16}
    assert found[48] == pytest.approx((48 + 24) / 96)


@pytest.mark.parametrize("pitch", features.PITCHES.values())
def test_flow_moves_an_arm_with_the_picture(pitch):
    clip = render.render_clip(11, 1, occlusion=False)
    arms = modes.arms_of(clip.limbs)[0, :1]
    picture = clip.images[0]
    moved = np.roll(picture, (4, 6), axis=(0, 1))
    flow = features.flow_between(picture, moved, pitch)
    assert flow.background == pytest.approx([6.0, 4.0], abs=1.0)
    shifted = arms + np.array([6.0, 4.0])
    found = features.flow_overlap(flow, arms, np.concatenate([shifted, arms]))
    assert found.shape == (1, 2, 2)
    assert found[0, 0, 0] > 0.8  # as it is: where the picture was
    assert found[0, 1, 1] > 0.8  # less the background: where it stands
    assert found[0, 0, 0] > found[0, 1, 0] + 0.1
    assert found[0, 1, 1] > found[0, 0, 1] + 0.1


def test_the_arm_that_moves_stands_out():
    flow = np.zeros((120, 80, 2))
    camera = np.array([2.0, 1.0])
    flow[:] = camera
    flow[60:, :40] = (12.0, 1.0)  # what lies low and left moves 10 pixels more
    arms = np.array([
        [[100.0, 90.0], [60.0, 150.0], [40.0, 200.0]],  # its lower arm lies there
        [[100.0, 90.0], [120.0, 100.0], [140.0, 60.0]],
        [[110.0, 90.0], [130.0, 100.0], [140.0, 70.0]],
    ])  # fmt: skip
    found = features.motion(features.Flow(flow, camera, 2), arms)
    assert found.shape == (3, features.STATE_EDGES[3] - features.STATE_EDGES[2])
    lower = np.array([10.0, 0.0, 0.0])
    want = (lower - lower.mean()) / lower.std()
    assert found[:, 1] == pytest.approx(want)
    assert found[:, 2] == pytest.approx(want)
    still = features.motion(features.Flow(np.zeros((120, 80, 2)), np.zeros(2), 2), arms)
    assert not still.any()
    shaking = np.random.default_rng(0).normal(0, 0.2, (120, 80, 2))
    assert (
        np.abs(features.motion(features.Flow(shaking, np.zeros(2), 2), arms)).max() < 0.5
    )  # noise is not blown up


def test_scores_stand_against_the_best():
    found = features.standing(np.array([1.0, 6.0]))
    assert found[:, 0].tolist() == [-1.0, 0.0]
    assert found[:, 1] == pytest.approx([-1.0, 1.0])


def test_full_detectors_find_an_arm_s_best_cell_nearby():
    model, picture = load_pose(MODELS, ARMS), render.render_clip(4, 1).images[0]
    cells, grid = pose_features.histograms(picture), body.grid(6)
    everywhere = cascade.standardised(model, cells)
    joints = np.array([[[95.0, 100.0], [80.0, 150.0], [90.0, 180.0]], [[2.0, 2.0], [2.0, 1.0], [1.0, 1.0]]])
    found = detectors.fine_scores(model, cells, joints)
    for own, arm in zip(found, joints, strict=True):
        want = 0.0
        for limb, part in enumerate((1, 3)):
            angle, row, column = grid.unpacked(body.nearest_states(6, arm[limb : limb + 2]))
            near = everywhere[part, angle, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
            want += near.max()
        if arm[0, 0] > 10:
            assert own == pytest.approx(want, abs=1e-3)
        else:
            assert own >= want - 1e-3  # cells outside count too


def test_coarse_detectors_see_both_arms_of_a_mirrored_picture_the_other_way_round():
    model, picture = load_pose(MODELS, ARMS), render.render_clip(4, 1).images[0]
    seen, mirrored = (detectors.coarse_scores(model, own) for own in (picture, picture[:, ::-1]))
    assert seen.shape == (5, 24, 40, 40)
    assert not seen[0].any()
    right = modes.arm_scores(seen, 1)
    centre = model.centre[[2, 4]] - model.centre[[1, 3]], model.spread[[2, 4]] / model.spread[[1, 3]]
    for own, other, shift, times in zip(right, modes.arm_scores(mirrored, 0), *centre, strict=True):
        same = own * times + shift / model.spread[1]
        assert np.corrcoef(same.ravel(), other.ravel())[0, 1] > 0.97

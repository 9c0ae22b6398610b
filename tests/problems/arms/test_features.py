"""Features of arms: areas, detectors, flow on a picture that was moved.

Flow by matching blocks against trying every step of every pixel by hand.
"""

from pathlib import Path

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.problems.arms.model import arm_modes, features
from spcviz.problems.arms.model.features import match_blocks
from spcviz.problems.pose.data import body, render
from spcviz.problems.pose.model import cascade
from spcviz.problems.pose.model import features as pose_features
from spcviz.problems.pose.model.stored import ARMS, load_pose
from tests.problems.arms.everywhere import arm_scores

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
    kinematics = features.kinematics(after, ARM, np.array([[0]]))[0, 0]
    wrist = np.hypot(30, 30) / 20
    assert kinematics == pytest.approx([0.0, 0.5, 0.0, wrist, 0.0, 1.0])


def test_histograms_are_of_the_colours_under_the_arm():
    picture = np.zeros((240, 240, 3), np.uint8)
    picture[:, :75] = [255, 0, 0]
    histogram = features.colour_histograms(picture, features.points_of(ARM)[0])[0]
    assert histogram.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(histogram)) == {0, 3 * 16}
    assert histogram[48] == pytest.approx((48 + 24) / 96)


@pytest.mark.parametrize("pitch", features.PITCHES.values())
def test_flow_moves_an_arm_with_the_picture(pitch):
    clip = render.render_clip(11, 1, occlusion=False)
    arms = arm_modes.arms_of(clip.limbs)[0, :1]
    picture = clip.images[0]
    moved = np.roll(picture, (4, 6), axis=(0, 1))
    flow = features.flow_between(picture, moved, pitch)
    assert flow.background == pytest.approx([6.0, 4.0], abs=1.0)
    shifted = arms + np.array([6.0, 4.0])
    overlap = features.flow_overlap(flow, arms, np.concatenate([shifted, arms]))
    assert overlap.shape == (1, 2, 2)
    assert overlap[0, 0, 0] > 0.8  # total flow: the arm moved with the picture
    assert overlap[0, 1, 1] > 0.8  # without the background's flow: the arm in place
    assert overlap[0, 0, 0] > overlap[0, 1, 0] + 0.1
    assert overlap[0, 1, 1] > overlap[0, 0, 1] + 0.1


def test_the_arm_that_moves_stands_out():
    flow = np.zeros((120, 80, 2))
    camera = np.array([2.0, 1.0])
    flow[:] = camera
    flow[60:, :40] = (12.0, 1.0)  # the lower left moves 10 pixels more
    arms = np.array([
        [[100.0, 90.0], [60.0, 150.0], [40.0, 200.0]],  # its lower arm is there
        [[100.0, 90.0], [120.0, 100.0], [140.0, 60.0]],
        [[110.0, 90.0], [130.0, 100.0], [140.0, 70.0]],
    ])  # fmt: skip
    motion = features.motion(features.Flow(flow, camera, 2), arms)
    assert motion.shape == (3, features.STATE_EDGES[2] - features.STATE_EDGES[1])
    lower = np.array([10.0, 0.0, 0.0])
    want = (lower - lower.mean()) / lower.std()
    assert motion[:, 1] == pytest.approx(want)
    assert motion[:, 2] == pytest.approx(want)
    still = features.motion(features.Flow(np.zeros((120, 80, 2)), np.zeros(2), 2), arms)
    assert not still.any()
    shaking = np.random.default_rng(0).normal(0, 0.2, (120, 80, 2))
    assert (
        np.abs(features.motion(features.Flow(shaking, np.zeros(2), 2), arms)).max() < 0.5
    )  # noise is not amplified


def test_scores_stand_against_the_best():
    standing = features.standing(np.array([1.0, 6.0]))
    assert standing[:, 0].tolist() == [-1.0, 0.0]
    assert standing[:, 1] == pytest.approx([-1.0, 1.0])


@pytest.fixture(scope="module")
def seen():
    """The pose model, arms to search among, and a picture's cells."""
    rng = np.random.default_rng(0)
    arms = rng.uniform((80, 60), (140, 100), (60, 1, 2)) + np.array([[0, 0], [-20, 45], [10, 85]])
    fitted = arm_modes.fit_modes(arms + rng.normal(0, 15, arms.shape), np.arange(0, 61, 10), 4)
    cells = pose_features.histograms(render.render_clip(4, 1).images[0])
    return load_pose(MODELS, ARMS), arm_modes.search_tables(fitted), cells


def test_detectors_asked_only_where_arms_are_searched_propose_what_all_states_do(seen):
    model, search, cells = seen
    sparse = arm_modes.arm_detectors(model, search)
    assert sum(len(template.states) for template in sparse.templates) < 0.2 * 2 * body.grid(6).n_states
    everywhere = cascade.detect_standardised(model, cells)
    wanted = arm_modes.propose(search, *arm_scores(everywhere, 0))
    for proposed, want in zip(arm_modes.propose_arms(sparse, cells), wanted, strict=True):
        np.testing.assert_allclose(proposed, want, atol=1e-4)
    # Scores are those of the left arm, on another scale.
    mirrored = arm_modes.propose_arms(sparse, pose_features.mirror_cells(cells))
    there = arm_modes.propose(search, *arm_scores(everywhere, 1))
    assert np.corrcoef(mirrored[1], there[1])[0, 1] > 0.99
    assert (mirrored[0] == there[0]).mean() > 0.9


def test_sums_over_a_template_are_the_plain_ones_and_outside_counts_nothing(seen):
    model, search, cells = seen
    sparse = arm_modes.arm_detectors(model, search)
    template = sparse.templates[0]._replace(states=np.array([[0, 0, 0], [5, 79, 79], [23, 40, 3]]))
    framed = np.zeros((80 + 2 * sparse.margin, 80 + 2 * sparse.margin, 16), dtype=np.float32)
    framed[sparse.margin : -sparse.margin, sparse.margin : -sparse.margin, :14] = cells
    about = framed, template.points + sparse.margin, template.weights, template.states
    np.testing.assert_allclose(arm_modes._sums(*about), arm_modes._plain_sums(*about), rtol=1e-4)
    everywhere = cascade.detect_standardised(model, cells)[1]
    np.testing.assert_allclose(
        arm_modes.scores_at(template, cells, sparse.margin), everywhere[tuple(template.states.T)], atol=1e-4
    )


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

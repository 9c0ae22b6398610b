"""Modes and proposals: exact against enumeration, and mirrored correctly."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.problems.arms.model import arm_modes as pose_modes
from spcviz.problems.pose.data import body as pose
from spcviz.problems.pose.data import render
from tests.problems.arms.everywhere import arm_scores


@pytest.fixture(scope="module")
def clip():
    return render.render_clip(3, 40)


@pytest.fixture(scope="module")
def modes(clip):
    arms = pose_modes.arms_of(clip.limbs)
    return pose_modes.fit_modes(np.concatenate([arms[:, 0], arms[:, 1]]), [0, 40, 80], n_modes=4)


@pytest.fixture(scope="module")
def search(modes):
    return pose_modes.search_tables(modes)


def test_modes_are_shares_of_the_arms_commonest_first(modes):
    assert modes.share.sum() == pytest.approx(1.0)
    assert (np.diff(modes.share) <= 0).all()
    assert modes.follows.sum(axis=1) == pytest.approx(1.0)
    assert np.diag(modes.follows).min() > 0.25  # arms move little from frame to frame
    assert (modes.spread >= 4.0).all()


def test_no_transition_leads_from_one_clip_to_the_next():
    far = np.concatenate([np.full((5, 3, 2), 50.0), np.full((5, 3, 2), 150.0)])
    apart = pose_modes.fit_modes(far, [0, 5, 10], n_modes=2).follows
    together = pose_modes.fit_modes(far, [0, 10], n_modes=2).follows
    assert apart[0, 1] == pytest.approx(apart[1, 0])
    assert together[0, 1] > apart[0, 1] or together[1, 0] > apart[1, 0]


def test_a_right_arm_is_a_left_arm_in_a_mirror(clip):
    limbs = clip.limbs[:1]
    swapped = limbs[:, list(pose.MIRRORED)].copy()
    swapped[..., 0] = pose.SIDE - swapped[..., 0]
    one, other = pose_modes.arms_of(limbs)[0], pose_modes.arms_of(swapped)[0]
    assert one[0] == pytest.approx(other[1])
    assert one[1] == pytest.approx(other[0])


def test_scores_of_a_mirrored_arm_are_found_where_the_mirror_shows_it():
    fine = np.zeros((5, 24, 80, 80), dtype=np.float32)
    limb = np.array([[150.5, 100.2], [180.1, 130.9]])
    state = pose.nearest_states(6, limb)
    fine[2].ravel()[state] = 7.0
    upper, _ = arm_scores(fine, 1)
    assert upper.ravel()[pose.nearest_states(6, pose_modes.mirror_joints(limb))] == 7.0
    assert arm_scores(fine, 0)[0] is not upper


def test_proposals_are_the_best_of_all_arms_compared(search):
    rng = np.random.default_rng(0)
    upper, lower = rng.normal(size=(2, 24, 80, 80)).astype(np.float32)
    joints, score = pose_modes.propose(search, upper, lower)
    elbows = search.places[1]
    for m in range(len(joints)):
        best = -np.inf
        for e in range(elbows.shape[1]):
            above = (upper.ravel()[search.upper[m, e]] + search.upper_prior[m, e]).max()
            best = max(best, above + (lower.ravel()[search.lower[m, e]] + search.lower_prior[m, e]).max())
        assert score[m] == pytest.approx(best, abs=1e-5)
        ends = [np.flatnonzero((p[m] == joints[m, j]).all(axis=1)) for j, p in enumerate(search.places)]
        s, e, w = (int(matches[0]) for matches in ends)
        again = upper.ravel()[search.upper[m, e, s]] + search.upper_prior[m, e, s]
        again += lower.ravel()[search.lower[m, e, w]] + search.lower_prior[m, e, w]
        assert again == pytest.approx(best, abs=1e-5)


def test_states_of_the_search_are_the_limbs_between_its_places(search):
    for m, e, s in ((0, 0, 0), (1, 40, 24), (3, 80, 48)):
        limb = np.stack([search.places[0][m, s], search.places[1][m, e]])
        assert search.upper[m, e, s] == pose.nearest_states(6, limb)
    limb = np.stack([search.places[1][2, 7], search.places[2][2, 70]])
    assert search.lower[2, 7, 70] == pose.nearest_states(6, limb)


def test_a_strong_response_in_reach_of_a_mode_is_proposed(modes, search):
    upper, lower = np.zeros((2, 24, 80, 80), dtype=np.float32)
    upper.ravel()[search.upper[1, 30, 20]] = 50.0
    lower.ravel()[search.lower[1, 30, 60]] = 50.0
    joints, score = pose_modes.propose(search, upper, lower)
    assert score[1] > 80
    assert pose.nearest_states(6, joints[1, :2]) == search.upper[1, 30, 20]


@pytest.mark.parametrize(
    ("joints", "starts", "n_modes", "error"),
    [
        (np.full((3, 3, 2), np.nan), [0, 3], 2, ScoreError),
        (np.zeros((3, 3)), [0, 3], 2, ShapeError),
        (np.zeros((3, 3, 2)), [0, 2], 2, ArgumentError),
        (np.zeros((3, 3, 2)), [0, 3], 4, ArgumentError),
    ],
)
def test_bad_arms_are_named(joints, starts, n_modes, error):
    with pytest.raises((error, ShapeError), match=r"joints|starts|n_modes"):
        pose_modes.fit_modes(joints, starts, n_modes)


def test_poses_of_another_shape_are_named():
    with pytest.raises(ShapeError, match="limbs"):
        pose_modes.arms_of(np.zeros((2, 3, 2, 2)))

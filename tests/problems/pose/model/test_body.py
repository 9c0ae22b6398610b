"""A body's limb states, share of correct parts, geometry and features, against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body as pose
from spcviz.problems.pose.data import render
from spcviz.problems.pose.model import cascade, features


@pytest.mark.parametrize("level", range(6))
def test_children_tile_their_parent(level):
    rng = np.random.default_rng(level)
    states = np.sort(rng.choice(pose.grid(level).n_states, 50, replace=False))
    children = pose.children(level, states)
    assert len(np.unique(children)) == 100
    assert (np.diff(children) > 0).all()
    x, y, angle = pose.grid(level + 1).centres(children).T
    parents = set()
    for part in zip(x, y, angle):
        along = np.array([np.cos(part[2]), np.sin(part[2])])
        middle = np.array(part[:2])
        parents.add(int(pose.nearest_states(level, np.stack([middle - along, middle + along]))))
    assert parents == set(states.tolist())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 2**31))
def test_a_state_is_the_nearest_to_its_own_limb(level, part, seed):
    states = np.random.default_rng(seed).integers(0, pose.grid(level).n_states, 20)
    assert (pose.nearest_states(level, pose.limbs_of(level, part, states)) == states).all()


def test_a_mirrored_picture_gives_the_other_arm_mirrored_scores():
    """The right arm's detector sees what the left arm's sees in a mirror."""
    rng = np.random.default_rng(0)
    cells = rng.random((80, 80, 14)).astype(np.float32)
    detectors = {k: rng.normal(size=(len(features.sample_points(k)), 14)) for k in (0, 1, 3)}
    here = features.responses(cells, detectors)
    there = features.responses(features.mirror_cells(cells), detectors)
    turned = there[2][(12 - np.arange(24)) % 24][:, :, ::-1]  # angle a in a mirror is 180 degrees - a
    np.testing.assert_allclose(here[1], turned, atol=2e-3)


def test_channels_of_a_mirrored_picture_are_the_mirrored_channels():
    """Except for gradients at the edge of two bins, which integer pixels often produce."""
    picture = render.render_clip(5, 1).images[0]
    here, there = (features.histograms(image) for image in (picture, picture[:, ::-1]))
    gap = np.abs(there - features.mirror_cells(here))
    assert gap[..., :12].mean() < 0.3 * np.abs(there - here[:, ::-1])[..., :12].mean()
    np.testing.assert_allclose(gap[..., 12:], 0, atol=1e-5)


def test_colours_of_face_and_chest_are_found_elsewhere():
    picture = np.full((240, 240, 3), (20, 90, 40), np.uint8)
    picture[45:70, 105:135] = 225, 180, 150
    picture[85:140, 95:145] = 180, 20, 30
    picture[200:220, 20:40] = 225, 180, 150  # a hand
    picture[160:200, 200:230] = 180, 20, 30  # a sleeve
    face, chest = np.moveaxis(features.histograms(picture)[..., 12:], 2, 0)
    assert min(face[70, 10], chest[60, 72]) > 0.8
    assert max(face[60, 72], chest[70, 10]) < 0
    assert max(face[5, 5], chest[5, 5]) < -0.5


def test_pooling_keeps_the_best_of_each_cell():
    fine = np.random.default_rng(1).normal(size=(1, 24, 80, 80)).astype(np.float32)
    table = features.pool_scores(fine, 2)
    state = pose.grid(2).states_at(5, 3, 7)
    assert table[0, state] == fine[0, 5, 12:16, 28:32].max()
    assert (features.pool_scores(fine, 6)[0] == fine.ravel()).all()


def test_pictures_of_another_form_are_refused():
    with pytest.raises(ArgumentError, match="picture must be 240 x 240 x 3 bytes, got shape"):
        features.histograms(np.zeros((10, 10, 3), np.uint8))
    with pytest.raises(ArgumentError, match="of float64"):
        features.histograms(np.zeros((240, 240, 3)))


def test_geometry_prefers_the_bodies_it_was_fitted_to():
    clips = [render.render_clip(seed, 4) for seed in range(4)]
    limbs = np.concatenate([c.limbs for c in clips])
    fitted = cascade.fit_geometry(limbs, np.repeat(np.arange(4), 4), 5)
    assert (fitted.n_parts, len(fitted.joints.mean)) == (5, 9)
    assert (fitted.joints.weight > 0).all()
    np.testing.assert_allclose(np.exp(fitted.joints.table).sum(axis=1), 1.0)
    np.testing.assert_allclose(fitted.place_mean, limbs.mean(axis=(0, 2)))


def test_a_rendered_clip_is_a_function_of_its_seed():
    first, again, other = (render.render_clip(seed, 3) for seed in (9, 9, 10))
    assert (first.images == again.images).all()
    assert (first.limbs == again.limbs).all()
    assert (first.images != other.images).any()
    lengths = np.linalg.norm(first.limbs[:, :, 1] - first.limbs[:, :, 0], axis=-1)
    assert (lengths > 0.5 * np.array(pose.LENGTHS)).all()
    np.testing.assert_allclose(first.limbs[:, 3, 0], first.limbs[:, 1, 1])  # forearms begin at elbows
    np.testing.assert_allclose(first.limbs[:, 4, 0], first.limbs[:, 2, 1])


def test_the_rendered_arm_is_where_the_truth_says():
    """Along the true limb the picture has the sleeve's colour, not the background's."""
    clip = render.render_clip(2, 8, occlusion=False)
    assert not clip.is_hidden.any()
    moved = np.abs(np.diff(clip.limbs[:, :, 1], axis=0)).max()
    assert 0.2 < moved < 25  # dense: no limb jumps


@pytest.mark.parametrize("seed", [-1, 1.5, None, 2**32])
def test_bad_seeds_are_named(seed):
    with pytest.raises(ArgumentError, match="seed must be a whole number"):
        render.render_clip(seed, 2)

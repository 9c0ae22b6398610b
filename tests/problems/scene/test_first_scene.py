"""The picture that Scenes opens with: a tree is found while time is spent, before HIM has an answer."""

import hashlib

import numpy as np
import pytest

from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.page import cached, live
from spcviz.problems.scene.shown import CLASSES, LONGER
from spcviz.problems.scene.view.component import opening_share
from spcviz.shared.folders import CACHE

SKY, BUILDING, ROAD, TREE = (CLASSES.index(name) for name in ("Sky", "Building", "Road", "Tree"))
# Regions of the photograph, marked by hand: rows and columns of the picture as the predictors see it.
IS_SKY = np.s_[:62, :200]
IS_ROAD = np.s_[117:, :200]
IS_TREE = np.s_[20:75, 238:262]

needs_model = pytest.mark.skipif(not cached.HAS_SCENE, reason="no predictors: python -m spcviz train scene")


@pytest.fixture(scope="module")
def found():
    return cached.label_picture("road", 0)


@pytest.fixture(scope="module")
def computed():
    """The same picture, labelled now by the stored model."""
    return live.label(cached._model(), live.picture("road"), "", n_runs=1)


def share(labelled, labels, where, kind):
    return float((labels[labelled.atoms[where]] == kind).mean())


@needs_model
def test_sky_and_road_stay_right_and_the_building_beside_the_road_becomes_a_tree(computed):
    assert computed.atoms.shape == (156, 276)
    courses = computed.sim.labels
    assert min(share(computed, labels, IS_SKY, SKY) for labels in courses) > 0.96
    assert min(share(computed, labels, IS_ROAD, ROAD) for labels in courses) > 0.97
    trees = [share(computed, labels, IS_TREE, TREE) for labels in courses]
    assert trees[1] < 0.45
    assert share(computed, courses[1], IS_TREE, BUILDING) > 0.5
    assert min(trees[3:]) > 0.65
    assert trees[-1] > 0.9
    assert share(computed, computed.him.labels[0], IS_TREE, TREE) > 0.85


@needs_model
def test_more_pixels_are_as_in_the_inference_machine_s_answer_than_at_first(computed):
    last = computed.him.labels[0][computed.atoms]
    agrees = [float((labels[computed.atoms] == last).mean()) for labels in computed.sim.labels]
    assert min(agrees[3:]) > agrees[0] + 0.05


@needs_model
def test_the_page_opens_within_the_anytime_predictor_s_course_and_before_him(found):
    time = opening_share(found) * LONGER * max(found.sim.seconds[-1], found.him.seconds[0])
    step = int(np.searchsorted(found.sim.seconds, time, side="right")) - 1
    assert 3 <= step < len(found.sim.seconds) - 5
    assert time < found.him.seconds[0]
    assert share(found, found.sim.labels[step], IS_TREE, TREE) > 0.65
    assert cached.CHOSEN["road", 0] in found.credit
    assert "MIT" in found.credit


@needs_model
def test_what_is_stored_is_what_the_model_says(found, computed):
    for name in ("picture", "atoms"):
        np.testing.assert_array_equal(getattr(found, name), getattr(computed, name))
    np.testing.assert_array_equal(found.sim.labels, computed.sim.labels)
    np.testing.assert_array_equal(found.him.labels, computed.him.labels)


def test_the_photograph_ships_with_its_licence():
    assert hashlib.sha256(camvid.SHIPPED.read_bytes()).hexdigest() == camvid.SHIPPED_SHA256
    assert camvid.photograph().shape == (540, 960, 3)
    said = (camvid.SHIPPED.parent / "ATTRIBUTION.txt").read_text(encoding="utf-8")
    for needed in (camvid.SHIPPED.name, "udacity/CarND-LaneLines-P1", "Udacity, Inc.", "MIT", "Changes"):
        assert needed in said, needed
    assert "Copyright (c) 2016-2019 Udacity, Inc." in (camvid.SHIPPED.parent / "LICENSE.txt").read_text(
        "utf-8"
    )
    shipped = {path.name for path in (CACHE / "data" / "roads").iterdir()}
    assert shipped == {camvid.SHIPPED.name, "ATTRIBUTION.txt", "LICENSE.txt"}
    named = (CACHE / "models" / "LICENSES.md").read_text(encoding="utf-8")
    assert "`cache/data/roads`\n(MIT)" in named

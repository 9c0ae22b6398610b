"""The picture that the page Scenes at any time opens with, worked out anew by the stored predictors."""

import numpy as np
import pytest

from spcviz.problems.common.folders import MODELS
from spcviz.problems.scene.data import road
from spcviz.problems.scene.model import stored
from spcviz.problems.scene.page import first, live
from spcviz.problems.scene.page.shown import CLASSES

pytestmark = pytest.mark.skipif(
    not (MODELS / "scene-camvid.json").is_file(), reason="no predictors: python -m spcviz train scene"
)
OPENING_SPEND = 0.33
"""Of the page."""


@pytest.fixture(scope="module")
def found():
    return live.label(stored.load(MODELS), live.road(), "", 1)


def commonest(labels):
    return CLASSES[int(np.bincount(labels.ravel()).argmax())]


def test_the_photograph_ships_with_its_licence():
    folder = road.SHIPPED.parent
    assert road.photograph().shape == (540, 960, 3)
    assert (folder / "LICENSE.txt").read_text(encoding="utf-8").startswith("MIT License")
    said = (folder / "ATTRIBUTION.txt").read_text(encoding="utf-8")
    for part in (
        "https://github.com/udacity/CarND-LaneLines-P1",
        "Copyright (c) 2016-2019 Udacity",
        "Changes:",
    ):
        assert part in said
    assert road.SHIPPED.stat().st_size < 60_000


def test_what_is_stored_is_what_the_predictors_find(found):
    kept = first.load(MODELS)
    np.testing.assert_array_equal(kept.picture, found.picture)
    np.testing.assert_array_equal(kept.sim.labels, found.sim.labels)
    np.testing.assert_array_equal(kept.him.labels, found.him.labels)


def test_a_third_of_the_time_has_an_answer_of_the_anytime_predictor_and_none_of_the_other():
    kept = first.load(MODELS)
    now = OPENING_SPEND * 1.02 * float(kept.him.seconds[0])
    assert kept.him.seconds[0] > kept.sim.seconds[-1]  # the longer of both is the page's time
    step = int(np.searchsorted(kept.sim.seconds, now, side="right")) - 1
    assert 0 < step < len(kept.sim.seconds) - 1  # in the middle: playing shows more
    assert now < kept.him.seconds[0]
    sizes = np.bincount(kept.atoms.ravel())
    same = np.array([sizes[own == kept.him.labels[0]].sum() for own in kept.sim.labels]) / sizes.sum()
    assert same[step] > 0.8
    assert same[-1] > same[0]


def test_sky_road_and_trees_come_out_right(found):
    """The sky above, the road below and the trees at the right, by both predictors at the end."""
    for labels in (found.sim.labels[-1], found.him.labels[0]):
        picture = labels[found.atoms]
        tall, wide = picture.shape
        assert commonest(picture[: tall // 3]) == "Sky"
        assert commonest(picture[int(0.7 * tall) :]) == "Road"
        assert commonest(picture[int(0.33 * tall) : int(0.42 * tall), int(0.9 * wide) :]) == "Tree"

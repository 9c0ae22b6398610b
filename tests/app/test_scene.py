"""The page Scenes at any time through app.py: it comes up, and changes its picture."""

import pytest

from spcviz.problems.scene import live
from spcviz.problems.scene.shown import FIRST_SEED, TRADED
from spcviz.ui.cached import scene as cached
from tests.app.driver import open_page
from tests.app.test_budget import control

pytestmark = pytest.mark.skipif(not cached.HAS_SCENE, reason="no predictors: python -m spcviz train scene")


def test_first_visit_and_another_street():
    at = open_page("pages/budget/scene.py", kind="rendered", seed="9")
    assert not at.warning
    at.button[0].click().run()
    assert not at.exception
    found = at.query_params["seed"]
    assert (found[0] if isinstance(found, list) else found) == "10"


@pytest.mark.skipif(
    cached.first_street() is None, reason="no first street: python -m spcviz train scene-first"
)
def test_the_page_opens_with_the_stored_street():
    stored = cached.first_street()
    assert cached.course_of("rendered", FIRST_SEED) is stored
    fresh = live.rendered(FIRST_SEED)
    for name in ("picture", "truth"):
        assert (getattr(stored, name) == getattr(fresh, name)).all()
    assert stored.sim.accuracy[-1] > 75


def test_streets_share_a_budget_on_the_trade_off_page():
    at = open_page("pages/budget/trade_off.py", task="scene", size="12", vocabulary="ocr")
    assert control(at, "Which").value == "rendered"
    assert control(at, "Batch").value == 12
    assert any("not the anytime predictor" in caption.value for caption in at.caption)
    control(at, "Other pictures").click().run()
    assert not at.exception
    found = cached.traded("rendered", 12, 0)
    assert [method.name for method in found.methods] == list(TRADED)
    assert cached.traded("rendered", 12, 0) is found

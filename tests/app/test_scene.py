"""The page Scenes at any time through app.py: it comes up, and changes its picture."""

import pytest

from spcviz.problems.scene.page import cached, first, live
from spcviz.problems.scene.page.shown import FIRST_SEED, TRADED
from spcviz.web.cached import common
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


@pytest.fixture
def clone(monkeypatch):
    """A machine that has nothing but the repository."""
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    monkeypatch.setattr(cached, "TRADE", cached.TRADE._replace(kinds={"rendered": "rendered streets"}))
    for kept in (cached.camvid_names.clear, common.trade_tasks.cache_clear):
        kept()
    yield
    for kept in (cached.camvid_names.clear, common.trade_tasks.cache_clear):
        kept()


def test_a_link_to_a_camvid_picture_says_that_it_is_not_here_and_stays(clone):
    at = open_page("pages/budget/scene.py", kind="camvid", number="120")
    (note,) = at.info
    assert note.value.startswith("This link asks for a test picture of CamVid")
    assert "Shown instead: a rendered street." in note.value
    assert any(caption.value.startswith("Rendered street") for caption in at.caption)
    assert {"kind", "number"} <= set(at.query_params)
    assert not open_page("pages/budget/scene.py").info


def test_a_camvid_picture_is_shown_where_the_data_are(shared_data):
    cached.camvid_names.clear()
    at = open_page("pages/budget/scene.py", kind="camvid", number="120")
    assert not at.info
    assert at.number_input[0].value == 120


def test_a_link_to_a_batch_of_camvid_says_that_it_is_not_here_and_stays(clone):
    at = open_page("pages/budget/trade_off.py", task="scene", vocabulary="camvid")
    (note,) = at.info
    assert note.value.startswith("This link asks for CamVid's test pictures")
    assert control(at, "Which").value == "rendered"
    assert "vocabulary" in at.query_params
    assert not open_page("pages/budget/trade_off.py", task="scene", vocabulary="rendered").info


@pytest.mark.skipif(
    cached.stored_picture("road", 0) is None, reason="no first pictures: python -m spcviz train scene-first"
)
def test_the_page_opens_with_a_stored_picture():
    for picture in first.NAMES:
        stored = cached.stored_picture(*picture)
        assert cached.course_of(*picture) is stored
        assert (stored.picture == live.picture(*picture).picture).all()
    assert (stored.truth == live.rendered(FIRST_SEED).truth).all()
    assert stored.sim.accuracy[-1] > 75
    at = open_page("pages/budget/scene.py")
    assert any(caption.value.startswith("A road in California") for caption in at.caption)
    assert any("Chosen" in caption.value for caption in at.caption)


def test_links_made_before_show_the_street_and_the_temple():
    at = open_page("pages/budget/scene.py", spend="0.3")
    assert any(caption.value.startswith("Rendered street 5") for caption in at.caption)
    at = open_page("pages/budget/scene.py", kind="china")
    assert any(caption.value.startswith("A temple in China") for caption in at.caption)
    assert control(at, "Picture").value == "china"


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

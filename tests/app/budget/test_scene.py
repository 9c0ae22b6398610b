"""The page Scenes at any time through app.py: it opens, and changes its picture."""

import pytest

from spcviz.problems.budgets import task
from spcviz.problems.scene.page import cached, live, text
from spcviz.problems.scene.shown import FIRST_SEED, TRADED
from spcviz.problems.scene.view import component
from tests.app.budget.test_budget import control
from tests.app.driver import open_page, texts

pytestmark = pytest.mark.skipif(not cached.HAS_SCENE, reason="no predictors: python -m spcviz train scene")


def test_first_visit_and_another_street():
    at = open_page("pages/budget/scene.py", kind="rendered", seed="9")
    assert not at.warning
    at.button[0].click().run()
    assert not at.exception
    seed = at.query_params["seed"]
    assert (seed[0] if isinstance(seed, list) else seed) == "10"


@pytest.fixture
def shown(monkeypatch):
    """Arguments that the page passes to its view, one (data, view) for each run."""
    seen = []
    monkeypatch.setattr(
        component, "show_scene", lambda given, *, view, **_: seen.append((given[0], view)) or None
    )
    return seen


def test_the_bare_page_opens_with_the_road_before_the_rival_has_an_answer(shown):
    at = open_page("pages/budget/scene.py")
    sent, view = shown[-1]
    assert sent["identity"].startswith("road|")
    assert view["spend"] == component.opening_share(cached.label_picture("road", 0))
    assert any(cached.CHOSEN["road", 0] in caption.value for caption in at.caption)
    assert texts(at) == [text.INTRODUCTION]
    assert control(at, "Picture").options == [
        choice
        for choice in ("A photograph", "Rendered street", "CamVid test picture", "Your own", "Your camera")
        if choice != "CamVid test picture" or cached.camvid_names()
    ]


@pytest.mark.parametrize(
    ("params", "kind", "spend"),
    [
        ({"spend": "0.2"}, "road", 0.2),
        ({"kind": "rendered"}, "rendered", 0.55),
        ({"kind": "road"}, "road", 0.55),
        ({"kind": "china"}, "china", 0.55),
    ],
)
def test_a_link_shows_what_it_says(shown, params, kind, spend):
    at = open_page("pages/budget/scene.py", **params)
    sent, view = shown[-1]
    assert sent["identity"].startswith(f"{kind}|")
    assert view["spend"] == spend
    assert ("A temple" in control(at, "Picture").options) == (kind == "china")


@pytest.fixture
def clone(monkeypatch):
    """A machine that has nothing but the repository."""
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    monkeypatch.setattr(cached, "TRADE", cached.TRADE._replace(kinds={"rendered": "rendered streets"}))
    for kept in (cached.camvid_names.clear, task.trade_tasks.cache_clear):
        kept()
    yield
    for kept in (cached.camvid_names.clear, task.trade_tasks.cache_clear):
        kept()


def test_a_link_to_a_camvid_picture_says_that_it_is_not_here_and_stays(clone):
    at = open_page("pages/budget/scene.py", kind="camvid", number="120")
    (note,) = at.info
    assert note.value.startswith("This link asks for a test picture of CamVid")
    assert "Shown instead: the photograph that the page opens with." in note.value
    assert control(at, "Picture").value == "road"
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


def test_the_page_opens_with_the_stored_street(monkeypatch):
    monkeypatch.setattr(live, "label", None)  # nothing may be computed
    cached.label_picture.clear()
    stored = cached.label_picture("rendered", FIRST_SEED)
    fresh = live.render_scene(FIRST_SEED)
    for name in ("picture", "truth"):
        assert (getattr(stored, name) == getattr(fresh, name)).all()
    assert stored.sim.accuracy[-1] > 75
    assert cached.CHOSEN["rendered", FIRST_SEED] in stored.credit


def test_streets_share_a_budget_on_the_trade_off_page():
    at = open_page("pages/budget/trade_off.py", task="scene", size="12", vocabulary="ocr")
    assert control(at, "Which").value == "rendered"
    assert control(at, "Batch").value == 12
    assert any("not the anytime predictor" in caption.value for caption in at.caption)
    control(at, "Other pictures").click().run()
    assert not at.exception
    batch = cached.compare_batch("rendered", 12, 0)
    assert [method.name for method in batch.methods] == list(TRADED)
    assert cached.compare_batch("rendered", 12, 0) is batch

"""The budget pages through app.py: they open, survive any address, and draw what it asks for."""

import pytest

from spcviz.problems.budgets import evidence, facts, task
from spcviz.problems.budgets.spending import trade_off_table
from spcviz.web.cached import common
from tests.app.driver import open_page


def visit(page, **params):
    return open_page(f"pages/budget/{page}.py", **params)


def control(at, label):
    return next(
        widget
        for kind in ("button_group", "selectbox", "button")
        for widget in getattr(at, kind)
        if widget.label == label
    )


def test_the_trade_off_page_comes_up():
    at = visit("trade_off")
    assert "Trade-off" in at.markdown[0].value
    assert control(at, "Batch").value == 60
    assert any("dictionary" in caption.value for caption in at.caption)


def test_each_vocabulary_has_words_of_its_own():
    at = visit("trade_off", words="24", vocabulary="ocr")
    assert control(at, "Which").value == "ocr"
    control(at, "Which").set_value("open").run()
    assert not at.exception
    assert not [w for w in visit("trade_off", task="arms").button_group if w.label == "Which"]


def test_a_smaller_batch_and_other_words():
    at = visit("trade_off", words="24")
    assert control(at, "Batch").value == 24
    control(at, "Other words").click().run()
    assert at.query_params["seed"] == "1"
    assert not at.exception


def test_arms_have_controls_and_words_of_their_own():
    at = visit("trade_off", task="arms", clips="6", kind="us")
    assert control(at, "Batch").value == 6
    assert not [w for w in at.button_group if w.label == "Features computed by"]
    assert any("20 pixels" in caption.value for caption in at.caption)
    control(at, "Other clips").click().run()
    assert at.query_params["seed"] == "1"
    control(at, "Task").set_value("words").run()
    assert not at.exception
    assert "task" not in at.query_params
    assert control(at, "Batch").value == 60


@pytest.mark.parametrize("bad", ["abc", "-1", "9e99", "nan", "60.5", "🦊", "'; drop", ""])
def test_no_address_shows_a_traceback(bad):
    visit(
        "trade_off",
        words=bad,
        seed=bad,
        budget=bad,
        method=bad,
        kind=bad,
        picks=bad,
        mode=bad,
        extractor=bad,
        vocabulary=bad,
    )
    visit("trade_off", task="arms", clips=bad, chain=bad, frame=bad, seed=bad)
    visit("trade_off", task=bad)
    visit("policy", word=bad, q=bad, spend=bad, kind=bad, extractor=bad, vocabulary=bad)


def test_the_policy_page_opens_a_word():
    at = visit("policy", vocabulary="ocr", word="5218", q="0.5")
    assert control(at, "Word: type to search").value == 5218
    assert control(at, "Stop messages below q").value == 0.5
    control(at, "Words").set_value("open").run()
    assert not at.exception
    assert at.query_params["vocabulary"] in ("open", ["open"])
    assert control(at, "Word: type to search").value not in (5218, -1)


def test_controls_hide():
    at = visit("policy", controls="0")
    assert not at.selectbox


TASKS = task.trade_tasks()


def first_scene(name):
    """(state, evidence) of a task as a bare address opens it."""
    task = TASKS[name]
    state = trade_off_table(TASKS, lambda one: evidence.first_scene(TASKS[one])).parse({"task": name})
    state[task.size] = state[task.size] or next(iter(task.batches))
    if task.kinds and state["vocabulary"] not in task.kinds:
        state["vocabulary"] = next(iter(task.kinds))
    return state, task.evidence(state)


@pytest.mark.parametrize("name", list(TASKS))
def test_a_task_opens_where_stored_evidence_says_that_a_method_pays(name):
    state, known = first_scene(name)
    said = evidence.says(known, state["method"], state["budget"])
    most = evidence.best(known)
    if most is None:
        assert "no learned method is clearly ahead of the simplest rules" in said
        assert (state["method"], state["budget"]) == ("dms_pi", 0.1)
        return
    assert (state["method"], state["kind"]) == (most.method, known.kind)
    assert state["budget"] == pytest.approx(most.share, abs=5e-4)
    rivals = {gap.rival for gap in known.gaps if (gap.method, gap.share) == (most.method, most.share)}
    assert all(evidence.is_simple(rival) for rival in rivals)
    counted = facts.batch(TASKS[name].make(state), state)
    assert all(int(counted["wrong"]) < int(counted[f"wrong_{rival}"]) for rival in rivals)
    assert int(counted["wrong"]) < int(counted["start"])
    assert f"{most.fewer:.1f} fewer {known.wrong} in 100" in said
    assert f"95 %: {most.low:.1f} to {most.high:.1f}" in said


def test_methods_pay_on_words_and_sentences_and_not_on_arms_and_streets():
    assert {name for name in TASKS if evidence.best(first_scene(name)[1])} == {"words", "parsing"}


def test_another_task_opens_with_its_own_scene():
    at = visit("trade_off")
    control(at, "Task").set_value("parsing").run()
    assert not at.exception
    assert set(at.query_params) == {"task"}
    control(at, "Batch").set_value(20).run()
    method = set() if first_scene("parsing")[0]["method"] == "dms_pi" else {"method"}
    assert set(at.query_params) == {"task", "size", "budget"} | method  # it has left the scene, and says so


def test_a_damaged_result_leaves_the_page_with_its_defaults(monkeypatch):
    monkeypatch.setattr(common, "result", lambda name: {"rows": [{}]})
    common.stored_evidence.clear()
    at = visit("trade_off", words="24")
    assert control(at, "Batch").value == 24
    assert common.stored_evidence(lambda result: result["none"], ("parsing",)) is None
    common.stored_evidence.clear()


def test_only_the_word_that_the_policy_page_opens_with_was_chosen():
    for address, is_first in (
        ({}, True),
        ({"vocabulary": "dev", "word": "3"}, False),
        ({"spend": "0.2"}, True),  # a partial link keeps the page's own word
    ):
        captions = [caption.value for caption in visit("policy", **address).caption]
        assert any("was chosen" in caption for caption in captions) == is_first

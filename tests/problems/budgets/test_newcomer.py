"""A problem unknown to the code: one word in the list of problems, and a budget can be spent on it."""

import subprocess
import sys
from pathlib import Path

import pytest

import spcviz.problems
from spcviz.problems.budgets import facts
from spcviz.problems.budgets import task as every_task
from spcviz.problems.budgets.spending import trade_off_table
from spcviz.problems.budgets.view.component import TRADE_OFF, trade_off_payload
from spcviz.registry import PROBLEMS
from spcviz.web.view.mount import script
from tests.app.driver import open_page
from tests.node import needs_node

FOLDER = Path(__file__).parent


@pytest.fixture
def tasks(monkeypatch):
    """Tasks of the Trade-off page once ``toy`` is among the problems and in their list."""
    monkeypatch.setattr(spcviz.problems, "__path__", [*spcviz.problems.__path__, str(FOLDER)])
    monkeypatch.setattr(every_task, "PROBLEMS", (*PROBLEMS, "toy"))
    every_task.trade_tasks.cache_clear()
    yield every_task.trade_tasks()
    every_task.trade_tasks.cache_clear()
    for name in [name for name in sys.modules if name.startswith("spcviz.problems.toy")]:
        del sys.modules[name]
    del spcviz.problems.toy


def test_the_state_takes_its_names(tasks):
    assert list(tasks)[-1] == "toy"
    table = trade_off_table(tasks)
    state = table.parse({"task": "toy", "size": "40", "method": "least_sure"})
    assert (state["task"], state["size"], state["method"]) == ("toy", 40, "least_sure")
    assert table.encode(state) == {"task": "toy", "size": "40", "method": "least_sure"}


def test_the_payload_holds_what_it_draws_and_nothing_of_others(tasks):
    toy = tasks["toy"]
    batch = toy.make({"size": 20, "seed": 3})
    sent, parts = trade_off_payload(batch, "toy|20|3", toy, "said")
    assert sent == {"identity": "toy|20|3", "tier_colours": toy.colours, "evidence": "said"}
    assert set(parts) == {"batch", "drawn"}
    assert b"#0072B2" in parts["drawn"].content
    counted = facts.batch(batch, {"kind": "units", "budget": 1.0, "method": "least_sure"})
    assert int(counted["wrong"]) < int(counted["start"]) < int(counted["things"])


def test_one_method_alone_is_sent_and_packed_once(tasks):
    toy = tasks["toy"]
    batch = toy.make({"size": 20, "seed": 3})
    _, whole = trade_off_payload(batch, "toy", toy)
    for method in batch.methods:
        _, alone = trade_off_payload(batch, "toy", toy, only=(method.name,))
        others = [f'"name": "{one.name}"'.encode() for one in batch.methods if one is not method]
        assert f'"name": "{method.name}"'.encode() in alone["batch"].content
        assert not [name for name in others if name in alone["batch"].content]
        assert all(name in whole["batch"].content for name in others)
        assert trade_off_payload(batch, "toy", toy, only=(method.name,))[1]["batch"] is alone["batch"]


@needs_node
def test_its_javascript_joins_the_page_s(tmp_path):
    toy = str(FOLDER / "toy/view/trade_task.js")
    *others, last = TRADE_OFF.parts
    text = script([*others, toy, last])
    assert text.index("TASKS.toy =") < text.index("TASKS[data.task]")
    module = tmp_path / "joined.mjs"
    module.write_text(text)
    done = subprocess.run(["node", "--check", module], capture_output=True, text=True)
    assert not done.stderr  # "COLOURS has already been declared" if files shared their names


def test_the_page_opens_on_it(tasks):
    at = open_page("pages/budget/trade_off.py", task="toy")
    assert not at.exception
    chosen = {box.label: box.value for box in [*at.selectbox, *at.button_group]}
    assert (chosen["Task"], chosen["Batch"]) == ("toy", 20)
    assert any("nothing was learned" in caption.value for caption in at.caption)
    assert "colours in fog" in at.markdown[0].value

"""The address of the Trade-off page: links keep their meaning, and a bare one opens the task's scene."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.problems.budgets import task
from spcviz.problems.budgets.spending import SET_BY_BROWSER, looks_of, trade_off_table
from spcviz.problems.budgets.task import TaskChoice, TradeTask

SCENE = {"words": {"method": "greedy", "budget": 0.25}, "parsing": {"budget": 0.5, "kind": "us"}}
TABLE = trade_off_table(task.trade_tasks(), lambda task: SCENE.get(task, {}))
TODAY = {
    "vocabulary": "open", "words": 60, "clips": 12, "size": 0, "seed": 0, "extractor": "library",
    "budget": 0.1, "method": "dms_pi", "kind": "units", "mode": "policy", "picks": "", "scored": 0,
    "chain": 0, "frame": 0,
    "pin_a": "", "pin_b": "", "controls": 1, "day": "", "cuts": "",
}  # fmt: skip
"""Values that absent parameters have always meant."""
LINKS = {
    "words": ("24", 24), "clips": ("6", 6), "vocabulary": ("camvid", "camvid"), "size": ("20", 20),
    "extractor": ("fast", "fast"),
    "budget": ("0.1", 0.1), "method": ("uniform", "uniform"),
    "kind": ("us", "us"),
    "mode": ("hand", "hand"), "picks": ("2.b", "2.b"), "scored": ("1", 1), "chain": ("239", 239),
    "frame": ("299", 299), "pin_a": ("dms:0.1", "dms:0.1"), "seed": ("7", 7),
}  # fmt: skip


@pytest.mark.parametrize("task", ["words", "arms", "parsing", "scene"])
@pytest.mark.parametrize("name", list(LINKS))
def test_a_link_that_names_anything_means_what_it_always_meant(task, name):
    text, value = LINKS[name]
    assert TABLE.parse({"task": task, name: text}) == {"task": task} | TODAY | {name: value}


@pytest.mark.parametrize("task", ["words", "arms", "parsing", "scene"])
@pytest.mark.parametrize("more", [{}, {"controls": "0"}, {"tour": "x", "embed": "true"}])
def test_a_link_to_a_task_opens_its_scene(task, more):
    wanted = {"task": task} | TODAY | SCENE.get(task, {}) | {"controls": int(more.get("controls", 1))}
    assert TABLE.parse({"task": task} | more) == wanted
    assert TABLE.encode(wanted) == {
        name: value
        for name, value in ({"task": task} | more).items()
        if value != "words" and name in TABLE.fields
    }


@given(
    st.fixed_dictionaries(
        {"task": st.sampled_from(["words", "arms", "parsing", "scene"])},
        optional={name: st.sampled_from([text, "bad", ""]) for name, (text, _) in LINKS.items()},
    )
)
def test_an_address_that_is_written_says_what_was_read(params):
    state = TABLE.parse(params)
    assert TABLE.parse(TABLE.encode(state)) == state


def test_the_old_default_is_written_where_the_scene_is_another():
    state = {"task": "words"} | TODAY
    assert TABLE.encode(state) == {"budget": "0.1"}
    assert TABLE.parse(TABLE.encode(state)) == state
    assert TABLE.encode(state | {"task": "arms"}) == {"task": "arms"}


def task(**more):
    return TradeTask(
        label="Toys", asks="which?", free="nothing", examples="toys", batches={3: "3 toys"}, make=dict,
        identity=(), cost_help="", origin="", colours={}, **more,
    )  # fmt: skip


def test_a_task_brings_its_own_names():
    toy = task(
        size="toys", kinds={"red": "red"}, elsewhere={"blue": "not here"}, looks={"dot": 9},
        choices=(TaskChoice("by", "By", {"hand": "hand", "eye": "eye"}, ""),),
    )  # fmt: skip
    table = trade_off_table({"toy": toy})
    state = table.parse({"vocabulary": "blue", "dot": "9", "by": "eye", "toys": "3", "task": "words"})
    assert [state[name] for name in ("task", "vocabulary", "dot", "by", "toys")] == [
        "toy",
        "blue",
        9,
        "eye",
        3,
    ]
    assert table.parse({"dot": "10", "by": "ear", "toys": "4"})["by"] == "hand"
    assert looks_of({"toy": toy, "other": toy}) == ("dot",)
    assert set(SET_BY_BROWSER) <= set(table.fields)


def test_two_tasks_may_not_mean_different_things_by_a_name():
    other = task(looks={"dot": 3})
    with pytest.raises(ValueError, match="'dot' of task 'b' must be what it is of the others"):
        trade_off_table({"a": task(looks={"dot": 9}), "b": other})
    with pytest.raises(ValueError, match="'seed' of task 'a' must be a name of its own"):
        trade_off_table({"a": task(looks={"seed": 9})})

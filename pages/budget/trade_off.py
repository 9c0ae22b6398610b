"""Trade-off: one budget over a batch of words, clips, sentences or pictures, and what methods make of it."""

import numpy as np
import streamlit as st

from spcviz.problems.budgets import facts
from spcviz.problems.budgets import text as say
from spcviz.problems.budgets.view.component import VIEW_NAMES, show_trade_off, trade_off_payload
from spcviz.web.cached import common
from spcviz.web.touring import touring
from spcviz.web.ui import navigation
from spcviz.web.ui.layout import is_projected, segments, tied, use_the_room
from spcviz.web.ui.state import TRADE_OFF
from spcviz.web.view.mount import live_view

KEY = "trade_off"
TASKS = common.trade_tasks()
TABLE = TRADE_OFF.narrow(task=tuple(TASKS))
ANEW = {"picks": "", "scored": 0, "chain": 0, "frame": 0}


def from_browser():
    """The component's callback: what was set in the browser goes to the address."""
    view = live_view(KEY)
    if view:
        TABLE.write(**{name: view[name] for name in VIEW_NAMES})


def another():
    """Another batch, drawn by the next seed so that the address repeats it."""
    TABLE.write(seed=(TABLE.parse(st.query_params)["seed"] + 1) % 1_000_000, **ANEW)


def tie(name, state, **forget):
    return tied(TABLE, "trade_off", name, state, **forget)


def pick(state, task):
    """The row of choices: task, batch and cost."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(TASKS) > 1:
            labels = {name: own.label for name, own in TASKS.items()}
            segments("Task", labels, tie("task", state, **ANEW), say.TASK_HELP)
        if task.kinds:
            segments("Which", task.kinds, tie("vocabulary", state, **ANEW), task.kinds_help)
        segments("Batch", task.batches, tie(task.size, state, **ANEW))
        st.button(
            f"Other {task.examples}",
            on_click=another,
            icon=":material/casino:",
            help="The seed in the address repeats them.",
        )
        segments("Cost", {"units": "units", "us": "measured time"}, tie("kind", state), task.cost_help)
        if "extractor" in task.identity:
            segments(
                "Features computed by",
                say.EXTRACTORS,
                tie("extractor", state, picks="", scored=0),
                say.EXTRACTORS_HELP,
            )


def current():
    """(the page's state, its task)."""
    state = TABLE.read()
    task = TASKS[state["task"]]
    if state[task.size] not in task.batches:
        state[task.size] = next(iter(task.batches))
    if task.kinds and state["vocabulary"] not in task.kinds:
        state["vocabulary"] = next(iter(task.kinds))
    return state, task


@st.fragment
@common.tells_of_damage
def trade_off():
    """The choices and the picture."""
    state, task = current()
    asked = st.query_params.get("vocabulary")
    if asked != state["vocabulary"] and asked in (task.elsewhere or {}):
        st.info(task.elsewhere[asked], icon=":material/link_off:")
    if state["controls"]:
        pick(state, task)
    picture()
    if not is_projected():
        st.caption(task.origin)


@st.fragment
@common.tells_of_damage
def picture():
    """One cached call, then the component: a fragment of its own, rerun when the budget is let go of."""
    state, task = current()
    identity = "|".join([state["task"], *(str(state[name]) for name in task.identity)])
    batch = task.make(state)
    touring.offer(facts.batch, batch, state)
    payload = trade_off_payload(batch, identity)
    shown = show_trade_off(payload, key=KEY, view=state, on_change=from_browser, on_open=lambda: None)
    if shown.get("open") and task.opens:
        page, query = task.opens(int(np.clip(shown["open"]["chain"], 0, 10_000_000)), state)
        st.switch_page(navigation.file_of(page), query_params=query)


use_the_room()
if not is_projected():
    st.markdown(say.TRADE_OFF)
trade_off()

"""Trade-off: one budget over a batch of words or of arms on video, and what every method makes of it."""

import numpy as np
import streamlit as st

from spcviz.components.common.mount import live_view
from spcviz.components.trade.component import VIEW_NAMES, show_trade_off, trade_off_payload
from spcviz.figures.budgets import text as say
from spcviz.ui.cached import arms, common
from spcviz.ui.cached import words as cached
from spcviz.ui.layout import is_projected, segments, tied, use_the_room
from spcviz.ui.state import TRADE_OFF

KEY = "trade_off"
BATCHES = {
    "words": {24: "24 words", 60: "60 words", 120: "120 words"},
    "arms": {6: "6 clips", 12: "12 clips"},
}
SIZES = {"words": "words", "arms": "clips"}
TASKS = {"words": "Words", "arms": "Arms on video"} if arms.HAS_ARMS else {"words": "Words"}
TABLE = TRADE_OFF.narrow(task=tuple(TASKS))
ANEW = {"picks": "", "scored": 0, "chain": 0, "frame": 0}


def from_browser():
    """The component's callback: what was set in the browser goes to the address."""
    view = live_view(KEY)
    if view:
        changes = {name: view[name] for name in VIEW_NAMES if name != "budget"}
        TABLE.write(**changes, budget=float(view["budget"]))


def another():
    """Another batch, drawn by the next seed so that the address repeats it."""
    TABLE.write(seed=(TABLE.parse(st.query_params)["seed"] + 1) % 1_000_000, **ANEW)


def tie(name, state, **forget):
    return tied(TABLE, "trade_off", name, state, **forget)


def pick(state):
    """The row of choices: task, batch and cost."""
    task = state["task"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(TASKS) > 1:
            segments("Task", TASKS, tie("task", state, **ANEW), say.TASK_HELP)
        segments("Batch", BATCHES[task], tie(SIZES[task], state, **ANEW))
        st.button(
            f"Other {SIZES[task]}",
            on_click=another,
            icon=":material/casino:",
            help="The seed in the address repeats them.",
        )
        segments("Cost", {"units": "units", "us": "measured time"}, tie("kind", state), say.COST_HELP[task])
        if task == "words":
            segments(
                "Features computed by",
                say.EXTRACTORS,
                tie("extractor", state, picks="", scored=0),
                say.EXTRACTORS_HELP,
            )


@st.fragment
def trade_off():
    """The choices and the picture."""
    state = TABLE.read()
    if state["controls"]:
        pick(state)
    if state["task"] == "arms":
        found = arms.trade_arms(state["clips"], state["seed"])
        identity = f"arms|{state['clips']}|{state['seed']}"
    else:
        found = cached.trade_off(state["words"], state["seed"], state["extractor"])
        identity = f"{state['words']}|{state['seed']}|{state['extractor']}"
    shown = show_trade_off(
        trade_off_payload(found, identity), key=KEY, view=state, on_change=from_browser, on_open=lambda: None
    )
    if shown.get("open"):
        word = int(np.clip(shown["open"]["chain"], 0, 10_000_000))
        st.switch_page("pages/budget/policy.py", query_params={"word": str(word)})
    if not is_projected():
        st.caption(say.ORIGIN if state["task"] == "words" else say.ARMS_ORIGIN)


use_the_room()
if not is_projected():
    st.markdown(say.TRADE_OFF)
try:
    trade_off()
except common.StoreError as error:
    st.error(str(error))

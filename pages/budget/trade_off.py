"""Trade-off: one budget over a batch of words, and what every method makes of it."""

import numpy as np
import streamlit as st

from spcviz.components.mount import live_view
from spcviz.components.trade_off import VIEW_NAMES, show_trade_off, trade_off_payload
from spcviz.figures.budget_pages_text import EXTRACTORS, EXTRACTORS_HELP, ORIGIN
from spcviz.ui import cached
from spcviz.ui.layout import is_projected, segments, tied, use_the_room
from spcviz.ui.state import TRADE_OFF

KEY = "trade_off"
BATCHES = {24: "24 words", 60: "60 words", 120: "120 words"}


def from_browser():
    """The component's callback: what was set in the browser goes to the address."""
    view = live_view(KEY)
    if view:
        TRADE_OFF.write(
            **{name: view[name] for name in VIEW_NAMES if name != "budget"}, budget=float(view["budget"])
        )


def another():
    """Other words, drawn by the next seed so that the address repeats them."""
    TRADE_OFF.write(seed=(TRADE_OFF.parse(st.query_params)["seed"] + 1) % 1_000_000, picks="", scored=0)


def pick(state):
    """The row of choices: batch and cost."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        segments("Batch", BATCHES, tied(TRADE_OFF, "trade_off", "words", state, picks="", scored=0))
        st.button(
            "Other words",
            on_click=another,
            icon=":material/casino:",
            help="The seed in the address repeats them.",
        )
        segments(
            "Cost",
            {"units": "units", "us": "measured time"},
            tied(TRADE_OFF, "trade_off", "kind", state),
            help="Units: 1 lifts one letter by one tier, from pixels to coarse to fine edges. Measured: "
            "features, inference and the method itself.",
        )
        segments(
            "Features computed by",
            EXTRACTORS,
            tied(TRADE_OFF, "trade_off", "extractor", state, picks="", scored=0),
            EXTRACTORS_HELP,
        )


@st.fragment
def trade_off():
    """The choices and the picture."""
    state = TRADE_OFF.read()
    if state["controls"]:
        pick(state)
    found = cached.trade_off(state["words"], state["seed"], state["extractor"])
    identity = f"{state['words']}|{state['seed']}|{state['extractor']}"
    shown = show_trade_off(
        trade_off_payload(found, identity), key=KEY, view=state, on_change=from_browser, on_open=lambda: None
    )
    if shown.get("open"):
        word = int(np.clip(shown["open"]["word"], 0, 10_000_000))
        st.switch_page("pages/budget/policy.py", query_params={"word": str(word)})


use_the_room()
if not is_projected():
    st.markdown(
        "#### Trade-off: spend a budget where it helps\n"
        "Looking closer costs time. Every word is first read from its bare **pixels**, which are free; then "
        "a method may buy **edge directions** (coarse, then fine) for some words or letters. Move the budget."
    )
try:
    trade_off()
except cached.StoreError as error:
    st.error(str(error))
if not is_projected():
    st.caption(ORIGIN)

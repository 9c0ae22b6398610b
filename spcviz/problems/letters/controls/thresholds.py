"""Controls of the page Sweep: its state, the quantity that is plotted, the loss that is allowed."""

import streamlit as st

from spcviz.problems.letters.page import cached, sweep
from spcviz.problems.letters.page import sweep_text as say
from spcviz.web.figures.filter_curves import grams
from spcviz.web.ui import layout
from spcviz.web.ui.state import LOWEST_ALPHA, MAX_ORDER, PIN, StateTable, choice, flag, real, text, whole

SHOWS = {
    "curves": "One filter, every α",
    "rules": "Mean and best, or a margin",
    "filters": "Three filters compared",
    "bound": "What theory promises",
}
SPLITS = {"test": "test words", "dev": "development words"}
ZOOMS = {"low": "low losses", "all": "all"}
TOLERANCES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
MARGINS = (0.01, 0.1, 1.0, 10.0)
MODELS = (1, 2, 3, 6, 22)  # sub-models of an ensemble: three limbs, the combs of grids of 3 and 11 a side
TABLE = StateTable(
    choice("show", "curves", SHOWS),
    text("features", "open", r"[a-z0-9_]{1,24}"),
    whole("level", 2, 1, MAX_ORDER),
    real("tol", None, 0.0, 100.0),  # percent; absent: what training allowed at this level
    choice("by", "event", say.LOSSES),
    choice("promise", "tuned", say.PROMISES),
    real("alpha", None, LOWEST_ALPHA, 1.0),
    real("margin", 1.0, 0.001, 1000.0),
    whole("models", 3, 1, 22, MODELS),
    choice("split", "test", SPLITS),
    choice("zoom", "low", ZOOMS),
    text("pin_a", "", PIN),
    text("pin_b", "", PIN),
    flag("controls", True),
)
# Notes next to the closed box about what is set in it.
SAID = {
    "features": lambda name: cached.LETTERS_FEATURES.get(name, name),
    "margin": "margin {:g} ×".format,
    "models": "{} sub-models".format,
    "by": lambda name: f"lost: {say.LOSSES[name]}",
    "promise": lambda name: f"promised: {say.PROMISES[name]}",
    "split": SPLITS.get,
    "zoom": lambda _: "all losses",
}


def show(state: dict):
    """The row of choices that matter for the current view. Returns the box of those that few need."""
    view, names = state["show"], cached.LETTERS_FEATURES

    def tie(name, **forget):
        return layout.bind(TABLE, "sweep", name, state, **forget)

    with layout.choices():
        st.selectbox("Show", list(SHOWS), format_func=SHOWS.get, width=240, **tie("show"))
        if view != "filters":
            levels = {n: f"{n}: {grams(n)}" for n in range(1, MAX_ORDER + 1)}
            of = {"format_func": levels.get, "width": 190, "help": say.HELP["level"]}
            st.selectbox("Level", list(levels), **of, **tie("level", alpha=None))
        values = {*TOLERANCES, state["tol"]}
        _slide(
            "True words we may lose",
            values,
            "{:g} %",
            tie("tol", alpha=None),
            say.HELP["tol"],
        )
        box = layout.more(TABLE, state, SAID)
    with box:
        if len(names) > 1:
            st.selectbox("What it sees", names, format_func=names.get, **tie("features", alpha=None))
        if view == "bound":
            _slide("Margin γ", {*MARGINS, state["margin"]}, "{:g} ×", tie("margin"), say.HELP["margin"])
            layout.segments("Sub-models P", {n: str(n) for n in MODELS}, tie("models"), sweep.HELP_ON_PARTS)
        if view in ("curves", "bound"):
            help_text = say.PROMISE_HELP
            layout.segments("The loss is kept", say.PROMISES, tie("promise", alpha=None), help_text)
        if view == "curves":
            layout.segments("A word counts as lost", say.LOSSES, tie("by", alpha=None), say.HELP["by"])
        if view == "filters":
            layout.segments("Measured on", SPLITS, tie("split"))
        if view != "bound":
            layout.segments("Zoom", ZOOMS, tie("zoom"))
    return box


def _slide(label, values, form, tie, meaning):
    """A slider over a few numbers, including the address's; without a label its value is cut off."""
    tie["label_visibility"] = "visible"
    st.select_slider(label, sorted(values), format_func=form.format, width=270, help=meaning, **tie)

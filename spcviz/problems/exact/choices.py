"""Controls of the page Exact inference: its state, word, sliders, set of letters, step."""

import streamlit as st

from spcviz.problems.exact.page import cached
from spcviz.problems.exact.page import text as say
from spcviz.problems.exact.page.charts import PLACES
from spcviz.web.course import questions
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable, choice, flag, real, text, whole

SHOWS = {
    "search": "Brute force or dynamic programming",
    "ink": "QU or QV?",
    "tables": "Decompositions",
    "messages": "Message by message",
    "tree": "On a tree",
    "merge": "Merge letters",
    "family": "CRF to SVM",
}
WORDS = {  # word in the data: its first letter used here, what is written from there on
    6320: (2, "is|qualified"),
    1350: (2, "an|quish"),
    6831: (6, "nconse|quential"),
    6832: (0, "nconsequential"),
    0: (0, "ommanding"),
}
DECOMPOSITIONS = {"1 2 3 4": "separate", "1 2 3 4 12 23 34": "chain", "1234": "joint"}
MOST = {"tree": 5, "messages": 10}  # candidates whose numbers can still be read
MOST_MERGED = {2: 8, 3: 3, 4: 2}  # by letters per table
ORDERS = {2: "2", 3: "3", 4: "4"}
COSTS = {"none": "0", "one": "1", "path": "1 − ε"}
TABLE = StateTable(
    choice("show", "search", SHOWS),
    whole("word", 6320, 0, 6876, WORDS),
    whole("letters", 4, 1, 14),
    whole("candidates", 26, 1, 26),
    real("weight", 1.0, 0.0, 3.0),
    text("sets", "1 2 3 4 12 23 34", r"[1-4]{1,4}( [1-4]{1,4}){0,14}"),
    whole("step", 0, 0, 27),
    choice("crossword", cached.CROSSWORDS[0], cached.CROSSWORDS),
    whole("root", 1, 0, 6),
    whole("order", 3, 2, 4),
    real("epsilon", 1.0, 0.0, 1.0),
    choice("cost", "path", COSTS),
    flag("controls", True),
)


def tie(name, state, **forget):
    return layout.bind(TABLE, "exact", name, state, **forget)


def slide(label, low, high, step, name, state):
    """A slider; without a label its value is cut off."""
    tied = tie(name, state) | {"label_visibility": "visible"}
    width = 165 if state["show"] == "family" and not layout.is_projected() else 200
    st.slider(label, low, high, step=step, width=width, help=say.HELP[name], **tied)


def controls(state):
    """The view and its controls; the weight of tables is behind a button."""
    show = state["show"]
    with layout.choices():
        views = {name: f"{step} {label}" for step, (name, label) in enumerate(SHOWS.items(), start=1)}
        of = {"format_func": views.get, "width": 230, "help": say.HELP["show"]}
        st.selectbox("Show", list(SHOWS), **of, **tie("show", state))
        if show == "tables":
            return pick_sets(state)
        pick_word(state)
        if show == "family":
            slide("ε: CRF at 1, SVM at 0", 0.0, 1.0, 0.02, "epsilon", state)
            layout.segments("A wrong letter costs", COSTS, tie("cost", state), say.HELP["cost"])
        else:
            most = MOST_MERGED[state["order"]] if show == "merge" else MOST.get(show, 26)
            few = state | {"candidates": min(state["candidates"], most)}
            slide("Candidates K", 1, most, 1, "candidates", few)
        with layout.more(TABLE, state, {"weight": "λ = {:g}".format}):
            label = "Weight of tables λ" if show == "merge" else "Weight of pairs λ"
            slide(label, 0.0, 3.0, 0.1, "weight", state)


def pick_word(state):
    """The word, or words that cross, and the number of letters."""
    show = state["show"]
    if show == "tree":
        names = {name: say.CROSSWORDS[name] for name in cached.CROSSWORDS}
        word = tie("crossword", state, root=1, step=0)
        options = {"format_func": names.get, "width": 250, "help": say.HELP["crossword"]}
        st.selectbox("Words that cross", cached.CROSSWORDS, **options, **word)
        return
    names = {word: written for word, (_, written) in WORDS.items()}
    st.selectbox(
        "Word (letters after the bar are read)",
        list(WORDS),
        format_func=names.get,
        width=220,
        **tie("word", state),
    )
    slide("Letters D", 1, 14, 1, "letters", state)
    if show == "merge":
        layout.segments("Letters a table", ORDERS, tie("order", state), say.HELP["order"])


def sets_of(state):
    """Restriction sets in the address, each once, in the figure's order."""
    chosen = {"".join(sorted(set(word))) for word in state["sets"].split()}
    return [name for name in PLACES if name in chosen]


def write_sets(names):
    """Write the sets into the address; at least one table stays."""
    if names:
        TABLE.write(sets=" ".join(name for name in PLACES if name in names))


def pick_sets(state):
    """The lecture's three decompositions, or any sets."""
    sets = sets_of(state)
    joined = " ".join(sets)
    named = DECOMPOSITIONS | ({} if joined in DECOMPOSITIONS else {joined: "own"})
    layout.segments("Letters scored together", named, tie("sets", state | {"sets": joined}))
    st.session_state["exact_tables"] = sets
    picked = {"key": "exact_tables", "on_change": lambda: write_sets(st.session_state["exact_tables"])}
    if not layout.is_projected() or questions.present():  # squares on a projector are large enough to click
        st.pills("Tables over letters", list(PLACES), selection_mode="multi", help=say.HELP["sets"], **picked)


def stepper(state, last):
    """Buttons and arrow keys; returns the current step."""
    at = min(state["step"], last)
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, to, key in (("Start", 0, "Home"), ("Back", at - 1, "Left"), ("Next", at + 1, "Right")):
            to = min(max(to, 0), last)
            st.button(label, on_click=TABLE.write, kwargs={"step": to}, disabled=to == at, shortcut=key)
        st.caption(f"step {at} of {last} (arrow keys)", help=say.HELP["step"])
    return at

"""Exact inference: exhaustive search against dynamic programming, on a real handwritten word."""

import streamlit as st

from spcviz.figures import exact_inference as figures
from spcviz.figures import exact_inference_text as say
from spcviz.figures.theme import CONFIG
from spcviz.ui import cached, layout
from spcviz.ui.state import StateTable, choice, flag, real, text, whole

SHOWS = {
    "search": "Try all or be clever",
    "ink": "QU or QV?",
    "tables": "Decompositions",
    "messages": "Message by message",
    "stereo": "Two eyes",
}
WORDS = {  # word of the data: its first letter here, what is written from there on
    6320: (2, "is|qualified"),
    1350: (2, "an|quish"),
    6831: (6, "nconse|quential"),
    0: (0, "ommanding"),
}
DECOMPOSITIONS = {"1 2 3 4": "separate", "1 2 3 4 12 23 34": "chain", "1234": "joint"}
TABLE = StateTable(
    choice("show", "search", SHOWS),
    whole("word", 6320, 0, 6876, WORDS),
    whole("letters", 4, 1, 8),
    whole("candidates", 26, 1, 26),
    real("weight", 1.0, 0.0, 3.0),
    text("sets", "1 2 3 4 12 23 34", r"[1-4]{1,4}( [1-4]{1,4}){0,14}"),
    whole("step", 0, 0, 15),
    real("noise", 0.1, 0.0, 1.0),
    real("smooth", 0.5, 0.0, 3.0),
    whole("seed", 0, 0, 999_999),
    flag("controls", True),
)
LOOK = layout.look(500)
PLOT = layout.PLOT | {"config": CONFIG}


def tie(name, state, **forget):
    return layout.tied(TABLE, "exact", name, state, **forget)


def slide(label, low, high, step, name, state, meaning):
    """A slider; without a label its value is cut off."""
    tied = tie(name, state) | {"label_visibility": "visible"}
    st.slider(label, low, high, step=step, width=200, help=say.HELP[meaning], **tied)


def controls(state):
    """The view and what matters for it."""
    show = state["show"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        layout.segments("Show", SHOWS, tie("show", state), say.HELP["show"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if show == "stereo":
            slide("Noise", 0.0, 1.0, 0.05, "noise", state, "noise")
            slide("Smoothness λ", 0.0, 3.0, 0.1, "smooth", state, "smooth")
        elif show == "tables":
            layout.segments("Letters scored together", decompositions(state), tie("sets", state))
            st.text_input("Or your own sets", width=280, help=say.HELP["sets"], **typed(state))
        else:
            names = {word: written for word, (_, written) in WORDS.items()}
            st.selectbox(
                "Word (read from | on)", list(WORDS), format_func=names.get, width=220, **tie("word", state)
            )
            slide("Letters D", 1, 8, 1, "letters", state, "letters")
            slide("Candidates K", 1, 26, 1, "candidates", state, "candidates")
            slide("Weight of pairs λ", 0.0, 3.0, 0.1, "weight", state, "weight")


def decompositions(state):
    """The lecture's, and the page's own if it is another."""
    return DECOMPOSITIONS | ({} if state["sets"] in DECOMPOSITIONS else {state["sets"]: "own"})


def typed(state):
    """Arguments of the text field; what is no set of letters is forgotten."""
    st.session_state["exact_typed"] = state["sets"]
    return {
        "key": "exact_typed",
        "on_change": lambda: TABLE.write(sets=" ".join(st.session_state["exact_typed"].split())),
        "label_visibility": "collapsed" if layout.is_projected() else "visible",
    }


def drawn(figure, said):
    st.plotly_chart(figure, alt=said, **PLOT)
    st.markdown(said)


def tables(state):
    """Restriction sets and their sizes."""
    scopes = tuple(tuple(dict.fromkeys(int(d) - 1 for d in word)) for word in state["sets"].split())
    st.markdown(say.tables(*cached.decomposition(scopes), scopes))


def word_views(state):
    """The three views of a word."""
    first, _ = WORDS[state["word"]]
    of = (state["word"], first, state["letters"], state["candidates"], state["weight"])
    problem, run = cached.exact_run(*of)
    length = len(problem.unary)
    if state["show"] == "search":
        chart, side = st.columns([4, 1], gap="medium")
        for label, value, note, meaning in say.figures(run):
            note = None if layout.is_projected() else note
            side.metric(label, value, note, delta_color="off", delta_arrow="off", help=meaning)
        with chart:
            drawn(figures.work(length, state["candidates"], **LOOK), say.search(problem, run))
    elif state["show"] == "ink":
        drawn(figures.ink(problem, run, **LOOK), say.ink(problem, run))
    else:
        last = 2 * length - 1
        at = min(state["step"], last)
        with st.container(horizontal=True, vertical_alignment="center"):
            for label, to, key in (("Start", 0, "Home"), ("Back", at - 1, "Left"), ("Next", at + 1, "Right")):
                to = min(max(to, 0), last)
                st.button(label, on_click=TABLE.write, kwargs={"step": to}, disabled=to == at, shortcut=key)
            st.caption(f"step {at} of {last} (arrow keys)", help=say.HELP["step"])
        drawn(figures.messages(problem, run, at, **LOOK), say.step(length, at))


def page():
    state = TABLE.read()
    if state["controls"]:
        controls(state)
    if state["show"] == "stereo":
        found = cached.stereo_readings(state["seed"], state["noise"], state["smooth"])
        return drawn(figures.stereo(found, **LOOK), say.stereo(found))
    return (tables if state["show"] == "tables" else word_views)(state)


layout.use_the_room()
if not layout.is_projected():
    st.markdown(say.INTRODUCTION)
page()
if not layout.is_projected():
    st.caption(say.HONEST)

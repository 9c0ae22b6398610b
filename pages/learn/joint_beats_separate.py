"""Joint beats separate: stereo pairs and noisy images, labelled pixel by pixel, row by row, and as a grid."""

from functools import partial

import streamlit as st

from spcviz.problems.pictures.page import cached, charts, scenes
from spcviz.web.course import questions
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable, choice, flag, real, whole

SHOWS = {"stereo": "Two eyes", "clean": "A noisy picture"}
PAIRS = {name: charts.NAMES[name] for name in cached.stereo_names()}
PICTURES = cached.PICTURES
TABLE = StateTable(
    choice("show", "stereo", SHOWS),
    choice("pair", "dots", PAIRS, elsewhere="|".join(charts.NAMES)),
    choice("picture", "horse", PICTURES),
    real("noise", None, 0.0, 1.0),
    real("smooth", None, 0.0, 3.0),
    whole("seed", 1, 0, 999_999),
    flag("mistakes", False),
    flag("controls", True),
)
# The default noise; stereo photographs are noisy enough as they are.
NOISE = {"dots": 0.1} | dict.fromkeys(PICTURES, 0.2)
LOOK = layout.look(500, 660)
tie = partial(layout.bind, TABLE, "joint")


def slide(label, most, step, name, state, value):
    """A slider that shows the value in force, chosen or default."""
    tied = tie(name, state | {name: value}) | {"label_visibility": "visible"}
    st.slider(label, 0.0, most, step=step, width=200, help=charts.HELP[name], **tied)


def controls(state, noise, readings):
    """The task, its picture, noise and smoothness."""
    fresh = {"noise": None, "smooth": None}
    with layout.choices(rows=2):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            layout.segments("Show", SHOWS, tie("show", state, **fresh))
            if state["show"] == "stereo":
                layout.segments("Pair", PAIRS, tie("pair", state, **fresh))
            else:
                layout.segments("Picture", PICTURES, tie("picture", state, **fresh))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            slide("Noise", 0.5, 0.05, "noise", state, min(noise, 0.5))
            slide("Smoothness λ", 3.0, 0.05, "smooth", state, readings.weight)
            st.button(
                "Other noise",
                icon=":material/casino:",
                help=charts.HELP["seed"],
                on_click=lambda: TABLE.write(seed=(state["seed"] + 1) % 1_000_000),
            )
            at = tie("mistakes", state | {"mistakes": bool(state["mistakes"])})
            at |= {"on_change": lambda: TABLE.write(mistakes=int(st.session_state["joint_mistakes"]))}
            st.toggle("Mark mistakes", **at | {"label_visibility": "visible"})


def story():
    """Controls, a cached call, its pictures."""
    state = TABLE.read()
    is_stereo = state["show"] == "stereo"
    name = state["pair"] if is_stereo else state["picture"]
    noise = NOISE.get(name, 0.0) if state["noise"] is None else state["noise"]
    readings = cached.picture_readings(name, state["seed"], noise, state["smooth"])
    touring.offer(charts.facts, readings)
    questions.offer(state, charts.values, readings)
    touring.offer_python(scenes.joint_beats_separate_lines(name, state["seed"], noise, state["smooth"]))
    if is_stereo:
        layout.missing(TABLE, {"pair": charts.missing})
    if layout.has_controls(state):
        controls(state, noise, readings)
    is_told = "grid" not in questions.hidden_parts()
    sentence = charts.compare_readings(readings) if is_told else charts.WAITS
    n_readings = 3 if is_told else 1
    shown = charts.pictures(readings, mistakes=bool(state["mistakes"]), n_readings=n_readings, **LOOK)
    with layout.swipe_area():
        st.plotly_chart(shown, alt=sentence, config=CONFIG, **layout.PLOT)
    st.markdown(sentence)
    if is_told and not layout.is_projected():
        st.markdown(charts.table(readings))
        st.caption(charts.origin(readings))


layout.show_page(touring.by_itself(story), charts.INTRODUCTION, is_whole=False)

"""Controls of Your data's second row: settings of training, and its progress."""

from collections.abc import Callable

import streamlit as st

from spcviz.problems.own_data.controls.state import ANEW, N_LEVELS, TABLE, VIEWS, read, settings_of, tied
from spcviz.problems.own_data.page import cached, shelf
from spcviz.problems.own_data.page import text as say
from spcviz.web.figures.formatting import plain
from spcviz.web.ui import layout

SAID = {
    "method": cached.METHODS.get,
    "template": lambda _: "own template",
    "columns": lambda _: "own columns",
    "held": "{} % held out".format,
    "seed": "seed {}".format,
    "order": "order {}".format,
    "passes": "{} passes".format,
    "tol": "tolerance {:g} %".format,
}


def begin() -> None:
    """Train on the current data, with the settings in the address."""
    state = read()
    shelf.start_job(cached.current(state["example"]), settings_of(state))
    TABLE.write(model="", **ANEW)


def row(visit, state: dict, source, sentence: Callable[[], None]) -> None:
    """Transitions or method and button, the view, and the box of the sentence and of rarely used settings."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if source is None:
            choose(visit, state, False)
        if offered := cached.steps_offered(visit):
            shown = state | {"steps": cached.steps_of(visit, state["steps"])}
            of = {"format_func": cached.STEPS.get, "width": 230, "help": say.STEPS_HELP}
            st.selectbox("Transitions", offered, **of, **tied("steps", shown, **ANEW))
        st.selectbox("Show", list(VIEWS), format_func=VIEWS.get, width=230, **tied("view", state))
        box = layout.more(TABLE, state, SAID)
    with box:
        if source is not None and state["view"] == "lattice":
            sentence()
        if source is not None:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                choose(visit, state, True)
        more(visit, state)


def choose(visit, state: dict, is_trained: bool) -> None:
    """The menu of models and the button that trains one; nothing where there are no labels to learn from."""
    if visit.brought.labels and visit.brought.kind == "text":
        of = {"format_func": cached.METHODS.get, "width": 150, "help": say.METHODS_HELP}
        st.selectbox("Model", list(cached.METHODS), **of, **tied("method", state, **ANEW))
        kind, label = ("secondary", "Train anew") if is_trained else ("primary", "Train")
        st.button(label, on_click=begin, type=kind, disabled=visit.job is not None)


def more(visit, state: dict) -> None:
    """Template, order, passes, held-out part, seed, tolerance."""
    st.text_area("Features of a word", help=say.TEMPLATE_HELP, height=110, **tied("template", state, **ANEW))
    try:
        cached.read_template(state["template"])
    except ValueError as error:
        st.warning(plain(str(error)))
    left, right = st.columns(2)
    left.number_input("Held out, %", 10, 60, step=5, **tied("held", state, **ANEW))
    right.number_input("Seed", 0, 999_999, **tied("seed", state, **ANEW))
    if state["method"] == "cascade":
        left.number_input("Order", 2, N_LEVELS, help=say.ORDER_HELP, **tied("order", state, **ANEW))
    if state["method"] != "crf":
        right.number_input("Passes", 1, 50, **tied("passes", state, **ANEW))
    st.number_input(
        "Sentences that may lose their truth at a level, %",
        0.0, 100.0, step=0.5, **tied("tol", state, **ANEW),
    )  # fmt: skip


def follow(visit) -> None:
    """The progress of a job, with a button that cancels it; nothing where there is no job."""
    if visit.job is not None:
        _follow()


@st.fragment(run_every=0.5)
def _follow():
    visit = cached.current(read()["example"])
    if visit is None:  # gone, after half an hour without use
        st.rerun()
    job = visit.job
    if job is None or job.ended.is_set():
        st.session_state["own_data_problem"] = shelf.collect_job(visit, settings_of(read()))
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        status = say.under_way(job.work, job.state, job.progress, job.ahead(), job.seconds_to_wait())
        st.progress(job.progress, text=status)
        st.button("Cancel", on_click=shelf.cancel_job, args=(visit,), icon=":material/close:")

"""Sweep: every threshold at once, what it loses and what it saves, and whether that holds on new words."""

import streamlit as st

from spcviz.figures import sweep as figures
from spcviz.figures import sweep_text as say
from spcviz.figures.theme import CONFIG
from spcviz.ui import cached, navigation, theme
from spcviz.ui.state import LETTERS, MAX_ORDER, StateTable, choice, flag, real, text, whole

SHOWS = {
    "curves": "One filter, every α",
    "filters": "Three filters compared",
    "bound": "What theory promises",
}
SPLITS = {"test": "test words", "dev": "development words"}
ZOOMS = {"low": "low losses", "all": "all"}
TOLERANCES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
MARGINS = (0.01, 0.1, 1.0, 10.0)
LETTERS_PAGE = "pages/cascade/letters.py"
TABLE = StateTable(
    choice("show", "curves", SHOWS),
    text("features", "raw", r"[a-z0-9_]{1,24}"),
    whole("level", 2, 1, MAX_ORDER),
    real("tol", 0.5, 0.0, 100.0),
    choice("by", "event", say.LOSSES),
    real("alpha", None, 0.0, 1.0),
    real("margin", 1.0, 0.001, 1000.0),
    choice("split", "test", SPLITS),
    choice("zoom", "low", ZOOMS),
    flag("controls", True),
)
IS_PROJECTED = st.context.is_embedded
SCALE, HEIGHT = (1.6, 720) if IS_PROJECTED else (1.0, 520)
LOOK = {"palette": theme.palette(st.context.theme.type), "scale": SCALE, "height": HEIGHT}
PLOT = {"theme": None, "config": CONFIG}


def widget(name, state, **forget):
    """What ties a widget to its name in the table; `forget` names what its change resets."""
    key = f"sweep_{name}"
    st.session_state[key] = state[name]
    return {
        "key": key,
        "on_change": lambda: TABLE.write(**{name: st.session_state[key]}, **forget),
        "label_visibility": "collapsed" if IS_PROJECTED else "visible",
    }


def segments(label, options, format_func, tie, **more):
    st.segmented_control(label, options, format_func=format_func, required=True, **tie, **more)


def controls(state):
    """The row of choices: those that matter for what is shown."""
    show, names = state["show"], cached.LETTERS_FEATURES
    with st.container(horizontal=True, vertical_alignment="bottom"):
        segments("Show", SHOWS, SHOWS.get, widget("show", state))
        if len(names) > 1:
            tie = widget("features", state, alpha=None)
            st.selectbox("What it sees", names, format_func=names.get, width=250, **tie)
        if show != "filters":
            tie, name = (
                widget("level", state, alpha=None),
                f"{state['level']}: {figures.grams(state['level'])}",
            )
            levels = range(1, MAX_ORDER + 1)
            segments(
                "Level",
                levels,
                lambda n: name if n == state["level"] else str(n),
                tie,
                help=say.HELP["level"],
            )
        if show == "bound":
            values, tie = sorted({*MARGINS, state["margin"]}), widget("margin", state)
            st.select_slider(
                "Margin γ", values, format_func="{:g} ×".format, width=220, help=say.HELP["margin"], **tie
            )
        values, tie = sorted({*TOLERANCES, state["tol"]}), widget("tol", state, alpha=None)
        st.select_slider(
            "Words that may lose their truth", values, format_func="{:g} %".format, width=260,
            help=say.HELP["tol"], **tie,
        )  # fmt: skip
        if show == "curves":
            tie = widget("by", state, alpha=None)
            segments("A word counts as lost", list(say.LOSSES), say.LOSSES.get, tie, help=say.HELP["by"])
        if show == "filters":
            segments("Measured on", list(SPLITS), SPLITS.get, widget("split", state))
        if show != "bound":
            segments("Zoom", list(ZOOMS), ZOOMS.get, widget("zoom", state))


def clicked():
    """A point of a curve was clicked: its alpha is the page's."""
    points = st.session_state["sweep_chart"]["selection"]["points"]
    if points:
        TABLE.write(alpha=min(max(float(points[0]["x"]), 0.0), 1.0))


def open_letters(state, alpha):
    """The link that shows this alpha at work on a word."""
    level = state["level"]
    asked = {"features": state["features"], "level": level, "order": max(4, min(level + 1, MAX_ORDER))}
    query = LETTERS.encode(asked | {f"a{level}": float(alpha)})
    label = f"See α = {alpha:.3f} prune a word"
    st.page_link(LETTERS_PAGE, label=label, icon=":material/draw:", query_params=query)


def curves(state, level, found):
    """Step curves, the alpha, what it costs on words that nobody tuned on."""
    chart, numbers = st.columns([4, 1], gap="medium")
    for label, value, note, meaning in say.figures(level, found, state):
        note = None if IS_PROJECTED else note
        numbers.metric(label, value, note, delta_color="off", delta_arrow="off", help=meaning)
    figure = figures.loss_curves(level, found, is_zoomed=state["zoom"] == "low", **LOOK)
    verdict = say.verdict(level, found, state)
    with chart:
        st.plotly_chart(
            figure, key="sweep_chart", on_select=clicked, selection_mode="points", alt=verdict, **PLOT
        )
        st.markdown(verdict)
        with st.container(horizontal=True, vertical_alignment="center"):
            if navigation.exists(LETTERS_PAGE):
                open_letters(state, found.alpha)
            if state["alpha"] is not None:
                st.button("Back to the tolerance's α", on_click=TABLE.write, kwargs={"alpha": None})
            elif not IS_PROJECTED:
                st.caption("Click a step of a solid line to choose its α by hand.")


def filters(state):
    """SPC against perceptron and CRF filters."""
    rows = (cached.result("ocr-sweep") or {}).get("rows", [])
    rows = [row for row in rows if row["features"] == state["features"]]
    if not rows:
        st.info(say.missing("ocr-sweep", state["features"]))
        return
    tuned = {n: cached.filters_tuned(state["features"], n, state["tol"]) for n in {r["level"] for r in rows}}
    is_zoomed = state["zoom"] == "low"
    figure = figures.filter_curves(rows, tuned, split=state["split"], is_zoomed=is_zoomed, **LOOK)
    st.plotly_chart(figure, alt=say.filters(tuned, state["tol"]), **PLOT)
    st.markdown(say.filters(tuned, state["tol"]))


def bound(state, level, found):
    """Theorem 1 with its terms."""
    terms = cached.sweep_bound(state["features"], state["level"], found.alpha, state["margin"])
    st.markdown(say.bound(terms))
    st.plotly_chart(figures.bound_terms(terms, **LOOK), alt=say.bound(terms), **PLOT)
    with st.expander("Every symbol, with its number", expanded=not IS_PROJECTED):
        st.markdown(say.bound_symbols(terms, level))


def page():
    """Controls, cached calls, a figure."""
    state = TABLE.narrow(features=cached.LETTERS_FEATURES).read()
    if state["controls"]:
        controls(state)
    if state["show"] == "filters":
        return filters(state)
    level = cached.sweep_level(state["features"], state["level"])
    if level is None:
        return st.info(f"The stored model has no level {state['level']}; choose a lower one.")
    asked = (state["tol"] / 100, state["by"] == "definition", state["alpha"])
    found = cached.sweep_choice(state["features"], state["level"], *asked)
    return (curves if state["show"] == "curves" else bound)(state, level, found)


st.html(
    f"<style>.stMainBlockContainer {{padding: {'1rem 2rem 0' if IS_PROJECTED else '3rem 2rem 1rem'}}}</style>"
)
if not IS_PROJECTED:
    st.markdown(say.INTRODUCTION)
if cached.LETTERS_FEATURES:
    try:
        page()
    except cached.StoreError as error:
        st.error(str(error))
else:
    st.error("No handwriting model is stored here. Make one with: python -m spcviz train ocr")

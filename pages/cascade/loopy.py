"""Loopy grids: all combs of a grid against loopy belief propagation, on one live instance."""

import streamlit as st

from spcviz.problems.grids import choices
from spcviz.problems.grids.page import cached, maps, scenes
from spcviz.problems.grids.page import charts as figures
from spcviz.problems.grids.page import text as say
from spcviz.problems.grids.shown import OPENING
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout, navigation, results

TABLES = "pages/results/tables.py"
LOOK = layout.look(500, 640)
PLOT = layout.PLOT | {"config": CONFIG}


def show_chart(figure, sentence, *, can_click=False):
    """A chart with its sentence."""
    more = (
        {"key": "loopy_map", "on_select": choices.on_click, "selection_mode": "points"} if can_click else {}
    )
    st.plotly_chart(figure, alt=sentence, **more, **PLOT)
    st.markdown(sentence)


def grid(state, live, beliefs):
    """The grid itself, four times, and where each method is wrong."""
    shown = maps.panels(live, beliefs, state["comb"])
    touring.offer(say.panel_facts, live, shown)
    questions.offer(state, say.panel_values, beliefs, shown)
    with st.container(key="loopy_grid"):
        is_told = "combs" not in questions.hidden_parts()
        st.html(maps.side_by_side(live, shown if is_told else shown[:1], LOOK["palette"]))
        st.markdown(say.grids(live, beliefs, shown) if is_told else say.WAITS)
    if layout.is_projected() or not is_told:
        return
    st.caption(say.grids_note(live))
    if all(state[name] == OPENING[name] for name in ("rows", "columns", "classes", "seed")):
        with results.said_if_damaged("grid"):
            st.caption(say.explain_choice(common.result("grid")))


def errors(state, live, beliefs):
    chart, side = st.columns([4, 1], gap="medium")
    with side:
        choices.keep_best(state, live)
    layout.numbers(side, say.error_figures(live, beliefs, state["k"]))
    with chart:
        show_chart(figures.errors(live, beliefs, **LOOK), say.compare_ranks(live, beliefs, state["k"]))


def strengths(state, live):
    chart, side = st.columns([4, 1], gap="medium")
    with side:
        choices.keep_best(state, live)
    k, of = state["k"], [state[name] for name in ("rows", "columns", "classes", "seed", "kind", "damping")]
    with chart:
        sweep = cached.strength_sweep(*of)
        touring.offer(say.strength_facts, sweep, k)
        show_chart(figures.strengths(sweep, k, state["strength"], **LOOK), say.strengths(sweep, k))


def combs(state, live, beliefs):
    choices.pick_variable(state, live, with_comb=True)
    at, look = (state["comb"], state["variable"]), layout.look(470, 525)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show_chart(maps.combs(live, *at, **look), say.combs(live), can_click=True)
    with right:
        show_chart(figures.rankings(live, beliefs, *at, **look), say.ranking(live, beliefs, *at))


def agreement(state, live):
    chart, side = st.columns([4, 1], gap="medium")
    touring.offer(say.agreement_facts, live)
    layout.numbers(side, say.agreement_figures(live))
    with chart:
        show_chart(maps.agreement(live, state["variable"], **LOOK), say.agreement(live), can_click=True)


def pruning(state, live, pruned):
    chart, side = st.columns([4, 1], gap="medium")
    touring.offer(say.pruning_facts, live, pruned)
    layout.numbers(side, say.pruning_figures(live, pruned))
    with chart:
        figure = maps.falling(live, pruned, state["variable"], **LOOK)
        show_chart(figure, say.pruning(live, pruned), can_click=True)


def thesis(result):
    """The reproduced figure."""
    if not (result and result.get("settings")):
        return st.info(say.MISSING)
    show_chart(figures.thesis(result, **LOOK), say.thesis(result))
    return st.page_link(
        navigation.file_of(TABLES), label="All numbers, beside the paper's", query_params={"table": "grid"}
    )


def story():
    """Controls, cached calls, a figure."""
    state = choices.read()
    if layout.has_controls(state):
        choices.controls(state)
    touring.offer_python(scenes.loopy_lines(state))
    show, of = state["show"], tuple(state[name] for name in choices.OF_GRID)
    if show == "thesis":
        with results.said_if_damaged("grid"):
            return thesis(common.result("grid"))
        return None
    live = cached.live_grid(*of)
    touring.offer(say.grid_facts, live)
    if show == "pruning":
        return pruning(state, live, cached.grid_pruned(*of, state["alpha"]))
    if show == "agreement":
        return agreement(state, live)
    if show == "strength":
        return strengths(state, live)
    beliefs = cached.grid_beliefs(*of, state["kind"], state["damping"])
    touring.offer(say.error_facts, live, beliefs, state["k"])
    if show != "messages":
        return {"grid": grid, "combs": combs, "errors": errors}[show](state, live, beliefs)
    choices.pick_variable(state, live)
    touring.offer(say.oscillation_facts, beliefs, state["variable"])
    sentence = say.oscillation(beliefs, live, state["variable"])
    show_chart(figures.messages(beliefs, state["variable"], **layout.look(500, 560)), sentence)


layout.show_page(touring.by_itself(story), say.INTRODUCTION, is_whole=False)

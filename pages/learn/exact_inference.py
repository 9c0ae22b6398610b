"""Exact inference: exhaustive search against dynamic programming, on real handwritten words."""

import streamlit as st

from spcviz.problems.exact import choices
from spcviz.problems.exact.page import cached, graphs, scenes
from spcviz.problems.exact.page import charts as figures
from spcviz.problems.exact.page import family as losses
from spcviz.problems.exact.page import text as say
from spcviz.problems.exact.page.charts import PLACES, factor_graph
from spcviz.web.course import questions
from spcviz.web.figures.theme import CONFIG
from spcviz.web.touring import touring
from spcviz.web.ui import layout

LOOK = layout.look(500, 610)
PLOT = layout.PLOT | {"config": CONFIG}


def on_click(key, sets):
    """Toggle the clicked square of the factor graph: remove it if present, add it if not."""
    points = st.session_state[key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    if data:
        name = str((list(data.values()) if isinstance(data, dict) else data)[0])
        choices.write_sets([s for s in PLACES if (s in sets) != (s == name)])


def show_chart(figure, sentence):
    st.plotly_chart(figure, alt=sentence, **PLOT)
    st.markdown(sentence)


def tables(state):
    """A factor graph to edit, and what it costs."""
    sets = choices.sets_of(state)
    sizes = cached.decomposition(tuple(tuple(int(d) - 1 for d in name) for name in sets))
    problem, _ = cached.exact_run(6320, 2, 4, 1, 1.0)
    touring.offer(say.tables_facts, sizes)
    questions.offer(state, say.tables_values, sizes, sets)
    chart, side = st.columns([4, 1], gap="medium")
    is_told, rows = "looked_at" not in questions.hidden_parts(), say.sizes_of(sizes)
    layout.numbers(side, rows if is_told else [row for row in rows if row[0] != "DP looks at"])
    key = f"exact_graph_{'_'.join(sets)}"  # a new key gives a new chart, without the last click
    with chart:
        picture, sentence = (
            factor_graph(sets, problem.pixels, **LOOK),
            say.tables(sizes, sets) if is_told else say.COST_WAITS,
        )
        click = {"on_select": lambda: on_click(key, sets), "selection_mode": "points", "key": key}
        st.plotly_chart(picture, alt=sentence, **click, **PLOT)
        st.markdown(sentence)


def tree(state):
    """Messages on two crossing words, step by step."""
    candidates = min(state["candidates"], choices.MOST["tree"])
    problem, run = cached.tree_run(state["crossword"], candidates, state["weight"], state["root"])
    touring.offer(say.tree_facts, problem, run)
    at = choices.stepper(state, len(run.messages) + 1)
    show_chart(graphs.crossing_messages(problem, run, at, **LOOK), say.tree_step(problem, run, at))


def merge(state):
    """An n-gram model as a chain of merged letters."""
    first, _ = choices.WORDS[state["word"]]
    candidates = min(state["candidates"], choices.MOST_MERGED[state["order"]])
    of = (state["word"], first, min(state["letters"], 8), candidates, state["weight"], state["order"])
    problem, run = cached.merged_run(*of)
    touring.offer(graphs.facts, problem, run)
    chart, side = st.columns([5, 1], gap="medium")
    layout.numbers(side, graphs.sizes(problem, run))
    with chart:
        show_chart(
            graphs.draw_merged(problem, run, **layout.look(500, 645)), graphs.describe_chain(problem, run)
        )


def family(state):
    """A word's loss as epsilon goes from CRF to SVM."""
    first, _ = choices.WORDS[state["word"]]
    problem, run = cached.family_run(state["word"], first, state["letters"], state["weight"])
    at, cost = (
        int(abs(run.epsilons - state["epsilon"]).argmin()),
        ("none", "one", "path").index(state["cost"]),
    )
    chart, side = st.columns([5, 1], gap="medium")
    layout.numbers(side, losses.losses(run, at, cost, len(problem.truth)))
    with chart:
        show_chart(
            losses.family(problem, run, at, cost, **LOOK), losses.describe_loss(problem, run, at, cost)
        )


def word_views(state):
    """The three views of a word."""
    first, _ = choices.WORDS[state["word"]]
    candidates = min(state["candidates"], choices.MOST.get(state["show"], 26))
    of = (state["word"], first, state["letters"], candidates, state["weight"])
    problem, run = cached.exact_run(*of)
    length = len(problem.unary)
    touring.offer(say.facts, problem, run)
    questions.offer(state, say.values, problem, run)
    if state["show"] == "search":
        chart, side = st.columns([4, 1], gap="medium")
        is_told = "search_time" not in questions.hidden_parts()
        layout.numbers(side, say.figures(run) if is_told else say.without_time(run))
        is_far = "far" not in questions.hidden_parts()
        sentence = say.search(problem, run, is_far=is_far) if is_told else say.WAITS
        with chart:
            show_chart(figures.work(problem.pixels, state["candidates"], **LOOK), sentence)
    elif state["show"] == "ink":
        is_told = "joint" not in questions.hidden_parts()
        shown = run if is_told else run._replace(labels=run.separate)
        show_chart(figures.ink(problem, shown, **LOOK), say.ink(problem, run) if is_told else say.ALONE)
    else:
        at = choices.stepper(state, 2 * length - 1)
        show_chart(figures.messages(problem, run, at, **LOOK), say.step(length, at))


def page():
    state = choices.TABLE.read()
    if layout.has_controls(state):
        choices.controls(state)
    touring.offer_python(scenes.exact_inference_lines(state, choices.WORDS[state["word"]][0]))
    views = {"tables": tables, "tree": tree, "merge": merge, "family": family}
    views.get(state["show"], word_views)(state)


layout.show_page(touring.by_itself(page), say.INTRODUCTION, say.HONEST, is_whole=False)

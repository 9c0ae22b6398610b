"""Tagging: a sentence, and the cascade that prunes what its words could be."""

import streamlit as st

from spcviz.problems.tagging.page import cached, scenes
from spcviz.problems.tagging.paper import charts as figures
from spcviz.problems.tagging.state import MAX_TEXT, TAGGING
from spcviz.problems.tagging.view.component import sentence_payload, show_sentence
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.figures.lattice_numbers import facts, values
from spcviz.web.lattice.component import lattice_payload, show_lattice
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks, layout
from spcviz.web.ui.layout import veil

LATTICE, SENTENCE = "tagging_lattice", "tagging_sentence"


def take(text):
    """Write a typed or chosen text to the address, or show what is wrong with it."""
    words, problem = cached.tagging_words(text)
    if problem is None and len(text) > MAX_TEXT:
        problem = f"At most {MAX_TEXT} characters fit here; this text has {len(text)}."
    if problem is None and not words:
        problem = "There is no word to tag: type a sentence."
    st.session_state["tagging_problem"] = problem
    if problem is None:
        TAGGING.write(text=" ".join(text.split()), cell="", level=1, step=4, a1=None, a2=None, a3=None)


def choose(state):
    """The row of choices: sentence, gallery, view."""
    labels = "collapsed" if layout.is_projected() else "visible"
    st.session_state["tagging_text"] = state["text"]
    with layout.choices():
        st.text_input(
            "A sentence: type your own",
            key="tagging_text",
            on_change=lambda: take(st.session_state["tagging_text"]),
            label_visibility=labels,
            width=520,
        )
        names = {text: name for name, text in cached.GALLERY.items()}
        st.session_state["tagging_gallery"] = state["text"] if state["text"] in names else None
        st.selectbox(
            "Examples",
            list(names),
            format_func=names.get,
            placeholder="Examples",
            key="tagging_gallery",
            on_change=lambda: take(st.session_state["tagging_gallery"] or state["text"]),
            label_visibility=labels,
            width=190,
        )
        said = {"view": scenes.SHOWS.get, "rule": lambda _: "threshold at a margin"}
        with layout.more(TAGGING, state, said, "View"):
            layout.segments("Show", scenes.SHOWS, layout.bind(TAGGING, "tagging", "view", state))
            tie = layout.bind(TAGGING, "tagging", "rule", state)
            layout.segments("Threshold", scenes.RULE_NAMES, tie, scenes.RULE_HELP)
    problem = st.session_state.get("tagging_problem")
    if problem:
        st.warning(problem + " The last sentence that could be tagged is still shown.")


def compute_pictures(key):
    """What both pictures show: (state, view, trace, payload), or None after a warning that says why."""
    state = TAGGING.parse(st.query_params)
    words, problem = cached.tagging_words(state["text"])
    if problem:
        st.warning(problem)
        return None
    view = callbacks.view_of(state, key, 3)
    by_rule = () if state["rule"] == "mean_max" else (state["rule"],)
    trace = cached.tagging_trace_of(words, tuple(view["alphas"]), *by_rule)
    touring.offer(facts, trace, view["level"], view["cell"])
    if not callbacks.is_dragged(key):
        questions.offer(state, values, trace, view["level"], view["cell"], None, questions.wanted_names())
    models = ("tagger",) if key == LATTICE else ()
    pins = callbacks.traces_of_pins(
        view, models, lambda _, alphas: cached.tagging_trace_of(words, alphas, *by_rule)
    )
    payload = lattice_payload(
        trace, features="tagger", controls=bool(state["controls"]), pins=pins,
        hidden=questions.hidden_parts(), level=view["level"], **cached.tagging_right(words),
    )  # fmt: skip
    return words, view, trace, payload


@st.fragment
@common.tells_of_damage
def picture():
    """The lattice: a separate fragment, rerun five times a second during a drag."""
    if shown := compute_pictures(LATTICE):
        _, view, _, payload = shown
        show_lattice(payload, key=LATTICE, view=view, on_change=callbacks.commit_lattice(TAGGING, LATTICE, 3))


@st.fragment
@common.tells_of_damage
def sentence():
    """The sentence and its tags, rerun when alpha is released; below it, tag counts of three filters."""
    if shown := compute_pictures(SENTENCE):
        words, view, trace, payload = shown
        view["level"] = min(view["level"], len(trace.levels))
        tagged = sentence_payload(payload, trace.alphabet)
        taken = callbacks.commit_lattice(TAGGING, SENTENCE, 3, ("level", "cell"))
        show_sentence(tagged, key=SENTENCE, view=view, on_change=taken)
        if not layout.is_projected():
            st.markdown(scenes.counts(cached.tagging_comparison(words, tuple(view["alphas"]))))


def comparison(state):
    """SPC, CRF and no structure at all, word by word under one cursor."""
    words, problem = cached.tagging_words(state["text"])
    if problem:
        st.warning(problem)
        return
    compared = cached.tagging_comparison(words, tuple(state[f"a{n}"] for n in (1, 2, 3)))
    with layout.swipe_area():
        st.plotly_chart(
            figures.side_by_side(compared, **layout.look(440, 760)), key="tagging_compare", **layout.PLOT
        )
    st.markdown(figures.side_by_side_text(compared) + figures.verdict(compared, cached.find_tags(words)))


def page():
    """The choices and one of two pictures."""
    state = TAGGING.read({"text": lambda text: scenes.too_long(text, MAX_TEXT)})
    touring.offer_python(scenes.tagging_lines(state))
    if layout.has_controls(state):
        choose(state)
    if cached.is_foreign(state["text"]):
        st.warning(scenes.FOREIGN)
    is_hidden = "tags" in questions.hidden_parts()
    if is_hidden:
        compute_pictures(SENTENCE)  # for the facts that it offers
        veil(scenes.WAITS)
    elif state["view"] == "compare":
        comparison(state)
    else:
        {"words": sentence, "lattice": picture}[state["view"]]()
    if state["rule"] == "margin" and not layout.is_projected():
        st.caption(scenes.margins(cached.tagging_margins()))
    if state["text"] == cached.FIRST and not layout.is_projected() and not is_hidden:
        st.caption(scenes.CHOSEN)


layout.show_page(common.tells_of_damage(page), scenes.INTRODUCTION, scenes.ORIGIN)

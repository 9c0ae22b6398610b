"""Letters: one handwritten word, and the cascade that prunes what it could say."""

import streamlit as st

from spcviz.problems.letters.controls import word
from spcviz.problems.letters.page import cached, charts, scenes
from spcviz.problems.letters.shown import FIRST_WORD
from spcviz.problems.letters.state import LETTERS
from spcviz.problems.open_words import result as open_words
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.figures.lattice_numbers import facts, values
from spcviz.web.figures.theme import CONFIG
from spcviz.web.lattice.component import lattice_payload, show_lattice
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks, layout, results
from spcviz.web.ui.state import MAX_ORDER

KEY = "letters_lattice"
SHOWCASE = ("convenient", "ommanding")
# Name of a model's features -> their name in a menu.
FEATURES = cached.LETTERS_FEATURES


def table_of(features):
    """The page's table, narrowed to the available choices."""
    return LETTERS.narrow(features=FEATURES, word=cached.letters_ids(features, SHOWCASE))


def current(features):
    """The page's state, with a word among those on offer."""
    table = table_of(features)
    state = table.read()
    words = cached.letters_offer(features, word.wrong_at(state))
    return state if state["word"] in words else table.write(word=next(iter(words)))


@st.fragment
@common.tells_of_damage
def letters():
    """The choices and the picture."""
    named = LETTERS.narrow(features=FEATURES).parse(st.query_params)
    state = current(named["features"])
    touring.offer_python(scenes.letters_lines(state))
    if layout.has_controls(state):
        word.show(state)
    st.session_state["letters_reveal"] = state["reveal"]
    picture()
    if state["word"] == FIRST_WORD and not layout.is_projected():
        st.caption(charts.CHOSEN)


@st.fragment
@common.tells_of_damage
def picture():
    """One cached call, then the component: a separate fragment, rerun five times a second during a drag."""
    named = LETTERS.narrow(features=FEATURES).parse(st.query_params)
    state = table_of(named["features"]).parse(st.query_params)
    word_id, features, order = state["word"], state["features"], state["order"]
    if state["reveal"] != st.session_state["letters_reveal"]:
        st.rerun()
    if state["view"] == "bars":
        return count_bars(state)
    view = callbacks.view_of(state, KEY, MAX_ORDER)

    def traced(features, alphas):
        of = word_id, features, order, callbacks.alphas_of(alphas, MAX_ORDER)
        return cached.letters_trace(*of, *(() if state["rule"] == "mean_max" else (state["rule"],)))

    trace = traced(features, view["alphas"])
    view["level"] = min(view["level"], len(trace.levels))
    touring.offer(facts, trace, view["level"], view["cell"])
    if not callbacks.is_dragged(KEY):

        def valued():
            return values(trace, view["level"], view["cell"], traced(features, ()), questions.wanted_names())

        questions.offer(state, valued)
    pins = callbacks.traces_of_pins(view, FEATURES, traced)
    payload = lattice_payload(
        trace, features=features, order=order, controls=bool(state["controls"]), pins=pins,
        hidden=questions.hidden_parts(), level=view["level"],
    )  # fmt: skip
    taken = callbacks.commit_lattice(LETTERS, KEY, MAX_ORDER)
    show_lattice(payload, key=KEY, view=view, on_change=taken)
    if state["rule"] == "margin" and state["controls"]:
        is_open = features in cached.OPEN
        st.caption(charts.margins(trace, cached.letters_margins(features)) if is_open else charts.NO_MARGINS)
    return None


def count_bars(state):
    """What is left at each position (thesis, Fig. 4.5)."""
    alphas = tuple(state[f"a{n}"] for n in range(1, MAX_ORDER + 1))
    of = state["word"], state["features"], state["order"], alphas
    pixels, counts = cached.letters_positions(*of, *(() if state["rule"] == "mean_max" else (state["rule"],)))
    is_shown = state["reveal"] == "shown"
    sentence = charts.describe_bars(
        counts, cached.letters_offer(state["features"])[state["word"]] if is_shown else ""
    )
    figure = charts.positions(pixels, counts, is_shown=is_shown, **layout.look(520, 800))
    st.plotly_chart(figure, alt=sentence, config=CONFIG, **layout.PLOT)
    st.markdown(sentence)


PADDING = "0.4rem 1rem 0" if layout.is_projected() else "3rem 2rem 1rem"
HEADER = ".stAppHeader {display: none}" if layout.is_projected() else ""
st.html(f"<style>.stMainBlockContainer {{padding: {PADDING}}} {HEADER}</style>")
layout.introduce(charts.INTRODUCTION)
if FEATURES:
    common.tells_of_damage(letters)()
else:
    st.error(
        common.why_missing(
            cached.NONE.format("open"),
            *cached.MODEL_NAMES,
        )
    )
if not layout.is_projected():
    shown = LETTERS.narrow(features=FEATURES).parse(st.query_params)["features"]
    if shown in cached.OPEN:
        with results.said_if_damaged("ocr-open"):
            st.caption(open_words.page_note(common.result("ocr-open"), cached.OPEN[shown]))
    else:
        st.caption(charts.FEW_WORDS)

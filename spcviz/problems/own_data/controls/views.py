"""What is shown of a model: the lattice of a sentence, the same view as on the built-in pages."""

import streamlit as st

from spcviz.problems.own_data.controls.state import N_LEVELS, TABLE, read, settings_of
from spcviz.problems.own_data.page import cached
from spcviz.problems.own_data.page import text as say
from spcviz.web.cached import common
from spcviz.web.figures.lattice_facts import facts
from spcviz.web.lattice.component import lattice_payload, show_lattice
from spcviz.web.touring import touring
from spcviz.web.ui import layout
from spcviz.web.ui.state import pinned
from spcviz.web.view.mount import live_view

LATTICE = "data_lattice"
OWNED = ("level", "step", "cell", "pin_a", "pin_b", "reveal")
MODEL = "own"
"""What a pin of this page calls its model."""


def from_lattice() -> None:
    """The component's callback: what was set in the browser goes to the address, once it is let go of."""
    view = live_view(LATTICE)
    if view and not view["dragging"]:
        alphas = (list(view["alphas"]) + [None] * N_LEVELS)[:N_LEVELS]
        TABLE.write(
            **{f"a{n}": a for n, a in enumerate(alphas, start=1)}, **{name: view[name] for name in OWNED}
        )


def number_of(state: dict, chosen) -> int:
    """The sentence that is shown: that of the address, if it is one that training has not seen."""
    return state["sentence"] if state["sentence"] in chosen else int(chosen[0])


def sentence(own, source, state: dict) -> None:
    """Which held-out sentence."""
    chosen, right = source.sentences()
    names = {int(n): say.sentence(int(n), own.brought.sentences[n], ok) for n, ok in zip(chosen, right)}
    st.session_state["data_sentence"] = number_of(state, chosen)
    st.selectbox(
        "Sentence that training has not seen" if own.brought.kind == "text" else "Sequence",
        list(names),
        format_func=names.get,
        key="data_sentence",
        on_change=lambda: TABLE.write(sentence=st.session_state["data_sentence"], cell=""),
        label_visibility="collapsed",
    )


@st.fragment
@common.tells_of_damage
def lattice() -> None:
    """The lattice: a fragment of its own, rerun five times a second in a drag."""
    state = read()
    own = cached.current(state["example"])
    source = cached.source_of(own, settings_of(state))
    if source is None:
        return
    chosen, _ = source.sentences()
    number, live = number_of(state, chosen), live_view(LATTICE)
    view = {name: state[name] for name in OWNED}
    view["alphas"] = [state[f"a{n}"] for n in range(1, source.n_levels + 1)]
    if live and live.get("dragging"):
        view |= {name: live[name] for name in view}
        view["alphas"] = view["alphas"][: source.n_levels]
    view["level"] = min(view["level"], source.n_levels)
    trace = source.trace(number, tuple(view["alphas"]))
    touring.offer(facts, trace, view["level"], view["cell"])
    pins = {
        pin: (text, source.trace(number, tuple(alphas)[: source.n_levels]))
        for pin, (text, model, alphas) in pinned(view).items()
        if model == MODEL
    }
    payload = lattice_payload(trace, features=MODEL, controls=bool(state["controls"]), pins=pins)
    show_lattice(payload, key=LATTICE, view=view, on_change=from_lattice)
    words = own.brought.sentences[number]
    if len(words) > cached.MAX_WORDS and not layout.is_projected():
        st.caption(
            f"The sentence has {len(words)} words; drawn are the first {cached.MAX_WORDS}, by themselves."
        )
    if not layout.is_projected():
        st.caption(say.trained(source.done.report))

"""Editor of the scenes of the visitor's own tour: write, move and delete them."""

import streamlit as st

from spcviz.web.figures.plain import plain
from spcviz.web.touring import own_tour
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

HELP = {
    "say": "One or two sentences. Names in braces, {kept}, become the page's own numbers.",
    "after": "What changes in the address with the answer, for example: step=4",
    "choices": "What a class may choose from on their phones, with | between: noun | verb",
    "right": "Which of the choices is right; without choices the class guesses this number: {kept}",
    "minutes": "For the clock in the speaker's window; empty: worked out from the texts.",
    "point": "A part to look at: a CSS selector, or text: and some words of the page.",
}


def change(scenes):
    """Replace the scenes of the visitor's own tour."""
    own_tour.keep(own_tour.own()._replace(scenes=tuple(scenes)))


def move(at, by):
    """Move a scene up or down."""
    scenes = list(own_tour.own().scenes)
    scenes.insert(at + by, scenes.pop(at))
    change(scenes)
    shown = st.session_state
    shown[box_key(at)], shown[box_key(at + by)] = shown[box_key(at + by)], shown[box_key(at)]


def drop(at):
    """Delete a scene."""
    scenes = list(own_tour.own().scenes)
    del scenes[at]
    change(scenes)
    for below in range(at, len(scenes)):
        st.session_state[box_key(below)] = st.session_state[box_key(below + 1)]


def box_key(at):
    """The session key of whether a scene's box is open."""
    return f"tours_open_{at}"


def on_text(at, field, key):
    """Take a changed text of a scene."""
    scenes = list(own_tour.own().scenes)
    scenes[at] = scenes[at]._replace(**{field: st.session_state[key]})
    change(scenes)
    st.session_state[box_key(at)] = True  # a new heading makes it a new box, which would be closed


def field(scene, at, name, label, lines=False):
    """Show the field of one text of a scene."""
    key = f"tours_{name}_{at}"
    st.session_state[key] = getattr(scene, name)
    box = st.text_area if lines else st.text_input
    of = {"max_chars": tour.TEXTS[name], "on_change": on_text, "args": (at, name, key)}
    box(label, key=key, help=HELP.get(name), **of)


def scene_box(at, scene, n):
    """Show one scene to edit; only an open box has fields: those of all scenes take a tenth of a second."""
    first = scene.say or scene.ask or scene.address
    box = st.expander(f"{at + 1}. {plain(first[:70])}", key=box_key(at), on_change="rerun")
    if not box.open:
        return
    with box:
        field(scene, at, "address", "Address: page and state")
        field(scene, at, "say", "Sentence", lines=True)
        field(scene, at, "ask", "Question")
        field(scene, at, "answer", "Its answer", lines=True)
        left, right = st.columns(2)
        with left:
            field(scene, at, "after", "Changes with the answer")
            field(scene, at, "choices", "Choices for a class")
        with right:
            field(scene, at, "right", "The right one")
            field(scene, at, "minutes", "Planned minutes")
            field(scene, at, "point", "Part to look at")
        field(scene, at, "notes", "Notes for the speaker", lines=True)
        with st.container(horizontal=True):
            key = f"tours_do_{at}"
            st.button("Up", key=f"{key}_up", on_click=move, args=(at, -1), disabled=at == 0)
            st.button("Down", key=f"{key}_down", on_click=move, args=(at, 1), disabled=at == n - 1)
            st.button("Delete", key=f"{key}_drop", on_click=drop, args=(at,))
            st.page_link(
                navigation.file_of("pages/start/tours.py"),
                label="Try",
                icon=":material/play_arrow:",
                query_params={"tour": tour.OWN, "scene": str(at + 1)},
            )

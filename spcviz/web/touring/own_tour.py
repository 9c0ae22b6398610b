"""A visitor's own tour: store it, edit its scenes, and take one that a link or file brought.

A brought tour never replaces the visitor's own automatically: it is kept separately until the visitor presses
a button, and a tour replaced that way can be restored. The browser keeps all three for the next visit:
`values_to_keep` returns what it should write, `restore` takes what it had.
"""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from spcviz.web.figures.formatting import plain
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

MOST_EARLIER = 5
"""Replaced tours that can be restored."""
_OWN, _EARLIER, _BROUGHT, _HAS_HEARD = "tour_own", "tour_earlier", "tour_brought", "tour_has_heard"


class BroughtTour(NamedTuple):
    """A tour from elsewhere."""

    tour: tour.Tour | None  # None: it was dismissed
    origin: str  # "link", "file", "address" or "copy"


def own():
    """The visitor's own `Tour`."""
    return st.session_state.get(_OWN) or tour.Tour(tour.OWN, "My tour", "", ())


def keep(mine):
    """Make a tour the visitor's own, for this session."""
    st.session_state[_OWN] = mine._replace(name=tour.OWN)


def find_brought():
    """The brought tour that the visitor has not handled yet, a `BroughtTour`, or None."""
    kept_text = st.session_state.get(_BROUGHT)
    return kept_text if kept_text and kept_text.tour else None


def bring(new, origin):
    """Store a tour from elsewhere, next to the visitor's own."""
    st.session_state[_BROUGHT] = BroughtTour(new._replace(name=tour.BROUGHT), origin)


def put_away():
    """Dismiss the brought tour."""
    st.session_state[_BROUGHT] = BroughtTour(None, "")


def earlier():
    """Replaced tours of the visitor, the most recent first."""
    return st.session_state.get(_EARLIER, ())


def _remember(*tours):
    """Put tours at the head of those that can be restored; each once, none without scenes."""
    every = dict.fromkeys(one._replace(name=tour.OWN) for one in (*tours, *earlier()) if one.scenes)
    st.session_state[_EARLIER] = tuple(every)[:MOST_EARLIER]


def replace():
    """Make the brought tour the visitor's own; the previous one can be restored."""
    if foreign := find_brought():
        _take(foreign.tour)


def _take(new):
    """Make a tour built from the brought one the visitor's own; the previous one can be restored."""
    _remember(own())
    keep(new)
    put_away()


def fits(candidate):
    """Whether the scenes of a tour can be appended to the visitor's own."""
    return len(own().scenes) + len(candidate.scenes) <= tour.MAX_SCENES


def join():
    """Append the scenes of the brought tour to the visitor's own."""
    foreign = find_brought()
    if foreign and fits(foreign.tour):
        _take(own()._replace(scenes=(*own().scenes, *foreign.tour.scenes)))


def take_back():
    """Restore the tour that was replaced last; the one it replaces goes to the end of the others."""
    if earlier():
        (last, *others), now = earlier(), own()
        keep(last)
        st.session_state[_EARLIER] = (*others, *([now] if now.scenes else []))


def add(scene):
    """Append a scene to the visitor's own tour; return a message on the result."""
    mine = own()
    if len(mine.scenes) == tour.MAX_SCENES:
        return f"a tour has at most {tour.MAX_SCENES} scenes"
    keep(mine._replace(scenes=(*mine.scenes, scene)))
    return f"scene {len(mine.scenes) + 1} of your tour"


# ------------------------------------------------------------------ storage in the browser


def values_to_keep():
    """Texts that the browser should store, by name: "" to remove, None if this session has nothing."""
    state = st.session_state
    foreign = state.get(_BROUGHT)
    return {
        "own": tour.pack(own()) if _OWN in state else None,
        "earlier": " ".join(map(tour.pack, earlier())) if _EARLIER in state else None,
        "brought": (tour.pack(foreign.tour) if foreign.tour else "") if foreign else None,
        "isNew": _HAS_HEARD not in state,  # it does not know yet what the browser has
    }


def restore(asked: Mapping):
    """Take the tours that this browser has kept, replacing none of this session; anyone may send anything."""
    state = st.session_state
    if _HAS_HEARD in state:
        return
    state[_HAS_HEARD] = True
    mine, foreign = _read(asked.get("own")), _read(asked.get("brought"))
    before = str(asked.get("earlier") or "").split(" ")[:MOST_EARLIER]
    if mine and _OWN not in state:
        keep(mine)
    elif mine and mine != own():
        _remember(mine)  # the visitor was quicker than their browser
    if before := [one for one in map(_read, before) if one]:
        now = earlier()
        state[_EARLIER] = ()
        _remember(*now, *before)
    if foreign and _BROUGHT not in state:
        bring(foreign, "link")


def _read(text):
    """The tour in a stored text, None if there is none."""
    if isinstance(text, str) and text:
        with contextlib.suppress(tour.TourError):
            return tour.unpack(text, longest=tour.LONGEST_KEPT)
    return None


def link(here: str | None, packed_tour: str) -> str:
    """The address of a packed tour, with the host of `here`, the page that a visitor has open.

    >>> link("https://a.example/spcviz/tours?tour=own", "abc"), link(None, "abc")
    ('https://a.example/spcviz/tours?own=abc', '/tours?own=abc')
    """
    parts = urlsplit(here or "")
    app = parts.path.rstrip("/").removesuffix("/tours")
    host = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    return f"{host}{app}/tours?own={packed_tour}"


# ------------------------------------------------------------------ editing its scenes

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
    keep(own()._replace(scenes=tuple(scenes)))


def move(at, by):
    """Move a scene up or down."""
    scenes = list(own().scenes)
    scenes.insert(at + by, scenes.pop(at))
    change(scenes)
    shown = st.session_state
    shown[box_key(at)], shown[box_key(at + by)] = shown[box_key(at + by)], shown[box_key(at)]


def drop(at):
    """Delete a scene."""
    scenes = list(own().scenes)
    del scenes[at]
    change(scenes)
    for below in range(at, len(scenes)):
        st.session_state[box_key(below)] = st.session_state[box_key(below + 1)]


def box_key(at):
    """The session key of whether a scene's box is open."""
    return f"tours_open_{at}"


def on_text(at, name, key):
    """Take a changed text of a scene."""
    scenes = list(own().scenes)
    scenes[at] = scenes[at]._replace(**{name: st.session_state[key]})
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

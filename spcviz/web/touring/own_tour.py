"""Store a visitor's own tour, one that a link or file brought, and those that were replaced.

A brought tour never replaces the visitor's own automatically: it is kept separately until the visitor presses
a button, and a tour replaced that way can be restored. The browser keeps all three for the next visit:
`values_to_keep` returns what it should write, `restore` takes what it had.
"""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from spcviz.web.tours import tour

MOST_EARLIER = 5
"""Replaced tours that can be restored."""
_OWN, _EARLIER, _BROUGHT, _HAS_HEARD = "tour_own", "tour_earlier", "tour_brought", "tour_has_heard"


class Brought(NamedTuple):
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
    """The brought tour that the visitor has not handled yet, a `Brought`, or None."""
    kept_text = st.session_state.get(_BROUGHT)
    return kept_text if kept_text and kept_text.tour else None


def bring(new, origin):
    """Store a tour from elsewhere, next to the visitor's own."""
    st.session_state[_BROUGHT] = Brought(new._replace(name=tour.BROUGHT), origin)


def put_away():
    """Dismiss the brought tour."""
    st.session_state[_BROUGHT] = Brought(None, "")


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

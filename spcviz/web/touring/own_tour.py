"""Store a visitor's own tour, one that a link or file brought, and those that were replaced.

What is brought never takes the place of what a visitor made: it stands beside it until a button says so, and
what a button replaced can be brought back. The browser keeps all three for the next visit:
`values_to_keep` is what it should write, `restore` takes what it had.
"""

import contextlib
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from spcviz.web.tours import tour

MOST_EARLIER = 5
"""Tours that were replaced and can be brought back."""
_OWN, _EARLIER, _BROUGHT, _HAS_HEARD = "tour_own", "tour_earlier", "tour_brought", "tour_has_heard"


class Brought(NamedTuple):
    """What came from elsewhere."""

    tour: tour.Tour | None  # None: it was put away
    origin: str  # "link", "file", "address" or "copy"


def own():
    """The visitor's own `Tour`."""
    return st.session_state.get(_OWN) or tour.Tour(tour.OWN, "My tour", "", ())


def keep(mine):
    """Make a tour the visitor's own, for this session."""
    st.session_state[_OWN] = mine._replace(name=tour.OWN)


def find_brought():
    """What was brought and nothing was done with yet, a `Brought`, or None."""
    kept_text = st.session_state.get(_BROUGHT)
    return kept_text if kept_text and kept_text.tour else None


def bring(new, origin):
    """Put a tour from elsewhere beside the visitor's own."""
    st.session_state[_BROUGHT] = Brought(new._replace(name=tour.BROUGHT), origin)


def put_away():
    """What was brought is not wanted."""
    st.session_state[_BROUGHT] = Brought(None, "")


def earlier():
    """Tours of the visitor that were replaced, the last one first."""
    return st.session_state.get(_EARLIER, ())


def _remember(*tours):
    """Put tours before those that can be brought back; each once, none without scenes."""
    every = dict.fromkeys(one._replace(name=tour.OWN) for one in (*tours, *earlier()) if one.scenes)
    st.session_state[_EARLIER] = tuple(every)[:MOST_EARLIER]


def replace():
    """What was brought becomes the visitor's own tour; the one before can be brought back."""
    if foreign := find_brought():
        _take(foreign.tour)


def _take(new):
    """A tour that was made of what was brought is the visitor's own; the one before can be brought back."""
    _remember(own())
    keep(new)
    put_away()


def fits(candidate):
    """Whether what was brought can be put behind the visitor's own scenes."""
    return len(own().scenes) + len(candidate.scenes) <= tour.MAX_SCENES


def join():
    """Put the scenes of what was brought behind the visitor's own."""
    foreign = find_brought()
    if foreign and fits(foreign.tour):
        _take(own()._replace(scenes=(*own().scenes, *foreign.tour.scenes)))


def take_back():
    """The tour that was replaced last is the visitor's own again; what it replaces goes behind the others."""
    if earlier():
        (last, *others), now = earlier(), own()
        keep(last)
        st.session_state[_EARLIER] = (*others, *([now] if now.scenes else []))


def add(scene):
    """Put a scene at the end of the visitor's own tour; says what was done."""
    mine = own()
    if len(mine.scenes) == tour.MAX_SCENES:
        return f"a tour has at most {tour.MAX_SCENES} scenes"
    keep(mine._replace(scenes=(*mine.scenes, scene)))
    return f"scene {len(mine.scenes) + 1} of your tour"


# ------------------------------------------------------------------ what the browser keeps


def values_to_keep():
    """What the browser should keep, by name: "" for nothing more, None where this session has nothing."""
    state = st.session_state
    foreign = state.get(_BROUGHT)
    return {
        "own": tour.pack(own()) if _OWN in state else None,
        "earlier": " ".join(map(tour.pack, earlier())) if _EARLIER in state else None,
        "brought": (tour.pack(foreign.tour) if foreign.tour else "") if foreign else None,
        "isNew": _HAS_HEARD not in state,  # it has not heard yet what the browser has
    }


def restore(asked: Mapping):
    """Take what this browser has kept; nothing of this session is replaced; anyone may send anything."""
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
    """The tour of a kept text, None if it holds none."""
    if isinstance(text, str) and text:
        with contextlib.suppress(tour.TourError):
            return tour.unpack(text, longest=tour.LONGEST_KEPT)
    return None


def link(here: str | None, packed_tour: str) -> str:
    """The address of a packed tour, with the host of the page that a visitor has open, `here`.

    >>> link("https://a.example/spcviz/tours?tour=own", "abc"), link(None, "abc")
    ('https://a.example/spcviz/tours?own=abc', '/tours?own=abc')
    """
    parts = urlsplit(here or "")
    app = parts.path.rstrip("/").removesuffix("/tours")
    host = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    return f"{host}{app}/tours?own={packed_tour}"

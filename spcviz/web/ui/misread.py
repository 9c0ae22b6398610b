"""Report parts of an address that its page cannot show, in a line above the page.

An invalid value counts as absent and leaves the address (`spcviz.web.ui.state`), so it is reported as long as
the page stays where that led. An unknown name stays in the address, and the sentence with it.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping

import streamlit as st

from spcviz.web.figures.formatting import plain
from spcviz.web.tours.tour import RESERVED

_NOTED, _KNOWN, _STAYS = "misread_noted", "misread_known", "misread_stays"
"""Session keys: {name: sentence} of this run, names that its page reads, and the rest of an earlier run:
(page, its state, its sentences)."""
ALWAYS = frozenset(RESERVED) - {"at"}
"""Names that every page knows: ``at`` has no meaning without a tour."""
OF_PAGES = {"tours": {"own", "handout"}, "course": {"done"}}
"""{page: names that it reads in addition to a table of state}."""
FOLLOWERS = ("utm_", "fbclid", "gclid", "msclkid", "mc_")
"""Tracking names that other programs append to a shared address: they request nothing."""
HINTS = {
    "at": "The address names a scene and no tour: a link to a scene has both, tour=… and scene=….",
    "scene": "The address names a scene and no tour: a link to a scene has both, tour=… and scene=….",
}
"""{name that a page does not know: the sentence instead of the general one}."""
LONGEST, MOST = 40, 5
"""Most characters of a text of the address, and most sentences, that are shown."""


def note(name: str, sentence: str) -> None:
    """Note what is wrong with a name of the address, to be shown above the page."""
    st.session_state.setdefault(_NOTED, {})[name] = sentence


def know(names: Iterable[str]) -> None:
    """Add names that the page of this run reads from its address."""
    st.session_state[_KNOWN] = st.session_state.get(_KNOWN, frozenset()).union(names)


def begin() -> None:
    """Begin a run of the whole page."""
    st.session_state[_NOTED], st.session_state[_KNOWN] = {}, frozenset()


def quote(text: str) -> str:
    """A text of the address in quotation marks, escaped so that markdown shows it as it is.

    >>> quote("9"), quote("a" * 50), quote(" ")
    ('“9”', '“aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”', '“”')
    """
    return f"“{plain(text[:LONGEST])}{'…' * (len(text) > LONGEST)}”"


def list_unknown(params: Mapping[str, str], known: Iterable[str]) -> list[str]:
    """Sentences about names of an address that are not among those `known`.

    >>> list_unknown({"wrod": "5", "utm_source": "x", "word": "5"}, ["word"])
    ['This page does not know “wrod”, which the address has.']
    """
    names = [name for name in params if name not in known and not name.startswith(FOLLOWERS)]
    of_name = "This page does not know {}, which the address has.".format
    return list(dict.fromkeys(HINTS.get(name, of_name(quote(name))) for name in names))


@contextlib.contextmanager
def notice(page: str) -> Iterator[None]:
    """Show above a page that runs which parts of its address were not understood."""
    slot = st.container(key="misread")  # takes no space while it is empty
    try:
        yield
    finally:
        with slot:
            _draw(page)


def _draw(page):
    params = st.query_params.to_dict()
    state = {name: text for name, text in params.items() if name not in RESERVED}
    sentences = list(st.session_state.get(_NOTED, {}).values())
    earlier = st.session_state.get(_STAYS)
    if sentences:
        st.session_state[_STAYS] = page, state, sentences
    elif earlier and earlier[:2] == (page, state):
        sentences = earlier[2]
    else:
        st.session_state.pop(_STAYS, None)
    of_tour = set(HINTS) if "tour" in params else set()
    known = st.session_state.get(_KNOWN, frozenset()) | ALWAYS | OF_PAGES.get(page, set()) | of_tour
    said = [*sentences, *list_unknown(params, known)]
    more = [f"And {len(said) - MOST} more."] if len(said) > MOST else []
    if said:
        st.warning(" ".join([*said[:MOST], *more]), icon=":material/link_off:")

"""Cached calls of the page Orders and features."""

import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.common.folders import MODELS
from spcviz.problems.hybrid.model import stored
from spcviz.problems.hybrid.page import live
from spcviz.web.cached.common import STORED

HAND = live.HAND


@st.cache_resource(max_entries=2, show_spinner=False)
def _model(data):
    return stored.load(MODELS, data)


@st.cache_resource(max_entries=3, show_spinner=False)
def offered_words(data):
    """{place: text}; see `spcviz.problems.hybrid.page.live.offered`."""
    return live.offered(data)


@st.cache_resource(max_entries=64, show_spinner=False)
def _course(data, place, hand):
    return live.word(_model("open" if data == "dev" else data), data, place, hand)


def course(data, place, hand):
    """(the word under the controller and by hand, what is wrong with the actions by hand or None)."""
    try:
        return _course(data, place, hand), None
    except ArgumentError as error:
        return _course(data, place, ""), str(error)


def fill():
    """The page's first word."""
    if stored.NAME in STORED:
        course("dev", next(iter(offered_words("dev"))), "")

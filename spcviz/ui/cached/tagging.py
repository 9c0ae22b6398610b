"""Cached calls of the Tagging page."""

import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.common.folders import MODELS
from spcviz.problems.tagging import live, models


@st.cache_resource(max_entries=1, show_spinner=False)
def tagger():
    """The stored tagger, verified; see `spcviz.problems.tagging.models.load_tagger`."""
    return models.load_tagger(MODELS)


def tagging_words(text):
    """(words of a typed text, what is wrong with it or None): one of them is empty."""
    try:
        return tuple(live.read_sentence(text)), None
    except ArgumentError as error:
        return (), str(error)


@st.cache_resource(max_entries=128, show_spinner=False)
def tagging_trace_of(words, alphas=()):
    """A sentence through the cascade; see `spcviz.problems.tagging.live.trace_text`."""
    return live.trace_text(tagger(), words, alphas=alphas)


@st.cache_resource(max_entries=128, show_spinner=False)
def tagging_comparison(words, alphas=()):
    """SPC and CRF on one sentence; see `spcviz.problems.tagging.live.compare_text`."""
    return live.compare_text(tagger(), words, alphas=alphas)

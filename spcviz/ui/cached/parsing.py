"""Cached calls of the Parsing page."""

import streamlit as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.common.folders import MODELS
from spcviz.problems.parsing import gallery, live, models
from spcviz.ui.cached.tagging import tagger


@st.cache_resource(max_entries=1, show_spinner=False)
def _model():
    return models.load(MODELS)


@st.cache_resource(max_entries=1, show_spinner=False)
def gallery_sentences():
    """{key: Sentence} of all that can be shown; see `spcviz.problems.parsing.gallery.sentences`."""
    return {sentence.key: sentence for sentence in gallery.sentences()}


def typed_words(text):
    """(words of a typed text, what is wrong with it or None): one of them is empty."""
    try:
        return live.read_sentence(text), None
    except ArgumentError as error:
        return (), str(error)


@st.cache_resource(max_entries=64, show_spinner=False)
def parsed(words, key=""):
    """A sentence under every policy; see `spcviz.problems.parsing.live.parse`.

    Parameters
    ----------
    words : tuple of str
    key : str
        Of the gallery, for its true heads.
    """
    truth = gallery_sentences()[key].heads if key else None
    return live.parse(_model(), tagger(), words, truth)


def fill():
    """The page's first sentence."""
    first = next(iter(gallery_sentences().values()))
    parsed(first.words, first.key)

"""Cached calls of the Paper tables page."""

from functools import cache

import streamlit as st

from spcviz.web.cached import common
from spcviz.web.figures import blocks


@st.cache_resource(max_entries=48, show_spinner=False, ttl=300)
def result_blocks(name, features, palette, scale, height, _shown):
    """What a result is shown as; each chart is put together once, when it is first asked for.

    Parameters
    ----------
    name : str
        Of a stored result that can be shown.
    features : str
        Which of its sets of features.
    palette : Palette
    scale, height : float
        As `spcviz.web.ui.layout.look` gives them.
    _shown : Shown
        How the result is shown.

    Returns
    -------
    list of Block
    """
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(own) for own in _shown.blocks(common.result(name), features, look)]


@st.cache_resource(max_entries=1, show_spinner=False, ttl=300)
def all_claims(_read):
    """What all claims come to, as `_read` says it."""
    return _read()


def _once(block):
    """A block whose charts are made once."""
    if isinstance(block, blocks.Chart):
        return block._replace(make=cache(block.make))
    if isinstance(block, blocks.Charts):
        return block._replace(charts=tuple(map(_once, block.charts)))
    return block

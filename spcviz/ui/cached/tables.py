"""Cached calls of the Paper tables page."""

from functools import cache
from typing import NamedTuple

import streamlit as st

from spcviz.figures.common import blocks
from spcviz.figures.common.results import command_of, features_of, is_usable, origin_sentence
from spcviz.ui.cached import common


class Stored(NamedTuple):
    """What the page says of a result beside its blocks; the result itself, megabytes, is not kept for it.

    Attributes
    ----------
    features : list of str
        Its sets of features.
    source, command, origin : str
        Where the paper's numbers are from, how it is repeated, where it was measured.
    """

    features: list
    source: str
    command: str
    origin: str


@st.cache_resource(max_entries=64, show_spinner=False, ttl=300)
def stored(name, _needs):
    """What is said of a result; None if it is not there or has not the form that is needed.

    Parameters
    ----------
    name : str
    _needs : tuple of str
        What each of its rows must have.

    Returns
    -------
    Stored or None
    """
    result = common.result(name)
    if not is_usable(result, _needs):
        return None
    source = result.get("source", "not said")
    return Stored(features_of(result), source, command_of(result), origin_sentence(result))


def file_of(name):
    """A result's file as it stands on the disk, for a visitor to take home: bytes."""
    return (common.RESULTS / f"{name}.json").read_bytes()


@st.cache_resource(max_entries=128, show_spinner=False, ttl=300)
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
        As `spcviz.ui.layout.look` gives them.
    _shown : Shown
        How the result is shown.

    Returns
    -------
    list of Block
    """
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(own) for own in _shown.blocks(common.result(name), features, look)]


def _once(block):
    """A block whose charts are made once."""
    if isinstance(block, blocks.Chart):
        return block._replace(make=cache(block.make))
    if isinstance(block, blocks.Charts):
        return block._replace(charts=tuple(map(_once, block.charts)))
    return block

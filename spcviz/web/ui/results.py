"""Stored results on pages: their names and titles, and their cached tables and charts."""

import contextlib
import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit import dataframe_util

from spcviz import registry
from spcviz.shared import result_files
from spcviz.web.cached import common
from spcviz.web.cached.sharing import share
from spcviz.web.figures import stored_results
from spcviz.web.figures.formatting import plain
from spcviz.web.figures.palette import Palette, palette

LOG = logging.getLogger(__name__)
HEIGHT, FEATURES = 430, "raw"
"""For the page Paper tables: height of a chart in pixels, and the features shown first for a result."""


@contextlib.contextmanager
def said_if_damaged(name):
    """Show a sentence in place of everything that a page makes of a stored result if its file is damaged."""
    try:
        with result_files.reading(name):
            yield
    except result_files.ResultError as error:
        LOG.warning("%s", error)
        st.info(f"Not shown: {plain(error.what)}. Make it again with: `{result_files.repair_command(name)}`.")


def names():
    """Names of the problems' results, in order; then those of other files."""
    known = list(registry.results())
    return [*known, *(name for name in common.results_found() if name not in known)]


def title(name):
    """Title of a result in a menu; its name if it belongs to no problem."""
    row = registry.results().get(name)
    return row.title if row else name


def find_shown(name):
    """The `spcviz.web.figures.stored_results.Shown` of a result, which says how it is shown."""
    row = registry.results().get(name)
    return registry.load(row.show) if row else stored_results.ANYTHING


def draw_result(name, features, look):
    """All blocks of a stored result."""
    return result_blocks(name, features, **look, _shown=find_shown(name))


def fill_more():
    """Draw all stored results once, in the light theme: a class opens them all in the same second."""
    look = {"palette": palette("light"), "scale": 1.0, "height": HEIGHT}
    for name in names():
        with contextlib.suppress(result_files.ResultError), result_files.reading(name):
            result = common.result(name)
            if stored_results.is_usable(result, find_shown(name).needs):
                for features in stored_results.features_of(result) or [FEATURES]:
                    make_charts(draw_result(name, features, look))
                    yield


@share(120, kernels=False, **common.UNCHANGED)  # each result with all its features, light and dark
def result_blocks(
    name: str, features: str, palette: Palette, scale: float, height: float, _shown: stored_results.Shown
) -> list[stored_results.Block]:
    """A stored result as blocks, drawn as `layout.look` says; charts are made once, at first use."""
    look = {"palette": palette, "scale": scale, "height": height}
    return [_once(block) for block in _shown.blocks(common.result(name), features, look)]


@share(1, kernels=False, **common.UNCHANGED)
def statements(_read: Callable[[], Any]) -> Any:
    """The outcomes of the statements, as `_read` returns them."""
    return _read()


def rows_of(frame: pd.DataFrame) -> pa.Table:
    """Convert a frame to what a browser receives: Streamlit would do so again in every run."""
    return dataframe_util.convert_pandas_df_to_arrow_table(frame)


def make_charts(drawn: list[stored_results.Block]) -> None:
    """Make the charts of `result_blocks` before they are requested."""
    for block in drawn:
        for one in block.charts if isinstance(block, stored_results.Charts) else [block]:
            if isinstance(one, stored_results.ChartBlock):
                one.make()


def _once(block: Any) -> Any:
    """A block whose charts and rows are made once."""
    if isinstance(block, stored_results.Table):
        return block._replace(rows=rows_of(block.frame))
    if isinstance(block, stored_results.ChartBlock):
        return block._replace(make=cache(block.make))
    if isinstance(block, stored_results.Charts):
        return block._replace(charts=tuple(map(_once, block.charts)))
    return block

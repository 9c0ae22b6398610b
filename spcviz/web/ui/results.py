"""The available reproduced results and how each is shown, from the list of problems."""

import contextlib
import logging

import streamlit as st

from spcviz import registry
from spcviz.shared import result_files
from spcviz.web.cached import common, tables
from spcviz.web.figures import results
from spcviz.web.figures.palette import palette
from spcviz.web.figures.plain import plain

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
    """The `spcviz.web.figures.blocks.Shown` of a result, which says how it is shown."""
    row = registry.results().get(name)
    return registry.load(row.show) if row else results.ANYTHING


def draw_result(name, features, look):
    """All blocks of a stored result."""
    return tables.result_blocks(name, features, **look, _shown=find_shown(name))


def fill_more():
    """Draw all stored results once, in the light theme: a class opens them all in the same second."""
    look = {"palette": palette("light"), "scale": 1.0, "height": HEIGHT}
    for name in names():
        with contextlib.suppress(result_files.ResultError), result_files.reading(name):
            result = common.result(name)
            if results.is_usable(result, find_shown(name).needs):
                for features in results.features_of(result) or [FEATURES]:
                    tables.make_charts(draw_result(name, features, look))
                    yield

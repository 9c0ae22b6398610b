"""Which reproduced results exist and how each is shown, from the list of problems."""

import contextlib
import logging

import streamlit as st

from spcviz import registry
from spcviz.shared import stored
from spcviz.web.cached import common, tables
from spcviz.web.figures import claims, results
from spcviz.web.figures.palette import palette
from spcviz.web.figures.plain import plain

LOG = logging.getLogger(__name__)
HEIGHT, FEATURES = 430, "raw"
"""Of the page Paper tables: pixels of a chart, and the features that it opens a result with."""
_PYTHON = """# Paper tables: what stored results come to, beside the papers. Run this in a clone.
from spcviz.problems import registry
from spcviz.shared import stored
from spcviz.shared.folders import RESULTS
from spcviz.web.figures import claims, results

readings = []
for name in {names}:
    if (result := stored.read(RESULTS, name)) is not None:
        readings += results.readings(registry.load(registry.results()[name].show), result)
print(claims.counts(readings))
for reading in claims.worst_first(readings):
    print(reading.verdict, "|", reading.claim.system, "|", reading.claim.what, "|", reading.measured)
"""


@contextlib.contextmanager
def said_if_damaged(name):
    """Around all that a page makes of a stored result: a sentence instead where its file is damaged."""
    try:
        with stored.reading(name):
            yield
    except stored.ResultError as error:
        LOG.warning("%s", error)
        st.info(f"Not shown: {plain(error.what)}. Make it again with: `{stored.repair_command(name)}`.")


def names():
    """Names of the results that the problems claim, in order; then of files that no problem claims."""
    claimed = list(registry.results())
    return [*claimed, *(name for name in common.results_found() if name not in claimed)]


def title(name):
    """What a menu calls a result; one that no problem claims goes by its name."""
    row = registry.results().get(name)
    return row.title if row else name


def shown(name):
    """How a result is shown: a `spcviz.web.figures.blocks.Shown`."""
    row = registry.results().get(name)
    return registry.load(row.show) if row else results.ANYTHING


def python(name=None):
    """Lines that read the claims about a stored result, or about all; none about what no problem claims."""
    if name is None:
        return _PYTHON.format(names="registry.results()")
    return _PYTHON.format(names=[name]) if name in registry.results() else ""


def parts(name, features, look):
    """(what is claimed of a stored result: `tables.Verdicts` or None, all else that is shown of it)."""
    how = shown(name)
    verdicts = tables.verdicts(name, claims.COLUMNS, lambda: results.readings(how, common.result(name)))
    return verdicts, tables.result_blocks(name, features, **look, _shown=how)


def fill_more():
    """Draw all stored results once, as a light page does: a class opens them all in the same second."""
    look = {"palette": palette("light"), "scale": 1.0, "height": HEIGHT}
    for name in names():
        with contextlib.suppress(stored.ResultError), stored.reading(name):
            result = common.result(name)
            if results.is_usable(result, shown(name).needs):
                for features in results.features_of(result) or [FEATURES]:
                    tables.make_charts(parts(name, features, look)[1])
                    yield


def readings():
    """What all claims come to: (list of Reading, names of results that are not stored or damaged)."""
    read, missing = [], []
    for name in registry.results():
        result = common.result(name)
        if results.is_usable(result, shown(name).needs):
            read += results.readings(shown(name), result)
        else:
            missing.append(name)
    return read, missing

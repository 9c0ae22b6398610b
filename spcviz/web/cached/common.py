"""What every page may ask for: reproduced results, stored models, and their errors.

Nothing else caches but this package: thin streamlit wrappers over pure functions, keyed by small values,
a file a problem. Arrays that come out are read-only and shared between sessions. Every cache is bounded.
"""

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import streamlit as st

from spcviz.problems import PROBLEMS
from spcviz.problems.common import stored
from spcviz.problems.common.folders import MODELS, RESULTS
from spcviz.store import StoreError, list_models

STORED = {status.name for status in list_models(MODELS) if not status.problem}
"""Names of the models that are there."""


class TradeTask(NamedTuple):
    """What the Trade-off page can spend on: ``TRADE`` in a problem's cached file.

    How it is drawn stands in ``components/<problem>/trade_task.js``.
    """

    label: str
    examples: str  # what a batch holds, and "Other ..." draws anew
    size: str  # the name in the address that says how many
    batches: dict[int, str]  # how many there may be, and what a menu calls it
    make: Callable  # make(state) -> `spcviz.problems.budgets.shown.TradeOff`
    identity: tuple[str, ...]  # names of the state that the batch depends on
    cost_help: str
    origin: str
    # opens(chain id, state) -> (page, query): where a click on an example leads
    opens: Callable | None = None
    # values of the address's ``vocabulary`` and what a menu calls them, where there is a choice
    kinds: dict | None = None
    kinds_help: str = ""
    # values of ``vocabulary`` whose data may not be here, and what is said of a link to them then
    elsewhere: dict | None = None


@st.cache_resource(max_entries=32, show_spinner=False, ttl=300)  # more than there are: the menu has all
def result(name):
    """A reproduced result from cache/results, or None if it has not been made.

    What is made of it stands inside `spcviz.web.ui.results.said_if_damaged`, which takes its `ResultError`,
    too.
    """
    return stored.read(RESULTS, name)


def tells_of_damage(part):
    """A part of a page that says which command repairs a model that it wants and that cannot be read.

    For fragments: streamlit shows what one raises by itself, before the page around it could catch it.
    """

    @wraps(part)
    def wrapped(*arguments, **named):
        try:
            return part(*arguments, **named)
        except StoreError as error:
            return st.error(str(error))

    return wrapped


def results_found():
    """Names of the reproduced results that are there."""
    return sorted(path.stem for path in (RESULTS).glob("*.json"))


@cache
def trade_tasks():
    """{name of the problem: TradeTask} of all that can be spent on here."""
    tasks = {name: getattr(module, "TRADE", None) for name, module in _cached_files().items()}
    return {name: task for name, task in tasks.items() if task is not None}


def _cached_files():
    """{name of a problem: its file of cached calls}."""
    files = {name: f"spcviz.problems.{name}.page.cached" for name in PROBLEMS}
    return {name: import_module(own) for name, own in files.items() if find_spec(own)}


__all__ = ["STORED", "StoreError", "TradeTask", "result", "results_found", "tells_of_damage", "trade_tasks"]

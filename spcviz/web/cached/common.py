"""Cached calls that every page may make: reproduced results, stored models, and their errors.

Only this package caches: thin, bounded wrappers over pure functions, keyed by small values, one file per
problem. Returned arrays are read-only and shared between sessions.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st

from spcviz.shared import result_files
from spcviz.shared.folders import MODELS, RESULTS
from spcviz.store import StoreError, list_models
from spcviz.web.cached import threads
from spcviz.web.cached.sharing import share

LOG = logging.getLogger(__name__)
_PROBLEMS = {status.name: status.problem for status in list_models(MODELS)}
STORED = {name for name, problem in _PROBLEMS.items() if not problem}
"""Names of the stored models that can be used."""


def why_missing(text: str, *starts: str) -> str:
    """What is wrong with a damaged model whose name begins with one of `starts`; `text` if there is none.

    >>> why_missing("None is stored here.", "no-such-model")
    'None is stored here.'
    """
    return next((why for name, why in _PROBLEMS.items() if why and name.startswith(starts)), text)


def _results_stamp() -> dict[str, tuple[int, int]]:
    """A stamp of the stored results, which changes when one of them is made again."""
    return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in RESULTS.glob("*.json")}


UNCHANGED: dict[str, Any] = {"seconds": 60, "stamp": _results_stamp}
"""Arguments of `share` for values made from results, whose files are checked again from time to time."""


@share(32, kernels=False, **UNCHANGED)  # more than there are: the menu lists all
def result(name: str) -> dict[str, Any] | None:
    """A reproduced result, None if there is none; for use inside `results.said_if_damaged`."""
    return result_files.read(RESULTS, name)


@share(16, kernels=False, **UNCHANGED)
def stored_evidence(_make: Callable[..., Any], names: tuple[str, ...], *about: Any) -> Any:
    """``_make(*results, *about)`` of stored results by name; None where one is missing or damaged."""
    try:
        results = [result(name) for name in names]
        if any(evidence is None for evidence in results):
            return None
        with result_files.reading(names[0]):
            return _make(*results, *about)
    except result_files.ResultError as error:
        LOG.warning("%s", error)
        return None


def tells_of_damage(part: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a part of a page: it shows which command repairs a model that it needs and that cannot be read.

    Fragments need this too: Streamlit shows an error raised in one before the page around it could catch it.
    """

    @wraps(part)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        try:
            with threads.SLOTS.acquire():
                return part(*arguments, **named)
        except StoreError as error:
            return st.error(str(error))

    return wrapped


def results_found() -> list[str]:
    """Names of the reproduced results that are stored."""
    return sorted(path.stem for path in RESULTS.glob("*.json"))

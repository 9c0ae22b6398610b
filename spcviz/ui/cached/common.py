"""What every page may ask for: reproduced results, stored models, errors.

Nothing else caches but this package: thin streamlit wrappers over pure functions, keyed by small values,
a file a problem. Arrays that come out are read-only and shared between sessions. Every cache is bounded.
"""

import json

import streamlit as st

from spcviz.problems.common.folders import MODELS, RESULTS
from spcviz.store import StoreError, list_models

STORED = {status.name for status in list_models(MODELS) if not status.problem}
"""Names of the models that are there."""


@st.cache_data(max_entries=16, show_spinner=False, ttl=300)
def result(name):
    """A reproduced result from cache/results, or None if it has not been made."""
    path = RESULTS / f"{name}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def results_found():
    """Names of the reproduced results that are there."""
    return sorted(path.stem for path in (RESULTS).glob("*.json"))


__all__ = ["STORED", "StoreError", "result", "results_found"]

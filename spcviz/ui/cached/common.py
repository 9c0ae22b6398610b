"""What every page may ask for: reproduced results, stored models, errors.

Nothing else caches but this package: thin streamlit wrappers over pure functions, keyed by small values,
a file a problem. Arrays that come out are read-only and shared between sessions. Every cache is bounded.
"""

import json
from importlib import import_module
from importlib.util import find_spec

import streamlit as st

from spcviz.problems import PROBLEMS, registry
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


def fill():
    """Kernels, and what pages show first: for warm-up, so that no visitor waits for it."""
    registry.warmup(MODELS)
    for name in PROBLEMS:
        if find_spec(own := f"spcviz.ui.cached.{name}"):
            getattr(import_module(own), "fill", lambda: None)()


__all__ = ["STORED", "StoreError", "fill", "result", "results_found"]

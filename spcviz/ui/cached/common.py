"""What every page may ask for: reproduced results, stored models, errors.

Nothing else caches but this package: thin streamlit wrappers over pure functions, keyed by small values,
a file a problem. Arrays that come out are read-only and shared between sessions. Every cache is bounded.
"""

import atexit
import json
import time
from importlib import import_module
from importlib.util import find_spec

import streamlit as st

from spcviz.engine import kernel_cache
from spcviz.problems import registry, warmup
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


def fill(name):
    """A story's kernels, and what its pages show first: for warm-up, so that no visitor waits for it."""
    registry.warmup(MODELS, [name])
    if find_spec(own := f"spcviz.ui.cached.{name}"):
        getattr(import_module(own), "fill", lambda: None)()


def compile_ahead(state):
    """Compile what is missing in child processes, and load all of it here.

    Parameters
    ----------
    state : spcviz.ui.warmup.State
        What pages that are waited for are told.

    Yields
    ------
    str
        What went wrong, for the log.
    """
    state.seconds = warmup.measured()
    state.pending = {name for name in warmup.stories() if not warmup.is_compiled(name)}
    state.begun = time.time()
    children = warmup.start_children()
    state.lanes = [child.names for child in children] or [sorted(state.pending, key=warmup.stories().index)]
    atexit.register(lambda: [child.stop() for child in children])
    state.known.set()
    yield from kernel_cache.complaints()
    left = warmup.stories()
    while left:
        for child in children:
            for name in child.names:
                if name in state.pending and (warmup.is_compiled(name) or not child.is_busy()):
                    state.done[name] = time.time()
                    state.pending.discard(name)
        name = next((name for name in left if name not in state.pending or not children), None)
        if name is None:
            time.sleep(0.2)
            continue
        left.remove(name)
        fill(name)
        state.pending.discard(name)
    for child in children:
        if child.process.returncode:
            yield f"compiling {', '.join(child.names)} ahead failed: their pages compile when they are opened"
    yield from kernel_cache.complaints()


__all__ = ["STORED", "StoreError", "compile_ahead", "fill", "result", "results_found"]

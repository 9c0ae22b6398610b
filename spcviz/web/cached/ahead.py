"""Warm-up in the server: kernels compiled or loaded, caches filled, group by group."""

import atexit
import contextlib
import logging
import os
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from spcviz import registry
from spcviz.engine.kernels import kernel_cache
from spcviz.registry import warmup
from spcviz.shared.folders import MODELS

LOG = logging.getLogger(__name__)
_SECONDS_TO_END = 30.0
"""Time for a process to exit after it has compiled everything assigned to it."""


def fill(name: str, what: Literal["prepare", "fill", "fill_more"] = "fill") -> Iterator[None]:
    """Load a warm-up group's kernels and what its pages show first, or what is one choice away from that.

    "prepare" loads its kernels and what every scene of its pages is made with. Yields after each piece that
    takes a moment, so that others may go first.
    """
    if what != "fill_more":
        registry.load_kernels(MODELS, [name])
        yield
    if find_spec(module := f"spcviz.problems.{name}.page.cached"):
        yield from getattr(import_module(module), what, lambda: None)() or ()


def compile_ahead(state: Any) -> Iterator[str]:
    """Compile missing kernels in child processes, load the first group here; yield what went wrong."""
    state.seconds = warmup.read_measured()
    state.pending = {name for name in warmup.groups() if not warmup.is_compiled(name)}
    state.begun = time.monotonic()
    children = warmup.start_children()
    state.lanes = [child.names for child in children] or [sorted(state.pending, key=warmup.groups().index)]
    atexit.register(partial(_stop, children))
    state.known.set()
    if state.pending:
        state.tell_how_long()
    yield from kernel_cache.complaints()
    first, left = warmup.groups()[0], warmup.groups()
    while first in left or state.pending:
        for child in children:
            for name in child.names:
                if name in state.pending and (warmup.is_compiled(name) or not child.is_busy()):
                    state.done[name] = time.monotonic()
                    state.pending.discard(name)
        # Where no compiled code can be stored there are no children: loading a pending group compiles it.
        wanted = first if first in left else next((n for n in left if n in state.pending), None)
        if wanted is None or (children and (wanted != first or first in state.pending)):
            time.sleep(0.2)
            continue
        left.remove(wanted)
        is_compiling = wanted in state.pending
        _load(wanted, state)
        if is_compiling:
            state.done[wanted] = time.monotonic()
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):  # it has compiled everything already
            child.process.wait(_SECONDS_TO_END)  # else it stays in the list of processes, as a zombie
        if child.process.returncode:
            yield f"compiling {', '.join(child.names)} ahead failed: their pages compile when they are opened"
    yield from kernel_cache.complaints()


def _stop(children: list[warmup.Child]) -> None:
    for child in children:
        child.stop()


def load_rest(state: Any, more: dict[str, Iterator[None]]) -> None:
    """Load what the other groups need, hundreds of megabytes, and `more`, unless ``SPCVIZ_AHEAD`` is 0."""
    if os.environ.get("SPCVIZ_AHEAD") == "0":
        return
    for name in warmup.groups()[1:]:
        _load(name, state)
    more = more | {name: fill(name, "fill_more") for name in warmup.groups()}
    while more:  # a piece of each in turn: one may have minutes of work
        for name in list(more):
            state.let_visitors_first(forever=True)  # it may never be needed
            if not _went_on(name, more[name]):
                del more[name]


def _load(name: str, state: Any) -> None:
    state.let_visitors_first(forever=False)
    pieces = fill(name, "fill")
    while _went_on(name, pieces):
        state.let_visitors_first(forever=False)
    state.pending.discard(name)


def _went_on(name: str, pieces: Iterator[None]) -> bool:
    """Whether another piece was loaded."""
    try:
        return next(pieces, pieces) is not pieces
    except Exception:  # its page will say what is wrong; the other groups are still to be loaded
        LOG.exception("warm-up of %s failed", name)
        return False

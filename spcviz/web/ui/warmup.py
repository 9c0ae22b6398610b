"""Warm-up of a fresh server: compile or load kernels before the first visitor needs them.

Kernels that were never compiled on this machine are compiled by child processes, one warm-up group after
another (`spcviz.problems.warmup`). A page whose group is not compiled yet shows the remaining time and opens
automatically.
"""

import contextlib
import ctypes
import gc
import logging
import math
import sys
import threading
import time
from collections.abc import Collection

import streamlit as st

LOG = logging.getLogger(__name__)


class State:
    """How far warm-up is; one for the process, written by its thread only.

    `wanted` is set once the first page has been shown, or one waits for kernels: earlier, warm-up would be in
    its way. `opened` is set once a page with a warm-up group has been opened: an idle server has loaded the
    first group only. `known` is set once it is known what is pending; until then such a page waits. `begun`
    is when compiling began, by `time.monotonic` (the estimate must not follow a clock that is set). `pending`
    are the groups not compiled yet, `done` the time at which each one was, `lanes` the groups that are
    compiled one after the other, `seconds` what each takes, as measured. `visited` is when a page was last
    run, by `time.monotonic`.
    """

    def __init__(self):
        self.wanted, self.opened, self.known = threading.Event(), threading.Event(), threading.Event()
        self.visited = 0.0
        self.begun, self.pending, self.done, self.lanes, self.seconds = 0.0, set(), {}, [], {}

    def let_visitors_first(self, forever=False):
        """Wait until no page has run for a moment, but not for long unless `forever`: it would take half its
        speed."""
        give_up, rest = (math.inf, _QUIET) if forever else (time.monotonic() + _PATIENCE, _REST)
        while time.monotonic() < min(self.visited + rest, give_up):
            time.sleep(0.05)


STATE = State()
STATE.known.set()  # nothing is pending where nobody warms up
_LONGEST_IMPORT, _FIRST_PAGE, _PATIENCE, _REST, _QUIET = 60, 2.0, 5.0, 0.5, 5.0  # seconds

_TURN = 0.02
"""Seconds that a thread may run on while others want to (Python's own: 0.005). A page takes about 20 ms: 40
visitors at once are better served in turn than all in slices."""


def start() -> threading.Thread:
    """Load the kernels and the first page's model in the background; `app.py` calls it once.

    Returns the daemon thread; join it to wait.
    """
    sys.setswitchinterval(_TURN)
    STATE.known.clear()
    thread = threading.Thread(target=_warm_up, name="spcviz warm-up", daemon=True)
    thread.start()
    return thread


def seconds_until(names: Collection[str]) -> float | None:
    """Estimated seconds until a page's warm-up groups are ready; None if they are."""
    if not names:
        return None
    STATE.wanted.set()
    STATE.opened.set()
    STATE.known.wait(_LONGEST_IMPORT)
    if not STATE.pending & set(names):
        return None
    from spcviz.problems.warmup import is_compiled, seconds_left

    waiting = [name for name in STATE.pending & set(names) if not is_compiled(name)]
    if not waiting:
        return None

    def until(name):
        lane = next((lane for lane in STATE.lanes if name in lane), [name])
        upto = lane[: lane.index(name) + 1]
        return seconds_left(upto, STATE.done, STATE.begun, time.monotonic(), STATE.seconds)

    return max(map(until, waiting))


@contextlib.contextmanager
def visit():
    """Around a page that runs: what is loaded in the background makes room for it."""
    STATE.visited = time.monotonic()
    try:
        yield
    finally:
        STATE.visited = time.monotonic()
        STATE.wanted.set()


def wait_for(names):
    """On a page whose kernels are not compiled: show the remaining time, and open it when they are."""
    if seconds_until(names) is not None:
        _waiting(tuple(names))
        st.stop()


@st.fragment(run_every=1.0)
def _waiting(names):
    seconds = seconds_until(names)
    if seconds is None:
        st.rerun()
    st.info(
        f"This page is still compiling, once on this machine: about {seconds:.0f} s left. "
        "It opens automatically.",
        icon=":material/hourglass_top:",
    )


def _warm_up():
    try:
        # Here and not above: importing numba takes as long as the home page may take in all.
        STATE.wanted.wait(_FIRST_PAGE)
        from spcviz.web.cached import ahead

        for sentence in ahead.compile_ahead(STATE):
            LOG.warning(sentence)
        _settle()
        STATE.opened.wait()
        ahead.load_rest(STATE)
    except Exception:  # a page that needs the kernels will say what is wrong; the others still work
        LOG.exception("warm-up failed")
    finally:
        STATE.pending.clear()
        STATE.known.set()
        _settle()


def _settle():
    """What is loaded now stays: keep the collector from walking through it after every rerun."""
    gc.collect()
    gc.freeze()
    give_back()


def give_back():
    """Hand memory that is free back to the system, where the C library can: loading leaves 50 MB and more."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        LOG.debug("this system's C library has no malloc_trim")

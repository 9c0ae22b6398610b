"""Warm-up of a fresh server: compile or load kernels before the first visitor needs them.

Kernels that were never compiled on this machine are compiled by child processes, one warm-up group after
another (`spcviz.registry.warmup`). The values that a page opens with are stored (`spcviz.web.cached.first`)
and wait for nothing; a part that needs a kernel not compiled yet shows the remaining time in its place, and
opens automatically (`may_compute`).
"""

import contextlib
import logging
import math
import threading
import time
from collections.abc import Collection
from functools import cache, partial

import streamlit as st

LOG = logging.getLogger(__name__)
TERMINAL = logging.getLogger("spcviz.server")
"""Messages for the person who started the server: a line when compiling begins, and one when it has ended."""


class WarmupProgress:
    """Progress of warm-up; one for the process, written by its thread only.

    `wanted` is set once the first page has been shown, or a part of one waits for kernels: earlier, warm-up
    would be in its way. `opened` is set once a page with a warm-up group has been opened: an idle server has
    loaded the first group only. `known` is set once the pending groups are known; until then such a part
    waits. `begun` is when compiling began, by `time.monotonic` (the estimate must not follow changes of the
    clock). `pending` are the groups not compiled yet, `done` the time at which each one was, `lanes` the
    groups that are compiled one after the other, `seconds` the measured time of each. `visited` is when a
    page was last run, by `time.monotonic`; `running` is how many run now.
    """

    def __init__(self):
        self.wanted, self.opened, self.known = threading.Event(), threading.Event(), threading.Event()
        self.visited, self.running, self.counting = 0.0, 0, threading.Lock()
        self.begun, self.pending, self.done, self.lanes, self.seconds = 0.0, set(), {}, [], {}

    def let_visitors_first(self, forever=False, patience=None):
        """Wait until no page has run for a moment, at most `patience` seconds unless `forever`.

        Work next to a running page halves its speed. There is no wait while a visitor waits for a value that
        is computed here.
        """
        from spcviz.web.cached.sharing import ASKED, WAITING

        patience = _PATIENCE if patience is None else patience
        give_up, rest = (math.inf, _QUIET) if forever else (time.monotonic() + patience, _REST)
        while (
            not WAITING["n"]
            and time.monotonic() < give_up
            and (self.running or time.monotonic() < max(self.visited, ASKED["at"]) + rest)
        ):
            time.sleep(0.05)

    def tell_how_long(self):
        """Report in the terminal that kernels are being compiled, and about how long it takes."""
        longest = max(sum(self.seconds.get(name, 0.0) for name in lane) for lane in self.lanes)
        TERMINAL.info("spcviz: compiling for this machine, about %.0f s; pages work meanwhile", longest)

    def count(self, change):
        """Count a page that begins to run (1) or has run (-1)."""
        with self.counting:
            self.running += change
            self.visited = time.monotonic()


STATE = WarmupProgress()
OVERDUE = 1.0
"""Seconds left below which an estimate was too small, if the wait is not over."""
STATE.known.set()  # nothing is pending where nobody warms up
_LONGEST_IMPORT, _FIRST_PAGE, _PATIENCE, _REST, _QUIET = 60, 2.0, 5.0, 0.5, 5.0  # seconds
_PIECE_PATIENCE = 1.0
"""Seconds that each piece of work in the pool waits for visitors: one takes a tenth of that."""


def start() -> threading.Thread:
    """Load the kernels and the first page's model in a daemon thread; `app.py` calls it once."""
    from spcviz.web.cached import memory, sharing, threads, visitor_files

    _open_terminal()
    memory.set_up()
    visitor_files.watch()
    STATE.known.clear()
    sharing.GATE["of"] = may_compute
    threads.BETWEEN["of"] = partial(STATE.let_visitors_first, patience=_PIECE_PATIENCE)
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
    from spcviz.registry.warmup import is_compiled, seconds_left

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
    """Mark that a page runs: loading in the background yields to it."""
    STATE.count(1)
    try:
        yield
    finally:
        STATE.count(-1)
        STATE.wanted.set()


def note_opening(names: Collection[str]) -> None:
    """Note that a page of these warm-up groups is opened: the rest of them is loaded in the background."""
    if names:
        STATE.opened.set()


def may_compute(module: str, has_other: bool) -> bool:
    """Whether the kernels that the cached calls of a module need are compiled; if not, see `sharing.GATE`."""
    names = _groups_of(module)
    if seconds_until(names) is None:
        return True
    _waiting(names)
    if not has_other:
        st.stop()
    return False


@cache
def _groups_of(module):
    """The warm-up group of a problem's cached calls."""
    from spcviz import registry

    problem = module.removeprefix("spcviz.problems.").partition(".")[0]
    return tuple(one.name for one in registry.problems() if one.warmup and one.name == problem)


@st.fragment(run_every=1.0)
def _waiting(names):
    seconds = seconds_until(names)
    if seconds is None:
        st.rerun()
    left = f"about {seconds:.0f} s" if seconds > OVERDUE else "longer than expected, since it is busy"
    st.info(
        f"Compiling for this machine, {left}: what you asked for opens automatically.",
        icon=":material/hourglass_top:",
    )


def _warm_up():
    from spcviz.web.cached import memory

    try:
        # Imported here and not above: importing numba takes as long as the home page may take in total.
        STATE.wanted.wait(_FIRST_PAGE)
        STATE.let_visitors_first()
        from spcviz.web.cached import ahead

        for sentence in ahead.compile_ahead(STATE):
            LOG.warning(sentence)
        TERMINAL.info("spcviz: ready")
        memory.settle()
        STATE.opened.wait()
        from spcviz.web.ui import results  # imported late, too: it imports all figures

        ahead.load_rest(STATE, {"results": results.fill_more()})
    except Exception:  # a page that needs the kernels will say what is wrong; the others still work
        LOG.exception("warm-up failed")
    finally:
        STATE.pending.clear()
        STATE.known.set()
        memory.settle()


def _open_terminal():
    """Let `TERMINAL` write plain lines, independent of Streamlit's own logging."""
    TERMINAL.handlers = [logging.StreamHandler()]
    TERMINAL.setLevel(logging.INFO)
    TERMINAL.propagate = False

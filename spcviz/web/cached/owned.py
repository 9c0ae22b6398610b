"""What visitors brought or drew, and all that was made of it: whose it is, and when it goes.

Everything of a visitor's lies with a *holder*: a table that says of each entry which visit it belongs to and
when it was used last. Here is the one rule for all of them. An entry goes at the end of its visit, `AWAY`
seconds after the browser has left (wires fail for a moment), and `SECONDS` after it was used last, even if
the page is still open. A thread of its own looks every second, so that nothing waits for a visitor to come.

Streamlit keeps things of a visit, too: uploaded files, what can be downloaded, the state of widgets. They go
at the same moment. Nothing of a visitor's is on a disk or in a log.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

LOG = logging.getLogger(__name__)
SECONDS = 1800.0
AWAY = 5.0
EVERY = 1.0

IsOver = Callable[[str, float], bool]
Holder = Callable[[IsOver], None]
"""Called with whether an entry of a visit, used last at a time of `CLOCK`, is over: drops those that are."""


class Clock:
    """Seconds that only rise, whatever the computer's clock does; tests can turn it on."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """The time."""
        return time.monotonic() + self._ahead

    def turn(self, seconds: float) -> None:
        """Let it be later by so many seconds."""
        self._ahead += seconds


CLOCK = Clock()
_LOCK = threading.Lock()
_HOLDERS: list[Holder] = []
_VISITS: dict[str, "_Visit"] = {}
_WATCHING = threading.Event()


class _Visit:
    """What is known of a visit that owns something."""

    def __init__(self, context: Any) -> None:
        self.context, self.used, self.left_at, self.is_tidy = context, CLOCK.now(), float("inf"), False


def visit() -> str:
    """The visit that this run belongs to, which is hereby in use; one name for whatever runs without one."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return ""
    with _LOCK:
        known = _VISITS.get(context.session_id)
        if known is None:
            known = _VISITS[context.session_id] = _Visit(context)
        known.context, known.used, known.is_tidy = context, CLOCK.now(), False
    _watch()
    return context.session_id


def is_there(name: str) -> bool:
    """Whether a visit's browser is there."""
    return not name or not runtime.exists() or runtime.get_instance().is_active_session(name)


def hold(holder: Holder) -> Holder:
    """Let a table of visitors' things be looked after, from now on."""
    _HOLDERS.append(holder)
    _watch()
    return holder


def clean() -> None:
    """Let go of what is over now."""
    now = CLOCK.now()
    with _LOCK:
        visits = dict(_VISITS)
    ended, idle = set(), []
    for name, known in visits.items():
        known.left_at = float("inf") if is_there(name) else min(known.left_at, now)
        if now - known.left_at >= AWAY:
            ended.add(name)
        elif now - known.used > SECONDS and not known.is_tidy:
            idle.append(name)
    _let_go(lambda name, used: name in ended or now - used > SECONDS)
    for name in (*ended, *idle):
        _tidy(name, visits[name])
    with _LOCK:
        for name in ended:
            _VISITS.pop(name, None)


def end(name: str) -> None:
    """A visit is over, or its visitor wants nothing kept: all that belongs to it goes now."""
    _let_go(lambda owner, _: owner == name)
    with _LOCK:
        known = _VISITS.pop(name, None)
    if known is not None:
        _tidy(name, known)


def _let_go(is_over: IsOver) -> None:
    for holder in list(_HOLDERS):
        try:
            holder(is_over)
        except Exception as error:  # one that fails must not keep the others' things
            LOG.error("a holder failed: %s", type(error).__name__)


def _tidy(name: str, known: _Visit) -> None:
    """Let go of what Streamlit itself keeps of a visit that has ended or is not used any more."""
    known.is_tidy = True
    if runtime.exists():
        server = runtime.get_instance()
        server.uploaded_file_mgr.remove_session_files(name)
        server.media_file_mgr.clear_session_refs(name)
        server.media_file_mgr.remove_orphaned_files()
        if (sources := getattr(server, "dataframe_source_mgr", None)) is not None:
            sources.clear_all_for_session(name)
    context, known.context = known.context, None
    thread = threading.Thread(target=_clear_state, name="spcviz tidy", daemon=True)
    add_script_run_ctx(thread, context)
    thread.start()
    thread.join()


def _clear_state() -> None:
    """The state of this thread's visit: a page takes what it needs from its address."""
    for key in list(st.session_state):
        st.session_state.pop(key, None)


def _watch() -> None:
    if not _WATCHING.is_set():
        _WATCHING.set()
        threading.Thread(target=_look, name="spcviz owned", daemon=True).start()


def _look() -> None:
    while True:
        time.sleep(EVERY)
        try:
            clean()
        except Exception as error:  # whatever it was, the clock goes on
            LOG.error("the clock of visits: %s", type(error).__name__)


class Belongings:
    """A holder: entries by visit and key, for what is no cached call."""

    def __init__(self, dropped: Callable[[Any], None] = lambda value: None) -> None:
        self._entries: dict[tuple[str, Hashable], tuple[Any, float]] = {}
        self._lock, self._dropped = threading.Lock(), dropped
        hold(self.drop)

    def put(self, name: str, key: Hashable, value: Any) -> None:
        """Keep something of a visit's in place of what was there."""
        with self._lock:
            old = self._entries.pop((name, key), None)
            self._entries[name, key] = value, CLOCK.now()
        if old is not None and old[0] is not value:
            self._dropped(old[0])

    def get(self, name: str, key: Hashable) -> Any:
        """What is kept, or None; it is hereby in use."""
        with self._lock:
            if (name, key) not in self._entries:
                return None
            value, _ = self._entries[name, key]
            self._entries[name, key] = value, CLOCK.now()
            return value

    def drop(self, is_over: IsOver) -> None:
        """Drop what is over."""
        with self._lock:
            gone = [at for at, (_, used) in self._entries.items() if is_over(at[0], used)]
            values = [self._entries.pop(at)[0] for at in gone]
        for value in values:
            self._dropped(value)


_MINE = threading.local()


@contextlib.contextmanager
def showing(is_own: bool = True) -> Iterator[None]:
    """Around what is made of a visitor's own things for his browser: it is his alone, and goes with them.

    >>> with showing():
    ...     is_showing()
    True
    """
    before, _MINE.is_own = is_showing(), is_own
    try:
        yield
    finally:
        _MINE.is_own = before


def is_showing() -> bool:
    """Whether what is made now is of a visitor's own things."""
    return getattr(_MINE, "is_own", False)

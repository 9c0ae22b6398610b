"""Values made from visitors' uploads and drawings: which visit owns each, and when it is deleted.

Everything that belongs to a visitor is stored in a *holder*: a table that records for each entry which visit
owns it and when it was last used. One rule applies to all holders. An entry is deleted

- at the end of its visit: when its browser reports that the page is closed, reloaded or left (`leaving`);
- when a lost connection (a train in a tunnel, a closed lid) can no longer be resumed: Streamlit keeps a visit
  for `away` seconds, and a visitor who is back by then finds everything;
- `SECONDS` after its last use, even if the page is still open;
- `NAMELESS` after its last use, if it was made for a request that names no visit (the queries of a drag, a
  card): nothing would report the end of such a visit.

A separate thread checks every second, so that no deletion waits for the next visitor.

Streamlit also keeps data of a visit: uploaded files, files for download, the state of widgets. They are
deleted at the same moment. No data of a visitor is on a disk or in a log.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from streamlit import config, runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.web.cached import memory
from spcviz.web.transport import leaving

LOG = logging.getLogger(__name__)
SECONDS, NAMELESS = 1800.0, 60.0
MOST_AWAY = 120.0
EVERY = 1.0
SWEEP_EVERY = 30.0
"""Seconds between two searches for cyclic garbage, if a visit has ended in between, and also between two
returns of free memory to the system.

A finished run may be part of a reference cycle with everything it held: a frame, its error, the content of a
file. Python itself looks through everything only when a quarter of all objects are new, possibly much later.
"""

GOES = (
    "goes when you close or reload this page, at most two minutes after your connection was lost (one that "
    "fails for a moment loses nothing), and after 30 minutes without use"
)
"""The rule as worded on all pages that take something from a visitor."""

IsOver = Callable[[str, float], bool]
Holder = Callable[[IsOver], None]
"""Called with a test whether an entry of a visit, last used at a time of `CLOCK`, is over: drops those."""


class Clock:
    """A monotonic clock, independent of the computer's clock; tests can advance it."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """The time."""
        return time.monotonic() + self._ahead

    def turn(self, seconds: float) -> None:
        """Advance the clock by `seconds`."""
        self._ahead += seconds


CLOCK = Clock()
_LOCK = threading.Lock()
_HOLDERS: list[Holder] = []
_VISITS: dict[str, "_Visit"] = {}
_WATCHING = threading.Event()
_FILES_GO = threading.Event()
_HAS_ENDED = threading.Event()


class _Visit:
    """State of a visit that owns something, or did until it ended."""

    def __init__(self, context: Any) -> None:
        self.context, self.used, self.left_at, self.is_tidy = context, CLOCK.now(), float("inf"), False
        self.closed = ""  # the connection that its browser has closed for good

    def is_over(self, name: str, now: float) -> bool:
        """Whether the visit has ended by now."""
        connection = connection_of(name)
        self.left_at = float("inf") if connection else min(self.left_at, now)
        if connection not in ("", self.closed):
            self.closed = ""  # the browser's Back button has brought the page back
        return bool(self.closed) or now - self.left_at >= away()


def visit() -> str:
    """Mark the visit of this run as used, and return its name; empty for a run without a visit."""
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


def visits() -> list[str]:
    """The visits that are known to own something."""
    with _LOCK:
        return list(_VISITS)


def away() -> float:
    """Seconds within which a visitor who has lost the connection may return to the same visit."""
    return min(MOST_AWAY, config.get_option("server.disconnectedSessionTTL"))


def connection_of(name: str) -> str:
    """The connection of a visit's browser; empty while it has none."""
    if not name or not runtime.exists():
        return "none is needed"
    client = runtime.get_instance().get_client(name)
    context = None if client is None else client.client_context
    return "" if context is None else leaving.connection_in(context.headers)


def leave(connection: str) -> None:
    """Note that a browser has closed a connection for good: its visit ends at the next check."""
    with _LOCK:
        visits = dict(_VISITS)
    for name, known in visits.items():
        if connection_of(name) == connection != "":
            known.closed = connection


def hold(holder: Holder) -> Holder:
    """Register a table of visitors' data: from now on its expired entries are dropped."""
    _HOLDERS.append(holder)
    _watch()
    return holder


def clean() -> None:
    """Delete everything that is over now."""
    now = CLOCK.now()
    if _FILES_GO.is_set() and runtime.exists():
        _FILES_GO.clear()
        runtime.get_instance().media_file_mgr.remove_orphaned_files()
    with _LOCK:
        visits = dict(_VISITS)
    ended = {name for name, known in visits.items() if known.is_over(name, now)}
    _let_go(lambda name, used: name in ended or now - used > (SECONDS if name else NAMELESS))
    for name, known in visits.items():
        if not known.is_tidy and (name in ended or now - known.used > SECONDS):
            _tidy(name, known)
    with _LOCK:
        for name in ended:  # runs still under way for a visit that left must be cleaned up: it stays known
            if now - visits[name].left_at >= away():
                _VISITS.pop(name, None)


def end(name: str) -> None:
    """End a visit, or keep nothing of its visitor's: everything that belongs to it is deleted now."""
    _let_go(lambda owner, _: owner == name)
    with _LOCK:
        known = _VISITS.pop(name, None)
    if known is not None:
        _tidy(name, known)


def _let_go(is_over: IsOver) -> None:
    for holder in list(_HOLDERS):
        try:
            holder(is_over)
        except Exception as error:  # one that fails must not stop the others from deleting theirs
            LOG.error("a holder failed: %s", type(error).__name__)


def _tidy(name: str, known: _Visit) -> None:
    """Delete what Streamlit itself keeps of a visit that has ended or is no longer used."""
    known.is_tidy = True
    _HAS_ENDED.set()
    if runtime.exists():
        server = runtime.get_instance()
        server.uploaded_file_mgr.remove_session_files(name)
        server.media_file_mgr.clear_session_refs(name)
        server.media_file_mgr.remove_orphaned_files()
        _FILES_GO.set()  # files for download are only marked now, so that a click just made is served
        if (sources := getattr(server, "dataframe_source_mgr", None)) is not None:
            sources.clear_all_for_session(name)
    context, known.context = known.context, None
    # In a thread outside any visit: one of an ended visit is stopped as soon as it accesses its state.
    thread = threading.Thread(
        target=_clear_state, args=(context.session_state,), name="spcviz tidy", daemon=True
    )
    thread.start()
    thread.join()


def _clear_state(state: Any) -> None:
    """Clear the state of a visit: a page takes what it needs from its address."""
    for key in list(state.filtered_state):
        with contextlib.suppress(KeyError):
            del state[key]


def have_no_visits() -> None:
    """For a process that serves no visitors: start no checking thread, with which it must not fork."""
    _WATCHING.set()


def _watch() -> None:
    if not _WATCHING.is_set():
        _WATCHING.set()
        threading.Thread(target=_look, name="spcviz owned", daemon=True).start()


def _look() -> None:
    swept = given = CLOCK.now()
    while True:
        time.sleep(EVERY)
        try:
            clean()
            swept = sweep(swept)
            if CLOCK.now() - given >= SWEEP_EVERY:
                memory.give_back()
                given = CLOCK.now()
        except Exception as error:  # whatever it was, the checks continue
            LOG.error("the clock of visits: %s", type(error).__name__)


def sweep(swept: float) -> float:
    """Free cyclic garbage if `SWEEP_EVERY` has passed and a visit has ended; return the time of the last."""
    if CLOCK.now() - swept < SWEEP_EVERY or not _HAS_ENDED.is_set():
        return swept
    _HAS_ENDED.clear()
    memory.collect(is_empty=not visits())
    return CLOCK.now()


class Belongings:
    """A holder of entries by visit and key, for values that do not come from cached calls."""

    def __init__(self, dropped: Callable[[Any], None] = lambda value: None) -> None:
        self._entries: dict[tuple[str, Hashable], tuple[Any, float]] = {}
        self._lock, self._dropped = threading.Lock(), dropped
        hold(self.drop)

    def put(self, name: str, key: Hashable, value: Any) -> None:
        """Store a value of a visit, in place of an earlier one."""
        with self._lock:
            old = self._entries.pop((name, key), None)
            self._entries[name, key] = value, CLOCK.now()
        if old is not None and old[0] is not value:
            self._dropped(old[0])

    def get(self, name: str, key: Hashable) -> Any:
        """The stored value, or None; this counts as a use."""
        with self._lock:
            if (name, key) not in self._entries:
                return None
            value, _ = self._entries[name, key]
            self._entries[name, key] = value, CLOCK.now()
            return value

    def owners(self) -> list[str]:
        """The visit that each entry belongs to."""
        with self._lock:
            return [name for name, _ in self._entries]

    def drop(self, is_over: IsOver) -> None:
        """Drop the entries that are over."""
        with self._lock:
            gone = [at for at, (_, used) in self._entries.items() if is_over(at[0], used)]
            values = [self._entries.pop(at)[0] for at in gone]
        for value in values:
            self._dropped(value)


_MINE = threading.local()


@contextlib.contextmanager
def showing(is_own: bool = True) -> Iterator[None]:
    """Mark what is made from a visitor's own data for their browser: only theirs, and deleted with the data.

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
    """Whether what is made now comes from a visitor's own data."""
    return getattr(_MINE, "is_own", False)

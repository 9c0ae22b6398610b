"""What visitors have brought and made: in this process's memory alone, for as long as they are there.

Nothing lies on a disk. What a visitor has not used for half an hour goes, and so does what belongs to a
session that has ended; a thread of its own looks once a minute.
"""

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.data.files import FOUND_OUT, Brought, Columns, How, read
from spcviz.problems.own_data.model.jobs import Job

SECONDS = 1800
_EVERY = 60.0
_MOST_KEPT = 12

_LOCK = threading.Lock()
_SHELF: dict[str, tuple["Own", Callable[[], bool]]] = {}
_WATCHING = threading.Event()


class Own:
    """One visitor's data: what was read, what was made of it, and the job that is under way."""

    def __init__(self, brought: Brought, data: bytes = b"", example: str = "") -> None:
        self.brought, self.example = brought, example
        self._data = zlib.compress(data)
        self.columns: Columns | None = None
        self.how = FOUND_OUT
        self.model: Brought | None = None
        self.job: Job | None = None
        self.asked: Hashable = None
        self.used = time.monotonic()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def read_as(self, columns: Columns | None, how: How) -> None:
        """Read the same text in another way; what was made of the old one goes. Raises `ArgumentError`."""
        if (columns, how) == (self.columns, self.how) or self.brought.kind != "text":
            return
        data = zlib.decompress(self._data)
        self.brought = read(self.brought.name, data, columns, how)
        self.columns, self.how = columns, how
        self._kept.clear()

    def keep(self, key: Hashable, value: Any) -> Any:
        """Keep what was made, in place of what was not used for the longest."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return value

    def kept(self, key: Hashable) -> Any:
        """What was made, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made, or is made now; an `ArgumentError` is kept as well."""
        value = self.kept(key)
        if value is None:
            try:
                value = make()
            except ArgumentError as error:
                value = error
            self.keep(key, value)
        if isinstance(value, ArgumentError):
            raise value
        return value

    def end_job(self) -> None:
        """Give up what is under way."""
        if self.job is not None:
            self.job.cancel()
        self.job = None


def put(session: str, visit: Own, is_there: Callable[[], bool]) -> None:
    """Keep a visitor's data in place of what was there; `is_there` says whether the session lasts."""
    with _LOCK:
        old = _SHELF.pop(session, None)
        _SHELF[session] = visit, is_there
    if old is not None:
        old[0].end_job()
    if not _WATCHING.is_set():
        _WATCHING.set()
        threading.Thread(target=_watch, name="spcviz shelf", daemon=True).start()


def of(session: str) -> Own | None:
    """A visitor's data, or None where there are none any more."""
    with _LOCK:
        entry = _SHELF.get(session)
    if entry is None:
        return None
    entry[0].used = time.monotonic()
    return entry[0]


def drop(session: str) -> None:
    """Forget a visitor's data."""
    with _LOCK:
        old = _SHELF.pop(session, None)
    if old is not None:
        old[0].end_job()


def clean(now: float) -> int:
    """Forget what nobody uses any more; how many were forgotten."""
    with _LOCK:
        every = list(_SHELF.items())
    gone = [name for name, (visit, is_there) in every if now - visit.used > SECONDS or not is_there()]
    for name in gone:
        drop(name)
    return len(gone)


def _watch() -> None:
    while True:
        time.sleep(_EVERY)
        clean(time.monotonic())

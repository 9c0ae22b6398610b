"""Run a task on a visitor's bytes in a child process with limits, and queue for a place to run it.

A process may take a core and much memory, so few run at a time, over all callers. A waiting caller is polled
ten times a second: one that gives up leaves the line, and the next moves up at once.
"""

import contextlib
import json
import logging
import math
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from spcviz.engine.errors import SpcvizError
from spcviz.shared.confined import fork_server
from spcviz.shared.confined.limits import Task
from spcviz.shared.work import disk_cache

LOG = logging.getLogger(__name__)
GLANCE = 0.1
"""Seconds between two checks of whether the caller is still waiting."""

_CHUNK = 1 << 16

REPLACED = (
    "Files of this app were replaced while it runs, and its parts no longer fit: start the server anew."
)
"""Error for a failed child that may have imported other code than its parent runs."""


class Answer(NamedTuple):
    """The result of a child's work, or why it failed."""

    head: dict[str, Any]  # the object that the work returned
    body: memoryview  # the pieces after it
    problem: str = ""  # a sentence for the visitor
    fault: str = ""  # else "long", "memory", "large", "damaged" or "ended"


class EndedError(SpcvizError):
    """The caller no longer waits for the answer, and its process has ended."""


def ask(
    task: Task,
    about: dict[str, Any],
    data: bytes = b"",
    *,
    warm: tuple[Any, ...] = (),
    glance: Callable[[], None] = lambda: None,
    hear: Callable[[bytes], None] = lambda chunk: None,
    seconds: float | None = None,
) -> Answer:
    """Run a task on `about` and `data` in a separate process.

    `glance` is called ten times a second; an exception from it kills the process and is raised again. `hear`
    gets the process's standard error. The process is killed after `seconds`, by default those of the task.
    Raises `OSError` where no process can be started.
    """
    end = time.monotonic() + (task.seconds if seconds is None else seconds)
    with fork_server.start(fork_server.Request(task, warm)) as child:
        said = _Bounded(child, task.most_out)
        talks = [
            threading.Thread(target=_send, args=(child.stdin, about, data), daemon=True),
            threading.Thread(target=said.read, daemon=True),
            threading.Thread(target=_hear, args=(child.stderr, hear), daemon=True),
        ]
        begun = []
        is_late = False
        try:
            for talk in talks:
                talk.start()
                begun.append(talk)
            while child.poll() is None and not is_late:
                talks[1].join(GLANCE if talks[1].is_alive() else 0.005)
                glance()
                is_late = time.monotonic() > end
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
            for talk in begun:
                talk.join()
    if is_late:
        return Answer({}, memoryview(b""), fault="long")
    answer = _answer(child.wait(), said)
    if answer.fault in ("damaged", "ended") and disk_cache.is_replaced():
        return Answer({}, memoryview(b""), REPLACED)
    return answer


class _Bounded:
    """The output of a child, up to a bound; a child that writes more is killed."""

    def __init__(self, child: Any, most: int) -> None:
        self.child, self.most, self.data, self.is_large = child, most, bytearray(), False

    def read(self) -> None:
        while chunk := self.child.stdout.read1(_CHUNK):
            self.data += chunk
            if len(self.data) > self.most:
                self.is_large, self.data = True, bytearray()
                self.child.kill()
                return


def _send(pipe: Any, about: dict[str, Any], data: bytes) -> None:
    with contextlib.suppress(OSError):  # the child may have ended
        pipe.write(json.dumps(about).encode() + b"\n")
        pipe.write(data)
        pipe.close()


def _hear(pipe: Any, hear: Callable[[bytes], None]) -> None:
    while chunk := pipe.read1(4096):
        hear(chunk)


def _answer(code: int, said: _Bounded) -> Answer:
    """Parse a child's output; a child may have been taken over, and can then write anything."""
    nothing = memoryview(b"")
    if said.is_large:
        return Answer({}, nothing, fault="large")
    at = said.data.find(b"\n")
    try:
        head = json.loads(bytes(said.data[:at])) if code == 0 and at >= 0 else None
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        over = {-getattr(signal, name, 0) for name in ("SIGXCPU", "SIGALRM")} - {0}
        return Answer({}, nothing, fault="long" if code in over else "ended")
    if isinstance(problem := head.get("problem"), str) and problem:
        return Answer({}, nothing, problem)
    if isinstance(answer := head.get("answer"), dict):
        return Answer(answer, memoryview(said.data)[at + 1 :])
    if "memory" in head:
        return Answer({}, nothing, fault="memory")
    kind = head.get("damaged")  # only the kind: the message may quote the file
    if isinstance(kind, str) and kind.isidentifier() and len(kind) < 60:
        LOG.warning("work on what was brought ended with a %s", kind)
    return Answer({}, nothing, fault="damaged")


class Line:
    """`most` places that are served at a time, and those that wait, first come first served.

    >>> line = Line(1)
    >>> with line.join() as first, line.join() as second:
    ...     first.n_before(), second.n_before(), second.wait(end=0.0)
    (0, 1, False)
    >>> len(line)
    0
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._places: list[Place] = []  # those being served come first
        self._moved = threading.Condition()

    def __len__(self) -> int:
        """The number of places that are served or wait."""
        return len(self._places)

    def join(self) -> "Place":
        """Add a place at the end; the caller must leave it, served or not."""
        place = Place(self)
        with self._moved:
            self._places.append(place)
        return place

    def n_before(self, place: "Place") -> int:
        """The number of places that must end before this one's turn; 0 once it has come or was left."""
        with self._moved:
            return max(0, self._places.index(place) - self.most + 1) if place in self._places else 0

    def wait(self, place: "Place", glance: Callable[[], None], end: float) -> bool:
        """See `Place.wait`."""
        while True:
            with self._moved:
                if not self.n_before(place):
                    return True
                if (left := end - time.monotonic()) <= 0:
                    return False
                self._moved.wait(min(GLANCE, left))
            glance()

    def leave(self, place: "Place") -> None:
        """Remove a place, so that later ones move up; no effect if it was left already."""
        with self._moved:
            if place in self._places:
                self._places.remove(place)
                self._moved.notify_all()


class Place:
    """A caller's place in a `Line`; a context manager that leaves it at the end."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def __enter__(self) -> "Place":
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def n_before(self) -> int:
        """The number of places that must end before this one's turn; 0 once it has come."""
        return self.line.n_before(self)

    def wait(self, glance: Callable[[], None] = lambda: None, end: float = math.inf) -> bool:
        """Wait for the turn; returns whether it came before `end` on `time.monotonic`'s clock.

        `glance` is called ten times a second; its exceptions are raised again, and the place must be left
        then, too.
        """
        return self.line.wait(self, glance, end)

    def leave(self) -> None:
        """Leave the line; no effect if it was left already."""
        self.line.leave(self)

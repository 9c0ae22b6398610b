"""A queue for child processes: a few places at a time, first come first served.

A process may take a core and much memory, so few run at a time, over all callers. A waiting caller is polled
ten times a second: one that gives up leaves the line, and the next moves up at once.
"""

import math
import threading
import time
from collections.abc import Callable

from spcviz.shared.confined.asking import GLANCE


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

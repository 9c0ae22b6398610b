"""Slots for visitors' runs: two at a time, since threads that want the interpreter's lock slow one another.

A run that computes releases the lock at every kernel and then waits for it behind all the others, and so does
the server's own loop, twice for each thread that it starts: with eleven runs at once 58 to 117 visitors'
requests were seen waiting for it.
"""

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator


class Slots:
    """At most `most` threads at a time; one that takes longer than `seconds` continues but is not counted.

    So the next thread in line waits for at most `seconds`, however long others compute.

    >>> slots = Slots(1, 0.1)
    >>> with slots.acquire(), slots.acquire():  # a part of a run that has its turn
    ...     slots.n_running
    1
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._begun: OrderedDict[int, float] = OrderedDict()  # by thread, the longest first
        self._line, self._changed, self._mine = threading.Lock(), threading.Condition(), threading.local()

    @property
    def n_running(self) -> int:
        """How many threads are counted."""
        return len(self._begun)

    @contextlib.contextmanager
    def acquire(self) -> Iterator[None]:
        """Hold a slot: waits until one is free. Within another `acquire` it does not wait."""
        if getattr(self._mine, "has", False):
            yield
            return
        me = threading.get_ident()
        with self._line, self._changed:  # one waits for a slot, the rest for its place in line
            while len(self._begun) >= self.most:
                longest, begun = next(iter(self._begun.items()))
                left = begun + self.seconds - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                else:
                    del self._begun[longest]
            self._begun[me] = time.monotonic()
        self._mine.has = True
        try:
            yield
        finally:
            self._mine.has = False
            with self._changed:
                self._begun.pop(me, None)
                self._changed.notify()


SLOTS = Slots(2, 0.1)
"""The slots of all visitors' runs. In one measurement 200 students on Letters, the only page that was open,
waited 0.9 s with three at a time and 0.01 with two (p50).
"""
LONG_SLOT = Slots(1, 2.0)
"""The slot of long computations, which announce themselves: with three at once all other runs took 0.4 s."""

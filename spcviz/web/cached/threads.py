"""Threads that compute for visitors: slots for their runs, and a small pool for long work.

A run that computes releases Python's lock at every kernel and then waits for it behind all the others, and so
does the server's own loop, twice for each thread that it starts: with eleven runs at once 58 to 117 visitors'
requests were seen waiting for it. So few runs compute at a time.

One pool serves all visitors, who take turns in it piece by piece: a visitor with much work waits behind
all others. On Linux its threads have a lower priority than those that draw pages. Work in the pool never
waits for the pool.
"""

import contextlib
import os
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import SCRIPT_RUN_CONTEXT_ATTR_NAME


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

N_THREADS = max(1, min(4, os.cpu_count() or 1))
NICE = 10
_PREFIX = "spcviz frames"

BETWEEN: dict[str, Callable[[], None]] = {}
"""``BETWEEN["of"]()`` is called before each piece that no visitor has requested: visitors go first."""


def _step_back() -> None:
    """Lower this thread's priority below those of pages; only Linux sets priorities per thread here."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


_POOL = ThreadPoolExecutor(N_THREADS, _PREFIX, _step_back)


def map_in_pool(work: Callable[..., Any], *rows: Iterable[Any]) -> Iterator[Any]:
    """Like `map`, but in parallel: yields in order, and raises an error when its turn comes.

    At most `N_THREADS` pieces are submitted at a time, between those of other visits; they may make cached
    calls.

    >>> list(map_in_pool(lambda a, b: a + b, [1, 2], [10, 20]))
    [11, 22]
    """
    session = get_script_run_ctx(suppress_warning=True)

    def in_session(*arguments: Any) -> Any:
        if session is None:  # while the server warms up: Streamlit would log a warning
            return work(*arguments)
        thread = threading.current_thread()
        add_script_run_ctx(thread, session)
        try:
            return work(*arguments)
        finally:  # else the thread would keep all data of the visit until somebody else's work comes
            delattr(thread, SCRIPT_RUN_CONTEXT_ATTR_NAME)

    under_way: deque[Future[Any]] = deque()
    try:
        for arguments in zip(*rows):
            if len(under_way) == N_THREADS:
                yield under_way.popleft().result()
            if session is None and "of" in BETWEEN:
                BETWEEN["of"]()
            under_way.append(_POOL.submit(in_session, *arguments))
        while under_way:
            yield under_way.popleft().result()
    finally:  # a visitor who left, or an error
        for future in under_way:
            future.cancel()


def run_in_pool(work: Callable[..., Any], *arguments: Any) -> Any:
    """Run one long piece of work in the pool, in its turn; at once if this is a thread of the pool.

    >>> run_in_pool(max, 1, 2)
    2
    """
    if threading.current_thread().name.startswith(_PREFIX):
        return work(*arguments)
    return next(map_in_pool(lambda _: work(*arguments), [None]))

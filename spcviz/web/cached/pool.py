"""Thread pool for long work: pieces of several visits take turns, behind visitors' own reruns.

One small pool serves all visitors, who take turns in it piece by piece: a visitor with much work waits behind
all others. On Linux its threads have a lower priority than those that draw pages. Work in the pool never
waits for the pool.
"""

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import SCRIPT_RUN_CONTEXT_ATTR_NAME

N_THREADS = max(1, min(4, os.cpu_count() or 1))
NICE = 10
_PREFIX = "spcviz frames"


def _step_back() -> None:
    """Lower this thread's priority below those of pages; only Linux sets priorities per thread here."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


BETWEEN: dict[str, Callable[[], None]] = {}
"""``BETWEEN["of"]()`` is called before each piece that no visitor has requested: visitors go first."""

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

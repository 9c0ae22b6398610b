"""Thread pool for long work: pieces of several visits take turns, behind visitors' own reruns.

One small pool serves all visitors, who take turns in it piece by piece: who asks for much waits behind all
others. On Linux its threads step back behind those that draw pages. What runs in it never waits for it.
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
    """Let this thread run after those of pages; only Linux takes a thread for a process of its own here."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


BETWEEN: dict[str, Callable[[], None]] = {}
"""``BETWEEN["of"]()`` is called before each piece that no visitor has asked for: it lets them go first."""

_POOL = ThreadPoolExecutor(N_THREADS, _PREFIX, _step_back)


def map_in_pool(work: Callable[..., Any], *rows: Iterable[Any]) -> Iterator[Any]:
    """As `map`, side by side: yields in order, an error where its turn comes.

    Only as many pieces wait as there are threads, between those of other visits; cached calls may be made.

    >>> list(map_in_pool(lambda a, b: a + b, [1, 2], [10, 20]))
    [11, 22]
    """
    session = get_script_run_ctx(suppress_warning=True)

    def in_session(*arguments: Any) -> Any:
        if session is None:  # while the server warms up: Streamlit would complain of it aloud
            return work(*arguments)
        thread = threading.current_thread()
        add_script_run_ctx(thread, session)
        try:
            return work(*arguments)
        finally:  # with a visit a thread would keep all that is in it until somebody else's work comes
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
    """One long piece of work in the pool, in its turn; in the pool already, at once.

    >>> run_in_pool(max, 1, 2)
    2
    """
    if threading.current_thread().name.startswith(_PREFIX):
        return work(*arguments)
    return next(map_in_pool(lambda _: work(*arguments), [None]))

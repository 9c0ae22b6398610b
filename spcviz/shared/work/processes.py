"""Worker processes for independent jobs, spawned and never forked from a process with threads.

A fork copies one thread, and every lock in its current state. The child of a process with threads (a progress
bar's, another pool's, numba's) can inherit a lock that no thread will ever release, and wait for it forever.
So workers are spawned. They end with the process that started them, however that ends, and learn of Ctrl-C
only from it.
"""

import contextlib
import hashlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import connection
from typing import Any

from spcviz.engine.errors import SpcvizError
from spcviz.shared.work import disk_cache

SECONDS_TO_END = 5.0
"""Time until a worker that was asked to end is killed."""


class Workers(Executor):
    """Processes of this machine as an executor; jobs and what they return are pickled on the way.

    Parameters
    ----------
    n : int
        Processes, at least 1. They start with the first jobs.
    """

    def __init__(self, n: int) -> None:
        self._before = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(
            n, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
        )

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """A future of ``function(*arguments, **options)``, with `SpcvizError` if the code has changed."""
        return self._pool.submit(_with_our_code, _code(), function, arguments, options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers when their jobs are done."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def end(self) -> None:
        """End the workers now, in the middle of their jobs."""
        workers = set(multiprocessing.active_children()) - self._before
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(SECONDS_TO_END)
            worker.kill()


@contextlib.contextmanager
def pool(n: int) -> Iterator[Executor]:
    """`n` workers for the duration of the block; an exception ends them at once."""
    workers = Workers(n)
    try:
        yield workers
    except BaseException:
        workers.end()
        raise
    workers.shutdown()


def _begin() -> None:
    """Initialise a worker: leave Ctrl-C to the process that started it, and end when that does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="spcviz parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _with_our_code(
    code: str, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[Any, Any]
) -> Any:
    """Run a job in a worker, which has imported the package anew: a result must not mix two versions."""
    if code != _code():
        raise SpcvizError(
            "files of spcviz changed while this run went on, and a worker has read the new ones: "
            "start again; finished parts of the same code are found"
        )
    return function(*arguments, **options)


@cache
def _code() -> str:
    """Digest of the package's files as they were when this process began."""
    digest = hashlib.sha256()
    for path in sorted(disk_cache.TEXTS):
        digest.update(f"{path} {hashlib.sha256(disk_cache.TEXTS[path]).hexdigest()}\n".encode())
    return digest.hexdigest()

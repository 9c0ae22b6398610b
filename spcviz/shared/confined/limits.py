"""Limits of a child process, set before it reads a visitor's data: memory, time, descriptors, no network.

The network is removed only on Linux, and only where an unprivileged process may create a network namespace;
elsewhere the limit on descriptors blocks it. Windows has none of these limits except the caller's wall clock.
"""

import contextlib
import ctypes
import os
import signal
from typing import NamedTuple

from spcviz.engine.errors import SpcvizError

NICE = 10


class LateError(SpcvizError):
    """Work was ended because it exceeded its time limit; the message is for the visitor."""


class Task(NamedTuple):
    """Work on a visitor's data, and its limits.

    `work` is "module:function": ``function(about, data)`` with a JSON object and bytes returns a JSON object
    and pieces of bytes. `ready`, "module:function", loads its dependencies: it is called with the request's
    `warm` in a fork server, or with `about` where a process is started for this task alone.
    """

    work: str
    ready: str = ""
    memory: int = 512 << 20  # bytes beyond those of a process that has not begun
    cpu_seconds: int = 8
    seconds: int = 40  # by the wall clock
    descriptors: int = 3  # that may be open: with 3 no file, no socket, no pipe
    most_in: int = 48 << 20
    most_out: int = 64 << 20
    may_write: bool = False  # for work that may have to compile kernels
    server: str = ""  # the fork server that forks it; empty: a separate Python with nothing else in it


def give_up(task: Task) -> None:
    """Limit memory and time and give up writing and the network, before any thread is started."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    if hasattr(signal, "alarm"):
        signal.alarm(task.seconds)  # also if no process is left to kill it
    _limit("RLIMIT_AS", _size() + task.memory)
    _limit("RLIMIT_CPU", task.cpu_seconds, task.cpu_seconds + 1)  # the soft limit's signal tells why it ended
    _limit("RLIMIT_CORE", 0)
    if not task.may_write:
        _limit("RLIMIT_FSIZE", 0)
    with contextlib.suppress(OSError, AttributeError):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        for flags in (0x40000000, 0x50000000):  # CLONE_NEWNET: root's alone; else with CLONE_NEWUSER
            if unshare(flags) == 0:
                break


def shut(task: Task) -> None:
    """Limit the open descriptors: from here on, everything needed has been imported."""
    _limit("RLIMIT_NOFILE", task.descriptors)


def _size() -> int:
    """Bytes of address space in use: a fork of a process that has loaded kernels starts with a GB."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 1 << 30


def _limit(name: str, most: int, hard: int | None = None) -> None:
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(getattr(resource, name), (most, most if hard is None else hard))

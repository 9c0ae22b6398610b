"""Limits of a child process, set before it sees a byte of a visitor's: memory, time, descriptors, no network.

The network goes on Linux alone, and only where an ordinary process may have a network of its own: elsewhere
it is the descriptors that keep it shut. Windows has none of these limits but the wall clock of the caller.
"""

import contextlib
import ctypes
import os
import signal
from typing import NamedTuple

from spcviz.engine.errors import SpcvizError

NICE = 10


class LateError(SpcvizError):
    """Work was ended since it took longer than it may; its sentence is for the visitor."""


class Task(NamedTuple):
    """Work on something that a visitor brought, and what it may take.

    `work` is "module:function": ``function(about, data)`` with a JSON object and bytes returns a JSON object
    and pieces of bytes. `ready`, "module:function", has loaded what it needs: called without arguments in the
    process that forks, or with `about` where a process is started for this task alone.
    """

    work: str
    ready: str = ""
    memory: int = 512 << 20  # bytes beyond those of a process that has not begun
    cpu_seconds: int = 8
    seconds: int = 40  # by the clock
    descriptors: int = 3  # that may be open: with 3 no file, no socket, no pipe
    most_in: int = 48 << 20
    most_out: int = 64 << 20
    may_write: bool = False  # as where kernels may have to be compiled
    server: str = ""  # the fork server that forks it; empty: a Python of its own, with nothing else in it


def give_up(task: Task) -> None:
    """Let go of memory, time, writing and the network, before any thread is there."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    if hasattr(signal, "alarm"):
        signal.alarm(task.seconds)  # also where nobody is left who would end it
    _limit("RLIMIT_AS", _size() + task.memory)
    _limit("RLIMIT_CPU", task.cpu_seconds, task.cpu_seconds + 1)  # asked to end, so that it can be said why
    _limit("RLIMIT_CORE", 0)
    if not task.may_write:
        _limit("RLIMIT_FSIZE", 0)
    with contextlib.suppress(OSError, AttributeError):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        for flags in (0x40000000, 0x50000000):  # CLONE_NEWNET: root's alone; else with CLONE_NEWUSER
            if unshare(flags) == 0:
                break


def shut(task: Task) -> None:
    """From here on few descriptors or none: what is needed has been imported."""
    _limit("RLIMIT_NOFILE", task.descriptors)


def _size() -> int:
    """Bytes of addresses that this process has: a fork of one that has loaded kernels begins with a GB."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 1 << 30


def _limit(name: str, most: int, hard: int | None = None) -> None:
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(getattr(resource, name), (most, most if hard is None else hard))

"""Memory settings of the server: when Python collects garbage, and when freed memory goes back to the system.

A server with many visits frees much memory and needs little of it again. What the C library retains of it
lies in holes between live objects.
"""

import ctypes
import gc
import logging

LOG = logging.getLogger(__name__)
_OF_COLLECTOR = 2000, 20, 50
"""When Python looks for cyclic garbage: a full collection, 0.2 s with some hundred sessions, is 28 times as
rare as by default. Measured in alternation, 200 students on Letters waited 0.04 and 0.08 s instead of 0.2 to
1.0 (p95), and the server took no more memory.
"""
_OF_MALLOC = (-8, 2), (-3, 2**22), (-1, 2**26)
"""M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of `mallopt`, where the C library has it.

By default each of many threads gets its own arena, which no other thread fills (a class left 200 MB more
behind), and a large array that is freed leaves a hole in it. The temporary arrays of kernels are smaller and
are retained: when they came from the system each time, kernels were half as slow again.
"""


def set_up() -> None:
    """Prepare a process that serves: called once, before it does anything else."""
    gc.set_threshold(*_OF_COLLECTOR)
    for setting in _OF_MALLOC:
        _tell_c_library("mallopt", *setting)


def settle() -> None:
    """Keep the collector from walking through what is loaded now, which stays, after every rerun."""
    gc.collect()
    gc.freeze()
    give_back()


def collect(*, is_empty: bool) -> None:
    """Free cyclic garbage of any age now: `settle` may have been called during a visit.

    The collector never frees what it does not walk through, nor anything that this refers to. `is_empty`: no
    visitor is connected, so that everything left was loaded, and stays.
    """
    gc.unfreeze()
    gc.collect()
    if is_empty:
        gc.freeze()


def give_back() -> None:
    """Return free memory to the system, holes included, where the C library can.

    It takes 5 ms if there is little, and 50 for 350 MB; meanwhile no thread can allocate.
    """
    _tell_c_library("malloc_trim", 0)


def _tell_c_library(function: str, *numbers: int) -> None:
    try:
        getattr(ctypes.CDLL(None), function)(*numbers)
    except (OSError, AttributeError, TypeError):
        LOG.debug("this system's C library has no %s", function)

"""Memory settings of the server: when Python collects garbage, and when freed memory goes back to the system.

A server of many visits frees much and needs little of it again. What the C library keeps of that lies in
holes between what lives on.
"""

import ctypes
import gc
import logging

LOG = logging.getLogger(__name__)
_OF_COLLECTOR = 2000, 20, 50
"""When Python looks for garbage in circles: the whole of it, 0.2 s with some hundred sessions, 28 times as
seldom as by default. In turns: 200 students on Letters waited 0.04 and 0.08 s instead of 0.2 to 1.0 (p95),
and the server took no more memory.
"""
_OF_MALLOC = (-8, 2), (-3, 2**22), (-1, 2**26)
"""M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of `mallopt`, where the C library has it.

By default each thread of many gets a part of memory for itself, which none of the others fills (a class left
200 MB more behind), and a large array that is freed leaves a hole in it. What kernels want for a moment is
smaller and is kept: coming anew from the system each time, it made them half as slow again.
"""


def set_up() -> None:
    """For a process that serves: once, before it does anything else."""
    gc.set_threshold(*_OF_COLLECTOR)
    for setting in _OF_MALLOC:
        _tell_c_library("mallopt", *setting)


def settle() -> None:
    """What is loaded now stays: keep the collector from walking through it after every rerun."""
    gc.collect()
    gc.freeze()
    give_back()


def collect(*, is_empty: bool) -> None:
    """Free garbage in circles now, of whatever age: `settle` may have come while a visitor was there.

    What the collector does not walk through it never frees, nor what hangs on it. `is_empty`: no visitor is
    here, so that all that is left was loaded, and stays.
    """
    gc.unfreeze()
    gc.collect()
    if is_empty:
        gc.freeze()


def give_back() -> None:
    """Hand memory that is free back to the system, holes too, where the C library can.

    It takes 5 ms if there is little, and 50 for 350 MB; meanwhile nobody gets any.
    """
    _tell_c_library("malloc_trim", 0)


def _tell_c_library(function: str, *numbers: int) -> None:
    try:
        getattr(ctypes.CDLL(None), function)(*numbers)
    except (OSError, AttributeError, TypeError):
        LOG.debug("this system's C library has no %s", function)

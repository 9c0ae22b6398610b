"""The server's memory: a budget for all cached values, garbage collection, and freed memory.

A cached call bounds only how many values it keeps, and a clip is a thousand times as large as a list of
words: `MEMORY` bounds the bytes of all calls together.

A server with many visits frees much memory and needs little of it again. What the C library retains of it
lies in holes between live objects, and `give_back` returns it to the system.
"""

import ctypes
import gc
import heapq
import itertools
import logging
import sys
import threading
import time
from collections.abc import Callable, Hashable
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

LOG = logging.getLogger(__name__)

MOST_BYTES = 600_000_000
"""A class that opens and tries every page twice requests 906 MB of values. Its requests, replayed
(`python -m benchmarks.app.eviction`), make it compute for 15 s again with 550 MB, 2.8 with 600, 1 with 700.
"""
_LARGE = 2**16
"""Bytes from which the budget tracks an array separately, so that values that share it count it once."""
_OF_ARRAY = 128
"""Bytes of a numpy array in addition to its numbers."""
OF_ENTRY = 1000
"""Bytes that keeping a value takes in addition to it: its key, and its entries in the call's table, in
the budget's and in its heap. A class makes tens of thousands of small values an hour, which would otherwise
take tens of megabytes that nobody counts, and displace large values as if they took nothing.
"""
_FEW = 64
"""Outdated entries of the budget's heap that are not worth rebuilding it."""
_NONE: dict[int, int] = {}
"""The large arrays of most values."""
_AGAIN = 5.0
"""Seconds after which a value that can grow is measured again when it is used."""
_PLAIN = (type, ModuleType, FunctionType, MethodType, type(threading.Lock()))


class Held(NamedTuple):
    """Memory that a value takes."""

    n_bytes: int
    """Without its large arrays."""
    large: dict[int, int]
    """Bytes of large arrays by their ``id``."""
    can_grow: bool
    """Whether an object within it may build tables at first use."""


def held_by(value: Any) -> Held:
    """Estimate the bytes that keeping a value takes: the arrays, texts and containers within it, each counted
    once, and the overhead of an entry.

    >>> held = held_by((np.zeros(1000), np.zeros(10_000), np.zeros(20_000)))
    >>> held.n_bytes // 1000, [*held.large.values()]
    (9, [160000, 80000])
    """
    large: dict[int, int] = {}
    seen: set[int] = set()
    todo: list[Any] = [value]
    n_bytes, can_grow = OF_ENTRY, False
    while todo:
        part = todo.pop()
        while isinstance(part, np.ndarray) and isinstance(part.base, np.ndarray):
            part = part.base
        if id(part) in seen or isinstance(part, _PLAIN):
            continue
        seen.add(id(part))
        size = part.nbytes + _OF_ARRAY if isinstance(part, np.ndarray) else sys.getsizeof(part, 0)
        if isinstance(part, np.ndarray) and size >= _LARGE:
            large[id(part)] = part.nbytes
            n_bytes += _OF_ARRAY
        else:
            n_bytes += size
        if isinstance(part, dict):
            todo += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            todo += part
        elif hasattr(part, "__dict__"):
            can_grow = True
            todo += vars(part).values()
    return Held(n_bytes, large or _NONE, can_grow)


class _Entry:
    """A cached value: its memory, the seconds it took to compute, its number of uses, and its worth."""

    __slots__ = "forget", "held", "measured_at", "n_uses", "seconds", "worth"

    def __init__(self, held: Held, forget: Callable[[Any], None], seconds: float) -> None:
        self.held, self.forget, self.seconds = held, forget, seconds
        self.measured_at, self.n_uses, self.worth = time.monotonic(), 1, 0.0


class MemoryBudget:
    """Values by the call that keeps them and its key: the least valuable are evicted first.

    A value is worth most if it is requested often, took long to compute and is small: Cherkasova (1998),
    Improving WWW proxies performance with greedy-dual-size-frequency caching policy. If those that were not
    requested for longest were evicted instead, the class of `MOST_BYTES` would compute for 429 s again.

    >>> gone = []
    >>> memory, a = MemoryBudget(2 * OF_ENTRY + 350), "x" * 100
    >>> memory.add("a", gone.append, a, 1.0), memory.add("b", gone.append, "y" * 50, 0.1)
    (None, None)
    >>> memory.touch("a", a)
    >>> memory.add("c", gone.append, "z" * 80, 1.0), gone, memory.n_bytes - 2 * OF_ENTRY
    (None, ['b'], 278)
    """

    def __init__(self, most: int) -> None:
        self.most, self.n_bytes = most, 0
        self._entries: dict[Hashable, _Entry] = {}
        self._queue: list[tuple[float, int, Hashable, _Entry]] = []  # a heap by worth, with outdated ones
        self._large: dict[int, list[int]] = {}  # of large arrays: [bytes, how many values hold it]
        self._count = itertools.count()  # breaks ties in the heap: names need not be comparable
        self._floor = 0.0  # worth of the last eviction: values no longer requested fall behind
        self._lock = threading.Lock()

    def touch(self, name: Hashable, value: Any) -> None:
        """Note a use of the value; if it has grown meanwhile, others may be evicted, and it last of all."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None:
                return
            entry.n_uses += 1
            self._weigh(name, entry)
        if entry.held.can_grow and time.monotonic() > entry.measured_at + _AGAIN:
            again = _Entry(held_by(value), entry.forget, entry.seconds)
            again.n_uses = entry.n_uses
            self._put(name, again, instead=entry)

    def add(self, name: Hashable, forget: Callable[[Any], None], value: Any, seconds: float) -> None:
        """Add a value that took `seconds` to compute; beyond the budget, others are evicted by
        ``forget(name)``, and it last of all.
        """
        self.add_held(name, forget, held_by(value), seconds)

    def add_held(self, name: Hashable, forget: Callable[[Any], None], held: Held, seconds: float) -> None:
        """Add a value whose memory is known; see `add`."""
        self._put(name, _Entry(held, forget, seconds))

    def _put(self, name: Hashable, entry: _Entry, *, instead: _Entry | None = None) -> None:
        """Store an entry; if `instead` is given, only in place of that one, unless it is gone meanwhile."""
        with self._lock:
            if instead is not None and self._entries.get(name) is not instead:
                return
            self._remove(name)
            self._entries[name] = entry
            self.n_bytes += entry.held.n_bytes
            for array, n_bytes in entry.held.large.items():
                if array not in self._large:
                    self._large[array] = [n_bytes, 0]
                    self.n_bytes += n_bytes
                self._large[array][1] += 1
            going = self._leaving()
            self._weigh(name, entry)
        for name_of_one, one in going:  # outside the lock: each call has its own lock
            one.forget(name_of_one)

    def _weigh(self, name: Hashable, entry: _Entry) -> None:
        """Set the worth of an entry: the seconds it saves per byte, on top of the worth of past evictions."""
        shared = (n_bytes / self._large[array][1] for array, n_bytes in entry.held.large.items())
        entry.worth = self._floor + entry.n_uses * entry.seconds / (entry.held.n_bytes + sum(shared) + 1)
        heapq.heappush(self._queue, (entry.worth, next(self._count), name, entry))
        if len(self._queue) > 2 * len(self._entries) + _FEW:
            kept = self._entries.items()
            self._queue = [(one.worth, next(self._count), its_name, one) for its_name, one in kept]
            heapq.heapify(self._queue)

    def _leaving(self) -> list[tuple[Hashable, _Entry]]:
        """Remove the least valuable until the others fit; the newest is not weighed yet, and stays."""
        going = []
        while self.n_bytes > self.most and len(self._entries) > 1:
            worth, _, name, entry = heapq.heappop(self._queue)
            if entry is self._entries.get(name) and worth == entry.worth:
                self._floor = worth
                going.append((name, entry))
                self._remove(name)
        return going

    def remove(self, name: Hashable) -> None:
        """Remove a value that its call no longer keeps."""
        with self._lock:
            self._remove(name)

    def _remove(self, name: Hashable) -> None:
        if name not in self._entries:
            return
        held = self._entries.pop(name).held
        self.n_bytes -= held.n_bytes
        for array in held.large:
            self._large[array][1] -= 1
            if not self._large[array][1]:
                self.n_bytes -= self._large.pop(array)[0]


MEMORY = MemoryBudget(MOST_BYTES)
"""The budget of this process."""

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

"""How much memory all cached calls may hold together: one budget of bytes, the least recently used goes.

Each call bounds only how many values it keeps, and a clip is a thousand times as large as a list of words.
"""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

MOST_BYTES = 2**30
"""The models of all pages take a third; with less, loading one drives out what a class is at."""
_LARGE = 2**16
"""Bytes from which an array is known to the budget by itself, so that values which share it count it once."""
_PLAIN = (type, ModuleType, FunctionType, MethodType, type(threading.Lock()))


class Held(NamedTuple):
    """What a value takes."""

    n_bytes: int
    """Without its large arrays."""
    large: dict[int, int]
    """Bytes of large arrays by their ``id``."""


def held_by(value: Any) -> Held:
    """About how many bytes a value holds: arrays, texts and containers within it, each counted once.

    >>> own = held_by((np.zeros(1000), np.zeros(10_000), np.zeros(20_000)))
    >>> own.n_bytes // 1000, [*own.large.values()]
    (8, [160000, 80000])
    """
    n_bytes, large, seen, todo = 0, {}, set(), [value]
    while todo:
        own = todo.pop()
        while isinstance(own, np.ndarray) and isinstance(own.base, np.ndarray):
            own = own.base
        if id(own) in seen or isinstance(own, _PLAIN):
            continue
        seen.add(id(own))
        size = own.nbytes if isinstance(own, np.ndarray) else sys.getsizeof(own, 0)
        if isinstance(own, np.ndarray) and size >= _LARGE:
            large[id(own)] = size
        else:
            n_bytes += size
        if isinstance(own, dict):
            todo += [*own.keys(), *own.values()]
        elif isinstance(own, list | tuple | set | frozenset):
            todo += own
        elif hasattr(own, "__dict__"):
            todo += vars(own).values()
    return Held(n_bytes, large)


class Room:
    """Values by the call that keeps them and its key, in the order of their last use.

    What a value gets after it was kept (tables that a model makes at first use) is not counted.

    >>> gone = []
    >>> room = Room(350)
    >>> room.add("a", gone.append, "x" * 100), room.add("b", gone.append, "y" * 50), room.used("a")
    (None, None, None)
    >>> room.add("c", gone.append, "z" * 80), gone, room.n_bytes
    (None, ['b'], 278)
    """

    def __init__(self, most: int):
        self.most, self.n_bytes = most, 0
        self._held: OrderedDict[Hashable, tuple[Held, Callable[[Any], None]]] = OrderedDict()
        self._large: dict[int, list[int]] = {}  # of large arrays: [bytes, how many values hold it]
        self._lock = threading.Lock()

    def used(self, name: Hashable) -> None:
        """The value was asked for just now."""
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)

    def add(self, name: Hashable, forget: Callable[[Any], None], value: Any) -> None:
        """A value is kept; where there is no room, others are forgotten by ``forget(name)``, it last."""
        own = held_by(value)
        with self._lock:
            self._remove(name)
            self._held[name] = own, forget
            self.n_bytes += own.n_bytes
            for array, n_bytes in own.large.items():
                if array not in self._large:
                    self._large[array] = [n_bytes, 0]
                    self.n_bytes += n_bytes
                self._large[array][1] += 1
            going = []
            while self.n_bytes > self.most and len(self._held) > 1:
                oldest = next(iter(self._held))
                going.append((oldest, self._held[oldest][1]))
                self._remove(oldest)
        for oldest, its_forget in going:  # outside the lock: each call has a lock of its own
            its_forget(oldest)

    def remove(self, name: Hashable) -> None:
        """The value is kept no longer."""
        with self._lock:
            self._remove(name)

    def _remove(self, name):
        if name not in self._held:
            return
        own, _ = self._held.pop(name)
        self.n_bytes -= own.n_bytes
        for array in own.large:
            self._large[array][1] -= 1
            if not self._large[array][1]:
                self.n_bytes -= self._large.pop(array)[0]


ROOM = Room(MOST_BYTES)
"""Of this process."""

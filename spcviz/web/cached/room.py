"""How much memory all cached calls may hold together: one budget of bytes, the least recently used goes.

Each call bounds only how many values it keeps, and a clip is a thousand times as large as a list of words.
"""

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

MOST_BYTES = 1_000_000_000
"""With it 200 students on Letters lost no action in a short trial; with a quarter of it 393, and the others
took ten seconds (p95): what one student had asked for was gone when the next one did."""
_LARGE = 2**16
"""Bytes from which an array is known to the budget by itself, so that values which share it count it once."""
_AGAIN = 5.0
"""Seconds from which a value that can grow is measured again when it is used."""
_PLAIN = (type, ModuleType, FunctionType, MethodType, type(threading.Lock()))


class Held(NamedTuple):
    """What a value takes."""

    n_bytes: int
    """Without its large arrays."""
    large: dict[int, int]
    """Bytes of large arrays by their ``id``."""
    can_grow: bool
    """Whether an object within it may make tables at first use."""


def held_by(value: Any) -> Held:
    """About how many bytes a value holds: arrays, texts and containers within it, each counted once.

    >>> held = held_by((np.zeros(1000), np.zeros(10_000), np.zeros(20_000)))
    >>> held.n_bytes // 1000, [*held.large.values()]
    (8, [160000, 80000])
    """
    n_bytes, large, can_grow, seen, todo = 0, {}, False, set(), [value]
    while todo:
        part = todo.pop()
        while isinstance(part, np.ndarray) and isinstance(part.base, np.ndarray):
            part = part.base
        if id(part) in seen or isinstance(part, _PLAIN):
            continue
        seen.add(id(part))
        size = part.nbytes if isinstance(part, np.ndarray) else sys.getsizeof(part, 0)
        if isinstance(part, np.ndarray) and size >= _LARGE:
            large[id(part)] = size
        else:
            n_bytes += size
        if isinstance(part, dict):
            todo += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            todo += part
        elif hasattr(part, "__dict__"):
            can_grow = True
            todo += vars(part).values()
    return Held(n_bytes, large, can_grow)


class Room:
    """Values by the call that keeps them and its key, in the order of their last use.

    >>> gone = []
    >>> room, a = Room(350), "x" * 100
    >>> room.add("a", gone.append, a), room.add("b", gone.append, "y" * 50), room.used("a", a)
    (None, None, None)
    >>> room.add("c", gone.append, "z" * 80), gone, room.n_bytes
    (None, ['b'], 278)
    """

    def __init__(self, most: int):
        self.most, self.n_bytes = most, 0
        self._held: OrderedDict[Hashable, tuple[Held, Callable[[Any], None], float]] = OrderedDict()
        self._large: dict[int, list[int]] = {}  # of large arrays: [bytes, how many values hold it]
        self._lock = threading.Lock()

    def is_nearly_full(self) -> bool:
        """Whether what is not asked for yet would soon drive out what was."""
        return self.n_bytes > 0.8 * self.most

    def used(self, name: Hashable, value: Any) -> None:
        """The value was asked for just now; if it has grown since, others may be forgotten, it last."""
        with self._lock:
            if name not in self._held:
                return
            self._held.move_to_end(name)
            held, forget, at = self._held[name]
        if held.can_grow and time.monotonic() > at + _AGAIN:
            self._add(name, forget, value, is_new=False)

    def add(self, name: Hashable, forget: Callable[[Any], None], value: Any) -> None:
        """A value is kept; where there is no room, others are forgotten by ``forget(name)``, it last."""
        self._add(name, forget, value, is_new=True)

    def _add(self, name, forget, value, *, is_new):
        held = held_by(value)
        with self._lock:
            if not is_new and name not in self._held:
                return  # forgotten meanwhile
            self._remove(name)
            self._held[name] = held, forget, time.monotonic()
            self.n_bytes += held.n_bytes
            for array, n_bytes in held.large.items():
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
        held, _, _ = self._held.pop(name)
        self.n_bytes -= held.n_bytes
        for array in held.large:
            self._large[array][1] -= 1
            if not self._large[array][1]:
                self.n_bytes -= self._large.pop(array)[0]


ROOM = Room(MOST_BYTES)
"""Of this process."""

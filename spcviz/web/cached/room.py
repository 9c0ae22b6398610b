"""How much memory all cached calls may hold together: one budget of bytes, the least recently used goes.

Each call bounds how many values it keeps; how large they are differs a thousandfold between a list of words
and a clip. So what a class has opened stays below `MOST_BYTES`, whichever pages it was.
"""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

MOST_BYTES = 2**30
"""The models of all pages take 300 MB of it (what two of them share counts twice); what was opened once and
left goes first. With less, loading one model drives out the sentences, words and results that a class is at;
with this, lattices that a class drags still drive out sweeps.
"""
_PLAIN = (type, ModuleType, FunctionType, MethodType, type(threading.Lock()))


def bytes_of(value: Any) -> int:
    """About how many bytes a value holds: arrays, texts and containers within it, each counted once.

    >>> bytes_of((np.zeros(1000), np.zeros(1000))) // 1000
    16
    """
    n_bytes, seen, todo = 0, set(), [value]
    while todo:
        own = todo.pop()
        if isinstance(own, np.ndarray):
            while isinstance(own.base, np.ndarray):
                own = own.base
        if id(own) in seen or isinstance(own, _PLAIN):
            continue
        seen.add(id(own))
        n_bytes += own.nbytes if isinstance(own, np.ndarray) else sys.getsizeof(own, 0)
        if isinstance(own, dict):
            todo += [*own.keys(), *own.values()]
        elif isinstance(own, list | tuple | set | frozenset):
            todo += own
        elif hasattr(own, "__dict__"):
            todo += vars(own).values()
    return n_bytes


class Room:
    """Values by the call that keeps them and its key, in the order of their last use.

    >>> gone = []
    >>> room = Room(100)
    >>> room.add("a", gone.append, 60), room.add("b", gone.append, 30), room.used("a")
    (None, None, None)
    >>> room.add("c", gone.append, 20), gone, room.n_bytes
    (None, ['b'], 80)
    """

    def __init__(self, most: int):
        self.most, self.n_bytes = most, 0
        self._held: OrderedDict[Hashable, tuple[int, Callable[[Any], None]]] = OrderedDict()
        self._lock = threading.Lock()

    def used(self, name: Hashable) -> None:
        """The value was asked for just now."""
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)

    def add(self, name: Hashable, forget: Callable[[Any], None], n_bytes: int) -> None:
        """A value is kept; where there is no room, others are forgotten by ``forget(name)``, it last."""
        with self._lock:
            self._remove(name)
            self._held[name] = n_bytes, forget
            self.n_bytes += n_bytes
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
        n_bytes, _ = self._held.pop(name, (0, None))
        self.n_bytes -= n_bytes


ROOM = Room(MOST_BYTES)
"""Of this process."""

"""How much memory all cached calls may hold together: one budget of bytes, and what goes when it is full.

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
"""The models of all pages take 300 MB of it (what two of them share counts twice), sweeps 150."""
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
    """Values by the call that keeps them and their key, each call's in the order of their last use.

    Where there is no room the call that takes most gives up what it used longest ago: a class that drags
    makes lattices by the hundred, and must not drive out models and sweeps, which take seconds to make.

    >>> gone = []
    >>> room = Room(100)
    >>> room.add("lattice", 1, gone.append, 30), room.add("lattice", 2, gone.append, 30)
    (None, None)
    >>> room.add("model", 3, gone.append, 35), room.used("lattice", 1), room.add("sweep", 4, gone.append, 20)
    (None, None, None)
    >>> gone, room.n_bytes
    ([2], 85)
    """

    def __init__(self, most: int):
        self.most, self.n_bytes = most, 0
        self._held: dict[Hashable, OrderedDict[Hashable, tuple[int, Callable[[Any], None]]]] = {}
        self._of_call: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    def used(self, call: Hashable, key: Hashable) -> None:
        """The value was asked for just now."""
        with self._lock:
            if key in self._held.get(call, ()):
                self._held[call].move_to_end(key)

    def add(self, call: Hashable, key: Hashable, forget: Callable[[Any], None], n_bytes: int) -> None:
        """A value is kept; where there is no room, others are forgotten by ``forget(key)``, it last."""
        with self._lock:
            self._remove(call, key)
            self._held.setdefault(call, OrderedDict())[key] = n_bytes, forget
            self._of_call[call] = self._of_call.get(call, 0) + n_bytes
            self.n_bytes += n_bytes
            going = []
            while self.n_bytes > self.most:
                others = [one for one, held in self._held.items() if one != call or len(held) > 1]
                if not others:
                    break
                most = max(others, key=self._of_call.__getitem__)
                oldest = next(iter(self._held[most]))
                going.append((self._held[most][oldest][1], oldest))
                self._remove(most, oldest)
        for its_forget, oldest in going:  # outside the lock: each call has a lock of its own
            its_forget(oldest)

    def remove(self, call: Hashable, key: Hashable) -> None:
        """The value is kept no longer."""
        with self._lock:
            self._remove(call, key)

    def _remove(self, call, key):
        held = self._held.get(call, {})
        n_bytes, _ = held.pop(key, (0, None))
        self.n_bytes -= n_bytes
        if held:
            self._of_call[call] -= n_bytes
        else:
            self._held.pop(call, None)
            self._of_call.pop(call, None)


ROOM = Room(MOST_BYTES)
"""Of this process."""

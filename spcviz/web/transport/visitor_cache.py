"""In-memory cache of files made for visitors, such as cards and loops, for some minutes.

A class that opens one scene requests one loop forty times; a messenger fetches a card for each of its
servers. Nothing is written to a disk, and expired entries are dropped even without a request: the owner of a
`VisitorCache` lets the clock of visitors' data (`spcviz.web.cached.ownership`) call `forget`.
"""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable


class VisitorCache:
    """Contents by request: at most `most_bytes` in total, each for `seconds`.

    A request is stored as a digest: an address may hold a visitor's drawing. `now` is a monotonic clock in
    seconds.

    >>> kept = VisitorCache(10, 60.0)
    >>> kept.put("letters", b"12345678"), kept.get("letters"), kept.put("write", b"1234"), kept.get("letters")
    (None, b'12345678', None, None)
    """

    def __init__(self, most_bytes: int, seconds: float, now: Callable[[], float] = time.monotonic):
        self._most, self._seconds, self._now = most_bytes, seconds, now
        self._contents: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()
        self._lock = threading.RLock()
        self.size = 0
        """Total bytes of the contents."""

    def get(self, asked: Hashable) -> bytes | None:
        """The content, if it is stored; it then becomes the last to be evicted."""
        with self._lock:
            self.forget()
            name = _digest(asked)
            if name not in self._contents:
                return None
            self._contents.move_to_end(name)
            return self._contents[name][1]

    def put(self, asked: Hashable, content: bytes) -> None:
        """Store a content, unless it alone exceeds the cache budget."""
        if len(content) > self._most:
            return
        name = _digest(asked)
        with self._lock:
            self._drop(name)
            self._contents[name] = self._now() + self._seconds, content
            self.size += len(content)
            self.forget()

    def forget(self) -> None:
        """Drop expired contents, and those beyond the cache budget, the least recently used first."""
        with self._lock:
            now = self._now()
            for name in [name for name, (until, _) in self._contents.items() if until <= now]:
                self._drop(name)
            while self.size > self._most:
                self._drop(next(iter(self._contents)))

    def _drop(self, name):
        _, content = self._contents.pop(name, (0.0, b""))
        self.size -= len(content)


def _digest(asked):
    return hashlib.blake2b(repr(asked).encode(), digest_size=16).digest()

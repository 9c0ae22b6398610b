"""How often somebody may do something: buckets of rights that fill again, one for each who asks.

A client that asks without end empties its own bucket and no one else's.
"""

import time
from collections.abc import Callable, Hashable

MOST_KEPT = 20_000
"""Of those who asked last; who is forgotten begins with a full bucket."""


class Buckets:
    """Rights of each who asks: `at_once` in a burst, `a_second` more with time."""

    def __init__(self, at_once: float, a_second: float, now: Callable[[], float] = time.monotonic):
        self._at_once, self._a_second, self._now = at_once, a_second, now
        self._left: dict[Hashable, tuple[float, float]] = {}

    def take(self, who: Hashable) -> bool:
        """Take a right of somebody's; False if they have none left."""
        now = self._now()
        left, at = self._left.pop(who, (self._at_once, now))
        left = min(self._at_once, left + (now - at) * self._a_second)
        may = left >= 1
        self._left[who] = (left - may, now)  # the last of all
        if len(self._left) > MOST_KEPT:
            del self._left[next(iter(self._left))]
        return may

    def has_any(self, who: Hashable) -> bool:
        """Whether somebody has a right left, which stays theirs."""
        left, at = self._left.get(who, (self._at_once, self._now()))
        return min(self._at_once, left + (self._now() - at) * self._a_second) >= 1

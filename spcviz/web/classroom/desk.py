"""The speaker's desk: relays messages between a lecturer's own computer and the window on the projector.

The hall's window (whose browser has the room's key) reports what it shows; the holder of the desk's key reads
that, and leaves orders that the hall's window fetches. Messages are opaque here: they go from a lecturer to
the same lecturer. Texts, orders and keys are bounded.
"""

import hmac
import re
import secrets
from collections import deque
from collections.abc import Mapping

LONGEST_TOLD = 24_000
"""Bytes of a message of a hall's window: a tour's sentences and notes."""

MOST_ORDERS = 20
"""Orders that wait for the hall's window; beyond that the oldest are dropped."""

_PLACE = re.compile(r"(?:[0-9]{1,6}a?|end)", re.ASCII)


def order_of(said: Mapping) -> dict | None:
    """Read an order of a desk: next, back, to a scene, or a black screen; None for anything else.

    >>> order_of({"kind": "go", "by": 1}), order_of({"kind": "go", "to": "3a"}), order_of({"kind": "leave"})
    ({'kind': 'go', 'by': 1}, {'kind': 'go', 'to': '3a'}, None)
    """
    kind, by, to = said.get("kind"), said.get("by"), said.get("to")
    if kind == "black":
        return {"kind": "black"}
    if kind == "go" and isinstance(to, str) and _PLACE.fullmatch(to):
        return {"kind": "go", "to": to}
    if kind == "go" and type(by) is int and by in (-1, 1):
        return {"kind": "go", "by": by}
    return None


class Desk:
    """The hall's last message to its desk, and the desk's orders to the hall."""

    def __init__(self):
        self.key = secrets.token_urlsafe(16)
        self.told: dict = {}
        self.orders: deque[dict] = deque(maxlen=MOST_ORDERS)

    def is_own(self, key: str) -> bool:
        """Whether it is this desk's key."""
        return hmac.compare_digest(key.encode(), self.key.encode())

    def take(self) -> list[dict]:
        """Remove and return the waiting orders."""
        out = list(self.orders)
        self.orders.clear()
        return out

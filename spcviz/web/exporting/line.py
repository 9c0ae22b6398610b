"""A queue of visitors who save: a few are served at a time, and the others soon learn their place.

A visitor who is not served within moments gets their place and a ticket, and asks again with it; an unused
ticket is dropped. So an abandoned request holds nothing, and no request waits for long.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

MOST_PLACES, MOST_OF_ADDRESS = 200, 60
"""Visitors who may wait in total, and from one address."""

DROPPED = 6.0
"""Seconds after which an unused ticket expires."""


class CrowdedError(Exception):
    """No place in the line; its argument is a sentence for the visitor."""


@dataclass
class Place:
    """One visitor's place."""

    ticket: str
    who: str
    address: str
    seen: float
    is_connected: bool = False
    turn: anyio.Event = field(default_factory=anyio.Event)


class Line:
    """The queue in order: `most` are served at a time. `now` is a monotonic clock in seconds."""

    def __init__(self, most: int = 1, now: Callable[[], float] = time.monotonic):
        self._most, self._now = most, now
        self._places: dict[str, Place] = {}
        self._served: Counter = Counter()  # by address

    def join(self, ticket: str, who: str, address: str) -> Place:
        """A visitor's existing place or a new one; `CrowdedError` if there is none."""
        now = self._now()
        for place in [*self._places.values()]:
            if not place.is_connected and now - place.seen > DROPPED:
                self.leave(place)
        place = self._places.get(ticket)
        if place is None or place.who != who or place.is_connected:
            self._refuse_crowds(who, address)
            place = Place(secrets.token_hex(8), who, address, now)
            self._places[place.ticket] = place
        place.is_connected, place.seen = True, now
        self._next()
        return place

    def _refuse_crowds(self, who, address):
        if any(place.who == who for place in self._places.values()):
            raise CrowdedError("You are saving a page just now: one at a time.")
        of_address = sum(place.address == address for place in self._places.values())
        if len(self._places) >= MOST_PLACES or of_address >= MOST_OF_ADDRESS:
            raise CrowdedError("Many others are saving pages just now: try again in a minute.")

    def rest(self, place: Place) -> int:
        """Note that a visitor will ask again; return how many are served before them."""
        place.is_connected, place.seen = False, self._now()
        waiting = [one for one in self._order() if one is place or not one.turn.is_set()]
        return waiting.index(place) + self._n_served()

    def leave(self, place: Place) -> None:
        """Remove a visitor who has been served, or has left."""
        if self._places.pop(place.ticket, None) is not None:
            self._next()

    def _order(self):
        """Places by how often their address was served, the least first; ties in order of arrival."""
        return sorted(self._places.values(), key=lambda place: self._served[place.address])

    def _next(self):
        """Serve the first connected visitors while slots are free."""
        while self._n_served() < self._most:
            waiting = (place for place in self._order() if place.is_connected and not place.turn.is_set())
            if (first := next(waiting, None)) is None:
                return
            self._served[first.address] += 1
            if len(self._served) > 10_000:
                self._served.clear()
            first.turn.set()

    def _n_served(self):
        return sum(place.turn.is_set() for place in self._places.values())

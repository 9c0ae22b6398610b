"""Server side of the bar's Save menu: its routes, and the queue of visitors who save.

Files are made by processes with limits, at low priority (`making`): two at a time if there are cores for it,
and one per visitor. A visitor who is not served within `PATIENCE` gets their place in the line and a ticket,
and asks again with it; an unused ticket is dropped, and a visitor who leaves ends the work. So an abandoned
request holds nothing, and no request waits for long. The length of the address is checked first; requests
that another site's page makes a browser send are refused.
"""

import contextlib
import logging
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import anyio
import anyio.to_thread
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from spcviz.engine.errors import ArgumentError
from spcviz.shared.confined.asking import EndedError
from spcviz.shared.confined.limits import LateError
from spcviz.web.cached import ownership
from spcviz.web.exporting import markup
from spcviz.web.transport import clients, static_files
from spcviz.web.transport.clients import outside_of
from spcviz.web.transport.visitor_cache import VisitorCache
from spcviz.web.ui.requests import is_foreign

LOG = logging.getLogger(__name__)
FOLDER = "save"
MOST = 8000
"""Characters of an address."""

LOOPS = (*markup.LOOP_KINDS, "svg")
KINDS = ("page", "python", *LOOPS)
"""Kinds of files that can be saved."""

WAKE = "wake"
"""Requested when a page offers loops: else the first loop after minutes without any waits for a start-up."""

MOST_AT_ONCE = min(2, os.cpu_count() or 1)
"""On two cores, three at a time did not finish forty loops during a class any sooner, in one run of each."""

PATIENCE = 2.5
"""Seconds until a waiting visitor is told their place in the line."""

MOST_PLACES, MOST_OF_ADDRESS = 200, 60
"""Visitors who may wait in total, and from one address."""

DROPPED = 6.0
"""Seconds after which an unused ticket expires."""

_NOT_KEPT = {"Cache-Control": "no-store"}
_HEADERS = {"Content-Disposition": "attachment", "Cache-Control": "no-store"}


class CrowdedError(Exception):
    """No place in the line; its argument is a sentence for the visitor."""


@dataclass
class SavingPlace:
    """One visitor's place."""

    ticket: str
    who: str
    address: str
    seen: float
    is_connected: bool = False
    turn: anyio.Event = field(default_factory=anyio.Event)


class SavingLine:
    """The queue in order: `most` are served at a time. `now` is a monotonic clock in seconds."""

    def __init__(self, most: int = 1, now: Callable[[], float] = time.monotonic):
        self._most, self._now = most, now
        self._places: dict[str, SavingPlace] = {}
        self._served: Counter = Counter()  # by address

    def join(self, ticket: str, who: str, address: str) -> SavingPlace:
        """A visitor's existing place or a new one; `CrowdedError` if there is none."""
        now = self._now()
        for place in [*self._places.values()]:
            if not place.is_connected and now - place.seen > DROPPED:
                self.leave(place)
        place = self._places.get(ticket)
        if place is None or place.who != who or place.is_connected:
            self._refuse_crowds(who, address)
            place = SavingPlace(secrets.token_hex(8), who, address, now)
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

    def rest(self, place: SavingPlace) -> int:
        """Note that a visitor will ask again; return how many are served before them."""
        place.is_connected, place.seen = False, self._now()
        waiting = [one for one in self._order() if one is place or not one.turn.is_set()]
        return waiting.index(place) + self._n_served()

    def leave(self, place: SavingPlace) -> None:
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


_WAKING = threading.Lock()
_LIMIT = anyio.CapacityLimiter(MOST_AT_ONCE + 2)  # abandoned work continues for a moment
LINE = SavingLine(MOST_AT_ONCE)
KEPT = VisitorCache(24_000_000, 600.0, ownership.CLOCK.now)
"""Finished loops, kept for the rest of a class: limits in bytes and seconds."""
ownership.hold(lambda _: KEPT.forget())


def routes() -> list[Route]:
    """The Starlette routes of saving, for the server."""
    return [Route(static_files.path(f"{FOLDER}/{{kind}}"), _save)]


def _refusal(request):
    """The response that refuses a request, or None."""
    if is_foreign(request.headers):
        return Response(status_code=403)
    if request.path_params["kind"] not in (*KINDS, WAKE):
        return Response(status_code=404)
    if len(request.query_params.get("scene", "")) > MOST:
        return PlainTextResponse("This address is too long to be saved.", 413)
    if not request.query_params.get("scene", "").isprintable():  # it cannot be passed to a process
        return PlainTextResponse("This is no address of a page.", 422)
    if _options(request) is None:
        known = " or ".join(map(str, markup.LOOP_WIDTHS))
        return PlainTextResponse(f"A loop is {known} pixels wide, and dark is 0 or 1.", 422)
    return None


def _options(request):
    """Options of a loop: (width in pixels, whether it is dark); None if they are invalid."""
    if request.path_params["kind"] not in LOOPS:
        return markup.LOOP_WIDTHS[0], False
    width, dark = request.query_params.get("width", "960"), request.query_params.get("dark", "0")
    if width not in map(str, markup.LOOP_WIDTHS) or dark not in ("0", "1"):
        return None
    return int(width), dark == "1"


async def _save(request):
    if (refusal := _refusal(request)) is not None:
        return refusal
    if request.path_params["kind"] == WAKE:
        task = BackgroundTask(_wake, _read_request(request)[1])
        return Response(status_code=204, headers=_NOT_KEPT, background=task)
    if (kept := KEPT.get(_read_request(request))) is not None:
        return _file(kept)
    who, address = clients.one_of(request), clients.address_of(request)
    try:
        place = LINE.join(request.query_params.get("ticket", ""), who, address)
    except CrowdedError as crowded:
        return PlainTextResponse(str(crowded), 429)
    response = None
    try:
        async with _while_there(request):
            response = await _serve(request, place)
    finally:
        if response is None or response.status_code != 202:
            LINE.leave(place)
    return response or Response(status_code=499)  # the client has left and does not read it


async def _serve(request, place):
    """The file, or the place in the line if its turn does not come within `PATIENCE`."""
    with anyio.move_on_after(PATIENCE):
        await place.turn.wait()
    if not place.turn.is_set():
        before = LINE.rest(place)
        return JSONResponse({"ticket": place.ticket, "before": before}, 202, _NOT_KEPT)
    kind, address, options = _read_request(request)
    response = await _make_file(address, kind, options)
    if kind in LOOPS and response.status_code == 200:
        KEPT.put((kind, address, options), bytes(response.body))
    return response


def _read_request(request):
    """(kind, address as the visitor sees it, options of a loop)."""
    app = outside_of(request.headers, request.url.scheme)
    scene = request.query_params.get("scene", "").lstrip("/")
    return request.path_params["kind"], f"{app}/{scene}", _options(request)


def _wake(address):
    """Start the processes that make loops, for one visitor at a time; if that fails, saving says why."""
    if not _WAKING.acquire(blocking=False):
        return
    try:
        from spcviz.web.exporting import making

        making.wake(address)
    except (ArgumentError, OSError):
        LOG.debug("nothing was made ready for %d characters of an address", len(address))
    finally:
        _WAKING.release()


def _file(content):
    return Response(content, media_type="application/octet-stream", headers=_HEADERS)


@contextlib.asynccontextmanager
async def _while_there(request: Request) -> AsyncIterator[None]:
    """Cancel the block when the client leaves."""
    async with anyio.create_task_group() as group:

        async def watch():
            while (await request.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()


async def _make_file(address, kind, options):
    """The file, or a sentence; a cancelled request ends the work, which checks whether anybody waits."""
    left = threading.Event()

    def glance():
        if left.is_set():
            raise EndedError("nobody waits for it")

    try:
        how = {"abandon_on_cancel": True, "limiter": _LIMIT}
        return _file(await anyio.to_thread.run_sync(make, kind, address, *options, glance, **how))
    except LateError as error:
        return PlainTextResponse(str(error), 503)
    except ArgumentError as error:
        return PlainTextResponse(str(error)[:500], 422)
    except Exception as error:  # a fault of the machine; log only its type, since it may quote the address
        LOG.error("saving failed: %s", type(error).__name__)
        return PlainTextResponse("This page could not be saved.", 503)
    finally:
        left.set()


def make(kind: str, address: str, width: int, is_dark: bool, glance: Callable[[], None]) -> bytes:
    """See `making.make_file`, whose imports draw charts: a server loads them only at the first save."""
    from spcviz.web.exporting import making

    return making.make_file(kind, address, width, is_dark, glance)

"""HTTP routes of a class's rooms, for phones and the lecturer's screen; no page runs for a request.

A phone opens ``/room/NUMBER``: one small page with a script, which polls the current question every second or
two. The lecturer's screen polls as often as counts should move. Anyone may send anything: a request is small,
arrives in time, takes microseconds, and the number of requests in progress is bounded.
"""

import contextlib
import io
from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from pathlib import Path

import anyio
import orjson
import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from spcviz.web.classroom import rooms
from spcviz.web.transport import answers, clients, static_files
from spcviz.web.transport.answers import accepted_encodings, form_of
from spcviz.web.transport.clients import Buckets, Phone, outside_of
from spcviz.web.ui import requests

FOLDER = "room"
OWN = Path(__file__).parent
COOKIE = "spcviz_room"

MOST = {"put": 8000, "answer": 700, "hall": rooms.LONGEST_TOLD, "steer": 300}
"""Bytes of a request."""

IN_HAND = 500
"""Requests whose bodies are being received. With one more, the one that started first is given up: a body
that is sent whole arrives at once."""

OF_ONE = 4
"""Bodies of one phone, or of one lecturer, that may be received at once."""

LONGEST_CODED = 200
"""Characters of an address that a phone reads from the back of a hall."""

OPENED = 60, 20.0
"""Rooms that an address may open in a burst, and per second: a faculty has one address."""

VOTES = 10, 2.0
"""Answers of a phone, in a burst and per second: nobody changes their mind more often."""

MISSES = 20, 0.05
"""Nonexistent rooms that a phone may request, in a burst and per second."""

ROOMS = rooms.Rooms()
FILES = {"phone.js": "text/javascript", "phone.css": "text/css"}
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class Limits:
    """Request limits: buckets by address and by phone, and the bodies being received."""

    def __init__(self):
        self.opened, self.votes, self.misses = Buckets(*OPENED), Buckets(*VOTES), Buckets(*MISSES)
        self.bodies: dict[anyio.CancelScope, str] = {}  # the sender of each, the earliest first


LIMITS = Limits()


def routes() -> list[Route]:
    """The Starlette routes of rooms, for the server.

    A name that is no room number is taken for a file's name and not found: no number of any length is read.
    """
    at = static_files.path(FOLDER)
    acts = {"now": _now, "code": _code}
    told = {"put": _put, "answer": _answer, "clear": _clear, "close": _close}
    told |= {"desk": _desk, "hall": _hall, "steer": _steer}
    return [
        Route(at, _guard(_open), methods=["POST"]),
        *(Route(f"{at}/{{number}}/{name}", _guard(act)) for name, act in acts.items()),
        *(Route(f"{at}/{{number}}/{name}", _guard(act), methods=["POST"]) for name, act in told.items()),
        Route(f"{at}/{{name}}", _file),
    ]


def _guard(act: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a request handler: refusals become a status and a sentence for the page."""

    async def guarded(request):
        try:
            if request.method == "POST" and requests.is_foreign(request.headers):
                raise requests.RefusedError(403)
            return await act(request)
        except requests.RefusedError as refused:
            (status,) = refused.args
            return Response(status_code=status)
        except rooms.RoomError as error:
            return _json({"error": str(error)}, error.status)

    return guarded


def number_of(request: Request) -> int:
    """The room's number in an address; `NoRoomError` for a text that cannot be one."""
    text = request.path_params["number"]
    if (number := rooms.number_in(text)) is None:
        raise rooms.NoRoomError(f"there is no room {text!r:.20}")
    return number


def _json(value, status=200):
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(value), status, headers, media_type="application/json")


async def _body(request, most, whose):
    """The JSON object in the request of a phone or a lecturer."""
    if sum(one == whose for one in LIMITS.bodies.values()) >= OF_ONE:
        raise requests.RefusedError(429)
    while len(LIMITS.bodies) >= IN_HAND:
        longest = next(iter(LIMITS.bodies))
        del LIMITS.bodies[longest]
        longest.cancel()
    with _on_its_way(whose) as scope:
        return requests.object_of(await requests.body(request, most))
    if scope.cancelled_caught:
        raise requests.RefusedError(408)


@contextlib.contextmanager
def _on_its_way(whose: str) -> Iterator[anyio.CancelScope]:
    with anyio.CancelScope() as scope:
        LIMITS.bodies[scope] = whose
        try:
            yield scope
        finally:
            LIMITS.bodies.pop(scope, None)


def key_of(request: Request, number: int) -> str:
    """The key that a browser holds if it opened the room; empty for all others."""
    room, _, key = request.cookies.get(COOKIE, "").partition(".")
    return key if room == str(number) else ""


def _phone(request):
    """The phone of a request, by the token from the room's page; a page that has none reloads itself."""
    phone = clients.visitor_of(request)
    if phone is None:
        raise requests.RefusedError(401)
    return phone


@contextlib.contextmanager
def _trying(phone: Phone) -> Iterator[None]:
    """Refuse a phone that has requested many nonexistent rooms: some day it would hit an open one."""
    if not LIMITS.misses.has_any(phone.number):
        raise requests.RefusedError(429)
    try:
        yield
    except rooms.NoRoomError:
        LIMITS.misses.take(phone.number)
        raise


async def _open(request):
    if not LIMITS.opened.take(clients.address_of(request)):
        raise requests.RefusedError(429)
    number, key = ROOMS.open()
    response = _json({"room": number})
    place = clients.cookie_place(request)
    response.set_cookie(COOKIE, f"{number}.{key}", httponly=True, samesite="lax", **place)
    return response


async def _now(request):
    number = number_of(request)
    if ROOMS.is_own(number, key := key_of(request, number)):
        return _json(ROOMS.describe(number, key))
    phone = _phone(request)
    with _trying(phone):
        return _json(ROOMS.describe(number, "", phone))


async def _put(request):
    number, key = _check_owner(request)
    ROOMS.put(number, key, await _body(request, MOST["put"], key))
    return _json({})


async def _clear(request):
    ROOMS.clear(*_check_owner(request))
    return _json({})


async def _close(request):
    ROOMS.close(*_check_owner(request))
    response = _json({})
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", **clients.cookie_place(request))
    return response


def _check_owner(request):
    """(number, key) of a room for its lecturer; anybody else is a phone with a limited number of tries."""
    number = number_of(request)
    if not ROOMS.is_own(number, key := key_of(request, number)):
        with _trying(_phone(request)):
            ROOMS.describe(number)  # tells the two cases apart: no such room, or not theirs
        raise rooms.NotYoursError(f"room {number} was opened by another browser")
    return number, key


async def _answer(request):
    number, phone = number_of(request), _phone(request)
    if not LIMITS.votes.take(phone.number):
        raise requests.RefusedError(429)
    with _trying(phone):
        vote = await _body(request, MOST["answer"], phone.number)
        texts = (vote.get(name, "") for name in ("found", "picks", "cuts"))
        ROOMS.answer(number, phone, vote.get("n"), vote.get("value"), *texts)
    return _json({})


async def _desk(request):
    return _json({"desk": ROOMS.desk(*_check_owner(request))})


async def _hall(request):
    """Take what the hall's window shows, and return the desk's orders."""
    number, key = _check_owner(request)
    told = await _body(request, MOST["hall"], key)
    return _json({"orders": ROOMS.tell(number, key, told)})


async def _steer(request):
    """Serve the desk, on any computer: its key is in the request; its tries are limited like a phone's."""
    number, phone = number_of(request), _phone(request)
    with _trying(phone):
        said = await _body(request, MOST["steer"], phone.number)
        key, order = said.get("desk"), said.get("order")
        if not isinstance(key, str) or not (order is None or isinstance(order, dict)):
            raise rooms.RoomError("desk must be a text, order an object")
        try:
            told = ROOMS.steer(number, key, order)
        except rooms.NotYoursError:
            LIMITS.misses.take(phone.number)
            raise
    return _json({"told": told})


def _page(request):
    """The page of a phone, with a token if it has none; its script checks whether the room exists."""
    response = _send(request, "phone.html", "text/html")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-store"  # a cached page would bring no token
    clients.hand_token(request, response)
    return response


async def _code(request):
    """The room's address as a QR code, for phones to scan."""
    address = f"{outside_of(request.headers, request.url.scheme)}/{FOLDER}/{number_of(request)}"
    if len(address) > LONGEST_CODED:
        raise requests.RefusedError(414)
    return Response(draw_qr_code(address), headers={"Cache-Control": "no-store"}, media_type="image/svg+xml")


@lru_cache(maxsize=64)
def draw_qr_code(address: str) -> bytes:
    """Draw a text as a QR code: SVG, black on white."""
    file = io.BytesIO()
    segno.make(address, micro=False).save(file, kind="svg", xmldecl=False, omitsize=True, light="#fff")
    return file.getvalue()


async def _file(request):
    name = request.path_params["name"]
    if rooms.number_in(name) is not None:
        return _page(request)
    return _send(request, name, FILES[name]) if name in FILES else Response(status_code=404)


def _send(request, name, kind):
    form = _form(name, accepted_encodings(request.headers.get("accept-encoding", "")))
    return answers.response(form, request.headers, kind, "no-cache")


@lru_cache(maxsize=16)
def _form(name, encodings):
    return form_of((OWN / name).read_bytes(), encodings)

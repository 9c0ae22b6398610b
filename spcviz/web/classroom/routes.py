"""Requests of phones and of the lecturer's screen to the rooms of a class: no page runs for any of them.

``/room/NUMBER`` is what a phone opens: one small page with a script, which asks every second or two what is
asked now. The lecturer's screen asks as often as counts should move. Anyone may send anything: a request is
small, comes in time, is work of microseconds, and only so many are in hand at once.
"""

import io
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path

import orjson
import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from spcviz.web.classroom import rooms
from spcviz.web.serving import answers
from spcviz.web.serving.first_html import outside_of
from spcviz.web.serving.smaller import accepted, form_of
from spcviz.web.ui import asked
from spcviz.web.view import served

FOLDER = "room"
OWN = Path(__file__).parent
COOKIE = "spcviz_room"
MOST = {"put": 8000, "answer": 300}
"""Bytes of a request."""

IN_HAND = 500
"""Requests whose bodies are on their way; more are told to come again."""

LONGEST_CODED = 200
"""Characters of an address that a phone reads from the back of a hall."""

ROOMS = rooms.Rooms()
FILES = {"phone.js": "text/javascript", "phone.css": "text/css"}
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HAND = {"n": 0}


def routes() -> list[Route]:
    """What the server needs: a list of starlette routes."""
    at = served.path(FOLDER)
    return [
        Route(at, _guarded(_open), methods=["POST"]),
        Route(f"{at}/{{number:int}}", _page),
        Route(f"{at}/{{number:int}}/now", _guarded(_now)),
        Route(f"{at}/{{number:int}}/code", _guarded(_code)),
        Route(f"{at}/{{number:int}}/put", _guarded(_put), methods=["POST"]),
        Route(f"{at}/{{number:int}}/answer", _guarded(_answer), methods=["POST"]),
        Route(f"{at}/{{name}}", _file),
    ]


def _guarded(act: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """A request whose refusal is a status, and a sentence for its page."""

    async def guarded(request):
        try:
            if request.method == "POST" and asked.is_foreign(request.headers):
                raise asked.RefusedError(403)
            return await act(request)
        except asked.RefusedError as refused:
            (status,) = refused.args
            return Response(status_code=status)
        except rooms.RoomError as error:
            return _json({"error": str(error)}, error.status)

    return guarded


def _json(value, status=200):
    headers = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(value), status, headers, media_type="application/json")


async def _body(request, most):
    """The JSON object of a request."""
    if _HAND["n"] >= IN_HAND:
        raise asked.RefusedError(429)
    with asked.counted(_HAND, "n"):
        return asked.object_of(await asked.body(request, most))


def key_of(request: Request, number: int) -> str:
    """The key of a room that a browser has from opening it; empty for all others."""
    room, _, key = request.cookies.get(COOKIE, "").partition(".")
    return key if room == str(number) else ""


async def _open(_request):
    number, key = ROOMS.open()
    response = _json({"room": number})
    response.set_cookie(COOKIE, f"{number}.{key}", path="/", httponly=True, samesite="lax")
    return response


async def _now(request):
    number = request.path_params["number"]
    return _json(ROOMS.shown(number, key_of(request, number)))


async def _put(request):
    number = request.path_params["number"]
    ROOMS.put(number, key_of(request, number), await _body(request, MOST["put"]))
    return _json({})


async def _answer(request):
    vote = await _body(request, MOST["answer"])
    ROOMS.answer(request.path_params["number"], vote.get("voter"), vote.get("n"), vote.get("value"))
    return _json({})


async def _page(request):
    """What a phone opens; whether there is such a room its script asks."""
    response = _sent(request, "phone.html", "text/html")
    response.headers["Content-Security-Policy"] = POLICY
    return response


async def _code(request):
    """The room's address as a QR code, for phones to look at."""
    address = f"{outside_of(request.headers, request.url.scheme)}/{FOLDER}/{request.path_params['number']}"
    if len(address) > LONGEST_CODED:
        raise asked.RefusedError(414)
    return Response(drawn(address), headers={"Cache-Control": "no-store"}, media_type="image/svg+xml")


@lru_cache(maxsize=64)
def drawn(address: str) -> bytes:
    """A text as a QR code: SVG, black on white."""
    file = io.BytesIO()
    segno.make(address, micro=False).save(file, kind="svg", xmldecl=False, omitsize=True, light="#fff")
    return file.getvalue()


async def _file(request):
    name = request.path_params["name"]
    return _sent(request, name, FILES[name]) if name in FILES else Response(status_code=404)


def _sent(request, name, kind):
    form = _form(name, accepted(request.headers.get("accept-encoding", "")))
    return answers.response(form, request.headers, kind, "no-cache")


@lru_cache(maxsize=16)
def _form(name, encodings):
    return form_of((OWN / name).read_bytes(), encodings)

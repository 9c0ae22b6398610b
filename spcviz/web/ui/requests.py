"""Requests of a view that are answered without a rerun of its page, such as the data of a picture.

A rerun passes through Streamlit's script, its queue of messages and a redrawing of the whole page, which
takes longer than the work. A view that must follow a hand sends requests here instead; the page is rerun once
the hand rests.

Anyone may send anything, in any number: one request is answered at a time, by a thread that serves nothing
else; some wait; all others are told to come again, and their view falls back to its page's rerun.
"""

import contextlib
import ipaddress
import logging
import time
from collections.abc import Iterator
from importlib import import_module
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import orjson
import streamlit as st
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from spcviz import registry
from spcviz.web.transport import static_files
from spcviz.web.ui import warmup

LOG = logging.getLogger(__name__)
FOLDER = "ask"
ANSWERS = {name: module for name, (module, _) in registry.answers().items()}
"""Name in the address -> module with ``answer(question) -> bytes``; loaded at its first request."""

KERNELS = {name: (group,) for name, (_, group) in registry.answers().items()}
"""Name in the address -> warm-up groups that answering needs."""

MOST = 20_000
"""Most bytes of a request."""

BODY_SECONDS = 10.0
"""Time limit for a request to arrive."""

AT_ONCE, WAITING = 1, 32
"""Requests that are answered at a time (two would wait for each other: Python runs one thread), and that may
wait: a class that lifts all its pens at once."""

CROWDED, MOST_REST = 8, 0.2
"""With more than `CROWDED` requests in hand, the thread rests after each answer for as long as it took, at
most `MOST_REST` seconds: pages and files take precedence over a client that sends endless requests."""

HELD, HELD_SECONDS = 500, 1.0
"""Number of refusals that are held back, and for how long, which costs a connection and no work: a client
that asks again as soon as it is refused would otherwise keep the server busy with refusing."""

_LIMIT = anyio.CapacityLimiter(AT_ONCE)
_SERVER = {"has_routes": False}
_CROWD = {"in_hand": 0, "held": 0, "rests_until": 0.0}


class RefusedError(Exception):
    """A request that is not answered; its argument is the status."""


def routes():
    """The Starlette routes of views' requests, for the server."""
    _SERVER["has_routes"] = True
    return [Route(static_files.path(f"{FOLDER}/{{name}}"), _answer, methods=["POST"])]


def address(name):
    """The address of a view's requests; empty if there is no server with `routes`."""
    return f"{FOLDER}/{name}" if _SERVER["has_routes"] else ""


def is_foreign(headers) -> bool:
    """Whether another site's page made the visitor's browser send a request: it could not read the answer,
    which costs work.

    Browsers that do not say so (Safari before 16.4) send the page's origin. Its host is compared without
    scheme and port, which a proxy may change; no other site's page can send ``X-Forwarded-Host`` without
    permission. A site whose name was redirected to this server's address (DNS rebinding) has the same origin
    to a browser, but its ``Host`` is not among the names configured for the server.
    """
    if not is_own_host(headers):
        return True
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site not in ("same-origin", "none")
    if origin is None:
        return False
    ours = [headers.get("host", ""), *headers.get("x-forwarded-host", "").split(",")]
    return _host(origin) not in {_host(f"//{name.strip()}") for name in ours} - {None}


def is_own_host(headers) -> bool:
    """Whether a request's ``Host`` is a name of this server, as far as its names are configured.

    ``server.allowedHosts`` lists them. Without it a server that listens only on this machine has this
    machine's names; any other accepts every name, and numeric addresses cannot be redirected like names.
    """
    hosts = [headers.get("host", ""), *headers.get("x-forwarded-host", "").split(",")]
    names = [name for one in hosts if one.strip() and (name := _host(f"//{one.strip()}"))]
    told = [one.strip().lower().rstrip(".") for one in st.get_option("server.allowedHosts") or []]
    if told:
        return "*" in told or any(_is_called(name.rstrip("."), one) for name in names for one in told)
    is_local = (st.get_option("server.address") or "") in ("localhost", "127.0.0.1", "::1")
    if not is_local or headers.get("x-forwarded-host"):
        return True
    wanted = ("localhost", "*.localhost", st.get_option("browser.serverAddress") or "localhost")
    return not names or any(_is_number(n) or any(_is_called(n, one) for one in wanted) for n in names)


def _is_called(name, told):
    return name.endswith(told[1:]) if told.startswith("*.") else name == told


def _is_number(name):
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _host(address):
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


async def _answer(request):
    name = request.path_params["name"]
    try:
        if is_foreign(request.headers):
            raise RefusedError(403)
        if name not in ANSWERS:
            raise RefusedError(404)
        _refuse_a_crowd()
        text = await body(request)
        _refuse_a_crowd()
        with count_request(_CROWD):
            content = await anyio.to_thread.run_sync(_work_out, name, text, limiter=_LIMIT)
    except RefusedError as refused:
        (status,) = refused.args
        if status == 429:
            await _hold_back()
        return Response(status_code=status, headers={"Retry-After": "1"} if status == 429 else None)
    return Response(content, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


def _refuse_a_crowd():
    if _CROWD["in_hand"] >= AT_ONCE + WAITING:
        raise RefusedError(429)


async def _hold_back():
    if _CROWD["held"] < HELD:
        with count_request(_CROWD, "held"):
            await anyio.sleep(HELD_SECONDS)


@contextlib.contextmanager
def count_request(crowd: dict, name: str = "in_hand") -> Iterator[None]:
    """Count one more request of a crowd during the block."""
    crowd[name] += 1
    try:
        yield
    finally:
        crowd[name] -= 1


def object_of(text: bytes) -> dict:
    """The JSON object of a request; raises `RefusedError`."""
    try:
        value = orjson.loads(text)  # refuses deep nesting, NaN and infinity
    except ValueError:
        raise RefusedError(400) from None
    if not isinstance(value, dict):
        raise RefusedError(400)
    return value


async def body(request: Request, most: int = MOST) -> bytearray:
    """A request's bytes, if they arrive in time and number at most `most`; else raises `RefusedError`."""
    pieces = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for piece in request.stream():
                pieces += piece
                if len(pieces) > most:
                    raise RefusedError(413)
    except TimeoutError:
        raise RefusedError(408) from None
    except ClientDisconnect:
        raise RefusedError(400) from None
    return pieces


def _work_out(name, text):
    """Answer a request in a separate thread: the event loop must not wait even for reading it."""
    question = object_of(text)
    if warmup.seconds_until(KERNELS[name]) is not None:  # the page's rerun shows for how long
        raise RefusedError(503)
    time.sleep(max(0.0, _CROWD["rests_until"] - time.monotonic()))
    began = time.monotonic()
    try:
        with warmup.visit():
            return import_module(ANSWERS[name]).answer(question)
    except (
        Exception
    ) as error:  # the page's rerun says what is wrong; log only the type, since it may quote a visitor
        LOG.error("a question of %s failed: %s", name, type(error).__name__)
        raise RefusedError(500) from None
    finally:
        if _CROWD["in_hand"] > CROWDED:
            now = time.monotonic()
            _CROWD["rests_until"] = now + min(now - began, MOST_REST)

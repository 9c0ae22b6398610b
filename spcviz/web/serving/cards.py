"""HTTP route of pages' cards, the preview pictures of messengers and of the bar's button.

``card/write.png?ink=...`` is the picture that `spcviz.web.exporting.card` draws of the page
``write?ink=...``, from the address alone. Anyone may request anything, so one card is drawn at a time, by a
separate thread; some requests wait, the rest are told to come again; each client has a limit. Cards are kept
for minutes in memory, for a messenger's many servers, and nothing of them is stored.
"""

import logging
from importlib import import_module

import anyio
import anyio.to_thread
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from spcviz import registry
from spcviz.web.cached import ownership
from spcviz.web.exporting import card
from spcviz.web.transport import clients, static_files
from spcviz.web.transport.clients import Buckets, outside_of, reachable
from spcviz.web.transport.visitor_cache import VisitorCache
from spcviz.web.ui import navigation, requests, warmup

LOG = logging.getLogger(__name__)
RIGHTS = 120, 4.0
"""Cards that one network address may get in a burst, and per second: a class behind one address."""

WAITING = 64
"""Cards that may be requested at the same moment."""

KEPT = VisitorCache(12_000_000, 600.0, ownership.CLOCK.now)
ownership.hold(lambda _: KEPT.forget())
BUCKETS = Buckets(*RIGHTS)
_LIMIT = anyio.CapacityLimiter(1)
_CROWD = {"in_hand": 0}
_HEADERS = {"Cache-Control": "public, max-age=600"}
_TODAY = {"Cache-Control": "no-store"}


def routes() -> list[Route]:
    """The Starlette routes of cards, for the server."""
    return [Route(static_files.path(f"{navigation.CARDS}/{{name}}.png"), _send)]


async def _send(request: Request) -> Response:
    name = request.path_params["name"]
    page = "" if name == "home" else name
    if requests.is_foreign(request.headers):
        return Response(status_code=403)
    query = request.url.query
    if name == "" or page not in registry.cards():
        return Response(status_code=404)
    if not navigation.card_address(page, query):
        return PlainTextResponse("No card is made of this address.", 422)
    below = reachable(outside_of(request.headers, request.url.scheme), page)
    key = page, query, below
    if (content := KEPT.get(key)) is not None:
        return Response(content, media_type="image/png", headers=_HEADERS)
    if not BUCKETS.take(clients.address_of(request)) or _CROWD["in_hand"] >= WAITING:
        sentence = "Many cards are asked for just now: try again in a moment."
        return PlainTextResponse(sentence, 429, {"Retry-After": "2", **_TODAY})
    with requests.count_request(_CROWD):
        content = await anyio.to_thread.run_sync(_draw, page, query, below, limiter=_LIMIT)
    if isinstance(content, str):  # no word, or not yet: the app's own picture
        return RedirectResponse(f"../{PREVIEW}?{content}", 302, _TODAY)
    KEPT.put(key, content)
    return Response(content, media_type="image/png", headers=_HEADERS)


def _draw(page, query, below):
    """The picture, or the reason why there is none: "compiling", "empty"."""
    name, group = registry.cards()[page]
    try:
        with warmup.visit():
            module = import_module(name)
            if page not in module.WITHOUT_KERNELS and warmup.seconds_until((group,)) is not None:
                return "compiling"
            shown = module.card(page, dict(QueryParams(query)))
            return "empty" if shown is None else card.png(shown, below)
    except Exception as error:  # whatever the address; log only its type, since it may quote the ink
        LOG.error("the card of %s failed: %s", page or "home", type(error).__name__)
        return "empty"


PREVIEW = "preview.jpg"
"""The picture of every page that has no card (`first_html`)."""

"""What a view asks the server by itself, without a rerun of its page: the data of a picture.

A rerun passes through Streamlit's script, its queue of messages and a redrawing of the whole page, which
takes longer than the work. A view that must follow a hand asks here instead; the page is rerun once the hand
rests, and says the same. `app.py` gives `routes` to the server; without them views wait for the rerun.
"""

import json
import logging
from importlib import import_module

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from spcviz.ui import warmup

LOG = logging.getLogger(__name__)
FOLDER = "ask"
ANSWERS = {"word": "spcviz.ui.writing"}
"""Name in the address -> module with ``answer(question) -> bytes``; loaded when it is first asked."""

MOST = 20_000
"""Bytes of a question."""

_SERVER = {"has_routes": False}


def routes():
    """What the server needs: a list of starlette routes."""
    _SERVER["has_routes"] = True
    return [Route(f"/{FOLDER}/{{name}}", _answer, methods=["POST"])]


def address(name):
    """Where a view asks; empty if there is no server with `routes`."""
    return f"{FOLDER}/{name}" if _SERVER["has_routes"] else ""


def _answered(name, question):
    with warmup.visit():
        return import_module(ANSWERS[name]).answer(question)


async def _answer(request):
    # Another site's page may make a visitor's browser ask; it could not read the answer, but it costs work.
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return Response(status_code=403)
    name, text = request.path_params["name"], b""
    async for piece in request.stream():
        text += piece
        if len(text) > MOST:
            return Response(status_code=413)
    if name not in ANSWERS:
        return Response(status_code=404)
    try:
        question = json.loads(text)
    except ValueError:
        return Response(status_code=400)
    if not isinstance(question, dict):
        return Response(status_code=400)
    try:
        found = await run_in_threadpool(_answered, name, question)
    except Exception:  # the view falls back to the page's rerun, and that says what is wrong
        LOG.exception("a question of %s failed", name)
        return Response(status_code=500)
    return Response(found, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})

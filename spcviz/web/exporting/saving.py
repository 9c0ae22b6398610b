"""What the bar's Save menu asks of the server: the page of an address as one file, its Python, its loop.

All are made by the command ``export`` in a process with a limit of time, behind all others' work: one at a
time, and one of each visitor. Who has waited for `PATIENCE` is told the place in the line and asks again; who
leaves ends the process. The address is measured first; what another site's page makes a browser ask is
refused.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from spcviz.shared.folders import ROOT
from spcviz.web.cached import owned
from spcviz.web.exporting import forms
from spcviz.web.exporting.line import CrowdedError, Line
from spcviz.web.serving import clients
from spcviz.web.serving.kept import Kept
from spcviz.web.serving.outside import outside_of
from spcviz.web.ui.asked import is_foreign
from spcviz.web.view import served

FOLDER = "save"
SECONDS = 180.0
"""Until a page must have been saved."""

MOST = 8000
"""Characters of an address."""

PATIENCE = 2.5
"""Seconds until somebody who waits is told where they stand."""

NICE = 10
"""How far behind the server such a process stands."""

LOOPS = (*forms.LOOP_KINDS, "svg")
KINDS = {"page": "html", "python": "py"} | {kind: kind for kind in LOOPS}
"""What can be saved, and how its file ends."""

LINE = Line()
KEPT = Kept(24_000_000, 600.0, owned.CLOCK.now)
owned.hold(lambda _: KEPT.forget())
"""Loops that were made, for the others of a class: bytes, seconds."""


def routes() -> list[Route]:
    """What the server needs: a list of starlette routes."""
    return [Route(served.path(f"{FOLDER}/{{kind}}"), _save)]


def _refusal(request):
    """Why a question is not answered: a response; or nothing."""
    if is_foreign(request.headers):
        return Response(status_code=403)
    if request.path_params["kind"] not in KINDS:
        return Response(status_code=404)
    if len(request.query_params.get("scene", "")) > MOST:
        return PlainTextResponse("This address is too long to be saved.", 413)
    if not request.query_params.get("scene", "").isprintable():  # a process cannot be told it
        return PlainTextResponse("This is no address of a page.", 422)
    if _options(request) is None:
        known = " or ".join(map(str, forms.LOOP_WIDTHS))
        return PlainTextResponse(f"A loop is {known} pixels wide, and dark is 0 or 1.", 422)
    return None


def _options(request):
    """What the command is told of a loop; None if that is nothing it knows."""
    if request.path_params["kind"] not in LOOPS:
        return []
    width, dark = request.query_params.get("width", "960"), request.query_params.get("dark", "0")
    if width not in map(str, forms.LOOP_WIDTHS) or dark not in ("0", "1"):
        return None
    return ["--width", width, *(["--dark"] if dark == "1" else [])]


async def _save(request):
    if (refusal := _refusal(request)) is not None:
        return refusal
    if (kept := KEPT.get(_asked(request))) is not None:
        return _file(kept)
    who, address = clients.one_of(request), clients.address_of(request)
    try:
        place = LINE.join(request.query_params.get("ticket", ""), who, address)
    except CrowdedError as crowded:
        return PlainTextResponse(str(crowded), 429)
    response = None
    try:
        async with _while_there(request):
            response = await _served(request, place)
    finally:
        if response is None or response.status_code != 202:
            LINE.leave(place)
    return response or Response(status_code=499)  # nobody is there to read it


async def _served(request, place):
    """The page, or the place in the line for who is not served within moments."""
    with anyio.move_on_after(PATIENCE):
        await place.turn.wait()
    if not place.turn.is_set():
        before = LINE.rest(place)
        return JSONResponse({"ticket": place.ticket, "before": before}, 202, _NOT_KEPT)
    kind, address, options = _asked(request)
    response = await _saved(address, kind, options)
    if kind in LOOPS and response.status_code == 200:
        KEPT.put((kind, address, options), bytes(response.body))
    return response


def _asked(request):
    """(kind, address as the visitor sees it, options of the command)."""
    app = outside_of(request.headers, request.url.scheme)
    scene = request.query_params.get("scene", "").lstrip("/")
    return request.path_params["kind"], f"{app}/{scene}", tuple(_options(request))


def _file(content):
    return Response(content, media_type="application/octet-stream", headers=_HEADERS)


@contextlib.asynccontextmanager
async def _while_there(request: Request) -> AsyncIterator[None]:
    """Give up what is in the block when the client leaves."""
    async with anyio.create_task_group() as group:

        async def watch():
            while (await request.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()


async def _saved(address, kind, options=()):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"spcviz.{KINDS[kind]}"
        command = [sys.executable, "-W", "ignore", "-m", "spcviz", "export", *options]
        command += ["--", address, str(path)]
        with anyio.move_on_after(SECONDS):
            code, said = await _run(command)
            if code == 0:
                return _file(path.read_bytes())
            message = said.decode(errors="replace").strip().rpartition("spcviz: ")[2]
            return PlainTextResponse(message[:500] or "This page could not be saved.", 422)
    return PlainTextResponse("This page takes too long to be saved.", 503)


async def _run(command):
    """(exit status, what it said) of a process behind all others; who gives it up ends it."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    async with await anyio.open_process(command, cwd=ROOT, env=_environment(), **pipes) as process:
        with contextlib.suppress(OSError, AttributeError):  # Windows knows no such order
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        said = b"".join([piece async for piece in process.stderr])
        return await process.wait(), said


_NOT_KEPT = {"Cache-Control": "no-store"}
_HEADERS = {"Content-Disposition": "attachment", "Cache-Control": "no-store"}


def _environment():
    """One thread for a process beside a server that others use."""
    return dict(os.environ) | {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

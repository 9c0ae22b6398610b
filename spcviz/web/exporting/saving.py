"""What the bar's Save menu asks of the server: the page of an address as one file, and its Python.

Both are made by the command ``export`` in a process with a limit of time, behind all others' work: one at a
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
from spcviz.web.exporting.line import CrowdedError, Line
from spcviz.web.serving import clients
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

KINDS = {"page": "html", "python": "py"}
"""What can be saved, and how its file ends."""

LINE = Line()


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
    return None


async def _save(request):
    if (refusal := _refusal(request)) is not None:
        return refusal
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
    app = outside_of(request.headers, request.url.scheme)  # as the visitor sees it
    asked = request.query_params.get("scene", "").lstrip("/")
    return await _saved(f"{app}/{asked}", request.path_params["kind"])


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


async def _saved(address, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"spcviz.{KINDS[kind]}"
        command = [sys.executable, "-W", "ignore", "-m", "spcviz", "export", "--", address, str(path)]
        with anyio.move_on_after(SECONDS):
            code, said = await _run(command)
            if code == 0:
                return Response(path.read_bytes(), media_type="application/octet-stream", headers=_HEADERS)
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

"""What the bar's Save menu asks of the server: the page of an address as one file, and its Python.

Both are made by the command ``export`` in a process with a limit of time: one at a time; a few wait, all
others are told to come again. The address is measured first; what another site's page makes a browser ask is
refused.
"""

import os
import sys
import tempfile
from pathlib import Path

import anyio
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from spcviz.shared.folders import ROOT
from spcviz.web.serving.first_html import outside_of
from spcviz.web.ui.asked import counted, is_foreign
from spcviz.web.view import served

FOLDER = "save"
SECONDS = 180.0
"""Until a page must have been saved."""

MOST = 8000
"""Characters of an address."""

WAITING = 4
"""Pages that may wait for the one that is being saved."""

KINDS = {"page": "html", "python": "py"}
"""What can be saved, and how its file ends."""

_LIMIT = anyio.CapacityLimiter(1)
_CROWD = {"in_hand": 0}


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
    if _CROWD["in_hand"] > WAITING:
        return PlainTextResponse("Others are saving pages just now: try again in a minute.", 429)
    app = outside_of(request.headers, request.url.scheme)  # as the visitor sees it
    with counted(_CROWD):
        async with _LIMIT:
            asked = request.query_params.get("scene", "").lstrip("/")
            return await _saved(f"{app}/{asked}", request.path_params["kind"])


async def _saved(address, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"spcviz.{KINDS[kind]}"
        command = [sys.executable, "-W", "ignore", "-m", "spcviz", "export", "--", address, str(path)]
        with anyio.move_on_after(SECONDS):
            done = await anyio.run_process(command, check=False, cwd=ROOT, env=_environment())
            if done.returncode == 0:
                return Response(path.read_bytes(), media_type="application/octet-stream", headers=_HEADERS)
            message = done.stderr.decode(errors="replace").strip().rpartition("spcviz: ")[2]
            return PlainTextResponse(message[:500] or "This page could not be saved.", 422)
    return PlainTextResponse("This page takes too long to be saved.", 503)


_HEADERS = {"Content-Disposition": "attachment", "Cache-Control": "no-store"}


def _environment():
    """One thread for a process beside a server that others use."""
    return dict(os.environ) | {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

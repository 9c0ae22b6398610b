"""Static files: views' scripts and pictures at URLs that browsers cache, Streamlit's own compressed.

`app.py` gives `routes` and `middleware` to the server. Without `routes` (a page run alone, a test) nothing is
published and the JavaScript is sent inline.

Streamlit sends its own files uncompressed: 8 MB for a page with a chart. Their names contain a hash, so a
compressed file stays valid for ever. Range requests, other methods and browsers without compression go to
Streamlit.
"""

import base64
import hashlib
import json
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from spcviz.web.transport.answers import SHELF, Shelf, accepted_encodings, answer

FOLDER = "view"
ROOT = Path(st.__file__).with_name("static")
TYPES = {".js": "text/javascript", ".css": "text/css"}
_FONT = "SourceSansVF-Upright*.woff2"

STUB = """
const own = await import(new URL("{address}", document.baseURI));
export default (component) => {{
  const place = component.parentElement, style = document.createElement("style");
  Object.assign(style, {{ className: "own", textContent: own.css }});
  if (!place.querySelector("style.own")) place.append(style);
  return own.default(component);
}};
"""

_PUBLISHED = {}
_SERVER = {"has_routes": False}


def path(route: str) -> str:
    """Path of a route of ours on the server: below ``server.baseUrlPath``, like everything of Streamlit's."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{route}" if base else f"/{route}"


def routes():
    """The Starlette routes of published files, for the server."""
    _SERVER["has_routes"] = True
    return [Route(path(f"{FOLDER}/{{name}}"), _send)]


def publish(name: str, js: str, css: str) -> str:
    """JavaScript that loads a component's module from its own URL; "" without a server's `routes`."""
    if not _SERVER["has_routes"]:
        return ""
    content = f"{js}\nexport const css = {json.dumps(css)};\n".encode()
    return STUB.format(address=_publish(f"{name}.js", content, "text/javascript"))


def publish_file(name: str, content: bytes, media_type: str) -> str:
    """Serve a file at its own address, relative to the app's; inline if no server has `routes`.

    >>> publish_file("one.txt", b"text", "text/plain")
    'data:text/plain;base64,dGV4dA=='
    """
    if not _SERVER["has_routes"]:
        return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    return _publish(name, content, media_type)


def _publish(name, content, media_type):
    """Publish a content at an address that contains its digest, so it never changes."""
    stem, _, ending = name.rpartition(".")
    address = f"{stem}-{hashlib.sha256(content).hexdigest()[:16]}.{ending}"
    _PUBLISHED[address] = content, media_type
    return f"{FOLDER}/{address}"


async def _send(request):
    name = request.path_params["name"]
    if name not in _PUBLISHED:
        return Response(status_code=404)
    content, media_type = _PUBLISHED[name]
    return await answer(name, lambda: content, request.headers, media_type)


def files(root: Path = ROOT) -> dict[str, Path]:
    """{path in addresses: file} of Streamlit's files worth compressing; no other can be requested."""
    found = (one for one in (root / "static").rglob("*") if one.suffix in TYPES)
    return {path(one.relative_to(root).as_posix()): one for one in sorted(found)}


def font() -> Path | None:
    """The file of the pages' font (Source Sans, SIL Open Font License); None if Streamlit brings none."""
    return next(ROOT.rglob(_FONT), None)


def middleware() -> list[Middleware]:
    """Middleware for `st.App` that sends Streamlit's files compressed."""
    return [Middleware(Compressed)]


class Compressed:
    """ASGI middleware that answers requests for Streamlit's files."""

    def __init__(self, app, shelf: Shelf = SHELF, root: Path = ROOT):
        self.app, self._shelf, self._files = app, shelf, files(root)

    async def __call__(self, scope, receive, send):
        file = self._files.get(scope["path"]) if scope["type"] == "http" else None
        if file is None or scope["method"] not in ("GET", "HEAD"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if "range" in headers or not accepted_encodings(headers.get("accept-encoding", "")):
            return await self.app(scope, receive, send)
        kind = TYPES[file.suffix]
        made = await answer(file.as_posix(), file.read_bytes, headers, kind, self._shelf)
        await made(scope, receive, send)

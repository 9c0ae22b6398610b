"""Serve views' JavaScript and pictures at URLs that browsers cache, instead of with every run.

`app.py` gives `routes` to the server. Without them (a page run alone, a test) nothing is published and the
JavaScript is sent inline.
"""

import base64
import hashlib
import json

import streamlit as st
from starlette.responses import Response
from starlette.routing import Route

from spcviz.web.transport.answers import answer

FOLDER = "view"

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

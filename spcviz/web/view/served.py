"""Serve components' JavaScript at URLs of its own: Streamlit would send it along with every run.

`app.py` gives `routes` to the server. Without them (a page run by itself, a test) nothing is published and
the JavaScript travels inline.
"""

import hashlib
import json

import streamlit as st
from starlette.responses import Response
from starlette.routing import Route

from spcviz.web.serving.answers import answer

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
    """Where the server serves a route of ours: below ``server.baseUrlPath``, as all that Streamlit serves."""
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{route}" if base else f"/{route}"


def routes():
    """What the server needs: a list of starlette routes."""
    _SERVER["has_routes"] = True
    return [Route(path(f"{FOLDER}/{{name}}"), _send)]


def publish(name: str, js: str, css: str) -> str:
    """Serve a component's module at a URL of its own.

    Returns JavaScript that loads it from there; empty if there is no server with `routes`.
    """
    if not _SERVER["has_routes"]:
        return ""
    content = f"{js}\nexport const css = {json.dumps(css)};\n"
    address = f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:16]}.js"
    _PUBLISHED[address] = content
    return STUB.format(address=f"{FOLDER}/{address}")


async def _send(request):
    content = _PUBLISHED.get(request.path_params["name"])
    if content is None:
        return Response(status_code=404)
    # The address names the content, so it never changes.
    name = request.path_params["name"]
    return await answer(name, content.encode, request.headers, "text/javascript")

"""Who asks, as far as a server can know: the network address behind a proxy, and what a cookie is for."""

import ipaddress
import os
from urllib.parse import urlsplit

from starlette.requests import Request

from spcviz.web.serving.first_html import outside_of

BEHIND_PROXY = "SPCVIZ_BEHIND_PROXY"
"""Environment variable: set where nothing but a proxy reaches this process, so that what it says is so."""


def address_of(request: Request) -> str:
    """The network address that counts as one client: of IPv6, where everybody has many, the first half.

    ``X-Forwarded-For`` is believed of this machine's own proxy, and where `BEHIND_PROXY` is set: anybody else
    could write another address into each request.
    """
    peer = _parsed(request.client.host if request.client else "")
    if (peer is not None and peer.is_loopback) or os.environ.get(BEHIND_PROXY):
        said = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        peer = _parsed(said) or peer
    if peer is None:
        return ""
    if peer.version == 6 and peer.ipv4_mapped is None:
        return str(ipaddress.ip_network((peer, 64), strict=False))
    return str(peer)


def _parsed(text):
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def cookie_place(request: Request) -> dict:
    """``path`` and ``secure`` of a cookie: of the app and nothing beside it, and with https nowhere else."""
    outside = urlsplit(outside_of(request.headers, request.url.scheme))
    return {"path": outside.path.rstrip("/") or "/", "secure": outside.scheme == "https"}

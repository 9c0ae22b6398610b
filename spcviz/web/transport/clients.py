"""Clients by address or signed token, their rate limits, and the app's address as they see it.

A lecture hall has one address, so a browser is identified by a signed token in a cookie, without a name. A
client that requests many tokens is identified by its address instead.

A token is ``NUMBER.LETTER.SIGN``: a random number, "a" for a browser that came in time or "b" for one in a
crowd, and a keyed digest of both. The key lives as long as the server's process: tokens of other processes
are invalid.
"""

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import time
from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from spcviz.web.transport import static_files

BEHIND_PROXY = "SPCVIZ_BEHIND_PROXY"
"""Environment variable: set where only a proxy reaches this process, so that its headers can be trusted."""

COOKIE, SECONDS = "spcviz_visitor", 24 * 3600
"""Name of a token's cookie, and its lifetime in seconds."""

MOST_KEPT = 20_000
"""Buckets of the most recent clients; a forgotten client starts with a full one."""
HANDED = 600, 5.0
"""Tokens that an address gets in a burst, and per second, before newcomers count as a crowd."""

_KEY = secrets.token_bytes(32)
_TOKEN = re.compile(r"([0-9a-f]{32})\.([ab])\.([0-9a-f]{32})", re.ASCII)


class Phone(NamedTuple):
    """The holder of a token."""

    number: str
    in_crowd: bool  # its address had requested more tokens than a hall needs: evicted first


def handed_out(in_crowd: bool) -> str:
    """A new token."""
    return sign_token(Phone(secrets.token_hex(16), in_crowd))


def sign_token(phone: Phone) -> str:
    """The token of a phone.

    >>> phone = Phone("0" * 32, False)
    >>> read(sign_token(phone)) == phone, read(sign_token(phone)[:-1] + "x"), read("")
    (True, None, None)
    """
    text = f"{phone.number}.{'b' if phone.in_crowd else 'a'}"
    return f"{text}.{_sign(text)}"


def read(token: str) -> Phone | None:
    """The holder of a token; None if this process has not issued it."""
    if not (match := _TOKEN.fullmatch(token)):
        return None
    number, crowd, sign = match.groups()
    return Phone(number, crowd == "b") if hmac.compare_digest(sign, _sign(f"{number}.{crowd}")) else None


def _sign(text):
    return hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest()[:32]


class Buckets:
    """Token buckets of clients: `at_once` requests in a burst, `a_second` more per second.

    A client that sends endless requests empties its own bucket and no other.
    """

    def __init__(self, at_once: float, a_second: float, now: Callable[[], float] = time.monotonic):
        self._at_once, self._a_second, self._now = at_once, a_second, now
        self._left: dict[Hashable, tuple[float, float]] = {}

    def take(self, who: Hashable) -> bool:
        """Take a request from a client's bucket; False if none is left."""
        now = self._now()
        left, at = self._left.pop(who, (self._at_once, now))
        left = min(self._at_once, left + (now - at) * self._a_second)
        may = left >= 1
        self._left[who] = (left - may, now)  # now the most recent
        if len(self._left) > MOST_KEPT:
            del self._left[next(iter(self._left))]
        return may

    def has_any(self, who: Hashable) -> bool:
        """Whether a client has a request left; takes none."""
        left, at = self._left.get(who, (self._at_once, self._now()))
        return min(self._at_once, left + (self._now() - at) * self._a_second) >= 1


class Handing:
    """Limits of the tokens handed to each address."""

    def __init__(self):
        self.rights = Buckets(*HANDED)


HANDING = Handing()


def visitor_of(request: Request) -> Phone | None:
    """The sender of a request, by its token; None if this process has not issued it."""
    return read(request.cookies.get(COOKIE, ""))


def one_of(request: Request) -> str:
    """The key of one visitor: a token's holder, else all clients of an address together."""
    visitor = visitor_of(request)
    return address_of(request) if visitor is None or visitor.in_crowd else visitor.number


def hand_token(request: Request, response: Response) -> None:
    """Give a browser a token with an answer, if it has none."""
    if visitor_of(request) is None:
        token = handed_out(not HANDING.rights.take(address_of(request)))
        response.set_cookie(
            COOKIE, token, max_age=SECONDS, httponly=True, samesite="lax", **cookie_place(request)
        )


def address_of(request: Request) -> str:
    """The network address that counts as one client: for IPv6, where everybody has many, the first half.

    ``X-Forwarded-For`` is trusted from this machine's own proxy, and where `BEHIND_PROXY` is set: any other
    client could write another address into each request.
    """
    peer = _parse(request.client.host if request.client else "")
    if (peer is not None and peer.is_loopback) or os.environ.get(BEHIND_PROXY):
        said = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        peer = _parse(said) or peer
    if peer is None:
        return ""
    if peer.version == 6 and peer.ipv4_mapped is None:
        return str(ipaddress.ip_network((peer, 64), strict=False))
    return str(peer)


def _parse(text):
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def cookie_place(request: Request) -> dict:
    """``path`` and ``secure`` of a cookie: for the app only, and over https only if the app uses it."""
    outside = urlsplit(outside_of(request.headers, request.url.scheme))
    return {"path": outside.path.rstrip("/") or "/", "secure": outside.scheme == "https"}


_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_PREFIX = re.compile(r"(/[\w.~-]+)*")


def outside_of(headers: Mapping[str, str], scheme: str) -> str:
    """The app's address as its visitor sees it, without a trailing slash; "" if no header gives one.

    A proxy reports the scheme and, if it strips a path, that path (``X-Forwarded-Prefix``).
    """
    host = headers.get("x-forwarded-host", headers.get("host", "")).split(",")[0].strip()
    protocol = headers.get("x-forwarded-proto", scheme).split(",")[0].strip()
    prefix = headers.get("x-forwarded-prefix", "").rstrip("/")
    if not _HOST.fullmatch(host) or protocol not in ("http", "https") or not _PREFIX.fullmatch(prefix):
        return ""
    return f"{protocol}://{host}{prefix}{static_files.path('').rstrip('/')}"


def reachable(outside: str, page: str) -> str:
    """A page's address as others can open it, without its scheme; "" if only this computer can.

    >>> reachable("https://a.example/spcviz", "write"), reachable("http://127.0.0.1:8501", "write")
    ('a.example/spcviz/write', '')
    """
    parts = urlsplit(outside)
    name = parts.hostname or ""
    is_local = name in ("", "localhost", "::1") or name.startswith("127.") or name.endswith(".localhost")
    return "" if is_local else f"{parts.netloc}{parts.path}/{page}".rstrip("/")

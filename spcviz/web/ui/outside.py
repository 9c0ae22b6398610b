"""Server settings towards the network: file descriptors for connections, security headers.

Streamlit builds modules and styles while it runs ('unsafe-inline', blob:) and Plotly functions
('unsafe-eval'); nothing is fetched from, or sent to, another address. Any page may show the app in a frame,
as the Save menu offers: there is no login that a frame could misuse. `FRAMES` can restrict this.

Each session keeps an event loop (three descriptors) in addition to its socket, and one that has left is kept
for `server.disconnectedSessionTTL` seconds: under a low limit of open files, some dozen reloads would lock
out everybody.
"""

import logging
import os
import re
import time
from collections import deque
from collections.abc import Callable

from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from streamlit import config

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None

LOG = logging.getLogger(__name__)
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
"""Headers of every answer that does not set them: nothing counts as a script that is not sent as one, and the
address, which holds a visitor's input, is sent to no other site."""

FRAMES = "SPCVIZ_FRAMES"
"""Environment variable: whose pages may show the app in a frame, in the form of CSP's ``frame-ancestors``."""

ANY_FRAME = "'self' http: https: file:"
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'{sockets} data: blob:; worker-src 'self' blob:; "
    "frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors {frames}"
)
"""Content security policy of every answer that does not set one."""

FULL_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Full · spcviz</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="refresh" content="15">
</head><body><p>This server has room for {fit} visitors at once, and there are as many. This page tries again
every 15 seconds.</p></body></html>"""
COMING = 15.0
"""Seconds within which a page that was sent opens its permanent connection."""

WANTED = (65_536, 10_240, 4096)
"""Descriptors to request, the first that the system grants; macOS grants 10,240 whatever it promises."""

ENOUGH = 1024
"""Descriptors for a class: four per visitor, three for each who left within the last two minutes."""

OF_SERVER, OF_VISITOR = 60, 7
"""Descriptors of the server itself, with connections that only fetch a file; and those of one visitor."""


def middleware():
    """Middleware for `st.App`."""
    return [Middleware(Headers), Middleware(Seats)]


class Headers:
    """ASGI middleware that adds `HEADERS` and `POLICY`, and sends ``Vary`` only once."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        async def sent(message):
            if message["type"] == "http.response.start":
                message = message | {"headers": _complete(message["headers"], scope)}
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)


def _complete(headers, scope):
    """Headers of an answer, completed by those that it lacks."""
    vary = [value for name, value in headers if name.lower() == b"vary"]
    kept = [(name, value) for name, value in headers if name.lower() != b"vary" or len(vary) < 2]
    if len(vary) > 1:  # one from each middleware
        said = dict.fromkeys(one.strip() for value in vary for one in value.split(b","))
        kept.append((b"vary", b", ".join(said)))
    named = {name.lower() for name, _ in kept}
    wanted = HEADERS | {"Content-Security-Policy": policy_of(scope)}
    more = [(name.lower().encode(), value.encode("latin-1")) for name, value in wanted.items()]
    return [*kept, *((name, value) for name, value in more if name not in named)]


def policy_of(scope) -> str:
    """`POLICY` for the host of a request; not every browser counts sockets as of the page's own origin."""
    host = next((value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"), "")
    is_host = re.fullmatch(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?", host, re.ASCII)
    sockets = f" ws://{host} wss://{host}" if is_host else ""
    return POLICY.format(sockets=sockets, frames=os.environ.get(FRAMES, ANY_FRAME).partition(";")[0])


class Seats:
    """ASGI middleware that informs newcomers to a full server, where few descriptors may be open.

    Current visitors keep their places; beyond them nothing is accepted that would fail half-way.
    """

    def __init__(self, app, fit: Callable[[], int | None] = lambda: FITS["fit"]):
        self.app, self._fit = app, fit
        self._n_open = 0
        self._coming: deque[float] = deque()

    async def __call__(self, scope, receive, send):
        fit = self._fit()
        if fit is None or scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            return await self._serve_in_line(scope, receive, send)
        if not _asks_for_a_page(scope):
            return await self.app(scope, receive, send)
        now = time.monotonic()
        while self._coming and now - self._coming[0] > COMING:
            self._coming.popleft()
        if self._n_open + len(self._coming) < fit:
            self._coming.append(now)
            return await self.app(scope, receive, send)
        headers = {"Retry-After": "15", "Cache-Control": "no-store", "Connection": "close"}
        await HTMLResponse(FULL_PAGE.format(fit=fit), 503, headers)(scope, receive, send)

    async def _serve_in_line(self, scope, receive, send):
        if self._coming:
            self._coming.popleft()
        self._n_open += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._n_open -= 1


def _asks_for_a_page(scope):
    wanted = dict(scope["headers"]).get(b"sec-fetch-dest", b"document")
    accepts = dict(scope["headers"]).get(b"accept", b"text/html")
    is_file = "." in scope["path"].rpartition("/")[2] or "/_stcore/" in scope["path"]
    return (
        scope["method"] == "GET" and not is_file and wanted in (b"document", b"iframe") and b"html" in accepts
    )


FITS: dict[str, int | None] = {"fit": None}
"""How many visitors fit; None if there is no such limit."""


def make_room() -> int | None:
    """Let this process open as many files as allowed; return the limit, and warn if it is too low."""
    if resource is None:
        return None
    soft = _raise_limit(*resource.getrlimit(resource.RLIMIT_NOFILE))
    if soft != resource.RLIM_INFINITY and soft < ENOUGH:
        kept = max(1, (soft - 100) // 100)  # short enough for some dozen visits a second
        FITS["fit"] = max(1, (soft - OF_SERVER) // OF_VISITOR)
        config.set_option("server.disconnectedSessionTTL", kept)
        LOG.warning(
            "This process may open only %d files and sockets, which is enough for %d visitors at once; who "
            "comes to a full server is told so. More need a higher hard limit: `ulimit -Hn 4096` as root, "
            "LimitNOFILE=4096 of systemd, `--ulimit nofile=4096` of docker. Until then who loses the "
            "connection for more than %d s begins a new session: the address restores the scene, but not an "
            "upload.",
            soft, FITS["fit"], kept,
        )  # fmt: skip
    return soft


def _raise_limit(soft, hard):
    """Raise the soft limit as far as allowed, and return it."""
    for wanted in WANTED:
        aim = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft == resource.RLIM_INFINITY or aim <= soft:
            return soft
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, hard))
        except (ValueError, OSError):  # more than the system grants, though it names no limit
            continue
        return aim
    return soft

"""Server limits and headers: enough file descriptors for all connections, and headers against other sites.

Each session keeps an event loop (three descriptors) beside its socket, and one that has left is kept for
`server.disconnectedSessionTTL` seconds: where few files may be open, some dozen reloads would shut all out.
"""

import logging

from starlette.middleware import Middleware
from streamlit import config

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None

LOG = logging.getLogger(__name__)
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
"""Of every answer that has none of its own: nothing is taken for a script that is not sent as one, and the
address, which holds what a visitor typed, is told to no other site."""

WANTED = (65_536, 10_240, 4096)
"""Descriptors to ask for, the first that the system grants; macOS grants 10,240 whatever it promises."""

ENOUGH = 1024
"""For a class: four a visitor, three for each who left within the last two minutes."""


def middleware():
    """What `st.App` takes."""
    return [Middleware(Headers)]


class Headers:
    """ASGI middleware that adds `HEADERS`."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        async def sent(message):
            if message["type"] == "http.response.start":
                named = {name.lower() for name, _ in message["headers"]}
                headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                more = [(name, value) for name, value in headers if name not in named]
                message = message | {"headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)


def make_room() -> int | None:
    """Let this process open as many files as it may; the limit, and a warning if it is too low."""
    if resource is None:
        return None
    soft = _raised(*resource.getrlimit(resource.RLIMIT_NOFILE))
    if soft != resource.RLIM_INFINITY and soft < ENOUGH:
        kept = max(1, (soft - 100) // 100)  # short enough for some dozen visits a second
        config.set_option("server.disconnectedSessionTTL", kept)
        LOG.warning(
            "This process may open only %d files and sockets, which is enough for about %d visitors at once. "
            "More need a higher hard limit: `ulimit -Hn 4096` as root, LimitNOFILE=4096 of systemd, "
            "`--ulimit nofile=4096` of docker. Until then who loses the connection for more than %d s begins "
            "a new session: the address restores the scene, but not an upload.",
            soft, soft // 8, kept,
        )  # fmt: skip
    return soft


def _raised(soft, hard):
    """The soft limit, raised as far as it may be."""
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

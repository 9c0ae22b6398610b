"""Detect from a WebSocket's close whether a browser has left its page or only lost the connection.

A page that is closed, reloaded or left says so in its last frame ("going away", RFC 6455, 7.4.1). A tunnel, a
closed lid or a restarted proxy send nothing, or something else, and the browser comes back to the same visit.
Streamlit does not tell the two apart, so each connection gets a number on its way in, among the headers that
Streamlit keeps of it, and a callback receives the numbers that were closed for good.
"""

import secrets
from collections.abc import Callable, Iterable

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NUMBER = b"x-spcviz-connection"
GOING_AWAY = 1001
UNKNOWN = "without a number"


def middleware(closed: Callable[[str], None]) -> list[Middleware]:
    """Middleware for `st.App`; `closed` is called with each connection that a browser has closed for good."""
    return [Middleware(Leaving, closed=closed)]


class Leaving:
    """ASGI middleware that numbers connections and listens to how they end."""

    def __init__(self, app: ASGIApp, closed: Callable[[str], None]) -> None:
        self.app, self._closed = app, closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return await self.app(scope, receive, send)
        number = secrets.token_hex(8)

        async def received() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") == GOING_AWAY:
                self._closed(number)
            return message

        # A header that the client itself has set is no number of ours.
        kept = [(name, value) for name, value in scope["headers"] if name.lower() != NUMBER]
        await self.app(scope | {"headers": [*kept, (NUMBER, number.encode())]}, received, send)


def connection_in(headers: Iterable[tuple[str, str]]) -> str:
    """The number of a connection among its headers.

    >>> connection_in([("Host", "a"), ("x-spcviz-connection", "7f")]), connection_in([])
    ('7f', 'without a number')
    """
    return next((value for name, value in headers if name.lower() == NUMBER.decode()), UNKNOWN)

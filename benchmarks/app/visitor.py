"""One visitor of the app over its websocket, in Streamlit's own messages, as a browser sends and reads them.

Like a browser it caches large elements that it has seen and reports them (`cached_message_hashes`), sends the
state of every widget with each rerun, and follows the address that the server writes; it draws nothing.
"""

import asyncio
import time
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from benchmarks.app import acting
from spcviz.web.tours import tour

PATIENCE = 20.0  # seconds; a run that takes longer counts as lost
RUNS_KEPT = 2  # a browser forgets an element that this many runs did not show


class Lost(Exception):
    """The server closed the connection, or did not finish a run in time."""


class Ran(NamedTuple):
    """One run of a page's script, as its visitor saw it."""

    ms: float  # from sending (or connecting) to the end of the run
    kb: float  # received, in 1000 bytes
    shown: tuple[str, ...]  # exceptions that the page shows
    address: str  # the address's query after it


class Visitor:
    """A session on the page with URL path `page` ("" is the home page) and `query`.

    `pages` holds path and title of every page of the side bar, `widgets` the widgets that can be acted on, by
    Streamlit's id, and `bar` Streamlit's id of the tour's bar.
    """

    def __init__(self, port: int, page: str, query: str = ""):
        self.port, self.page, self.query = port, page, query
        self.pages, self.widgets, self.bar = {}, {}, ""
        self._hash, self._seen, self._runs, self._socket = "", {}, 0, None

    async def open(self):
        """Connect and wait for the first whole run: a `Ran`."""
        start = time.perf_counter()
        await self.connect()
        return await self.run(start=start)

    async def connect(self):
        """Only open the websocket."""
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        try:
            self._socket = await connect(
                address, subprotocols=["streamlit"], compression=None, max_size=None, proxy=None,
                open_timeout=PATIENCE, ping_interval=None,
            )  # fmt: skip
        except (OSError, ConnectionClosed, TimeoutError) as error:
            raise Lost(f"no connection: {error}") from error

    async def act(self, rng):
        """One action on something that the page shows; see `acting.choose`."""
        return await self.run(acting.choose(self.widgets, rng))  # None: only text and links; reruns the page

    async def run(self, chosen=None, start=None):
        """Request a run, after an action on a widget if one is `chosen`, and wait for its end: a `Ran`."""
        start = time.perf_counter() if start is None else start
        await self.send(self.message(chosen).SerializeToString())
        try:
            async with asyncio.timeout(PATIENCE):
                n_bytes, shown = await self.rest()
        except TimeoutError:
            raise Lost(f"no end of the run after {PATIENCE:.0f} s") from None
        return Ran(1000 * (time.perf_counter() - start), n_bytes / 1000, tuple(shown), self.query)

    def message(self, chosen=None):
        """The `BackMsg` of a rerun."""
        context = {"timezone": "Etc/UTC", "locale": "en", "color_scheme": "light"}
        context |= {"url": f"http://127.0.0.1:{self.port}/{self.page}"}
        about = {"query_string": self.query, "page_script_hash": self._hash, "context_info": context}
        about |= {} if self._hash else {"page_name": self.page}
        back = BackMsg(rerun_script={**about, "cached_message_hashes": list(self._seen)})
        state = back.rerun_script
        if chosen is not None:
            self.widgets[chosen.id] = chosen
            state.fragment_id = chosen.fragment
        states = [widget.state for widget in self.widgets.values() if widget.state is not None]
        state.widget_states.widgets.extend(states)
        if chosen is not None and chosen.kind == "button":
            self.widgets[chosen.id] = chosen._replace(state=None)  # pressed once
        return back

    async def send(self, data):
        """Send bytes, or text, unchanged."""
        try:
            await self._socket.send(data)
        except ConnectionClosed as error:
            raise Lost(f"closed by the server: {error}") from error

    def cut(self):
        """Drop the connection without notice, like a laptop that is shut."""
        self._socket.transport.abort()

    async def close(self):
        """Leave as a closed tab does."""
        if self._socket is not None:
            await self._socket.close(code=1001)

    async def receive(self):
        """One message: (number of bytes, `ForwardMsg`)."""
        try:
            data = await self._socket.recv()
        except ConnectionClosed as error:
            raise Lost(f"closed by the server: {error}") from error
        message = ForwardMsg()
        message.ParseFromString(data)
        return len(data), message

    async def rest(self):
        """Receive messages until the run ends: (bytes, exceptions shown)."""
        n_bytes, shown = 0, []
        while True:
            size, message = await self.receive()
            n_bytes += size
            kind = message.WhichOneof("type")
            if kind == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    shown.append("compile error")
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self._forget()
                    return n_bytes, shown
            else:
                self._take(kind, message, shown)

    def _take(self, kind, message, shown):
        if kind == "ref_hash":
            delta = self._seen.get(message.ref_hash, (None, 0))[0]
            self._seen[message.ref_hash] = delta, self._runs
            if delta is not None:
                self._widget(delta, shown)
        elif kind == "delta":
            if message.metadata.cacheable:
                self._seen[message.hash] = message.delta, self._runs
            self._widget(message.delta, shown)
        elif kind == "new_session":
            if not message.metadata.run.fragment_ids:
                self.widgets = {}
            self._hash = message.new_session.page_script_hash or self._hash
        elif kind == "navigation":
            self._hash = message.navigation.page_script_hash or self._hash
            pages = message.navigation.app_pages
            self.pages = {"" if p.is_default else p.url_pathname: p.page_name for p in pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "session_event" and message.session_event.WhichOneof("type") == (
            "script_compilation_exception"
        ):
            shown.append(message.session_event.script_compilation_exception.message)

    def _widget(self, delta, shown):
        """Store a widget that can be acted on, and the tour's bar; note an exception."""
        if delta.WhichOneof("type") != "new_element":
            return
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            shown.append(f"{element.exception.type}: {element.exception.message}")
        if kind == "bidi_component" and element.bidi_component.component_name.endswith("spcviz_tour"):
            self.bar = element.bidi_component.id
        widget = acting.widget_of(kind, element, delta.fragment_id)
        if widget is not None:
            before = self.widgets.get(widget.id)
            self.widgets[widget.id] = acting.carry_over(before, widget)

    def _forget(self):
        self._runs += 1
        self._seen = {k: v for k, v in self._seen.items() if self._runs - v[1] <= RUNS_KEPT}


class Follower(Visitor):
    """A session that walks through a shipped tour, scene by scene, and begins again at its end."""

    def __init__(self, port: int, name: str):
        super().__init__(port, "", f"tour={name}&scene=1")
        self._codes, self._at = tour.codes(tour.shipped_tours()[name]), 0

    async def act(self, rng):
        """Go to the next scene."""
        self._at = (self._at + 1) % len(self._codes)
        asked = {"kind": "go", "to": self._codes[self._at]}
        return await self.run(acting.trigger(self.bar, "act", asked))

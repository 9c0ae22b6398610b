"""A failed connection loses none of a visitor's data; closing or reloading the page drops all of them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from benchmarks.app import visitor as visitor_of_bench
from benchmarks.app.hostile_client import Uploader
from tests.browser.wire import Wire

pytestmark = pytest.mark.browser
NAME = "mine.txt"
TEXT = "\n\n".join("the D\ndog N\nbarks V" for _ in range(30))
LONG = 8.0
"""Seconds without a connection: several sweeps of the clock that drops data."""


@pytest.fixture
def wire(server):
    with Wire(urlsplit(server).port) as made:
        yield made


def brought(context, wire):
    """A page that has read its visitor's file."""
    page = context.new_page()
    page.goto(f"http://localhost:{wire.port}/data", timeout=120_000)
    box = page.locator("input[type=file]").first
    box.wait_for(state="attached", timeout=90_000)
    box.set_input_files({"name": NAME, "mimeType": "text/plain", "buffer": TEXT.encode()})
    page.get_by_text("30 sentences").first.wait_for(timeout=120_000)
    return page


def test_a_connection_that_is_lost_for_a_while_loses_nothing(browser, wire):
    context = browser.new_context()
    try:
        page = brought(context, wire)
        wire.cut()
        page.wait_for_timeout(1000 * LONG)
        with page.expect_websocket(timeout=90_000):
            wire.mend()
        page.get_by_role("button", name="Train", exact=False).first.click(timeout=60_000)
        page.get_by_text("Trained on").first.wait_for(timeout=120_000)  # on the data brought before
        assert page.get_by_text("30 sentences").first.is_visible()
    finally:
        context.close()


class Coming(Uploader):
    """A visitor of Your data who can return to an interrupted visit, as a browser does."""

    def __init__(self, port):
        super().__init__(port, "data")
        self.texts = []

    def _widget(self, delta, shown):
        if delta.WhichOneof("type") == "new_element" and delta.new_element.WhichOneof("type") == "markdown":
            self.texts.append(delta.new_element.markdown.body)
        super()._widget(delta, shown)

    async def come_back(self):
        """Resume the visit by its number, as Streamlit's page does; returns the texts shown then."""
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        protocols = ["streamlit", "none", self.session]
        number, self.texts = self.session, []
        self._socket = await connect(address, subprotocols=protocols, compression=None, max_size=None)
        while not self.texts:  # messages pending when the connection ended may come first
            await self.run()
        assert self.session == number, "it is another visit"
        return " ".join(self.texts)


@pytest.mark.parametrize("code", [1001, 1000, None])
def test_what_was_brought_is_gone_only_where_the_page_said_that_it_went(server, code, monkeypatch):
    """Browsers send 1001 when a page is closed, reloaded or left; a failing connection sends nothing."""
    monkeypatch.setattr(visitor_of_bench, "PATIENCE", 120.0)  # the first visitor waits for kernels

    async def run():
        visitor = Coming(urlsplit(server).port)
        await visitor.open()
        await visitor.bring(NAME, TEXT.encode())
        assert "30 sentences" in " ".join(visitor.texts)
        if code is None:
            visitor.cut()
        else:
            await visitor._socket.close(code=code)
        await asyncio.sleep(LONG)
        return await visitor.come_back()

    with ThreadPoolExecutor(1) as beside:  # Playwright's own loop is in this thread
        shown = beside.submit(asyncio.run, run()).result()
    assert ("30 sentences" in shown) == (code != 1001)
    assert ("Example" in shown) == (code == 1001)


def test_a_page_that_is_reloaded_has_nothing_of_the_visit_before(browser, wire):
    context = browser.new_context()
    try:
        page = brought(context, wire)
        page.reload(timeout=60_000)
        page.get_by_text("Example", exact=False).first.wait_for(timeout=90_000)
        assert not page.get_by_text("30 sentences").count()
        assert page.get_by_text("when you close or reload this page").count(), "the page says so"
    finally:
        context.close()

"""On a real server with its sessions nothing stays of a visitor's data, wherever Streamlit put it.

The marker is a random word in a text, or in the labels and features of a model.
"""

import asyncio
import secrets
import time

import pytest

import spcviz
from benchmarks.app import visitor as sessions
from benchmarks.app.files import Bringer
from benchmarks.app.visitor import Visitor
from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.model import template as templates
from spcviz.web.cached import ownership
from tests.watching import Watched

PATIENCE = 400
"""Seconds for a model to train or to read, including compilation of kernels on a busy machine."""


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """The first run of a page waits for other work on this machine."""
    monkeypatch.setattr(sessions, "PATIENCE", PATIENCE)


@pytest.fixture(scope="module")
def server():
    with Watched() as server:
        yield server


class Reader(Bringer):
    """A session that keeps every message it receives, byte by byte."""

    def __init__(self, port, page, query=""):
        super().__init__(port, page)
        self.query, self.got = query, []

    async def receive(self):
        size, message = await Visitor.receive(self)
        self.got.append(message.SerializeToString())
        return size, message

    async def until(self, words):
        """Run the page again and again until it says these words."""
        end = time.monotonic() + PATIENCE
        while not any(words in text.replace("\\", "") for text in self.said):
            assert time.monotonic() < end, f"{words!r} is not said: {self.said[-20:]}"
            await asyncio.sleep(0.5)
            self.said = []
            await self.run()


def text_of(marker):
    return f"He PRP\nreckons VBZ\nthe DT\n{marker} NN\n. .\n\n".encode() * 40


def model_of(marker):
    words = ["The", marker, "barked", "at", "the", "man"]
    labels = ["D", f"N{marker}", "V", "P", "D", "N"]
    X = [templates.features_of(words, templates.read_template("bias lower[0]"))] * 12
    return to_zip(spcviz.StructuredPerceptron(max_iter=2, random_state=0).fit(X, [labels] * 12))


BROUGHT = {"text": ("mine.txt", text_of, "mine.txt"), "model": ("mine.zip", model_of, "The model read")}


async def closed(visitor, server):
    """The page is closed: everything is dropped at once."""
    await visitor.close()
    return 20.0


async def lost(visitor, server):
    """The connection breaks, and nobody comes back."""
    visitor.cut()
    await asyncio.sleep(2)
    server.turn(ownership.MOST_AWAY + 1)
    return 20.0


async def idle(visitor, server):
    """The page stays open, and nobody uses it for 35 minutes."""
    server.turn(35 * 60)
    return 20.0


async def gone(server, marker, seconds):
    end = time.monotonic() + seconds
    while (left := await asyncio.to_thread(server.look, marker)) and time.monotonic() < end:
        await asyncio.sleep(0.5)
    return left


@pytest.mark.parametrize("ends", [closed, lost, idle])
@pytest.mark.parametrize("what", BROUGHT)
def test_what_was_brought_is_gone_and_was_nobody_elses(server, what, ends):
    name, make, said = BROUGHT[what]
    marker = f"xy{secrets.token_hex(8)}"

    async def story():
        visitor = Reader(server.port, "data")
        await visitor.open()
        await visitor.bring(name, make(marker))
        await visitor.until(said)
        assert server.look(marker), "it is there while its visitor is"
        other = Reader(server.port, "data")
        await other.open()
        await other.run()
        assert not any(marker.encode() in frame for frame in other.got)
        await other.close()
        left = await gone(server, marker, await ends(visitor, server))
        assert left == []
        if ends is idle:
            visitor.said = []
            await visitor.run()  # the page continues without the data
            assert not any(marker in text for text in visitor.said)
            await visitor.close()
        assert marker not in server.log()
        assert server.tracebacks() == 0, server.log()

    asyncio.run(story())

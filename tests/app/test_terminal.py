"""A server's first minute on the terminal: its address, a line about compiling kernels, no warnings."""

import asyncio
import time

from benchmarks.app.load import is_picture
from benchmarks.app.server import Server
from benchmarks.app.visitor import Visitor

SECONDS = 60


async def first_picture(port, page):
    """Whether a visitor is sent a picture before the page's run ends."""
    visitor = Visitor(port, page)
    await visitor.connect()
    await visitor.send(visitor.message().SerializeToString())
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                _, message = await visitor.receive()
                if is_picture(message):
                    return True
                if message.WhichOneof("type") == "script_finished":
                    return False
    finally:
        await visitor.close()


def test_a_fresh_machine_hears_that_pages_work_and_they_do(tmp_path):
    with Server(kernels=str(tmp_path)) as server:
        assert asyncio.run(first_picture(server.port, "letters"))
        end = time.monotonic() + SECONDS
        while "compiling" not in server.log() and time.monotonic() < end:
            time.sleep(0.2)
        said = [line.strip() for line in server.log().splitlines() if line.strip()]
    assert not any("ScriptRunContext" in line for line in said)
    assert [line for line in said if line.startswith("spcviz:")] == said[-1:]
    assert said[-1].startswith("spcviz: compiling for this machine, about ")
    assert said[-1].endswith(" s; pages work meanwhile")
    assert not list(tmp_path.rglob("*.ready"))  # the first picture came from the store

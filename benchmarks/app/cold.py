"""Load test: the first minute of a server that has just been started.

On a machine with no compiled kernel: each page's first picture. On one that has them all: the first visitor
of a server that has just started, and a class that arrives there at once.
"""

import tempfile
import time

from benchmarks.app.load import crowd
from benchmarks.app.server import Server
from benchmarks.app.visitor import Lost, Visitor

VISIT_GOAL_MS, CLASS_GOAL_MS = 2500.0, 3000.0
PICTURES = ("bidi_component", "plotly_chart", "imgs", "arrow_data_frame", "arrow_table")
"""Kinds of elements that count as a page's picture; the bar of a tour, a component too, does not."""


async def first_pictures(pages: list[str], tick) -> dict[str, float | None]:
    """{page: ms to its first picture, or its end if it has none; None: lost} on one server that compiles."""
    times = {}
    with tempfile.TemporaryDirectory(prefix="spcviz-cold-") as folder, Server(kernels=folder) as server:
        for page in pages:
            tick(f"{page or 'home'}: first picture with no compiled kernel")
            times[page] = await _first_picture(server.port, page)
    return times


async def _first_picture(port, page):
    visitor, start = Visitor(port, page), time.perf_counter()
    try:
        await visitor.connect()
        await visitor.send(visitor.message().SerializeToString())
        while True:
            _, message = await visitor.receive()
            if is_picture(message) or message.WhichOneof("type") == "script_finished":
                return round(1000 * (time.perf_counter() - start), 1)
    except Lost:
        return None
    finally:
        await visitor.close()


async def first_visits(pages: list[str], tick) -> dict[str, float | None]:
    """{page: ms until the first visitor of a separate server has the whole page; None: lost}."""
    times = {}
    for page in pages:
        tick(f"{page or 'home'}: the first visitor of a server")
        with Server() as server:
            visitor = Visitor(server.port, page)
            try:
                times[page] = round((await visitor.open()).ms, 1)
            except Lost:
                times[page] = None
            finally:
                await visitor.close()
    return times


async def class_at_start(page: str, n: int, tick) -> list[float]:
    """Milliseconds until each student of a class has the whole page, on a server that has just started."""
    tick(f"{page or 'home'}: {n} students at a server that has just started")
    with Server() as server:
        done = await crowd(server.port, page, n, within=1.0, period=1.0, seconds=0.0, seed=0)
    return [ran.ms for ran in done.first]


def is_picture(message) -> bool:
    """Whether a message of the server brings a picture of the page's main part."""
    if message.WhichOneof("type") != "delta" or list(message.metadata.delta_path[:1]) != [0]:
        return False
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    if kind == "bidi_component" and element.bidi_component.component_name.endswith("spcviz_tour"):
        return False
    return kind in PICTURES

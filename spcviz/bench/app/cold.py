"""Time to the first picture of each page on a fresh machine: a server with no compiled kernel."""

import tempfile
import time

from spcviz.bench.app.server import Server
from spcviz.bench.app.visitor import Lost, Visitor

PICTURES = ("bidi_component", "plotly_chart", "imgs", "arrow_data_frame", "arrow_table")
"""Kinds of elements that a page is about; the bar of a tour, a component too, is none."""


async def first_pictures(pages: list[str], tick) -> dict[str, float | None]:
    """{page: milliseconds from opening it to its first picture, or to its end if it has none}.

    None where it was lost. All pages are opened on one server, one after the other, while it compiles.
    """
    found = {}
    with tempfile.TemporaryDirectory(prefix="spcviz-cold-") as folder, Server(kernels=folder) as server:
        for page in pages:
            tick(f"{page or 'home'}: first picture with no compiled kernel")
            found[page] = await _first_picture(server.port, page)
    return found


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


def is_picture(message) -> bool:
    """Whether a message of the server brings a picture of the page's main part."""
    if message.WhichOneof("type") != "delta" or list(message.metadata.delta_path[:1]) != [0]:
        return False
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    if kind == "bidi_component" and element.bidi_component.component_name.endswith("spcviz_tour"):
        return False
    return kind in PICTURES

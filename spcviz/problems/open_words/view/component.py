"""Python side of the view in which a visitor draws letters with mouse, pen or finger (write.js)."""

from collections.abc import Callable

from spcviz.web.view.mount import Component, pack_ink, show

VIEW_NAMES = ("ink",)
"""What the browser owns: the strokes, as the text in the address."""

WRITE = Component(
    "spcviz_write",
    ("problems/open_words/view/write.css", "web/view/more.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "problems/open_words/view/write_core.js",
        "problems/open_words/view/write.js",
    ),
    VIEW_NAMES,
)
EMPTY = "b~~~~~"
"""Six empty boxes."""


def write_payload(written, ink: str, reading: str, says: str, example: str = "") -> dict:
    """JSON values and packed rasters; `example` is read and shown until the first stroke replaces it."""
    texts = {"ink": ink, "example": example, "reading": reading, "says": says}
    boxes = {"rasters": pack_ink(written.rasters), "places": list(written.places)}
    return {"identity": "write", "empty": EMPTY} | texts | boxes


def show_write(payload: dict, *, key: str, view: dict, on_change: Callable, hands: str):
    """Mount the component on a `write_payload`; see `spcviz.web.view.mount.show`.

    `hands` are the strokes of a to z, in boxes, for letters that are typed into a box.
    """
    parts = {"hands": {"letters": hands}}
    show(WRITE, payload, key=key, view=view, parts=parts, on_view_change=on_change)

"""Letters drawn with mouse, pen or finger: a Streamlit component around write.js."""

from spcviz.web.view.mount import Component, pack_ink, show

VIEW_NAMES = ("ink",)
"""What the browser owns: the strokes, as the text that stands in the address."""

WRITE = Component(
    "spcviz_write",
    ("problems/open_words/view/write.css",),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "problems/open_words/view/write_core.js",
        "problems/open_words/view/write.js",
    ),
    VIEW_NAMES,
)
EMPTY = "b~~~~~"
"""Six empty boxes."""


def write_payload(written, ink, reading, says):
    """All the browser needs.

    Parameters
    ----------
    written : spcviz.problems.open_words.data.written.Written
    ink : str
        The text that was read.
    reading : str
        A letter for each of ``written.places``; empty where nothing was read.
    says : str
        What to tell who writes.

    Returns
    -------
    dict
        JSON values and the rasters, bit by bit.
    """
    return {
        "identity": "write",
        "empty": EMPTY,
        "ink": ink,
        "rasters": pack_ink(written.rasters),
        "places": list(written.places),
        "reading": reading,
        "says": says,
    }


def show_write(payload, *, key, view, on_change):
    """Mount the component; see `spcviz.web.view.mount.show`.

    Parameters
    ----------
    payload : dict
        From `write_payload`.
    key : str
    view : dict
        `VIEW_NAMES`.
    on_change : callable
        Called without arguments before the rerun that a stroke causes.
    """
    show(WRITE, payload, key=key, view=view, parts={}, on_view_change=on_change)

"""Exports of a page for a paper: its chart as SVG or PDF, and the Python that computes what it shows."""

from html import escape

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import drawing, loops, page, snapshot

PRINT = {"width": 640, "height": 400}
"""Pixels of a chart for print, at 96 per inch: as wide as a page's text."""


_MISSING = """# No lines compute this: it is stored, or its data stay with whoever brought them.
"""
_PICTURE = """
from pathlib import Path

from spcviz import scenes

# The picture, with all that the page says of it, as one file that works by itself.
Path({name!r}).write_text(scenes.page({address!r}), encoding="utf-8")
"""


def python(address: str) -> str:
    """Python lines that compute what the page of an address shows, if it has any, and save its picture.

    `ArgumentError` for a page that has neither.
    """
    scene = page.scene_of(address)
    shown = snapshot.take_snapshot(scene)
    if not (shown.python or shown.has_picture):
        raise ArgumentError(f"{scene.address} computes nothing and has no picture: there are no lines for it")
    name = f"{scene.page or 'home'}.html"
    picture = _PICTURE.format(name=name, address=scene.address) if shown.has_picture else ""
    return (shown.python or _MISSING) + picture


def svg(address: str, *, dark: bool = False) -> str:
    """The first chart of a page for print: black on white, with its data and this command in its metadata.

    For a page without a chart, its lattice as an animated SVG (`loops.svg`).
    """
    scene = page.scene_of(address)
    shown = snapshot.take_snapshot(scene)
    if not shown.charts and (moving := loops.svg(address, dark=dark)):
        return moving
    chart = _first_chart(scene, shown)
    spec = chart.spec
    layout = spec["layout"] | PRINT | {"paper_bgcolor": "white", "plot_bgcolor": "white"}
    (drawn,) = drawing.svgs([spec | {"layout": layout}])
    return drawing.with_source(
        drawn, title=chart.alt, command=_command(scene, "svg"), data=[_data(trace) for trace in spec["data"]]
    )


def pdf(address: str) -> bytes:
    """The first chart of a page as PDF; its title is the command."""
    scene = page.scene_of(address)
    _first_chart(scene, snapshot.take_snapshot(scene))
    size = f"{PRINT['width']}px {PRINT['height']}px"
    style = f"@page {{ size: {size}; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}"
    head = f"<meta charset='utf-8'><title>{escape(_command(scene, 'pdf'))}</title><style>{style}</style>"
    return drawing.pdf(f"<!doctype html>{head}{svg(address)}")


def _command(scene, kind):
    return f'python -m spcviz export "{scene.address}" {scene.page or "home"}.{kind}'


def _first_chart(scene, shown):
    if not shown.charts:
        raise ArgumentError(f"{scene.address or 'the home page'} has no chart; save its view as FILE.html, "
                            "or as SVG from its own menu")  # fmt: skip
    return shown.charts[0]


def _data(trace):
    """The numbers of a trace."""
    return {name: trace[name] for name in ("name", "type", "x", "y", "z", "text") if name in trace}

"""Common look of all charts: the theme's colours, font sizes, a quiet grid.

Charts are put together as plain dictionaries and sent as they are, see `Chart`: plotly's own figure checks,
copies and converts all of it, which takes 5 to 25 ms on every run of a page.
"""

import base64
from collections.abc import Sequence
from functools import cache

import numpy as np

# Import pandas first, completely: plotly would use one that another thread has only begun to import.
import pandas  # noqa: F401
import plotly.graph_objects as go
import plotly.io
from plotly.basedatatypes import BaseFigure

from spcviz.web.figures.palette import Palette

DASHES = {"test": "solid", "dev": "dot", "measured": "solid", "paper": "dash", "dense": "dash"}
"""Line style by the source of a number: colour shows what it is, style where it comes from."""

CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
"""For `st.plotly_chart`: a button that saves a picture; dragging zooms, a double click resets."""

IS_CHECKED = False
"""Whether plotly checks every name and value of a figure before it is sent. The tests of figures turn it on,
so all that a page draws has been checked."""

SIZE = 14
"""Font size of a chart at scale 1, in pixels."""
BOTTOM = 3.6
"""Its bottom margin, in font sizes."""


class Chart(BaseFigure):
    """A figure as plain dictionaries; its parts are those of plotly's figure.

    `drawn` has ``data``, a list of traces, and ``layout``; it may be changed until it is sent.
    """

    def __init__(self, drawn: dict):  # not the base's, which would copy and convert everything
        self._drawn = drawn
        if IS_CHECKED:
            self.figure()

    drawn = property(lambda self: self._drawn)
    data = property(lambda self: self.figure().data)
    layout = property(lambda self: self.figure().layout)

    def figure(self):
        """Convert it to plotly's figure: a copy."""
        return go.Figure(self._drawn, _validate=IS_CHECKED)

    def to_dict(self):
        """The dictionary that is sent."""
        if IS_CHECKED:
            return self.figure().to_dict()
        layout = {"template": _template(plotly.io.templates.default)} | self._drawn["layout"]
        return {"data": [_small(trace) for trace in self._drawn["data"]], "layout": layout}


def _small(trace):
    """A trace whose picture, if it has one, is encoded as bytes, as plotly itself sends it."""
    z = trace.get("z")
    if not isinstance(z, np.ndarray) or (kind := f"{z.dtype.kind}{z.itemsize}") not in ("u1", "f4", "f8"):
        return trace
    code = base64.b64encode(np.ascontiguousarray(z)).decode("ascii")
    return trace | {"z": {"dtype": kind, "bdata": code, "shape": ", ".join(map(str, z.shape))}}


@cache
def _template(name):
    """A template of plotly's as JSON."""
    return plotly.io.templates[name].to_plotly_json()


def figure(
    traces: list[dict],
    axes: dict[str, dict],
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 460,
    left: float = 4.0,
    top: float = 4.0,
    notes: Sequence[dict] = (),
    shapes: Sequence[dict] = (),
    **layout,
) -> Chart:
    """A figure in the project's style.

    `axes` maps "xaxis", "yaxis2", ... to the settings of each. `scale` is 1 on a desk, about 1.6 on a
    projector; the margins `left` and `top` are in font sizes. `notes` are annotations without an arrow.
    """
    size = round(SIZE * scale)
    letters = {"size": size, "color": palette.text}
    axis = {
        "gridcolor": palette.border,
        "zeroline": False,
        "linecolor": palette.muted,
        "ticks": "outside",
        "tickcolor": palette.muted,
    }
    for name, given in axes.items():
        title = {"text": given.get("title", ""), "standoff": round(0.6 * size), "font": letters}
        layout[name] = axis | given | {"title": title}
    base = {
        "font": letters | {"family": "Source Sans Pro, Source Sans, sans-serif"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": round(height),
        "margin": {side: round(n * size) for side, n in zip("lrtb", (left, 1.5, top, BOTTOM))},
        "hoverlabel": {"bgcolor": palette.surface, "bordercolor": palette.border, "font": letters},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "modebar": {
            "orientation": "v",
            "bgcolor": "rgba(0,0,0,0)",
            "color": palette.muted,
            "activecolor": palette.accent,
        },
        "hovermode": "closest",
        "dragmode": "zoom",
        "annotations": [{"showarrow": False, "font": letters} | note for note in notes],
        "shapes": list(shapes),
    }
    return Chart({"data": traces, "layout": base | layout})


def line(color, width, *, x=None, y=None, xref="x", yref="y", dash="solid"):
    """A shape: a vertical line at x or a horizontal one at y, across the whole `xref` or `yref` panel."""
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1} if y is None else {"x0": 0, "x1": 1, "y0": y, "y1": y}
    refs = {"xref": xref, "yref": f"{yref} domain"} if y is None else {"xref": f"{xref} domain", "yref": yref}
    return {"type": "line", "line": {"color": color, "width": width, "dash": dash}} | ends | refs


def points(mode, x, y, name=None, hover=None, **more) -> dict:
    """A trace of points: plotly's `mode` says whether markers, lines or text are drawn.

    Without a `name` the legend omits it; without a `hover` text nothing appears under the pointer.

    >>> points("lines", [0, 1], [2, 3], "losses")["hoverinfo"]
    'skip'
    """
    known = {"showlegend": False} if name is None else {"name": name}
    on_hover = {"hoverinfo": "skip"} if hover is None else {"hovertemplate": hover}
    return {"type": "scatter", "mode": mode, "x": x, "y": y} | known | on_hover | more


def stroke(color, width, dash="solid", **more) -> dict:
    """Style of the line of a trace."""
    return {"line": {"color": color, "width": width, "dash": dash} | more}


def mark(size, symbol="circle", **more) -> dict:
    """Style of the markers of a trace; their colour is that of the line if `color` is not given."""
    return {"marker": {"size": size, "symbol": symbol} | more}

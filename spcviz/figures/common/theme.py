"""What all charts share: colours of the theme, letter sizes, a quiet grid.

Charts are put together as plain dictionaries and become a figure in one step: three milliseconds,
where adding traces and lines one by one took ninety (plotly 7.1 checks every change by itself).
"""

# First pandas, whole: plotly would take one that another thread has only begun to import.
import pandas  # noqa: F401
import plotly.graph_objects as go

DASHES = {"test": "solid", "dev": "dot", "measured": "solid", "paper": "dash", "dense": "dash"}
"""Line style by what a number is from: colour says what, style says whence."""

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}
"""For `st.plotly_chart`: export as a picture, zoom, reset."""

IS_CHECKED = False
"""Whether plotly checks every name and value of a figure: 5 to 25 ms each, on every run of a page. The tests
of figures have it on, so what a page draws has been checked."""

SIZE = 14
"""Letters of a chart at scale 1, in pixels."""


def figure(traces, axes, palette, *, scale=1.0, height=460, left=4.0, top=4.0, notes=(), shapes=(), **layout):
    """A figure in the house's looks.

    Parameters
    ----------
    traces : list of dict
    axes : dict of str to dict
        "xaxis", "yaxis2", ... to what is particular about each.
    palette : Palette
    scale : float
        1 on a desk, about 1.6 on a projector.
    height : int
        Pixels.
    left, top : float
        Margins, in letters.
    notes, shapes : sequence of dict
        Annotations (without an arrow) and lines.
    **layout
        Anything else of plotly's layout.

    Returns
    -------
    plotly.graph_objects.Figure
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
    for name, own in axes.items():
        title = {"text": own.get("title", ""), "standoff": round(0.6 * size), "font": letters}
        layout[name] = axis | own | {"title": title}
    base = {
        "font": letters | {"family": "Source Sans Pro, Source Sans, sans-serif"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "height": round(height),
        "margin": {
            "l": round(left * size),
            "r": round(1.5 * size),
            "t": round(top * size),
            "b": round(3.6 * size),
        },
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
    return go.Figure({"data": traces, "layout": base | layout}, _validate=IS_CHECKED)


def line(color, width, *, x=None, y=None, xref="x", yref="y", dash="solid"):
    """A shape: an upright line at x or a level one at y, right across the `xref` or `yref` panel."""
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1} if y is None else {"x0": 0, "x1": 1, "y0": y, "y1": y}
    refs = {"xref": xref, "yref": f"{yref} domain"} if y is None else {"xref": f"{xref} domain", "yref": yref}
    return {"type": "line", "line": {"color": color, "width": width, "dash": dash}} | ends | refs

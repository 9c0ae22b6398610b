"""What most charts are made of: points and lines of them, in plotly's plain dictionaries."""


def points(mode, x, y, name=None, hover=None, **more) -> dict:
    """A trace of points: plotly's `mode` says whether markers, lines or text are drawn.

    Without a `name` the legend leaves it out, without a text to `hover` nothing is said where one points.

    >>> points("lines", [0, 1], [2, 3], "losses")["hoverinfo"]
    'skip'
    """
    known = {"showlegend": False} if name is None else {"name": name}
    on_hover = {"hoverinfo": "skip"} if hover is None else {"hovertemplate": hover}
    return {"type": "scatter", "mode": mode, "x": x, "y": y} | known | on_hover | more


def stroke(color, width, dash="solid", **more) -> dict:
    """How the line of a trace is drawn."""
    return {"line": {"color": color, "width": width, "dash": dash} | more}


def mark(size, symbol="circle", **more) -> dict:
    """How the markers of a trace are drawn; their colour is that of the line if `color` is not given."""
    return {"marker": {"size": size, "symbol": symbol} | more}

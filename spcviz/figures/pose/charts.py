"""Pictures side by side with limbs drawn over them."""

import numpy as np

from spcviz.figures.common.theme import SIZE, figure

SIDE = 240
VEIL = 0.4
"""How dark pictures are under hypotheses."""


def panels(picture, which, palette, *, truth=None, scale=1.0, height=520):
    """Pictures side by side, each with hypotheses, guesses or the truth on it.

    Parameters
    ----------
    picture : str
        Data URI.
    which : sequence of (str, list of dict)
        Title and traces of every panel.
    palette : Palette
    truth : ndarray, shape (P, 2, 2), optional
        Drawn thin and white on every panel.
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    n = len(which)
    rows = 1 if n <= 4 else 2
    across = -(-n // rows)
    traces, axes, images, notes = [], {}, [], []
    shapes, named = [], []
    for i, (title, drawn) in enumerate(which):
        mark = "" if i == 0 else str(i + 1)
        left, top = i % across, i // across
        x = [(left + 0.01) / across, (left + 0.99) / across]
        y = [1 - (top + 1) / rows + 0.0, 1 - top / rows - 0.07]
        bare = {"visible": False, "fixedrange": False, "constrain": "domain"}
        axes[f"xaxis{mark}"] = bare | {"range": [0, SIDE], "domain": x, "anchor": f"y{mark}"}
        axes[f"yaxis{mark}"] = bare | {
            "range": [SIDE, 0], "domain": y, "anchor": f"x{mark}", "scaleanchor": f"x{mark}",
        }  # fmt: skip
        where = {"xref": f"x{mark}", "yref": f"y{mark}", "x": 0, "y": 0, "sizex": SIDE, "sizey": SIDE}
        images.append(where | {"source": picture, "sizing": "stretch", "layer": "below"})
        at = {"xref": f"x{mark} domain", "yref": f"y{mark} domain", "x": 0.5, "y": 1.0, "yanchor": "bottom"}
        notes.append(at | {"text": title})
        own = [*drawn, *([_truth(truth)] if truth is not None else [])]
        traces += [trace | {"xaxis": f"x{mark}", "yaxis": f"y{mark}", "showlegend": False} for trace in own]
        veil = {
            "type": "rect",
            "layer": "between",
            "fillcolor": "black",
            "opacity": VEIL,
            "line": {"width": 0},
        }
        shapes.append(
            veil | {"xref": f"x{mark}", "yref": f"y{mark}", "x0": 0, "x1": SIDE, "y0": 0, "y1": SIDE}
        )
        named += [(trace["name"], trace["line"]["color"]) for trace in own if trace["name"]]
    text = "<br>".join(f"<span style='color:{colour}'>{name}</span>" for name, colour in dict(named).items())
    small = {"size": round(0.8 * SIZE * scale)}
    notes.append({"xref": "x", "yref": "y", "x": 4, "y": SIDE - 4, "xanchor": "left", "yanchor": "bottom",
                  "align": "left", "text": text, "font": small,
                  "bgcolor": "rgba(0,0,0,0.6)"})  # fmt: skip
    size = {"scale": scale, "height": height, "left": 0.5, "top": 2.0}
    return figure(traces, axes, palette, notes=notes, images=images, shapes=shapes, **size)


def _truth(limbs):
    look = {"color": "#FFFFFF", "width": 2, "dash": "dot"}
    return _lines(limbs, look) | {"name": "truth (dotted)"}


def _lines(limbs, look):
    """A trace of many separate lines."""
    gap = np.full((len(limbs), 1, 2), np.nan)
    points = np.concatenate([np.asarray(limbs, dtype=float), gap], axis=1).reshape(-1, 2).round(1)
    x, y = (np.where(np.isnan(c), None, c).tolist() for c in points.T)
    return {"type": "scatter", "x": x, "y": y, "mode": "lines", "line": look, "hoverinfo": "skip"}

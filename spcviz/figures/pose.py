"""The Pose page's pictures: a frame with limb hypotheses drawn over it, and what levels keep, in numbers."""

import numpy as np

from spcviz.figures.theme import figure

SIDE = 240
ROLES = ("kept", "threshold", "truth", "map", "lost")
"""Colour of each part: torso, left and right upper arm, left and right lower arm; names stand in the legend."""
NAMES = ("torso", "left upper arm", "right upper arm", "left lower arm", "right lower arm")
DASHES = ("solid", "solid", "dash", "dot", "dashdot")
N_DRAWN = 400
"""Hypotheses drawn a limb, the strongest."""
SHADES = 6


def panels(frame, picture, which, palette, *, truth=None, scale=1.0, height=520):
    """Pictures side by side, each with hypotheses, guesses or the truth on it.

    Parameters
    ----------
    frame : PoseFrame
    picture : str
        Data URI.
    which : sequence of (str, list of dict)
        Title and traces of every panel, as from `hypotheses` and `sticks`.
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
    legend = {}
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
        for trace in own:
            look = {"color": trace["line"]["color"], "dash": trace["line"]["dash"], "width": 3 * scale}
            legend[trace["name"]] = {"type": "scatter", "x": [None], "y": [None], "mode": "lines", "line": look}
    traces += [trace | {"name": name} for name, trace in legend.items()]
    size = {"scale": scale, "height": height, "left": 0.5, "top": 2.6}
    return figure(traces, axes, palette, notes=notes, images=images, **size)


def hypotheses(level, palette, *, only_kept, sub_model=None, scale=1.0):
    """Limbs of a level; the closer a limb's max-marginal to the best, the more opaque.

    Parameters
    ----------
    level : PoseLevel
    palette : Palette
    only_kept : bool
        After filtering, not before.
    sub_model : int, optional
        By that sub-model's max-marginals instead of the sum.
    scale : float

    Returns
    -------
    list of dict
    """
    traces = []
    for number, part in enumerate(level.parts):
        chosen = part.keep if only_kept else np.ones(len(part.keep), dtype=bool)
        value = part.below_best if sub_model is None else part.each[sub_model]
        order = np.argsort(value[chosen], kind="stable")[-N_DRAWN:]
        limbs, value = part.limbs[chosen][order], value[chosen][order]
        if not len(limbs):
            continue
        low = value[0]
        share = (value - low) / max(float(value[-1] - low), 1e-9)
        bins = np.minimum((share * SHADES).astype(int), SHADES - 1)
        for shade in range(SHADES):
            own = limbs[bins == shade]
            if len(own):
                look = {"color": getattr(palette, ROLES[number]), "width": (1.0 + 0.35 * shade) * scale,
                        "dash": DASHES[number]}  # fmt: skip
                opacity = 0.08 + 0.8 * (shade / (SHADES - 1)) ** 2
                traces.append(_lines(own, look) | {
                    "opacity": opacity, "name": NAMES[number],
                })  # fmt: skip
    return traces


def sticks(limbs, palette, *, width=5.0, scale=1.0, opacity=1.0):
    """One guess of every part, thick, with a round inner end.

    Parameters
    ----------
    limbs : ndarray, shape (P, 2, 2)
    palette : Palette
    width, scale, opacity : float

    Returns
    -------
    list of dict
    """
    out = []
    for number, limb in enumerate(limbs):
        colour = getattr(palette, ROLES[number])
        out.append(
            _lines(limb[None], {"color": colour, "width": width * scale, "dash": DASHES[number]})
            | {
                "mode": "lines+markers",
                "opacity": opacity,
                "name": NAMES[number],
            }
            | {"marker": {"size": [2.2 * width * scale, 0.1, 0.1], "color": colour, "symbol": "circle"}}
        )
    return out


def _truth(limbs):
    look = {"color": "#FFFFFF", "width": 2, "dash": "dot"}
    return _lines(limbs, look) | {"name": "truth (dotted)"}


def _lines(limbs, look):
    """A trace of many separate lines."""
    gap = np.full((len(limbs), 1, 2), np.nan)
    points = np.concatenate([np.asarray(limbs, dtype=float), gap], axis=1).reshape(-1, 2).round(1)
    x, y = (np.where(np.isnan(c), None, c).tolist() for c in points.T)
    return {"type": "scatter", "x": x, "y": y, "mode": "lines", "line": look, "hoverinfo": "skip"}


def kept_by_level(frame, palette, *, scale=1.0, height=260):
    """States of every limb before and after each level, on a log scale.

    Parameters
    ----------
    frame : PoseFrame
    palette : Palette
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    names = [f"{level.columns}×{level.rows}" for level in frame.levels]
    traces = []
    grid = [level.columns * level.rows * level.n_angles for level in frame.levels]
    dense = {"color": palette.pruned, "dash": "dash", "width": 2 * scale}
    traces.append({"type": "scatter", "x": names, "y": grid, "name": "whole grid", "line": dense})
    for number in range(len(frame.levels[0].parts)):
        kept = [int(level.parts[number].keep.sum()) for level in frame.levels]
        look = {"color": getattr(palette, ROLES[number]), "dash": DASHES[number], "width": 2.2 * scale}
        traces.append({"type": "scatter", "x": names, "y": kept, "name": NAMES[number], "line": look,
                       "mode": "lines+markers", "hovertemplate": "%{x}: %{y} states kept"})  # fmt: skip
    axes = {
        "xaxis": {"title": "cells (each with 24 angles)", "type": "category"},
        "yaxis": {"title": "states kept", "type": "log", "dtick": 1},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=5, top=4.5)

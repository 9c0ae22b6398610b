"""The Pose page's pictures: a frame with limb hypotheses drawn over it, and what levels keep, in numbers."""

import numpy as np

from spcviz.figures.common.palette import DARK
from spcviz.figures.common.theme import SIZE, figure

SIDE = 240
COLOURS = (DARK.kept, DARK.threshold, DARK.map, DARK.lost, DARK.truth)
"""Of each part: torso, upper arms, lower arms. Pictures are darkened under them in either theme, so they are
the dark theme's; names stand in the first picture."""
NAMES = ("torso", "left upper arm", "right upper arm", "left lower arm", "right lower arm")
DASHES = ("solid", "solid", "solid", "dot", "dot")
N_DRAWN = 400
"""Hypotheses drawn a limb, evenly from the weakest to the strongest."""
VEIL = 0.4
"""How dark pictures are under hypotheses."""
SHADES = 6


def panels(picture, which, palette, *, truth=None, scale=1.0, height=520):
    """Pictures side by side, each with hypotheses, guesses or the truth on it.

    Parameters
    ----------
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


def view(show, frame, number, names, *, scale=1.0):
    """What the panels of a view hold, for `panels`.

    Parameters
    ----------
    show : {"level", "all", "three", "top"}
        A level before and after; every level; its sub-models; the best guesses.
    frame : PoseFrame
    number : int
        Of the level.
    names : sequence of str
        Of the sub-models.
    scale : float

    Returns
    -------
    list of (str, list of dict)
    """
    level, best = frame.levels[number], ("best guess", sticks(frame.best, scale=scale))
    if show == "level":
        before, after = (hypotheses(level, only_kept=kept, scale=scale) for kept in (False, True))
        return [(f"level {number}, before", before), ("after", after), best]
    if show == "all":
        each = [(f"{n}: {own.columns} × {own.rows}", hypotheses(own, only_kept=True, scale=scale))
                for n, own in enumerate(frame.levels)]  # fmt: skip
        return [*each, best]
    if show == "three":
        each = [(name, hypotheses(level, only_kept=False, sub_model=i, scale=scale))
                for i, name in enumerate(names)]  # fmt: skip
        return [*each, ("their sum", hypotheses(level, only_kept=True, scale=scale))]
    ranks = (3, 2, 1)
    tops = [t for i in ranks for t in sticks(frame.top[:, i], width=2, scale=scale, opacity=0.7)]
    return [("best guess and the next three", tops + best[1]), ("the frame", [])]


def hypotheses(level, *, only_kept, sub_model=None, scale=1.0):
    """Limbs of a level; the closer a limb's max-marginal to the best, the more opaque. Pruned ones are grey.

    Parameters
    ----------
    level : PoseLevel
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
    if not only_kept:
        grey = {"color": "#C8D0DA", "width": 0.8 * scale, "dash": "solid"}
        fallen = [_spread(part.limbs[~part.keep], N_DRAWN // 2) for part in level.parts]
        traces.append(_lines(np.concatenate(fallen), grey) | {"opacity": 0.35, "name": "pruned (grey)"})
    for number, part in enumerate(level.parts):
        value = part.below_best if sub_model is None else part.each[sub_model]
        order = np.flatnonzero(part.keep)[np.argsort(value[part.keep], kind="stable")]
        order = _spread(order, N_DRAWN)
        limbs, value = part.limbs[order], value[order]
        if not len(limbs):
            continue
        share = (value - value[0]) / max(float(value[-1] - value[0]), 1e-9)
        bins = np.minimum((share * SHADES).astype(int), SHADES - 1)
        for shade in np.unique(bins).tolist():
            look = {"color": COLOURS[number], "width": (1.0 + 0.4 * shade) * scale, "dash": DASHES[number]}
            opacity = 0.12 + 0.8 * (shade / (SHADES - 1)) ** 2
            traces.append(_lines(limbs[bins == shade], look) | {"opacity": opacity, "name": NAMES[number]})
    return traces


def _spread(ranked, most):
    """At most so many of a ranking, evenly, the last always."""
    n = len(ranked)
    return ranked if n <= most else ranked[np.linspace(0, n - 1, most).astype(int)]


def sticks(limbs, *, width=5.0, scale=1.0, opacity=1.0):
    """One guess of every part, thick, with a round inner end.

    Parameters
    ----------
    limbs : ndarray, shape (P, 2, 2)
    width, scale, opacity : float

    Returns
    -------
    list of dict
    """
    out = []
    for number, limb in enumerate(limbs):
        colour = COLOURS[number]
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


ROLES = ("kept", "threshold", "map", "lost", "truth")


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

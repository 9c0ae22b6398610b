"""Arms under a budget: four models over one frame, and what each frame of a clip bought."""

import numpy as np

from spcviz.figures.common.palette import DARK_TIERS, tiers
from spcviz.figures.common.theme import figure, line
from spcviz.figures.pose import charts

NEAR_PX = 20.0
"""An elbow or wrist counts as right within so many pixels."""
WIDTHS = (15.0, 10.5, 6.5, 2.6)
"""Of the four models' arms, so that the first still shows under the last where they agree."""
SIDES = ("left arm", "right arm")
_ROOM = 1.62
"""Height of an arm's row: bars up to 1, marks of elbow and wrist over them."""


def arms(joints, colour, width, name):
    """A trace of arms.

    Parameters
    ----------
    joints : ndarray, shape (n, 3, 2)
    colour : str
    width : float
    name : str

    Returns
    -------
    dict
    """
    gap = np.full((len(joints), 1, 2), np.nan)
    points = np.concatenate([np.asarray(joints, dtype=float), gap], axis=1).reshape(-1, 2).round(1)
    x, y = (np.where(np.isnan(c), None, c).tolist() for c in points.T)
    look = {"color": colour, "width": width}
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "line": look,
        "name": name,
        "hoverinfo": "skip",
    }


def as_limbs(joints):
    """Arms (n, 3, 2) as the limbs (2 n, 2, 2) that `charts.panels` draws as the truth; None stays."""
    return None if joints is None else np.concatenate([joints[:, :2], joints[:, 1:]])


def overlay(budget, picture, frame, palette, *, step=None, with_truth=True, scale=1.0, height=470):
    """One frame with arms over it: those of all four models (thesis, Fig. 6.5), or those of a budget.

    Parameters
    ----------
    budget : PoseBudget
    picture : str
        Data URI.
    frame : int
    palette : Palette
    step : int, optional
        Purchases made: arms in the colours of what was bought for them. The four models' if None.
    with_truth : bool
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    looks = list(zip(range(len(budget.tier_names)), budget.tier_names, DARK_TIERS, WIDTHS))
    if step is None:
        title = "four models, one over the other"
        drawn = [arms(budget.four[t, frame], colour, wide * scale, name) for t, name, colour, wide in looks]
    else:
        title, own = "read with what was bought", budget.tiers[step, frame]
        drawn = [
            arms(budget.arms[step, frame, own == t], colour, 9 * scale, name)
            for t, name, colour, _ in looks
            if (own == t).any()
        ]
    truth = as_limbs(budget.truth[frame]) if with_truth and budget.truth is not None else None
    return charts.panels(picture, [(title, drawn)], palette, truth=truth, scale=scale, height=height)


def off(joints, truth):
    """Pixels from the true elbow and wrist, (..., N, 2 sides, 2 joints)."""
    return np.linalg.norm(joints[..., 1:, :] - truth[..., 1:, :], axis=-1)


def error_by_frame(budget, frame, palette, *, scale=1.0, height=470):
    """How far each model's elbows and wrists are off, frame by frame.

    Parameters
    ----------
    budget : PoseBudget
        With truth.
    frame : int
        Marked.
    palette : Palette
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    errors = off(budget.four, budget.truth).mean(axis=(2, 3))
    at = np.arange(1, errors.shape[1] + 1)
    traces = []
    for t, name in enumerate(budget.tier_names):
        look = {"color": tiers(palette)[t], "width": (4.6 - t) * scale}
        traces.append({"type": "scatter", "x": at, "y": errors[t].round(1), "name": name, "line": look,
                       "mode": "lines",
                       "hovertemplate": f"frame %{{x}}: %{{y}} pixels<extra>{name}</extra>"})  # fmt: skip
    axes = {
        "xaxis": {"title": "frame", "range": [0.5, len(at) + 0.5], "tick0": 1, "dtick": -(-len(at) // 12)},
        "yaxis": {"title": "pixels off, mean of elbows and wrists", "rangemode": "tozero"},
    }
    shapes = [
        line(palette.text, 1.5 * scale, x=frame + 1, dash="dash"),
        line(palette.muted, 1.2 * scale, y=NEAR_PX, dash="dot"),
    ]
    note = {"x": 1, "xref": "x domain", "xanchor": "right", "y": NEAR_PX, "yanchor": "bottom",
            "text": "20 pixels", "font": {"color": palette.muted}}  # fmt: skip
    return figure(
        traces, axes, palette, scale=scale, height=height, left=4, top=4, shapes=shapes, notes=[note]
    )


def bought(budget, thumbnails, frame, step, palette, *, with_truth=True, scale=1.0, height=470):
    """The clip as a strip: what was bought for every frame of both arms, and what it came to.

    Parameters
    ----------
    budget : PoseBudget
    thumbnails : sequence of str
        Data URIs of the frames.
    frame, step : int
    palette : Palette
    with_truth : bool
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    n, has_truth = len(thumbnails), with_truth and budget.truth is not None
    strips, shown, traces = ("y", "y2"), np.arange(1, n + 1), []
    for side, axis in enumerate(strips):
        traces += _bars(budget, side, step, axis, palette)
        if has_truth:
            wrong = off(budget.arms[step], budget.truth)[:, side] > NEAR_PX
            traces += _marks(wrong, axis, palette, scale)
    traces += (_error_curve if has_truth else _shares)(budget, step, palette, scale)
    images = [
        {"source": uri, "xref": "x", "yref": "y4", "x": i, "y": 0.5, "sizex": 0.96, "sizey": 1,
         "xanchor": "center", "yanchor": "middle", "sizing": "contain"}
        for i, uri in zip(shown.tolist(), thumbnails)
    ]  # fmt: skip
    row = {"range": [0, _ROOM], "tickvals": [0.5], "showgrid": False, "ticks": "", "fixedrange": True}
    title = "joints off, %" if has_truth else "frames, %"
    axes = {
        "xaxis": {"range": [0.5, n + 0.5], "anchor": "y2", "fixedrange": True, "showgrid": False,
                  "title": "frame", "tick0": 1, "dtick": -(-n // 12)},
        "xaxis2": {"anchor": "y3", "title": "time spent, s", "range": [0, budget.ms[-1] / 1e3 * 1.01]},
        "yaxis": row | {"domain": [0.69, 0.85], "ticktext": [SIDES[0]]},
        "yaxis2": row | {"domain": [0.52, 0.68], "ticktext": [SIDES[1]]},
        "yaxis3": {"domain": [0.0, 0.36], "anchor": "x2", "title": title, "rangemode": "tozero"},
        "yaxis4": {"domain": [0.87, 1.0], "range": [0, 1], "visible": False, "fixedrange": True},
    }  # fmt: skip
    band = {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": frame + 0.5,
        "x1": frame + 1.5,
        "y0": 0.52,
        "y1": 1,
        "line": {"color": palette.accent, "width": 2 * scale},
        "fillcolor": "rgba(0,0,0,0)",
    }
    shapes = [
        band,
        line(palette.text, 1.5 * scale, x=budget.ms[step] / 1e3, xref="x2", yref="y3", dash="dash"),
    ]
    return figure(
        traces, axes, palette, scale=scale, height=height, left=5.5, top=2.6, shapes=shapes, images=images,
        bargap=0.08, barmode="overlay",
    )  # fmt: skip


def _bars(budget, side, step, axis, palette):
    """A bar a frame, as high and of the colour of its tier."""
    own, n_tiers = budget.tiers[step, :, side], len(budget.tier_names)
    out = []
    for t, name in enumerate(budget.tier_names):
        at = np.flatnonzero(own == t) + 1
        tall = np.full(len(at), 0.22 + 0.78 * t / (n_tiers - 1))
        if not len(at):  # still in the legend
            at, tall = [None], [None]
        bars = {"type": "bar", "x": at, "y": tall, "width": 0.92, "xaxis": "x", "yaxis": axis}
        bars |= {"name": name, "legendgroup": name, "showlegend": side == 0}
        bars |= {"hovertemplate": f"frame %{{x}}, {SIDES[side]}: {name}<extra></extra>"}
        out.append(bars | {"marker": {"color": tiers(palette)[t]}})
    return out


def _marks(wrong, axis, palette, scale):
    """Crosses over the bars where the elbow (upper row) or the wrist is off."""
    frames, joints = np.nonzero(wrong)
    look = {"symbol": "x", "size": 6.5 * scale, "color": palette.text}
    names = np.array(["elbow", "wrist"])[joints]
    at, high = (frames + 1, 1.46 - 0.24 * joints) if len(frames) else ([None], [None])
    return [{"type": "scatter", "x": at, "y": high, "xaxis": "x", "yaxis": axis,
             "mode": "markers", "marker": look, "customdata": names, "name": "more than 20 pixels off",
             "legendgroup": "off", "showlegend": axis == "y",
             "hovertemplate": "frame %{x}: %{customdata} off<extra></extra>"}]  # fmt: skip


def _error_curve(budget, step, palette, scale):
    """Joints off against time: every purchase, and the four plain models."""
    lost = 100 * (off(budget.arms, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
    plain = 100 * (off(budget.four, budget.truth) > NEAR_PX).mean(axis=(1, 2, 3))
    at = {"xaxis": "x2", "yaxis": "y3", "type": "scatter", "cliponaxis": False}
    ring = {"width": 3.5 * scale, "color": palette.text}
    return [
        at | {"x": budget.ms / 1e3, "y": lost.round(2), "name": "frame by frame", "mode": "lines",
              "line": {"color": palette.text, "width": 2.6 * scale, "shape": "hv"},
              "hovertemplate": "%{x:.2f} s: %{y:.1f} %<extra></extra>"},
        at | {"x": budget.four_ms / 1e3, "y": plain.round(2), "name": "one model for all",
              "mode": "markers", "text": budget.tier_names,
              "hovertemplate": "%{text}: %{x:.2f} s, %{y:.1f} %<extra></extra>",
              "marker": {"size": 12 * scale, "color": tiers(palette), "symbol": "diamond",
                         "line": {"color": palette.background, "width": 1.5}}},
        at | {"x": [budget.ms[step] / 1e3], "y": [lost[step]], "mode": "markers", "showlegend": False,
              "hoverinfo": "skip",
              "marker": {"size": 15 * scale, "color": palette.background, "line": ring}},
    ]  # fmt: skip


def _shares(budget, step, palette, scale):
    """Share of frames at each tier against time."""
    out = []
    for t in range(len(budget.tier_names)):
        share = 100 * (budget.tiers == t).mean(axis=(1, 2))
        look = {"color": tiers(palette)[t], "width": 0.5, "shape": "hv"}
        curve = {"type": "scatter", "x": budget.ms / 1e3, "y": share.round(2), "xaxis": "x2", "yaxis": "y3"}
        curve |= {"stackgroup": "tiers", "line": look, "fillcolor": tiers(palette)[t], "showlegend": False}
        curve |= {"name": budget.tier_names[t], "hovertemplate": "%{x:.2f} s: %{y:.0f} % of frames"}
        out.append(curve)
    return out

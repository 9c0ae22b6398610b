"""What is shown of street pictures that share one budget (DMS over pictures)."""

import pandas as pd

from spcviz.figures.common.blocks import Heading, Headline, Link, Note, Shown, Table, Text, bullets, chart
from spcviz.figures.common.theme import figure
from spcviz.learning.budgets.methods import EXAMPLE, named
from spcviz.problems.scene.shown import TERMS, TIERS

NEEDS = ("method", "cost_ms", "error")
PAPER = "no paper has this: Algorithm 3 of the thesis on SpeedMachines' machines"
NOTE = (
    "Whole pictures are lifted from one fixed inference machine to the next (DMS), by the milliseconds of "
    "their new features; regions and the first machine's features are paid for everybody before. It is not "
    "SIM, which spends on regions."
)
_ROLES = {
    "dms": "kept",
    "dms, by value per ms": "map",
    "oracle": "truth",
    "uniform": "muted",
    "myopic": "threshold",
}
_DASHES = {"dms, by value per ms": "longdash", "oracle": "dot", "uniform": "dash", "myopic": "dashdot"}


def label(method):
    """What a row's method is called.

    Examples
    --------
    >>> label("uniform")
    'Pictures, at random'
    """
    return named(method, EXAMPLE).said(TERMS)[0]


def curves(result, palette, *, scale=1.0, height=420):
    """Pixels wrong against milliseconds of features a picture.

    Parameters
    ----------
    result : dict
    palette : Palette
    scale, height : float

    Returns
    -------
    plotly.graph_objects.Figure
    """
    traces = []
    for row in result["rows"]:
        if row["method"] not in _ROLES:
            continue
        look = {"color": getattr(palette, _ROLES[row["method"]]), "width": 2.5 * scale}
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": row["cost_ms"],
                "y": row["error"],
                "name": label(row["method"]),
                "line": look | {"dash": _DASHES.get(row["method"], "solid")},
                "hovertemplate": "%{x:.1f} ms: %{y:.1f} %<extra></extra>",
            }
        )
    axes = {"xaxis": {"title": "features bought, CPU ms a picture"}, "yaxis": {"title": "pixels wrong, %"}}
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=4)


def errors_frame(result):
    """Percent of pixels wrong of every method at each budget."""
    rows = result["rows"]
    budgets = [f"{cost:.1f} ms" for cost in rows[0]["cost_ms"]]
    return pd.DataFrame(
        [{"method": label(row["method"])} | dict(zip(budgets, row["error"])) for row in rows]
    ).round(2)


def gaps_frame(result):
    """DMS against others, points of pixels; less than nothing is better."""
    return pd.DataFrame(
        [
            {
                "DMS against": label(row["method"]),
                "share of the budget": row["share"],
                "points": round(row["points"], 2),
                "95 % from": round(row["interval"][0], 2),
                "to": round(row["interval"][1], 2),
            }
            for row in result["compared"]
        ]
    )


def sentences(result):
    """The findings."""
    tiers = ", ".join(
        f"{tier.name} {100 - own:.1f} %" for tier, own in zip(TIERS, result["tier_error"], strict=True)
    )
    out = [f"Pixels right of all {result['n_pictures']} test pictures, everybody at one level: {tiers}."]
    for row in result["compared"]:
        low, high = row["interval"]
        better = "no clear difference" if low <= 0 <= high else "fewer wrong" if high < 0 else "more wrong"
        out.append(
            f"DMS against {label(row['method'])} at {row['share']:.2f} of the cost: {row['points']:+.2f} "
            f"points of pixels [{low:+.2f}, {high:+.2f}], {better}."
        )
    return out


def measured(result):
    """The line of the table of systems: first where DMS is not clearly better than spending at random."""
    by_chance = {row["share"]: row for row in result["compared"] if row["method"] == "uniform"}
    worse = [f"{share:.2f}" for share, row in by_chance.items() if row["interval"][0] > 0]
    unclear = [
        f"{share:.2f}" for share, row in by_chance.items() if row["interval"][0] <= 0 <= row["interval"][1]
    ]
    low, high = by_chance[0.5]["interval"]
    said = f"DMS is worse than random spending at {', '.join(worse)} of the cost; " if worse else ""
    said += (
        f"no clear difference from random spending at {', '.join(unclear)} of the cost; " if unclear else ""
    )
    return (
        f"{said}at half the cost {by_chance[0.5]['points']:+.2f} points of pixels wrong "
        f"[{low:+.2f}, {high:+.2f}] against random"
    )


def misses(result):
    """What does not bear out that choosing pictures pays."""
    return [
        f"Scenes under one budget: DMS is {'worse' if row['interval'][0] > 0 else 'not clearly better'} than "
        f"{label(row['method'])} at "
        f"{row['share']:.2f} of the cost ({row['points']:+.2f} points "
        f"[{row['interval'][0]:+.2f}, {row['interval'][1]:+.2f}])."
        for row in result["compared"]
        if row["interval"][1] >= 0
    ]


def _blocks(result, features, look):
    return [
        chart(curves, result, look, "scene_shared"),
        Text(bullets(sentences(result))),
        Heading("Pixels wrong, %, at each budget"),
        Table(errors_frame(result), "scene-shared"),
        Heading("DMS against others at equal cost, with 95 % intervals"),
        Table(gaps_frame(result), "scene-shared-gaps"),
        Note(NOTE),
        Link("pages/budget/trade_off.py", "One budget, live", ":material/savings:"),
    ]


def _headline(result):
    return [Headline("Street pictures, one budget (CamVid)", PAPER, measured(result))]


TABLE = Shown(NEEDS, _blocks, _headline, misses)

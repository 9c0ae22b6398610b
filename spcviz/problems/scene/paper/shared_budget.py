"""Table and chart of street pictures that share one budget (DMS over pictures)."""

import pandas as pd

from spcviz.learning.budgets.methods import EXAMPLE, find_method
from spcviz.problems.scene.shown import TERMS, TIERS
from spcviz.web.figures.blocks import Heading, Link, Table, chart
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import figure, points, stroke

SHARED_NEEDS = ("method", "cost_ms", "error")
SHARED_NOTE = (
    "Whole pictures are lifted from one fixed inference machine to the next (DMS), by the milliseconds of "
    "their new features; regions and the first machine's features are paid for everybody before. It is not "
    "SIM, which spends on regions."
)
_SHARED_ROLES = {
    "dms": "kept",
    "dms, by value per ms": "map",
    "oracle": "truth",
    "uniform": "muted",
    "myopic": "threshold",
}
_SHARED_DASHES = {"dms, by value per ms": "longdash", "oracle": "dot", "uniform": "dash", "myopic": "dashdot"}


def label_of(method):
    """The name of a row's method.

    >>> label_of("uniform")
    'Pictures, at random'
    """
    return find_method(method, EXAMPLE).describe(TERMS)[0]


def shared_curves(result: dict, palette: Palette, *, scale: float = 1.0, height: float = 420):
    """Pixels wrong against milliseconds of features a picture."""
    traces = []
    for row in result["rows"]:
        if row["method"] not in _SHARED_ROLES:
            continue
        method, hover = row["method"], "%{x:.1f} ms: %{y:.1f} %<extra></extra>"
        look = stroke(
            getattr(palette, _SHARED_ROLES[method]), 2.5 * scale, _SHARED_DASHES.get(method, "solid")
        )
        traces.append(points("lines", row["cost_ms"], row["error"], label_of(method), hover) | look)
    axes = {"xaxis": {"title": "features bought, CPU ms a picture"}, "yaxis": {"title": "pixels wrong, %"}}
    return figure(traces, axes, palette, scale=scale, height=height, left=4.5, top=4)


def errors_frame(result):
    """Percent of pixels wrong of every method at each budget."""
    rows = result["rows"]
    budgets = [f"{cost:.1f} ms" for cost in rows[0]["cost_ms"]]
    return pd.DataFrame(
        [{"method": label_of(row["method"])} | dict(zip(budgets, row["error"])) for row in rows]
    ).round(2)


def tiers_frame(result):
    """Pixels right with all pictures at one level."""
    right = [100 - error for error in result["tier_error"]]
    names = [tier.name for tier in TIERS]
    return pd.DataFrame({"everybody at": names, "pixels right, %": right}).set_index("everybody at")


def gaps_frame(result):
    """DMS against others, in percentage points of pixels; negative is better."""
    columns = ("DMS against", "share of the budget", "points", "95 % from", "to")
    rows = []
    for row in result["compared"]:
        numbers = (round(number, 2) for number in (row["points"], *row["interval"]))
        rows.append((label_of(row["method"]), row["share"], *numbers))
    return pd.DataFrame(rows, columns=columns)


def shared_blocks(result, features, look):
    return [
        chart(shared_curves, result, look, "scene_shared"),
        Table(tiers_frame(result), "scene-shared-tiers", {"pixels": 1}),
        Heading("Pixels wrong, %, at each budget"),
        Table(errors_frame(result), "scene-shared"),
        Heading("DMS against others at equal cost, with 95 % intervals"),
        Table(gaps_frame(result), "scene-shared-gaps"),
        Link("pages/budget/trade_off.py", "One budget, live", ":material/savings:"),
    ]

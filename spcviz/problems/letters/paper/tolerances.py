"""Chart of accuracy and time over the tolerance, for every order, with dense inference."""

import pandas as pd

from spcviz.problems.letters.paper.tables import FEATURES, legend, side_by_side
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.results import features_of
from spcviz.web.figures.theme import Chart, figure, line, mark, points, stroke

_ORDER_ROLES = ("map", "kept", "threshold", "truth", "lost", "text")
_ORDER_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon")


def trade_rows(result, features):
    """Rows of the trade whose tolerance counts positions, by order, the smallest tolerance first."""
    wanted, by_order = (features, "position"), {}
    rows = [r for r in result.get("trade", ()) if (r["features"], r["tolerance_kind"]) == wanted]
    for row in sorted(rows, key=lambda row: (row["order"], row["tolerance"])):
        by_order.setdefault(row["order"], []).append(row)
    return by_order


def trade_figure(
    result: dict, palette: Palette, *, features: str | None = None, scale: float = 1.0, height: float = 460
) -> Chart:
    """Words right and microseconds over the tolerance; hollow: the paper, dashed: dense inference."""
    features = features_of(result)[0] if features is None else features
    traces, shapes = [], []
    for i, (order, rows) in enumerate(trade_rows(result, features).items()):
        colour, symbol = (
            getattr(palette, _ORDER_ROLES[i % len(_ORDER_ROLES)]),
            _ORDER_SYMBOLS[i % len(_ORDER_SYMBOLS)],
        )
        tolerances, name = [row["tolerance"] for row in rows], f"order {order}"
        for panel, key, unit in (("", "word_accuracy", "% of words"), ("2", "us_per_word", "µs")):
            hover = f"{name}, %{{x:g}} % allowed: %{{y:.4~g}} {unit}<extra></extra>"
            trace = points("lines+markers", tolerances, [row[key] for row in rows], name, hover)
            where = {"xaxis": f"x{panel}", "yaxis": f"y{panel}", "legendgroup": name, "showlegend": not panel}
            traces.append(trace | where | stroke(colour, 2.2 * scale) | mark(8 * scale, symbol))
        dense = rows[0]["us_dense_per_word"]
        if dense is not None:
            shapes.append(line(colour, 1.5 * scale, y=dense, xref="x2", yref="y2", dash="dash"))
        traces += _paper_mark(result, features, order, colour, symbol, scale)
    traces.append(legend("dense Viterbi (colour: its order)", palette.muted, 1.5 * scale, "dash"))
    axes = side_by_side(
        {"title": "% of positions that each level may lose", "type": "log", "dtick": "D2"},
        {"title": f"words read right, % ({FEATURES.get(features, features)})"},
        {"title": "µs a word", "type": "log", "exponentformat": "none", "dtick": 1},
    )
    return figure(traces, axes, palette, shapes=shapes, scale=scale, height=height, left=4.5, top=5.5)


def _paper_mark(result, features, order, colour, symbol, scale):
    """The paper's share of words at the paper's tolerance, if the result holds it."""
    rows = (row for row in result["rows"] if (row["features"], row["order"]) == (features, order))
    paper = next((row["paper"] for row in rows if row.get("paper")), None)
    if paper is None:
        return []
    name, at = f"order {order}, paper", ([paper["tolerance"]], [paper["word_accuracy"]])
    hollow = mark(15 * scale, f"{symbol}-open", color=colour, line={"width": 2.2 * scale})
    hover = f"{name}: %{{y:.2f}} % of words<extra></extra>"
    return [points("markers", *at, name, hover, legendgroup=f"order {order}") | hollow]


FIRST_FILTERS = {"letters": "each letter by itself first", "pairs": "pairs of letters first"}
_COMPARED = {
    "n_grams_in": "n-grams a position",
    "word_accuracy": "words right %",
    "filter_loss": "words lost before %",
}


def first_filters_frame(result, features):
    """The two ways to filter letters first, side by side, a row per order; empty if they were not run."""
    table = {}
    for row in result.get("first_filters", ()):
        if row["features"] == features:
            line = table.setdefault(f"{row['order']}-grams", {})
            for key, name in _COMPARED.items():
                line[f"{name}, {FIRST_FILTERS[row['first_filter']]}"] = row[key]
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("order").sort_index(axis="columns")

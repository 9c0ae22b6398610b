"""Chart of accuracy and time over the tolerance, for every order, with dense inference."""

import pandas as pd

from spcviz.problems.letters.paper.tables import FEATURES
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.results import features_of
from spcviz.web.figures.theme import Chart, figure, line

_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon")


def trade_rows(result, features):
    """Rows of the trade whose tolerance counts positions, by order, the smallest tolerance first."""
    rows = [
        row
        for row in result.get("trade", ())
        if row["features"] == features and row["tolerance_kind"] == "position"
    ]
    return {
        order: sorted((r for r in rows if r["order"] == order), key=lambda r: r["tolerance"])
        for order in sorted({row["order"] for row in rows})
    }


def trade_figure(
    result: dict, palette: Palette, *, features: str | None = None, scale: float = 1.0, height: float = 460
) -> Chart:
    """Words right and microseconds over the tolerance; hollow: the paper, dashed: dense inference."""
    features = features_of(result)[0] if features is None else features
    by_order = trade_rows(result, features)
    colours = _colours(palette)
    traces, shapes = [], []
    for i, (order, rows) in enumerate(by_order.items()):
        colour, symbol = colours[i % len(colours)], _SYMBOLS[i % len(_SYMBOLS)]
        tolerances = [row["tolerance"] for row in rows]
        for panel, key, unit in (("", "word_accuracy", "% of words"), ("2", "us_per_word", "µs")):
            traces.append(
                {
                    "type": "scatter",
                    "x": tolerances,
                    "y": [row[key] for row in rows],
                    "xaxis": f"x{panel}",
                    "yaxis": f"y{panel}",
                    "name": f"order {order}",
                    "legendgroup": f"order {order}",
                    "showlegend": not panel,
                    "mode": "lines+markers",
                    "line": {"color": colour, "width": 2.2 * scale},
                    "marker": {"size": 8 * scale, "symbol": symbol},
                    "hovertemplate": f"order {order}, %{{x:g}} % allowed: %{{y:.4~g}} {unit}<extra></extra>",
                }
            )
        dense = rows[0]["us_dense_per_word"]
        if dense is not None:
            shapes.append(line(colour, 1.5 * scale, y=dense, xref="x2", yref="y2", dash="dash"))
        traces += _paper_mark(result, features, order, colour, symbol, scale)
    style = {"color": palette.muted, "dash": "dash", "width": 1.5 * scale}
    name = "dense Viterbi (colour: its order)"
    traces.append({"type": "scatter", "x": [None], "y": [None], "mode": "lines", "name": name, "line": style})
    tolerance = {"title": "% of positions that each level may lose", "type": "log", "dtick": "D2"}
    axes = {
        "xaxis": tolerance | {"domain": [0, 0.46]},
        "xaxis2": tolerance | {"domain": [0.54, 1], "anchor": "y2"},
        "yaxis": {"title": f"words read right, % ({FEATURES.get(features, features)})"},
        "yaxis2": {"title": "µs a word", "type": "log", "anchor": "x2", "exponentformat": "none", "dtick": 1},
    }
    return figure(traces, axes, palette, shapes=shapes, scale=scale, height=height, left=4.5, top=5.5)


def _colours(palette):
    return (palette.map, palette.kept, palette.threshold, palette.truth, palette.lost, palette.text)


def _paper_mark(result, features, order, colour, symbol, scale):
    """The paper's share of words at the paper's tolerance, if the result holds it."""
    rows = (row for row in result["rows"] if (row["features"], row["order"]) == (features, order))
    paper = next((row["paper"] for row in rows if row.get("paper")), None)
    if paper is None:
        return []
    return [
        {
            "type": "scatter",
            "x": [paper["tolerance"]],
            "y": [paper["word_accuracy"]],
            "name": f"order {order}, paper",
            "legendgroup": f"order {order}",
            "mode": "markers",
            "marker": {
                "size": 15 * scale,
                "symbol": f"{symbol}-open",
                "color": colour,
                "line": {"width": 2.2 * scale},
            },
            "hovertemplate": f"order {order}, paper: %{{y:.2f}} % of words<extra></extra>",
        }
    ]


FIRST_FILTERS = {"letters": "each letter by itself first", "pairs": "pairs of letters first"}
_COMPARED = {
    "n_grams_in": "n-grams a position",
    "word_accuracy": "words right %",
    "filter_loss": "words lost before %",
}


def first_filters_frame(result, features):
    """The two ways to filter letters first, side by side: an order a row; empty where they were not run."""
    table = {}
    for row in result.get("first_filters", ()):
        if row["features"] == features:
            line = table.setdefault(f"{row['order']}-grams", {})
            for key, name in _COMPARED.items():
                line[f"{name}, {FIRST_FILTERS[row['first_filter']]}"] = row[key]
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("order").sort_index(axis="columns")

"""Tables and charts of ocr-orders and ocr-sweep, with the papers' numbers next to those measured."""

from collections.abc import Sequence

import pandas as pd

from spcviz.web.figures.filter_curves import METHODS
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.stored_results import features_of
from spcviz.web.figures.theme import DASHES, Chart, figure, line, mark, points, stroke

FEATURES = {"raw": "raw pixels", "hog": "pixels + HoG", "fourier": "Fourier features"}
_ROLES = {"raw": "kept", "hog": "threshold", "fourier": "truth"}
_MARKS = {"raw": "circle", "hog": "diamond", "fourier": "square"}

# Column of the table: (in a row, in a row's "paper" object, decimals).
COLUMNS = {
    "letters right %": ("char_accuracy", "char_accuracy", 2),
    "words right %": ("word_accuracy", "word_accuracy", 2),
    "filter loss %": ("filter_loss", "filter_loss", 2),
    "n-grams a position": ("n_grams_in", "n_grams", 1),
}
KINDS = {"word": "tolerance per word", "position": "tolerance per position"}
FIRST_FILTERS = {"letters": "each letter by itself first", "pairs": "pairs of letters first"}
_COMPARED = {
    "n_grams_in": "n-grams a position",
    "word_accuracy": "words right %",
    "filter_loss": "words lost before %",
}

_ORDER_ROLES = ("map", "kept", "threshold", "truth", "lost", "text")
_ORDER_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon")


def filter_loss_of(row):
    """A row's filter loss as its tolerance counts it: words, or positions."""
    return row.get("filter_loss_position" if row.get("tolerance_kind") == "position" else "filter_loss")


def measured_of(row, column):
    """The measured value for a column of the table."""
    return filter_loss_of(row) if column == "filter loss %" else row.get(COLUMNS[column][0])


def rows_of(result, features):
    """A feature set's rows to compare with the paper: those with its kind of tolerance, or all if none."""
    rows = [row for row in result["rows"] if row["features"] == features]
    return [row for row in rows if row.get("tolerance_kind") == "position"] or rows


def orders_frame(result: dict, features: str) -> pd.DataFrame:
    """Thesis Table 4.3, measured next to the paper: a row per order, the dictionary last."""
    table = []
    for row in (row for row in result["rows"] if row["features"] == features):
        kind = f", {KINDS[row['tolerance_kind']]}" if "tolerance_kind" in row else ""
        kind += ", one cascade for all" if row.get("cascade") == "shared" else ""
        paper, line = row.get("paper") or {}, {"order": f"{row['order']}-grams{kind}"}
        for name, (measured, printed, _) in COLUMNS.items():
            line[f"{name}, measured"] = measured_of(row, name)
            line[f"{name}, paper"] = paper.get(printed)
            if measured.endswith("accuracy"):
                line[f"{name}, std. error"] = row.get(measured.replace("accuracy", "stderr"))
        line["lost by the level before %, measured"] = row.get("loss_level")
        line["words lost %, measured"] = row.get("filter_loss") if kind else None
        line["tolerance %, measured"] = row.get("tolerance")
        line["tolerance %, paper"] = paper.get("tolerance")
        line["µs a word, cascade"] = row.get("us_per_word")
        line["µs a word, dense"] = row.get("us_dense_per_word")
        if row.get("us_per_word") and row.get("us_dense_per_word"):
            line["times faster"] = row["us_dense_per_word"] / row["us_per_word"]
        table.append(line)
    if base := dictionary(result, features):
        line = {"order": f"dictionary of {base.get('size', 55):.0f} words"}
        for what, key in (("letters", "char"), ("words", "word")):
            line[f"{what} right %, measured"] = base[f"{key}_accuracy"]
            line[f"{what} right %, std. error"] = base.get(f"{key}_stderr")
        table.append(line)
    frame = pd.DataFrame(table).set_index("order")
    return frame.apply(pd.to_numeric, errors="coerce").dropna(axis="columns", how="all")


def dictionary(result, features):
    """The dictionary's row among the baselines, or None."""
    rows = [b for b in result.get("baselines", ()) if b.get("method") == "dictionary"]
    return next((b for b in rows if b.get("features") == features), None)


def accuracy_figure(result: dict, palette: Palette, *, scale: float = 1.0, height: float = 430) -> Chart:
    """Letters and words read right over the order, measured and paper, with the dictionary."""
    traces, shapes, notes = [], [], []
    for panel, (name, heading) in enumerate((("char", "Letters"), ("word", "Words"))):
        x, y, key = ("x", "y", f"{name}_accuracy") if panel == 0 else ("x2", "y2", f"{name}_accuracy")
        here = {"xaxis": x, "yaxis": y, "showlegend": panel == 0}
        at = {"x": 0.5, "xref": f"{x} domain", "y": 1, "yref": "paper", "yanchor": "bottom"}
        notes.append(at | {"text": f"<b>{heading} read right, %</b>"})
        for features in features_of(result):
            rows = rows_of(result, features)
            label, colour = FEATURES.get(features, features), getattr(palette, _ROLES.get(features, "map"))
            drawn = _line(rows, key, f"{label}, measured", colour, features, scale)
            errors = [row.get(f"{name}_stderr") or 0 for row in rows]
            bars = {"error_y": {"array": errors, "visible": any(errors), "thickness": 1.5 * scale}}
            traces.append(drawn | bars | here)
            if printed := [row["paper"] | {"order": row["order"]} for row in rows if row.get("paper")]:
                look = palette.text, "paper", scale, "paper"
                traces.append(_line(printed, key, f"{label}, paper", *look) | here)
            if base := dictionary(result, features):
                shapes.append(line(colour, 1.5 * scale, y=base[key], xref=x, yref=y, dash="dot"))
    if shapes:
        label = "dictionary, measured (colour: its features)"
        traces.append(legend(label, palette.muted, 1.5 * scale, "dot"))
    n_gram = {"title": "longest n-gram", "dtick": 1}
    axes = side_by_side(n_gram, {}, {})
    size = {"scale": scale, "height": height, "left": 3.5, "top": 5.5}
    return figure(traces, axes, palette, notes=notes, shapes=shapes, **size)


def legend(name, *look):
    """A line that appears only in the legend."""
    return {"type": "scatter", "mode": "lines", "x": [None], "y": [None], "name": name} | stroke(*look)


def side_by_side(x, y, y2):
    """Axes of two panels with the same quantity on the horizontal axis."""
    right = x | {"domain": [0.54, 1], "anchor": "y2"}
    return {"xaxis": x | {"domain": [0, 0.46]}, "xaxis2": right, "yaxis": y, "yaxis2": y2 | {"anchor": "x2"}}


def _line(rows, key, name, colour, symbol, scale, style="measured"):
    x, y = [row["order"] for row in rows], [row[key] for row in rows]
    hover = f"order %{{x}}: %{{y:,.4~g}}<extra>{name}</extra>"
    look = stroke(colour, 2.2 * scale, DASHES[style]) | mark(8 * scale, _MARKS.get(symbol, "x"))
    return points("lines+markers", x, y, name, hover, legendgroup=name) | look


def cost_figure(result, palette, *, scale=1.0, height=400):
    """Microseconds a word over the order: cascade against exact dense inference, both measured here."""
    traces = []
    for features in features_of(result):
        rows = rows_of(result, features)
        colour = getattr(palette, _ROLES.get(features, "map"))
        for key, name, style in (
            ("us_per_word", "cascade", "measured"),
            ("us_dense_per_word", "dense Viterbi", "dense"),
        ):
            label = f"{name}, {FEATURES.get(features, features)}"
            if known := [row for row in rows if row.get(key)]:
                traces.append(_line(known, key, label, colour, features, scale, style))
    axes = {
        "xaxis": {"title": "longest n-gram", "dtick": 1},
        "yaxis": {"title": "µs a word, measured", "type": "log", "exponentformat": "none", "dtick": 1},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=6, top=4.5)


def sweep_frame(
    result: dict, features: str, tolerances: Sequence[float] = (0.5, 1.0, 2.0, 5.0)
) -> pd.DataFrame:
    """Fewest n-grams that each filter keeps on test words within a tolerance (percent), or NaN."""
    table = []
    for row in result["rows"]:
        if row["features"] == features and row["split"] == "test":
            line = {"filter": f"level {row['level']}, {METHODS.get(row['method'], row['method'])}"}
            for tolerance in tolerances:
                kept = [e for e, lost in zip(row["efficiency_loss"], row["filter_loss"]) if lost <= tolerance]
                line[f"kept % at {tolerance:g} % lost, measured"] = min(kept, default=None)
            table.append(line)
    frame = pd.DataFrame(table)
    return frame.groupby("filter", sort=False).mean() if table else frame


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


def first_filters_frame(result, features):
    """The two ways to filter letters first, side by side, a row per order; empty if they were not run."""
    table = {}
    for row in result.get("first_filters", ()):
        if row["features"] == features:
            line = table.setdefault(f"{row['order']}-grams", {})
            for key, name in _COMPARED.items():
                line[f"{name}, {FIRST_FILTERS[row['first_filter']]}"] = row[key]
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("order").sort_index(axis="columns")

"""Tables of ocr-open, and a chart of accuracy against time."""

from typing import Literal

import pandas as pd

from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure

FEATURES = {"fourier": "Fourier features", "raw": "raw pixels"}
SETS = {"unseen": "words of unseen types", "natural": "words as they come"}
METHODS = {
    "cascade": "cascade",
    "dense": "its last model, exact",
    "ngram": "n-gram prior, exact",
    "beam": "its last model, beam search",
    "dictionary": "dictionary of training words",
}
PRIORS = {"counted": "plain counts", "kneser_ney": "Kneser-Ney"}
_LOOKS = {
    "cascade": ("kept", "circle", "solid"),
    "dense": ("kept", "circle-open", "dash"),
    "ngram": ("map", "diamond", "dot"),
    "beam": ("threshold", "square", "dot"),
    "dictionary": ("lost", "x", "solid"),
}


def rows_of(result, features, data, method=None):
    """The rows of one set of features on one set of words, of one method or of all."""
    return [
        row
        for row in result["rows"]
        if (row["features"], row["data"]) == (features, data) and method in (None, row["method"])
    ]


def picked(result, features, data, what):
    """The row of what was chosen on development words (`reproduce.chosen_of`), on some words; or None."""
    picks = next((own for own in result["chosen"] if own["features"] == features), {})
    if not (pick := picks.get(what)):
        return None
    method = "cascade" if what in ("cascade", "paying") else "beam"
    for row in rows_of(result, features, data, method):
        if (row["order"], row.get("width")) == (pick["order"], pick["width"]):
            return row
    return None


def open_frame(result: dict, features: str, data: Literal["unseen", "natural"]) -> pd.DataFrame:
    """One row per method, order and beam width of the result ocr-open."""
    table = []
    for row in rows_of(result, features, data):
        order = f" of order {row['order']}" if row["order"] else ""
        width = f", width {row['width']}" if row.get("width") else ""
        table.append(
            {
                "method": f"{METHODS.get(row['method'], row['method'])}{order}{width}",
                "letters right %": row["char_accuracy"],
                "words right %": row["word_accuracy"],
                "µs a word": row["us_per_word"],
                "words lost % (filter loss)": row.get("filter_loss"),
                "true n-grams lost %": row.get("filter_loss_position"),
                "n-grams a position": row.get("n_grams_in"),
                "of these kept": row.get("n_grams_kept"),
            }
        )
    frame = pd.DataFrame(table).set_index("method")
    return frame.apply(pd.to_numeric, errors="coerce").dropna(axis="columns", how="all")


def prior_frame(result: dict, features: str) -> pd.DataFrame:
    """What a beam reads of development words by each kind of prior, with its best weight of the text."""
    best = {}
    for row in result["priors"]:
        key = row["prior"], row["marks"], row["discount"]
        if (
            row["features"] == features
            and row["word_accuracy"] > best.get(key, row | {"word_accuracy": -1})["word_accuracy"]
        ):
            best[key] = row
    table = [
        {
            "prior": PRIORS[row["prior"]],
            "begin marks": "yes" if row["marks"] else "no",
            "discount": row["discount"],
            "best weight of the text": row["text_share"],
            "letters right %": row["char_accuracy"],
            "words right %": row["word_accuracy"],
        }
        for row in best.values()
    ]
    return pd.DataFrame(table).set_index("prior")


def time_figure(
    result: dict, palette: Palette, *, features: str, scale: float = 1.0, height: float = 460
) -> Chart:
    """Words read right over microseconds per word: every method, on both sets of words."""
    traces, notes = [], []
    for panel, (data, heading) in enumerate(SETS.items()):
        x, y = ("x", "y") if panel == 0 else ("x2", "y2")
        at = {"x": 0.5, "xref": f"{x} domain", "y": 1, "yref": "paper", "yanchor": "bottom"}
        notes.append(at | {"text": f"<b>{heading}</b>"})
        for method in METHODS:
            for line in _lines(rows_of(result, features, data, method)):
                traces.append(_trace(line, method, palette, scale) | {"xaxis": x, "yaxis": y})
    seen = set()
    for trace in traces:
        trace["showlegend"] = trace["legendgroup"] not in seen
        seen.add(trace["legendgroup"])
    time = {"title": "µs a word", "type": "log", "dtick": 1, "exponentformat": "none"}
    axes = {
        "xaxis": time | {"domain": [0, 0.46]},
        "xaxis2": time | {"domain": [0.54, 1], "anchor": "y2"},
        "yaxis": {"title": "words read right, %"},
        "yaxis2": {"anchor": "x2"},
    }
    return figure(traces, axes, palette, notes=notes, scale=scale, height=height, left=4, top=6)


def _lines(rows):
    """Rows that one line joins: a beam's widths at one order, any other method's orders."""
    if not rows or rows[0]["method"] != "beam":
        return [rows] if rows else []
    orders = dict.fromkeys(row["order"] for row in rows)
    return [[row for row in rows if row["order"] == order] for order in orders]


def _trace(rows, method, palette, scale):
    role, symbol, dash = _LOOKS[method]
    colour, is_beam = getattr(palette, role), method == "beam"
    what = [f"width {row['width']}" if is_beam else f"order {row['order'] or '–'}" for row in rows]
    texts = [(str(row["width"]) if is_beam else str(row["order"] or "")) for row in rows]
    if is_beam:  # one name a line: its order, at its end
        texts = [""] * (len(rows) - 1) + [f"n = {rows[-1]['order']}"]
    return {
        "type": "scatter",
        "x": [row["us_per_word"] for row in rows],
        "y": [row["word_accuracy"] for row in rows],
        "text": texts,
        "textposition": "top center",
        "textfont": {"size": round(11 * scale), "color": palette.text},
        "customdata": what,
        "name": METHODS[method],
        "legendgroup": method,
        "mode": "lines+markers+text",
        "line": {"color": colour, "width": 2.0 * scale, "dash": dash},
        "marker": {"size": 8 * scale, "symbol": symbol},
        "hovertemplate": f"{METHODS[method]}, %{{customdata}}: %{{y:.2f}} % at %{{x:.4~g}} µs<extra></extra>",
    }

"""Tables of ocr-open, and a chart of accuracy against time."""

from typing import Literal

import pandas as pd

from spcviz.problems.letters.paper.tables import side_by_side
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

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
    rows = (row for row in result["rows"] if (row["features"], row["data"]) == (features, data))
    return [row for row in rows if method in (None, row["method"])]


def pick_row(result, features, data, what):
    """The row, on some words, of the choice made on development words (`reproduce.chosen_of`); or None."""
    picks = next((chosen for chosen in result["chosen"] if chosen["features"] == features), {})
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
    """Accuracy of a beam on development words by each kind of prior, with its best weight of the text."""
    best = {}
    for row in (row for row in result["priors"] if row["features"] == features):
        before = best.setdefault((row["prior"], row["marks"], row["discount"]), row)
        if row["word_accuracy"] > before["word_accuracy"]:
            best[row["prior"], row["marks"], row["discount"]] = row
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
    axes = side_by_side(time, {"title": "words read right, %"}, {})
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
    if is_beam:  # one name per line: its order, at its end
        texts = [""] * (len(rows) - 1) + [f"n = {rows[-1]['order']}"]
    x, y = [row["us_per_word"] for row in rows], [row["word_accuracy"] for row in rows]
    hover = f"{METHODS[method]}, %{{customdata}}: %{{y:.2f}} % at %{{x:.4~g}} µs<extra></extra>"
    look = {"text": texts, "textposition": "top center", "customdata": what, "legendgroup": method}
    look["textfont"] = {"size": round(11 * scale), "color": palette.text}
    look |= stroke(colour, 2.0 * scale, dash) | mark(8 * scale, symbol)
    return points("lines+markers+text", x, y, METHODS[method], hover) | look

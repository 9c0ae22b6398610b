"""Tables, a chart and sentences of ocr-open and ocr-open-rules, as Paper tables shows them."""

from typing import Literal

import pandas as pd

from spcviz.problems.letters.paper.tables import side_by_side
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.stored_results import (
    RULE_DECIMALS,
    WHAT_DECIDES,
    Heading,
    Note,
    Shown,
    Table,
    chart,
    chosen_on,
    tolerances_frame,
)
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

FEATURES = {"fourier": "Fourier features", "raw": "raw pixels"}
SETS = {"unseen": "words of unseen types", "natural": "words as they come"}
RULE_SETS = {"unseen": "words of types that no list holds", "natural": "words as they are written"}

METHODS = {
    "cascade": "cascade",
    "dense": "its last model, exact",
    "ngram": "n-gram prior, exact",
    "beam": "its last model, beam search",
    "dictionary": "dictionary of training words",
}
PRIORS = {"counted": "plain counts", "kneser_ney": "Kneser-Ney"}
OPEN_DECIMALS = {"letters": 2, "words": 2, "µs": 1, "true": 2, "n-grams": 1, "of these": 1}

NOTE = (
    "Every method reads the same 26 ink scores a letter, from a letter model that did not see the image. "
    "Times are CPU microseconds from those scores to labels on the same words, turn by turn; what the scores "
    "cost comes on top for every method alike. Cascades begin at an n-gram model counted from words "
    "(Kneser-Ney, with begin marks) and learn corrections; beams read with the same learned models. Test "
    "words have letter images of fold 0 only; a letter's neighbours are mostly by other hands."
)

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
    """The row, on some words, of a choice made on development words, or None.

    `experiments.open_words.reproduce.chosen_of` makes the choices.
    """
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


def _open(result, features, look):
    frames = []
    for data, heading in SETS.items():
        if rows_of(result, features, data):
            frame = open_frame(result, features, data)
            frames += [Heading(heading[0].upper() + heading[1:])]
            frames += [Table(frame, f"ocr-open-{features}-{data}", OPEN_DECIMALS)]
    if any(row["features"] == features for row in result["priors"]):
        frames += [
            Heading("What letters are counted by: development words, a beam, nothing learned"),
            Table(prior_frame(result, features), f"ocr-open-priors-{features}", OPEN_DECIMALS),
        ]
    return [chart(time_figure, result, look, key="open-time", features=features), *frames]


def _notes(result):
    return [NOTE, sets_sentence(result), ink_sentence(result), *chosen_on(result)]


def sets_sentence(result):
    """The number of words, and how many of them are known."""
    read = "; ".join(
        f"{row['words']} {SETS[row['data']]} ({row['types']} types, {row['known_share']:.1f} % of the words "
        "are of training types)"
        for row in result["sets"]
    )
    return f"n-grams counted from {result['sets'][0]['training_types']} training types. Read: {read}."


def ink_sentence(result):
    """The cost of a word's ink, which every method pays in addition."""
    parts = [
        f"{FEATURES[row['features']]}, {SETS[row['data']]} {row['us_ink_per_word']:.0f} µs "
        f"({row['letters_right']:.2f} % of letters right by ink alone)"
        for row in result["ink"]
        if row["data"] in SETS
    ]
    return f"Ink of a word, from pixels on: {'; '.join(parts)}."


OPEN = Shown(
    needs=("data", "features", "method", "order", "char_accuracy", "word_accuracy", "us_per_word"),
    blocks=_open,
    notes=_notes,
    features=FEATURES,
)


def rules_frame(result: dict, features: str, data: str, weights: str = "rows") -> pd.DataFrame:
    """n-grams that each order scores at the same tolerance, rule by rule; `weights`: "rows", the shipped
    model's, or "trained", those learned for each rule."""
    rows = [row for row in result[weights] if (row["features"], row["data"]) == (features, data)]
    return tolerances_frame(rows, "word", "word_accuracy", "95 % of draws of words")


def beams_frame(result: dict, features: str, data: str) -> pd.DataFrame:
    """Words that a beam of the last order reads right."""
    rows = [row for row in result["baselines"] if (row["features"], row["data"]) == (features, data)]
    return pd.DataFrame([{"beam of": row["width"], "words right %": row["word_accuracy"]} for row in rows])


def _rule_blocks(result, features, look):
    blocks = []
    for data, heading in RULE_SETS.items():
        key = f"{features}-{data}"
        blocks += [
            Heading(heading[0].upper() + heading[1:]),
            Table(rules_frame(result, features, data), f"ocr-open-rules-{key}", RULE_DECIMALS),
            Note("With filters trained for each rule, from the same candidates at every level:"),
            Table(rules_frame(result, features, data, "trained"), f"ocr-open-trained-{key}", RULE_DECIMALS),
            Table(beams_frame(result, features, data), f"ocr-open-rules-beam-{key}", RULE_DECIMALS),
        ]
    return blocks


def _rule_notes(result):
    return [WHAT_DECIDES, *result.get("missing", ()), f"Chosen on: {result['settings']['chosen_on']}."]


RULES = Shown(
    needs=("features", "data", "rule", "order", "tolerance", "n_grams_in", "lost", "guarantee"),
    blocks=_rule_blocks,
    notes=_rule_notes,
    features={"raw": "raw pixels", "fourier": "random waves (Fourier)"},
)


def page_note(result, features):
    """The Letters page's note under words of the open vocabulary, read with one of `FEATURES`."""
    origin = (
        "Words of types that no training word has, put together from real letter images: neighbouring "
        "letters are mostly by different hands. List of words: UD English EWT, CC BY-SA 4.0."
    )
    cascade = pick_row(result, features, "unseen", "cascade") if result else None
    if cascade is None:
        return origin
    other = pick_row(result, features, "unseen", "in_its_time")
    beam = ""
    if other:
        beam = f" For comparison: beam search in no more time reads {other['word_accuracy']:.1f} %."
    read = f"The cascade of order {cascade['order']} reads {cascade['word_accuracy']:.1f} % of them."
    return f"{origin} {read}{beam}"

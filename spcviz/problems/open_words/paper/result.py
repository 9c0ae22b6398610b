"""How Paper tables shows ocr-open and ocr-open-rules, with the sentences about them."""

import pandas as pd

from spcviz.problems.open_words.paper import tables
from spcviz.problems.open_words.paper.tables import FEATURES, SETS, pick_row
from spcviz.web.figures.blocks import Heading, Note, Shown, Table, chart
from spcviz.web.figures.results import RULE_DECIMALS, WHAT_DECIDES, chosen_on, tolerances_frame

OPEN_DECIMALS = {"letters": 2, "words": 2, "µs": 1, "true": 2, "n-grams": 1, "of these": 1}


def _open(result, features, look):
    frames = []
    for data, heading in tables.SETS.items():
        if tables.rows_of(result, features, data):
            frame = tables.open_frame(result, features, data)
            frames += [Heading(heading[0].upper() + heading[1:])]
            frames += [Table(frame, f"ocr-open-{features}-{data}", OPEN_DECIMALS)]
    if any(row["features"] == features for row in result["priors"]):
        frames += [
            Heading("What letters are counted by: development words, a beam, nothing learned"),
            Table(tables.prior_frame(result, features), f"ocr-open-priors-{features}", OPEN_DECIMALS),
        ]
    return [chart(tables.time_figure, result, look, key="open-time", features=features), *frames]


def _notes(result):
    return [NOTE, sets_sentence(result), ink_sentence(result), *chosen_on(result)]


OPEN = Shown(
    needs=("data", "features", "method", "order", "char_accuracy", "word_accuracy", "us_per_word"),
    blocks=_open,
    notes=_notes,
    features=tables.FEATURES,
)


RULE_SETS = {"unseen": "words of types that no list holds", "natural": "words as they are written"}


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


NOTE = (
    "Every method reads the same 26 ink scores a letter, from a letter model that did not see the image. "
    "Times are CPU microseconds from those scores to labels on the same words, turn by turn; what the scores "
    "cost comes on top for every method alike. Cascades begin at an n-gram model counted from words "
    "(Kneser-Ney, with begin marks) and learn corrections; beams read with the same learned models. Test "
    "words have letter images of fold 0 only; a letter's neighbours are mostly by other hands."
)


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

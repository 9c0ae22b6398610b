"""How the result ocr-open is shown."""

from spcviz.problems.open_words.paper import tables, text
from spcviz.web.figures.blocks import Heading, Shown, Table, chart
from spcviz.web.figures.results import chosen_on

DECIMALS = {"letters": 2, "words": 2, "µs": 1, "true": 2, "n-grams": 1, "of these": 1}


def _open(result, features, look):
    frames = []
    for data, heading in tables.SETS.items():
        if tables.rows_of(result, features, data):
            frame = tables.open_frame(result, features, data)
            frames += [Heading(heading[0].upper() + heading[1:])]
            frames += [Table(frame, f"ocr-open-{features}-{data}", DECIMALS)]
    if any(row["features"] == features for row in result["priors"]):
        frames += [
            Heading("What letters are counted by: development words, a beam, nothing learned"),
            Table(tables.prior_frame(result, features), f"ocr-open-priors-{features}", DECIMALS),
        ]
    return [chart(tables.time_figure, result, look, key="open-time", features=features), *frames]


def _notes(result):
    return [text.NOTE, text.sets_sentence(result), text.ink_sentence(result), *chosen_on(result)]


OPEN = Shown(
    needs=("data", "features", "method", "order", "char_accuracy", "word_accuracy", "us_per_word"),
    blocks=_open,
    notes=_notes,
    features=tables.FEATURES,
)

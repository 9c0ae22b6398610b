"""Claims about ocr-open (cascade, beam search and dictionary on an open vocabulary), as data."""

import math

from spcviz.problems.open_words.paper.tables import FEATURES, SETS, beam_at, best, matched, rows_of
from spcviz.web.figures.claims import Claim, NotMeasured

_BEAM_NOTE = (
    "Not the same model: the beam has counted n-grams, the cascade learned corrections to them. Order and "
    "width were chosen on the test words; beams of width 1, 4 and 16 only."
)


def _own(features, data):
    def found(result):
        if not (rows := matched(result, features, data)):
            raise NotMeasured(f"{features}, {data}")
        return best(rows)

    return found


def _beam(features, data):
    """The beam that reads most words in no more time than the cascade."""

    def found(result):
        row = beam_at(result, features, data, _own(features, data)(result)["us_per_word"])
        if row is None:
            raise NotMeasured("no beam is as fast")
        return row

    return found


def _cheapest(features, data):
    """Microseconds of the fastest beam that reads as many words as the cascade; infinity if none does."""

    def found(result):
        least = _own(features, data)(result)["word_accuracy"]
        beams = rows_of(result, features, data, "beam")
        return min((row["us_per_word"] for row in beams if row["word_accuracy"] >= least), default=math.inf)

    return found


def _dictionary(features, data):
    def found(result):
        if not (rows := rows_of(result, features, data, "dictionary")):
            raise NotMeasured("dictionary")
        return rows[0]["word_accuracy"]

    return found


def _falls(features, data):
    """Orders at which fewer words are read than at a lower one."""

    def found(result):
        rows = rows_of(result, features, data, "cascade")
        lower = [
            max((r["word_accuracy"] for r in rows if r["order"] < row["order"]), default=0) for row in rows
        ]
        return sum(row["word_accuracy"] + 0.05 < least for row, least in zip(rows, lower, strict=True))

    return found


def _of(place, key):
    return lambda result: place(result)[key]


def _claims(features, data):
    system, name = f"Open vocabulary, {SETS[data]}", FEATURES[features]
    cascade, beam = _own(features, data), _beam(features, data)
    read = _of(cascade, "word_accuracy")
    return (
        Claim(
            "ocr-open", system, f"words right, {name}, beam in no more time", read, "rival",
            _of(beam, "word_accuracy"), decimals=2, shown="{} % in {:.0f} µs",
            beside=(_of(cascade, "us_per_word"),), said="beam here: {} %", note=_BEAM_NOTE,
        ),
        Claim(
            "ocr-open", system, f"time, {name}, beam that reads as many", _of(cascade, "us_per_word"),
            "rival", _cheapest(features, data), "lower", decimals=0, shown="{} µs a word",
            said="beam here, µs: {}", note=_BEAM_NOTE,
        ),
        Claim(
            "ocr-open", system, f"words right, {name}, dictionary", read, "rival",
            _dictionary(features, data), decimals=2, shown="{} %", said="dictionary here: {} %",
            note="The order was chosen on the test words.",
        ),
        Claim(
            "ocr-open", system, f"more words right at each order, {name}", _falls(features, data), "holds",
            decimals=0, shown="{} orders read fewer than a lower one", source="thesis 4.5.2",
        ),
    )  # fmt: skip


def _redrawn(features):
    row = "redrawn", {"features": features}
    return Claim(
        "ocr-open", "Open vocabulary, letters drawn anew as strokes (as on Write)",
        f"letters right by the cascade, {FEATURES[features]}", (*row, "by_cascade_redrawn"), "rival",
        (*row, "by_cascade"), decimals=2, shown="{} %", said="as scanned: {} %",
        note="No spread is known; by ink alone in the file.", is_aside=True,
    )  # fmt: skip


CLAIMS = (
    *(claim for data in SETS for features in FEATURES for claim in _claims(features, data)),
    *(_redrawn(features) for features in FEATURES),
)  # fmt: skip

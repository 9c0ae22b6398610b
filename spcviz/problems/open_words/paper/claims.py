"""Claims about ocr-open (cascade, beam search and dictionary on an open vocabulary), as data."""

from spcviz.problems.open_words.paper.tables import FEATURES, SETS, picked, rows_of
from spcviz.web.figures.claims import Claim, NotMeasured

_ON_DEV = "The same learned model. Orders and width chosen on development words."
HALF = 0.5
"""Of the time of a beam that reads as many words: what a cascade should need at most."""


def _row(features, data, what):
    """The row on some words of what was chosen on development words."""

    def chosen_row(result):
        if (row := picked(result, features, data, what)) is None:
            raise NotMeasured(f"{features}, {data}: {what}")
        return row

    return chosen_row


def _fastest(features, data, place):
    """The fastest beam that reads as many of these words as a row: chosen on them, which is in its favour."""

    def fastest_beam(result):
        least = place(result)["word_accuracy"]
        beams = rows_of(result, features, data, "beam")
        if not (fits := [row for row in beams if row["word_accuracy"] >= least]):
            raise NotMeasured("no beam reads as many")
        return min(fits, key=lambda row: row["us_per_word"])

    return fastest_beam


def _dictionary(features, data):
    def word_accuracy(result):
        if not (rows := rows_of(result, features, data, "dictionary")):
            raise NotMeasured("dictionary")
        return rows[0]["word_accuracy"]

    return word_accuracy


def _falls(features, data):
    """Orders at which fewer words are read than at a lower one."""

    def n_falls(result):
        read = {row["order"]: row["word_accuracy"] for row in rows_of(result, features, data, "cascade")}
        lower = {n: max((right for m, right in read.items() if m < n), default=0) for n in read}
        return sum(right + 0.05 < lower[n] for n, right in read.items())

    return n_falls


def _of(place, key):
    return lambda result: place(result)[key]


def _claims(features, data):
    system, name = f"Open vocabulary, {SETS[data]}", FEATURES[features]
    cascade, timely, paying, right = (
        _row(features, data, what) for what in ("cascade", "in_its_time", "paying", "as_many")
    )
    read, us = _of(cascade, "word_accuracy"), _of(cascade, "us_per_word")
    paid, fastest = _of(paying, "us_per_word"), _fastest(features, data, cascade)
    return (
        Claim(
            "ocr-open", system, f"words right, {name}, beam in no more time", read, "rival",
            _of(timely, "word_accuracy"), decimals=2, shown="{} % in {:.0f} µs",
            beside=(us,), said="beam here: {} %", note=_ON_DEV,
        ),
        Claim(
            "ocr-open", system, f"share of beam's time, {name}",
            lambda result: us(result) / fastest(result)["us_per_word"], "level", HALF, "lower",
            decimals=2, shown="{} ({:.0f} of {:.0f} µs)", beside=(us, _of(fastest, "us_per_word")),
            said="aim: {}",
            note="Order chosen on development words; beam: the fastest that reads as many of these words.",
        ),
        Claim(
            "ocr-open", system, f"share of beam's time where it pays most, {name}",
            lambda result: paid(result) / _of(right, "us_per_word")(result), "new",
            decimals=2, shown="{} at order {} ({:.0f} of {:.0f} µs; {:+.2f} words right)",
            beside=(_of(paying, "order"), paid, _of(right, "us_per_word"),
                    lambda result: _of(paying, "word_accuracy")(result)
                    - _of(right, "word_accuracy")(result)),
            said="–", note=f"{_ON_DEV} There that beam reads as many words, and the cascade pays most.",
        ),
        Claim(
            "ocr-open", system, f"words right, {name}, dictionary", read, "rival",
            _dictionary(features, data), decimals=2, shown="{} %", said="dictionary here: {} %",
            note="Order chosen on development words.",
        ),
        Claim(
            "ocr-open", system, f"more words right at each order, {name}", _falls(features, data), "holds",
            decimals=0, shown="{} orders read fewer than a lower one", source="thesis 4.5.2",
        ),
    )  # fmt: skip


def _prior(features):
    """Words that a beam reads by the best prior of each kind, on development words."""

    def best(result, name, marks):
        accuracies = [row["word_accuracy"] for row in result["priors"]
               if (row["features"], row["prior"], row["marks"]) == (features, name, marks)]  # fmt: skip
        if not accuracies:
            raise NotMeasured(f"{name}, {features}")
        return max(accuracies)

    def of(name, marks):
        return lambda result: best(result, name, marks)

    return Claim(
        "ocr-open", "Open vocabulary, what letters are counted by",
        f"Kneser-Ney, begin marks, {FEATURES[features]}", of("kneser_ney", True), "rival",
        of("counted", False), decimals=2, shown="{} % (alone: {:.2f}, {:.2f})",
        beside=(of("kneser_ney", False), of("counted", True)), said="plain counts: {} %",
        note="Development words right by a beam, nothing learned; each with its best weight and discount.",
        is_aside=True,
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
    *(_prior(features) for features in FEATURES),
    *(_redrawn(features) for features in FEATURES),
)  # fmt: skip

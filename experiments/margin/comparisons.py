"""Comparisons of the margin with the thesis' rule: every ratio that the stored results hold, and its verdict.

A verdict follows from a rule fixed before the look: a rule leaves fewer n-grams than the thesis' where the
95 % interval of their ratio lies below 1, more where it lies above, and else within chance.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from spcviz.problems.letters.paper.tables import FEATURES
from spcviz.problems.pose.paper.result import WAYS
from spcviz.problems.tagging.paper.result import CORPORA
from spcviz.shared.folders import RESULTS, shipped_path

STUDIES = ("ocr-rules", "ocr-open-rules", "tagging-rules", "pose-rules", "grid-rules")
Ratio = tuple[float | None, float | None, float | None]
"""A ratio and the ends of its 95 % interval; None where it has not been measured."""

HEADLINES = {"words": (6, 0.8), "open": (6, 1.0), "tags": 5.0, "pose": ("size", 6), "grids": 5.0}
"""The comparisons in the document itself: the last order or level of each study, at one loss (in percent).
All others are in its tables."""


class Comparison(NamedTuple):
    """What the margin leaves over what the thesis' rule leaves, in one place of one study."""

    task: str
    at: str
    ratio: Ratio
    is_headline: bool
    of_all: Ratio = (None, None, None)
    """The same ratio for the n-grams of the whole cascade."""

    @property
    def verdict(self) -> str:
        """What the interval says."""
        return verdict(*self.ratio[1:])


def verdict(low: float | None, high: float | None) -> str:
    """What an interval of a ratio says by the rule above.

    >>> verdict(0.2, 0.8), verdict(0.9, 1.2), verdict(1.1, 1.4), verdict(None, None)
    ('fewer', 'within chance', 'more', 'not measured')
    """
    if low is None or high is None:
        return "not measured"
    return "fewer" if high < 1 else "more" if low > 1 else "within chance"


def stored_result(name: str) -> dict[str, Any] | None:
    """A stored result; None where its study has not run."""
    path = shipped_path(RESULTS) / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def comparisons(results: dict[str, dict[str, Any] | None]) -> list[Comparison]:
    """All comparisons that results by name, of `STUDIES`, hold."""
    readers = (_of_words, _of_open_words, _of_tags, _of_pose, _of_grids)
    pairs = ((reader, results.get(name)) for reader, name in zip(readers, STUDIES, strict=True))
    return [one for reader, result in pairs if result is not None for one in reader(result)]


def _of_words(result: dict[str, Any]) -> Iterator[Comparison]:
    rows = [row for row in result["equal"] if row["rule"] == "margin" and row["ratio"] is not None]
    whole = {_place(row): _ratio(row) for row in rows if row["what"] == "n_grams_all"}
    for row in rows:
        if row["what"] == "n_grams_in":
            at = f"{FEATURES[row['features']]}, order {row['order']}, {row['loss']:g} % of words lost"
            is_headline = (row["order"], row["loss"]) == HEADLINES["words"]
            yield Comparison("55 words", at, _ratio(row), is_headline, whole.get(_place(row), (None,) * 3))


def _place(row: dict[str, Any]) -> tuple:
    return tuple(row[key] for key in ("features", "order", "loss"))


def _ratio(row: dict[str, Any]) -> Ratio:
    return row["ratio"], row["low"], row["high"]


def unseen(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the open vocabulary on words that no list holds."""
    return [row for row in rows if row["data"] == "unseen"]


def _of_open_words(result: dict[str, Any]) -> Iterator[Comparison]:
    for name, own in (("rows", ""), ("trained", ", trained for each rule")):
        for row in unseen(result[name]):
            if row["rule"] == "margin" and row["order"] > 1:
                at = f"{FEATURES[row['features']]}{own}, order {row['order']}, {row['tolerance']:g} % a level"
                is_headline = (row["order"], row["tolerance"]) == HEADLINES["open"]
                whole = row["n_grams_all_ratio"]
                yield Comparison("open vocabulary", at, tuple(row["n_grams_in_ratio"]), is_headline, whole)


def _of_tags(result: dict[str, Any]) -> Iterator[Comparison]:
    for row in result["rows"]:
        if row["rule"] == "margin":
            own = ", trained for the margin" if row["method"] == "margin_trained" else ""
            at = f"{CORPORA[row['data']]}{own}, bigrams at {row['target']:g} % of sentences lost"
            is_headline = row["target"] == HEADLINES["tags"]
            yield Comparison("tags", at, tuple(row["over_mean_max"]), is_headline)
    for row in result["levels"]:
        if row["rule"] == "margin" and row["order"] > 1:
            at = f"{CORPORA[row['data']]}, order {row['order']} at {row['tolerance']:g} % a level"
            yield Comparison("tags", at, tuple(row["n_grams_in_ratio"]), False)


def _of_pose(result: dict[str, Any]) -> Iterator[Comparison]:
    for row in result["rows"]:
        if row["rule"] == "margin" and row["level"] in (2, 4, 6):
            at = f"{WAYS[row['way']]}, level {row['level']}"
            is_headline = (row["way"], row["level"]) == HEADLINES["pose"]
            yield Comparison("pose", at, tuple(row["states_ratio"]), is_headline)


def _of_grids(result: dict[str, Any]) -> Iterator[Comparison]:
    for row in result["rows"]:
        if row["rule"] == "margin":
            at = f"one filter alone, {row['target']:g} % lost"
            yield Comparison("grids", at, tuple(row["ratio"]), row["target"] == HEADLINES["grids"])

"""Excerpts of results for ``cache/results/README.md``: the lines of one short table per result.

All lines, and the charts, are on the page Paper tables; every number is in the JSON files.
"""

import re
from typing import NamedTuple

import pandas as pd

from spcviz.web.figures.stored_results import Block, Shown, Table, features_of, number_format

_LOOK = {"palette": {}, "scale": 1.0, "height": 0}
_CURVE = ("level", "at 5 %", "at 10 %", "at 20 %", "at 50 %", "least wrong", "std. error", "µs")


class Excerpt(NamedTuple):
    """Some lines and columns of one of a result's tables."""

    table: str = ""  # the table's name; the first if empty
    rows: str = ""  # a regular expression that a line's texts must match
    columns: tuple[str, ...] = ()  # regular expressions, one of which a column's name must match; or all
    features: str = ""  # the set of features; the result's first if empty
    most: int = 4  # largest number of lines


EXCERPTS = {
    "ocr-orders": Excerpt(
        rows=r"per word \|", columns=(r"right %", "filter loss", "n-grams a position", "µs a word")
    ),
    "ocr-sweep": Excerpt(rows="level 2"),
    "ocr-open": Excerpt(
        "ocr-open-fourier-unseen", r"cascade of order [46]|beam.*order 5, width 4 \||order 6, width "
        r"6 \||dictionary",
        features="fourier",
    ),
    "ocr-rules": Excerpt(
        "ocr-rules-equal-raw", r"^6 \| 0.8 \| ", features="raw", most=2,
        columns=("order", "loss", "rule", "n-grams", "over", "95 %"),
    ),
    "ocr-open-rules": Excerpt(
        "ocr-open-rules-fourier-unseen", r"^1.0 \| 6 \| ", features="fourier", most=4,
        columns=("order", "rule", "n-grams", "95 %", "lost"),
    ),
    "tagging": Excerpt(
        rows=r"(sample|Treebank), (Full|SPC|CRF|Tags) \|", most=4,
        columns=("words right", "sentences lost", "bigrams a position", "times faster", "µs a sentence, inf"),
    ),
    "tagging-whole": Excerpt(
        rows=r"(Full|SPC|CRF|SPC.*log loss.*) \|", most=4,
        columns=("words right", "sentences lost", "bigrams a position", "times faster", "µs a sentence, inf"),
    ),
    "tagging-rules": Excerpt(
        "tagging-rules", r"^5.0 \| (SPC, |CRF)", most=4,
        columns=("sentences lost", "method", "bigrams a position", "^over", "over CRF"),
    ),
    "grid": Excerpt(rows="^[1357] ", columns=("ensemble", "^LBP %", "^LBP, max", "comb"), most=3),
    "policy-theorems": Excerpt(rows=r"^2\.", columns=("claim", "polic", "tried", "broken", "not the best")),
    "pose-cascade": Excerpt(
        rows=r"^annotated, 1200 states a limb, [246]: ", most=3,
        columns=("pruned of the level", "survivors", "top 4", "limbs that"),
    ),
    "pose-rules": Excerpt(
        rows=r"^1200 states a limb \| 6: ", most=2,
        columns=("^(thresholds|level|rule)", "pruned of", "survivors PCP", "states over", "clips, states"),
    ),
    "grid-rules": Excerpt(rows=r"^5.0 \| ", most=3, columns=("lost", "rule", "states a", "over", "95 %")),
    "pose-ensemble": Excerpt(
        rows=r"^(signs, every 3rd|rendered|buffy).*: (ensemble|torso), (learned|ties of 1 \|)", most=4,
        columns=("elbow off", "std. error", "nearer", "shoulder off", "within 20 px", "broken"),
    ),
    "pose-people": Excerpt(most=4),
    "dms-ocr": Excerpt(rows=r"\(DMS\) |imitation|at random \||without n-grams|oracle", columns=_CURVE),
    "policy-ocr": Excerpt(rows=r"\(DMS-π\) \||q = 0.5( of|$| \|)|imitation|greedy \||Words", columns=_CURVE),
    "constrained-ocr": Excerpt(rows=r"complex\) \||one shot \||anytime|any tier", columns=_CURVE, most=3),
    "budget-ocr": Excerpt(rows="oracle|without n-grams|in turn|least sure", columns=_CURVE, most=3),
    "budget-ocr-open": Excerpt(rows=r"\(DMS(-π)?\) \||one shot \||at random \|", columns=_CURVE, most=3),
    "steps-ocr": Excerpt(columns=("method", "units a letter", "units at", "points")),
    "quiescence": Excerpt(
        "quiescence", r"800 \| (exact|as printed.*q = 0.5|level scores, exact)",
    ),
    "dms-pose": Excerpt(
        "dms-pose", r"\(DMS\) |imitation|at random \(|oracle",
        columns=("at 20", "at 33", "at 50", "at 100", "std")
    ),
    "policy-pose": Excerpt(
        rows=r"^(Frames|Spans of 4 to 8 frames), learned \(DMS-π\) at 8x be|^Arms, learned.*at 8x be.*signs",
        table="policy-pose",
        columns=("clips", "mean wrong", "std", "wrong %, paper", "ms a frame", "speed-up", "improvement"),
        most=4,
    ),
    "parsing": Excerpt("parsing-compared", r"50.*(chosen|anytime|DMS-π|myopic)", most=4),
    "hybrid": Excerpt("hybrid-ends", "everything", most=3),
    "scene": Excerpt("scene-recall", columns=("method", "by", "class %", "pixel %", "ms"), most=3),
    "scene-costs": Excerpt(columns=("piece", "ms"), most=3),
    "dms-scene": Excerpt("scene-shared-gaps", most=3),
}  # fmt: skip


def excerpt(name: str, result: dict, shown: Shown) -> pd.DataFrame:
    """The short table of a result, texts only, its index first."""
    about = EXCERPTS.get(name, Excerpt())
    features = about.features or next(iter(features_of(result)), "")
    table = _table(shown.blocks(result, features, _LOOK), about.table)
    frame = table.frame.reset_index() if any(table.frame.index.names) else table.frame
    named = [column for column in table.frame.index.names if column]
    columns = [c for c in frame if c in named or not about.columns or _matches(about.columns, c)]
    texts = (" | ".join(map(str, line)) for line in frame.itertuples(index=False))
    lines = [at for at, text in enumerate(texts) if re.search(about.rows, text)]
    chosen = frame.iloc[lines[: about.most]][columns].dropna(axis=1, how="all")
    return chosen.apply(lambda column: column.map(lambda value: _cell(value, column.name, table)))


def _matches(patterns, text):
    return any(re.search(pattern, text) for pattern in patterns)


def _table(blocks: list[Block], name: str) -> Table:
    tables = [block for block in blocks if isinstance(block, Table)]
    return next(table for table in tables if not name or table.name == name)


def _cell(value, column, table):
    if value is None or value != value:  # nan
        return "–"
    if isinstance(value, int | str) or not hasattr(value, "__float__"):
        return str(value)
    return number_format(column, dict(table.decimals)) % value

"""Find sentence boundaries in a table with one token per row, from its columns of ids and numbers.

================  ==============================================================================
sentences         ``sentence_id``, or another id whose values come in runs (``tweet_id``)
documents         ``doc``, ``file``: a change also ends a sentence; sentence numbers may restart
tokens            ``idx`` 0, 1, 2, 0, 1: a sentence begins where the count does
================  ==============================================================================

Rows of texts, Parquet and JSON are separated by the same rules. An empty cell repeats the number of the row
above, as in tables that name a sentence once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from spcviz.io import field_names

_ID = re.compile(r"(?:.*_)?(?:id|ids|no|nr|num|number|idx|index|key|uuid)")
_OF_TOKENS = frozenset(
    ("token", "tok", "word", "entity", "chunk", "label", "tag", "ner", "pos", "head", "mention", "span",
     "lemma", "char", "start", "end")
)  # fmt: skip
_DOCUMENT = re.compile(
    r"(?:doc|document|file|article|essay|tweet|review|post|comment|paragraph|par|utterance|dialogue|dialog)"
    r"(?:_?(?:id|no|nr|num|number|idx|index|name|key))?"
)
_COUNT = re.compile(r"i|n|(?:token_|word_|tok_|w_)?(?:id|no|nr|num|number|idx|index|position)")
_PLACE = re.compile(r"(?:char_|token_|word_)?(?:position|start|end|begin|offset|start_offset|end_offset)")


class Boundaries(NamedTuple):
    """Columns that separate rows into sentences: a change in one of `numbers`, or a restart of `count`."""

    numbers: tuple[int, ...] = ()
    count: int | None = None  # type: ignore[assignment]  # the method tuple.count is not used here

    def __bool__(self) -> bool:
        return bool(self.numbers) or self.count is not None


def boundaries_of(
    header: Sequence[str], rows: Sequence[Sequence[Any]], *, is_blank: bool = False
) -> Boundaries:
    """Infer the separating columns from their names and some rows; none if blank rows already separate.

    >>> boundaries_of(["doc", "sent", "word", "ner"], [["a", "0", "It", "O"], ["b", "0", "is", "O"]])
    Boundaries(numbers=(1, 0), count=None)
    >>> boundaries_of(["idx", "word", "ner"], [["0", "It", "O"], ["1", "is", "O"], ["0", "Go", "O"]])
    Boundaries(numbers=(), count=0)
    """
    names = [field_names.normal(name) for name in header]
    sentence = field_names.sentence_column(header)
    used = {sentence, field_names.token_column(header), field_names.label_column(header)}
    others = [k for k in range(len(names)) if k not in used]
    numbers = [] if sentence is None else [sentence]
    numbers += [k for k in others if _DOCUMENT.fullmatch(names[k])]
    if sentence is not None or is_blank:
        return Boundaries(tuple(numbers))
    columns = {k: [str(row[k]).strip() for row in rows if len(row) == len(names)] for k in others}
    count = next((k for k in others if _COUNT.fullmatch(names[k]) and _counts_anew(columns[k])), None)
    if not numbers and count is None:
        is_id = (k for k in others if _ID.fullmatch(names[k]) and _OF_TOKENS.isdisjoint(names[k].split("_")))
        numbers = [k for k in is_id if _comes_in_runs(columns[k])][:1]
    return Boundaries(tuple(numbers), count)


def is_numbering(name: str, values: Sequence[str]) -> bool:
    """Whether a column, by its name, numbers tokens, sentences, documents or characters, all as integers.

    >>> is_numbering("token_id", ["0", "1"]), is_numbering("NUM", ["0.5", "-2"]), is_numbering("N", ["1"])
    (True, False, False)
    """
    name = field_names.normal(name)
    is_named = _ID.fullmatch(name) or _DOCUMENT.fullmatch(name) or _PLACE.fullmatch(name)
    return bool(is_named) and bool(values) and all(value.strip().isdecimal() for value in values)


def whole_numbers(values: Sequence[str]) -> list[int]:
    """Values as non-negative integers; empty if one of them is not such a number.

    >>> whole_numbers(["0", "12"]), whole_numbers(["0", "-1"]), whole_numbers(["0", "9" * 99])
    ([0, 12], [], [])
    """
    are_all = all(value.isdecimal() and len(value) < 10 for value in values)
    return [int(value) for value in values] if are_all else []


def _counts_anew(values: list[str]) -> bool:
    """Whether a column counts from 0 or 1, and restarts."""
    counted = whole_numbers(values)
    if len(counted) < 3:
        return False
    start = counted[0]
    steps = [(a, b) for a, b in pairwise(counted) if b != a + 1]
    return start in (0, 1) and bool(steps) and all(b == start for _, b in steps)


def _comes_in_runs(values: list[str]) -> bool:
    """Whether values come in runs, some longer than one row, and no value comes back later."""
    filled = [value for value in values if value]
    runs = [b for a, b in pairwise([None, *filled]) if a != b]
    return bool(filled) and len(set(runs)) == len(runs) and 3 * len(runs) < 2 * len(filled)


class Splitter:
    """Go through rows and tell where a sentence begins.

    >>> splitter = Splitter(Boundaries((0,)))
    >>> [splitter.begins(row) for row in (["1", "It"], ["", "is"], ["2", "Go"])]
    [True, False, True]
    """

    def __init__(self, boundaries: Boundaries) -> None:
        self._boundaries = boundaries
        self._before = [""] * len(boundaries.numbers)
        self._start = ""

    def begins(self, cells: Sequence[Any]) -> bool:
        """Whether a row begins a sentence; call it with one row after another."""
        is_new = False
        for at, k in enumerate(self._boundaries.numbers):
            number = "" if cells[k] is None else str(cells[k]).strip()
            if number and number != self._before[at]:
                self._before[at] = number
                is_new = True
        if self._boundaries.count is not None:
            counted = str(cells[self._boundaries.count]).strip()
            self._start = self._start or counted
            is_new = is_new or counted == self._start
        return is_new


def sentences_of(rows: Iterable[Mapping[str, Any]], header: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    """Group rows with one token each, as dicts by column, into records with one sentence each.

    A row without a token also ends a sentence. The separating columns are inferred from the first 2,000 rows.
    """
    rows = list(rows)
    at = field_names.token_column(header)
    token = header[0 if at is None else at]
    is_blank = any(row[token] in (None, "") for row in rows)
    sample = [["" if row[key] is None else row[key] for key in header] for row in rows[:2000]]
    boundaries = boundaries_of(header, sample, is_blank=is_blank)
    splitter = Splitter(boundaries)
    sentence = header[boundaries.numbers[0]] if boundaries.numbers else None
    kept = [token, *(key for key in header if key not in (token, sentence))]
    now: dict[str, list[Any]] = {}
    for row in rows:
        is_new = bool(boundaries) and splitter.begins([row[key] for key in header])
        is_gap = row[token] in (None, "")
        if (is_new or is_gap) and now:
            yield now
            now = {}
        if not is_gap:
            for key in kept:
                now.setdefault(key, []).append("" if row[key] is None else row[key])
    if now:
        yield now

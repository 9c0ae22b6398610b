"""Read tables of scores with one token per row: detect the columns, and parse their cells.

==============  ====================================================================================
sequence        an id with adjacent rows, also ids of documents, or blank rows between sentences
token, gold     by their names (`field_names`); gold is one of the labels, empty or -100 where unknown
labels          all other columns of numbers, named like the label or ``prob_PER``, ``p(PER)``
left out        row numbers, columns that number tokens, and columns of words
==============  ====================================================================================
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.io import field_names
from spcviz.io.boundaries import Boundaries, Splitter, boundaries_of, is_numbering
from spcviz.io.cells import CHARACTER_OF, Row, rows_of
from spcviz.io.source import SourceText, decode_text

UNKNOWN = -1
"""The number of an unknown label; -100 is read as this."""

_INDEX = ("", "unnamed_0", "index", "row", "rownames", "row_names", "x1")
_GOLD = (
    *(name for name in field_names.LABEL if name.startswith(("gold", "true", "y_true"))),
    "reference", "expected", "actual", "correct", *field_names.LABEL,
)  # fmt: skip
"""Column names for true labels: unambiguous ones first."""

_SAMPLE, _LOOKED_AT, _MOST_BEFORE = 1 << 16, 2000, 100
_NOTHING = frozenset(("", "nan", "na", "n/a", "null", "none", "-", "?", "#n/a"))
"""Texts that stand for a missing number."""

_WRAPPED = re.compile(
    r"(?:prob|probability|proba|score|logit|emission)s?[ _.:]+(.+)|p\((.+)\)", re.IGNORECASE
)
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*')
"""The line that tells Excel the separator."""


class ScoreTable(NamedTuple):
    """The content of a score table; see `spcviz.io.scores.ScoreFile`."""

    emissions: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray | None
    label_names: tuple[str, ...]
    tokens: tuple[str, ...] | None


class _Columns(NamedTuple):
    """The roles of a table's columns."""

    header: list[str]
    boundaries: Boundaries
    token: int | None
    gold: int | None
    scores: list[int]
    names: tuple[str, ...]  # of the labels


def is_score_table(data: bytes) -> bool:
    """Whether bytes are a score table: a header, something that separates sequences, two columns of numbers.

    >>> is_score_table(b'"sequence","token","gold","N","V"\\n"1","dogs","N","2","0"\\n')
    True
    >>> is_score_table(b"sequence,token,gold\\n1,dogs,N\\n")
    False
    """
    head = data[:_SAMPLE]
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    if len(head) < len(data) and end > 0:
        wide = 2 if head[:2] in (b"\xff\xfe", b"\xfe\xff") else 1
        head = head[: end - end % wide] if wide == 2 else head[:end]
    try:
        rows = _rows(decode_text("text", head).text, is_whole=len(head) == len(data))
        if len([row for _, row in rows if row]) < 2:
            return False
        columns = _columns("text", rows)
    except ArgumentError:
        return False
    full = [row for _, row in rows[1:] if len(row) == len(columns.header)]
    first = [row[k] for row in full[:20] for k in columns.scores]
    said = set() if columns.gold is None else {row[columns.gold].strip() for row in full}
    if said and said.isdisjoint(columns.names):  # a tagged text with number columns, if these are whole
        values = [[row[k] for row in full] for k in columns.scores]
        if not all(any(not cell.strip().isdecimal() for cell in column) for column in values):
            return False
    return len(columns.scores) > 1 and 2 * sum(map(_is_number, first)) >= len(first)


def read_table(text: SourceText) -> ScoreTable:
    """The scores of a table; `ArgumentError` with the line that cannot be read."""
    rows = _rows(text.text)
    if not rows:
        raise ArgumentError(f"{text.name}: must have a header and a row for each token, got nothing")
    columns = _columns(text.name, rows)
    if len(set(columns.names)) < len(columns.names):
        raise ArgumentError(f"{text.name}, line 1: must have different names, got {columns.header!r:.100}")
    lengths = _lengths(text.name, rows[1:], columns)
    body = [(line, row) for line, row in rows[1:] if row]
    tokens = None if columns.token is None else tuple(row[columns.token] for _, row in body)
    emissions, labels = _numbers(text.name, body, columns), _labels(text.name, body, columns)
    return ScoreTable(emissions, lengths, labels, columns.names, tokens)


def _rows(text: str, *, is_whole: bool = True) -> list[Row]:
    """The header and the rows of cells, blank rows as empty lists; lines before the header are dropped.

    If R has left out the name above its row numbers, the header gets an empty one.
    """
    text, n_before, separator = _without_preamble(text.lstrip("\r\n"))
    head = text.partition("\n")[0]
    names = ("comma", "semicolon", "tab")
    separator = separator or max(names, key=lambda name: head.count(CHARACTER_OF[name]))
    rows: list[Row] = []
    for line, row in rows_of(text, separator, is_whole=is_whole):
        has_any = any(map(str.strip, row))
        if has_any or (rows and rows[-1][1]):  # several blank rows count as one
            rows.append((line + n_before, row if has_any else []))
    while rows and not rows[-1][1]:
        rows.pop()
    full = [row for _, row in rows[1:] if row]
    if (
        full
        and all(len(row) == len(rows[0][1]) + 1 for row in full[:1])
        and all(row[0].isdecimal() for row in full)
    ):
        rows[0] = (rows[0][0], ["", *rows[0][1]])
    return rows


def _without_preamble(text: str) -> tuple[str, int, str]:
    """(the text from its header on, the number of lines before it, a separator that one of them names)."""
    lines = text[:_SAMPLE].split("\n")
    n_before, told = 0, ""
    for line, below in pairwise(lines[:_MOST_BEFORE]):
        if found := _SEPARATOR.fullmatch(line.rstrip("\r")):
            told = next((name for name, sign in CHARACTER_OF.items() if sign == found[1]), told)
        elif not (line.startswith("#") and _n_signs(below) > _n_signs(line)):
            break
        n_before += 1
    return text[sum(len(line) + 1 for line in lines[:n_before]) :], n_before, told


def _n_signs(line: str) -> int:
    return max(line.count(sign) for sign in ",;\t")


def _is_number(cell: str) -> bool:
    try:
        float(_in_ascii(cell) or "x")
    except ValueError:
        return False
    return True


def _in_ascii(cell: str) -> str:
    """A number rewritten with a decimal point and an ASCII minus."""
    return cell.strip().replace(",", ".").replace("\u2212", "-")


def _columns(name: str, rows: list[Row]) -> _Columns:
    """The roles of a table's columns, or `ArgumentError` if it is not a table of scores."""
    header = [cell.strip() for cell in rows[0][1]]
    usual = [field_names.normal(cell) for cell in header]
    full = [row for _, row in rows[1:] if len(row) == len(header)]
    cells = {k: [row[k].strip() for row in full[:_LOOKED_AT]] for k in range(len(header))}
    sequence = next((usual.index(key) for key in ("sequence", *field_names.SENTENCE) if key in usual), None)
    token = next((usual.index(key) for key in field_names.WORD if key in usual), None)
    free = [k for k in range(len(header)) if k not in (sequence, token)]
    gold = _gold_column(usual, cells, free)
    free = [k for k in free if k != gold and (header[k] or any(cells[k]))]
    if free and free[0] == 0 and usual[0] in _INDEX and _counts([row[0] for row in full]):
        free = free[1:]
    said = set() if gold is None else {row[gold].strip() for row in full}
    scores = [k for k in free if header[k] in said or _holds_scores(header[k], cells[k])]
    boundaries = _boundaries(header, full, sequence, scores, rows)
    is_separated = boundaries or any(not row for _, row in rows)
    if not is_separated or not scores or sequence is token is None:
        raise ArgumentError(
            f"{name}, line {rows[0][0]}: must have the columns sequence, token, gold and one for each label, "
            f"got {', '.join(header)[:100]!r}"
        )
    if nameless := [k + 1 for k in scores if not header[k]]:
        raise ArgumentError(
            f"{name}, line {rows[0][0]}: must name the label of each column of scores, got none in column "
            f"{nameless[0]}"
        )
    return _Columns(header, boundaries, token, gold, scores, _label_names([header[k] for k in scores], said))


def _gold_column(usual: list[str], cells: dict[int, list[str]], free: list[int]) -> int | None:
    """The column of true labels; a column of only numbers qualifies only if its name is unambiguous."""
    for key in _GOLD:
        for k in free:
            if usual[k] == key and (key == "gold" or not all(map(_is_number, cells[k]))):
                return k
    return None


def _holds_scores(name: str, cells: list[str]) -> bool:
    """Whether a column has numbers that are no numbering, or unreadable values that are meant as numbers."""
    filled = [cell for cell in cells if cell]
    is_text = len(filled) > 1 and all(map(_is_word, filled))
    return not is_text and not is_numbering(name, cells)


def _is_word(cell: str) -> bool:
    return any(map(str.isalpha, cell)) and not _is_number(cell) and cell.lower() not in _NOTHING


def _boundaries(
    header: Sequence[str],
    full: Sequence[Sequence[str]],
    sequence: int | None,
    scores: Collection[int],
    rows: Sequence[Row],
) -> Boundaries:
    """The columns that separate sequences, none of which hold scores."""
    is_blank = any(not row for _, row in rows)
    found = boundaries_of(header, full[:_LOOKED_AT], is_blank=is_blank)
    numbers = [k for k in (sequence, *found.numbers) if k is not None and k not in scores]
    is_counted = found.count is not None and found.count not in scores
    return Boundaries(tuple(dict.fromkeys(numbers)), found.count if is_counted and not numbers else None)


def _label_names(names: list[str], said: set[str]) -> tuple[str, ...]:
    """Labels from the names of their columns, without wrappers like ``prob_PER`` if all have one."""
    found = [_WRAPPED.fullmatch(name) for name in names]
    inner = [one[1] or one[2] for one in found if one]
    if len(inner) < len(names) or len(set(inner)) < len(inner) or (said - {"", "-100"}) & set(names):
        return tuple(names)
    return tuple(inner)


def _counts(cells: list[str]) -> bool:
    """Whether cells are row numbers, each one more than the last."""
    numbers = [int(cell) for cell in cells if cell.strip().isdecimal() and len(cell) < 12]
    return len(numbers) == len(cells) > 0 and all(b - a == 1 for a, b in pairwise(numbers))


def _numbers(name: str, body: list[Row], columns: _Columns) -> np.ndarray:
    """Scores (N, K); a comma is a decimal comma if the cell has no point."""
    cells = [row[k] for _, row in body for k in columns.scores]
    odd = next(
        (r for r, cell in enumerate(cells) if "," in cell and ("." in cell or cell.count(",") > 1)), -1
    )
    if odd >= 0:
        line = body[odd // len(columns.scores)][0]
        raise ArgumentError(
            f"{name}, line {line}: must have scores without signs between thousands, got {cells[odd]!r:.60}"
        )
    for read in (float, lambda cell: float(_in_ascii(cell))):  # most numbers have Python's format
        try:
            out = np.array([read(cell) for cell in cells]).reshape(len(body), len(columns.scores))
        except ValueError:
            continue
        if (out < np.inf).all():
            return out
        break
    for at, cell in enumerate(cells):
        row, k = divmod(at, len(columns.scores))
        where, label = f"{name}, line {body[row][0]}", columns.header[columns.scores[k]]
        try:
            value = float(_in_ascii(cell))
        except ValueError:
            raise ArgumentError(f"{where}: {label} must be a score, got {cell!r:.60}") from None
        if math.isnan(value) or value == math.inf:
            raise ArgumentError(f"{where}: {label} must be a finite score or -inf, got {cell!r:.60}")
    return np.zeros((0, len(columns.scores)))


def _lengths(name: str, rows: list[Row], columns: _Columns) -> np.ndarray:
    """Rows of each sequence; `ArgumentError` for a row of another width, or of a sequence already ended."""
    splitter, lengths, is_new = Splitter(columns.boundaries), [], True
    seen: set[tuple[str, ...]] = set()
    at = columns.boundaries.numbers
    for line, row in rows:
        if row and len(row) != len(columns.header):
            raise ArgumentError(
                f"{name}, line {line}: must have {len(columns.header)} columns, got {len(row)}"
            )
        if not row:
            is_new = is_new or not at
            continue
        if splitter.begins(row) or is_new:
            ids = tuple(row[k].strip() for k in at)
            if ids and ids in seen:
                said = ids[0] if len(ids) == 1 else ", ".join(ids)
                raise ArgumentError(f"{name}, line {line}: rows of sequence {said!r} must be neighbours")
            seen.add(ids)
            lengths.append(0)
        is_new = False
        lengths[-1] += 1
    return np.array(lengths, dtype=np.int64)


def _labels(name: str, body: list[Row], columns: _Columns) -> np.ndarray | None:
    """True labels as numbers; None if no row has one."""
    if columns.gold is None or not any(row[columns.gold].strip() for _, row in body):
        return None
    number = {label: k for k, label in enumerate(columns.names)} | {"": UNKNOWN, "-100": UNKNOWN}
    if all(label.isdecimal() for label in columns.names):  # "1.0": pandas, if a number was missing
        number |= {f"{label}.0": k for label, k in number.items()}
    return np.array(list(_numbers_of(name, body, columns.gold, number)), dtype=np.int64)


def _numbers_of(name: str, body: list[Row], gold: int, number: dict[str, int]) -> Iterator[int]:
    for line, row in body:
        label = row[gold].strip()
        if label not in number:
            raise ArgumentError(f"{name}, line {line}: gold must be the name of a column, got {label!r:.60}")
        yield number[label]

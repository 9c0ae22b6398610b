"""Detect the layout of a text of columns from its first 128 thousand characters.

This is the separator of columns (`cells`), whether there is a header, whether the first column numbers tokens
(CoNLL-U and its variants, GermEval) or sentences (a table), and what may occur between tokens.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from spcviz.io import field_names
from spcviz.io.boundaries import Boundaries, boundaries_of, whole_numbers
from spcviz.io.cells import Row, lines_of, list_in, rows_of, separator_of

CONLLU = 10
"""Columns of CoNLL-U."""
SAMPLE = 1 << 17
"""Characters of a text that are inspected to detect its layout."""

ID = re.compile(r"(\d+)([-.]\d+)?")
ABOUT = re.compile(r"#\s*[\w.:-]+\s*=")
_PLUS = re.compile(r"#\s*global\.columns\s*=\s*(\S.*)")
MARKUP = re.compile(r"</?[A-Za-z][^<>\t]*>")
DOCUMENT = "-DOCSTART-"
_UPOS = frozenset(
    ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
     "SCONJ", "SYM", "VERB", "X", "_")
)  # fmt: skip
_CONLL_2009 = (
    "ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL",
    "FILLPRED", "PRED",
)  # fmt: skip
_CONLL_2012 = ("DOCUMENT", "PART", "ID", "FORM", "POS", "PARSE")


class TokenTable(NamedTuple):
    """Sentences ``[sentence][column][token]``, and the number of each one's first line, from 1.

    - `separator` {"tab", "comma", "semicolon", "bar", "space", "none", ""}: empty if no text was split
    - `kind` {"conllu", "conllup", "conll2009", "conll2012", "ids", "sentences", "rows", "spans", ""}: ids:
      another file whose first column numbers tokens; sentences: a column numbers sentences; rows: a row is a
      sentence; spans: a row is a text with spans
    - `header`: column names, if there are any
    - `notes`: sentences on what was left out; `is_cut`: whether the file has more than was requested
    """

    sentences: list[Sequence[list[str]]]
    first_lines: list[int]
    n_columns: int
    separator: str
    kind: str = ""
    header: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_cut: bool = False


class Layout(NamedTuple):
    """The layout detected from a sample of a text."""

    separator: str
    n: int  # columns
    kind: str
    header: tuple[str, ...]
    has_header_row: bool
    ids: int | None  # the column that numbers tokens
    boundaries: Boundaries  # the columns that number sentences
    least: int  # fewest columns of a line, if lines may differ
    vocabularies: tuple[frozenset[str], ...]  # values of the first 2,000 rows, by column
    spans: int | None = None  # the column that has the spans of a text


def layout_of(
    text: str, has_ids: bool | None = None, separator: str = "auto", header: bool | None = None
) -> Layout:
    """Detect the layout of columns from the beginning of a text."""
    is_whole = len(text) <= SAMPLE
    sample = text if is_whole else text[:SAMPLE].rpartition("\n")[0] or text[:SAMPLE]
    lines = lines_of(sample)
    data = [line for line in lines if line.strip(" \t") and not line.startswith(("#", DOCUMENT))]
    data = [line for line in data if not MARKUP.fullmatch(line)] or data
    if not data:  # a text may consist only of tokens "#"
        data = [line for line in lines if line.startswith("#") and not ABOUT.match(line)]
    if separator == "auto":
        separator = separator_of(data, field_names.ALL, is_whole=is_whole)
    rows = list(rows_of(sample, separator, is_whole=is_whole))
    plus = next((found[1].split() for found in map(_PLUS.match, islice(lines, 50)) if found), [])
    first = next((cells for _, cells in rows if cells and _is_data(cells)), None)
    first = first or next((cells for _, cells in rows if cells and not ABOUT.match(cells[0])), [])
    spans = _spans_column(rows, len(first))
    has_header_row = not plus and header
    if not plus and header is None:
        is_above = spans is not None and not _SPANS.match(first[spans])
        has_header_row = (
            is_above or field_names.is_header(first) or _is_odd(rows, first) or _is_above_numbers(rows, first)
        )
    names = tuple(plus) if plus else tuple(cell.strip() for cell in first) if has_header_row else ()
    body = list(islice(_body(rows, first if has_header_row else None), 2000))
    columns = tuple(map(frozenset, zip(*(cells for _, cells in body if len(cells) == len(first)))))
    head = (separator, len(first), "", names, bool(has_header_row))
    known = Layout(*head, None, Boundaries(), len(first), columns)
    if spans is not None and has_ids is None:
        return known._replace(kind="spans", spans=spans)
    return _classify_layout(known, body, lines, plus, has_ids)


_SPANS = re.compile(r"\s*\[\s*(?:[\[(]\s*\d+\s*,|\{.*?[\"']start|\]\s*$)", re.DOTALL)


def _spans_column(rows: list[Row], n: int) -> int | None:
    """The column whose cells, except in the header, hold character spans; None if there is none."""
    if n < 2:
        return None
    cells = [cells for _, cells in rows[:50] if len(cells) == n]
    below = cells[1:] or cells
    for k in range(n):
        found = [_SPANS.match(row[k]) for row in below if row[k].strip()]
        is_used = any((one := _SPANS.match(row[k])) and "]" not in one[0] for row in cells)
        if found and all(found) and is_used:
            return k
    return None


def _is_data(cells: list[str]) -> bool:
    return not cells[0].startswith(("#", DOCUMENT)) and not MARKUP.fullmatch(cells[0])


def _body(rows: list[Row], head: list[str] | None) -> Iterator[Row]:
    """Rows that hold tokens, and blank rows between them, without the header."""
    for line, cells in rows:
        if cells is head and head is not None:
            continue
        if not cells or _is_data(cells):
            yield line, cells


def _is_odd(rows: list[Row], first: list[str]) -> bool:
    """Whether all rows but the first have chunk labels: then the first is a header."""
    from spcviz.scores.schemes import is_chunked

    last = [cells[-1] for _, cells in rows if cells and _is_data(cells) and len(cells) == len(first)]
    rest = set(last[1:])
    return len(first) > 1 and len(rest) > 1 and is_chunked(rest) and not is_chunked(rest | {last[0]})


def _is_above_numbers(rows: list[Row], first: list[str]) -> bool:
    """Whether the first row names columns, one of which counts from 0 or 1 in all other rows."""
    rest = [cells for _, cells in rows if cells and cells is not first and len(cells) == len(first)]
    if len(first) < 3 or len(rest) < 4 or not all(any(sign.isalpha() for sign in cell) for cell in first):
        return False
    for column in zip(*rest):
        if all(cell.strip().isdecimal() and len(cell) < 10 for cell in column):
            counted = [int(cell) for cell in column]
            start = counted[0]
            if start in (0, 1) and all(b - a in (0, 1) or b == start for a, b in pairwise(counted)):
                return len(set(counted)) > 1
    return False


def _classify_layout(
    known: Layout, body: list[Row], lines: list[str], plus: list[str], has_ids: bool | None
) -> Layout:
    """The layout with its kind, and the column of token ids or the columns that separate sentences."""
    if known.has_header_row:
        if _are_rows(known, body):
            return known._replace(kind="rows")
        rows = [cells for _, cells in body if cells]
        is_blank = any(not cells for _, cells in body[:-1])
        boundaries = boundaries_of(known.header, rows, is_blank=is_blank)
        return known._replace(kind="sentences", boundaries=boundaries) if boundaries else known
    if any(line.startswith("#begin document") for line in islice(lines, 50)) and known.n >= 11:
        return known._replace(kind="conll2012", ids=2, least=11, header=_CONLL_2012)
    if plus:
        ids = plus.index("ID") if "ID" in plus else None
        return known._replace(kind="conllup", ids=ids)
    if has_ids is False:
        return known
    if has_ids or _is_conllu(body, known.n) or _counts(body, known.n):
        if (known.n > CONLLU and not _is_universal(body)) or (
            known.n >= 12 and _heads(body, 8) and _heads(body, 9)
        ):
            return known._replace(kind="conll2009", ids=0, least=min(12, known.n), header=_CONLL_2009)
        return known._replace(kind="conllu" if known.n >= CONLLU else "ids", ids=0)
    if _counts_sentences(body, known.n):
        return known._replace(kind="sentences", boundaries=Boundaries((0,)))
    return known


def _is_conllu(body: list[Row], n: int) -> bool:
    if n != CONLLU:
        return False
    first = [bool(ID.fullmatch(cells[0])) for _, cells in islice((row for row in body if row[1]), 20)]
    return 2 * sum(first) > len(first)


def _counts(body: list[Row], n: int) -> bool:
    """Whether the first of at least three columns counts the tokens of each sentence, from 0 or 1."""
    if n < 3:
        return False
    expected, n_counted, n_sentences, start = None, 0, 0, ""
    for _, cells in body:
        if not cells:
            expected = None
            continue
        found = ID.fullmatch(cells[0])
        if not found:
            return False
        if found[2]:
            continue
        if expected is None:
            n_sentences += 1
            start = start or found[1]
            if found[1] != start or start not in ("0", "1"):
                return False
        elif int(found[1]) != expected:
            return False
        else:
            n_counted += 1
        expected = int(found[1]) + 1
    return n_counted > 0 or n_sentences > 1


def _is_universal(body: list[Row]) -> bool:
    """Whether the fourth column has tags of Universal Dependencies, and the seventh heads."""
    rows = [cells for _, cells in body if cells]
    return all(cells[3] in _UPOS for cells in rows if len(cells) > 3) and _heads(body, 6)


def _heads(body: list[Row], at: int) -> bool:
    return all(len(cells) > at and (cells[at].isdecimal() or cells[at] == "_") for _, cells in body if cells)


def _counts_sentences(body: list[Row], n: int) -> bool:
    """Whether the first of at least three columns numbers sentences: as before, or one more."""
    if n < 3 or any(not cells for _, cells in body[:-1]):
        return False
    counted = whole_numbers([cells[0] for _, cells in body if cells])
    if len(counted) < 4:
        return False
    steps = [b - a for a, b in pairwise(counted)]
    return counted[0] in (0, 1) and set(steps) == {0, 1} and steps.count(0) >= steps.count(1)


def _are_rows(known: Layout, body: list[Row]) -> bool:
    """Whether each row is a sentence: tokens are a list in a cell, or as many words as there are labels."""
    token, label = field_names.token_column(known.header), field_names.label_column(known.header)
    rows = [cells for _, cells in body if len(cells) == known.n]
    if token is None or not rows:
        return False
    if all(list_in(cells[token]) is not None for cells in rows):
        return True
    if label is None:
        return False
    pairs = [(len(cells[token].split()), len(items_in(cells[label]))) for cells in rows]
    is_list = all(list_in(cells[label]) is not None for cells in rows)
    return (is_list or all(a == b for a, b in pairs)) and any(b > 1 for _, b in pairs)


def items_in(cell: str) -> list[str]:
    items = list_in(cell)
    return cell.split() if items is None else items

"""Columns of lines of text, one token a line: what they are, and the sentences that they make.

First it is found out, from the first 128 thousand signs, what parts columns (`cells`), whether there is a
header, whether the first column numbers tokens (CoNLL-U and its kin, GermEval) or sentences (a table), and
which lines are comments. Then the lines are gone through once. A line that does not fit is refused by number.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from spcviz.engine.errors import ArgumentError
from spcviz.io import named
from spcviz.io.cells import Row, lines_of, list_in, rows_of, separator_of

CONLLU = 10
"""Columns of CoNLL-U."""
SAMPLE = 1 << 17
"""Signs of a text that are looked at to find out what it is."""

_ID = re.compile(r"(\d+)([-.]\d+)?")
_ABOUT = re.compile(r"#\s*[\w.:-]+\s*=")
_PLUS = re.compile(r"#\s*global\.columns\s*=\s*(\S.*)")
_MARKUP = re.compile(r"</?[A-Za-z][^<>\t]*>")
_DOCUMENT = "-DOCSTART-"
_UPOS = frozenset(
    ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
     "SCONJ", "SYM", "VERB", "X", "_")
)  # fmt: skip
_CONLL_2009 = (
    "ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL",
    "FILLPRED", "PRED",
)  # fmt: skip
_CONLL_2012 = ("DOCUMENT", "PART", "ID", "FORM", "POS", "PARSE")


class Table(NamedTuple):
    """Sentences ``[sentence][token][column]``, and the number of each one's first line, from 1.

    - `separator` {"tab", "comma", "semicolon", "bar", "space", "none", ""}: empty where no text was parted
    - `kind` {"conllu", "conllup", "conll2009", "conll2012", "ids", "sentences", "rows", ""}: ids: another
      file whose first column numbers tokens; sentences: a column numbers sentences; rows: a row is a sentence
    - `header`: names of columns, where there are any
    - `notes`: what was left out, in sentences; `is_cut`: whether more was there than was asked for
    """

    sentences: list[list[Sequence[str]]]
    first_lines: list[int]
    n_columns: int
    separator: str
    kind: str = ""
    header: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_cut: bool = False


class Layout(NamedTuple):
    """What a sample of a text shows."""

    separator: str
    n: int  # columns
    kind: str
    header: tuple[str, ...]
    has_header_row: bool
    ids: int | None  # the column that numbers tokens
    sentence: int | None  # the column that numbers sentences
    least: int  # columns that a line must have, where lines may differ
    vocabularies: tuple[frozenset[str], ...]  # values of the first 2,000 rows, by column


def read_columns(text: str, *wanted: int) -> list[list[tuple[str, ...]]]:
    """Sentences of some columns of a text; see `table_of`. Where the first is not asked for, it holds ids.

    >>> read_columns("1\\tA\\tDT\\n2\\tdog\\tNN\\n\\n", 1, 2)
    [[('A', 'DT'), ('dog', 'NN')]]
    """
    table = table_of(text, has_ids=wanted[0] > 0, header=False)
    if table.sentences and max(wanted) >= table.n_columns:
        raise ArgumentError(f"text must have {max(wanted) + 1} columns, got {table.n_columns}")
    return [[tuple(row[k] for k in wanted) for row in sentence] for sentence in table.sentences]


def table_of(
    text: str,
    name: str = "text",
    *,
    has_ids: bool | None = None,
    separator: str = "auto",
    header: bool | None = None,
    max_tokens: int | None = None,
) -> Table:
    """All columns of a text; what is not said is found out.

    Comments (lines that begin with #, unless they have the columns of a token), -DOCSTART- lines, lines of
    markup (``<s>``), and the ranges (1-2) and empty nodes (8.1) of CoNLL-U are left out. `ArgumentError`,
    with `name` and line, if a line has another number of columns than the first, or an id is none. Sentences
    after the first `max_tokens` tokens are left.
    """
    is_cut = False
    if max_tokens is not None:
        text, is_cut = _first_lines(text, 4 * max_tokens + 1000)
    layout = layout_of(text, has_ids, separator, header)
    rows = rows_of(text, layout.separator)
    if layout.kind == "rows":
        return _of_rows(name, rows, layout, max_tokens)
    return _of_tokens(name, rows, layout, max_tokens, is_cut)


def _first_lines(text: str, n: int) -> tuple[str, bool]:
    """(the first n lines, whether there are more)."""
    if text.count("\n") <= n:
        return text, False
    return "\n".join(text.split("\n", n)[:n]) + "\n", True


def layout_of(
    text: str, has_ids: bool | None = None, separator: str = "auto", header: bool | None = None
) -> Layout:
    """What the beginning of a text shows of its columns."""
    is_whole = len(text) <= SAMPLE
    sample = text if is_whole else text[:SAMPLE].rpartition("\n")[0] or text[:SAMPLE]
    lines = lines_of(sample)
    data = [line for line in lines if line.strip(" \t") and not line.startswith(("#", _DOCUMENT))]
    data = [line for line in data if not _MARKUP.fullmatch(line)] or data
    if not data:  # a text may be of nothing but tokens "#"
        data = [line for line in lines if line.startswith("#") and not _ABOUT.match(line)]
    if separator == "auto":
        separator = separator_of(data, named.ALL, is_whole=is_whole)
    rows = list(rows_of(sample, separator, is_whole=is_whole))
    plus = next((found[1].split() for found in map(_PLUS.match, islice(lines, 50)) if found), [])
    first = next((cells for _, cells in rows if cells and _is_data(cells)), None)
    first = first or next((cells for _, cells in rows if cells and not _ABOUT.match(cells[0])), [])
    has_header_row = not plus and (
        named.is_header(first) or _is_odd(rows, first) if header is None else header
    )
    names = tuple(plus) if plus else tuple(cell.strip() for cell in first) if has_header_row else ()
    body = list(islice(_body(rows, first if has_header_row else None), 2000))
    columns = tuple(map(frozenset, zip(*(cells for _, cells in body if len(cells) == len(first)))))
    known = Layout(separator, len(first), "", names, bool(has_header_row), None, None, len(first), columns)
    return _numbered(known, body, lines, plus, has_ids)


def _is_data(cells: list[str]) -> bool:
    return not cells[0].startswith(("#", _DOCUMENT)) and not _MARKUP.fullmatch(cells[0])


def _body(rows: list[Row], head: list[str] | None) -> Iterator[Row]:
    """Rows that hold tokens, and blank ones between, without the header."""
    for line, cells in rows:
        if cells is head and head is not None:
            continue
        if not cells or _is_data(cells):
            yield line, cells


def _is_odd(rows: list[Row], first: list[str]) -> bool:
    """Whether the labels of all rows but the first are those of chunks: then that one is a header."""
    from spcviz.scores.schemes import is_chunked

    last = [cells[-1] for _, cells in rows if cells and _is_data(cells) and len(cells) == len(first)]
    rest = set(last[1:])
    return len(first) > 1 and len(rest) > 1 and is_chunked(rest) and not is_chunked(rest | {last[0]})


def _numbered(
    known: Layout, body: list[Row], lines: list[str], plus: list[str], has_ids: bool | None
) -> Layout:
    """A layout with its kind, and the column of ids or of sentences."""
    if known.has_header_row:
        if _are_rows(known, body):
            return known._replace(kind="rows")
        at = named.sentence_column(known.header)
        return known._replace(kind="sentences", sentence=at) if at is not None else known
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
        return known._replace(kind="sentences", sentence=0)
    return known


def _is_conllu(body: list[Row], n: int) -> bool:
    if n != CONLLU:
        return False
    first = [bool(_ID.fullmatch(cells[0])) for _, cells in islice((row for row in body if row[1]), 20)]
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
        found = _ID.fullmatch(cells[0])
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
    """Whether the first of at least three columns numbers sentences: the same, or one more than before."""
    if n < 3 or any(not cells for _, cells in body[:-1]):
        return False
    numbers = [cells[0] for _, cells in body if cells]
    if len(numbers) < 4 or not all(number.isdecimal() and len(number) < 10 for number in numbers):
        return False
    counted = [int(number) for number in numbers]
    steps = [b - a for a, b in pairwise(counted)]
    return counted[0] in (0, 1) and set(steps) == {0, 1} and steps.count(0) >= steps.count(1)


def _are_rows(known: Layout, body: list[Row]) -> bool:
    """Whether a row is a sentence: its tokens are a list in a cell, or as many words as there are labels."""
    token, label = named.token_column(known.header), named.label_column(known.header)
    rows = [cells for _, cells in body if len(cells) == known.n]
    if token is None or not rows:
        return False
    if all(list_in(cells[token]) is not None for cells in rows):
        return True
    if label is None:
        return False
    pairs = [(len(cells[token].split()), len(_items(cells[label]))) for cells in rows]
    is_list = all(list_in(cells[label]) is not None for cells in rows)
    return (is_list or all(a == b for a, b in pairs)) and any(b > 1 for _, b in pairs)


def _items(cell: str) -> list[str]:
    items = list_in(cell)
    return cell.split() if items is None else items


def _of_rows(name: str, rows: Iterable[Row], layout: Layout, max_tokens: int | None) -> Table:
    """Sentences of rows whose cells are lists."""
    token = named.token_column(layout.header) or 0  # `_are_rows` has found it
    kept = [token, *(k for k in range(layout.n) if k != token and _is_listed(layout, k, token))]
    sentences: list[list[Sequence[str]]] = []
    first_lines: list[int] = []
    n_tokens, is_head = 0, True
    for line, cells in rows:
        if not cells or cells[0].startswith("#"):
            continue
        if is_head:
            is_head = False
            continue
        if max_tokens is not None and n_tokens >= max_tokens:
            return _rows_table(layout, kept, sentences, first_lines, is_cut=True)
        if len(cells) != layout.n:
            raise ArgumentError(f"{name}, line {line}: must have {layout.n} columns, got {len(cells)}")
        lists = [_items(cells[k]) for k in kept]
        for k, items in zip(kept, lists):
            if len(items) != len(lists[0]):
                what = f"{len(items)} in {layout.header[k]!r:.40} for {len(lists[0])} tokens"
                raise ArgumentError(f"{name}, line {line}: must have a label for each token, got {what}")
        if lists[0]:
            sentences.append([list(row) for row in zip(*lists)])
            first_lines.append(line)
            n_tokens += len(lists[0])
    return _rows_table(layout, kept, sentences, first_lines, is_cut=False)


def _is_listed(layout: Layout, k: int, token: int | None) -> bool:
    """Whether a column has a list a row, or is the labels' own."""
    values = layout.vocabularies[k] if k < len(layout.vocabularies) else frozenset()
    is_list = bool(values) and all(list_in(value) is not None for value in values)
    return k != token and (is_list or k == named.label_column(layout.header))


def _rows_table(
    layout: Layout, kept: list[int], sentences: list, first_lines: list, *, is_cut: bool
) -> Table:
    header = tuple(layout.header[k] for k in kept)
    return Table(sentences, first_lines, len(kept), layout.separator, "rows", header, (), is_cut)


def _of_tokens(name: str, rows: Iterable[Row], layout: Layout, max_tokens: int | None, is_cut: bool) -> Table:
    """Sentences of rows that are a token each."""
    n, ids, at_sentence = layout.n, layout.ids, layout.sentence
    is_head, n_comments, n_tokens = layout.has_header_row, 0, 0
    sentences: list[list[Sequence[str]]] = []
    first_lines: list[int] = []
    known: dict[str, str] = {}  # a word that comes a hundred times is kept once
    keep = known.setdefault
    is_new, before, now = True, None, ""
    head: list[str] = []
    for line, cells in rows:
        first = cells[0] if cells else ""
        if first[:1] == "#" and _is_comment(cells, layout, is_first=is_new):
            n_comments += 1
            continue
        if (not first and not any(cells)) or first.startswith(_DOCUMENT):
            is_new = True
            continue
        if len(cells) != n and not (layout.least < n and len(cells) >= layout.least):
            if n > 1 and _MARKUP.fullmatch(" ".join(cells)):
                is_new, n_comments = True, n_comments + 1
                continue
            raise ArgumentError(
                f"{name}, line {line}: must have {n} columns as the first line has, got {len(cells)}: "
                f"{' '.join(cells)[:60]!r}{_instead(cells, n)}"
            )
        if layout.has_header_row and (is_head or cells == head):
            is_head, head = False, cells  # again where files were put one behind the other
            continue
        if ids is not None and not cells[ids].isdecimal():
            if _ID.fullmatch(cells[ids]):
                continue
            raise ArgumentError(
                f"{name}, line {line}: must begin with the number of a word (3, 1-2 or 8.1), "
                f"got {cells[ids][:20]!r}"
            )
        if at_sentence is not None and (now := cells[at_sentence].strip()) and now != before:
            is_new, before = True, now
        if is_new:
            if max_tokens is not None and n_tokens >= max_tokens:
                is_cut = True
                break
            sentences.append([])
            first_lines.append(line)
            is_new = False
        sentences[-1].append(tuple(map(keep, cells, cells)))  # of texts alone: no work for the collector
        n_tokens += 1
    if is_cut and len(sentences) > 1 and max_tokens is not None and n_tokens < max_tokens:
        sentences.pop()  # the lines that were looked at may end within it
        first_lines.pop()
    notes = (
        (f"{n_comments:,} lines of comments were left out",)
        if n_comments > 1 and not layout.kind.startswith("conll")
        else ()
    )
    return Table(sentences, first_lines, n, layout.separator, layout.kind, layout.header, notes, is_cut)


def _instead(cells: list[str], n: int) -> str:
    """What a line of running text, where columns are expected, may be."""
    is_text = max(len(cells), n) > 5 and sum(cell.isalpha() for cell in cells) > len(cells) // 2
    return "; is it running text? One token a line is expected" if is_text else ""


def _is_comment(cells: list[str], layout: Layout, *, is_first: bool) -> bool:
    """Whether a line that begins with # is a comment, and no token ``#`` or ``#hashtag``.

    One with the columns of a token stands before a sentence and has no value that its columns have elsewhere.
    """
    if layout.ids is not None or len(cells) != layout.n or _ABOUT.match(" ".join(cells)):
        return True
    if not is_first or layout.n == 1 or layout.separator == "tab" or not layout.vocabularies:
        return False
    return not any(cell in known for cell, known in zip(cells[1:], layout.vocabularies[1:]))

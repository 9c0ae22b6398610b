"""Columns of lines of text, one token a line, a blank line after each sentence.

Columns are parted by tabs if all lines have equally many of them, else by tabs and spaces, else by commas.
The ids of CoNLL-U, where the first of ten columns has them, part words from ranges (1-2) and empty nodes.
"""

import csv
import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from spcviz.engine.errors import ArgumentError

CONLLU = 10
"""Columns of CoNLL-U."""

_ID = re.compile(r"(\d+)([-.]\d+)?")
_SPACES = re.compile(r"[ \t]+")
_ABOUT = re.compile(r"#\s*[\w.:-]+\s*=")
_DOCUMENT = "-DOCSTART-"

Split = Callable[[str], list[str]]


class Table(NamedTuple):
    """Sentences ``[sentence][token][column]``, and the number of each one's first line, from 1.

    The separator is "tab", "space", "comma" or "none".
    """

    sentences: list[list[list[str]]]
    first_lines: list[int]
    n_columns: int
    separator: str
    is_conllu: bool


def read_columns(text: str, *wanted: int) -> list[list[tuple[str, ...]]]:
    """Sentences of some columns of a text; see `table_of`. Where the first is not asked for, it holds ids.

    >>> read_columns("1\\tA\\tDT\\n2\\tdog\\tNN\\n\\n", 1, 2)
    [[('A', 'DT'), ('dog', 'NN')]]
    """
    table = table_of(text, has_ids=wanted[0] > 0)
    if table.sentences and max(wanted) >= table.n_columns:
        raise ArgumentError(f"text must have {max(wanted) + 1} columns, got {table.n_columns}")
    return [[tuple(row[k] for k in wanted) for row in sentence] for sentence in table.sentences]


def table_of(text: str, name: str = "text", *, has_ids: bool | None = None) -> Table:
    """All columns of a text; `has_ids` None: whether the first, one of ten, looks like the ids of CoNLL-U.

    Comments (lines that begin with #, unless they have the columns of a token), -DOCSTART- lines, and the
    ranges (1-2) and empty nodes (8.1) of CoNLL-U are left out. `ArgumentError`, with `name` and line, if a
    line has another number of columns than the first, or an id is none.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")
    # Not `splitlines`: a token may hold other line separators of Unicode.
    lines = [line.rstrip("\r") for line in text.split("\n")]
    data = [line for line in lines if line.strip(" \t") and not line.startswith(("#", _DOCUMENT))]
    if not data:  # a text may be of nothing but tokens "#"
        data = [line for line in lines if line.startswith("#") and not _ABOUT.match(line)]
    separator, split = _separator(data)
    n = len(split(data[0])) if data else 0
    is_conllu = _is_conllu(data, split, n) if has_ids is None else has_ids
    sentences: list[list[list[str]]] = [[]]
    first_lines = [0]
    known: dict[str, str] = {}  # a word that comes a hundred times is kept once
    for number, line in enumerate(lines, 1):
        if not line.strip(" \t") or line.startswith(_DOCUMENT):
            if sentences[-1]:
                sentences.append([])
                first_lines.append(0)
            continue
        fields = split(line)
        if line.startswith("#") and (is_conllu or len(fields) != n or _ABOUT.match(line)):
            continue
        if len(fields) != n:
            raise ArgumentError(
                f"{name}, line {number}: must have {n} columns as the first line has, got {len(fields)}: "
                f"{line[:60]!r}"
            )
        if is_conllu and not fields[0].isdecimal():
            if _ID.fullmatch(fields[0]):
                continue
            raise ArgumentError(
                f"{name}, line {number}: must begin with the number of a word (3, 1-2 or 8.1), "
                f"got {fields[0][:20]!r}"
            )
        if not sentences[-1]:
            first_lines[-1] = number
        sentences[-1].append([known.setdefault(field, field) for field in fields])
    if not sentences[-1]:
        sentences.pop()
        first_lines.pop()
    return Table(sentences, first_lines, n, separator, is_conllu)


def _separator(data: list[str]) -> tuple[str, Split]:
    """What parts the columns, and a function that does."""
    tabs = {line.count("\t") for line in data}
    by_spaces = {len(_by_spaces(line)) for line in data}
    # Tokens may have spaces, labels have none: then tabs are only some of the space between columns.
    is_mixed = len(by_spaces) == 1 and any(" " in line.rpartition("\t")[2].strip() for line in data)
    if len(tabs) == 1 and tabs != {0} and not is_mixed:
        return "tab", lambda line: line.split("\t")
    if len(by_spaces) == 1 and by_spaces != {1}:
        return "space", _by_spaces
    if data and tabs == {0} and all("," in line for line in data):
        return "comma", _by_commas
    if by_spaces <= {1}:
        return "none", _by_spaces  # a comment has several
    # Some line is wrong: that of most lines is right.
    if 2 * sum("\t" in line for line in data) > len(data) and _most(data, "\t"):
        return "tab", lambda line: line.split("\t")
    return "space", _by_spaces


def _most(data: list[str], sign: str) -> bool:
    """Whether most lines have as many of a sign as the first."""
    return 2 * sum(line.count(sign) == data[0].count(sign) for line in data) > len(data)


def _by_spaces(line: str) -> list[str]:
    return _SPACES.split(line.strip(" \t"))


def _by_commas(line: str) -> list[str]:
    return next(csv.reader([line], skipinitialspace=True))


def _is_conllu(data: list[str], split: Split, n: int) -> bool:
    if n != CONLLU:
        return False
    first = [bool(_ID.fullmatch(split(line)[0])) for line in islice(data, 20)]
    return 2 * sum(first) > len(first)

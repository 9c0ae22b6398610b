"""Split lines of a text into cells: the separator of its columns, and the meaning of quotation marks.

A text is split in two ways, by the rules of CSV (a cell in quotation marks may hold separators, line breaks
and doubled marks) and literally. The way that gives rows of equal width wins; if both do, commas and
semicolons follow the rules of CSV, and tabs only if the header and all cells but numbers are quoted, since
``"`` is itself a token in most tab-separated corpora.
"""

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from spcviz.engine.errors import ArgumentError

CHARACTER_OF = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
"""Separators that are one character; the others are "space" (any run of tabs and spaces) and "none"."""

SEPARATORS = ("auto", *CHARACTER_OF, "space", "none")

Row = tuple[int, list[str]]
"""The number of a row's first line, from 1, and its cells; a blank line has none."""

_SPACES = re.compile(r"[ \t]+")
_OTHER_SPACES = re.compile("[\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_EMPTY: list[str] = []


def lines_of(text: str) -> list[str]:
    """Lines without their ends; not by `splitlines`, as tokens may hold Unicode's other line separators."""
    if "\n" not in text:
        text = text.replace("\r", "\n")
    if "\r" in text:
        return [line.rstrip("\r") for line in text.split("\n")]
    return text.split("\n")


def by_spaces(line: str) -> list[str]:
    """Columns separated by any run of tabs and spaces; none for a blank line."""
    line = line.strip(" \t")
    return _SPACES.split(line) if line else []


def by_sign(line: str, sign: str) -> list[str]:
    """Columns separated by one character; surrounding blanks are stripped, unless a cell is only blanks."""
    cells = line.split(sign)
    return cells if " " not in line else [cell.strip(" ") or cell for cell in cells]


def rows_of(text: str, separator: str, *, is_whole: bool = True) -> Iterable[Row]:
    """The rows of a text whose separator is known, to be iterated once; quotes are read as described above.

    A text that is not whole may end within a quoted cell. The caller must refuse rows of unequal width.
    """
    if is_plain(text, separator):
        return plain_rows(text, separator)
    sign, lines = CHARACTER_OF[separator], lines_of(text)
    if sign != "\t" and _is_regular(lines, sign):
        return _parse_rows(lines, sign)  # wins over a literal reading; rows are never all in memory
    quoted = _read_quoted(lines, sign, is_whole=is_whole)
    if quoted is None:
        return plain_rows(text, separator)
    as_it_is = list(plain_rows(text, separator))
    return quoted if _goes_by_rules(as_it_is, quoted, sign) else as_it_is


def is_plain(text: str, separator: str) -> bool:
    """Whether quotation marks, if any, are tokens; decided without splitting the whole text."""
    if separator not in CHARACTER_OF or '"' not in text:
        return True
    if separator != "tab":
        return False
    lines = [line for line in lines_of(text) if line.strip(" \t")]
    if len({line.count("\t") for line in lines if not line.startswith("#")}) != 1:
        return False
    return not _all_quoted([(n, line.split("\t")) for n, line in enumerate(lines[:50])])


def has_other_spaces(text: str) -> bool:
    """Whether a token may hold a space that is neither a blank nor a tab."""
    return _OTHER_SPACES.search(text) is not None


def plain_rows(text: str, separator: str) -> Iterable[Row]:
    """The rows of a text in which quotation marks are ordinary characters."""
    lines = lines_of(text)
    if separator not in CHARACTER_OF:
        # `str.split` is fastest, but must not be used if a token may hold another kind of space.
        split = by_spaces if has_other_spaces(text) else str.split
        return enumerate(map(split, lines), 1)
    sign = CHARACTER_OF[separator]
    return ((n, by_sign(line, sign) if line.strip() else _EMPTY) for n, line in enumerate(lines, 1))


def _read_quoted(lines: list[str], sign: str, *, is_whole: bool) -> list[Row] | None:
    """Rows by the rules of CSV; None if a line breaks them."""
    rows: list[Row] = []
    left = iter(lines)
    try:
        for row in _parse_rows(left, sign):
            rows.append(row)
    except csv.Error:
        # A quoted cell is open at the end of a sample: keep the rows before it.
        return rows if rows and not is_whole and next(left, None) is None else None
    return rows


def _parse_rows(lines: Iterable[str], sign: str) -> Iterator[Row]:
    """Yield rows by the rules of CSV; raises `csv.Error` at a line that breaks them."""
    reader = csv.reader(
        (f"{line}\n" for line in lines), delimiter=sign, strict=True, skipinitialspace=sign != "\t"
    )
    at = 1
    for cells in reader:
        kept = [cell.rstrip(" ") or cell for cell in cells]
        yield at, kept if len(cells) > 1 or any(cell.strip(" ") for cell in cells) else _EMPTY
        at = reader.line_num + 1


def _is_regular(lines: list[str], sign: str) -> bool:
    """Whether the rules of CSV make one row of each line, all (except comments) with equally many cells."""
    widths, n = set(), 0
    try:
        for _, cells in _parse_rows(lines, sign):
            n += 1
            if cells and not cells[0].startswith("#"):
                widths.add(len(cells))
    except csv.Error:
        return False
    return n == len(lines) and len(widths) == 1


def _goes_by_rules(plain: list[Row], quoted: list[Row], sign: str) -> bool:
    """Whether quotation marks quote cells, given that they can."""
    by_rules, as_it_is = _widths(quoted), _widths(plain)
    if len(by_rules) == 1 and len(as_it_is) > 1:
        return True
    if len(as_it_is) == 1 and (len(by_rules) > 1 or len(quoted) < len(plain)):
        return False
    return sign != "\t" or _all_quoted(plain)


def _widths(rows: list[Row]) -> set[int]:
    """The numbers of columns that occur, except in blank lines and comments."""
    return {len(cells) for _, cells in rows if cells and not cells[0].startswith("#")}


def _all_quoted(plain: list[Row]) -> bool:
    """Whether all cells of the first row are quoted, and those of the first rows are quoted or numbers."""
    rows = [cells for _, cells in plain[:50] if cells]
    first = all(_is_quoted(cell) for cell in rows[0])
    return first and all(_is_quoted(cell) or _is_number(cell) for cells in rows for cell in cells)


def _is_quoted(cell: str) -> bool:
    return len(cell) > 2 and cell[0] == cell[-1] == '"'


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"-?[\d.,]*(?:[eE][-+]?\d+)?|NA|-?Inf|NaN", cell))


def separator_of(data: list[str], known: Collection[str] = (), *, is_whole: bool = True) -> str:
    """The separator of the columns in lines that hold tokens, or a header and tokens.

    `known` are common header names, in lower case. Tabs, if all lines have equally many; a comma, semicolon
    or bar that separates a header of known names; a comma or semicolon that splits all lines alike with no
    blank in the last column; else any run of tabs and spaces; "none" if there is one column.
    """
    if not data:
        return "none"
    tabs = {line.count("\t") for line in data}
    spaces = {len(by_spaces(line)) for line in data}
    # Tokens may have spaces, labels may not: then tabs are only part of the space between columns.
    is_mixed = len(spaces) == 1 and any(" " in line.rpartition("\t")[2].strip() for line in data)
    if len(tabs) == 1 and tabs != {0} and not is_mixed:
        return "tab"
    text = "\n".join(data)
    for separator in ("tab", "comma", "semicolon", "bar"):
        head = by_sign(data[0], CHARACTER_OF[separator])
        if len(head) > 1 and sum(cell.strip('" ').lower() in known for cell in head) > 1:
            return separator
    alike = [sign for sign in ("comma", "semicolon") if tabs == {0} and _is_alike(text, sign, is_whole)]
    if alike:
        return alike[0] if len(alike) == 1 else _wider(data, alike)
    if '"' in text and len(_widths(list(rows_of(text, "tab", is_whole=is_whole))) | {1}) == 2:
        return "tab"
    if len(spaces) == 1 and spaces != {1}:
        return "space"
    if spaces <= {1}:
        return "none"  # a comment has several
    # Some line is wrong: the separator of most lines is right.
    for separator in ("tab", "comma", "semicolon"):
        sign = CHARACTER_OF[separator]
        if 2 * sum(sign in line for line in data) > len(data) and _most(data, sign):
            return separator
    return "space"


def _is_alike(text: str, separator: str, is_whole: bool) -> bool:
    """Whether a separator splits all rows alike, with a last column that could be labels: without blanks."""
    rows = [cells for _, cells in rows_of(text, separator, is_whole=is_whole) if cells]
    if not rows or len(rows[0]) < 2 or any(len(cells) != len(rows[0]) for cells in rows):
        return False
    if len(rows) > 1 and len(rows[0]) == 2 and _are_signs(rows):
        return False
    return not any(" " in cells[-1].strip() for cells in rows) or (len(rows) > 1 and _has_lists(rows))


def _are_signs(rows: list[list[str]]) -> bool:
    """Whether the separator itself is the token, as in rows like ``,<tab>X``: no cell before it."""
    return all(not cells[0].strip() for cells in rows)


def _has_lists(rows: list[list[str]]) -> bool:
    """Whether cells of the last column are lists, or texts with as many words as the first column's."""
    return all(
        cells[-1].strip().startswith("[") or len(cells[0].split()) == len(cells[-1].split())
        for cells in rows[1:]
    )


def _wider(data: list[str], alike: list[str]) -> str:
    """Choose between comma and semicolon if both split all lines: semicolon if commas may be decimal."""
    decimal = Counter(bool(re.search(r"\d,\d", line)) for line in data[1:] or data)
    return "semicolon" if decimal[True] >= decimal[False] else alike[0]


def _most(data: list[str], sign: str) -> bool:
    """Whether most lines have a separator as often as the first line."""
    return 2 * sum(line.count(sign) == data[0].count(sign) for line in data) > len(data)


def checked_separator(separator: str) -> str:
    """One of `SEPARATORS`, from its name or from the character itself."""
    named = next((key for key, sign in CHARACTER_OF.items() if sign == separator), " " and separator)
    named = "space" if named == " " else named
    if named not in SEPARATORS:
        raise ArgumentError(f"separator must be one of {', '.join(SEPARATORS)}, got {separator!r:.60}")
    return named


# ---- lists in a cell

_ITEM = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"\[\]][^\s,\]]*))\s*(,|\s|(?=[\]'"]))?\s*"""
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def list_in(cell: str) -> list[str] | None:
    """The items of a list in a cell, as Python, JSON or numpy writes it; None if the cell is no list.

    >>> list_in("['Maria', \\"don't\\"]"), list_in("['B-PER' 'O']"), list_in("[0, 3]"), list_in("Oslo")
    (['Maria', "don't"], ['B-PER', 'O'], ['0', '3'], None)
    """
    cell = cell.strip()
    if len(cell) < 2 or (cell[0], cell[-1]) not in (("[", "]"), ("(", ")")):
        return None
    items: list[str] = []
    at, end = 1, len(cell) - 1
    while at < end:
        found = _ITEM.match(cell, at, end)
        if found is None:
            return None if cell[at:end].strip() else items
        single, double, bare = found.groups()[:3]
        text = single if single is not None else double if double is not None else bare
        items.append(_ESCAPE.sub(_unescape, text) if "\\" in text else text)
        at = found.end()
    return items


def _unescape(found: re.Match[str]) -> str:
    what = found[1]
    if what[0] in "xuU" and len(what) > 1:
        number = int(what[1:], 16)
        return chr(number) if number < 0x110000 else found[0]
    return _ESCAPED.get(what, what)

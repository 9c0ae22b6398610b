"""Read columns of text with one token per line as sentences.

The columns are detected first (`layout`), then the lines are read in one pass. A line that does not fit is
refused with its number. Sentences whose lines are all alike, with only tokens among them, are split as a
whole, which is several times as fast: `_Reader` does both, with the same result.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from spcviz.engine.errors import ArgumentError
from spcviz.io.boundaries import Splitter
from spcviz.io.cells import Row, checked_separator, has_other_spaces, is_plain, plain_rows, rows_of
from spcviz.io.layout import ABOUT, DOCUMENT, ID, MARKUP, Layout, TokenTable, layout_of
from spcviz.io.rows import table_of_lists, table_of_spans

_SEPARATOR = re.compile(r'"?sep=([\t,;|])"?\r?\n', re.IGNORECASE)


def read_columns(text: str, *wanted: int) -> list[list[tuple[str, ...]]]:
    """Sentences from some columns of a text; see `table_of`. If column 0 is not requested, it holds ids.

    >>> read_columns("1\\tA\\tDT\\n2\\tdog\\tNN\\n\\n", 1, 2)
    [[('A', 'DT'), ('dog', 'NN')]]
    """
    table = table_of(text, has_ids=wanted[0] > 0, header=False)
    if table.sentences and max(wanted) >= table.n_columns:
        raise ArgumentError(f"text must have {max(wanted) + 1} columns, got {table.n_columns}")
    return [list(zip(*(sentence[k] for k in wanted))) for sentence in table.sentences]


def table_of(
    text: str,
    name: str = "text",
    *,
    has_ids: bool | None = None,
    separator: str = "auto",
    header: bool | None = None,
    max_tokens: int | None = None,
) -> TokenTable:
    """Read all columns of a text; arguments that are not given are detected.

    Comments (lines that begin with #, unless they have the columns of a token), -DOCSTART- lines, lines of
    markup (``<s>``), and the ranges (1-2) and empty nodes (8.1) of CoNLL-U are left out. `ArgumentError`,
    with `name` and line, if a line has a different number of columns than the first, or an id is invalid.
    Sentences after the first `max_tokens` tokens are not read.
    """
    is_cut = False
    if (said := _SEPARATOR.match(text)) and separator == "auto":  # the line that Excel writes above a CSV
        separator, text = checked_separator(said[1]), text[said.end() :]
        text = f"\n{text}"  # keeps line numbers
    if max_tokens is not None:
        text, is_cut = _first_lines(text, 4 * max_tokens + 1000)
    layout = layout_of(text, has_ids, separator, header)
    if layout.kind == "spans":
        return table_of_spans(name, rows_of(text, layout.separator), layout, max_tokens)
    if layout.kind == "rows":
        return table_of_lists(name, rows_of(text, layout.separator), layout, max_tokens)
    reader = _Reader(name, layout, max_tokens)
    is_cut = reader.read(text) or is_cut
    return reader.table(is_cut)


def _first_lines(text: str, n: int) -> tuple[str, bool]:
    """(the first n lines, whether there are more)."""
    if text.count("\n") <= n:
        return text, False
    return "\n".join(text.split("\n", n)[:n]) + "\n", True


class _Reader:
    """Collect sentences from lines with one token each."""

    def __init__(self, name: str, layout: Layout, max_tokens: int | None) -> None:
        self.name, self.layout, self.max_tokens = name, layout, max_tokens
        self.sentences: list[Sequence[list[str]]] = []
        self.first_lines: list[int] = []
        self.n_tokens = self.n_comments = 0
        known: dict[str, str] = {}
        self._keep = known.setdefault  # a word that occurs a hundred times is stored once
        self._columns: list[list[str]] = []  # of the current sentence; empty before it begins
        self._rows: list[Sequence[str]] = []  # rows not yet appended to the columns
        self._is_head, self._head = layout.has_header_row, [""]
        self._splitter = Splitter(layout.boundaries)

    def read(self, text: str) -> bool:
        """Read a whole text; return whether it has more than was requested."""
        if not self._is_even(text):
            return self._take(rows_of(text, self.layout.separator))
        line_of, split = _line_of(self.layout), _SPACES.split if has_other_spaces(text) else None
        for block, line, is_end in _blocks(text):
            if not self._take_plain(block, line, line_of, split):
                rows = plain_rows(block, self.layout.separator)
                if self._take((line + at - 1, cells) for at, cells in rows):
                    return True
            elif self.is_full and not self._columns:
                return True
            if is_end:
                self._end()
        return False

    @property
    def is_full(self) -> bool:
        """Whether no further sentence is wanted."""
        return self.max_tokens is not None and self.n_tokens >= self.max_tokens

    def table(self, is_cut: bool) -> TokenTable:
        """The table read; the last sentence of a truncated text is dropped, as it may be incomplete."""
        self._end()
        layout = self.layout
        is_full = self.max_tokens is None or self.n_tokens >= self.max_tokens
        if is_cut and len(self.sentences) > 1 and not is_full:
            self.sentences.pop()
            self.first_lines.pop()
        is_said = self.n_comments > 1 and not layout.kind.startswith(("conll", "ids"))
        notes = (f"{self.n_comments:,} lines of comments were left out",) if is_said else ()
        about = layout.n, layout.separator, layout.kind, layout.header, notes, is_cut
        return TokenTable(self.sentences, self.first_lines, *about)

    def _is_even(self, text: str) -> bool:
        """Whether most sentences may have only lines of tokens, with equally many columns each."""
        layout = self.layout
        is_known = layout.separator in ("tab", "space") and not layout.boundaries
        return is_known and layout.least == layout.n and "\r" not in text and is_plain(text, layout.separator)

    def _take_plain(
        self, block: str, line: int, line_of: re.Pattern[str], split: Callable[[str], list[str]] | None
    ) -> bool:
        """Read a block of lines if all are tokens, and return whether they are; a full reader adds none."""
        n, ids, n_comments = self.layout.n, self.layout.ids, 0
        while ids is not None and block.startswith("#"):
            block = block.partition("\n")[2]
            n_comments += 1
        if self._is_head or not line_of.fullmatch(block):
            return False
        if self.layout.separator == "tab":
            cells = block.replace("\n", "\t").split("\t")
        else:
            cells = block.split() if split is None else split(block.strip(" \t"))
        if self.layout.has_header_row and self._head[0] in cells[::n]:
            return False
        if ids is not None and not all(map(str.isdecimal, cells[ids::n])):
            return False
        if not self._columns and self.is_full:
            return True
        self._begin(line + n_comments)
        self._flush()
        kept = list(map(self._keep, cells, cells))
        for k, column in enumerate(self._columns):
            column.extend(kept[k::n])
        self.n_tokens += len(cells) // n
        self.n_comments += n_comments
        return True

    def _take(self, rows: Iterable[Row]) -> bool:
        """Read rows one by one; return whether a sentence beyond the limit begins."""
        layout, n = self.layout, self.layout.n
        for line, cells in rows:
            first = cells[0] if cells else ""
            if first[:1] == "#" and _is_comment(cells, layout, is_first=not self._columns):
                self.n_comments += 1
                continue
            if (not first and not any(cells)) or first.startswith(DOCUMENT):
                self._end()
                continue
            if len(cells) != n and not (layout.least < n and len(cells) >= layout.least):
                if n > 1 and MARKUP.fullmatch(" ".join(cells)):
                    self._end()
                    self.n_comments += 1
                    continue
                raise ArgumentError(
                    f"{self.name}, line {line}: must have {n} columns as the first line has, got "
                    f"{len(cells)}: {' '.join(cells)[:60]!r}{_instead(cells, n)}"
                )
            if layout.has_header_row and (self._is_head or cells == self._head):
                self._is_head, self._head = False, cells  # repeated in concatenated files
                continue
            if layout.ids is not None and not cells[layout.ids].isdecimal():
                if ID.fullmatch(cells[layout.ids]):
                    continue
                raise ArgumentError(
                    f"{self.name}, line {line}: must begin with the number of a word (3, 1-2 or 8.1), "
                    f"got {cells[layout.ids][:20]!r}"
                )
            if layout.boundaries and self._splitter.begins(cells):
                self._end()
            if not self._columns:
                if self.is_full:
                    return True
                self._begin(line)
            if len(cells) != n:  # CoNLL-2009 and 2012, whose last columns differ
                cells = [*cells[:n], *("_" for _ in range(n - len(cells)))]
            self._rows.append(cells)
            if len(self._rows) == _MOST_LINES:
                self._flush()
            self.n_tokens += 1
        return False

    def _begin(self, line: int) -> None:
        """Begin a sentence, unless one has begun."""
        if not self._columns:
            self._columns = [[] for _ in range(self.layout.n)]
            self.first_lines.append(line)

    def _flush(self) -> None:
        """Append the pending rows to the columns."""
        for column, cells in zip(self._columns, zip(*self._rows)):
            column.extend(map(self._keep, cells, cells))
        self._rows = []

    def _end(self) -> None:
        """End the current sentence, if one has begun."""
        if self._columns:
            self._flush()
            self.sentences.append(self._columns)
            self._columns = []


_SPACES = re.compile(r"[ \t\n]+")
_MOST_LINES = 4096
"""Most lines that are split as a whole: a text without blank lines may have millions."""


def _line_of(layout: Layout) -> re.Pattern[str]:
    """A pattern for lines that certainly hold only tokens; other lines may too and are checked one by one."""
    part, cell = r"[ \t]++", r"[^ \t\n]++"
    if layout.separator == "tab":
        part, cell = r"\t", r"(?! )[^\t\n]++(?<! )"
    end = "" if layout.separator == "tab" else r"[ \t]*+"
    line = rf"(?![#\s]|{DOCUMENT}){cell}(?:{part}{cell}){{{layout.n - 1}}}{end}"
    return re.compile(rf"(?:{line}\n)*+{line}")


def _blocks(text: str) -> Iterator[tuple[str, int, bool]]:
    """(lines between blank ones, number of the first, whether a blank one follows), long blocks in parts."""
    at = 1
    for raw in text.split("\n\n"):
        block = raw.lstrip("\n")
        line = at + len(raw) - len(block)
        at += raw.count("\n") + 2
        block = block.rstrip("\n")
        if len(block) > 2 * _MOST_LINES and block.count("\n") >= _MOST_LINES:
            lines = block.split("\n")
            for k in range(0, len(lines), _MOST_LINES):
                part = lines[k : k + _MOST_LINES]
                yield "\n".join(part), line + k, k + _MOST_LINES >= len(lines)
        elif block:
            yield block, line, True


def _instead(cells: list[str], n: int) -> str:
    """A hint for an error if a line looks like running text where columns are expected."""
    is_text = max(len(cells), n) > 5 and sum(cell.isalpha() for cell in cells) > len(cells) // 2
    return "; is it running text? One token a line is expected" if is_text else ""


def _is_comment(cells: list[str], layout: Layout, *, is_first: bool) -> bool:
    """Whether a line that begins with # is a comment, and not a token ``#`` or ``#hashtag``.

    A comment with as many columns as a token comes before a sentence and shares no value with its columns.
    """
    if layout.ids is not None or len(cells) != layout.n or ABOUT.match(" ".join(cells)):
        return True
    if not is_first or layout.n == 1 or layout.separator == "tab" or not layout.vocabularies:
        return False
    return not any(cell in known for cell, known in zip(cells[1:], layout.vocabularies[1:]))

"""Tagged text with one token a line: CoNLL-2000, CoNLL-2003, CoNLL-U, TSV and CSV."""

from typing import Any, NamedTuple

from spcviz.engine.errors import ArgumentError
from spcviz.io.columns import Table, table_of
from spcviz.io.source import text_of
from spcviz.scores.schemes import is_chunked, scheme_name, scheme_of

MAX_BYTES = 1 << 30
"""Of a file that is read."""

_TOKEN = ("token", "tokens", "word", "form", "text")
_LABEL = ("label", "labels", "tag", "gold", "ner", "ner_tags", "pos", "upos", "xpos", "chunk")
_FORM, _UPOS, _XPOS = 1, 3, 4


class Corpus(NamedTuple):
    """What `read_conll` has read.

    - `sentences`: tokens
    - `labels` of each token; an empty list where the file has no labels
    - `columns`: numbers, from 0, of the columns of tokens and of labels
    - `format` {"conllu", "conll2003", "conll2000", "tsv", "csv", "columns", "tokens"}: conll2000 and
      conll2003 are 3 and 4 columns of which the last has labels of chunks; columns: others parted by spaces;
      tokens: one column
    - `scheme` {"BIO", "IOB1", "BIOES", ""}: of labels of chunks; empty if they are none
    - `encoding` {"utf-8", "utf-16", "latin-1", ""}: latin-1 where the bytes are no UTF-8: worth a look at the
      tokens. Empty if it came as text
    - `header`: names of the columns, if the file has them
    """

    sentences: list[list[str]]
    labels: list[list[str]]
    columns: tuple[int, int | None]
    format: str
    scheme: str
    encoding: str
    header: tuple[str, ...]
    n_columns: int


def read_conll(
    source: Any, *, columns: tuple[int | str, int | str | None] | None = None, scheme: str = "auto"
) -> Corpus:
    """Read tokens and labels, whichever of the usual formats they are in.

    `ArgumentError` if the file cannot be read or has no token, a line has another number of columns than the
    first, or there is no such column: with file and line. -DOCSTART- lines, comments, and CoNLL-U's ranges
    (1-2) and empty nodes (8.1) are left out. Columns are parted by tabs where all lines have equally many,
    else by any run of tabs and spaces, else by commas.

    Parameters
    ----------
    source : path, open file, bytes, str of several lines, or iterable of lines
        UTF-8 (with or without byte order mark), UTF-16 with one, else Latin-1.
    columns : (token, label), optional
        Numbers from 0 (negative ones from the end), or names in the first line; label None: there are none.
        By default CoNLL-U's FORM and UPOS (XPOS where that is empty); columns that a header names token and
        label, or the like; else the first and the last.
    scheme : {"auto", "BIO", "IOB1", "BIOES"}
        auto: read off the labels.

    Examples
    --------
    >>> read_conll("EU NNP B-NP B-ORG\\nrejects VBZ B-VP O\\n").labels
    [['B-ORG', 'O']]
    """
    if columns is not None and (isinstance(columns, str | int) or len(tuple(columns)) != 2):
        raise ArgumentError(f"columns must be (token, label), got {columns!r:.60}")
    name, text, encoding = text_of(source, MAX_BYTES)
    table = table_of(text, name)
    header, table = _header_of(table, columns)
    if not table.sentences:
        raise ArgumentError(f"{name}: must have at least one token, got none")
    chosen = _columns(name, table, columns, header)
    token, label = chosen
    sentences = [[row[token] for row in sentence] for sentence in table.sentences]
    labels = [] if label is None else [[row[label] for row in sentence] for sentence in table.sentences]
    for first, tokens in zip(table.first_lines, sentences):
        if "" in tokens:
            raise ArgumentError(
                f"{name}, sentence from line {first}: must have a token in column {token + 1} of each line, "
                "got an empty one"
            )
    used_scheme = scheme_of(labels) if scheme == "auto" else scheme_name(scheme)
    about = (encoding, header, table.n_columns)
    return Corpus(sentences, labels, chosen, _format(table, labels), used_scheme, *about)


def _header_of(table: Table, columns: Any) -> tuple[tuple[str, ...], Table]:
    """Names of the columns if the first line has them, and the table without that line."""
    if not table.sentences or table.is_conllu:
        return (), table
    first = table.sentences[0][0]
    is_named = columns is not None and any(isinstance(column, str) for column in columns)
    is_known = table.n_columns > 1 and any(cell.lower() in _TOKEN for cell in first)
    is_known &= any(cell.lower() in (*_LABEL, "sequence", "sentence") for cell in first)
    if not is_named and not is_known:
        return (), table
    rest = table.sentences[0][1:]
    sentences = [rest, *table.sentences[1:]] if rest else table.sentences[1:]
    lines = [table.first_lines[0] + 1, *table.first_lines[1:]] if rest else table.first_lines[1:]
    return tuple(first), table._replace(sentences=sentences, first_lines=lines)


def _columns(name: str, table: Table, columns: Any, header: tuple[str, ...]) -> tuple[int, int | None]:
    if columns is None:
        return _usual(table, header)
    token, label = columns
    return _column(name, "token", token, table, header), (
        None if label is None else _column(name, "label", label, table, header)
    )


def _usual(table: Table, header: tuple[str, ...]) -> tuple[int, int | None]:
    if table.is_conllu:
        has_tags = any(row[_UPOS] != "_" for sentence in table.sentences for row in sentence)
        return _FORM, _UPOS if has_tags else _XPOS
    lowered = [name.lower() for name in header]
    token = next((lowered.index(name) for name in _TOKEN if name in lowered), 0)
    label = next((lowered.index(name) for name in _LABEL if name in lowered), table.n_columns - 1)
    return token, label if label != token else None


def _column(name: str, which: str, column: Any, table: Table, header: tuple[str, ...]) -> int:
    if isinstance(column, str):
        if column not in header:
            raise ArgumentError(f"{name}: columns must name one of {', '.join(header)}, got {column!r}")
        return header.index(column)
    n = table.n_columns
    if not isinstance(column, int) or isinstance(column, bool) or not -n <= column < n:
        raise ArgumentError(f"{name}: columns must be from {-n} to {n - 1}, got {column!r} ({which})")
    return column % n


def _format(table: Table, labels: list[list[str]]) -> str:
    if table.is_conllu:
        return "conllu"
    is_chunks = is_chunked(label for sentence in labels for label in sentence)
    if table.n_columns in (3, 4) and is_chunks and table.separator in ("tab", "space"):
        return {3: "conll2000", 4: "conll2003"}[table.n_columns]
    return {"tab": "tsv", "comma": "csv", "none": "tokens"}.get(table.separator, "columns")

"""Read tagged text in any common format: detect the format, read it, and report what was detected.

`read_conll` serves both the page "Your data" and the library. Bytes are unpacked or read by `unpacking` and
`tables`, texts are split by `records` (JSON) and `columns` (lines); each returns a table of sentences, tokens
and columns, from which this module chooses tokens and labels.
"""

from typing import Any, NamedTuple

from spcviz.engine.errors import ArgumentError
from spcviz.io.cells import checked_separator
from spcviz.io.column_choice import choose_columns, describe_doubts, name_format
from spcviz.io.columns import table_of
from spcviz.io.kinds import packed_kind, unread_bytes, unread_text
from spcviz.io.layout import TokenTable
from spcviz.io.records import UNKNOWN_LABELS, looks_like_json, table_of_json
from spcviz.io.source import SourceText, decode_text, given_of
from spcviz.io.tables import is_workbook, other_office, table_of_arrow, text_of_workbook
from spcviz.io.unpacking import gunzip, opened_zip, text_in, unzip
from spcviz.scores.schemes import is_chunked, scheme_name, scheme_of

MAX_BYTES = 1 << 30
"""Most bytes of a file that is read, packed or unpacked."""


class Corpus(NamedTuple):
    """The result of `read_conll`.

    - `sentences`: tokens
    - `labels` of each token, None where unknown (-100, null in JSON, or an empty cell unless empty cells mean
      O); an empty list if the file has no labels
    - `columns`: numbers, from 0, of the columns of tokens and of labels
    - `format` {"conllu", "conllup", "conll2009", "conll2012", "conll2000", "conll2002", "conll2003", "ids",
      "tsv", "csv", "columns", "tokens", "rows", "spans", "json", "parquet", "excel"}: conll2000, 2002 and
      2003 have chunk labels in three or four columns; ids: another file whose first column numbers tokens;
      rows: a table with one sentence per row, spans: with a text and its spans; columns: others separated by
      spaces; tokens: one column
    - `scheme` {"BIO", "IOB1", "BIOES", ""}: of chunk labels; empty if there are none
    - `encoding` such as "utf-8", "utf-16" or "windows-1252": the last if the bytes are not UTF-8, in which
      case the tokens should be checked. Empty if the input was text
    - `header`: names of the columns, if the file has them
    - `separator` {"tab", "comma", "semicolon", "bar", "space", "none", ""} of columns
    - `notes`: sentences on what was left out or should be checked; `is_cut`: whether the file has more than
      `max_tokens`
    """

    sentences: list[list[str]]
    labels: list[list[Any]]
    columns: tuple[int, int | None]
    format: str
    scheme: str
    encoding: str
    header: tuple[str, ...]
    n_columns: int
    separator: str = ""
    notes: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def found(self) -> str:
        """A one-line description of the file and how it was read.

        >>> read_conll("EU NNP B-NP B-ORG\\nrejects VBZ B-VP O\\n").found
        'CoNLL-2003, columns separated by spaces: tokens in 1, labels in 4 (BIO)'
        """
        return said_of(self)


def read_conll(
    source: Any,
    *,
    columns: tuple[int | str, int | str | None] | None = None,
    scheme: str = "auto",
    separator: str = "auto",
    header: bool | None = None,
    encoding: str = "auto",
    max_tokens: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> Corpus:
    """Read tokens and labels from a file in any of the usual formats.

    CoNLL-2000, 2002, 2003, 2009 and 2012, CoNLL-U and U Plus, GermEval, MultiCoNER, tables with a header (one
    token or one sentence per row), JSON and JSON Lines, Parquet, Arrow and Excel if pyarrow and openpyxl are
    installed; also packed by gzip or zip. The format is detected from the bytes and the beginning of the
    text; `Corpus.found` reports it. Rows of a table are separated by blank rows, by a column that numbers
    sentences or documents, or by one that counts tokens. -DOCSTART- lines, comments, lines of markup, and
    CoNLL-U's ranges (1-2) and empty nodes (8.1) are left out. Quotation marks are those of CSV where they can
    be and rows agree, else tokens.

    Parameters
    ----------
    source : path, open file, bytes, str of several lines, or iterable of lines
        UTF-8, UTF-16 or UTF-32, else Windows-1252; a stray byte in UTF-8 is read and reported with its line.
    columns : (token, label), optional
        Numbers from 0 (negative ones from the end), or names in the first line; label None: no labels. By
        default FORM and UPOS of CoNLL-U (XPOS if UPOS is empty); columns that a header names token and label,
        or similar; else the first, and the last that has chunk labels, or the last of all.
    scheme : {"auto", "BIO", "IOB1", "BIOES"}
        auto: inferred from the labels.
    separator : {"auto", "tab", "comma", "semicolon", "bar", "space", "none"}
        The separator of columns.
    header : bool, optional
        Whether the first line names the columns. None: if its names are usual ones.
    encoding : str
        auto, or one of `spcviz.io.source.ENCODINGS`.
    max_tokens : int, optional
        Sentences that begin after this many tokens are not read.
    max_bytes : int
        Most bytes of the file, packed or unpacked.

    Raises
    ------
    ArgumentError
        If the file cannot be read, has an unsupported format or no token, a line has a different number of
        columns than the first, or there is no such column: with file and line, and what to do.

    Examples
    --------
    >>> read_conll("EU NNP B-NP B-ORG\\nrejects VBZ B-VP O\\n").labels
    [['B-ORG', 'O']]
    >>> read_conll('[{"tokens": ["EU", "rejects"], "tags": ["B-ORG", "O"]}]\\n').sentences
    [['EU', 'rejects']]
    """
    if columns is not None and (isinstance(columns, str | int) or len(tuple(columns)) != 2):
        raise ArgumentError(f"columns must be (token, label), got {columns!r:.60}")
    if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
        raise ArgumentError(f"max_tokens must be at least 1, got {max_tokens!r:.60}")
    if header is None and columns is not None and any(isinstance(column, str) for column in columns):
        header = True
    how = {"separator": checked_separator(separator), "header": header, "max_tokens": max_tokens}
    name, held = given_of(source, max_bytes)
    name, table, form, text = _table(name, held, encoding, how, max_bytes)
    if not table.sentences:
        raise ArgumentError(f"{name}: must have at least one token, got none")
    token, label = chosen = choose_columns(name, table, columns)
    sentences = [sentence[token] for sentence in table.sentences]
    given: list[list[str]] = [] if label is None else [sentence[label] for sentence in table.sentences]
    unknown = _unknown(given)
    is_known = all(map(unknown.isdisjoint, given))
    labels: list[list[Any]] = given
    sure = given
    if not is_known:
        labels = [[None if one in unknown else one for one in row] for row in given]
        sure = [[one for one in row if one not in unknown] for row in given]
    for first, tokens in zip(table.first_lines, sentences):
        if "" in tokens:
            raise ArgumentError(
                f"{name}, sentence from line {first}: must have a token in column {token + 1} of each line, "
                "got an empty one"
            )
    used_scheme = scheme_of(sure) if scheme == "auto" else scheme_name(scheme)
    form = form or name_format(table, sure)
    about = (text.encoding, table.header, table.n_columns, table.separator)
    notes = (*text.notes, *table.notes)
    if n_unknown := sum(map(len, labels)) - sum(map(len, sure)):
        notes = (
            *notes,
            f"{n_unknown:,} {'label is' if n_unknown == 1 else 'labels are'} not known (-100, null or empty)",
        )
    if columns is None:
        notes += describe_doubts(table, token, label)
    return Corpus(sentences, labels, chosen, form, used_scheme, *about, notes, table.is_cut)


def _unknown(given: list[list[str]]) -> frozenset[str]:
    """The texts that mean an unknown label; an empty cell too, unless the file writes O so."""
    if not any("" in row for row in given):
        return UNKNOWN_LABELS
    used = set().union(*given) - UNKNOWN_LABELS
    return UNKNOWN_LABELS if "O" not in used and is_chunked(used) else UNKNOWN_LABELS | {""}


def _table(
    name: str, given: bytes | str, encoding: str, how: dict[str, Any], most: int
) -> tuple[str, TokenTable, str, SourceText]:
    """(name, table, format if it is not one of lines, text) of a file's content."""
    notes: tuple[str, ...] = ()
    if isinstance(given, bytes):
        name, given, notes, workbook = _unpack_file(name, given, most)
        kind = packed_kind(given)
        if kind.startswith(("Parquet", "Arrow")):
            return (
                name,
                table_of_arrow(name, given, kind, how["max_tokens"]),
                "parquet",
                SourceText(name, "", "", notes),
            )
        if workbook:
            sheet, more = text_of_workbook(name, given)
            table = table_of(sheet, name, **(how | {"separator": "tab"}))
            return name, table, "excel", SourceText(name, "", "", (*notes, *more))
        if what := unread_bytes(given):
            raise ArgumentError(f"{name}: {what}")
        text = decode_text(name, given, encoding)
    else:
        text = SourceText(name, given.removeprefix("\ufeff"), "")
    text = text._replace(notes=(*notes, *text.notes))
    if looks_like_json(text.text) and not _is_parted(text.text):
        return name, table_of_json(name, text.text, how["max_tokens"]), "json", text
    if what := unread_text(text.text):
        raise ArgumentError(f"{name}: {what}")
    return name, table_of(text.text, name, **how), "", text


def _unpack_file(name: str, data: bytes, most: int) -> tuple[str, bytes, tuple[str, ...], bool]:
    """(name, bytes, notes, whether they are a workbook) of a file, unpacked if it is packed once."""
    kind = packed_kind(data)
    if kind == "gzip":
        inside = gunzip(name, data, most)
        if packed_kind(inside) in ("gzip", "zip"):
            raise ArgumentError(f"{name}: is packed twice; unpack it once")
        return name, inside, (), False
    if kind != "zip":
        return name, data, (), False
    archive = opened_zip(name, data)
    paths = archive.sizes.keys()
    if is_workbook(paths):
        return name, data, (), True
    if what := other_office(paths):
        raise ArgumentError(f"{name}: {what}")
    path = text_in(name, paths)
    inside = unzip(name, archive, path, most)
    if packed_kind(inside) in ("gzip", "zip"):
        raise ArgumentError(f"{name}: is packed twice; unpack it once")
    note = (
        (f"Of {len(paths):,} files in the zip {path.rpartition('/')[2][:60]!r} was read",)
        if len(paths) > 1
        else ()
    )
    return name, inside, note, False


def _is_parted(text: str) -> bool:
    """Whether a text that begins like JSON still has lines in columns, such as ``{"<tab>X``."""
    lines = [line for line in text[:4000].split("\n")[:20] if line.strip()]
    return len(lines) > 1 and len({line.count("\t") for line in lines[:-1]}) == 1 and "\t" in lines[0]


FORMATS = {
    "conllu": "CoNLL-U", "conllup": "CoNLL-U Plus", "conll2009": "CoNLL-2009", "conll2012": "CoNLL-2012",
    "conll2000": "CoNLL-2000", "conll2002": "CoNLL-2002", "conll2003": "CoNLL-2003",
    "ids": "numbered tokens", "tsv": "TSV", "csv": "CSV", "columns": "columns", "tokens": "one column",
    "rows": "a sentence a row",
    "spans": "a text with its spans a row", "json": "JSON", "parquet": "Parquet or Arrow",
    "excel": "an Excel workbook",
}  # fmt: skip
_SEPARATED = {"tab": "tabs", "comma": "commas", "semicolon": "semicolons", "bar": "bars", "space": "spaces"}


def said_of(corpus: Corpus) -> str:
    """A one-line description of a file and how it was read; see `Corpus.found`."""
    parts = [FORMATS[corpus.format]]
    if corpus.separator in _SEPARATED and corpus.format != "excel":
        parts.append(f"columns separated by {_SEPARATED[corpus.separator]}")
    if corpus.header and corpus.format in ("tsv", "csv", "rows", "columns", "excel"):
        parts.append("with a header")
    if corpus.encoding and corpus.encoding != "utf-8":
        parts.append(
            corpus.encoding.upper() if corpus.encoding.startswith("utf") else corpus.encoding.title()
        )
    token, label = (None if k is None else _name_column(corpus, k) for k in corpus.columns)
    scheme = f" ({corpus.scheme})" if corpus.scheme else ""
    labels = "no labels" if label is None else f"labels in {label}{scheme}"
    return f"{', '.join(parts)}: tokens in {token}, {labels}"


def _name_column(corpus: Corpus, column: int) -> str:
    """A column by its name and number."""
    if column < len(corpus.header) and corpus.header[column]:
        return (
            f"“{corpus.header[column][:40]}”"
            if corpus.format in ("json", "parquet")
            else f"{column + 1} “{corpus.header[column][:40]}”"
        )
    return str(column + 1)

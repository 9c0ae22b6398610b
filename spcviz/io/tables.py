"""Read Parquet, Arrow and Excel files with pyarrow and openpyxl, if these are installed."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.engine.extras import is_installed
from spcviz.io.boundaries import sentences_of
from spcviz.io.kinds import missing_reader
from spcviz.io.layout import TokenTable
from spcviz.io.records import Names, names_in, table_of_records
from spcviz.io.unpacking import opened_zip

MAX_BYTES = 256 << 20
"""Most bytes of an unpacked table."""
_CSV = "save the sheet as CSV"
_LINES = "save it as CSV or as JSON Lines"


def table_of_arrow(name: str, data: bytes, kind: str, max_tokens: int | None = None) -> TokenTable:
    """Sentences of a Parquet or Arrow file with lists of tokens and tags per row, or one token per row."""
    if not is_installed("pyarrow"):
        raise ArgumentError(f"{name}: {missing_reader(kind, 'pyarrow', _LINES)}")
    try:
        table = _arrow(name, data, kind)
        names: Names = dict(names_in(_features(table)))
        columns = {key: table.column(key) for key in _usable(table)}
    except ArgumentError:
        raise
    except Exception as error:  # a damaged file, or a missing codec, may raise any error
        raise ArgumentError(f"{name}: is {kind} that cannot be read: {type(error).__name__}") from None
    return _of_columns(name, kind, columns, table.num_rows, names, max_tokens)


def _arrow(name: str, data: bytes, kind: str) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind == "Parquet":
        file = pq.ParquetFile(io.BytesIO(data))
        about = file.metadata
        size = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        if size > MAX_BYTES or about.num_rows > MAX_BYTES >> 4:
            raise ArgumentError(f"{name}: is {kind} that unpacks to more than {MAX_BYTES >> 20} MB")
        return file.read(use_threads=False)
    opened = pa.ipc.open_file if kind == "Arrow" else pa.ipc.open_stream
    return opened(pa.BufferReader(data)).read_all()


def _features(table: Any) -> dict[str, Any]:
    """The metadata about labels that Hugging Face datasets write into a table."""
    about = (table.schema.metadata or {}).get(b"huggingface", b"{}")
    held = json.loads(about)
    return held if isinstance(held, dict) else {}


def _usable(table: Any) -> list[str]:
    """The columns that hold texts or whole numbers, or lists of them."""
    import pyarrow.types as kinds

    def is_plain(kind: Any) -> bool:
        if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
            return is_plain(kind.value_type)
        if kinds.is_dictionary(kind):
            return is_plain(kind.value_type)
        return kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_integer(kind)

    return [key for key in dict.fromkeys(table.schema.names) if is_plain(table.schema.field(key).type)]


def _of_columns(
    name: str, kind: str, columns: dict[str, Any], n: int, names: Names, max_tokens: int | None
) -> TokenTable:
    """Sentences of a table whose rows are sentences, or tokens with a column that numbers sentences."""
    from spcviz.io.cells import list_in
    from spcviz.io.field_names import normal, token_column

    header = list(columns)
    token = token_column(header)
    if token is None:
        raise ArgumentError(
            f"{name}: is {kind} without a column of tokens; "
            f"it has {', '.join(map(normal, header))[:80] or 'none'}"
        )
    first = next((one for one in columns[header[token]].slice(0, 50).to_pylist() if one is not None), "")
    if isinstance(first, list):
        kept = {key: column for key, column in columns.items() if _has_lists(column)}
        return table_of_records(name, _rows(kept, n), names, max_tokens, kind)
    rows = (dict(zip(header, row)) for row in zip(*(columns[key].to_pylist() for key in header)))
    if list_in(str(first)) is not None:
        listed = (
            {key: list_in(str(value)) or [] for key, value in row.items() if list_in(str(value)) is not None}
            for row in rows
        )
        return table_of_records(name, listed, names, max_tokens, kind)
    return table_of_records(name, sentences_of(rows, header), names, max_tokens, kind)


def _has_lists(column: Any) -> bool:
    return isinstance(next((one for one in column.slice(0, 50).to_pylist() if one is not None), None), list)


def _rows(columns: dict[str, Any], n: int) -> Iterator[dict[str, list[Any]]]:
    """Yield one record per row, converting a thousand rows at a time."""
    for start in range(0, n, 1000):
        parts = {key: column.slice(start, 1000).to_pylist() for key, column in columns.items()}
        for row in zip(*parts.values()):
            yield {key: value or [] for key, value in zip(parts, row)}


def is_workbook(paths: object) -> bool:
    """Whether the paths of a zip are those of an Excel workbook (.xlsx)."""
    return any(re.fullmatch(r"(?:.*/)?(?:xl/)?workbook\.xml", path) for path in paths)  # type: ignore[attr-defined]


def other_office(paths: object) -> str:
    """Describe a zip of another office program, with advice; empty if it is none."""
    known = {
        "word/document.xml": "a Word document",
        "ppt/presentation.xml": "a presentation",
        "content.xml": "an OpenDocument file",
    }
    found = next((what for path, what in known.items() if path in set(paths)), "")  # type: ignore[call-overload]
    return f"is {found}; save its table as CSV" if found else ""


def text_of_workbook(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    """(the first non-empty sheet of an Excel workbook as tab-separated text, notes for the user)."""
    if not is_installed("openpyxl"):
        raise ArgumentError(f"{name}: {missing_reader('an Excel workbook', 'openpyxl', _CSV)}")
    if sum(opened_zip(name, data).sizes.values()) > MAX_BYTES:
        raise ArgumentError(
            f"{name}: is an Excel workbook that unpacks to more than {MAX_BYTES >> 20} MB; {_CSV}"
        )
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            rows = [tuple(map(_plain, row)) for row in sheet.iter_rows(values_only=True)]
            width = max((k + 1 for row in rows for k, cell in enumerate(row) if cell), default=0)
            if width:
                n = len(book.worksheets)
                notes = (f"Of {n} sheets {sheet.title[:40]!r} was read",) if n > 1 else ()
                return "\n".join("\t".join((row + width * ("",))[:width]) for row in rows), notes
    except ArgumentError:
        raise
    except Exception as error:  # a damaged workbook may raise any error
        raise ArgumentError(
            f"{name}: is an Excel workbook that cannot be read ({type(error).__name__}); {_CSV}"
        ) from None
    raise ArgumentError(f"{name}: is an Excel workbook without a cell")


def _plain(cell: Any) -> str:
    """A cell as text without tabs or line breaks; a whole number without Excel's decimal point."""
    if cell is None:
        return ""
    text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
    return re.sub(r"[\t\r\n]", " ", text)

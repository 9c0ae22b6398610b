"""Read tables with one sentence per row: lists of tokens and tags in cells, or a text and its spans.

Spans are as in `spcviz.io.spans`, in the form that doccano and Label Studio write into a CSV:
``[[0, 5, 'PER']]``, or a list of objects with start, end and labels.
"""

import ast
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io import field_names
from spcviz.io.cells import Row, list_in
from spcviz.io.layout import Layout, TokenTable, items_in
from spcviz.io.records import table_of_records


def table_of_lists(name: str, rows: Iterable[Row], layout: Layout, max_tokens: int | None) -> TokenTable:
    """Sentences from rows whose cells are lists."""
    token = field_names.token_column(layout.header) or 0  # `_are_rows` has found it
    kept = [token, *(k for k in range(layout.n) if k != token and _is_listed(layout, k, token))]
    sentences: list[Sequence[list[str]]] = []
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
        lists = [items_in(cells[k]) for k in kept]
        for k, items in zip(kept, lists):
            if len(items) != len(lists[0]):
                what = f"{len(items)} in {layout.header[k]!r:.40} for {len(lists[0])} tokens"
                raise ArgumentError(f"{name}, line {line}: must have a label for each token, got {what}")
        if lists[0]:
            sentences.append(lists)
            first_lines.append(line)
            n_tokens += len(lists[0])
    return _rows_table(layout, kept, sentences, first_lines, is_cut=False)


def _is_listed(layout: Layout, k: int, token: int | None) -> bool:
    """Whether a column has a list in each row, or is the column of labels."""
    values = layout.vocabularies[k] if k < len(layout.vocabularies) else frozenset()
    is_list = bool(values) and all(list_in(value) is not None for value in values)
    return k != token and (is_list or k == field_names.label_column(layout.header))


def _rows_table(
    layout: Layout, kept: list[int], sentences: list[Any], first_lines: list[Any], *, is_cut: bool
) -> TokenTable:
    header = tuple(layout.header[k] for k in kept)
    return TokenTable(sentences, first_lines, len(kept), layout.separator, "rows", header, (), is_cut)


_TEXT = ("text", "data", "content", "document", "body")


def table_of_spans(name: str, rows: Iterable[Row], layout: Layout, max_tokens: int | None) -> TokenTable:
    """Words with BIO labels, from rows that have a text in one cell and its spans in another."""
    at = layout.spans or 0  # a layout of this kind has it
    named_so = field_names.find(layout.header, _TEXT, (at,)) if layout.header else None
    others = [k for k in range(layout.n) if k != at]
    text = max(others, key=lambda k: _mean_length(layout, k)) if named_so is None else named_so
    records = _records(name, rows, layout, text, at)
    table = table_of_records(name, records, {}, max_tokens, "a table of texts with spans")
    return table._replace(separator=layout.separator)


def _mean_length(layout: Layout, k: int) -> float:
    values = layout.vocabularies[k] if k < len(layout.vocabularies) else frozenset()
    return sum(map(len, values)) / max(len(values), 1)


def _records(name: str, rows: Iterable[Row], layout: Layout, text: int, at: int) -> Iterator[dict[str, Any]]:
    is_head = layout.has_header_row
    for line, cells in rows:
        if not cells or not any(cells):
            continue
        if is_head:
            is_head = False
            continue
        if len(cells) != layout.n:
            raise ArgumentError(f"{name}, line {line}: must have {layout.n} columns, got {len(cells)}")
        yield {"text": cells[text], "spans": _spans(name, line, cells[at])}


def _spans(name: str, line: int, cell: str) -> list[Any]:
    """The list in a cell, as JSON or Python writes it."""
    for load in (json.loads, ast.literal_eval):
        try:
            spans = load(cell.strip() or "[]")
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(spans, list):
            return [list(one) if isinstance(one, tuple) else one for one in spans]
    raise ArgumentError(f"{name}, line {line}: must have a list of spans, got {cell!r:.60}")

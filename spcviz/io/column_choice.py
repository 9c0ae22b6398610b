"""Choose the columns of tokens and labels of a table, and name its format, if the caller has not.

Questions that only someone who knows the file can answer are reported as doubts.
"""

from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io import field_names
from spcviz.io.boundaries import boundaries_of
from spcviz.io.layout import TokenTable
from spcviz.io.records import UNKNOWN_LABELS
from spcviz.scores.schemes import is_chunked, kinds_of

_PLACEHOLDERS = frozenset(("_", "-", "*", "", "-X-"))
_NO_TAGS = frozenset(("_", "*"))
_SAMPLE = 2000
"""Sentences that are inspected: enough to tell chunk labels from words, and fast on a large file."""


def choose_columns(name: str, table: TokenTable, columns: Any) -> tuple[int, int | None]:
    """The columns of tokens and labels (None: no labels), from 0; `ArgumentError` if one does not exist."""
    if columns is None:
        return _usual(name, table)
    token, label = columns
    return _column(name, "token", token, table), None if label is None else _column(
        name, "label", label, table
    )


def _usual(name: str, table: TokenTable) -> tuple[int, int | None]:
    """The default columns of tokens and of labels."""
    header, n = table.header, table.n_columns
    if table.kind == "conllu" or (table.kind == "conllup" and "FORM" in header):
        at = (
            {"FORM": 1, "UPOS": 3, "XPOS": 4}
            if table.kind == "conllu"
            else {key: k for k, key in enumerate(header)}
        )
        tags = [at[key] for key in ("UPOS", "XPOS") if key in at]
        filled = (
            k for k in tags if not all(_NO_TAGS.issuperset(sentence[k]) for sentence in table.sentences)
        )
        usual = tags[-1] if tags else n - 1
        return at["FORM"], next(filled, usual if usual != at["FORM"] else None)
    if table.kind == "conllup":
        raise ArgumentError(f"{name}: global.columns must name FORM, got {', '.join(header)[:80]}")
    if table.kind in ("conll2009", "conll2012"):
        return header.index("FORM"), header.index("POS")
    token = field_names.token_column(header) if header else None
    label = field_names.label_column(header) if token is not None else None
    if token is None and header:
        one = table.sentences[0]
        token = next((k for k in range(n) if not all(cell.strip().isdecimal() for cell in one[k])), 0)
    elif token is None:
        token = 1 if table.kind in ("ids", "sentences") and n > 1 else 0
    if label is None:
        label = _last_labels(table, token)
    if table.n_columns == 2 and not header and table.kind == "" and label == 1:
        first, last = ({one for row in table.sentences[:_SAMPLE] for one in row[k]} for k in (0, 1))
        if is_chunked(first) and not is_chunked(last):
            return 1, 0  # labels before tokens
    return token, label


def _last_labels(table: TokenTable, token: int) -> int | None:
    """The last column with chunk labels, or the last of all; of GermEval's two levels, the outer one."""
    rest = [k for k in range(table.n_columns) if k > token] or [
        k for k in range(table.n_columns) if k != token
    ]
    rest = [k for k in rest if k not in boundaries_of(table.header, []).numbers] if table.header else rest
    if not rest:
        return None
    seen = {
        k: {one for sentence in table.sentences[:_SAMPLE] for one in sentence[k]} - UNKNOWN_LABELS
        for k in rest
    }
    chunked = [k for k in rest if is_chunked(seen[k])]
    outside = [k for k in rest if seen[k] <= {"O"}]
    if table.kind == "ids" and len(rest) == 2 and chunked and set(chunked + outside) == set(rest):
        return chunked[0]
    if rest[-1] in chunked or rest[-1] in outside:
        return rest[-1]
    filled = [k for k in rest if not seen[k] <= _PLACEHOLDERS]
    return (chunked or filled or rest)[-1]


def _column(name: str, which: str, column: Any, table: TokenTable) -> int:
    if isinstance(column, str):
        if column not in table.header:
            raise ArgumentError(f"{name}: columns must name one of {', '.join(table.header)}, got {column!r}")
        return table.header.index(column)
    n = table.n_columns
    if not isinstance(column, int) or isinstance(column, bool) or not -n <= column < n:
        raise ArgumentError(f"{name}: columns must be from {-n} to {n - 1}, got {column!r} ({which})")
    return column % n


_ENTITIES = frozenset(("PER", "LOC", "ORG", "MISC"))


def name_format(table: TokenTable, labels: list[list[str]]) -> str:
    """The key of `spcviz.io.conll.FORMATS` for a table of lines with these labels."""
    if table.kind not in ("", "sentences"):
        return table.kind
    is_lines = table.separator in ("tab", "space") and not table.header
    if is_lines and table.n_columns in (2, 3, 4) and table.kind == "":
        used = {label for sentence in labels for label in sentence}
        between = {one for row in table.sentences[:_SAMPLE] for one in row[1]}
        if is_chunked(used) and table.n_columns > 2 and not (table.n_columns == 3 and is_chunked(between)):
            is_2002 = table.n_columns == 3 and set(kinds_of(used)) <= _ENTITIES
            return "conll2002" if is_2002 else {3: "conll2000", 4: "conll2003"}[table.n_columns]
    by = {"tab": "tsv", "comma": "csv", "semicolon": "csv", "bar": "csv", "none": "tokens"}
    return by.get(table.separator, "columns")


_LONGEST_SENTENCE = 1000
"""Tokens of a sentence above which a reader would doubt that it is one sentence."""


def describe_doubts(table: TokenTable, token: int, label: int | None) -> tuple[str, ...]:
    """Doubts that only someone who knows the file can resolve: which labels are meant, is it one sequence."""
    doubts = []
    n = len(table.sentences[0][token])
    if len(table.sentences) == 1 and n > _LONGEST_SENTENCE:
        doubts.append(
            f"All {n:,} tokens are one sequence: no blank line or number of sentences separates them"
        )
    if label is not None and not table.header and table.kind == "":
        used = {
            k: {one for row in table.sentences[:_SAMPLE] for one in row[k]} - UNKNOWN_LABELS
            for k in range(table.n_columns)
            if k != token
        }
        chunked = [k for k in used if is_chunked(used[k])]
        rivals = [k for k in chunked if k != label and set(kinds_of(used[k])) & set(kinds_of(used[label]))]
        if used[label] <= {"O"}:
            rivals = chunked
        if rivals:
            columns = " and ".join(str(k + 1) for k in sorted({rivals[-1], label}))
            doubts.append(
                f"Columns {columns} both hold labels of chunks, perhaps given and predicted ones: "
                f"{label + 1} was taken"
            )
    return tuple(doubts)

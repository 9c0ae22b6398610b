"""Scores of labels from any tool: an ``.npz`` of arrays, or a CSV with one row a token."""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError, SpcvizError
from spcviz.io import named
from spcviz.io.arrays import arrays_of
from spcviz.io.boundaries import is_numbering
from spcviz.io.cells import SIGNS, Row, rows_of
from spcviz.io.logits import ARRAYS as OF_LOGITS
from spcviz.io.logits import words_of_arrays
from spcviz.io.source import UNNAMED, Text, bytes_of, decoded, text_of
from spcviz.scores import Sequences, from_emissions

MAX_BYTES = 256 << 20
"""Of a file that is read."""

_ARRAYS = ("emissions", "lengths", "transitions", "start", "end", "labels", "label_names", "tokens")
_ALL = tuple(dict.fromkeys((*_ARRAYS, *OF_LOGITS)))
_INDEX = ("", "unnamed_0", "index", "row", "rownames", "row_names", "x1")
_SAMPLE = 1 << 16
UNKNOWN = -1
"""The number of a label that is not known, in `ScoreFile.labels`; -100 is read as it."""
_ZIP = b"PK\x03\x04"


class ScoreFile(NamedTuple):
    """Scores of all positions, one sequence after the other, and what else a file says of them.

    `emissions` (N, K), `lengths` (S,), int64; `transitions` (K, K), `start` and `end` (K,), `labels` (N,),
    int64, the true ones as numbers and -1 where one is not known, `label_names` and N
    `tokens` where the file has them; `n_subwords`, those that the words of logits have, 0 of other files.
    """

    emissions: np.ndarray
    lengths: np.ndarray
    transitions: np.ndarray | None = None
    start: np.ndarray | None = None
    end: np.ndarray | None = None
    labels: np.ndarray | None = None
    label_names: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None
    n_subwords: int = 0

    def sequences(self) -> Sequences:
        """What `spcviz.scores.from_emissions` makes of them."""
        more = {"start": self.start, "end": self.end, "labels": self.label_names, "lengths": self.lengths}
        return from_emissions(self.emissions, self.transitions, **more)

    def y(self) -> list[np.ndarray]:
        """True labels of each sequence, as `Sequences.curves` takes them; `ArgumentError` without any."""
        if self.labels is None:
            raise ArgumentError("labels must be in the file for this, got none")
        if len(unknown := np.flatnonzero(self.labels < 0)):
            raise ArgumentError(f"labels must all be known for this, got none for token {unknown[0]}")
        known = self.labels if self.label_names is None else np.array(self.label_names)[self.labels]
        return np.split(known, np.cumsum(self.lengths)[:-1]) if len(self.lengths) else []


def read_scores(source: Any, *, subwords: str = "first") -> ScoreFile:
    """Read scores that another tool has written.

    `ArgumentError`, `ShapeError`, `ScoreError` if the file cannot be read, an array or column is missing or
    disagrees with others, or a score is NaN or +inf: with the file and the line or array.

    Parameters
    ----------
    source : path, open file or bytes; for CSV also text of several lines
        An ``.npz`` with ``emissions`` (N, K) and ``lengths`` (S,), and where wanted ``transitions`` (K, K),
        ``start`` and ``end`` (K,), ``labels`` (N,) as numbers or names, ``label_names`` (K,) and ``tokens``
        (N,): what is more is not looked at. Or one with the ``logits`` (B, T, K) of a token classifier, and
        its ``word_ids`` (B, T), -1 (or -100, NaN) where a token is of no word; ``attention_mask``,
        ``overflow_to_sample_mapping``, ``labels``, ``id2label`` and ``tokens`` where wanted. Or a CSV
        (comma, semicolon or tab) with a header and one row a token: ``sequence`` (rows of one are
        neighbours), ``token``, ``gold`` where known, and a column of scores for each label, named like it.
        Row numbers that pandas and R put before are left out, and columns of whole numbers that are named
        as those of tokens or documents (``token_id``, ``start``), if no ``gold`` is named so. Decimal
        commas are read as points, and an empty or -100 ``gold`` is not known.
    subwords : {"first", "last", "mean"}
        Of logits: which sub-words of a word count.

    Examples
    --------
    >>> scores = read_scores("sequence,token,gold,N,V\\n1,dogs,N,2,0\\n1,bark,V,1,3\\n")
    >>> scores.emissions.tolist(), scores.sequences().decode()[0].tolist()
    ([[2.0, 0.0], [1.0, 3.0]], ['N', 'V'])
    """
    if isinstance(source, str) and "\n" in source:
        return _of_csv(text_of(source, MAX_BYTES))
    if hasattr(source, "read") and hasattr(source, "encoding"):  # opened as text
        return _of_csv(text_of(source, MAX_BYTES))
    name, data = bytes_of(source, MAX_BYTES)
    if data.startswith((_ZIP, b"PK\x05\x06")):
        return _of_npz(name, data, subwords)
    if data.startswith(b"\x93NUMPY"):
        raise ArgumentError(f"{name}: must be an .npz with emissions and lengths, got a single array (.npy)")
    text = text_of(data, MAX_BYTES)
    return _of_csv(text._replace(name=name if text.name == UNNAMED else text.name))


def _of_npz(name: str, data: bytes, subwords: str) -> ScoreFile:
    arrays, n_subwords = arrays_of(name, data, _ALL), 0
    try:
        if "logits" in arrays and "emissions" not in arrays:
            arrays, n_subwords = words_of_arrays(arrays, subwords)
        for key in ("emissions", "lengths"):
            if key not in arrays:
                raise ArgumentError(f"must hold the array {key!r}, got {sorted(arrays)}")
        return _checked(arrays)._replace(n_subwords=n_subwords)
    except SpcvizError as error:
        raise type(error)(f"{name}: {error}") from None


def _checked(arrays: dict[str, np.ndarray]) -> ScoreFile:
    emissions = checks.scores("emissions", arrays["emissions"], 2)
    n, n_labels = emissions.shape
    lengths = checks.whole_numbers("lengths", arrays["lengths"], 0, n)
    if lengths.sum() != n:
        raise ShapeError(f"lengths add up to {lengths.sum()}; emissions {emissions.shape} needs {n}")
    names = _texts("label_names", arrays.get("label_names"), n_labels)
    if names is not None and len(set(names)) < len(names):
        raise ArgumentError(f"label_names must be different, got {list(names)!r:.60}")
    wanted = {"transitions": (n_labels, n_labels), "start": (n_labels,), "end": (n_labels,)}
    tables = {}
    for key, shape in wanted.items():
        if key in arrays:
            tables[key] = checks.scores(key, arrays[key], len(shape))
            if tables[key].shape != shape:
                raise ShapeError(f"{key} has shape {tables[key].shape}; emissions needs {shape}")
    labels = _labels(arrays.get("labels"), names, emissions.shape)
    tokens = _texts("tokens", arrays.get("tokens"), n)
    return ScoreFile(emissions, lengths, labels=labels, label_names=names, tokens=tokens, **tables)


def _texts(name: str, values: np.ndarray | None, n: int) -> tuple[str, ...] | None:
    if values is None:
        return None
    if values.dtype.kind != "U" or values.shape != (n,):
        raise ShapeError(f"{name} has shape {values.shape}, dtype {values.dtype}; it needs {(n,)} texts")
    return tuple(values.tolist())


def _labels(
    values: np.ndarray | None, names: tuple[str, ...] | None, shape: tuple[int, int]
) -> np.ndarray | None:
    if values is None:
        return None
    if values.shape != shape[:1]:
        raise ShapeError(f"labels has shape {values.shape}; emissions needs {shape[:1]}")
    if values.dtype.kind != "U":
        known = values != -100
        if values.dtype.kind not in "iu" or known.all():
            return checks.states("labels", values, *shape)
        out = np.full(len(values), UNKNOWN, dtype=np.int64)
        out[known] = checks.states("labels", values[known], int(known.sum()), shape[1])
        return out
    number = {name: k for k, name in enumerate(names or ())} | {"-100": UNKNOWN, "": UNKNOWN}
    for r, label in enumerate(values.tolist()):
        if label not in number:
            raise ArgumentError(f"labels[{r}] must be one of label_names, got {label!r:.60}")
    return np.array([number[label] for label in values.tolist()], dtype=np.int64)


class _Header(NamedTuple):
    """Which column of a table is what."""

    names: list[str]
    sequence: int
    token: int | None
    gold: int | None
    scores: list[int]


def is_score_table(data: bytes) -> bool:
    """Whether bytes are a table of scores: a header with ``sequence``, and at least two columns of numbers.

    >>> is_score_table(b'"sequence","token","gold","N","V"\\n"1","dogs","N","2","0"\\n')
    True
    >>> is_score_table(b"sequence,token,gold\\n1,dogs,N\\n")
    False
    """
    head = data[:_SAMPLE]
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    if len(head) < len(data) and end > 0:
        wide = 2 if head[:2] in (b"\xff\xfe", b"\xfe\xff") else 1
        head = head[: end - end % wide] if wide == 2 else head[:end]
    try:
        text = decoded("text", head).text
    except ArgumentError:
        return False
    rows = _rows(text, is_whole=len(head) == len(data))
    if len(rows) < 2:
        return False
    try:
        header = _header("text", rows)
    except ArgumentError:
        return False
    first = [row[k] for _, row in rows[1:20] if len(row) == len(rows[0][1]) for k in header.scores]
    return len(header.scores) > 1 and 2 * sum(_is_number(cell) for cell in first) >= len(first)


def _rows(text: str, *, is_whole: bool = True) -> list[Row]:
    """Rows with cells; where R has left out the name above its row numbers, the header gets an empty one."""
    head = text.lstrip("\r\n").partition("\n")[0]
    separator = max(("comma", "semicolon", "tab"), key=lambda name: head.count(SIGNS[name]))
    rows = [(line, row) for line, row in rows_of(text, separator, is_whole=is_whole) if row]
    if (
        len(rows) > 1
        and len(rows[1][1]) == len(rows[0][1]) + 1
        and all(row[0].isdecimal() for _, row in rows[1:])
    ):
        rows[0] = (rows[0][0], ["", *rows[0][1]])
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", ".") or "x")
    except ValueError:
        return False
    return True


def _header(name: str, rows: list[Row]) -> _Header:
    """What the columns of a table are, or `ArgumentError` if it is none of scores."""
    names = [cell.strip() for cell in rows[0][1]]
    usual = [named.normal(cell) for cell in names]
    sequence = next((usual.index(key) for key in ("sequence", *named.SENTENCE) if key in usual), None)
    token = next((usual.index(key) for key in named.WORD if key in usual), None)
    gold = next((usual.index(key) for key in ("gold", "label", "tag") if key in usual), None)
    if (
        gold is not None
        and usual[gold] != "gold"
        and all(_is_number(row[gold]) for _, row in rows[1:200] if len(row) == len(names))
    ):
        gold = None  # a label of that name
    about = {k for k in (sequence, token, gold) if k is not None}
    columns = [k for k in range(len(names)) if k not in about]
    if (
        columns
        and usual[columns[0]] in _INDEX
        and columns[0] == 0
        and _counts([row[0] for _, row in rows[1:]])
    ):
        columns = columns[1:]
    full = [row for _, row in rows[1:] if len(row) == len(names)]
    said = set() if gold is None else {row[gold].strip() for row in full}
    columns = [
        k for k in columns if names[k] in said or not is_numbering(names[k], [row[k] for row in full[:2000]])
    ]
    if sequence is None or not columns:
        raise ArgumentError(
            f"{name}, line 1: must have the columns sequence, token, gold and one for each label, "
            f"got {', '.join(names)[:100]!r}"
        )
    if nameless := [k + 1 for k in columns if not names[k]]:
        raise ArgumentError(
            f"{name}, line 1: must name the label of each column of scores, got none in column {nameless[0]}"
        )
    return _Header(names, sequence, token, gold, columns)


def _counts(cells: list[str]) -> bool:
    """Whether cells are row numbers: one more from each to the next."""
    numbers = [int(cell) for cell in cells if cell.strip().isdecimal() and len(cell) < 12]
    return len(numbers) == len(cells) > 0 and all(b - a == 1 for a, b in pairwise(numbers))


def _of_csv(text: Text) -> ScoreFile:
    rows = _rows(text.text)
    if not rows:
        raise ArgumentError(f"{text.name}: must have a header and a row for each token, got nothing")
    header, body = _header(text.name, rows), rows[1:]
    chosen = [header.names[k] for k in header.scores]
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(f"{text.name}, line 1: must have different names, got {header.names!r:.100}")
    for line, row in body:
        if len(row) != len(header.names):
            raise ArgumentError(
                f"{text.name}, line {line}: must have {len(header.names)} columns, got {len(row)}"
            )
    emissions = _numbers(text.name, body, header)
    golds = [] if header.gold is None else [row[header.gold].strip() for _, row in body]
    tokens = None if header.token is None else tuple(row[header.token] for _, row in body)
    lengths = _lengths(text.name, [(line, row[header.sequence]) for line, row in body])
    labels = _gold(text.name, body, golds, tuple(chosen))
    return ScoreFile(emissions, lengths, labels=labels, label_names=tuple(chosen), tokens=tokens)


def _numbers(name: str, body: list[Row], header: _Header) -> np.ndarray:
    """Scores (N, K); commas are decimal where no point is."""
    cells = [row[k] for _, row in body for k in header.scores]
    has_commas = any("," in cell for cell in cells)
    if has_commas:
        odd = next(
            (r for r, cell in enumerate(cells) if "," in cell and ("." in cell or cell.count(",") > 1)), None
        )
        if odd is not None:
            line = body[odd // len(header.scores)][0]
            raise ArgumentError(
                f"{name}, line {line}: must have scores without signs between"
                f" thousands, got {cells[odd]!r:.60}"
            )
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        out = np.array([float(cell) for cell in cells]).reshape(len(body), len(header.scores))
    except ValueError:
        out = None
    if out is not None and (out < np.inf).all():
        return out
    for at, cell in enumerate(cells):
        line, label = body[at // len(header.scores)][0], header.names[header.scores[at % len(header.scores)]]
        try:
            value = float(cell)
        except ValueError:
            raise ArgumentError(f"{name}, line {line}: {label} must be a score, got {cell!r:.60}") from None
        if math.isnan(value) or value == math.inf:
            raise ArgumentError(
                f"{name}, line {line}: {label} must be a finite score or -inf, got {cell!r:.60}"
            )
    return np.zeros((0, len(header.scores)))


def _lengths(name: str, ids: list[tuple[int, str]]) -> np.ndarray:
    """Rows of each sequence: neighbours of one id."""
    lengths: list[int] = []
    seen: set[str] = set()
    before = None
    for line, sequence in ids:
        if sequence != before:
            if sequence in seen:
                raise ArgumentError(f"{name}, line {line}: rows of sequence {sequence!r} must be neighbours")
            seen.add(sequence)
            lengths.append(0)
        lengths[-1] += 1
        before = sequence
    return np.array(lengths, dtype=np.int64)


def _gold(name: str, body: list[Row], golds: list[str], names: tuple[str, ...]) -> np.ndarray | None:
    if not any(golds):
        return None
    number = {label: k for k, label in enumerate(names)} | {"": UNKNOWN, "-100": UNKNOWN}
    for (line, _), gold in zip(body, golds):
        if gold not in number:
            raise ArgumentError(f"{name}, line {line}: gold must be the name of a column, got {gold!r:.60}")
    return np.array([number[gold] for gold in golds], dtype=np.int64)

"""Scores of labels from any tool: an ``.npz`` of arrays, or a CSV with one row a token."""

import csv
import io
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError, SpcvizError
from spcviz.io.arrays import arrays_of
from spcviz.io.source import UNNAMED, Text, bytes_of, text_of
from spcviz.scores import Sequences, from_emissions

MAX_BYTES = 256 << 20
"""Of a file that is read."""

_ARRAYS = ("emissions", "lengths", "transitions", "start", "end", "labels", "label_names", "tokens")
_ABOUT = ("sequence", "token", "gold")
_ZIP = b"PK\x03\x04"


class ScoreFile(NamedTuple):
    """Scores of all positions, one sequence after the other, and what else a file says of them.

    `emissions` (N, K), `lengths` (S,), int64; `transitions` (K, K), `start` and `end` (K,), `labels` (N,),
    int64, the true ones as numbers, `label_names` and N `tokens` where the file has them.
    """

    emissions: np.ndarray
    lengths: np.ndarray
    transitions: np.ndarray | None = None
    start: np.ndarray | None = None
    end: np.ndarray | None = None
    labels: np.ndarray | None = None
    label_names: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None

    def sequences(self) -> Sequences:
        """What `spcviz.scores.from_emissions` makes of them."""
        more = {"start": self.start, "end": self.end, "labels": self.label_names, "lengths": self.lengths}
        return from_emissions(self.emissions, self.transitions, **more)

    def y(self) -> list[np.ndarray]:
        """True labels of each sequence, as `Sequences.curves` takes them; `ArgumentError` without any."""
        if self.labels is None:
            raise ArgumentError("labels must be in the file for this, got none")
        known = self.labels if self.label_names is None else np.array(self.label_names)[self.labels]
        return np.split(known, np.cumsum(self.lengths)[:-1]) if len(self.lengths) else []


def read_scores(source: Any) -> ScoreFile:
    """Read scores that another tool has written.

    `ArgumentError`, `ShapeError`, `ScoreError` if the file cannot be read, an array or column is missing or
    disagrees with others, or a score is NaN or +inf: with the file and the line or array.

    Parameters
    ----------
    source : path, open file or bytes; for CSV also text of several lines
        An ``.npz`` with ``emissions`` (N, K) and ``lengths`` (S,), and where wanted ``transitions`` (K, K),
        ``start`` and ``end`` (K,), ``labels`` (N,) as numbers or names, ``label_names`` (K,) and ``tokens``
        (N,): what is more is not looked at. Or a CSV (comma, semicolon or tab) with a header and one row a
        token: ``sequence`` (rows of one are neighbours), ``token``, ``gold`` where known, and a column of
        scores for each label, named like it.

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
        return _of_npz(name, data)
    if data.startswith(b"\x93NUMPY"):
        raise ArgumentError(f"{name}: must be an .npz with emissions and lengths, got a single array (.npy)")
    text = text_of(data, MAX_BYTES)
    return _of_csv(text._replace(name=name if text.name == UNNAMED else text.name))


def _of_npz(name: str, data: bytes) -> ScoreFile:
    arrays = arrays_of(name, data, _ARRAYS)
    for key in ("emissions", "lengths"):
        if key not in arrays:
            raise ArgumentError(f"{name}: must hold the array {key!r}, got {sorted(arrays)}")
    try:
        return _checked(arrays)
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
    if values.dtype.kind != "U":
        return checks.states("labels", values, *shape)
    if values.shape != shape[:1]:
        raise ShapeError(f"labels has shape {values.shape}; emissions needs {shape[:1]}")
    number = {name: k for k, name in enumerate(names or ())}
    for r, label in enumerate(values.tolist()):
        if label not in number:
            raise ArgumentError(f"labels[{r}] must be one of label_names, got {label!r:.60}")
    return np.array([number[label] for label in values.tolist()], dtype=np.int64)


def _of_csv(text: Text) -> ScoreFile:
    head = text.text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text.text), delimiter=max(",;\t", key=head.count))
    try:
        numbered = [(rows.line_num, row) for row in rows if row]
    except csv.Error as error:
        raise ArgumentError(f"{text.name}, line {rows.line_num}: must be CSV: {error}") from None
    if not numbered:
        raise ArgumentError(f"{text.name}: must have a header and a row for each token, got nothing")
    header, body = [name.strip() for name in numbered[0][1]], numbered[1:]
    at = {name: header.index(name) for name in _ABOUT if name in header}
    columns = [k for k, name in enumerate(header) if name not in _ABOUT]
    names = tuple(header[k] for k in columns)
    if "sequence" not in at or not columns:
        raise ArgumentError(
            f"{text.name}, line 1: must have the columns sequence, token, gold and one for each label, "
            f"got {', '.join(header)[:100]!r}"
        )
    if len(set(header)) < len(header):
        raise ArgumentError(f"{text.name}, line 1: must have different names, got {header!r:.100}")
    for line, row in body:
        if len(row) != len(header):
            raise ArgumentError(f"{text.name}, line {line}: must have {len(header)} columns, got {len(row)}")
    emissions = _numbers(text.name, body, header, columns)
    golds = [row[at["gold"]] for _, row in body] if "gold" in at else []
    tokens = tuple(row[at["token"]] for _, row in body) if "token" in at else None
    lengths = _lengths(text.name, [(line, row[at["sequence"]]) for line, row in body])
    labels = _gold(text.name, body, golds, names)
    return ScoreFile(emissions, lengths, labels=labels, label_names=names, tokens=tokens)


def _numbers(name: str, body: list, header: list[str], columns: list[int]) -> np.ndarray:
    out = np.empty((len(body), len(columns)))
    for r, (line, row) in enumerate(body):
        for c, k in enumerate(columns):
            try:
                out[r, c] = float(row[k])
            except ValueError:
                raise ArgumentError(
                    f"{name}, line {line}: {header[k]} must be a score, got {row[k]!r:.60}"
                ) from None
            if not out[r, c] < np.inf:
                raise ArgumentError(
                    f"{name}, line {line}: {header[k]} must be a finite score or -inf, got {row[k]!r:.60}"
                )
    return out


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


def _gold(name: str, body: list, golds: list[str], names: tuple[str, ...]) -> np.ndarray | None:
    if not any(golds):
        return None
    number = {label: k for k, label in enumerate(names)}
    for (line, _), gold in zip(body, golds):
        if gold not in number:
            raise ArgumentError(f"{name}, line {line}: gold must be the name of a column, got {gold!r:.60}")
    return np.array([number[gold] for gold in golds], dtype=np.int64)

"""Read label scores from any tool: an ``.npz`` of arrays, or a CSV with one row per token."""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError, SpcvizError
from spcviz.io.kinds import packed_kind, unread_bytes
from spcviz.io.logits import ARRAYS as OF_LOGITS
from spcviz.io.logits import words_of_arrays
from spcviz.io.score_tables import UNKNOWN, read_table
from spcviz.io.source import UNNAMED, SourceText, bytes_of, text_of
from spcviz.io.unpacking import arrays_of, opened_zip
from spcviz.scores import Sequences, from_emissions

MAX_BYTES = 256 << 20
"""Most bytes of a file that is read."""

_ARRAYS = ("emissions", "lengths", "transitions", "start", "end", "labels", "label_names", "tokens")
_OTHERS = {"predictions": "logits", "label_ids": "labels", "mask": "attention_mask"}
"""Other tools' names for the arrays of logits."""

_ALL = tuple(dict.fromkeys((*_ARRAYS, *OF_LOGITS, *_OTHERS)))
_SAVE_AS = "save scores by numpy.savez, with emissions and lengths, or as CSV"
_UNREAD = (
    (rb".{1,4}\0{4,7}\{\s*\"", "a file of safetensors"),
    (rb"MATLAB 5\.0 MAT-file", "a file of MATLAB"),
    (rb"\x28\x00\x00\x00.{4}GGUF|GGUF", "a model (GGUF)"),
)


class ScoreFile(NamedTuple):
    """Concatenated scores of all positions, and what else a file says about them.

    `emissions` (N, K), `lengths` (S,), int64; `transitions` (K, K), `start` and `end` (K,), `labels` (N,),
    int64, the true ones as numbers and -1 where unknown, `label_names` and N `tokens`, if the file has them;
    `n_subwords`, the number of sub-words of the words of logits, 0 for other files.
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
        """The scores as `Sequences`, built by `spcviz.scores.from_emissions`."""
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
        An ``.npz`` with ``emissions`` (N, K) and ``lengths`` (S,), and optionally ``transitions`` (K, K),
        ``start`` and ``end`` (K,), ``labels`` (N,) as numbers or names, ``label_names`` (K,) and ``tokens``
        (N,); other arrays are ignored. Or one with the ``logits`` (B, T, K) of a token classifier and its
        ``word_ids`` (B, T), -1 (or -100, NaN) where a token belongs to no word, and optionally
        ``attention_mask``, ``overflow_to_sample_mapping``, ``labels``, ``id2label`` and ``tokens``; or with
        its ``predictions`` and ``label_ids``, -100 where a token belongs to no word. Or a CSV (comma,
        semicolon or tab) with a header and one row per token: ``sequence`` (its rows must be adjacent;
        documents are distinguished too), or a blank row between sequences; ``token``, ``gold`` (or ``true``,
        ``label`` ...) where known, and a column of scores for each label, named like it or as ``prob_PER``.
        Leading row numbers of pandas and R are left out; so are columns of words, and of whole numbers named
        like those of tokens or documents (``token_id``, ``start``), unless a ``gold`` has that name. Decimal
        commas are read as points, and an empty or -100 ``gold`` is unknown.
    subwords : {"first", "last", "mean"}
        For logits: which sub-word represents a word.

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
    if (kind := packed_kind(data)) == "zip":
        return _of_npz(name, data, subwords)
    if what := unread_bytes(data) or (f"is {kind}; {_SAVE_AS}" if kind else _name_format(data)):
        raise ArgumentError(f"{name}: {what}")
    text = text_of(data, MAX_BYTES)
    return _of_csv(text._replace(name=name if text.name == UNNAMED else text.name))


def _of_csv(text: SourceText) -> ScoreFile:
    if text.text.lstrip()[:1] in ("[", "{"):
        raise ArgumentError(f"{text.name}: is JSON; {_SAVE_AS}")
    return ScoreFile(**read_table(text)._asdict())


def _name_format(data: bytes) -> str:
    """Describe bytes in a format of other tools for scores, with advice; empty for all others."""
    return next(
        (f"is {kind}; {_SAVE_AS}" for sign, kind in _UNREAD if re.match(sign, data[:64], re.DOTALL)), ""
    )


def _of_npz(name: str, data: bytes, subwords: str) -> ScoreFile:
    arrays, n_subwords = arrays_of(name, data, _ALL), 0
    try:
        arrays = _rename(arrays)
        if "logits" in arrays and "emissions" not in arrays:
            arrays, n_subwords = words_of_arrays(arrays, subwords)
        for key in ("emissions", "lengths"):
            if key not in arrays:
                raise ArgumentError(_say_missing(key, opened_zip(name, data).names))
        return _check_scores(arrays)._replace(n_subwords=n_subwords)
    except SpcvizError as error:
        raise type(error)(f"{name}: {error}") from None


def _rename(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays under our names, from those of transformers' `Trainer.predict` or from batched scores."""
    out = dict(arrays)
    is_batched = "emissions" in out and out["emissions"].ndim == 3
    if is_batched and "logits" not in out:
        out["logits"] = out.pop("emissions")
        if "label_names" in out:
            out["id2label"] = out.pop("label_names")
    for other, ours in _OTHERS.items():
        if other in out and ours not in out:
            out[ours] = out.pop(other)
    predictions = arrays.get("predictions")
    if out.get("logits") is predictions is not None and "emissions" not in out and predictions.ndim != 3:
        got = f"shape {predictions.shape}, dtype {predictions.dtype}"
        raise ShapeError(
            f"predictions has {got}; it needs a score of each label, (B, T, K), not the best one"
        )
    return out


def _say_missing(key: str, members: Collection[str]) -> str:
    """The message for a zip that lacks an array."""
    if any(member.endswith("data.pkl") for member in members):
        return f"is a file of PyTorch's, which could run code and is never read; {_SAVE_AS}"
    if any(member.startswith("xl/") for member in members):
        return "is an Excel workbook; save its table of scores as CSV"
    held = sorted(member.removesuffix(".npy") for member in members)
    return f"must hold the array {key!r}, got {held!r:.200}"


def _check_scores(arrays: dict[str, np.ndarray]) -> ScoreFile:
    emissions = checks.scores("emissions", arrays["emissions"], 2)
    n, n_labels = emissions.shape
    lengths = checks.whole_numbers("lengths", arrays["lengths"], 0, n)
    if lengths.sum() != n:
        raise ShapeError(f"lengths add up to {lengths.sum()}; emissions {emissions.shape} needs {n}")
    names = _texts("label_names", arrays.get("label_names"), n_labels)
    if names is not None and len(set(names)) < len(names):
        raise ArgumentError(f"label_names must be different, got {list(names)!r:.60}")
    wanted = {"transitions": (n_labels, n_labels), "start": (n_labels,), "end": (n_labels,)}
    tables: dict[str, Any] = {}
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

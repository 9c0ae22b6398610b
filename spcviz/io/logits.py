"""Read a token classifier's logits from an ``.npz`` file, as arrays of scores per word.

====================================  ===============================================================
logits (B, T, K) or (N, K)            of every token; (N, K) with `lengths`, or one sequence
word_ids (B, T) or (N,)               the number of each token's word; below 0 or NaN: no word
attention_mask (B, T)                 0 where there is no token
overflow_to_sample_mapping (B,)       the sentence of each window, if windows overlap
labels (B, T), (N,), or one per word  true labels; -100 where unknown
id2label, tokens                      names of labels, and words
====================================  ===============================================================

Without `word_ids`, each token that `lengths` or `attention_mask` includes is a word; without these too, each
token that has a label.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.scores.making import sentences_of, windows_of, words_of

ARRAYS = (
    "logits", "word_ids", "attention_mask", "overflow_to_sample_mapping", "id2label", "labels", "tokens",
    "lengths", "transitions", "start", "end",
)  # fmt: skip
_UNKNOWN = -100


def words_of_arrays(arrays: dict[str, np.ndarray], subwords: str = "first") -> tuple[dict[Any, Any], int]:
    """(arrays as in `read_scores` with one row per word, the number of sub-words of these words).

    Raises `ArgumentError`, `ShapeError`, `ScoreError` if arrays disagree: the message names the array.
    """
    logits, ids, mask = _batch(arrays)
    mapping = arrays.get("overflow_to_sample_mapping")
    if not len(ids):
        raise ArgumentError("logits must be of at least one sequence, got none")
    tables = words_of(logits, ids, mask, mapping, subwords)
    made = {"emissions": np.concatenate(tables), "lengths": np.array(list(map(len, tables)))}
    names = {"id2label": "label_names", "transitions": "transitions", "start": "start", "end": "end"}
    made |= {field: arrays[key] for key, field in names.items() if key in arrays}
    if "tokens" in arrays:
        made["tokens"] = arrays["tokens"].reshape(-1)
    sentences = sentences_of(windows_of(list(map(len, logits)), ids, mask), mapping)
    if "labels" in arrays:
        made["labels"] = _of_words(arrays["labels"], [len(row) for row in ids], sentences)
    return made, sum(len(at) for words in sentences for _, at in words)


def _batch(arrays: dict[str, np.ndarray]) -> tuple[Sequence[Any], list[list[Any]], np.ndarray | None]:
    """(tables of logits, word ids, mask) for each sequence of tokens."""
    logits, mask = arrays["logits"], arrays.get("attention_mask")
    if logits.ndim not in (2, 3):
        raise ShapeError(f"logits has shape {logits.shape}; it needs (B, T, K) or (N, K)")
    tables: Any = logits if logits.ndim == 3 else [logits]
    lengths = None
    if "lengths" in arrays:
        most = logits.shape[1] if logits.ndim == 3 else len(logits)
        lengths = checks.whole_numbers("lengths", arrays["lengths"], 0, most)
        if logits.ndim == 2:
            if lengths.sum() != len(logits):
                raise ShapeError(
                    f"lengths add up to {lengths.sum()}; logits {logits.shape} needs {len(logits)}"
                )
            tables = np.split(logits, np.cumsum(lengths)[:-1]) if len(lengths) else []
        elif len(lengths) != len(logits):
            raise ShapeError(f"lengths has {len(lengths)} sequences; logits has {len(logits)}")
    if "word_ids" in arrays:
        return tables, _ids(arrays["word_ids"], tables), mask
    known = _known_mask(arrays.get("labels"), logits) if lengths is None and mask is None else None
    if lengths is None and mask is None and known is None:
        raise ArgumentError(
            "must hold word_ids beside logits: of each token its word's number, or -1; or lengths, or "
            "attention_mask, where each token is a word; or labels that are -100 where a token is of no word"
        )
    there: Any
    if known is not None:
        there = known
    elif lengths is None:
        there = checks.as_tuple("attention_mask", np.atleast_2d(np.asarray(mask)))
    else:
        there = tuple(np.arange(len(table)) < n for table, n in zip(tables, lengths.tolist()))
    counted = [np.where(row, np.cumsum(row) - 1, -1).tolist() for row in map(np.asarray, there)]
    return tables, counted, mask


def _known_mask(labels: np.ndarray | None, logits: np.ndarray) -> np.ndarray | None:
    """Which tokens have a label, (B, T), if some have none, as when token classifiers are evaluated."""
    if labels is None or labels.dtype.kind not in "iu" or labels.shape != logits.shape[:-1]:
        return None
    known = np.atleast_2d(labels != _UNKNOWN)
    return known if known.any() and not known.all() else None


def _ids(ids: np.ndarray, tables: Sequence[Any]) -> list[list[Any]]:
    """Word ids as a list for each table."""
    if ids.dtype.kind not in "iuf" or ids.ndim not in (1, 2):
        got = f"{ids.dtype} in {ids.ndim}"
        raise ArgumentError(f"word_ids must be whole numbers in one or two dimensions, got {got}")
    sizes = list(map(len, tables))
    if ids.ndim == 1 and sum(sizes) == len(ids):
        return [row.tolist() for row in np.split(ids, np.cumsum(sizes)[:-1])] if sizes else []
    return np.atleast_2d(ids).tolist()


def _of_words(labels: np.ndarray, sizes: list[int], sentences: list[Any]) -> np.ndarray:
    """One label per word: as given, or the first known one among each word's sub-words."""
    n_words = sum(map(len, sentences))
    is_flat = labels.ndim == 1
    if is_flat and len(labels) == n_words and sum(sizes) != n_words:
        return labels
    if is_flat and len(labels) == sum(sizes):
        rows = np.split(labels, np.cumsum(sizes)[:-1])
    elif labels.ndim == 2 and len(labels) == len(sizes) and labels.shape[1] >= max(sizes, default=0):
        rows = list(labels)
    elif is_flat and len(labels) == n_words:
        return labels
    else:
        raise ShapeError(f"labels has shape {labels.shape}; it needs one a token, as word_ids, or one a word")
    unknown = "-100" if labels.dtype.kind == "U" else _UNKNOWN
    found = [_first_known(rows[i][at], unknown) for words in sentences for i, at in words]
    return np.array(found, dtype=labels.dtype)


def _first_known(labels: np.ndarray, unknown: str | int) -> str | int:
    known = labels[labels != unknown]
    return known[0] if len(known) else unknown

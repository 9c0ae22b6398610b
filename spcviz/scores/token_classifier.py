"""Logits of a token classifier as sequences of words: arrays only, whichever library they come from."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.scores.making import from_emissions
from spcviz.scores.names import names_of
from spcviz.scores.packing import array_of
from spcviz.scores.sequences import Sequences


def from_hf(
    logits: Any,
    word_ids: Sequence,
    *,
    attention_mask: Any = None,
    overflow_to_sample_mapping: Sequence[int] | None = None,
    id2label: Mapping | Sequence | None = None,
    transitions: ArrayLike | None = None,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
) -> Sequences:
    """Sequences of words from the logits of a token classifier (Hugging Face transformers and the like).

    The first sub-word of each word counts, as in training; special tokens ([CLS], [SEP]) and padding, whose
    word id is None (or -1, or -100), are left out. `transitions`, `start` and `end` as in `from_emissions`;
    `bio_transitions` makes them for BIO and BIOES labels. `ShapeError`, `ScoreError`, `ArgumentError` if
    arrays disagree, hold NaN or +inf, an id has no label, or the words of a sequence are not 0, 1, 2 and so
    on: the message names the sequence.

    Parameters
    ----------
    logits : array_like (B, T, K), or list of array_like (T_i, K)
        ``model(**batch).logits``, as numpy or as anything that `numpy.asarray` takes.
    word_ids : list of lists of int or None
        ``[batch.word_ids(i) for i in range(B)]``: of each token the number of its word.
    attention_mask : array_like (B, T), optional
        0 where there is no token; what is there is not looked at.
    overflow_to_sample_mapping : sequence of B ints, optional
        ``batch["overflow_to_sample_mapping"]``, where the tokenizer cut long sentences into windows that
        overlap: the sentence, 0, 1, ..., of each window. A word in two windows is read where it stands
        further from the window's edge.
    id2label : dict of int to str, or sequence of str, optional
        ``model.config.id2label``. None: labels are numbers.

    Examples
    --------
    >>> logits = [[[9.0, 9.0], [0.0, 1.0], [9.0, 0.0], [2.0, 0.0], [9.0, 9.0]]]
    >>> sequences = from_hf(logits, [[None, 0, 0, 1, None]], id2label={0: "O", 1: "B-X"})
    >>> [labels.tolist() for labels in sequences.decode()]
    [['B-X', 'O']]
    """
    words = words_of(logits, word_ids, attention_mask, overflow_to_sample_mapping)
    labels = None if id2label is None else _labels(id2label)
    return from_emissions(words, transitions, start=start, end=end, labels=labels)


def words_of(
    logits: Any,
    word_ids: Sequence,
    attention_mask: Any = None,
    overflow_to_sample_mapping: Sequence[int] | None = None,
) -> list[np.ndarray]:
    """Rows of the first sub-word of each word, one array a sequence; arguments and errors as of `from_hf`."""
    tables, ids = checks.listed("logits", logits), checks.listed("word_ids", word_ids)
    if len(ids) != len(tables):
        raise ShapeError(f"word_ids has {len(ids)} sequences; logits has {len(tables)}")
    there = (None,) * len(ids) if attention_mask is None else checks.listed("attention_mask", attention_mask)
    if len(there) != len(ids):
        raise ShapeError(f"attention_mask has {len(there)} sequences; logits has {len(ids)}")
    windows = [_first_of_words(i, *sequence) for i, sequence in enumerate(zip(tables, ids, there))]
    if overflow_to_sample_mapping is None:
        return [_all_words(f"word_ids[{i}]", [window]) for i, window in enumerate(windows)]
    name = "overflow_to_sample_mapping"
    samples = checks.whole_numbers(name, list(overflow_to_sample_mapping), 0, max(len(ids) - 1, 0))
    if len(samples) != len(ids):
        raise ShapeError(f"{name} has {len(samples)} windows; logits has {len(ids)}")
    return [
        _all_words(f"word_ids of sentence {s}", [windows[i] for i in np.flatnonzero(samples == s)])
        for s in range(int(samples.max(initial=-1)) + 1)
    ]


class _Window(NamedTuple):
    """Words of one sequence of tokens, or of one window of it, by their first sub-words."""

    words: np.ndarray  # (n,) rising
    logits: np.ndarray  # (n, K)
    depth: np.ndarray  # (n,) tokens to the nearer edge of the window


def _all_words(name: str, windows: list[_Window]) -> np.ndarray:
    """Logits (words, K) of a whole sentence."""
    if not windows:
        raise ArgumentError(f"{name} must be in a window, got none")
    words = np.concatenate([window.words for window in windows])
    depth = np.concatenate([window.depth for window in windows])
    logits = np.concatenate([window.logits for window in windows])
    order = np.lexsort((-depth, words))  # of each word the deepest first, and of those the first window
    first = order[np.flatnonzero(np.diff(words[order], prepend=-1))]
    missing = np.flatnonzero(words[first] != np.arange(len(first)))
    if len(missing) and missing[0] == 0:
        raise ArgumentError(
            f"{name} must begin with word 0, got {words[first[0]]}: of windows of a longer sentence hand "
            "over overflow_to_sample_mapping too"
        )
    if len(missing):
        raise ArgumentError(f"{name} must have every word, got none for word {missing[0]}")
    return logits[first]


def _first_of_words(i: int, logits: Any, ids: Any, mask: Any) -> _Window:
    """The first sub-word of each word."""
    table = array_of(f"logits[{i}]", logits)
    if table.ndim != 2:
        raise ShapeError(f"logits[{i}] has shape {table.shape}; it needs (T, K)")
    numbers = checks.listed(f"word_ids[{i}]", ids)
    # A fast tokenizer's list is as long as its padded batch; one made before padding may be shorter.
    if len(numbers) > len(table) or (mask is None and len(numbers) != len(table)):
        raise ShapeError(f"word_ids[{i}] has {len(numbers)} tokens; logits[{i}] has {len(table)}")
    is_there = np.ones(len(table), dtype=bool) if mask is None else checks.mask(f"attention_mask[{i}]", mask)
    if is_there.shape != (len(table),):
        raise ShapeError(f"attention_mask[{i}] has shape {is_there.shape}; logits[{i}] needs {(len(table),)}")
    rows, words, before = [], [], -1
    for t, word in enumerate(numbers):
        if word is not None and not isinstance(word, int | np.integer):
            raise ArgumentError(f"word_ids[{i}][{t}] must be a whole number or None, got {word!r:.60}")
        if word is None or word < 0 or not is_there[t]:
            continue
        if word < before:
            raise ArgumentError(
                f"word_ids[{i}][{t}] must not fall, got {word} after {before}: one sentence a sequence"
            )
        if word > before:
            rows.append(t)
            words.append(int(word))
        before = int(word)
    kept = checks.scores(f"logits[{i}]", table[rows], 2) if rows else table[:0].astype(float)
    places = np.array(rows, dtype=np.int64)
    inside = np.flatnonzero([word is not None and word >= 0 for word in numbers] & is_there[: len(numbers)])
    first, last = (inside[0], inside[-1]) if len(inside) else (0, 0)
    return _Window(np.array(words, dtype=np.int64), kept, np.minimum(places - first, last - places))


def _labels(id2label: Mapping | Sequence) -> tuple:
    """Labels 0 .. K - 1 in order."""
    if not isinstance(id2label, Mapping):
        return names_of(id2label)
    try:
        by_id = {int(key): name for key, name in id2label.items()}  # JSON makes texts of the keys
    except (TypeError, ValueError):
        raise ArgumentError(f"id2label must have whole numbers as keys, got {id2label!r:.60}") from None
    missing = [k for k in range(len(by_id)) if k not in by_id]
    if missing:
        raise ArgumentError(f"id2label must have all ids 0 to {len(by_id) - 1}, got none for {missing[0]}")
    return tuple(by_id[k] for k in range(len(by_id)))

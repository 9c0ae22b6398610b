"""Logits of a token classifier as sequences of words: arrays only, whichever library they come from."""

from collections.abc import Mapping, Sequence
from typing import Any

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
    id2label: Mapping | Sequence | None = None,
    transitions: ArrayLike | None = None,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
) -> Sequences:
    """Sequences of words from the logits of a token classifier (Hugging Face transformers and the like).

    The first sub-word of each word counts, as in training; special tokens ([CLS], [SEP]) and padding, whose
    word id is None, are left out. `transitions`, `start` and `end` as in `from_emissions`; `bio_transitions`
    makes them for BIO and BIOES labels. `ShapeError`, `ScoreError`, `ArgumentError` if arrays disagree, hold
    NaN or +inf, or an id has no label: the message names the sequence.

    Parameters
    ----------
    logits : array_like (B, T, K), or list of array_like (T_i, K)
        ``model(**batch).logits``, as numpy or as anything that `numpy.asarray` takes.
    word_ids : list of lists of int or None
        ``[batch.word_ids(i) for i in range(B)]``: of each token the number of its word.
    attention_mask : array_like (B, T), optional
        0 where there is no token; what is there is not looked at.
    id2label : dict of int to str, or sequence of str, optional
        ``model.config.id2label``. None: labels are numbers.

    Examples
    --------
    >>> logits = [[[9.0, 9.0], [0.0, 1.0], [9.0, 0.0], [2.0, 0.0], [9.0, 9.0]]]
    >>> sequences = from_hf(logits, [[None, 0, 0, 1, None]], id2label={0: "O", 1: "B-X"})
    >>> [labels.tolist() for labels in sequences.decode()]
    [['B-X', 'O']]
    """
    words = words_of(logits, word_ids, attention_mask)
    labels = None if id2label is None else _labels(id2label)
    return from_emissions(words, transitions, start=start, end=end, labels=labels)


def words_of(logits: Any, word_ids: Sequence, attention_mask: Any = None) -> list[np.ndarray]:
    """Rows of the first sub-word of each word, one array a sequence; arguments and errors as of `from_hf`."""
    tables, ids = checks.listed("logits", logits), checks.listed("word_ids", word_ids)
    if len(ids) != len(tables):
        raise ShapeError(f"word_ids has {len(ids)} sequences; logits has {len(tables)}")
    there = (None,) * len(ids) if attention_mask is None else checks.listed("attention_mask", attention_mask)
    if len(there) != len(ids):
        raise ShapeError(f"attention_mask has {len(there)} sequences; logits has {len(ids)}")
    return [_first_of_words(i, *sequence) for i, sequence in enumerate(zip(tables, ids, there))]


def _first_of_words(i: int, logits: Any, ids: Any, mask: Any) -> np.ndarray:
    """Rows of the first sub-word of each word."""
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
    rows, before = [], None
    for t, word in enumerate(numbers):
        if word is not None and not isinstance(word, int | np.integer):
            raise ArgumentError(f"word_ids[{i}][{t}] must be a whole number or None, got {word!r:.60}")
        if word is not None and word != before and is_there[t]:
            rows.append(t)
        before = word
    return checks.scores(f"logits[{i}]", table[rows], 2) if rows else table[:0].astype(float)


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

"""Make `Sequences` from label scores in any form, or from a token classifier's logits."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.scores.names import Names, names_of
from spcviz.scores.packing import array_of, pack
from spcviz.scores.sequences import Sequences

SUBWORDS = ("first", "last", "mean")
"""Ways to choose the sub-words that represent a word."""

Pieces = tuple[int, np.ndarray]
"""The location of a word's sub-words: the number of a sequence of tokens, and places in it."""


def from_emissions(
    emissions: Any,
    transitions: Any = None,
    *,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    labels: Iterable[Hashable] | None = None,
    mask: Any = None,
    lengths: ArrayLike | None = None,
    allowed: Any = None,
) -> Sequences:
    """Build `Sequences` from the scores of any model.

    `ShapeError`, `ScoreError`, `ArgumentError` if arrays disagree or hold NaN or +inf: the message names the
    sequence and the place in it.

    Parameters
    ----------
    emissions : list of array_like (L_i, K), or array_like (B, L, K), or (N, K)
        Score of each label at each position (logits, log probabilities, ...): one array per sequence, padded
        arrays with `mask` or `lengths`, or all sequences concatenated, with `lengths`. -inf forbids.
    transitions : array_like (K, K), optional
        Score of label k after label j at ``[j, k]``. Or a table for each step: a list of (L_i - 1, K, K),
        padded (B, L - 1, K, K), or (N, K, K) with the step into each position. None: all 0.
    start, end : array_like (K,), optional
        Scores of the first and of the last label.
    labels : sequence of K names, optional
    mask : array_like of bool (B, L), optional
        Which positions of padded arrays are real; the content of the others is ignored.
    lengths : array_like of int, optional
        Length of each sequence; 0 is allowed.
    allowed : as `emissions`, of bool, optional
        Which labels each position may have.

    Examples
    --------
    >>> tags = from_emissions([[[0.0, 1.0], [2.0, 0.0]], [[0.0, 3.0]]], [[0, 0], [-3, 0]], labels=["N", "V"])
    >>> [list(map(str, labels)) for labels in tags.decode()]
    [['N', 'N'], ['V']]
    """
    names = None if labels is None else names_of(labels)
    n_labels = None if names is None else len(names)
    form = {"mask": mask, "lengths": lengths, "allowed": allowed, "n_labels": n_labels}
    packed = pack(emissions, transitions, start=start, end=end, **form)
    return Sequences(packed, Names(names, packed.unary.shape[1]))


def from_hf(
    logits: Any,
    word_ids: Sequence[Any],
    *,
    attention_mask: Any = None,
    overflow_to_sample_mapping: Sequence[int] | None = None,
    subwords: str = "first",
    id2label: Mapping[Any, Any] | Sequence[Any] | None = None,
    transitions: ArrayLike | None = None,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
) -> Sequences:
    """Sequences of words from the logits of a token classifier (Hugging Face transformers and the like).

    Special tokens ([CLS], [SEP]) and padding, whose word id is None (or -1, -100, NaN), are left out.
    `transitions`, `start` and `end` as in `from_emissions`; `bio_transitions` makes them for BIO and BIOES
    labels. `ShapeError`, `ScoreError`, `ArgumentError` if arrays disagree, hold NaN or +inf, an id has no
    label, or the words of a sequence are not 0, 1, 2 and so on: the message names the sequence.

    Parameters
    ----------
    logits : array_like (B, T, K), or list of array_like (T_i, K)
        ``model(**batch).logits``, as a numpy array or anything that `numpy.asarray` accepts.
    word_ids : list of lists of int or None
        ``[batch.word_ids(i) for i in range(B)]``: for each token, the number of its word.
    attention_mask : array_like (B, T), optional
        0 where there is no token; logits there are ignored.
    overflow_to_sample_mapping : sequence of B ints, optional
        ``batch["overflow_to_sample_mapping"]``, if the tokenizer cut long sentences into overlapping
        windows: the sentence, 0, 1, ..., of each window. A word in two windows is read from the one that has
        more of its sub-words or, if equal, from the one where it is further from the window's edge.
    subwords : {"first", "last", "mean"}
        Which sub-word represents a word: the one that the classifier was trained on, or the mean of all.
    id2label : dict of int to str, or sequence of str, optional
        ``model.config.id2label``. None: labels are numbers.

    Examples
    --------
    >>> logits = [[[9.0, 9.0], [0.0, 1.0], [9.0, 0.0], [2.0, 0.0], [9.0, 9.0]]]
    >>> sequences = from_hf(logits, [[None, 0, 0, 1, None]], id2label={0: "O", 1: "B-X"})
    >>> [labels.tolist() for labels in sequences.decode()]
    [['B-X', 'O']]
    """
    words = words_of(logits, word_ids, attention_mask, overflow_to_sample_mapping, subwords)
    labels = None if id2label is None else _labels(id2label)
    return from_emissions(words, transitions, start=start, end=end, labels=labels)


def words_of(
    logits: Any,
    word_ids: Sequence[Any],
    attention_mask: Any = None,
    overflow_to_sample_mapping: Sequence[int] | np.ndarray | None = None,
    subwords: str = "first",
) -> list[np.ndarray]:
    """Logits (words, K) of each sequence; arguments and errors as in `from_hf`."""
    checks.one_of("subwords", subwords, SUBWORDS)
    tables = [_table(i, table) for i, table in enumerate(checks.as_tuple("logits", logits))]
    windows = windows_of(list(map(len, tables)), word_ids, attention_mask)
    sentences = sentences_of(windows, overflow_to_sample_mapping)
    kept = [[(i, _choose(at, subwords)) for i, at in words] for words in sentences]
    read: list[list[int]] = [[] for _ in tables]
    for words in kept:
        for i, at in words:
            read[i].extend(at.tolist())
    known = [_with_zeros(i, table, rows) for i, (table, rows) in enumerate(zip(tables, read))]
    return [
        np.array([known[i][at].mean(axis=0) for i, at in words]) if words else known[0][:0] for words in kept
    ]


def _table(i: int, logits: Any) -> np.ndarray:
    table = array_of(f"logits[{i}]", logits)
    if table.ndim != 2:
        raise ShapeError(f"logits[{i}] has shape {table.shape}; it needs (T, K)")
    return table


def _choose(places: np.ndarray, subwords: str) -> np.ndarray:
    """The places of the sub-words that represent a word."""
    return places if subwords == "mean" else places[:1] if subwords == "first" else places[-1:]


def _with_zeros(i: int, table: np.ndarray, rows: list[int]) -> np.ndarray:
    """A table of scores with 0 in rows that are not read, so that their content is not checked."""
    is_read = np.zeros(len(table), dtype=bool)
    is_read[rows] = True
    if table.dtype.kind == "f":
        table = np.where(is_read[:, None], table, 0)
    return checks.scores(f"logits[{i}]", table, 2)


def windows_of(
    lengths: Sequence[int], word_ids: Sequence[Any], attention_mask: Any = None
) -> list[dict[Any, Any]]:
    """For each sequence of tokens, the places of each word's sub-words in order, ``{word: places}``."""
    ids = checks.as_tuple("word_ids", word_ids)
    if len(ids) != len(lengths):
        raise ShapeError(f"word_ids has {len(ids)} sequences; logits has {len(lengths)}")
    there = (
        (None,) * len(ids) if attention_mask is None else checks.as_tuple("attention_mask", attention_mask)
    )
    if len(there) != len(ids):
        raise ShapeError(f"attention_mask has {len(there)} sequences; logits has {len(ids)}")
    return [_window(i, *sequence) for i, sequence in enumerate(zip(lengths, ids, there))]


def sentences_of(
    windows: list[dict[Any, Any]], mapping: Sequence[int] | np.ndarray | None
) -> list[list[Pieces]]:
    """For each sentence, the places of its words 0, 1, ..., each in the window that holds it best."""
    if mapping is None:
        return [_best(f"word_ids[{i}]", [(i, window)]) for i, window in enumerate(windows)]
    name = "overflow_to_sample_mapping"
    samples = checks.whole_numbers(name, list(mapping), 0, max(len(windows) - 1, 0)).tolist()
    if len(samples) != len(windows):
        raise ShapeError(f"{name} has {len(samples)} windows; logits has {len(windows)}")
    held: list[list[tuple[int, dict[Any, Any]]]] = [[] for _ in range(max(samples, default=-1) + 1)]
    for i, sample in enumerate(samples):
        held[sample].append((i, windows[i]))
    return [_best(f"word_ids of sentence {s}", some) for s, some in enumerate(held)]


def _best(name: str, windows: list[tuple[int, dict[Any, Any]]]) -> list[Pieces]:
    """For each word, the window with most of its sub-words; ties go to the one where it lies deepest."""
    if not windows:
        raise ArgumentError(f"{name} must be in a window, got none")
    best: dict[int, tuple[tuple[int, int], Pieces]] = {}
    for i, window in windows:
        places = list(window.values())
        start, end = (places[0][0], places[-1][-1]) if places else (0, 0)
        for word, at in window.items():
            rank = len(at), int(min(at[0] - start, end - at[-1]))
            if word not in best or rank > best[word][0]:  # ties: the first window
                best[word] = rank, (i, at)
    for expected, word in enumerate(sorted(best)):
        if word != expected and expected == 0:
            raise ArgumentError(
                f"{name} must begin with word 0, got {word}: of windows of a longer sentence hand over "
                "overflow_to_sample_mapping too"
            )
        if word != expected:
            raise ArgumentError(f"{name} must have every word, got none for word {expected}")
    return [best[word][1] for word in sorted(best)]


def _window(i: int, n: int, ids: Any, mask: Any) -> dict[int, np.ndarray]:
    """Places of each word's sub-words in one sequence of `n` tokens."""
    numbers = checks.as_tuple(f"word_ids[{i}]", ids)
    # A fast tokenizer's list is as long as its padded batch; one made before padding may be shorter.
    if len(numbers) > n or (mask is None and len(numbers) != n):
        raise ShapeError(f"word_ids[{i}] has {len(numbers)} tokens; logits[{i}] has {n}")
    is_there = np.ones(n, dtype=bool) if mask is None else checks.mask(f"attention_mask[{i}]", mask)
    if is_there.shape != (n,):
        raise ShapeError(f"attention_mask[{i}] has shape {is_there.shape}; logits[{i}] needs {(n,)}")
    places: dict[int, list[int]] = {}
    before = -1
    for t, number in enumerate(numbers):
        word = _number(f"word_ids[{i}][{t}]", number)
        if word < 0 or not is_there[t]:
            continue
        if word < before:
            raise ArgumentError(
                f"word_ids[{i}][{t}] must not fall, got {word} after {before}: one sentence a sequence"
            )
        places.setdefault(word, []).append(t)
        before = word
    return {word: np.array(at, dtype=np.int64) for word, at in places.items()}


def _number(name: str, value: Any) -> int:
    """The number of a token's word; -1, no word, for None, a number below 0, or NaN in a float array."""
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return -1
    is_whole = isinstance(value, int | np.integer) or (
        isinstance(value, float | np.floating) and float(value).is_integer()
    )
    if not is_whole or isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{name} must be a whole number or None, got {value!r:.60}")
    return max(int(value), -1)


def _labels(id2label: Mapping[Any, Any] | Sequence[Any]) -> tuple[Any, ...]:
    """Labels 0 .. K - 1 in order."""
    if not isinstance(id2label, Mapping):
        return names_of(id2label)
    try:
        by_id = {int(key): name for key, name in id2label.items()}  # JSON turns the keys into strings
    except (TypeError, ValueError):
        raise ArgumentError(f"id2label must have whole numbers as keys, got {id2label!r:.60}") from None
    missing = [k for k in range(len(by_id)) if k not in by_id]
    if missing:
        raise ArgumentError(f"id2label must have all ids 0 to {len(by_id) - 1}, got none for {missing[0]}")
    return tuple(by_id[k] for k in range(len(by_id)))

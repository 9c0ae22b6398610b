"""Baseline for open words: a dictionary of training words, else the best reading letter by letter."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.kernels.jit import kernel


class Dictionary(NamedTuple):
    """Words by length."""

    labels: np.ndarray  # (letters of all entries,) int64: entries one after the other, shorter ones first
    # (longest + 2,) int64: where the entries of each length begin in `labels`; those of length n end where n
    # + 1 begins
    start: np.ndarray
    first: np.ndarray  # (longest + 2,) int64: the number of the first entry of each length
    bonus: np.ndarray  # (entries,): an entry's own score


def dictionary(labels: ArrayLike, lengths: ArrayLike, bonus: ArrayLike) -> Dictionary:
    """Sort words by length; a word's `bonus` is for example the log of how often it occurs."""
    labels = np.asarray(labels, dtype=np.int64)
    lengths = checks.lengths(lengths, len(labels))
    bonus = checks.scores("bonus", bonus, 1)
    order = np.argsort(lengths, kind="stable")
    starts = np.cumsum(lengths) - lengths
    sorted_labels = np.concatenate([labels[starts[w] : starts[w] + lengths[w]] for w in order])
    n = np.bincount(lengths, minlength=int(lengths.max()) + 1)
    first = np.concatenate([[0], np.cumsum(n)])
    start = np.concatenate([[0], np.cumsum(n * np.arange(len(n)))])
    return Dictionary(sorted_labels, start, first, bonus[order])


def read_by_dictionary(known: Dictionary, unary: ArrayLike, lengths: ArrayLike):
    """The best entry (R,) for each word by its letters' scores (R, K).

    >>> known = dictionary([0, 1, 1, 0], [2, 2], [0.0, 0.0])
    >>> read_by_dictionary(known, [[1.0, 0.0], [0.0, 0.5], [0.0, 3.0]], [2, 1])
    array([0, 1, 1])
    """
    unary = checks.scores("unary", unary, 2)
    lengths = checks.lengths(lengths, len(unary))
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.argmax(unary, axis=1)
    _read(known, unary, row_start, entries)
    return entries


@kernel
def _read(known, unary, row_start, entries):
    for w in range(len(row_start) - 1):
        row, n = row_start[w], row_start[w + 1] - row_start[w]
        if n + 1 >= len(known.start):
            continue
        best, pick = -np.inf, -1
        entry = known.first[n]
        for at in range(known.start[n], known.start[n + 1], n):
            score = known.bonus[entry]
            for i in range(n):
                score += unary[row + i, known.labels[at + i]]
            if score > best:
                best, pick = score, at
            entry += 1
        for i in range(n):
            if pick >= 0:
                entries[row + i] = known.labels[pick + i]

"""Rivals of the cascades on composed words: other threshold rules, a dictionary of the training words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.cascade.cascade import Cascade, filter_examples, predict
from spcviz.learning.cascade.decoding import survives
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.retuning import retune
from spcviz.problems.letters import handwriting as letters

RULES = ("mean_max", "margin", "mean_max_first", "probability")
BLOCK = 64
"""Number of words run at a time: after mild filters lattices are large."""


def tuned_cascade(
    cascade: Cascade, rule: str, seen: DenseRows, words: letters.Words, share: float
) -> Cascade:
    """The cascade under a rule, every level's threshold tuned to lose a share of the words that reach it."""
    return retune(cascade, rule, seen, words.labels, words.lengths, (share,) * len(cascade.levels))


def by_word(cascade: Cascade, seen: DenseRows, words: letters.Words) -> dict[str, np.ndarray]:
    """The n-grams that each order scores in each word, and whether the word was lost before it.

    ``n_grams`` and ``positions`` (orders, W), ``lost``, ``right`` (orders, W) bool.
    """
    lengths, starts = words.lengths, np.concatenate([[0], np.cumsum(words.lengths)])
    shape = len(cascade.levels), len(lengths)
    out = {name: np.zeros(shape, dtype=np.int64) for name in ("n_grams", "positions")}
    out |= {name: np.zeros(shape, dtype=bool) for name in ("lost", "right")}
    for a in range(0, len(lengths), BLOCK):
        b = min(a + BLOCK, len(lengths))
        rows = slice(starts[a], starts[b])
        part, labels = DenseRows(seen.values[rows]), words.labels[rows]
        for t, step in enumerate(filter_examples(cascade, part, lengths[a:b])):
            lattice = step.lattice
            out["n_grams"][t, a:b] = np.diff(lattice.example_start)
            out["positions"][t, a:b] = np.diff(lattice.col_start)
            out["lost"][t, a:b] = ~survives(lattice, np.ones(lattice.n_arcs, dtype=bool), labels)
            read = predict(cascade.levels[t], lattice, part).labels == labels
            out["right"][t, a:b] = np.logical_and.reduceat(read, lattice.row_start[:-1])
    return out


def sum_figures(figures: dict[str, np.ndarray], weights: np.ndarray) -> dict[str, np.ndarray]:
    """By order: n-grams per position, their sum so far, percent of words lost before it, percent right."""
    n_grams = (figures["n_grams"] * weights).sum(axis=1) / (figures["positions"] * weights).sum(axis=1)
    words = weights.sum()
    return {
        "n_grams_in": n_grams,
        "n_grams_all": np.cumsum(n_grams),
        "lost": 100 * (figures["lost"] * weights).sum(axis=1) / words,
        "word_accuracy": 100 * (figures["right"] * weights).sum(axis=1) / words,
    }


def compare_rules(
    by_rule: dict[str, dict[str, np.ndarray]], against: str, draws: Sequence[np.ndarray]
) -> list[dict]:
    """Rows by rule and order: `sum_figures`, and ratios of n-grams to another rule's with 95 % intervals.

    Intervals are over `draws` of words.
    """
    out = []
    first = by_rule[against]
    every = np.ones(first["n_grams"].shape[1])
    base = [sum_figures(first, weights) for weights in (every, *draws)]
    for rule, figures in by_rule.items():
        mine = [sum_figures(figures, weights) for weights in (every, *draws)]
        for order in range(1, len(figures["n_grams"]) + 1):
            row = {"rule": rule, "order": order}
            row |= {name: float(values[order - 1]) for name, values in mine[0].items()}
            each = figures["n_grams"][order - 1] / figures["positions"][order - 1]
            row["n_grams_worst"] = float(each.max())
            for what in ("n_grams_in", "n_grams_all"):
                ratio = np.array([m[what][order - 1] / b[what][order - 1] for m, b in zip(mine, base)])
                low, high = np.quantile(ratio[1:], [0.025, 0.975])
                row[f"{what}_ratio"] = [float(ratio[0]), float(low), float(high)]
            out.append(row)
    return out


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

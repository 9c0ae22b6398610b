"""Encode labels of sequences, and split the sequences into folds for cross-fitting."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.sequences.labels import plain, rows_of

Label = str | int

LEAST = 3
"""Fewest sequences from which a policy is learned: some are kept to judge it."""


class Labelled(NamedTuple):
    """Concatenated labels of the sequences that have positions."""

    labels: np.ndarray  # (R,) int64: class numbers; -1 for a label that is not a class
    lengths: np.ndarray  # (W,) int64: at least 1 each

    @property
    def starts(self) -> np.ndarray:
        """First row of each sequence, and the end: shape (W + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)])


def listed_labels(y: Any, lengths: np.ndarray) -> list[Label]:
    """All labels of y in order, checked against the lengths of X."""
    out: list[Label] = []
    for i, sequence in enumerate(rows_of(y, lengths, "positions")):
        for at, given in enumerate(sequence):
            label = plain(given)
            if not isinstance(label, str | int) or isinstance(label, bool):
                raise ArgumentError(f"y[{i}][{at}] must be a str or an int, got {given!r:.60}")
            out.append(label)
    return out


def classes_of(labels: Sequence[Label]) -> tuple[Label, ...]:
    """All labels, sorted; numbers before texts."""
    distinct = sorted(set(labels), key=lambda label: (isinstance(label, str), label))
    if len(distinct) < 2:
        raise ArgumentError(f"y must have at least 2 different labels, got {distinct!r:.60}")
    return tuple(distinct)


def numbers_of(labels: Sequence[Label], classes: Sequence[Label]) -> np.ndarray:
    """Class numbers of labels; -1 for a label that is not a class."""
    number = {label: k for k, label in enumerate(classes)}
    return np.array([number.get(label, -1) for label in labels], dtype=np.int64)


def drawn_folds(n: int, folds: Any, rng: np.random.Generator) -> np.ndarray:
    """The random fold of each of n sequences, 0 .. folds - 1; folds are equally large."""
    folds = checks.integer("cv", folds, 2, 1000)
    if n < LEAST:
        raise ArgumentError(f"X must have at least {LEAST} sequences with positions, got {n}")
    return rng.permutation(n) % min(folds, n)


def some(labelled: Labelled, chosen: np.ndarray) -> Labelled:
    """The sequences that a mask selects."""
    return Labelled(labelled.labels[np.repeat(chosen, labelled.lengths)], labelled.lengths[chosen])

"""Cross-fitting: labels as numbers, folds of sequences, and models of all sequences and without each fold.

Each training run gets the random numbers it would get if they ran one after another: earlier ones are drawn
ahead.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.chains.tiered import Table, Tiered, draw_tiers, fit_tiered
from spcviz.learning.estimators import spread
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


class TierTraining(NamedTuple):
    """Settings for the training of models that read several tiers."""

    edges: np.ndarray  # (T,) number of features up to and including each tier
    n_states: int
    passes: int
    is_one: bool  # one model reads all tiers; else each tier has its own, which reads the features up to it

    def train(self, features: Table, data: Labelled, rng: np.random.Generator) -> tuple[Tiered, ...]:
        """Train the model, or one for each tier."""
        return tuple(
            fit_tiered(
                features[:, : edges[-1]],
                data.labels,
                data.starts,
                edges,
                self.n_states,
                lambda generator: self._draw_tiers(data, generator),
                rng,
                epochs=self.passes,
            )
            for edges in self._models()
        )

    def ahead(self, data: Labelled, rng: np.random.Generator) -> np.random.Generator:
        """A generator for one training run; `rng` is advanced past its numbers."""
        generator = copy.deepcopy(rng)
        for _ in range(self.passes * len(self._models())):
            self._draw_tiers(data, rng)
            rng.permutation(len(data.lengths))
        return generator

    def _models(self) -> list[np.ndarray]:
        return [self.edges] if self.is_one else [self.edges[t : t + 1] for t in range(len(self.edges))]

    def _draw_tiers(self, data: Labelled, rng: np.random.Generator) -> np.ndarray:
        """The tier at which a pass reads each position."""
        if self.is_one:
            return draw_tiers(data.starts, len(self.edges), rng)
        return np.zeros(len(data.labels), dtype=np.int64)


def train_folds(
    how: TierTraining,
    features: Table,
    data: Labelled,
    fold: np.ndarray,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> list[tuple[Tiered, ...]]:
    """Train models on all sequences, then without each fold, with as many workers as joblib says."""
    chosen = [np.ones(len(fold), dtype=bool), *(fold != p for p in range(int(fold.max()) + 1))]
    each = [how.ahead(some(data, mask), rng) for mask in chosen]
    return spread(_some_trained, [(how, features, data, *pair) for pair in zip(chosen, each)], n_jobs)


def _some_trained(
    how: TierTraining, features: Table, data: Labelled, chosen: np.ndarray, rng: np.random.Generator
) -> tuple[Tiered, ...]:
    rows = features if chosen.all() else features[np.repeat(chosen, data.lengths)]
    return how.train(rows, some(data, chosen), rng)

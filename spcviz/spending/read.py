"""Read items of X as features at all tiers, for a fitted estimator; store the tiers and restore them."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.budgets.chains.tiered import Table
from spcviz.sequences.encoding import Vocabulary
from spcviz.sequences.states import Texts, checked_names, pack_texts
from spcviz.spending import features, label_folds
from spcviz.spending.features import Wanted
from spcviz.spending.label_folds import Labelled
from spcviz.spending.tiers import Detached, FeatureTiers, Tiers, are_keys, lengths_of


class StoredTiers(NamedTuple):
    """Tiers in the form in which they are stored."""

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]  # int; empty for a tier with keys or a function
    costs: np.ndarray  # (T - 1,)
    widths: np.ndarray  # (T,) number of features of each tier
    batch: bool = False  # whether functions take many items at once
    keys: tuple[tuple[str, ...], ...] = ()  # of each tier; (): no tier has any
    features: tuple[Texts | None, ...] = ()  # names of each tier's features, in order; (): no tier has any

    def to_tiers(self) -> FeatureTiers:
        """The tiers as a user writes them."""
        columns = tuple(
            of_tier if len(of_tier) else keys or Detached(name)
            for name, of_tier, keys in zip(self.names, self.columns, self.keys or ((),) * len(self.names))
        )
        return FeatureTiers(self.names, columns, (0.0, *self.costs.tolist()), self.batch)

    def vocabularies(self) -> tuple[Vocabulary | None, ...]:
        """The vocabulary of each tier's feature names, after a check of the names."""
        return tuple(
            None if texts is None else Vocabulary((name, n) for n, name in enumerate(checked_names(*texts)))
            for texts in self.features or (None,) * len(self.names)
        )


class TierReader(NamedTuple):
    """Tiers, their widths, the factors that bring them to one scale, and their feature names."""

    tiers: Tiers
    widths: np.ndarray  # (T,) int64
    scales: np.ndarray  # (T,)
    vocabularies: tuple[Vocabulary | None, ...]  # of each tier; None: its features have no names

    @classmethod
    def fit_tiers(
        cls, feature_tiers: Tiers, X: Any, y: Any
    ) -> tuple[Self, Table, Labelled, tuple[str | int, ...]]:
        """(reader, features, labels of the training sequences that have positions, classes)."""
        lengths = lengths_of(X)
        labels = label_folds.listed_labels(y, lengths)
        filled = lengths[lengths > 0]
        if len(filled) < label_folds.LEAST:
            raise ArgumentError(
                f"X must have at least {label_folds.LEAST} sequences with positions, got {len(filled)}"
            )
        classes = label_folds.classes_of(labels)
        parts, vocabularies = [], []
        for t in range(len(feature_tiers.names)):
            table, vocabulary = features.first_features(feature_tiers, X, t)
            if not table.shape[1]:
                raise ArgumentError(
                    f"tier {feature_tiers.names[t]!r} must have at least one feature, got none in all of X"
                )
            parts.append(table)
            vocabularies.append(vocabulary)
        widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
        data = Labelled(label_folds.numbers_of(labels, classes), filled)
        reader = cls(feature_tiers, widths, features.scales_of(parts), tuple(vocabularies))
        return reader, reader.join_tiers(parts), data, classes

    def to_stored(self) -> StoredTiers:
        """Tiers in stored form; functions are code and are left out."""
        none, of = np.zeros(0, dtype=np.int64), self.tiers
        columns = tuple(none if callable(c) or are_keys(c) else c for c in of.columns)
        about = of.names, columns, of.costs, self.widths, of.batch
        if not any(vocabulary is not None for vocabulary in self.vocabularies):
            return StoredTiers(*about)
        keys = tuple(c if are_keys(c) else () for c in of.columns)
        texts = tuple(None if names is None else pack_texts(names) for names in self.vocabularies)
        return StoredTiers(*about, keys, texts)

    def attach(self, name: str, function: Any) -> Self:
        """A reader with `function` for a tier that is computed by one."""
        names = self.tiers.names
        if name not in names:
            raise ArgumentError(f"tier must be one of {', '.join(names)}, got {name!r:.60}")
        t = names.index(name)
        if not callable(self.tiers.columns[t]):
            what = "keys of X's tokens" if are_keys(self.tiers.columns[t]) else "columns of X"
            raise ArgumentError(f"tier {name!r} has {what}, and needs no function")
        if not callable(function):
            raise ArgumentError(f"function must be called as f(x, positions), got {function!r:.60}")
        columns = (*self.tiers.columns[:t], function, *self.tiers.columns[t + 1 :])
        return self._replace(tiers=self.tiers._replace(columns=columns))

    @property
    def edges(self) -> np.ndarray:
        """Number of features up to each tier, (T,)."""
        return np.cumsum(self.widths)

    def lengths(self, X: Any) -> np.ndarray:
        """Positions of each item."""
        return lengths_of(X)

    def features(self, X: Any) -> Table:
        """Features of all tiers at all positions, (R, F) float32."""
        return self.join_tiers([self._read(t, X, features.everywhere(X)) for t in range(len(self.widths))])

    def free(self, X: Any) -> Table:
        """Features of the free tier at all positions, (R, F_0)."""
        return self.buy(X, features.everywhere(X), 0)

    def buy(self, X: Any, wanted: Sequence[Wanted], tier: int) -> Table:
        """Scaled features of a tier at some positions of some items, stacked by rows: (n, F_t)."""
        return features.scale_table(self._read(tier, X, wanted), self.scales[tier])

    def up_to(self, tables: Sequence[Table]) -> Table:
        """Features (n, F) from the results of `free` and `buy` for the first tiers; all others are 0."""
        return features.beside(tables, int(self.widths.sum()))

    def join_tiers(self, parts: Sequence[Table]) -> Table:
        """Tables of all tiers, scaled and side by side."""
        return self.up_to([features.scale_table(part, scale) for part, scale in zip(parts, self.scales)])

    def _read(self, tier: int, X: Any, wanted: Sequence[Wanted]) -> Table:
        part = features.features_at(self.tiers, X, wanted, tier, self.vocabularies[tier])
        if not part.shape[0]:
            return np.zeros((0, int(self.widths[tier])), dtype=np.float32)
        if part.ndim != 2 or part.shape[1] != self.widths[tier]:
            raise ShapeError(
                f"tier {self.tiers.names[tier]!r} has {part.shape[1]} features; fit had {self.widths[tier]}"
            )
        return part

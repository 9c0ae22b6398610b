"""From items of X to features at all tiers, as a fitted estimator reads them."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.spending import labelled, tiers
from spcviz.spending.labelled import Labelled
from spcviz.spending.tiers import FeatureTiers, Tiers, Wanted


class StoredTiers(NamedTuple):
    """Tiers of columns, as they are stored."""

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]  # int; none of a tier that a function computes
    costs: np.ndarray  # (T - 1,)
    widths: np.ndarray  # (T,) features of each tier
    batch: bool = False  # whether functions take many items at once

    def given(self) -> FeatureTiers:
        """As a user writes them."""
        columns = tuple(
            of_tier if len(of_tier) else tiers.Detached(name)
            for name, of_tier in zip(self.names, self.columns)
        )
        return FeatureTiers(self.names, columns, (0.0, *self.costs.tolist()), self.batch)


def stored_tiers(feature_tiers: Tiers, widths: np.ndarray) -> StoredTiers:
    """Tiers as they are stored: a function is code, and is left out; widths (T,)."""
    none = np.zeros(0, dtype=np.int64)
    columns = tuple(none if callable(of_tier) else of_tier for of_tier in feature_tiers.columns)
    return StoredTiers(feature_tiers.names, columns, feature_tiers.costs, widths, feature_tiers.batch)


class Reader(NamedTuple):
    """Tiers, how wide each is, and the factors that bring all to one scale."""

    tiers: Tiers
    widths: np.ndarray  # (T,) int64
    scales: np.ndarray  # (T,)

    @classmethod
    def fitted(
        cls, feature_tiers: Tiers, X: Any, y: Any
    ) -> tuple[Self, np.ndarray, Labelled, tuple[str | int, ...]]:
        """(reader, features, labels of the training sequences that have positions, classes)."""
        lengths = tiers.lengths_of(X)
        labels = labelled.listed_labels(y, lengths)
        filled = lengths[lengths > 0]
        if len(filled) < labelled.LEAST:
            raise ArgumentError(
                f"X must have at least {labelled.LEAST} sequences with positions, got {len(filled)}"
            )
        classes = labelled.classes_of(labels)
        parts = [tiers.features_of(feature_tiers, X, t) for t in range(len(feature_tiers.names))]
        widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
        data = Labelled(labelled.numbers_of(labels, classes), filled)
        reader = cls(feature_tiers, widths, tiers.scales_of(parts))
        return reader, tiers.stacked(parts, reader.scales), data, classes

    def attached(self, name: str, function: Any) -> Self:
        """With the function of a tier that one computes."""
        names = self.tiers.names
        if name not in names:
            raise ArgumentError(f"tier must be one of {', '.join(names)}, got {name!r:.60}")
        t = names.index(name)
        if not callable(self.tiers.columns[t]):
            raise ArgumentError(f"tier {name!r} has columns of X, and needs no function")
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
        return tiers.lengths_of(X)

    def features(self, X: Any) -> np.ndarray:
        """Features of all tiers at all positions, (R, F) float32."""
        parts = [self._checked(t, tiers.features_of(self.tiers, X, t)) for t in range(len(self.widths))]
        return tiers.stacked(parts, self.scales)

    def free_features(self, X: Any) -> np.ndarray:
        """Those of the free tier; 0 in place of all others, for `fill`."""
        free = tiers.stacked([self._checked(0, tiers.features_of(self.tiers, X, 0))], self.scales[:1])
        out = np.zeros((len(free), int(self.widths.sum())), dtype=np.float32)
        out[:, : free.shape[1]] = free
        return out

    def fill(self, rows: list[np.ndarray], X: Any, wanted: Sequence[Wanted], tier: int) -> None:
        """Compute what was bought for positions of some items, into the rows (L, F) of each."""
        stop = int(self.edges[tier])
        for some, part in zip(rows, tiers.features_at(self.tiers, X, wanted, tier)):
            features = self._checked(tier, part)
            some[:, stop - features.shape[1] : stop] = np.float32(self.scales[tier]) * features

    def _checked(self, tier: int, part: np.ndarray) -> np.ndarray:
        if not len(part):
            return np.zeros((0, int(self.widths[tier])), dtype=np.float32)
        if part.ndim != 2 or part.shape[1] != self.widths[tier]:
            raise ShapeError(
                f"tier {self.tiers.names[tier]!r} has {part.shape[1]} features; fit had {self.widths[tier]}"
            )
        return part

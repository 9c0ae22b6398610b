"""Train models of several tiers on all sequences and on all but each fold, in parallel.

Each training run gets the random numbers it would get if they ran one after another: earlier ones are drawn
ahead.
"""

import copy
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.chains.tiered import Table, Tiered, draw_tiers, fit_tiered
from spcviz.learning.workers import spread
from spcviz.spending import label_folds
from spcviz.spending.label_folds import Labelled


class Training(NamedTuple):
    """Settings for the training of models."""

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
    how: Training,
    features: Table,
    data: Labelled,
    fold: np.ndarray,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> list[tuple[Tiered, ...]]:
    """Train models on all sequences, then without each fold, with as many workers as joblib says."""
    chosen = [np.ones(len(fold), dtype=bool), *(fold != p for p in range(int(fold.max()) + 1))]
    each = [how.ahead(label_folds.some(data, mask), rng) for mask in chosen]
    return spread(_some_trained, [(how, features, data, *pair) for pair in zip(chosen, each)], n_jobs)


def _some_trained(
    how: Training, features: Table, data: Labelled, chosen: np.ndarray, rng: np.random.Generator
) -> tuple[Tiered, ...]:
    rows = features if chosen.all() else features[np.repeat(chosen, data.lengths)]
    return how.train(rows, label_folds.some(data, chosen), rng)

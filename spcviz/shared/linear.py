"""Compact storage of linear n-gram models: 32-bit weights, increasing keys as differences."""

from collections.abc import Callable

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, Level
from spcviz.learning.cascade.online import Model


def narrow(model: Model) -> Model:
    """A model in its stored form; `wide` restores it with rounded weights."""
    weights, values = model.weights.astype(np.float32), model.values.astype(np.float32)
    return Model(weights, np.diff(model.keys, prepend=0), values)


def wide(stored: Model) -> Model:
    """The model that `narrow` stored.

    >>> stored = narrow(Model(np.ones((2, 3)), np.array([4, 9]), np.array([0.5, 0.1])))
    >>> stored.keys, wide(stored).keys, wide(stored).values.round(6)
    (array([4, 5]), array([4, 9]), array([0.5, 0.1]))
    """
    keys = np.cumsum(stored.keys, dtype=np.int64)
    return Model(stored.weights.astype(np.float64), keys, stored.values.astype(np.float64))


def with_models(cascade: Cascade, change: Callable[[Model], Model]) -> Cascade:
    """A cascade with its models changed, by `narrow` or `wide`."""
    levels = (Level(change(level.filter), level.alpha, change(level.predictor)) for level in cascade.levels)
    return cascade._replace(levels=tuple(levels))

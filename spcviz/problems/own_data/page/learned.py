"""What a model has learned, in tables: features by their weight for each label, and weights of steps."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.problems.own_data.model.cascades import Reader

N_TOP = 12


class Weighed(NamedTuple):
    """A feature and its weight for a label."""

    feature: str
    weight: float


def top_features(reader: Reader, label: str, n: int = N_TOP) -> tuple[list[Weighed], list[Weighed]]:
    """(features that speak most for a label, most against it) by the model that reads in the end."""
    names = list(reader.vocabulary)
    weights = np.asarray(reader.cascade.levels[-1].predictor.weights)[
        : len(names), reader.labels.index(label)
    ]
    order = np.lexsort((np.arange(len(weights)), -weights))
    best = [Weighed(names[k], float(weights[k])) for k in order[:n].tolist() if weights[k] > 0]
    worst = [Weighed(names[k], float(weights[k])) for k in order[::-1][:n].tolist() if weights[k] < 0]
    return best, worst


def steps(reader: Reader, most: int = 16) -> tuple[Sequence[str], np.ndarray]:
    """(labels, weights of the step from each to each) of the first filter, at most so many labels."""
    labels = reader.labels[:most]
    return labels, np.asarray(reader.cascade.levels[0].filter.pairs.inner)[: len(labels), : len(labels)]

"""Chains as structures: elements are positions, regions windows of 1, 2 and 4 of them."""

import numpy as np

from spcviz.learning.speedboost.boost import PredictorCosts
from spcviz.learning.speedboost.structure import RegionLevel, Structure
from spcviz.learning.speedboost.trees import Prices

N_CLASSES, LENGTH = 3, 8


def chains(n, rng):
    """(Structure, target): labels change rarely; column 0 shows them with noise, 1 better, 2 not at all."""
    labels = np.repeat(rng.integers(N_CLASSES, size=(n, LENGTH // 2)), 2, axis=1).ravel()
    noisy = np.where(rng.random(labels.size) < 0.25, rng.integers(N_CLASSES, size=labels.size), labels)
    fine = np.where(rng.random(labels.size) < 0.05, rng.integers(N_CLASSES, size=labels.size), labels)
    values = np.stack([20 * noisy, 20 * fine, rng.integers(0, 60, labels.size)], axis=1)
    levels = tuple(level(values, n, wide) for wide in (1, 2, 4))
    example = np.repeat(np.arange(n), LENGTH).astype(np.int32)
    target = np.eye(N_CLASSES, dtype=np.float32)[labels]
    return Structure(example, np.ones(labels.size, np.float32), levels, N_CLASSES), target


def level(values, n, wide):
    """Windows of the given width, with mean values and neighbours before and after."""
    n_regions, each = n * LENGTH // wide, LENGTH // wide
    member = (np.arange(n * LENGTH) // wide).astype(np.int32)
    steps = values.reshape(n_regions, wide, -1).mean(axis=1).astype(np.uint8)
    left = np.array([r for r in range(n_regions - 1) if (r + 1) % each], dtype=np.int32)
    first, second = np.concatenate([left, left + 1]), np.concatenate([left + 1, left])
    after = np.repeat([1.0, 0.0], len(left))
    length = np.stack([np.ones(2 * len(left)), after], axis=1).astype(np.float32)
    return RegionLevel(member, steps, first, second, length)


def costs(dear=2.0):
    """Columns 0, 1 and 2 in separate groups; 1 is dear."""
    prices = Prices(np.array([0, 1, 2], np.int32), np.array([0.5, dear, 0.5]), np.full(3, 0.1), np.zeros(3))
    return PredictorCosts(prices, 0.1, 0.1)

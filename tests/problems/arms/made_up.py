"""A few made-up chains of two arms, their splits and settings, and their errors by hand."""

from dataclasses import replace
from functools import partial

import numpy as np

from spcviz.learning.budgets.batch_selection import Looked
from spcviz.problems.arms.model import fit

MS = np.array([9.0, 30.0, 70.0])


SETTINGS = replace(fit.ArmSettings(), epochs=2)


def trial(clips, shares):
    splits = [partial(fit.partition, clips, i, shares) for i in range(2)]
    return fit.Trial(splits, ["first", "second"], MS, fit.draw_parts)


def wrong_by_hand(clips, splits, read):
    """Percentage of wrong elbows and wrists of a reader on test chains."""
    wrong, n = np.zeros(2), 0
    for split in splits:
        labels, test = read(split), split[-1]
        wrong += (test.errors[np.arange(len(labels)), labels] > 20).sum(axis=0)
        n += len(labels)
    return 100 * wrong / n


def made_up(seed):
    """120 chains of ten parts, three models, one meta-feature that tells the first one's gain."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 10, (120, 2))
    losses = 20 - np.concatenate([np.zeros((120, 1), dtype=int), np.cumsum(gains, axis=1)], axis=1)
    meta = np.repeat(gains[:, :1, None] + rng.normal(0, 0.1, (120, 1, 1)), 2, axis=1).astype(float)
    return Looked(meta, losses, np.zeros((3, 1200), dtype=np.int64), np.arange(120), np.full(120, 10))

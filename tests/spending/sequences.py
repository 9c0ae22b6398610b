"""Sequences with features at three prices: the cheap ones often mistake a label, the dear ones seldom."""

import numpy as np

from spcviz.spending import FeatureTiers

LABELS = ("A", "B", "C")
TIERS = FeatureTiers(("cheap", "dear", "dearest"), ([0, 1, 2], [3, 4, 5], np.array([6, 7, 8])), (0, 1, 4))


def drawn(n, seed=0, noise=(1.2, 0.7, 0.3), longest=8):
    """(X, y) of a Markov chain's labels, some sequences are empty."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for i in range(n):
        length = 0 if i % 9 == 4 else int(rng.integers(1, longest))
        labels = [int(rng.integers(3))] if length else []
        while len(labels) < length:
            labels.append(int(rng.choice(3, p=np.roll([0.7, 0.2, 0.1], labels[-1]))))
        exact = np.eye(3)[labels] if length else np.zeros((0, 3))
        X.append(np.concatenate([exact + scale * rng.normal(size=exact.shape) for scale in noise], axis=1))
        y.append([LABELS[k] for k in labels])
    return X, y

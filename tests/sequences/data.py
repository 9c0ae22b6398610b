"""Small tagging problems in every form that the taggers take."""

import numpy as np
from scipy import sparse

TAGS = ["DT", "NN", "VB"]


def sentences(n, seed=0):
    """n sentences of string features and their tags: a word reveals its tag three times in four."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        tags = [int(rng.integers(3))]
        for _ in range(int(rng.integers(0, 7))):
            tags.append((tags[-1] + 1 + (rng.random() < 0.2)) % 3)
        words = [t * 4 + int(rng.integers(4)) if rng.random() < 0.75 else int(rng.integers(12)) for t in tags]
        X.append([[f"w={w}", "b"] for w in words])
        y.append([TAGS[t] for t in tags])
    return X, y


def as_dicts(X):
    return [[{"w": token[0][2:], "b": True} for token in item] for item in X]


def as_arrays(X):
    arrays = []
    for item in X:
        array = np.zeros((len(item), 13))
        array[:, 12] = 1.0
        array[np.arange(len(item)), [int(token[0][2:]) for token in item]] = 1.0
        arrays.append(array)
    return arrays


def as_sparse(X):
    return [sparse.csr_matrix(array) for array in as_arrays(X)]

"""Measure labels of street scenes: recall per class, its mean, pixels right, intervals over parts of a drive.

The pictures of a drive look alike, so intervals come from drawing blocks of consecutive pictures, not single
ones; the draws are the same for all methods.
"""

import numpy as np

from spcviz.problems.scene.data import camvid

BLOCK, N_DRAWS = 12, 2000


def confusion(labels, counts):
    """Pixels by predicted (rows) and true class: int64 (11, 11), from labels and truth of atoms."""
    out = np.zeros((camvid.N_CLASSES, camvid.N_CLASSES), dtype=np.int64)
    np.add.at(out, labels, counts)
    return out


def scores(table: np.ndarray) -> dict:
    """Percent right of pixels (11, 11) by predicted and true class; means leave out absent classes.

    >>> table = np.zeros((11, 11))
    >>> table[0, 0], table[0, 1], table[1, 1] = 3, 1, 1
    >>> percents = scores(table)
    >>> percents["pixel_accuracy"], percents["class_accuracy"]
    (80.0, 75.0)
    """
    right, true = np.diag(table), table.sum(axis=0)
    recall = np.where(true > 0, 100 * right / np.maximum(true, 1), np.nan)
    return {
        "pixel_accuracy": float(100 * right.sum() / max(table.sum(), 1)),
        "class_accuracy": float(np.nanmean(recall)) if (true > 0).any() else float("nan"),
        "classes": [None if np.isnan(percent) else float(percent) for percent in recall],
    }


def draws(n_pictures, rng):
    """Pictures of each bootstrap draw: list of arrays of their numbers."""
    blocks = np.split(np.arange(n_pictures), range(BLOCK, n_pictures, BLOCK))
    chosen = rng.integers(len(blocks), size=(N_DRAWS, len(blocks)))
    return [np.concatenate([blocks[k] for k in draw]) for draw in chosen]


def interval(tables: np.ndarray, drawn: list[np.ndarray], other: np.ndarray | None = None) -> dict:
    """95 % intervals of pixel and class accuracy of tables (P, 11, 11), or of the gain over `other`."""

    def both(table):
        percents = scores(table)
        return np.array([percents["pixel_accuracy"], percents["class_accuracy"]])

    values = np.array([both(tables[pictures].sum(axis=0)) for pictures in drawn])
    if other is not None:
        values -= [both(other[pictures].sum(axis=0)) for pictures in drawn]
    ends = np.percentile(values, [2.5, 97.5], axis=0)
    return dict(zip(("pixel", "class"), ends.T.tolist()))

"""Forests of extremely randomised trees of vectors (Geurts et al. 2006): scikit-learn grows them."""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel


class Forest(NamedTuple):
    """Trees one after another, N nodes in all."""

    root: np.ndarray  # (T,) int32
    feature: np.ndarray  # (N,) int32: column that a node tests; -1 for a leaf
    threshold: np.ndarray  # (N,) uint8: rows with at most this many steps go left
    # (N,) int32: first child, counted from its tree's root; the second is the node after it; -1 for a leaf
    left: np.ndarray
    value: np.ndarray  # (N, K) float32: the answer of a leaf; zeros elsewhere

    def columns(self) -> np.ndarray:
        """Columns that its nodes test, rising."""
        return np.unique(self.feature[self.feature >= 0])


def fit(
    columns: np.ndarray, names: np.ndarray, target: np.ndarray, n_trees: int, max_leaf_nodes: int, **how: Any
) -> Forest:
    """Fit a forest.

    Parameters
    ----------
    columns : ndarray of uint8, shape (n, F')
        Steps of the columns ``names`` (F',); the target is (n, K).
    n_trees, max_leaf_nodes : int
        With a limit on leaves the library grows the best leaf first, and siblings are stored side by side.
    **how
        Further arguments of scikit-learn's ``ExtraTreesRegressor``.
    """
    from sklearn.ensemble import ExtraTreesRegressor  # takes a second to import, only learning needs it

    regressor = ExtraTreesRegressor(n_trees, max_leaf_nodes=max_leaf_nodes, n_jobs=1, **how)
    regressor.fit(columns.astype(np.float32), target)
    trees = [one.tree_ for one in regressor.estimators_]
    ends = np.cumsum([one.node_count for one in trees])
    asks = np.concatenate([one.children_left for one in trees]) >= 0
    # whole numbers of steps that are at most a threshold are at most its whole part
    threshold = np.floor(np.concatenate([one.threshold for one in trees])).clip(0).astype(np.uint8)
    return Forest(
        (ends - [one.node_count for one in trees]).astype(np.int32),
        np.where(asks, names[np.concatenate([one.feature for one in trees])], -1).astype(np.int32),
        np.where(asks, threshold, 0).astype(np.uint8),
        np.concatenate([one.children_left for one in trees]).astype(np.int32),
        np.where(asks[:, None], 0, np.concatenate([one.value[:, :, 0] for one in trees])).astype(np.float32),
    )


@kernel
def means(
    root: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    left: np.ndarray,
    value: np.ndarray,
    steps: np.ndarray,
    context: np.ndarray,
    rows: np.ndarray,
) -> np.ndarray:
    """Mean answer of a forest's trees to some rows, (n, K): columns from F on are context."""
    out = np.zeros((len(rows), value.shape[1]), dtype=np.float32)
    n_steps = steps.shape[1]
    for first in root:
        for i in range(len(rows)):
            at = first
            while feature[at] >= 0:
                f = feature[at]
                asked = steps[rows[i], f] if f < n_steps else context[rows[i], f - n_steps]
                at = first + left[at] + (0 if asked <= threshold[at] else 1)
            for k in range(value.shape[1]):
                out[i, k] += value[at, k] / len(root)
    return out

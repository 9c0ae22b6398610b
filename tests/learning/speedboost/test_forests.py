"""Forests as node arrays: the same answers as scikit-learn's own."""

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from spcviz.learning.speedboost import forests


def test_a_forest_answers_as_the_library_that_grew_it():
    rng = np.random.default_rng(0)
    steps, context = (rng.integers(0, 64, (200, n)).astype(np.uint8) for n in (3, 2))
    target = np.stack([steps[:, 0] > 20, context[:, 1] > steps[:, 2], rng.random(200)], axis=1)
    how = {"max_leaf_nodes": 25, "max_features": 0.5, "random_state": 3}
    names, seen = np.array([0, 2, 3, 4]), np.concatenate([steps[:, [0, 2]], context], axis=1)
    forest = forests.fit(seen, names, target, 4, **how)
    theirs = ExtraTreesRegressor(4, **how).fit(seen.astype(np.float32), target)
    rows = np.array([5, 0, 199, 7])
    np.testing.assert_allclose(
        forests.means(*forest, steps, context, rows), theirs.predict(seen[rows].astype(np.float32)), atol=1e-5
    )
    assert set(forest.columns().tolist()) <= {0, 2, 3, 4}
    assert len(forest.root) == 4
    again = forests.fit(seen, names, target, 4, **how)
    assert all(one.tobytes() == two.tobytes() for one, two in zip(forest, again))

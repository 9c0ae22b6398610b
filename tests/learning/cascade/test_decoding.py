"""Cascades that filter nodes, by fans and by lattices: the same labels, with and without ties."""

import numpy as np
import pytest

from spcviz.learning.cascade import decoding
from spcviz.learning.cascade.config import Cascade, Level
from spcviz.learning.cascade.features import SparseRows
from spcviz.learning.cascade.online import Model
from spcviz.learning.cascade.problem import prepare

K, F = 4, 7


def random_case(seed):
    """(cascade of four levels, features, lengths); every other time whole weights, for ties."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, 12)
    rows = int(lengths.sum())
    features = SparseRows(np.arange(rows + 1) * 2, rng.integers(0, F, 2 * rows).astype(np.int32), F)
    lattice = decoding.unigrams(lengths, K)
    for _ in range(3):
        lattice = decoding.extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
    keys = np.sort(prepare(lattice, features, rng.integers(0, K, rows)).keys)

    def model():
        weights, values = rng.normal(size=(F, K)), 0.5 * rng.normal(size=len(keys))
        return Model(*((np.round(weights), keys, np.round(values)) if seed % 2 else (weights, keys, values)))

    alphas = [(0.0, 0.4, -0.7, 0.8)[(seed + t) % 4] for t in range(4)]
    levels = tuple(Level(model(), alpha, model()) for alpha in alphas)
    return Cascade(K, levels, True, 100_000), features, lengths


@pytest.mark.parametrize("seed", range(24))
def test_filters_over_nodes_by_fans_are_those_of_lattices(seed, monkeypatch):
    cascade, features, lengths = random_case(seed)
    *_, last = decoding.filter_examples(cascade, features, lengths)
    slow = decoding.predict(cascade.levels[-1], last.lattice, features)

    def refuse(*_, **__):
        raise AssertionError("no lattice is laid out")

    monkeypatch.setattr(decoding, "bigrams", refuse)
    fast = decoding.decode_examples(cascade, features, lengths)
    np.testing.assert_array_equal(fast.labels, slow.labels)
    np.testing.assert_array_equal(fast.scores, slow.scores)

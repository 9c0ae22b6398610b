"""The dense perceptron takes exactly the steps of the lattice perceptron on all n-grams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.lattice import extend, unigrams
from spcviz.learning.cascade.dense_perceptron import fit_dense
from spcviz.learning.cascade.features import DenseRows, mean_squared_norm
from spcviz.learning.cascade.losses import Perceptron
from spcviz.learning.cascade.online import Rates, fit
from spcviz.learning.cascade.problem import prepare
from tests.learning.cascade.test_crf import N_TAGS, sentences


@pytest.mark.parametrize("order", [1, 2, 3])
def test_steps_are_those_of_the_full_lattice(order):
    _, labels, lengths = sentences(60)
    # Real numbers, so that no two labellings tie: the two break ties in different orders.
    features = DenseRows(np.random.default_rng(1).normal(size=(len(labels), 6)).astype(np.float32))
    norm = mean_squared_norm(features)
    lattice = unigrams(lengths, N_TAGS)
    for _ in range(order - 1):
        lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
    slow = fit(
        prepare(lattice, features, labels),
        Perceptron(),
        np.arange(len(lengths)),
        np.random.default_rng(0),
        epochs=3,
        rates=Rates(norm, 0.37 / norm),  # steps of 1
    ).model
    fast = fit_dense(
        features, labels, lengths, N_TAGS, order, np.random.default_rng(0), epochs=3, gram_rate=0.37
    ).model
    assert_allclose(fast.weights, slow.weights, atol=1e-9)
    ours, theirs = (dict(zip(m.keys.tolist(), m.values)) for m in (fast, slow))
    for key in ours.keys() | theirs.keys():
        assert_allclose(ours.get(key, 0.0), theirs.get(key, 0.0), atol=1e-9)


def test_bad_arguments_are_refused():
    features, labels, lengths = sentences(5)
    rng = np.random.default_rng(0)
    with pytest.raises(ShapeError, match="lengths needs"):
        fit_dense(features, labels, lengths[:-1], N_TAGS, 2, rng, epochs=1)
    with pytest.raises(ArgumentError, match=r"K\^n"):
        fit_dense(features, labels, lengths, 200, 4, rng, epochs=1)
    with pytest.raises(ArgumentError, match="epochs"):
        fit_dense(features, labels, lengths, N_TAGS, 2, rng, epochs=-1)

"""Random grids as the thesis draws them, and the errors and agreement measured on them."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import ensemble
from spcviz.problems.grids import fields as task
from tests.oracles import graph as oracle


def test_instances_follow_the_thesis():
    instance = task.random_grid(np.random.default_rng(0))
    assert instance.unary.shape == (11, 11, 8)
    assert instance.across.size + instance.down.size == 220 * 64
    assert np.exp(instance.unary).max() <= 1
    assert_allclose(np.exp(instance.unary).mean(), 0.5, atol=0.03)
    pairs = np.concatenate([instance.across.ravel(), instance.down.ravel()])
    assert np.abs(pairs).max() <= 25
    assert_allclose(pairs.std(), 50 / np.sqrt(12), rtol=0.02)


def test_error_counts_what_is_not_kept():
    rng = np.random.default_rng(1)
    samples = rng.integers(4, size=(50, 3))
    scores = rng.normal(size=(2, 3, 4))
    got = task.filter_error(task.state_frequencies(samples, 4), ensemble.state_rank(scores))
    for p, i, k in itertools.product(range(2), range(3), range(1, 5)):
        kept = sorted(range(4), key=lambda s: -scores[p, i, s])[:k]
        assert_allclose(got[p, i, k - 1], np.mean([y not in kept for y in samples[:, i]]))
    assert (got[..., -1] == 0).all()


def test_agreement_is_the_mean_over_pairs():
    ranks = ensemble.state_rank(np.random.default_rng(2).normal(size=(5, 4, 6)))
    for i, value in enumerate(task.agreement(ranks)):
        pairs = [oracle.spearman(a[i], b[i]) for a, b in itertools.combinations(ranks, 2)]
        assert_allclose(value, np.mean(pairs))
    assert np.isnan(task.agreement(ranks[:1])).all()


def test_bad_arguments_are_refused_by_name():
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match=r"strength must be a number from 0 to 100, got 101"):
        task.random_grid(rng, strength=101)
    with pytest.raises(ArgumentError, match="rows must be a whole number from 1 to 300, got 0"):
        task.random_grid(rng, rows=0)
    with pytest.raises(ArgumentError, match="rng must be"):
        task.random_grid(0)
    with pytest.raises(ArgumentError, match="samples must hold at least one labelling"):
        task.state_frequencies(np.empty((0, 3), dtype=int), 2)

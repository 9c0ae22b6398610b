"""Weights of positions: the loss by its formula on all labellings, the gradient by differences, scales."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.crf import Weights, examples_of, loss_and_gradient, take_examples
from spcviz.learning.chains.crf_training import fit_crf
from spcviz.learning.chains.expectations import steps_of
from spcviz.learning.chains.perceptron import fit_perceptron
from spcviz.learning.chains.weighted import expect_weighted


def log_sum(scores):
    return np.logaddexp.reduce(scores) if len(scores) else -np.inf


def by_enumeration(unary, labels, pairwise, weights):
    """Sum of - weight times log p(label | the one before), of all labellings that begin as the truth does."""
    length, n = unary.shape
    every = list(itertools.product(range(n), repeat=length))
    score = {
        y: sum(unary[i, k] for i, k in enumerate(y)) + sum(pairwise[step] for step in itertools.pairwise(y))
        for y in every
    }
    loss = 0.0
    for i in range(length):
        same_before = [y for y in every if y[:i] == tuple(labels[:i])]
        same = [y for y in same_before if y[i] == labels[i]]
        loss -= weights[i] * (log_sum([score[y] for y in same]) - log_sum([score[y] for y in same_before]))
    return loss


def chain_of(rng, length, n, scale):
    """(scores, labels, steps, weights) of a chain; some scores of other labels, and of steps, are -inf."""
    unary, pairwise = scale * rng.normal(size=(length, n)), scale * rng.normal(size=(n, n))
    labels = rng.integers(0, n, length)
    unary[rng.random((length, n)) < 0.15] = -np.inf
    pairwise[rng.random((n, n)) < 0.15] = -np.inf
    unary[np.arange(length), labels] = scale * rng.normal(size=length)
    pairwise[labels[:-1], labels[1:]] = scale * rng.normal(size=length - 1)
    return unary, labels, pairwise, rng.choice([0.0, 0.5, 1.0, 7.0], length)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 30.0, 400.0]), st.sampled_from([2, 3, 9]))
def test_the_loss_is_its_formula_and_the_gradient_its_slope(seed, scale, n):
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 5 if n < 9 else 3))
    unary, labels, pairwise, weights = chain_of(rng, length, n, scale)
    wanted = by_enumeration(unary, labels, pairwise, weights)
    slope, pairs = unary.copy(), np.zeros((n, n))
    about = labels, np.array([0, length]), steps_of(pairwise), weights
    assert_allclose(expect_weighted(slope, *about, pairs), wanted, rtol=1e-9, atol=1e-9 * scale)
    assert_allclose(slope.sum(axis=1), 0, atol=1e-9)
    step = 1e-4
    for table, of in ((unary, slope), (pairwise, pairs)):
        at = tuple(rng.integers(0, size) for size in table.shape)
        kept = table[at]
        if kept == -np.inf:
            assert of[at] == 0
            continue
        near = []
        for moved in (step, -step):
            table[at] = kept + moved
            near.append(by_enumeration(unary, labels, pairwise, weights))
        table[at] = kept
        assert_allclose(of[at], (near[0] - near[1]) / (2 * step), rtol=1e-5, atol=1e-6 * scale)


def test_labels_that_cannot_be_cost_inf():
    unary = np.array([[0.0, -np.inf], [0.0, 0.0]])
    steps = steps_of(np.zeros((2, 2)))
    about = np.array([1, 0]), np.array([0, 2]), steps, np.ones(2)
    assert expect_weighted(unary, *about, np.zeros((2, 2))) == np.inf


def problem(rng, weights=None, position_weights=None):
    lengths = [4, 1, 0, 3]
    values, labels = rng.normal(size=(8, 5)), rng.integers(0, 3, 8)
    more = {"weights": weights, "position_weights": position_weights}
    return examples_of(DenseRows(values), lengths, labels, 3, **more)


def test_equal_weights_are_the_likelihood():
    of_chains = np.array([0.5, 2.0, 1.0, 3.0])
    plain = problem(np.random.default_rng(0), of_chains)
    both = problem(np.random.default_rng(0), of_chains, np.ones(8))
    weights = Weights(
        np.random.default_rng(1).normal(size=(5, 3)), np.random.default_rng(2).normal(size=(3, 3))
    )
    (loss, slope), (other, other_slope) = (loss_and_gradient(data, weights) for data in (plain, both))
    assert_allclose(loss, other, rtol=1e-12)
    for one, two in zip(slope, other_slope):
        assert_allclose(one, two, atol=1e-12)
    some = np.array([3, 0])
    assert_allclose(
        loss_and_gradient(take_examples(plain, some), weights)[0],
        loss_and_gradient(take_examples(both, some), weights)[0],
    )
    ours, theirs = (fit_crf(data, c1=0.05, c2=0.1, tolerance=1e-12) for data in (plain, both))
    assert_allclose(ours.loss, theirs.loss, rtol=1e-9)


def test_equal_weights_are_the_same_perceptron():
    of_chains = np.array([0.5, 2.0, 1.0, 3.0])
    trained = [
        fit_perceptron(
            problem(np.random.default_rng(0), of_chains, each), np.random.default_rng(3), epochs=5
        ).running.average
        for each in (None, np.ones(8))
    ]
    assert trained[0].unary.tobytes() == trained[1].unary.tobytes()
    assert trained[0].pairwise.tobytes() == trained[1].pairwise.tobytes()


def test_refusals():
    rng = np.random.default_rng(0)
    with pytest.raises(ShapeError, match=r"position_weights has shape \(3,\); lengths needs \(8,\)"):
        problem(rng, None, np.ones(3))
    with pytest.raises(ArgumentError, match=r"position_weights\[2\] must be at least 0, got -1"):
        problem(rng, None, np.array([1, 1, -1, 1, 1, 1, 1, 1]))
    with pytest.raises(ArgumentError, match=r"labels\[0\] must be known where positions have weights"):
        examples_of(DenseRows(np.ones((1, 1))), [1], [-1], 2, position_weights=[1.0])

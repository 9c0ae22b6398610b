"""The chain perceptron against one written out in plain numpy, step by step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.crf import Weights, examples_of
from spcviz.learning.chains.perceptron import begin, fit_perceptron
from tests.learning.chains.test_crf import csr

K, F = 3, 4


def problem(seed, n=12):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, n)
    values = rng.integers(-2, 3, (lengths.sum(), F)).astype(float)
    return examples_of(
        csr(values), lengths, rng.integers(0, K, lengths.sum()), K, weights=rng.integers(0, 3, n)
    )


def written_out(data, rng, epochs, forbidden=None):
    """(means of the weights before each step, the last weights, number of steps) of the plain perceptron."""
    values = np.zeros((len(data.labels), F))
    for r in range(len(values)):
        entries = slice(data.rows.start[r], data.rows.start[r + 1])
        values[r, data.rows.index[entries]] = data.rows.values[entries]
    unary, pairs = np.zeros((F, K)), np.zeros((K, K))
    sums, n = [np.zeros((F, K)), np.zeros((K, K))], 0
    used = np.flatnonzero((np.diff(data.row_start) > 0) & (data.weights > 0))
    for _ in range(epochs):
        for w in rng.permutation(used):
            where = slice(data.row_start[w], data.row_start[w + 1])
            steps = pairs if forbidden is None else np.where(forbidden[1], -np.inf, pairs)
            predicted = chain.decode(values[where] @ unary, steps).labels
            sums[0] += unary
            sums[1] += pairs
            for labels, sign in ((data.labels[where], 1.0), (predicted, -1.0)):
                for x, k in zip(values[where], labels):
                    unary[:, k] += sign * data.weights[w] * x
                np.add.at(pairs, (labels[:-1], labels[1:]), sign * data.weights[w])
            n += 1
    return [total / n for total in sums], (unary, pairs), n


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_the_plain_perceptron(seed):
    data = problem(seed)
    running = fit_perceptron(data, np.random.default_rng(seed), epochs=3).running
    _, last, n = written_out(data, np.random.default_rng(seed), 3)
    assert running.n_steps == n
    assert_allclose(running.weights.unary, last[0], atol=1e-9)
    assert_allclose(running.weights.pairwise, last[1], atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_average_is_over_the_steps(seed):
    data = problem(seed)
    running = fit_perceptron(data, np.random.default_rng(seed), epochs=3).running
    before, last, n = written_out(data, np.random.default_rng(seed), 3)
    # `late` counts a change at step s as present in n - s of n steps: the weights after each step.
    after = [mean + final / n for mean, final in zip(before, last)]
    assert_allclose(running.average.unary, after[0], atol=1e-9)
    assert_allclose(running.average.pairwise, after[1], atol=1e-9)


def test_a_perceptron_goes_on_where_it_was():
    data, rng = problem(0), np.random.default_rng(0)
    first = fit_perceptron(data, rng, epochs=2).running
    kept = first.weights.unary.copy()
    both = fit_perceptron(data, rng, epochs=1, running=first).running
    whole = fit_perceptron(data, np.random.default_rng(0), epochs=3).running
    assert_allclose(both.average.unary, whole.average.unary)
    assert_allclose(both.average.pairwise, whole.average.pairwise)
    assert np.array_equal(first.weights.unary, kept)


def test_forbidden_steps_are_never_found():
    rng = np.random.default_rng(1)
    labels = np.array([0, 1, 2] * 6)  # 0 never follows 0
    data = examples_of(DenseRows(rng.normal(size=(18, F))), [6, 6, 6], labels, K)
    forbidden = np.zeros((3, K, K), dtype=bool)
    forbidden[1] = np.eye(K, dtype=bool)
    forbidden[0, 2, 2] = True
    running = fit_perceptron(data, np.random.default_rng(0), epochs=4, forbidden=forbidden).running
    assert running.weights.pairwise.diagonal().tolist() == [0.0] * K
    assert np.isfinite(running.weights.pairwise).all()


def test_an_interrupted_perceptron_keeps_whole_passes():
    data, losses = problem(2), []

    def tick(epoch, wrong):
        losses.append(wrong)
        if epoch == 2:
            raise KeyboardInterrupt

    course = fit_perceptron(data, np.random.default_rng(0), epochs=9, tick=tick)
    whole = fit_perceptron(data, np.random.default_rng(0), epochs=2)
    assert course.was_interrupted
    assert not whole.was_interrupted
    assert_allclose(course.running.average.unary, whole.running.average.unary)


def test_what_does_not_fit_is_named():
    data = problem(0)
    with pytest.raises(ShapeError, match="running has shapes"):
        fit_perceptron(
            data,
            np.random.default_rng(0),
            epochs=1,
            running=begin(Weights(np.zeros((1, K)), np.zeros((K, K)))),
        )
    with pytest.raises(ArgumentError, match="epochs must be a whole number from 0"):
        fit_perceptron(data, np.random.default_rng(0), epochs=-1)

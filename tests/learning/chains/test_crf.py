"""The CRF's loss: enumeration, finite differences, CRFsuite's numbers on the same weights; its optimiser."""

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.crf import Weights, examples_of, log_partitions, loss_and_gradient, take_examples
from spcviz.learning.chains.crf_training import Which, begin, fit_crf, fit_stochastic
from spcviz.learning.chains.perceptron import fit_perceptron
from spcviz.learning.chains.rows import CsrRows, emissions
from tests.oracles import chain as oracle

K = 3


def csr(values):
    """A dense array as `CsrRows`."""
    rows, columns = np.nonzero(values)
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(values)))])
    return CsrRows(start, columns.astype(np.int32), values[rows, columns], values.shape[1])


def problem(rng, layout="csr", unknown=0.0, n_features=5, lengths=(4, 1, 3, 0, 2)):
    n = sum(lengths)
    values = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.6)
    labels = np.where(rng.random(n) < unknown, -1, rng.integers(0, K, n))
    allowed = rng.random((n, K)) < 0.6
    allowed[np.arange(n), rng.integers(0, K, n)] = True
    rows = csr(values) if layout == "csr" else DenseRows(values)
    data = examples_of(rows, lengths, labels, K, allowed=allowed, weights=rng.random(len(lengths)))
    return data, values


def by_enumeration(data, values, weights):
    """The weighted negative log-likelihood."""
    loss = 0.0
    for w, weight in enumerate(data.weights):
        where = slice(data.row_start[w], data.row_start[w + 1])
        if where.start == where.stop:
            continue
        unary, labels = values[where] @ weights.unary, data.labels[where]
        every = oracle.labellings(*unary.shape)
        score = oracle.scores(unary, weights.pairwise, every)
        fits = np.ones(len(every), dtype=bool)
        for i, label in enumerate(labels):
            mask = data.allowed[where][i] if label < 0 else np.arange(K) == label
            fits &= mask[every[:, i]]
        loss += weight * (oracle.log_sum(score) - oracle.log_sum(score[fits]))
    return loss


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["csr", "dense"]), st.sampled_from([0.0, 0.4, 1.0]))
def test_loss_is_that_of_enumeration_and_the_gradient_that_of_differences(seed, layout, unknown):
    rng = np.random.default_rng(seed)
    data, values = problem(rng, layout, unknown)
    weights = Weights(rng.normal(size=(5, K)), rng.normal(size=(K, K)))
    loss, gradient = loss_and_gradient(data, weights)
    assert_allclose(loss, by_enumeration(data, values, weights), rtol=1e-9, atol=1e-9)
    for table, slope in zip(weights, gradient):
        at = tuple(rng.integers(0, size) for size in table.shape)
        step, kept = 1e-5, table[at]
        table[at] = kept + step
        above = loss_and_gradient(data, weights)[0]
        table[at] = kept - step
        below = loss_and_gradient(data, weights)[0]
        table[at] = kept
        assert_allclose(slope[at], (above - below) / (2 * step), rtol=1e-5, atol=1e-7)


def test_dense_and_sparse_rows_are_the_same_model():
    values = np.random.default_rng(0).normal(size=(6, 4)) * [1, 0, 1, 1]
    lengths, labels = [2, 4], [0, 1, 2, 0, 1, 1]
    both = [examples_of(rows, lengths, labels, K) for rows in (csr(values), DenseRows(values))]
    ours, theirs = (fit_crf(data, c2=0.1, tolerance=1e-12) for data in both)
    assert_allclose(ours.weights.unary, theirs.weights.unary, atol=1e-5)
    assert_allclose(ours.loss, theirs.loss, rtol=1e-9)


@pytest.fixture(scope="module")
def crfsuite_model(tmp_path_factory):
    """A model trained by CRFsuite on values that are not indicators: (tagger, sentences, file)."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    rng = np.random.default_rng(3)
    trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs")
    trainer.set_params({"c2": 0.1, "feature.possible_transitions": True, "epsilon": 1e-9, "delta": 1e-12})
    sentences = []
    for _ in range(60):
        tags = rng.integers(0, K, rng.integers(1, 8))
        # positive values: CRFsuite leaves out features whose values add up to 0 or less
        items = [{f"f{t}": 1.0, f"f{rng.integers(3, 8)}": float(rng.exponential()), "b": 0.5} for t in tags]
        sentences.append((items, [str(t) for t in tags]))
        trainer.append(items, sentences[-1][1])
    path = str(tmp_path_factory.mktemp("crfsuite") / "model")
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger, sentences, path


def as_ours(tagger, sentences, path):
    """(weights of CRFsuite's model, values, labels) in our numbering.

    `Tagger.info` prints six digits, so the weights come from the file: a header of twelve words, then a chunk
    of features, each (kind, from, to, 64 bits).
    """
    info = tagger.info()
    number = {name: i for i, name in enumerate(info.attributes)}
    rows = {int(theirs): number[name] for name, theirs in info.attributes.items()}
    tags = {int(theirs): int(name) for name, theirs in info.labels.items()}
    weights = Weights(np.zeros((len(number), K)), np.zeros((K, K)))
    data = Path(path).read_bytes()
    at = struct.unpack_from("<I", data, 28)[0]
    count = struct.unpack_from("<I", data, at + 8)[0]
    for kind, source, target, value in struct.iter_unpack("<IIId", data[at + 12 : at + 12 + 20 * count]):
        if kind == 0:
            weights.unary[rows[source], tags[target]] = value
        else:
            weights.pairwise[tags[source], tags[target]] = value
    values = np.zeros((sum(len(items) for items, _ in sentences), len(number)))
    for r, item in enumerate(item for items, _ in sentences for item in items):
        for name, value in item.items():
            values[r, number[name]] = value
    return weights, values, np.array([int(tag) for _, tags in sentences for tag in tags])


def test_marginals_and_probabilities_are_crfsuites_on_the_same_weights(crfsuite_model):
    tagger, sentences, _ = crfsuite_model
    weights, values, _ = as_ours(*crfsuite_model)
    first = 0
    for items, tags in sentences:
        unary = emissions(csr(values[first : first + len(items)]), weights.unary)
        score = unary[np.arange(len(tags)), np.array(tags, int)].sum()
        score += sum(weights.pairwise[int(a), int(b)] for a, b in pairwise(tags))
        log_partition = log_partitions(unary, np.array([0, len(items)]), weights.pairwise)[0]
        tagger.set(items)
        theirs = [[tagger.marginal(str(k), i) for k in range(K)] for i in range(len(items))]
        assert_allclose(unary, theirs, atol=1e-9)
        assert_allclose(np.exp(score - log_partition), tagger.probability(tags), rtol=1e-9)
        first += len(items)


def test_the_optimum_is_crfsuites(crfsuite_model):
    sentences = crfsuite_model[1]
    weights, values, labels = as_ours(*crfsuite_model)
    data = examples_of(csr(values), [len(items) for items, _ in sentences], labels, K)
    course = fit_crf(data, c2=0.1, tolerance=1e-14, max_iterations=500)
    assert course.has_converged
    assert_allclose(course.weights.unary, weights.unary, atol=2e-4)
    assert_allclose(course.weights.pairwise, weights.pairwise, atol=2e-4)


def test_l1_reaches_a_point_where_no_weight_wants_to_move():
    rng = np.random.default_rng(1)
    data, _ = problem(rng, n_features=20, lengths=(5,) * 12)
    c1, c2 = 0.6, 0.05
    course = fit_crf(data, c1=c1, c2=c2, tolerance=1e-14, max_iterations=2000, which=Which(all_states=True))
    _, gradient = loss_and_gradient(data, course.weights)
    assert 0.2 < np.mean(course.weights.unary == 0) < 0.98
    for table, slope in zip(course.weights, gradient):
        slope = slope + 2 * c2 * table
        assert_allclose(slope[table != 0], -c1 * np.sign(table[table != 0]), atol=2e-3)
        assert np.abs(slope[table == 0]).max(initial=0.0) <= c1 + 2e-3


def test_forbidden_steps_have_no_probability():
    rng = np.random.default_rng(2)
    forbidden = np.zeros((3, K, K), dtype=bool)
    forbidden[1, 0, 2] = forbidden[0, 2, 2] = forbidden[2, 1, 1] = True
    data = examples_of(csr(rng.normal(size=(5, 4))), [3, 2], [0, 1, 2, 0, 0], K)
    weights = Weights(rng.normal(size=(4, K)), rng.normal(size=(K, K)))
    loss, gradient = loss_and_gradient(data, weights, forbidden=forbidden)
    expected, values = 0.0, np.zeros((5, 4))
    values[:] = np.add.reduceat(data.rows.values, np.arange(0, 20, 1)).reshape(5, 4)
    for where in (slice(0, 3), slice(3, 5)):
        unary, labels = values[where] @ weights.unary, data.labels[where]
        every = oracle.labellings(*unary.shape)
        every = every[(every[:, 0] != 2) & (every[:, -1] != 1)]
        every = every[~((every[:, :-1] == 0) & (every[:, 1:] == 2)).any(axis=1)]
        score = oracle.scores(unary, weights.pairwise, every)
        expected += oracle.log_sum(score) - score[(every == labels).all(axis=1)][0]
    assert_allclose(loss, expected, rtol=1e-9)
    assert gradient.pairwise[0, 2] == 0


def test_weights_of_examples_count_as_repetitions():
    rng = np.random.default_rng(4)
    data, _ = problem(rng)
    weights = Weights(rng.normal(size=(5, K)), rng.normal(size=(K, K)))
    once = data._replace(weights=np.array([1.0, 1, 1, 1, 1]))
    twice = loss_and_gradient(take_examples(once, np.array([0, 1, 2, 3, 4, 4, 4])), weights)
    weighted = loss_and_gradient(once._replace(weights=np.array([1.0, 1, 1, 1, 3])), weights)
    assert_allclose(twice[0], weighted[0], rtol=1e-12)
    assert_allclose(twice[1].unary, weighted[1].unary, atol=1e-12)


def test_an_interrupted_fit_keeps_the_best():
    data, _ = problem(np.random.default_rng(5))
    losses = []

    def tick(_, loss):
        losses.append(loss)
        if len(losses) == 3:
            raise KeyboardInterrupt

    course = fit_crf(data, tick=tick, c2=0.1)
    assert course.was_interrupted
    assert course.n_iterations == 3
    assert_allclose(course.loss, min(losses))
    again = loss_and_gradient(data, course.weights)[0] + 0.1 * sum((part**2).sum() for part in course.weights)
    assert_allclose(again, course.loss, rtol=1e-9)


def test_stochastic_steps_lower_the_loss():
    data, _ = problem(np.random.default_rng(6), lengths=(5,) * 40)
    start = begin(Weights(np.zeros((5, K)), np.zeros((K, K))))
    now = start
    for seed in range(10):
        now = fit_stochastic(data, np.random.default_rng(seed), now, rate=0.1, c2=0.01)
    best = fit_crf(data, c2=0.01, tolerance=1e-10).weights
    losses = [loss_and_gradient(data, weights)[0] for weights in (start.weights, now.weights, best)]
    assert losses[0] > losses[1] > losses[2]
    assert losses[1] - losses[2] < 0.2 * (losses[0] - losses[2])
    assert not start.weights.unary.any()


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"rows": np.zeros((2, 2))}, ArgumentError, "rows must be CsrRows or DenseRows"),
        ({"rows": DenseRows(np.array([[np.nan], [0.0]]))}, ScoreError, "features must be finite"),
        ({"lengths": [3]}, ShapeError, "rows has 2 rows; lengths needs 3"),
        ({"labels": [0, 3]}, ArgumentError, r"labels\[1\] must be from -1 to 2, got 3"),
        ({"labels": [0]}, ShapeError, "labels has shape"),
        ({"allowed": np.ones((2, 2), bool)}, ShapeError, r"allowed has shape \(2, 2\)"),
        ({"allowed": np.zeros((2, K), bool), "labels": [0, -1]}, ArgumentError, r"allowed\[1\] must allow"),
        ({"weights": [-1.0]}, ArgumentError, r"weights\[0\] must be at least 0"),
        ({"weights": [1.0, 1.0]}, ShapeError, "weights has shape"),
    ],
)
def test_bad_examples_are_named(change, kind, message):
    good = {"rows": csr(np.ones((2, 1))), "lengths": [2], "labels": [0, 1], "n_states": K} | change
    with pytest.raises(kind, match=message):
        examples_of(**good)


def test_what_cannot_be_fitted_is_said():
    data, _ = problem(np.random.default_rng(0), unknown=0.5)
    with pytest.raises(ArgumentError, match="must be known to a perceptron"):
        fit_perceptron(data, np.random.default_rng(0), epochs=1)
    with pytest.raises(ShapeError, match="initial has shapes"):
        fit_crf(data, initial=Weights(np.zeros((1, K)), np.zeros((K, K))))
    with pytest.raises(ArgumentError, match="c1 must be a number from 0"):
        fit_crf(data, c1=-1.0)
    forbidden = np.zeros((3, K, K), dtype=bool)
    forbidden[1] = True
    with pytest.raises(InfeasibleError, match="every labelling of chain 0"):
        loss_and_gradient(data, Weights(np.zeros((5, K)), np.zeros((K, K))), forbidden=forbidden)

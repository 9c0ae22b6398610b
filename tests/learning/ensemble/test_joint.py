"""Joint learning of an ensemble: it follows the gradient of its objective, and learns what no comb knows."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.graphs import ensemble, graph, grid, tree
from spcviz.learning.ensemble import joint as learn
from tests.oracles import graph as oracle


class TableModel(NamedTuple):
    """A tree with a weight for each feature and state, and for each feature and pair: everything in tables.

    The first K F weights score states (``[k, f]``), the other G K K pairs of states (``[g, j, k]``).
    Witnesses are decoded one by one.
    """

    edges: np.ndarray
    node: np.ndarray
    edge: np.ndarray
    n_states: int
    valid: np.ndarray | None = None

    @property
    def n_variables(self):
        return len(self.node)

    @property
    def n_weights(self):
        return self.n_states * self.node.shape[1] + self.edge.shape[1] * self.n_states**2

    def scores(self, weights):
        """(unary (N, K), pairwise (E, K, K))."""
        cut, n = self.n_states * self.node.shape[1], self.n_states
        unary = self.node @ weights[:cut].reshape(n, -1).T
        pairwise = (self.edge @ weights[cut:].reshape(-1, n * n)).reshape(-1, n, n)
        return unary if self.valid is None else np.where(self.valid, unary, -np.inf), pairwise

    def features(self, labels):
        n = self.n_states
        nodes, pairs = np.zeros((len(labels), n)), np.zeros((len(self.edges), n, n))
        nodes[np.arange(len(labels)), labels] = 1.0
        pairs[np.arange(len(pairs)), labels[self.edges[:, 0]], labels[self.edges[:, 1]]] = 1.0
        of_pairs = self.edge.T @ pairs.reshape(len(pairs), n * n)
        return np.concatenate([(nodes.T @ self.node).reshape(-1), of_pairs.reshape(-1)])

    def margin_parts(self, weights, truth, alpha):
        unary, pairwise = self.scores(weights)
        best, table = tree.node_max_marginals(unary, self.edges, pairwise)
        of_witnesses = []
        for i, k in np.argwhere(table > -np.inf):
            through = unary.copy()
            through[i, np.arange(self.n_states) != k] = -np.inf
            of_witnesses.append(self.features(tree.decode(through, self.edges, pairwise).labels))
        top = self.features(tree.decode(unary, self.edges, pairwise).labels)
        gradient = alpha * top + (1 - alpha) * np.mean(of_witnesses, axis=0)
        return self.features(truth), best, float(table[table > -np.inf].mean()), gradient


def random_example(rng, n_models=2, n=4, k=3, is_pruned=False):
    """Random trees over the same nodes, each with its own features; with `is_pruned` some states are gone."""
    models = []
    for _ in range(n_models):
        edges = (
            np.array([[i, rng.integers(i)] for i in range(1, n) if rng.random() < 0.9])
            .reshape(-1, 2)
            .astype(int)
        )
        features = rng.normal(size=(n, 2)), rng.normal(size=(len(edges), 2))
        valid = None
        if is_pruned:
            valid = rng.random((n, k)) < 0.8
            valid[:, 0] = True
        models.append(TableModel(edges, *features, k, valid))
    truth = np.zeros(n, dtype=int) if is_pruned else rng.integers(k, size=n)
    return learn.JointExample(tuple(models), (truth,) * n_models)


def slow_threshold(model, weights, alpha):
    """(4.3) by enumeration."""
    unary, pairwise = model.scores(weights)
    table = oracle.node_table(unary, model.edges, pairwise, max)
    finite = table[table > -np.inf]
    return alpha * finite.max() + (1 - alpha) * finite.mean()


def slow_objective(examples, weights, alpha, regularisation, margin=None):
    """(5.5) by enumeration."""
    value = regularisation / 2 * sum((w**2).sum() for w in weights)
    for models, truths in examples:
        gap = len(truths[0]) if margin is None else margin
        for model, w, truth in zip(models, weights, truths):
            unary, pairwise = model.scores(w)
            gap += slow_threshold(model, w, alpha) - oracle.score(unary, model.edges, pairwise, truth)
        value += max(0.0, gap) / len(examples)
    return value


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    alpha=st.sampled_from([0.0, 0.4, 0.9]),
    is_pruned=st.booleans(),
)
def test_direction_is_minus_the_gradient_of_the_objective(seed, alpha, is_pruned):
    """Q9 for (5.5): central differences of the enumerated objective, where it is differentiable."""
    rng = np.random.default_rng(seed)
    examples = [random_example(rng, is_pruned=is_pruned) for _ in range(2)]
    weights = [rng.normal(size=m.n_weights) for m in examples[0].models]
    regularisation = 0.3
    value = learn.objective(examples, weights, alpha, regularisation)
    assert_allclose(value, slow_objective(examples, weights, alpha, regularisation), rtol=1e-9)
    hinges = [learn.joint_hinge(example, weights, alpha) for example in examples]
    for p, w in enumerate(weights):
        analytic = regularisation * w - sum(joint.directions[p] for joint in hinges) / len(examples)
        for at in rng.permutation(len(w))[:6]:
            slopes = []
            for h in (1e-6, 5e-7):
                moved = []
                for sign in (1, -1):
                    shifted = [v.copy() for v in weights]
                    shifted[p][at] += sign * h
                    moved.append(slow_objective(examples, shifted, alpha, regularisation))
                slopes.append((moved[0] - moved[1]) / (2 * h))
            if abs(slopes[0] - slopes[1]) < 1e-6:  # no kink nearby
                assert_allclose(analytic[at], slopes[0], rtol=1e-4, atol=1e-5)


def test_terms_match_enumeration_of_witnesses():
    """The threshold's gradient, witness after witness: alpha f(y*) + (1 - alpha) mean f(y*(y_j))."""
    rng = np.random.default_rng(4)
    for is_pruned in (False, True):
        model = random_example(rng, n_models=1, is_pruned=is_pruned).models[0]
        w, alpha = rng.normal(size=model.n_weights), 0.3
        unary, pairwise = model.scores(w)
        terms = learn.sub_model_terms(model, w, np.zeros(4, dtype=int), alpha)
        scores = oracle.all_scores(unary, model.edges, pairwise)
        counts = oracle.witness_counts(unary, model.edges, pairwise, np.ones_like(unary))
        n_valid = np.isfinite(unary).sum()
        top = max(scores, key=scores.get)
        assert_allclose(terms.best, scores[top])
        assert_allclose(terms.threshold, slow_threshold(model, w, alpha))
        best = model.features(np.array(top))
        nodes, pairs = counts[0] / n_valid, (counts[1] / n_valid).reshape(len(model.edges), -1)
        mean = np.concatenate([(nodes.T @ model.node).reshape(-1), (model.edge.T @ pairs).reshape(-1)])
        assert_allclose(terms.threshold_gradient, alpha * best + (1 - alpha) * mean, atol=1e-9)
        assert_allclose(terms.threshold_gradient @ w, terms.threshold, atol=1e-9)  # linear pieces through 0


def test_nobody_moves_unless_the_ensemble_errs_jointly():
    rng = np.random.default_rng(0)
    example = random_example(rng)
    strong = [
        1e3 * learn.sub_model_terms(m, np.zeros(m.n_weights), truth, 0.0).truth_features
        for m, truth in zip(example.models, example.truth)
    ]
    outcome = learn.joint_hinge(example, strong, 0.0)
    assert outcome.hinge == 0.0
    assert not outcome.is_lost
    assert all((d == 0).all() for d in outcome.directions)
    kept = learn.update(strong, outcome.directions, regularisation=0.1, step=0.5)
    assert_allclose(kept[0], 0.95 * strong[0])
    # one sub-model wrong on its own, outvoted by the other: still neither moves
    mixed = [strong[0], -1e-3 * strong[1]]
    assert learn.joint_hinge(example, mixed, 0.0).hinge == 0.0
    lost = learn.joint_hinge(example, [-w for w in strong], 0.0)
    assert lost.is_lost
    assert all((d != 0).any() for d in lost.directions)


def test_training_learns_a_grid_that_no_comb_knows_alone():
    """Noisy labels on a 3 x 3 grid through all six combs: loss falls, and the truth survives."""
    rng = np.random.default_rng(1)
    edges, member = graph.grid_edges(3, 3), grid.comb_membership(3, 3)

    def draw():
        truth = np.repeat(rng.integers(2, size=1), 9)
        seen = np.where(rng.random(9) < 0.1, 1 - truth, truth)
        node = np.stack([np.eye(2)[s] for s in seen])
        models = tuple(TableModel(edges[mask], node, np.ones((8, 1)), 2) for mask in member)
        return learn.JointExample(models, (truth,) * 6)

    examples, fresh = [draw() for _ in range(30)], [draw() for _ in range(30)]
    calls = []
    config = learn.Config(alpha=0.5, regularisation=1e-2, n_epochs=5)
    trained = learn.train(examples, config, np.random.default_rng(0), lambda *at: calls.append(at))
    assert calls == [(i, 5) for i in range(1, 6)]
    assert trained.hinges[-1] < trained.hinges[0]
    survived = []
    for example in fresh:
        scored = [(m.edges, *m.scores(w)) for m, w in zip(example.models, trained.weights)]
        maxima = ensemble.max_marginals([ensemble.SubModel(*sub) for sub in scored])
        keep = ensemble.filter_states(maxima.best, maxima.unary, 0.5).keep
        survived.append(keep[np.arange(9), example.truth[0]].mean())
        assert keep.mean() < 0.8
    assert np.mean(survived) > 0.95
    again = learn.train(examples, config, np.random.default_rng(0))
    assert all((a == b).all() for a, b in zip(trained.weights, again.weights))


def test_averaged_weights_are_the_mean_of_all_iterates():
    rng = np.random.default_rng(2)
    examples = [random_example(rng) for _ in range(3)]
    config = learn.Config(n_epochs=2, step=0.1, regularisation=0.5)
    trained = learn.train(examples, config, np.random.default_rng(7))
    order = np.random.default_rng(7)
    weights = tuple(np.zeros(m.n_weights) for m in examples[0].models)
    seen = []
    for _ in range(2):
        for at in order.permutation(3):
            directions = learn.joint_hinge(examples[at], weights, 0.0).directions
            weights = tuple((1 - 0.05) * w + 0.1 * d for w, d in zip(weights, directions))
            seen.append(weights)
    for p in range(2):
        assert_allclose(trained.weights[p], np.mean([w[p] for w in seen], axis=0))
        assert_allclose(trained.last[p], seen[-1][p])


def test_bad_arguments_are_refused_by_name():
    rng = np.random.default_rng(0)
    example = random_example(rng)
    weights = [np.zeros(m.n_weights) for m in example.models]
    with pytest.raises(ArgumentError, match=r"examples must hold at least one example, got 0$"):
        learn.train([], learn.Config(), rng)
    with pytest.raises(ArgumentError, match=r"rng must be a numpy.random.Generator, got int"):
        learn.train([example], learn.Config(), 3)
    with pytest.raises(ArgumentError, match="regularisation must be over 0, got 0"):
        learn.train([example], learn.Config(regularisation=0), rng)
    with pytest.raises(ArgumentError, match=r"n_epochs must be a whole number from 1 to 100000, got 0$"):
        learn.train([example], learn.Config(n_epochs=0), rng)
    with pytest.raises(ArgumentError, match=r"alpha must satisfy 0 <= alpha < 1, got 1\.0"):
        learn.joint_hinge(example, weights, 1.0)
    with pytest.raises(ArgumentError, match=r"margin must be at least 0, got -1\.0"):
        learn.joint_hinge(example, weights, 0.0, -1)
    with pytest.raises(ShapeError, match="weights has length 1; the example has 2 sub-models"):
        learn.joint_hinge(example, weights[:1], 0.0)
    with pytest.raises(ShapeError, match=r"weights has shape \(3,\); the sub-model needs"):
        learn.sub_model_terms(example.models[0], np.zeros(3), example.truth[0], 0.0)

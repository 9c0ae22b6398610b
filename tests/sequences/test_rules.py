"""Cascades under every rule and with promises; the structured SVM."""

import itertools

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains.crf import examples_of
from spcviz.learning.chains.margin import fit_margin
from tests.sequences.data import sentences

X, Y = sentences(120)
XT, YT = sentences(400, seed=1)
RULES = ("mean_max", "mean_max_first", "margin", "probability")


def lost(tagger, X, y):
    """Share of sequences whose truth the filters lose."""
    kept = tagger.filter(X).states
    number = {label: k for k, label in enumerate(tagger.classes_.tolist())}
    return np.mean([not mask[np.arange(len(t)), [number[i] for i in t]].all() for mask, t in zip(kept, y)])


@pytest.mark.parametrize("rule", RULES)
def test_cascades_by_every_rule(rule, tmp_path):
    tagger = sp.CascadeTagger(fall_back=False, order=4, tolerance=0.02, rule=rule, random_state=0).fit(X, Y)
    assert tagger.cascade_.rule == rule
    assert tagger.score(XT, YT) > 0.75
    every = tagger.filter(XT)
    assert sum(mask.sum() for mask in every.states) < 0.9 * sum(mask.size for mask in every.states)
    assert lost(tagger, XT, YT) < 0.3
    sp.save(tagger, tmp_path / "model")
    again = sp.load(tmp_path / "model")
    assert again.predict(XT) == tagger.predict(XT)
    # The same labels whichever way they are decoded.
    lattice, scores = tagger._grown_cascade().last(_some(tagger, XT))
    from spcviz.engine.ngrams.lattice import decode

    labels = np.concatenate([np.asarray(y) for y in tagger.predict(XT)])
    assert (tagger.classes_[decode(lattice, scores).labels] == labels).all()
    tuned = tagger.tune(XT, YT, 0.05)
    assert [figures.order for figures in tuned.levels_] == [1, 2, 3]


def _some(tagger, X):
    from spcviz.sequences.lattices import Some, features_of

    encoded = tagger._encode(X)
    return Some(features_of(encoded.rows), encoded.lengths, None, np.arange(len(X)))


@pytest.mark.parametrize("rule", ["mean_max", "margin"])
def test_a_promise_is_kept_on_the_calibration_data_and_costs_pruning(rule):
    tagger = sp.CascadeTagger(fall_back=False, tolerance=0.1, rule=rule, random_state=0).fit(X, Y)
    left = {}
    for guarantee in ("mean", 0.9):
        tagger.tune(XT, YT, 0.1, guarantee=guarantee)
        left[guarantee] = tagger.levels_[-1].kept
        assert lost(tagger, XT, YT) <= 0.1
        assert tagger.levels_[-1].lost <= 0.1
    assert left["mean"] <= left[0.9]


def test_fitting_with_a_promise_sets_sequences_aside():
    both_x, both_y = X + XT, Y + YT
    tagger = sp.CascadeTagger(
        fall_back=False, tolerance=0.1, rule="margin", guarantee=0.9, random_state=0
    ).fit(both_x, both_y)
    assert tagger.levels_[-1].lost <= 0.1
    plain = sp.CascadeTagger(fall_back=False, tolerance=0.1, rule="margin", random_state=0).fit(
        both_x, both_y
    )
    assert tagger.levels_[-1].kept >= plain.levels_[-1].kept


def test_promises_that_cannot_be_kept_are_told_before_training():
    tagger = sp.CascadeTagger(fall_back=False, tolerance=0.01, guarantee=0.9, random_state=0)
    with pytest.raises(
        InfeasibleError, match="with 90 % certainty takes at least 230 calibration examples, got 30"
    ):
        tagger.fit(X, Y)
    with pytest.raises(ArgumentError, match="tolerance must be one number for a guarantee"):
        sp.CascadeTagger(fall_back=False, tolerance=(0.1, 0.1), guarantee="mean").fit(X, Y)
    with pytest.raises(ArgumentError, match="tolerance_kind must be example for a guarantee"):
        sp.CascadeTagger(fall_back=False, tolerance_kind="position", guarantee="mean").fit(X, Y)
    with pytest.raises(ArgumentError, match="guarantee must be None"):
        sp.CascadeTagger(fall_back=False, guarantee="always").fit(X, Y)
    with pytest.raises(ArgumentError, match="rule must be one of"):
        sp.CascadeTagger(fall_back=False, rule="best").fit(X, Y)


def test_filters_are_asked_in_the_rule_s_own_numbers():
    tagger = sp.CascadeTagger(fall_back=False, rule="margin", tolerance=0.05, random_state=0).fit(X, Y)
    few, many = (sum(m.sum() for m in tagger.filter(XT, margin=at).states) for at in (0.5, 8.0))
    assert few < many
    with pytest.raises(ArgumentError, match="alpha must be None where the rule is margin; give margin"):
        tagger.filter(XT, alpha=0.5)
    with pytest.raises(ArgumentError, match="margin must be None where the rule is mean_max; give alpha"):
        sp.CascadeTagger(fall_back=False, tolerance=0.05, random_state=0).fit(X, Y).filter(XT, margin=1.0)


def objective(weights, rows, labels, c2, n_states):
    """c2 times the squared norm and the hinges with the Hamming loss, by enumeration."""
    total = c2 * sum(np.square(array).sum() for array in weights)
    for x, y in zip(rows, labels):

        def score(path, x=x):
            inner = sum(weights.pairwise[a, b] for a, b in itertools.pairwise(path))
            return sum((x[i] @ weights.unary)[k] for i, k in enumerate(path)) + inner

        paths = itertools.product(range(n_states), repeat=len(y))
        total += max(score(p) + sum(a != b for a, b in zip(p, y)) for p in paths) - score(y)
    return total


def test_the_svm_comes_to_the_least_objective():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (12, 3))
    rows = rng.normal(size=(12, 3, 3)) + labels[..., None]
    data = examples_of(DenseRows(rows.reshape(-1, 3)), np.full(12, 3), labels.reshape(-1), 2)

    def fitted(epochs, seed=0):
        found = fit_margin(data, np.random.default_rng(seed), epochs=epochs, c2=0.2).weights
        return objective(found, rows, labels, 0.2, 2), found

    few, many, most = (fitted(n)[0] for n in (3, 100, 3000))
    assert most <= many <= 1.05 * most
    assert few >= most
    rough, weights = fitted(3000, seed=1)
    assert abs(rough - most) < 0.01 * most
    for step in rng.normal(size=(40, 10)) * 0.02:  # none nearby is better by more than its error
        near = weights._replace(
            unary=weights.unary + step[:6].reshape(3, 2), pairwise=weights.pairwise + step[6:].reshape(2, 2)
        )
        assert objective(near, rows, labels, 0.2, 2) >= rough * (1 - 2e-3)


def test_an_svm_is_an_estimator(tmp_path):
    svm = sp.StructuredSVM(random_state=0).fit(X, Y)
    assert svm.score(XT, YT) > 0.75
    assert (
        svm.fit(X, Y).state_weights_.tobytes()
        == sp.StructuredSVM(random_state=0).fit(X, Y).state_weights_.tobytes()
    )
    sp.save(svm, tmp_path / "svm")
    assert sp.load(tmp_path / "svm").predict(XT) == svm.predict(XT)
    allowed = sp.StructuredSVM(constraints=lambda a, b: (a, b) != ("N", "N"), random_state=0)
    with pytest.raises(ArgumentError, match="c2 must be below"):
        sp.StructuredSVM(c2=1e6).fit(X, Y)
    assert allowed.get_params()["c2"] == 0.1

"""`fit_intercept`: what it learns beyond features, enumeration, continued training, states, refusals."""

import copy
import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.sequences.crfsuite import CRF
from spcviz.store import flatten, rebuild
from tests.sequences.data import as_arrays, sentences

X, Y = sentences(60)
XT, YT = sentences(30, seed=1)
MAKERS = {
    "perceptron": lambda **more: sp.StructuredPerceptron(random_state=0, **more),
    "svm": lambda **more: sp.StructuredSVM(random_state=0, **more),
    "crf": lambda **more: sp.ChainCRF(c2=0.1, random_state=0, **more),
}
CASCADE = {"cascade": lambda **more: sp.CascadeTagger(random_state=0, tolerance=0.05, **more)}
chains = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
every = pytest.mark.parametrize("make", (MAKERS | CASCADE).values(), ids=MAKERS | CASCADE)


def nothing(lengths):
    """Sequences whose features say nothing."""
    return [np.zeros((length, 1)) for length in lengths]


def test_shares_of_labels_are_learned_without_features():
    rng = np.random.default_rng(0)
    y = [rng.choice(["a", "b"], size=1, p=[0.9, 0.1]).tolist() for _ in range(1000)]
    share = np.mean([labels == ["a"] for labels in y])
    with_, without = (
        sp.ChainCRF(c2=1e-6, fit_intercept=how).fit(nothing([1] * 1000), y).predict_marginals(nothing([1]))[0]
        for how in ("auto", False)
    )
    assert_allclose(with_[0], [share, 1 - share], atol=1e-3)
    assert_allclose(without[0], [0.5, 0.5], atol=1e-6)


def test_beginnings_and_ends_are_learned_without_features():
    """First a, last c, in between b: steps alone cannot express this, because b may follow itself."""
    lengths = np.random.default_rng(1).integers(3, 7, 80)
    y = [["a", *"b" * (length - 2), "c"] for length in lengths]
    for make in MAKERS.values():
        tagger = make().fit(nothing(lengths), y)
        assert tagger.predict(nothing([3, 5, 7])) == [["a", *"b" * n, "c"] for n in (1, 3, 5)]
        assert tagger.n_features_in_ == 1
        assert tagger.start_weights_.argmax() == 0
        assert tagger.end_weights_.argmax() == 2
        assert tagger.state_weights_.shape == (1, 3)


@chains
def test_scores_are_those_of_enumeration(make):
    arrays, test = as_arrays(X), as_arrays(XT)
    tagger = make().fit(arrays, Y)
    short = [item for item in test if 0 < len(item) <= 4]
    assert short
    for item, labels, best in zip(short, tagger.predict(short), tagger.predict_k_best(short, 1)):
        scores = {}
        for states in itertools.product(range(3), repeat=len(item)):
            score = sum((row @ tagger.state_weights_)[k] for row, k in zip(item, states))
            score += sum(tagger.intercept_[k] for k in states)
            score += tagger.start_weights_[states[0]] + tagger.end_weights_[states[-1]]
            score += sum(tagger.transition_weights_[step] for step in itertools.pairwise(states))
            scores[states] = score
        top = max(scores, key=scores.get)
        assert labels == tagger.classes_[list(top)].tolist()
        log_z = np.logaddexp.reduce(list(scores.values()))
        assert_allclose(tagger.log_partition([item])[0], log_z, rtol=1e-9)
        wanted = scores[top] - (log_z if isinstance(tagger, sp.ChainCRF) else 0)
        assert_allclose(best.scores[0], wanted, rtol=1e-9, atol=1e-9)


@every
def test_states_copies_and_clones(make):
    for data, test, how in ((as_arrays(X), as_arrays(XT), "auto"), (X, XT, True)):
        tagger = make(fit_intercept=how).fit(data, Y)
        assert tagger.n_edges_ == 3
        state = tagger.to_state()
        stored = rebuild(*flatten(state, type(tagger).State), type(tagger).State)
        for again in (copy.deepcopy(tagger), type(tagger).from_state(stored)):
            again.fit_intercept = not how  # the learned setting counts, not a later one
            for a, b in zip(tagger.predict_marginals(test), again.predict_marginals(test)):
                assert_allclose(a, b, atol=1e-12)
            assert again.predict(test) == tagger.predict(test)
        for wrong in (0, 1, -3, "3", True, None):
            with pytest.raises((ArgumentError, ShapeError), match=r"n_edges|rows; names has|training has 16"):
                _read(type(tagger), state._replace(n_edges=wrong), test)


def _read(kind, state, test):
    """Read a state with other edges; with arrays that means other columns, which only X reveals."""
    kind.from_state(state).predict(test)


@every
def test_named_features_stay_as_they_are(make):
    plain = make().fit(X, Y)
    assert plain.n_edges_ == 0
    assert plain.predict(XT) == make(fit_intercept=False).fit(X, Y).predict(XT)


@pytest.mark.parametrize("make", [MAKERS["perceptron"], MAKERS["crf"]])
def test_going_on_with_new_features_keeps_edges_apart(make):
    """The same model as with a feature on every token, one on every first and one on every last token."""
    named = [
        [[*token, "*", *["^"] * (i == 0), *["$"] * (i == len(x) - 1)] for i, token in enumerate(x)] for x in X
    ]
    new = [[[f"new{token[0]}"] for token in x] for x in X]
    new_named = [
        [[*token, "*", *["^"] * (i == 0), *["$"] * (i == len(x) - 1)] for i, token in enumerate(x)]
        for x in new
    ]
    edges, by_names = make(fit_intercept=True), make(fit_intercept=False)
    for tagger, first, then in ((edges, X, new), (by_names, named, new_named)):
        tagger.partial_fit(first[:30], Y[:30], classes=["DT", "NN", "VB"])
        tagger.partial_fit(then, Y)
    names = by_names.vocabulary_
    assert_allclose(edges.intercept_, by_names.state_weights_[names["*"]], atol=1e-9)
    assert_allclose(edges.start_weights_, by_names.state_weights_[names["^"]], atol=1e-9)
    assert_allclose(edges.end_weights_, by_names.state_weights_[names["$"]], atol=1e-9)
    for name, n in edges.vocabulary_.items():
        assert_allclose(edges.state_weights_[n], by_names.state_weights_[names[name]], atol=1e-9)


def test_a_first_tagger_reads_as_its_cascade_s_first_level():
    tagger = sp.CascadeTagger(random_state=0, tolerance=0.05).fit(as_arrays(X), Y)
    first = tagger.first_tagger()
    assert first.intercept_.any()
    assert first.score(as_arrays(XT), YT) > 0.6
    tagger.tune(as_arrays(XT), YT, 0.2)
    assert tagger.filter(as_arrays(XT)).lattice is not None


@every
def test_what_it_is_must_be_said(make):
    for wrong in (None, 1, "yes"):
        with pytest.raises(ArgumentError, match="fit_intercept must be True, False or 'auto'"):
            make(fit_intercept=wrong).fit(X[:10], Y[:10])


def test_the_door_of_crfsuite_has_none():
    crf = CRF(c2=0.1).fit(X, Y)
    assert crf.n_edges_ == 0
    assert not crf.intercept_.any()
    assert not hasattr(CRF(), "intercept_")

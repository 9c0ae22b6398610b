"""All taggers: forms of X and y, scikit-learn's tools, weights, allowed labels, state."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.store import flatten, rebuild
from tests.sequences.data import TAGS, as_arrays, as_dicts, as_sparse, sentences

X, Y = sentences(80)
XT, YT = sentences(40, seed=1)
MAKERS = {
    "perceptron": lambda **more: sp.StructuredPerceptron(random_state=0, **more),
    "crf": lambda **more: sp.ChainCRF(c2=0.1, random_state=0, **more),
    "cascade": lambda **more: sp.CascadeTagger(random_state=0, tolerance=0.05, **more),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
chains = pytest.mark.parametrize("make", [MAKERS["perceptron"], MAKERS["crf"]], ids=["perceptron", "crf"])


def lists(arrays):
    return [np.asarray(array).tolist() for array in arrays]


@every
def test_a_tagger_learns(make):
    tagger = make().fit(X, Y)
    majority = max(np.mean([t == tag for y in YT for t in y]) for tag in TAGS)
    assert tagger.score(XT, YT) > majority + 0.3
    assert tagger.classes_.tolist() == TAGS
    assert set(tagger.feature_names_in_) == {"b", *(f"w={w}" for w in range(12))}
    right = [a == b for labels, y in zip(tagger.predict(XT), YT) for a, b in zip(labels, y)]
    assert_allclose(tagger.score(XT, YT), np.mean(right))


@every
def test_forms_of_x_are_the_same_model(make):
    wanted = make().fit(as_arrays(X), Y)
    assert wanted.n_features_in_ == 13
    assert not hasattr(wanted, "feature_names_in_")
    named, dicts, few = make().fit(X, Y), make().fit(as_dicts(X), Y), make().fit(as_sparse(X), Y)
    assert lists(named.predict(XT)) == lists(dicts.predict(as_dicts(XT)))
    assert lists(few.predict(as_sparse(XT))) == lists(few.predict(as_arrays(XT)))
    assert lists(wanted.predict(as_arrays(XT))) == lists(few.predict(as_sparse(XT)))
    same = np.mean(np.concatenate(wanted.predict(as_arrays(XT))) == np.concatenate(named.predict(XT)))
    assert same > 0.98  # features in another order: sums round differently


@chains
def test_values_count(make):
    """Halved values give the same model with twice the weights, but for the pull of weights to 0."""
    tagger = make() if "c2" not in make().get_params() else make().set_params(c2=0.0, tol=1e-3)
    wanted = tagger.fit(as_sparse(X), Y).predict(as_sparse(XT))
    halves = clone(tagger).fit([0.5 * array for array in as_sparse(X)], Y)
    assert (
        np.mean(np.concatenate(wanted) == np.concatenate(halves.predict([0.5 * o for o in as_sparse(XT)])))
        > 0.95
    )
    assert_allclose(np.abs(halves.state_weights_).sum() / np.abs(tagger.state_weights_).sum(), 1.0, atol=0.9)
    assert lists(halves.predict([0.0 * array for array in as_sparse(XT)])) != lists(wanted)


@every
def test_whole_numbers_are_labels_too(make):
    numbers = [np.array([10 * (1 + TAGS.index(tag)) for tag in y]) for y in Y]
    tagger = make().fit(X, numbers)
    texts = make().fit(X, Y)
    assert tagger.classes_.tolist() == [10, 20, 30]
    assert [[TAGS[k // 10 - 1] for k in labels] for labels in tagger.predict(XT)] == lists(texts.predict(XT))


@every
def test_scikit_learns_tools(make):
    tagger = make()
    assert clone(tagger).get_params() == tagger.get_params()
    assert clone(tagger).set_params(min_count=3).min_count == 3
    scores = cross_val_score(tagger, X, Y, cv=3)
    assert len(scores) == 3
    assert scores.min() > 0.5
    search = GridSearchCV(tagger, {"min_count": [1, 1000]}, cv=2).fit(X, Y)
    assert search.best_params_ == {"min_count": 1}
    assert search.score(XT, YT) > 0.6
    piped = make_pipeline(FunctionTransformer(as_dicts), make()).fit(X, Y)
    assert piped.score(XT, YT) > 0.6
    assert type(tagger).__name__ in repr(tagger)


@every
def test_the_same_seed_is_the_same_model(make):
    assert lists(make().fit(X, Y).predict_marginals(XT)) == lists(make().fit(X, Y).predict_marginals(XT))


@every
def test_copies_and_states_are_equal(make):
    tagger = make(class_weight={"NN": 2.0}).fit(X, Y)
    state = tagger.to_state()
    assert type(state) is type(tagger).State
    stored = rebuild(*flatten(state, type(tagger).State), type(tagger).State)
    for again in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger), type(tagger).from_state(stored)):
        assert again.get_params() == tagger.get_params()
        assert lists(again.predict(XT)) == lists(tagger.predict(XT))
        assert lists(again.predict_marginals(XT)) == lists(tagger.predict_marginals(XT))
        assert again.feature_names_in_.tolist() == tagger.feature_names_in_.tolist()


@chains
def test_a_stored_tagger_goes_on_training(make):
    tagger = make().partial_fit(X[:40], Y[:40], classes=TAGS)
    again = type(tagger).from_state(tagger.to_state())
    for estimator in (tagger, again):
        estimator.partial_fit(X[40:], Y[40:])
    assert lists(again.predict_marginals(XT)) == lists(tagger.predict_marginals(XT))


@every
def test_what_no_file_can_hold_is_named(make):
    with pytest.raises(ArgumentError, match="random_state must be a number, a text, None"):
        make().set_params(random_state=np.random.default_rng(0)).fit(X, Y).to_state()
    with pytest.raises(ArgumentError, match=r"state must be a \w+State, got dict"):
        type(make()).from_state({})
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        make().to_state()


@every
def test_weights_of_sequences_and_labels(make):
    """A weight of 0 leaves a sequence out of the chain model; label weights act through sequences."""
    weights = np.array([1.0, 0.0] * 40)
    tagger = make().fit(X, Y, sample_weight=weights)
    assert tagger.score(XT, YT) > 0.6
    if make is MAKERS["crf"]:
        half = make().fit(X[::2], Y[::2])
        probabilities = (
            np.concatenate(half.predict_marginals(XT)),
            np.concatenate(tagger.predict_marginals(XT)),
        )
        assert_allclose(*probabilities, atol=0.02)
        balanced = make(class_weight="balanced").fit(X, Y)
        assert lists(balanced.predict_marginals(XT)) != lists(make().fit(X, Y).predict_marginals(XT))
    assert_allclose(tagger.score(XT[:2], YT[:2], sample_weight=[1, 0]), tagger.score(XT[:1], YT[:1]))


@every
def test_allowed_labels(make):
    tagger = make().fit(X, Y)
    mask = [np.tile([True, False, True], (len(sentence), 1)) for sentence in XT]
    named = [None if i % 2 else [["DT", "VB"]] * len(sentence) for i, sentence in enumerate(XT)]
    free = tagger.predict(XT)
    for allowed in (mask, named):
        predicted, shares = tagger.predict(XT, allowed=allowed), tagger.predict_marginals(XT, allowed=allowed)
        for i, (labels, share) in enumerate(zip(predicted, shares)):
            if allowed[i] is not None:
                assert "NN" not in labels
                assert not share[:, 1].any()
            else:
                assert labels == free[i]
            assert_allclose(share.sum(axis=1), 1.0)
    for i, item in enumerate([[["DT"]] * len(sentence) for sentence in XT]):
        assert set(tagger.predict(XT[i : i + 1], allowed=[item])[0]) == {"DT"}


@chains
def test_the_k_best_are_in_order_and_the_first_is_the_prediction(make):
    tagger = make().fit(X, Y)
    for best, labels in zip(tagger.predict_k_best(XT, 3), tagger.predict(XT)):
        assert best.labels[0].tolist() == labels
        assert (np.diff(best.scores) <= 0).all()
        assert len({tuple(labelling) for labelling in best.labels.tolist()}) == len(best.scores)
    if make is MAKERS["crf"]:
        short = [sentence for sentence in XT if len(sentence) == 1][:1]
        assert_allclose(np.exp(tagger.predict_k_best(short, 9)[0].scores).sum(), 1.0)


@chains
def test_going_on_learns_new_features(make):
    tagger = make()
    for _ in range(5):
        tagger.partial_fit(X[:40], Y[:40], classes=TAGS)
    before = tagger.score(XT, YT)
    new = [[[f"new{token[0]}"] for token in item] for item in X]
    for _ in range(5):
        tagger.partial_fit(new, Y)
    assert before > 0.6
    assert tagger.score([[[f"new{token[0]}"] for token in item] for item in XT], YT) > 0.6
    assert tagger.n_features_in_ == 13 + 12


@chains
def test_a_warm_start_begins_where_it_was(make):
    tagger = make(warm_start=True, **({"max_iter": 2} if make is MAKERS["crf"] else {"max_iter": 1}))
    scores = [tagger.fit(X, Y).score(X, Y) for _ in range(6)]
    assert scores[-1] > scores[0]
    cold = clone(tagger).set_params(warm_start=False)
    assert [cold.fit(X, Y).score(X, Y) for _ in range(3)] == [cold.score(X, Y)] * 3

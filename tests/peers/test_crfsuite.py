"""CRFsuite's item sequences, its objective and sklearn-crfsuite's estimator, compared with this package's."""

import copy
import inspect
import itertools
import pickle
import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import RandomizedSearchCV, cross_val_predict

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.sequences.crfsuite import CRF
from tests.sequences.data import as_dicts, sentences

pycrfsuite = pytest.importorskip("pycrfsuite")
X, Y = sentences(80)
NAMED = as_dicts(X)

ITEMS = {
    "nothing": [{}],
    "lists": [["foo", "bar"], ["bar", "baz"]],
    "sets": [{"foo", "bar"}, frozenset(["baz"])],
    "views": [{"foo": 1, "bar": 2}.keys()],
    "numbers and booleans": [{"foo": True, "bar": {"foo": -1, "baz": False}}],
    "other alphabets": [{"foo": "привет", "ключ": 1.0, "привет": "мир"}],
    "bytes": [{b"foo": b"bar", "baz": b"x"}, [b"foo"]],
    "nested": [
        {"foo": {"bar": "baz", "spam": 0.5, "egg": ["x", "y"], "ham": {"x": -0.5, "y": -0.1}}},
        {"foo": {"bar": "ham", "spam": -0.5, "ham": {"x", "y"}}},
    ],
    "both kinds": [{"foo": "bar"}, ["foo", "bar"]],
}


def as_crfsuite_has_them(item):
    """Features of a token, without what is 0, with CRFsuite's separator in place of ours."""
    return {name: value for name, value in item.items() if value}


def ours(tokens):
    """Features of each token under the names that a tagger trained on them uses."""
    names, values = [], []
    for token in tokens:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            tagger = sp.ChainCRF(max_iter=1).fit([[token]], [["A"]])
        encoded = tagger._encode([[token]]).rows
        listed = tagger.feature_names_in_.tolist()
        names.append([listed[k] for k in encoded.index])
        values.append(encoded.values.tolist())
    return [
        {name.replace("\\:", ":").replace("=", ":"): value for name, value in zip(*one)}
        for one in zip(names, values)
    ]


@pytest.mark.parametrize("tokens", ITEMS.values(), ids=ITEMS)
def test_items_are_the_features_that_crfsuite_makes_of_them(tokens):
    theirs = pycrfsuite.ItemSequence(
        [dict.fromkeys(t, 1.0) if not isinstance(t, dict) else t for t in tokens]
    )
    for one, other in zip(ours(tokens), map(as_crfsuite_has_them, theirs.items()), strict=True):
        assert one.keys() == other.keys()
        assert np.allclose([one[name] for name in other], list(other.values()))


@pytest.mark.parametrize("bad", ["foo", [["foo"]], [[{"foo": None}]], [[3]]])
def test_what_is_no_item_is_refused(bad):
    with pytest.raises(ArgumentError, match="X"):
        sp.ChainCRF().fit([bad] if bad == "foo" else bad, [["A"]])


@pytest.mark.parametrize(("c1", "c2"), [(0.1, 0.05), (1.0, 0.0), (0.0, 0.5)])
def test_the_objective_is_not_above_crfsuites(c1, c2, tmp_path):
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 2000})
    for item, labels in zip(X, Y):
        trainer.append(item, labels)
    trainer.train(str(tmp_path / "model"))
    theirs = min(row["loss"] for row in trainer.logparser.iterations)
    tagger = sp.ChainCRF(c1=c1, c2=c2, all_possible_transitions=False, tol=1e-8).fit(X, Y)
    weights = np.concatenate([tagger.state_weights_.ravel(), tagger.transition_weights_.ravel()])
    loss = -tagger.log_probability(X, Y).sum() + c1 * np.abs(weights).sum() + c2 * (weights**2).sum()
    assert loss <= theirs * (1 + 1e-4)


def test_ten_lines_of_sklearn_crfsuite_with_another_import():
    metrics = pytest.importorskip("sklearn_crfsuite.metrics")
    crf = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
    crf.fit(NAMED[:60], Y[:60])
    predicted = crf.predict(NAMED[60:])
    labels = list(crf.classes_)
    assert metrics.flat_f1_score(Y[60:], predicted, average="weighted", labels=labels) > 0.6
    assert 0 <= metrics.sequence_accuracy_score(Y[60:], predicted) <= 1
    ((_, weight), *_) = [(name, w) for name, w in Counter(crf.state_features_).most_common(3)]
    assert weight > 0
    assert set(crf.transition_features_) <= {(a, b) for a in labels for b in labels}
    assert set(crf.attributes_) == {name for item in X[:60] for token in item for name in token}
    (token, *_), *_ = crf.predict_marginals(NAMED[60:61])
    assert set(token) == set(labels)
    assert sum(token.values()) == pytest.approx(1)
    assert crf.predict_single(NAMED[60]) == predicted[0]
    assert crf.predict_marginals_single(NAMED[60]) == crf.predict_marginals(NAMED[60:61])[0]
    assert pickle.loads(pickle.dumps(crf)).predict(NAMED[60:]) == predicted


def test_the_tagger_has_the_methods_of_python_crfsuites():
    crf = CRF(c1=0.1, c2=0.1, max_iterations=50).fit(NAMED[:40], Y[:40])
    x, tagger = NAMED[40], crf.tagger_
    assert tagger.tag(x) == crf.predict_single(x)
    assert crf.tagger_.tag() == tagger.tag(x), "the sequence that was set stays so"
    assert tagger.labels() == crf.classes_.tolist()
    labels = tagger.labels()
    shares = [sum(tagger.marginal(label, t) for label in labels) for t in range(len(x))]
    assert shares == pytest.approx([1.0] * len(x))
    tagger.set(x[:2])
    every = {y: tagger.probability(list(y)) for y in itertools.product(labels, repeat=2)}
    assert sum(every.values()) == pytest.approx(1.0)
    assert list(max(every, key=every.get)) == tagger.tag()
    info = tagger.info()
    assert (info.transitions, info.state_features) == (crf.transition_features_, crf.state_features_)
    assert (info.labels, info.attributes) == (labels, crf.attributes_)
    assert crf.num_attributes_ == len(crf.attributes_)
    with pytest.raises(ArgumentError, match="y must be one of the labels"):
        tagger.marginal("none of them", 0)
    with pytest.raises(ArgumentError, match="pos must be"):
        tagger.marginal(labels[0], 2)
    with pytest.raises(ArgumentError, match=r"xseq must be set before it is asked about"):
        clone(crf).fit(NAMED[:9], Y[:9]).tagger_.probability(["A"])
    copied = copy.copy(crf)
    assert copied.tagger_.crf is copied, "a copy that is fitted anew answers for itself"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("modelfile", r"spcviz.save\(crf, folder\)"),
        ("size_", "num_attributes_"),
        ("training_log_", "verbose=True"),
        ("tag", "predict_single"),
        ("no_such_thing", "object has no attribute 'no_such_thing'$"),
    ],
)
def test_what_is_found_elsewhere_is_said(name, what):
    crf = CRF(max_iterations=2).fit(NAMED[:9], Y[:9])
    assert not hasattr(crf, name)
    with pytest.raises(AttributeError, match=what):
        getattr(crf, name)


def test_an_estimator_that_is_not_fitted_says_so():
    for name in ("tagger_", "attributes_", "num_attributes_", "state_features_", "transition_features_"):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(CRF(), name)


@pytest.mark.parametrize("bad", [{"model_filename": "m.crfsuite"}, {"trainer_cls": dict}])
def test_files_and_trainers_of_crfsuite_are_refused_with_what_to_do(bad):
    (name,) = bad
    crf = CRF(**bad, keep_tempfiles=True)
    assert clone(crf).get_params()[name] == bad[name]
    with pytest.raises(ArgumentError, match=f"{name} must be None"):
        crf.fit(NAMED[:9], Y[:9])


def test_sequences_that_are_iterators_or_items_of_crfsuite():
    crf = CRF(max_iterations=5).fit(NAMED[:9], Y[:9])
    want = crf.predict(NAMED[:9])
    assert crf.predict([iter(x) for x in NAMED[:9]]) == want
    assert crf.predict((token for token in x) for x in NAMED[:9]) == want
    assert CRF(max_iterations=5).fit([iter(x) for x in NAMED[:9]], Y[:9]).predict(NAMED[:9]) == want
    items = [pycrfsuite.ItemSequence([dict.fromkeys(token, 1.0) for token in x]) for x in NAMED[:9]]
    again = CRF(max_iterations=5).fit(items, Y[:9])
    assert [len(labels) for labels in again.predict(items)] == [len(x) for x in NAMED[:9]]
    for bad in (3, object()):
        with pytest.raises(ArgumentError, match=r"X\[1\] must be a list of tokens, got"):
            crf.predict([NAMED[0], bad])


def test_the_estimator_reads_as_sklearn_crfsuites():
    theirs = pytest.importorskip("sklearn_crfsuite").CRF(c1=0.1, c2=0.1).fit(NAMED, Y)
    crf = CRF(c1=0.1, c2=0.1, delta=1e-8).fit(NAMED, Y)
    same = [
        a == b for one, other in zip(crf.predict(NAMED), theirs.predict(NAMED)) for a, b in zip(one, other)
    ]
    assert np.mean(same) > 0.99
    gaps = [
        abs(one[label] - other[label])
        for mine, yours in zip(crf.predict_marginals(NAMED), theirs.predict_marginals(NAMED))
        for one, other in zip(mine, yours)
        for label in other
    ]
    assert max(gaps) < 0.05


def test_tools_of_scikit_learn_and_seqeval_take_what_it_predicts():
    crf = CRF(c1=0.1, c2=0.1, max_iterations=200)
    predicted = cross_val_predict(clone(crf), NAMED, Y, cv=3)
    assert [len(labels) for labels in predicted] == list(map(len, Y))
    search = RandomizedSearchCV(crf, {"c1": [0.05, 0.5], "c2": [0.05, 0.5]}, cv=2, n_iter=2, random_state=0)
    assert search.fit(NAMED, Y).best_score_ > 0.6
    seqeval = pytest.importorskip("seqeval.metrics")
    spans = [[f"B-{label}" for label in labels] for labels in Y]
    tagger = sp.StructuredPerceptron(random_state=0).fit(NAMED, spans)
    assert 0 < seqeval.f1_score(spans, tagger.predict(NAMED)) <= 1


def test_another_algorithm_is_refused_with_what_to_take():
    with pytest.raises(ArgumentError, match="algorithm must be lbfgs, got 'ap'; for ap there is Structured"):
        CRF(algorithm="ap").fit(NAMED, Y)


def test_a_saved_one_is_read_again(tmp_path):
    crf = CRF(c1=0.1, c2=0.1, max_iterations=200).fit(NAMED, Y)
    sp.save(crf, tmp_path / "crf")
    again = sp.load(tmp_path / "crf")
    assert isinstance(again, CRF)
    assert again.predict(NAMED) == crf.predict(NAMED)


def test_every_argument_of_sklearn_crfsuite_is_one_here():
    theirs = inspect.signature(pytest.importorskip("sklearn_crfsuite").CRF).parameters
    ours = inspect.signature(CRF).parameters
    assert set(theirs) <= set(ours)
    first = list(theirs)[: list(theirs).index("verbose") + 1]
    assert list(ours)[: len(first)] == first, "by place, too"
    others = {"gamma": 0.5, "averaging": True, "calibration_eta": 0.1, "pa_type": 1, "variance": 2.0}
    crf = CRF(max_iterations=5, **others).fit(NAMED[:20], Y[:20])
    assert crf.predict(NAMED) == CRF(max_iterations=5).fit(NAMED[:20], Y[:20]).predict(NAMED)
    assert clone(crf).get_params()["gamma"] == 0.5


WRONG = {
    "algorithm": ["ap", np.ones(2), 3],
    "min_freq": ["x", np.nan, np.inf, -1, 10**30, np.ones(2)],
    "max_iterations": ["x", 0, 0.5, True, np.inf],
    "delta": ["x", -1, np.nan, []],
    "c1": ["x", -1, np.nan],
}


@pytest.mark.parametrize(
    ("name", "bad"), [(name, bad) for name, row in WRONG.items() for bad in row], ids=repr
)
def test_a_wrong_argument_is_named_as_it_is_called_here(name, bad):
    with pytest.raises(ArgumentError, match=f"^{name} must be"):
        CRF(**{"max_iterations": 2, name: bad}).fit(NAMED[:9], Y[:9])

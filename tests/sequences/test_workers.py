"""Several cores, endless sequences, groups: the same labels, read on demand."""

import itertools

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import NotFittedError

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.learning.chains import crf
from tests.sequences.data import sentences

X, Y = sentences(60)
XT, _ = sentences(40, seed=1)
TAGGERS = {
    "perceptron": sp.StructuredPerceptron(random_state=0, max_iter=2),
    "crf": sp.ChainCRF(max_iter=5),
    "cascade": sp.CascadeTagger(random_state=0, max_iter=2, tolerance=0.05),
}
every = pytest.mark.parametrize("tagger", TAGGERS.values(), ids=TAGGERS)


def lists(arrays):
    return [np.asarray(array).tolist() for array in arrays]


@every
def test_threads_change_nothing(tagger, monkeypatch):
    monkeypatch.setattr(crf, "BLOCK", 60)  # many parts to share
    one, two = (tagger.set_params(n_jobs=n).fit(X, Y).predict(XT) for n in (None, 2))
    assert lists(one) == lists(two)
    allowed = [[["NN", "VB"]] * len(sentence) for sentence in XT]
    shares = [tagger.set_params(n_jobs=n).predict_marginals(XT, allowed=allowed) for n in (None, 2)]
    assert lists(shares[0]) == lists(shares[1])
    again = [lists(tagger.set_params(n_jobs=n).predict(XT, allowed=allowed)) for n in (1, -1)]
    assert again[0] == again[1]
    if hasattr(tagger, "predict_k_best"):
        best = [tagger.set_params(n_jobs=n).predict_k_best(XT, 2) for n in (None, 2)]
        assert [lists(paths) for paths in best[0]] == [lists(paths) for paths in best[1]]
    tagger.set_params(n_jobs=None)


@pytest.mark.parametrize("kind", ["crf", "perceptron"])
def test_parts_trained_at_a_time_are_the_same_cascade(kind):
    tagger = sp.CascadeTagger(random_state=3, max_iter=2, pair_model=kind, order=3)
    wanted = tagger.fit(X, Y).cascade_
    with parallel_config("threading", n_jobs=3):
        cascade = tagger.fit(X, Y).cascade_
    for one, other in zip(wanted.levels, cascade.levels):
        assert one.alpha == other.alpha
        assert np.array_equal(one.filter.weights, other.filter.weights)
        assert np.array_equal(one.predictor.weights, other.predictor.weights)


def test_a_fault_in_a_thread_is_raised_with_its_item(monkeypatch):
    monkeypatch.setattr(crf, "BLOCK", 30)
    spans = sp.ChainCRF(max_iter=2, constraints="bio", n_jobs=2).fit(
        [[["a"], ["b"]]] * 9, [["B-A", "I-A"]] * 9
    )
    with pytest.raises(InfeasibleError, match=r"X\[7\] must have a labelling"):
        spans.predict([[["a"], ["b"]]] * 9, allowed=[*[None] * 7, [["I-A"], None], None])


@every
def test_labels_come_as_they_are_asked_for(tagger):
    tagger.fit(X, Y)
    read = []

    def stream():
        for item in itertools.cycle(XT):
            read.append(item)
            yield item

    labels = list(itertools.islice(tagger.predict_each(stream(), n_at_a_time=7), 15))
    assert lists(labels) == lists(tagger.predict(XT[:15]))
    assert len(read) == 21
    assert list(tagger.predict_each([])) == []
    rest = tagger.predict_each([*XT[:9], [["b", ["c"]]]], n_at_a_time=4)
    assert len(list(itertools.islice(rest, 8))) == 8
    message = r"X\[1\]\[0\]\[1\] must be a string, .*X\[0\] is sequence 8 here"
    with pytest.raises(ArgumentError, match=message):
        next(rest)
    with pytest.raises(ArgumentError, match="n_at_a_time must be a whole number from 1"):
        tagger.predict_each([], n_at_a_time=0)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        type(tagger)().predict_each([])


def test_groups_stay_together(monkeypatch):
    from spcviz.learning.chains import cascade as module

    parts, real = [], module._pair_models

    def noted(examples, part, *more):
        parts.append(part)
        return real(examples, part, *more)

    monkeypatch.setattr(module, "_pair_models", noted)
    groups = [f"writer {i % 7}" for i in range(60)]
    sp.CascadeTagger(random_state=0, max_iter=1).fit(X, Y, groups=groups)
    of = {group: {p for p, g in zip(parts[0], groups) if g == group} for group in groups}
    assert all(len(group_parts) == 1 for group_parts in of.values())
    assert set().union(*of.values()) == {0, 1, 2}
    with pytest.raises(ShapeError, match="groups has 2 entries; X has 60 sequences"):
        sp.CascadeTagger().fit(X, Y, groups=[1, 2])
    with pytest.raises(ArgumentError, match="groups must be at least the 3 of cv, got 2"):
        sp.CascadeTagger().fit(X, Y, groups=[1, 2] * 30)


@every
@pytest.mark.parametrize(
    ("n_jobs", "message"),
    [(0, "n_jobs must be None, a number of threads"), (1.5, "n_jobs must be a whole number")],
)
def test_a_bad_number_of_threads_is_named(tagger, n_jobs, message):
    tagger.set_params(n_jobs=None).fit(X, Y)
    with pytest.raises(ArgumentError, match=message):
        tagger.set_params(n_jobs=n_jobs).predict(XT)
    tagger.set_params(n_jobs=None)

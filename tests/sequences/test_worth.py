"""A cascade knows when it does not pay: it says so, answers as its first model, and never falls behind it."""

import itertools
import warnings
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose

import spcviz as sp
from benchmarks.library import features
from spcviz.engine.errors import ArgumentError
from spcviz.learning.chains.longer import Worth, worth_of
from spcviz.problems.tagging.data.corpora import read_ewt
from tests.sequences.data import TAGS, as_arrays, sentences

X = sentences(60)[0]
Y = [[TAGS[int(token[0][2:]) // 4] for token in item] for item in X]  # a word fixes its tag: nothing to gain
XT = sentences(30, seed=1)[0]


def longer(n, seed):
    """Labels fixed by the two before them, and words that say little: order 3 pays."""
    rng = np.random.default_rng(seed)
    X_, y_ = [], []
    for _ in range(n):
        labels = rng.integers(2, size=2).tolist()
        while len(labels) < 12:
            labels.append(labels[-1] ^ labels[-2])
        words = [label if rng.random() < 0.8 else 1 - label for label in labels]
        X_.append([[f"w={word}", "b"] for word in words])
        y_.append(["AB"[label] for label in labels])
    return X_, y_


def right(tagger, X_, y_):
    """Number of right labels in each sequence."""
    return np.array([sum(map(str.__eq__, *both)) for both in zip(tagger.predict(X_), y_)])


def test_the_gain_and_its_spread_by_hand():
    first, last, lengths = np.array([3, 1, 4]), np.array([4, 3, 3]), np.array([5, 3, 4])
    worth = worth_of(3, first, last, lengths)
    assert (worth.order, worth.n_examples) == (3, 3)
    assert_allclose((worth.first, worth.last), (8 / 12, 10 / 12))
    rest = [1 - 5 / 6, 2 - 3 / 6, -1 - 4 / 6]
    assert_allclose(worth.standard_error, np.sqrt(1.5 * sum(each**2 for each in rest)) / 12)
    assert not worth.pays
    assert worth_of(3, first, first + 1, lengths + 1).pays, "always one more: no spread by which to doubt it"
    assert not worth_of(3, first[:1], last[:1], lengths[:1]).pays, "a single sequence has no spread"
    assert not worth_of(3, first, first, lengths).pays


@pytest.mark.parametrize("pair_model", ["crf", "perceptron"])
@pytest.mark.parametrize("form", [list, as_arrays])
def test_one_that_does_not_pay_says_so_and_answers_as_its_first_model(pair_model, form):
    tagger = sp.CascadeTagger(random_state=0, pair_model=pair_model, max_iter=3)
    with pytest.warns(
        UserWarning, match=r"the cascade does not pay here: on \d+ sequences set aside its last"
    ):
        tagger.fit(form(X), Y)
    assert tagger.has_fallen_back_
    assert not tagger.worth_.pays
    first, items = tagger.first_tagger(), form(XT)
    assert type(first) is {"crf": sp.ChainCRF, "perceptron": sp.StructuredPerceptron}[pair_model]
    assert tagger.predict(items) == first.predict(items)
    assert tagger.predict_single(items[0]) == first.predict_single(items[0])
    for one, other in zip(tagger.predict_marginals(items), first.predict_marginals(items)):
        assert_allclose(one, other)
    for one, other in zip(tagger.predict_k_best(items, 2), first.predict_k_best(items, 2)):
        assert_allclose(one.scores, other.scores)
    if form is as_arrays:
        weights = tagger.cascade_.levels[0].filter.weights
        scores = [x @ weights[:-3] + weights[-3] for x in as_arrays(XT)]  # after the features: the intercept
        for unary in scores:
            if len(unary):
                unary[0] += weights[-2]
                unary[-1] += weights[-1]
        by_hand = sp.from_emissions(scores, first.transition_weights_, labels=first.classes_.tolist())
        assert tagger.predict(items) == [list(labels) for labels in by_hand.decode()]
    again = sp.CascadeTagger.from_state(tagger.to_state())
    assert again.has_fallen_back_
    assert again.predict(items) == tagger.predict(items)


def test_without_falling_back_the_last_level_answers_as_ever():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = sp.CascadeTagger(random_state=0, fall_back=False).fit(X, Y)
    assert plain.worth_ is None
    assert not plain.has_fallen_back_
    with pytest.warns(UserWarning, match="does not pay"):
        weighed = sp.CascadeTagger(random_state=0).fit(X, Y)
    for one, other in zip(plain.cascade_.levels, weighed.cascade_.levels):
        assert one.predictor.weights.tobytes() == other.predictor.weights.tobytes()
        assert one.alpha == other.alpha
    assert weighed.set_params(fall_back=False).predict(XT) == plain.predict(XT)


def test_one_that_pays_stays_a_cascade_and_is_ahead():
    X_, y_ = longer(200, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagger = sp.CascadeTagger(random_state=0, tolerance=0.05).fit(X_, y_)
    assert tagger.worth_.pays
    assert not tagger.has_fallen_back_
    X_, y_ = longer(200, 1)
    assert tagger.score(X_, y_) > tagger.first_tagger().score(X_, y_) + tagger.worth_.standard_error
    loose = tagger.worth_
    tagger.tune(X_, y_, 0.3)
    assert tagger.worth_ != loose, "other filters were weighed anew"
    last = sp.CascadeTagger.from_state(tagger.to_state()).set_params(fall_back=False)
    shares = [right(each, X_, y_).sum() / sum(map(len, y_)) for each in (tagger.first_tagger(), last)]
    assert_allclose((tagger.worth_.first, tagger.worth_.last), shares)


def test_constraints_hold_when_the_first_model_answers():
    def rule(before, after):
        return (before, after) != ("DT", "DT")

    pairs = [(x, ["DT", *["NN"] * (len(x) - 1)]) for x in X]
    with pytest.warns(UserWarning, match="does not pay"):
        tagger = sp.CascadeTagger(random_state=0, constraints=rule).fit(*map(list, zip(*pairs)))
    assert tagger.has_fallen_back_
    for labels in tagger.predict([[["w=0"]] * 6, *XT]):
        assert ("DT", "DT") not in list(itertools.pairwise(labels))


WRONG = [
    ({"order": 4}, "worth.order must be a whole number from 3 to 3"),
    ({"n_examples": -1}, "worth.n_examples must be a whole number from 0"),
    ({"first": 1.5}, "worth.first must satisfy 0 <= worth.first <= 1"),
    ({"last": np.nan}, "worth.last must"),
    ({"standard_error": np.nan}, "worth.standard_error must be at least 0, got nan"),
]


@pytest.mark.parametrize(("changed", "message"), WRONG)
def test_figures_that_no_training_comes_to_are_refused(changed, message, fallen):
    state = fallen.to_state()
    with pytest.raises(ArgumentError, match=message):
        sp.CascadeTagger.from_state(state._replace(worth=state.worth._replace(**changed)))
    with pytest.raises(ArgumentError, match="worth must be Worth or None"):
        sp.CascadeTagger.from_state(state._replace(worth=(3, 1, 0.5, 0.5, 0.1)))
    assert isinstance(sp.CascadeTagger.from_state(state).worth_, Worth)


@pytest.fixture(scope="module")
def fallen():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sp.CascadeTagger(random_state=0, max_iter=2).fit(X, Y)


def chunks(folder, split, n):
    """(X, y) of the first sentences of CoNLL-2000: words, tags and chunks."""
    with zipfile.ZipFile(folder / "text_ptb_sample" / "conll2000.zip") as archive:
        text = archive.read(f"conll2000/{split}.txt").decode()
    sentences_ = [[line.split() for line in part.splitlines()] for part in text.strip().split("\n\n")[:n]]
    rows = []
    for sentence in sentences_:
        tags = ["<", *(token[1] for token in sentence), ">"]
        words = features([token[0] for token in sentence])
        rows.append(
            [[*names, *map("p={}{}".format, (-1, 0, 1), tags[i : i + 3])] for i, names in enumerate(words)]
        )
    return rows, [[token[2] for token in sentence] for sentence in sentences_]


def tags(folder, split, n):
    """(X, y) of the first sentences of EWT, with Penn tags."""
    sentences_ = read_ewt(folder, split, "tag")[:n]
    return [features([t[0] for t in s]) for s in sentences_], [[t[1] for t in s] for s in sentences_]


@pytest.mark.parametrize("data", [chunks, tags])
def test_on_real_sentences_it_is_never_behind_its_first_level_by_more_than_chance(data, shared_data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tagger = sp.CascadeTagger(random_state=0, pair_model="perceptron", max_iter=5, tolerance=0.03)
        tagger.fit(*data(shared_data, "train", 400))
    X_, y_ = data(shared_data, "test", 500)
    lengths = np.array([len(labels) for labels in y_])
    seen = worth_of(3, right(tagger.first_tagger(), X_, y_), right(tagger, X_, y_), lengths)
    assert seen.gain >= -seen.standard_error
    if tagger.has_fallen_back_:
        assert seen.gain == 0

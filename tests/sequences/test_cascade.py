"""`CascadeTagger` alone: filters, thresholds, tuning; its lattices against brute force."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.table import encode, lookup
from tests.sequences.data import TAGS, sentences

X, Y = sentences(120)
XT, YT = sentences(40, seed=1)


@pytest.fixture(scope="module")
def tagger():
    return sp.CascadeTagger(fall_back=False, order=3, tolerance=(0.05, 0.1), random_state=0).fit(X, Y)


def scored(model, item, names):
    """{labelling: score} of every labelling of a short sentence under one level's model."""
    columns = {name: i for i, name in enumerate(names)}
    unary = np.array([sum(model.weights[columns[f]] for f in token if f in columns) for token in item])
    scores = {}
    for labels in itertools.product(range(3), repeat=len(item)):
        score = unary[np.arange(len(item)), labels].sum()
        for i in range(1, len(labels)):
            gram = labels[max(0, i - 2) : i + 1]
            score += lookup(model.table, encode(3, gram), len(gram))
        scores[labels] = score
    return scores


def test_predictions_and_shares_are_those_of_enumeration_among_what_is_left(tagger):
    model, checked = tagger.cascade_.levels[-1].predictor, 0
    for item in [sentence for sentence in XT if len(sentence) <= 5]:
        states = tagger.filter([item]).states[0]
        left = tagger.filter([item])
        every = scored(model, item, tagger.feature_names_in_)
        grams = set(map(tuple, _grams(left.lattice)))
        n = left.lattice.order[0]
        fits = {
            labels: score
            for labels, score in every.items()
            if all(states[i, k] for i, k in enumerate(labels))
            and all(labels[i : i + n] in grams for i in range(len(labels) - n + 1))
        }
        best = max(fits.values())
        predicted = tuple(TAGS.index(tag) for tag in tagger.predict([item])[0])
        assert_allclose(fits[predicted], best, atol=1e-9)
        weights = np.exp(np.array(list(fits.values())) - best)
        shares = np.zeros((len(item), 3))
        for labels, weight in zip(fits, weights):
            shares[np.arange(len(item)), labels] += weight / weights.sum()
        assert_allclose(tagger.predict_marginals([item])[0], shares, atol=1e-9)
        checked += 1
    assert checked > 10


def _grams(lattice):
    from spcviz.engine.ngrams.space import symbols

    return symbols(lattice, 0)


def test_filters_leave_less_and_less(tagger):
    below = [kept.sum() for kept in tagger.filter(XT, alpha=-0.5, level=1).states]
    free = [kept.sum() for kept in tagger.filter(XT, alpha=0.0, level=1).states]
    assert sum(free) < sum(below)
    tight = [kept.sum() for kept in tagger.filter(XT, alpha=0.99, level=1).states]
    assert sum(tight) < sum(free)
    assert all(n_kept >= len(item) for n_kept, item in zip(tight, XT))  # the best labelling always stays
    for states, tags in zip(tagger.filter(XT).states, tagger.predict(XT)):
        assert all(row[TAGS.index(tag)] for row, tag in zip(states, tags))


def test_tuning_keeps_the_tolerance(tagger):
    other = sp.CascadeTagger.from_state(tagger.to_state())
    for tolerance in (0.0, 0.2):
        other.tune(XT, YT, (tolerance, 1.0))
        states = other.filter(XT, level=1).states
        lost = np.mean([not all(s[i, TAGS.index(t)] for i, t in enumerate(y)) for s, y in zip(states, YT)])
        assert_allclose(other.levels_[0].lost, lost, atol=1e-12)
        assert lost <= tolerance
    assert other.tolerance == (0.2, 1.0)


def test_levels_say_what_they_lose(tagger):
    assert [level.order for level in tagger.levels_] == [1, 2]
    assert all(0 <= level.lost <= 1 and level.kept >= 0.5 for level in tagger.levels_)


@pytest.mark.parametrize(
    "settings", [{"order": 2}, {"order": 4}, {"pair_model": "perceptron"}, {"tolerance_kind": "position"}]
)
def test_other_settings_train_too(settings):
    cascade = sp.CascadeTagger(fall_back=False, random_state=0, tolerance=0.05, **settings).fit(X, Y)
    assert cascade.score(XT, YT) > 0.6
    assert len(cascade.cascade_.levels) == settings.get("order", 3)
    cascade.tune(XT, YT)


def test_bad_arguments_of_filters_are_named(tagger):
    with pytest.raises(ArgumentError, match="level must be a whole number from 1 to 2, got 3"):
        tagger.filter(XT, level=3)
    with pytest.raises(ArgumentError, match=r"alpha must be a number from -inf to 1, got 2\.0"):
        tagger.filter(XT, alpha=2.0)
    with pytest.raises(ArgumentError, match="alpha must be one number or 2 of them"):
        tagger.filter(XT, alpha=[0.1, 0.2, 0.3])
    with pytest.raises(ArgumentError, match="X must hold at least one token to tune on"):
        tagger.tune([], [])
    with pytest.raises(ArgumentError, match=r"y\[0\]\[0\] must be one of the 3 labels of training"):
        tagger.tune([[["b"]]], [["XX"]])
    with pytest.raises(ArgumentError, match="pair_model must be one of crf, perceptron, got 'svm'"):
        sp.CascadeTagger(fall_back=False, pair_model="svm").fit(X, Y)
    assert tagger.filter([[], []]).lattice is None

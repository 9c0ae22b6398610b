"""Predictors on wider lattices: how wide, on which words, and that nothing else of a cascade changes."""

from dataclasses import replace

import numpy as np
import pytest

from spcviz.learning.cascade.cascade import filter_examples
from spcviz.learning.cascade.features import DenseRows
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model import rules

FOLD = 2


@pytest.fixture(scope="module")
def few():
    """Every twelfth of the shipped words."""
    words = handwriting.load_words()
    chosen = np.arange(0, len(words.lengths), 12)
    rows, lengths = handwriting.rows_of(words, chosen)
    return words._replace(
        pixels=words.pixels[rows], labels=words.labels[rows], lengths=lengths, folds=words.folds[chosen]
    )


@pytest.fixture(scope="module")
def trained(few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handwriting, "load_words", lambda: few)
        settings = rules.rule_settings("raw", "margin", n_orders=4, quick=True)
        config = replace(settings.config, tolerances=(0.02,) * 4, filter_epochs=1, predictor_epochs=2)
        return experiment.train(replace(settings, config=config), FOLD, 0)


def sizes(cascade, features, lengths, factor):
    tuned = [level.alpha for level in cascade.levels]
    settings = [*tuned[:2], *(factor * alpha for alpha in tuned[2:])]
    steps = filter_examples(cascade, features, lengths, alphas=settings)
    return [step.lattice.n_arcs / step.lattice.col_start[-1] for step in steps]


@pytest.mark.parametrize("widest", [5.0, 60.0])
def test_lattices_are_as_wide_as_they_may_be_and_no_wider(few, trained, monkeypatch, widest):
    monkeypatch.setattr(rules, "WIDEST", widest)
    cascade = trained.model.cascade
    features, lengths = DenseRows(handwriting.raw_features(few.pixels)), few.lengths
    factor = rules.wide_factor(cascade, features, lengths)
    assert factor == 1.0 or max(sizes(cascade, features, lengths, factor)[3:]) <= widest
    if factor < 8:
        assert max(sizes(cascade, features, lengths, factor * 2**0.25)[3:]) > widest


def test_only_predictors_from_order_4_on_change_and_test_words_are_not_seen(few, trained, monkeypatch):
    monkeypatch.setattr(handwriting, "load_words", lambda: few)
    wide, factor = rules.widen_predictors(trained, FOLD)
    assert factor > 1
    for order, (mine, theirs) in enumerate(zip(wide.model.cascade.levels, trained.model.cascade.levels), 1):
        assert mine.alpha == theirs.alpha
        assert np.allclose(mine.filter.weights, theirs.filter.weights, rtol=1e-6)
        assert np.allclose(mine.predictor.weights, theirs.predictor.weights, rtol=1e-6) == (order < 4)
    other = few._replace(pixels=few.pixels.copy())
    unseen = np.repeat(few.folds == FOLD, few.lengths)
    other.pixels[unseen] = 1 - other.pixels[unseen]
    monkeypatch.setattr(handwriting, "load_words", lambda: other)
    again, _ = rules.widen_predictors(trained, FOLD)
    for mine, theirs in zip(again.model.cascade.levels, wide.model.cascade.levels):
        assert np.array_equal(mine.predictor.weights, theirs.predictor.weights)


def test_a_cascade_whose_lattices_are_large_already_stays_as_it_is(few, trained, monkeypatch):
    monkeypatch.setattr(handwriting, "load_words", lambda: few)
    monkeypatch.setattr(rules, "WIDEST", 0.1)
    same, factor = rules.widen_predictors(trained, FOLD)
    assert factor == 1.0
    assert same is trained

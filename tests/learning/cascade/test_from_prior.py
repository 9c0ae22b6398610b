"""Cascades from a prior: sums of models, corrections, and that learning starts where it should."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds.rules import RULES
from spcviz.learning.cascade.cascade import CascadeConfig, filter_examples, predict
from spcviz.learning.cascade.decoding import survives
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.from_prior import PriorPart, combine_models, correction, train_from_prior
from spcviz.learning.cascade.online import Model

K = 3
CONFIG = CascadeConfig(
    tolerances=(0.05, 0.05), train_alphas=(0.5,), margin=0.2, filter_epochs=2, predictor_epochs=2,
    filter_rate=0.1, predictor_rate=0.1, has_end=True,
)  # fmt: skip


def part(rng, n, prior):
    """Words whose letters follow each other in turn, seen through noise."""
    lengths = rng.integers(2, 5, n)
    labels = np.concatenate([(rng.integers(K) + np.arange(m)) % K for m in lengths])
    rows = np.eye(K)[labels] + 0.35 * rng.normal(size=(len(labels), K))
    return PriorPart(DenseRows(rows.astype(np.float32)), labels, lengths, (prior, prior))


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    prior = Model(np.eye(K), np.array([(1 << 3) + 2, (2 << 3) + 2]), np.array([0.5, -0.5]))
    return [part(rng, 40, prior) for _ in range(2)], part(rng, 40, prior), prior


def test_models_add_up_ngram_by_ngram():
    one = Model(np.ones((1, 2)), np.array([33, 35]), np.array([1.0, 2.0]))
    two = Model(2 * np.ones((1, 2)), np.array([34, 35]), np.array([4.0, 8.0]))
    both = combine_models([one, two], [2.0, 0.25])
    assert both.keys.tolist() == [33, 34, 35]
    assert both.values.tolist() == [2.0, 1.0, 6.0]
    assert_allclose(both.weights, 2.5)
    with pytest.raises(ArgumentError, match="shares must be one for each of 1 models, got 2"):
        combine_models([one], [1.0, 1.0])


def test_what_the_problem_does_not_know_has_not_moved():
    start = Model(np.zeros((1, 2)), np.array([33, 34]), np.array([1.0, 2.0]))
    learned = Model(np.ones((1, 2)), np.array([33, 35]), np.array([1.5, 4.0]))
    moved = correction(learned, start, np.array([33, 35]))
    assert dict(zip(moved.keys.tolist(), moved.values.tolist())) == {33: 0.5, 35: 4.0}


def test_without_steps_the_cascade_is_its_prior(world):
    parts, dev, prior = world
    config = replace(CONFIG, filter_rate=0.0, predictor_rate=0.0)
    learned = train_from_prior(parts, dev, K, config, np.random.default_rng(1))
    for level in learned.cascade.levels:
        for model in (level.filter, level.predictor):
            assert_allclose(model.weights, prior.weights)
            assert dict(zip(model.keys.tolist(), model.values.round(12).tolist())) | {10: 0.5, 18: -0.5} == {
                key: {10: 0.5, 18: -0.5}.get(key, 0.0) for key in model.keys.tolist()
            }


def test_it_learns_keeps_to_its_tolerance_and_says_what_it_does(world):
    parts, dev, _ = world
    learned = train_from_prior(parts, dev, K, CONFIG, np.random.default_rng(1))
    assert [report["order"] for report in learned.reports] == [1, 2]
    lost = learned.reports[0]["filter_loss"]
    assert lost <= 0.05 + 1e-12
    steps = list(filter_examples(learned.cascade, dev.features, dev.lengths))
    predicted = predict(learned.cascade.levels[1], steps[1].lattice, dev.features).labels
    assert_allclose((predicted == dev.labels).mean(), learned.reports[1]["char_accuracy"])
    assert_allclose(steps[1].lattice.n_arcs / steps[1].lattice.col_start[-1], learned.reports[1]["arcs_in"])
    assert learned.corrections[1][1].values.any()
    assert learned.reports[1]["char_accuracy"] > learned.reports[0]["char_accuracy"]  # neighbours help


def test_orders_that_are_not_learned_keep_the_prior_s_predictor(world):
    parts, dev, prior = world
    learned = train_from_prior(parts, dev, K, CONFIG, np.random.default_rng(1), predict_orders=(2,))
    assert_allclose(learned.cascade.levels[0].predictor.weights, prior.weights)
    assert np.abs(learned.cascade.levels[1].predictor.weights - prior.weights).max() > 0


HINGES = (("margin", 0.0), ("alpha", 0.5))


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_keeps_to_its_tolerance_and_says_what_it_learned_with(world, rule):
    parts, dev, _ = world
    config = replace(CONFIG, rule=rule, train_alphas=(0.2, 0.8), train_margins=(0.0,))
    learned = train_from_prior(parts, dev, K, config, np.random.default_rng(1))
    assert learned.cascade.pruned_by == rule
    lost = np.zeros(len(dev.lengths), dtype=bool)
    for report, step in zip(learned.reports, filter_examples(learned.cascade, dev.features, dev.lengths)):
        kept = survives(step.lattice, step.pruned.keep, dev.labels)
        assert (~kept & ~lost).sum() <= 0.05 * (~lost).sum() + 1e-9
        lost |= ~kept
        assert report["filter_loss"] == pytest.approx(lost.mean())
        assert report["efficiency_loss"] == pytest.approx(step.pruned.keep.mean())
        hinges = [report["train_alpha"], report["train_margin"]]
        assert hinges in [[0.2, None], [0.8, None], [None, 0.0]]


def test_the_candidate_that_leaves_fewest_is_kept(world):
    parts, dev, _ = world
    config = replace(CONFIG, tolerances=(0.05,), predictor_epochs=1)
    left = {}
    for alpha in (0.1, 0.9):  # a single candidate draws random numbers alone; the first of two draws first
        one = train_from_prior(
            parts, dev, K, replace(config, train_alphas=(alpha,)), np.random.default_rng(1)
        )
        left[alpha] = one.reports[0]["efficiency_loss"]
    both = train_from_prior(
        parts, dev, K, replace(config, train_alphas=(0.1, 0.9)), np.random.default_rng(1)
    ).reports[0]
    assert both["efficiency_loss"] <= left[0.1]
    if both["train_alpha"] == 0.1:
        assert both["efficiency_loss"] == left[0.1]


def test_a_hinge_a_level_is_what_is_learned_with(world):
    parts, dev, _ = world
    learned = train_from_prior(parts, dev, K, replace(CONFIG, hinges=HINGES), np.random.default_rng(1))
    said = [(report["train_alpha"], report["train_margin"]) for report in learned.reports]
    assert said == [(None, 0.0), (0.5, None)]


def test_bad_arguments(world):
    parts, dev, _ = world
    with pytest.raises(ArgumentError, match="parts must be"):
        train_from_prior(parts[:1], dev, K, CONFIG, np.random.default_rng(1))
    with pytest.raises(ArgumentError, match="priors must be of orders 1 to 2 in every part"):
        train_from_prior(parts, dev._replace(priors=()), K, CONFIG, np.random.default_rng(1))

"""Tagging under every rule: equal loss by hand, blocks against the whole, sentences one by one."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.tagging import equal_loss, rules
from spcviz.engine.ngrams.lattice import bigrams
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.thresholds import rules as threshold_rules
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.config import Cascade, Level
from spcviz.learning.cascade.features import SparseRows
from spcviz.learning.cascade.online import Model
from tests.experiments.tagging.test_equal_loss import LENGTHS, K, scored  # noqa: F401

RULES = ("mean_max", "margin", "probability")


def curves(loss, pairs):
    """Curves of one draw."""
    loss, pairs = np.array([loss, loss], dtype=float), np.array([pairs, pairs], dtype=float)
    return equal_loss.Curves(loss, pairs, pairs)


def test_ratios_are_those_of_the_curves_at_the_target():
    by_method = {
        "mean_max": curves([0, 2, 4], [30, 20, 10]),
        "margin": curves([0, 2, 4], [15, 10, 5]),
        "crf": curves([3, 4, 5], [4, 4, 4]),
    }
    rows = {row["method"]: row for row in rules.rows_at(by_method, 1.0)}
    assert rows["mean_max"]["pairs_equal"] == 25.0
    assert rows["margin"]["over_mean_max"] == [0.5, 0.5, 0.5]
    assert rows["crf"]["pairs_equal"] is None  # it loses at least 3 %
    assert rows["crf"]["over_mean_max"][0] is None
    assert rows["margin"]["over_crf"][0] == 0.0  # and so any other has less
    assert rows["crf"]["over_crf"] == [None, None, None]


@pytest.mark.parametrize("rule", RULES)
def test_blocks_of_sentences_are_the_whole(scored, rule, monkeypatch):  # noqa: F811
    linear, lattice, features, labels = scored
    lattice = bigrams(LENGTHS, K, np.ones((int(LENGTHS.sum()), K), dtype=bool))
    linear = Model(linear.weights, linear.keys[:0], linear.values[:0])
    whole = equal_loss.score_filter(linear, lattice, features, labels, rule=rule)
    monkeypatch.setattr(rules, "BLOCK", 3)
    part = rules.Part(features, labels, LENGTHS)
    joined = rules._join_blocks(rules._whole(linear, rule, K, part, whole.alpha), whole.alpha)
    for one, other in zip(whole, joined, strict=True):
        assert_allclose(one, other)


@pytest.mark.parametrize("rule", RULES)
def test_a_setting_loses_and_leaves_what_pruning_at_it_does(scored, rule):  # noqa: F811
    linear, lattice, features, labels = scored
    events = equal_loss.score_filter(linear, lattice, features, labels, rule=rule).event
    setting = threshold_rules.tune_setting(rule, events, 0.3)
    fallen = equal_loss.score_filter(linear, lattice, features, labels, rule=rule, more_alphas=[setting])
    row = rules.at_setting(fallen, setting)
    assert row["loss"] == pytest.approx(100 * (events <= setting).mean())
    assert row["loss"] <= 30
    scores = equal_loss.score_arcs(lattice, equal_loss.unary_scores(features, linear.weights), linear.table)
    kept = prune(lattice, scores, setting, on_nodes=True, rule=rule).keep.sum()
    assert row["pairs"] == pytest.approx(kept / LENGTHS.sum())


def test_rows_of_some_sentences_score_as_in_the_whole_table():
    rng = np.random.default_rng(0)
    start = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 9))])
    table = SparseRows(start, rng.integers(-1, 5, start[-1]).astype(np.int32), 5)
    weights = rng.normal(size=(5, K))
    some = rules.rows_between(table, 2, 7)
    assert_array_equal(equal_loss.unary_scores(some, weights), equal_loss.unary_scores(table, weights)[2:7])


def test_each_sentence_is_counted_by_itself():
    rng = np.random.default_rng(4)
    rows = int(LENGTHS.sum())
    table = SparseRows(np.arange(rows + 1), rng.integers(0, 6, rows).astype(np.int32), 6)
    levels = [
        Level(Model(rng.normal(size=(6, K)), np.zeros(0, np.int64), np.zeros(0)), -1.0, None) for _ in "ab"
    ]
    cascade = Cascade(K, tuple(level._replace(predictor=level.filter) for level in levels), True, 10**6)
    cascade = cascade._replace(rule="margin")
    part = rules.Part(table, rng.integers(0, K, rows), LENGTHS)
    figures, tokens = rules.by_sentence(cascade, part)
    starts = np.concatenate([[0], np.cumsum(LENGTHS)])
    for w, (a, b) in enumerate(pairwise(starts)):
        one = rules.rows_between(table, a, b)
        for t, step in enumerate(filter_examples(cascade, one, LENGTHS[w : w + 1])):
            assert figures["n_grams"][t, w] == step.lattice.n_arcs
            right = predict(cascade.levels[t], step.lattice, one).labels == part.tags[a:b]
            assert figures["right"][t, w] == right.all()
    assert len(tokens) == 2

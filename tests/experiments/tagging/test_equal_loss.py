"""Filters at equal loss against pruning at every alpha, one sentence and one draw at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.tagging import equal_loss
from spcviz.engine.ngrams.lattice import bigrams, extend, path_of, score_arcs
from spcviz.engine.ngrams.prune import prune
from spcviz.learning.cascade.features import SparseRows, unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.learning.cascade.problem import prepare

K = 4
LENGTHS = np.array([3, 1, 5, 2, 4, 1, 6, 3])


@pytest.fixture(scope="module", params=[2, 3])
def scored(request):
    """(linear model, lattice, features, labels) of random sentences, some of one word."""
    rng = np.random.default_rng(3)
    rows = int(LENGTHS.sum())
    index = rng.integers(0, 6, size=rows).astype(np.int32)
    features = SparseRows(np.arange(rows + 1), index, 6)
    lattice = bigrams(LENGTHS, K, np.ones((rows, K), dtype=bool))
    if request.param == 3:
        lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
    labels = rng.integers(0, K, size=rows)
    keys = np.sort(prepare(lattice, features, labels).keys)
    return Model(rng.normal(size=(6, K)), keys, rng.normal(size=len(keys))), lattice, features, labels


def left_at(scored, alpha, rule):
    """The result of `prune` itself: (is the truth lost, grams, arcs) of each sentence."""
    linear, lattice, features, labels = scored
    scores = score_arcs(lattice, unary_scores(features, linear.weights), linear.table)
    pruned = prune(lattice, scores, alpha, on_nodes=True, rule=rule)
    truth = path_of(lattice, labels)
    lost = [not pruned.keep[truth[a:b]].all() for a, b in zip(lattice.col_start, lattice.col_start[1:])]
    arcs = np.add.reduceat(pruned.keep, lattice.example_start[:-1])
    grams = []
    for w, tau in enumerate(pruned.limits.tau):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        value = pruned.values[pruned.starts[w] : pruned.starts[w + 1]]
        best = pruned.best_path[first:last]
        ends = (
            np.concatenate([lattice.arc_tail[best], lattice.arc_head[best]]) - lattice.node_start[first + w]
        )
        kept = set(np.flatnonzero(value > tau))
        grams.append(len(kept | set(best - lattice.example_start[w] if lattice.order[w] == 1 else ends)))
    return np.array(lost), grams, arcs


@pytest.mark.parametrize("rule", ["mean_max", "probability"])
def test_what_is_left_just_below_each_alpha(scored, rule):
    fallen = equal_loss.score_filter(*scored, rule=rule, more_alphas=[0.123])
    assert_array_equal(fallen.lengths, LENGTHS)
    assert 0.123 in fallen.alpha
    assert (np.diff(fallen.alpha) > 0).all()
    for g, alpha in enumerate(fallen.alpha):
        if alpha == 0:
            continue
        lost, grams, arcs = left_at(scored, alpha - 1e-9 * abs(alpha), rule)
        assert_array_equal(fallen.event < alpha, lost)
        assert_array_equal(fallen.grams[:, g], grams)
        assert_array_equal(fallen.pairs[:, g], arcs)


def test_curves_of_a_draw_are_those_of_its_sentences(scored):
    fallen = equal_loss.score_filter(*scored, rule="mean_max")
    weights = equal_loss.draws(len(LENGTHS), 20)
    curves = equal_loss.curves_of(fallen, weights)
    assert_array_equal(weights[0], 1)
    assert_array_equal(weights.sum(axis=1), len(LENGTHS))
    assert_array_equal(weights, equal_loss.draws(len(LENGTHS), 20))
    for d in (0, 7, 20):
        drawn = np.repeat(np.arange(len(LENGTHS)), weights[d].astype(int))
        for g, alpha in enumerate(fallen.alpha):
            assert_allclose(curves.loss[d, g], 100 * np.mean(fallen.event[drawn] < alpha))
            assert_allclose(curves.pairs[d, g], fallen.pairs[drawn, g].sum() / LENGTHS[drawn].sum())
            assert_allclose(curves.grams[d, g], fallen.grams[drawn, g].sum() / LENGTHS[drawn].sum())


def test_what_is_kept_at_a_loss_lies_on_the_line_between_two_points():
    loss = np.array([[0.0, 1.0, 1.0, 3.0], [2.0, 2.0, 4.0, 4.0], [0.0, 0.0, 0.0, 0.0]])
    kept = np.array([[9.0, 8.0, 7.0, 5.0], [6.0, 5.0, 3.0, 2.0], [4.0, 3.0, 2.0, 1.0]])
    assert_array_equal(equal_loss.at_loss(loss, kept, 1.0), [7.0, np.inf, 1.0])
    assert_array_equal(equal_loss.at_loss(loss, kept, 2.0), [6.0, 5.0, 1.0])
    assert_array_equal(equal_loss.at_loss(loss, kept, 3.0), [5.0, 4.0, 1.0])
    assert_array_equal(equal_loss.at_loss(loss, kept, 9.0), [5.0, 2.0, 1.0])


def test_an_interval_leaves_out_the_sample_itself():
    assert equal_loss.interval(np.array([99.0, *np.arange(1.0, 201.0)])) == (5.0, 195.0)
    assert equal_loss.interval(np.array([1.0, *np.arange(90.0), *[np.inf] * 10])) == (2.0, np.inf)


def test_a_verdict_needs_an_interval_on_one_side_of_0():
    few, many = -np.arange(1.0, 101.0), np.arange(1.0, 101.0)
    assert equal_loss.verdict(few) == "fewer"
    assert equal_loss.verdict(many) == "more"
    assert equal_loss.verdict(np.array([1.0, *few[:50], *many[:50]])) == "as many"
    assert equal_loss.verdict(np.array([-1.0, *few[:90], *[-np.inf] * 10])) == "fewer"
    assert equal_loss.verdict(np.array([np.inf, *many])) is None

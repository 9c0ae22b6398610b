"""Pruning of tags: order 1 under ``on_nodes``, marginals, and the fast paths against the general one."""

import itertools
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams.lattice import bigrams, extend, path_of, score_arcs, states_left, symbols, unigrams
from spcviz.engine.ngrams.prune import keep_states, keep_unaries, points_of, prune, truth_points
from spcviz.engine.ngrams.table import empty_table, encode, ngram_table


def problem(seed):
    rng = np.random.default_rng(seed)
    lengths, k = rng.integers(1, 5, 3), int(rng.integers(2, 5))
    unary = rng.normal(size=(lengths.sum(), k)) * 3
    keys = [encode(k, pair) for pair in itertools.product(range(k), repeat=2)]
    return lengths, k, unary, ngram_table(k, keys, rng.normal(size=len(keys)) * 2)


SEEDS = st.integers(0, 10_000)
SETTINGS = st.one_of(
    st.tuples(st.sampled_from(["mean_max", "probability"]), st.sampled_from([0.0, 0.3, 0.7, 0.95])),
    st.tuples(st.just("margin"), st.sampled_from([0.0, -0.5, -2.0, -30.0])),
)


@given(SEEDS, SETTINGS)
def test_unaries_at_once_keep_what_the_lattice_keeps(seed, setting):
    rule, alpha = setting
    lengths, k, unary, _ = problem(seed)
    lattice = unigrams(lengths, k)
    for on_nodes in (False, True):
        slow = prune(
            lattice,
            score_arcs(lattice, unary, empty_table(k)),
            alpha,
            on_nodes=on_nodes,
            rule=rule,
        )
        fast = keep_unaries(unary, np.r_[0, np.cumsum(lengths)], alpha, rule=rule)
        assert np.array_equal(slow.keep.reshape(-1, k), fast)


@given(SEEDS, SETTINGS)
def test_states_at_once_are_the_nodes_that_the_lattice_keeps(seed, setting):
    rule, alpha = setting
    lengths, k, unary, table = problem(seed)
    left = keep_unaries(unary, np.r_[0, np.cumsum(lengths)], 0.1)
    small = unigrams(lengths, k, left)
    lattice = extend(small, np.ones(small.n_arcs, dtype=bool))
    fast_lattice = bigrams(lengths, k, left)
    for a, b in zip(lattice, fast_lattice):
        assert np.array_equal(a, b)
    scores = score_arcs(lattice, unary, table)
    mask = keep_states(lattice, scores, alpha, left, rule=rule)
    slow = prune(lattice, scores, alpha, on_nodes=True, rule=rule)
    if rule == "probability":  # the general path also saves the best labelling, which a CRF may have pruned
        assert not (mask & ~states_left(extend(lattice, slow.keep, grow=False))).any() or (alpha > 0.4)
    else:
        assert np.array_equal(mask, states_left(extend(lattice, slow.keep, grow=False)))


@given(SEEDS)
def test_marginals_are_those_of_enumeration(seed):
    lengths, k, unary, table = problem(seed)
    lengths, unary = lengths[:1], unary[: lengths[0]]
    lattice = unigrams(lengths, k)
    if lengths[0] > 1:
        lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
    pruned = prune(lattice, score_arcs(lattice, unary, table), 0.2, on_nodes=True, rule="probability")
    p = np.zeros((lengths[0], k))
    for y in itertools.product(range(k), repeat=int(lengths[0])):
        s = sum(unary[i, y[i]] for i in range(len(y)))
        s += sum(table.dense[encode(k, y[i : i + 2])] for i in range(len(y) - 1))
        for i, tag in enumerate(y):
            p[i, tag] += np.exp(s)
    p /= p[0].sum()
    np.testing.assert_allclose(pruned.values, p.ravel(), atol=1e-9)
    np.testing.assert_allclose(points_of(pruned), p.ravel(), atol=1e-9)


def exact_probabilities(n_states, scores):
    """p(y_i = k) of one word, (L, K), from pair scores (L - 1, K, K) summed as decimals of 400 digits."""
    with localcontext(prec=400):
        whole = {}
        for y in itertools.product(range(n_states), repeat=len(scores) + 1):
            parts = [float(scores[i, y[i], y[i + 1]]) for i in range(len(scores))]
            if -np.inf not in parts:
                whole[y] = sum(map(Decimal, parts))
        best = max(whole.values())
    with localcontext(prec=40):
        p = np.zeros((len(scores) + 1, n_states), dtype=object) + Decimal(0)
        for y, score in whole.items():
            weight = (score - best).exp() if score - best > -800 else Decimal(0)
            for i, k in enumerate(y):
                p[i, k] += weight
        return (p / sum(p[0])).astype(float)


@given(SEEDS, st.sampled_from([1e5, 1e7, 1e9, 1e12, 1e16, 1e300]), st.sampled_from([0.02, 0.3, 0.7]))
def test_large_scores_keep_the_states_that_exact_probabilities_keep(seed, size, alpha):
    """A score that all arcs at a position share, however large, does not blur their differences."""
    rng = np.random.default_rng(seed)
    length, k = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    every = np.ones((length, k), dtype=bool)
    scores = rng.normal(size=(length - 1, k, k)) * 2 + rng.choice([-size, 0, size], (length - 1, 1, 1))
    scores[rng.random(scores.shape) < 0.2] = -np.inf if seed % 2 else -size
    scores[:, 0, 0] = np.maximum(scores[:, 0, 0], -size)  # one labelling is possible
    lattice, p = bigrams([length], k, every), exact_probabilities(k, scores)
    pruned = prune(lattice, scores.ravel(), alpha, on_nodes=True, rule="probability")
    likeliest = p == p.max(axis=1, keepdims=True)
    sure = abs(p - alpha) > 1e-6
    try:
        keep = keep_states(lattice, scores.ravel(), alpha, every, rule="probability")
    except ScoreError:  # rightly, if every labelling is masked somewhere
        tops = scores.max(axis=(1, 2))
        paths = itertools.product(range(k), repeat=length)
        rest = [[scores[i, y[i], y[i + 1]] - tops[i] for i in range(length - 1)] for y in paths]
        assert max(map(sum, rest)) < -0.99e9
        return
    assert np.array_equal(keep[sure], ((p > alpha) | likeliest)[sure])
    np.testing.assert_allclose(pruned.values.reshape(length, k), p, atol=1e-6)


@given(SEEDS, st.sampled_from([1e5, 1e9, 1e12, 1e16]), st.sampled_from([0.02, 0.3, 0.7]))
def test_large_unaries_keep_the_states_that_exact_probabilities_keep(seed, size, alpha):
    unary = np.random.default_rng(seed).normal(size=(1, 4)) * 2 + size
    shares = np.exp(unary - unary.max())
    p = shares / shares.sum()
    wanted = (p > alpha) | (p == p.max())
    assert np.array_equal(keep_unaries(unary, [0, 1], alpha, rule="probability"), wanted)


def test_probabilities_that_no_float_tells_are_refused():
    """Every labelling takes one of two masks, and none must take it at this position."""
    scores = np.array([[[0.0, -np.inf], [-np.inf, -1e12]], [[-1e12, -1e12], [0.0, 0.5]]])
    with pytest.raises(ScoreError, match=r"within 1e9 of the best arcs of its columns .* got one at -1e\+12"):
        keep_states(
            bigrams([3], 2, np.ones((3, 2), bool)),
            scores.ravel(),
            0.3,
            np.ones((3, 2), bool),
            rule="probability",
        )


@given(SEEDS)
def test_truth_falls_exactly_at_its_point_at_order_one_too(seed):
    lengths, k, unary, table = problem(seed)
    labels = np.random.default_rng(seed).integers(0, k, len(unary))
    lattice = unigrams(lengths, k)
    scores = score_arcs(lattice, unary, table)
    pruned = prune(lattice, scores, 0.0, on_nodes=True)
    truth = path_of(lattice, labels)
    total = np.add.reduceat(unary[np.arange(len(unary)), labels], np.r_[0, np.cumsum(lengths)[:-1]])
    _, event = truth_points(lattice, pruned, truth, total)
    for w, point in enumerate(event):
        if not 0 < point < 0.999:
            continue
        for alpha, survives in ((point - 1e-6, True), (point + 1e-6, False)):
            keep = prune(lattice, scores, max(alpha, 0.0), on_nodes=True).keep
            rows = truth[lattice.col_start[w] : lattice.col_start[w + 1]]
            assert keep[rows].all() == survives


def test_states_left_reads_every_symbol():
    lattice = bigrams([3], 3, [[True, False, False], [False, True, True], [False, False, True]])
    assert states_left(lattice).tolist() == [[True, False, False], [False, True, True], [False, False, True]]
    assert symbols(lattice).tolist() == [[0, 1], [0, 2], [1, 2], [2, 2]]


def test_bad_masks_and_orders_are_refused():
    with pytest.raises(ArgumentError, match="leave a state everywhere, got none at row 1"):
        bigrams([2], 2, [[True, True], [False, False]])
    with pytest.raises(ShapeError, match="lengths needs"):
        bigrams([2], 2, [[True, True]])
    lattice = bigrams([3], 2, np.ones((3, 2), dtype=bool))
    trigrams = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
    with pytest.raises(ShapeError, match="order 2"):
        keep_states(trigrams, np.zeros(trigrams.n_arcs), 0.5, np.ones((3, 2), dtype=bool))

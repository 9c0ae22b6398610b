"""Lattices laid out a few chains at a time: the same chains, the same models and filters as all at once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import spcviz as sp
from spcviz.engine.ngrams.lattice import bigrams, extend, unigrams
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.chains import survivors
from spcviz.learning.chains.survivors import Space, join_lattices, state_values, states_left, take_lattices
from tests.sequences.data import sentences


def same(one, other):
    assert one[:2] == other[:2]
    for a, b in zip(one[2:], other[2:]):
        assert_array_equal(a, b)


def masked(rng, lengths, n_states):
    left = rng.random((lengths.sum(), n_states)) < 0.6
    left[np.arange(len(left)), rng.integers(0, n_states, len(left))] = True
    return left


@given(seed=st.integers(0, 2**31), order=st.integers(1, 3))
def test_taken_and_joined_examples_are_those_laid_out_alone(seed, order):
    rng = np.random.default_rng(seed)
    lengths, n = rng.integers(1, 6, size=5), 3
    left, row_start = masked(rng, lengths, n), np.concatenate([[0], np.cumsum(lengths)])

    def grown(chosen):
        rows = np.concatenate([np.arange(row_start[w], row_start[w + 1]) for w in chosen])
        lattice = unigrams(lengths[chosen], n, left[rows])
        for _ in range(order - 1):
            lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
        return lattice

    whole, chosen = grown(np.arange(5)), rng.permutation(5)[:3]
    same(take_lattices(whole, chosen), grown(chosen))
    same(take_lattices(whole, np.arange(5)), whole)
    same(join_lattices([grown(np.array([w])) for w in range(5)]), whole)


def test_a_space_lays_out_what_survivors_grow_into(monkeypatch):
    rng = np.random.default_rng(0)
    lengths = np.array([4, 1, 3, 5])
    left = masked(rng, lengths, 4)
    space = Space(unigrams(lengths, 4, left), DenseRows(np.ones((13, 1))), np.zeros(13, np.int64))
    every = bigrams(lengths, 4, left)
    same(space.lattice(np.arange(4)), every)
    assert len(space.batches(np.arange(4))) == 1
    monkeypatch.setattr(survivors, "MOST_ARCS", 20)
    runs = space.batches(np.array([3, 0, 2, 1]))
    assert np.concatenate(runs).tolist() == [3, 0, 2, 1]
    assert len(runs) > 1
    assert all(len(run) == 1 or space.lattice(run).n_arcs <= 20 for run in runs)
    assert [batch.tolist() for batch in space.batches(np.zeros(0, np.int64))] == [[]]


@pytest.mark.parametrize("settings", [{"order": 3}, {"order": 4, "pair_model": "perceptron"}])
def test_batches_change_neither_weights_nor_thresholds(settings, monkeypatch):
    X, y = sentences(60)
    more = {"random_state": 0, "max_iter": 3, "tolerance": 0.05}
    wanted = sp.CascadeTagger(fall_back=False, **more, **settings).fit(X, y)
    monkeypatch.setattr(survivors, "MOST_ARCS", 60)
    batched = sp.CascadeTagger(fall_back=False, **more, **settings).fit(X, y)
    assert batched.levels_ == wanted.levels_
    for one, other in zip(batched.cascade_.levels, wanted.cascade_.levels):
        assert one.alpha == other.alpha
        for a, b in ((one.filter, other.filter), (one.predictor, other.predictor)):
            assert_array_equal(a.weights, b.weights)
            assert_array_equal(a.keys, b.keys)
            assert_array_equal(a.values, b.values)


def pairs_of(left, row_start):
    """Number of pairs of states left at neighbouring positions, for each example."""
    sizes = left.sum(axis=1)
    return np.array([int(sizes[a : b - 1] @ sizes[a + 1 : b]) for a, b in pairwise(row_start)])


@given(seed=st.integers(0, 2**31), alpha=st.floats(-2, 1), cap=st.integers(1, 60))
def test_no_chain_has_more_pairs_than_it_may(seed, alpha, cap):
    rng = np.random.default_rng(seed)
    row_start = np.array([0, 1, 5, 8])
    unary = rng.integers(0, 3, size=(8, 4)).astype(float)
    values = state_values(unary, row_start, rng.normal(size=(4, 4)))
    free, capped = states_left(values, alpha, 10**9), states_left(values, alpha, cap)
    assert capped[np.arange(8), values.best].all()
    assert not (capped & ~free).any()
    assert pairs_of(free, row_start).tolist() == [
        sum(free[i].sum() * free[i + 1].sum() for i in range(a, b - 1)) for a, b in ((0, 1), (1, 5), (5, 8))
    ]
    # a chain's best labelling alone has one pair per step, whatever the cap
    assert (pairs_of(capped, row_start) <= np.maximum(cap, np.diff(row_start) - 1)).all()
    fits = np.repeat(pairs_of(free, row_start) <= cap, np.diff(row_start))
    assert_array_equal(capped[fits], free[fits])


@given(seed=st.integers(0, 2**31), alpha=st.floats(-1, 0.9), cap=st.integers(1, 200), is_whole=st.booleans())
def test_under_a_cap_the_most_is_kept_that_a_threshold_can_leave(seed, alpha, cap, is_whole):
    rng = np.random.default_rng(seed)
    row_start = np.array([0, 3, 9])
    unary = rng.integers(0, 4, size=(9, 7)).astype(float)
    if not is_whole:
        unary += rng.integers(0, 2**16, size=(9, 7)) / 2**16  # sums are exact, so ties stay ties
    values = state_values(unary, row_start, rng.integers(-1, 2, size=(7, 7)).astype(float))
    free, capped = states_left(values, alpha, 10**9), states_left(values, alpha, cap)
    for a, b in pairwise(row_start):
        is_best = np.zeros((b - a, 7), dtype=bool)
        is_best[np.arange(b - a), values.best[a:b]] = True
        masks = [free[a:b], *((values.values[a:b] > t) | is_best for t in np.unique(values.values[a:b]))]
        fitting = [
            mask for mask in masks if pairs_of(mask, [0, b - a])[0] <= cap and not (mask & ~free[a:b]).any()
        ]
        assert_array_equal(capped[a:b], fitting[0] if fitting else is_best)


def test_a_sequence_keeps_no_more_pairs_than_max_arcs_in_training_and_after():
    X, y = sentences(60)
    tagger = sp.CascadeTagger(fall_back=False, order=2, tolerance=0.0, max_arcs=6, random_state=0).fit(X, y)
    states = tagger.filter(X).states
    for kept, labels in zip(states, tagger.predict(X)):
        pairs = int((kept[:-1].sum(axis=1) * kept[1:].sum(axis=1)).sum())
        assert pairs <= max(6, len(kept) - 1)
        assert kept[np.arange(len(kept)), np.searchsorted(tagger.classes_, labels)].all()

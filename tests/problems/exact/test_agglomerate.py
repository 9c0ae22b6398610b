"""Merged chains against all labellings of the n-gram model that they represent."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.problems.exact.agglomerate import agglomerate, separate
from tests.oracles import chain as oracle
from tests.strategies import FINITE


@st.composite
def models(draw):
    """(unary, ngrams) of 2- to 4-gram models, some no longer than one n-gram."""
    n, k = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    length = draw(st.integers(n, 5))
    ngrams = arrays(np.float64, (length - n + 1, *(k,) * n), elements=FINITE)
    return draw(arrays(np.float64, (length, k), elements=FINITE)), draw(ngrams)


def scores(unary, ngrams):
    """(all labellings, the n-gram model's score of each), written out."""
    every, n = oracle.labellings(*unary.shape), ngrams.ndim - 1
    value = [
        sum(unary[i, s] for i, s in enumerate(y)) + sum(t[tuple(y[j : j + n])] for j, t in enumerate(ngrams))
        for y in every
    ]
    return every, np.array(value)


@given(models())
def test_the_merged_chain_is_the_ngram_model(model):
    merged = agglomerate(*model)
    every, value = scores(*model)
    best = chain.decode(merged.unary, merged.pairwise)
    assert best.score == pytest.approx(value.max(), abs=1e-9)
    at = (every == separate(best.labels, merged.states)).all(axis=1)
    assert value[at] == pytest.approx(value.max(), abs=1e-9)
    tables = chain.max_marginals(merged.unary, merged.pairwise)
    width = merged.states.shape[1]
    for j, row in enumerate(tables.unary):
        want = [value[(every[:, j : j + width] == s).all(axis=1)].max() for s in merged.states]
        assert_allclose(row, want, atol=1e-9)


@given(models())
def test_every_consistent_path_is_one_labelling_and_no_other_is_allowed(model):
    merged = agglomerate(*model)
    size, width = merged.states.shape
    k = model[0].shape[1]
    assert size == k**width
    allowed = np.isfinite(merged.pairwise)
    agree = np.array([[(a[1:] == b[:-1]).all() for b in merged.states] for a in merged.states])
    assert_array_equal(allowed, np.broadcast_to(agree, allowed.shape))
    assert agree.sum() == k ** (width + 1)
    counts = np.ones(size)
    for step in allowed:
        counts = counts @ step
    assert counts.sum() == k ** len(model[0])


def test_bigrams_are_left_as_they_are():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3))
    merged = agglomerate(unary, pairwise)
    assert_array_equal(merged.unary, unary)
    assert_array_equal(merged.pairwise, pairwise)


def test_separate_refuses_neighbours_that_disagree():
    states = np.array(list(itertools.product(range(2), repeat=2)))
    with pytest.raises(ArgumentError, match=r"labels 0 and 1 disagree: \(0, 1\), \(0, 0\)"):
        separate([1, 0], states)
    assert separate([3], states).tolist() == [1, 1]


@pytest.mark.parametrize("shape", [(1, 2), (2,), (1, 2, 2), (1, 3, 3, 3), (0, 2, 2, 2, 2)])
def test_bad_shapes(shape):
    with pytest.raises(ShapeError, match="ngrams has shape"):
        agglomerate(np.zeros((3, 2)), np.zeros(shape))


def test_bad_scores_and_sizes():
    with pytest.raises(ScoreError, match="ngrams"):
        agglomerate(np.zeros((2, 2)), np.full((1, 2, 2), np.nan))
    with pytest.raises(ArgumentError, match="26 to the power 3 is 17576 merged states; at most 4096"):
        agglomerate(np.zeros((4, 26)), np.broadcast_to(0.0, (1, 26, 26, 26, 26)))

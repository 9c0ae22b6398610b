"""Chains in 32 bits: whole scores are exact there too, all others are right to float32's rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.errors import InfeasibleError, ScoreError

SINGLE = np.float32


def scores(rng, shape, whole):
    """A few distinct whole numbers, so that there are ties, or any numbers; some are forbidden."""
    drawn = rng.integers(-3, 4, shape).astype(float) if whole else 10 * rng.normal(size=shape)
    drawn[rng.random(shape) < 0.1] = -np.inf
    return drawn


def instance(seed, whole):
    rng = np.random.default_rng(seed)
    length, n = rng.integers(1, 9), rng.integers(1, 40)
    unary = scores(rng, (length, n), whole)
    unary[:, 0] = np.where(np.isneginf(unary[:, 0]), 0, unary[:, 0])
    shape = (n, n) if rng.random() < 0.5 else (length - 1, n, n)
    pairwise = scores(rng, shape, whole)
    pairwise[..., 0, 0] = 0.0  # something is feasible
    return unary, pairwise


@given(st.integers(0, 10**6))
def test_whole_scores_give_the_same_to_the_bit(seed):
    unary, pairwise = instance(seed, whole=True)
    small = unary.astype(SINGLE), pairwise.astype(SINGLE)
    one, other = chain.decode(unary, pairwise), chain.decode(*small)
    assert (one.score, one.labels.tolist()) == (other.score, other.labels.tolist())
    wanted, maxima = chain.max_marginals(unary, pairwise), chain.max_marginals(*small)
    assert maxima.unary.dtype == maxima.pairwise.dtype == SINGLE
    assert maxima.best == wanted.best
    assert_array_equal(maxima.unary, wanted.unary)
    assert_array_equal(maxima.pairwise, wanted.pairwise)
    if pairwise.ndim == 2:
        ready = Transitions(small[1])
        assert ready.decode(small[0]).labels.tolist() == one.labels.tolist()
        tables = ready.max_marginals(small[0])
        assert tables.unary.dtype == SINGLE
        assert_array_equal(tables.unary, wanted.unary)


@given(st.integers(0, 10**6))
def test_other_scores_are_right_to_rounding(seed):
    unary, pairwise = (a.astype(SINGLE) for a in instance(seed, whole=False))
    wide = unary.astype(float), pairwise.astype(float)
    wanted, maxima = chain.max_marginals(*wide), chain.max_marginals(unary, pairwise)
    near = {"rtol": 0, "atol": 1e-5 * 100 * len(unary)}  # a sum of 2 L scores of some tens
    assert_allclose(maxima.unary, wanted.unary, **near)
    assert_allclose(maxima.pairwise, wanted.pairwise, **near)
    best = chain.decode(unary, pairwise)
    assert_allclose(chain.score(*wide, best.labels), wanted.best, **near)
    assert_allclose(best.score, wanted.best, **near)


def test_batches_are_single_chains():
    rng = np.random.default_rng(0)
    lengths = np.array([3, 1, 7, 2])
    unary, pairwise = rng.normal(size=(13, 26)).astype(SINGLE), rng.normal(size=(26, 26)).astype(SINGLE)
    pieces = np.split(unary, np.cumsum(lengths)[:-1])
    labels = [chain.decode(piece, pairwise).labels for piece in pieces]
    assert_array_equal(chain.decode_batch(unary, lengths, pairwise).labels, np.concatenate(labels))
    tables = [chain.max_marginals(piece, pairwise).unary for piece in pieces]
    maxima = chain.max_marginals_batch(unary, lengths, pairwise)
    assert maxima.unary.dtype == SINGLE
    assert_array_equal(maxima.unary, np.concatenate(tables))


def test_one_wide_array_makes_all_wide():
    unary, pairwise = np.zeros((2, 2), SINGLE), np.zeros((2, 2))
    assert chain.max_marginals(unary, pairwise).unary.dtype == np.float64
    assert Transitions(pairwise).max_marginals(unary).unary.dtype == np.float64
    assert chain.marginals(unary, pairwise.astype(SINGLE)).unary.dtype == np.float64
    assert Transitions(pairwise.astype(SINGLE)).marginals(unary).unary.dtype == np.float64


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e31, -1e31])
def test_scores_whose_sums_would_overflow_are_refused(bad):
    unary, pairwise = np.zeros((3, 2), SINGLE), np.zeros((2, 2), SINGLE)
    unary[1, 0] = bad
    with pytest.raises(ScoreError, match=r"unary\[1, 0\]"):
        chain.decode(unary, pairwise)
    with pytest.raises(ScoreError, match=r"unary\[1, 0\]"):
        chain.max_marginals_batch(unary, [3], pairwise)


def test_nothing_feasible():
    with pytest.raises(InfeasibleError):
        chain.decode(np.full((2, 2), -np.inf, SINGLE), np.zeros((2, 2), SINGLE))

"""Batches of marginals and k best labellings against enumeration: unequal lengths, ties, forbidden states.

Two best scores and entropies against enumeration.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import k_best_batch, marginals_batch, summarise_chains
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from tests.oracles import chain as oracle
from tests.strategies import ANY_SCORE


@st.composite
def batches(draw):
    """(unary, lengths, pairwise): one shared table, or for each row the table of the step into it."""
    n = draw(st.integers(1, 3))
    lengths = draw(st.lists(st.integers(1, 4), max_size=4))
    rows = sum(lengths)
    shape = (n, n) if draw(st.booleans()) else (rows, n, n)
    unary = draw(arrays(np.float64, (rows, n), elements=ANY_SCORE))
    return unary, lengths, draw(arrays(np.float64, shape, elements=ANY_SCORE))


def chains_of(unary, lengths, pairwise):
    for b, length in zip(np.cumsum(lengths), lengths):
        rows = slice(b - length, b)
        yield rows, unary[rows], pairwise if pairwise.ndim == 2 else pairwise[b - length + 1 : b]


@given(batch=batches())
def test_marginals_are_those_of_enumeration(batch):
    marginals = marginals_batch(*batch)
    for w, (rows, unary, pairwise) in enumerate(chains_of(*batch)):
        total, node, _ = oracle.tables(unary, pairwise, oracle.log_sum)
        assert_allclose(marginals.log_partition[w], total, rtol=1e-9, atol=1e-9)
        want = np.exp(node - total) if total > -np.inf else np.zeros_like(node)
        assert_allclose(marginals.unary[rows], want, atol=1e-9)


@given(batch=batches(), k=st.integers(1, 9))
def test_k_best_are_those_of_enumeration(batch, k):
    best = k_best_batch(*batch, k)
    for w, (rows, unary, pairwise) in enumerate(chains_of(*batch)):
        scores, _ = oracle.ranked(unary, pairwise)
        n = min(k, int(np.isfinite(scores).sum()))
        assert best.n_found[w] == n
        assert_allclose(best.scores[w], [*scores[:n], *[-np.inf] * (k - n)], rtol=1e-9, atol=1e-9)
        for q in range(n):
            labels = best.labels[q, rows]
            assert_allclose(chain.score(unary, pairwise, labels), scores[q], rtol=1e-9, atol=1e-9)
        assert len({tuple(best.labels[q, rows]) for q in range(n)}) == n
        assert not best.labels[n:, rows].any()


def test_both_ways_to_sum_give_the_single_calls():
    """Scores in the hundreds go through logs; the chains next to them are summed directly."""
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(60, 5)), rng.normal(size=(5, 5))
    unary[20:40] *= 1000.0
    marginals = marginals_batch(unary, [20, 20, 20], pairwise)
    steps = np.repeat(pairwise[None], 60, axis=0)
    again = marginals_batch(unary, [20, 20, 20], steps)
    for w in range(3):
        want = chain.marginals(unary[20 * w : 20 * w + 20], pairwise)
        for batched in (marginals, again):
            assert batched.log_partition[w] == pytest.approx(want.log_partition, rel=1e-12)
            assert_allclose(batched.unary[20 * w : 20 * w + 20], want.unary, atol=1e-12)


@pytest.mark.parametrize("call", [marginals_batch, lambda *batch: k_best_batch(*batch, 2)])
def test_bad_batches_are_named(call):
    zero = np.zeros((2, 2))
    with pytest.raises(ShapeError, match=r"unary has shape \(3, 2\); lengths needs 2 rows"):
        call(np.zeros((3, 2)), [2], zero)
    with pytest.raises(ShapeError, match=r"pairwise has shape \(3, 3\); unary \(2, 2\) needs \(2, 2\) or"):
        call(np.zeros((2, 2)), [2], np.zeros((3, 3)))
    with pytest.raises(ArgumentError, match=r"lengths\[1\] must be at least 1, got 0"):
        call(np.zeros((2, 2)), [2, 0], zero)
    with pytest.raises(ScoreError, match=r"unary\[1, 0\] must be a finite score or -inf, got nan"):
        call([[0.0, 0.0], [np.nan, 0.0]], [2], zero)


def test_k_is_checked():
    with pytest.raises(ArgumentError, match="k must be a whole number from 1 to 10000, got 0"):
        k_best_batch(np.zeros((2, 2)), [2], np.zeros((2, 2)), 0)


@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 3),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    per_step=st.booleans(),
)
def test_against_enumeration(seed, n, lengths, per_step):
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(sum(lengths), n))
    tables = rng.normal(size=(sum(lengths), n, n) if per_step else (n, n))
    if per_step and n > 1:  # state 0 may follow only itself
        tables[:, 1:, 0] = -np.inf
    summary = summarise_chains(unary, lengths, tables)
    for w, first in enumerate(np.cumsum([0, *lengths[:-1]])):
        part = unary[first : first + lengths[w]]
        pairwise = tables[first + 1 : first + lengths[w]] if per_step else tables
        every = list(product(range(n), repeat=lengths[w]))
        scores = np.array([chain.score(part, pairwise, y) for y in every])
        assert_allclose(summary.best[w], scores.max(), rtol=1e-9, atol=1e-9)
        others = np.delete(scores, scores.argmax())
        assert_allclose(summary.second[w], others.max(initial=-np.inf), rtol=1e-9, atol=1e-9)
        p = np.exp(scores - scores.max())
        p /= p.sum()
        for i in range(lengths[w]):
            marginal = np.array([p[[y[i] == k for y in every]].sum() for k in range(n)])
            want = -(marginal * np.log(marginal)).sum()
            assert_allclose(summary.entropy[first + i], want, atol=1e-9)
        assert chain.score(part, pairwise, summary.labels[first : first + lengths[w]]) == pytest.approx(
            scores.max()
        )


def test_refusals():
    with pytest.raises(ShapeError, match="unary"):
        summarise_chains(np.zeros((3, 2)), [2], np.zeros((2, 2)))
    with pytest.raises(ShapeError, match="pairwise"):
        summarise_chains(np.zeros((2, 2)), [2], np.zeros((3, 3)))
    with pytest.raises(InfeasibleError, match="chain 0"):
        summarise_chains(np.full((2, 2), -np.inf), [2], np.zeros((2, 2)))

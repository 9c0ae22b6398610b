"""Transitions prepared once give what `chain` gives, and refuse what `chain` refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from tests.strategies import cases


def drawn(seed, size):
    """Scores of one chain and a table: tame, wild, tied, or with states and steps that are forbidden."""
    rng = np.random.default_rng(seed)
    length, n = int(rng.integers(1, 7)), int(rng.integers(1, 20))
    unary, pairwise = rng.normal(size=(length, n)) * size, rng.normal(size=(n, n)) * size
    if seed % 3 == 0:
        unary, pairwise = np.round(unary), np.round(pairwise)
    if seed % 4 == 0:
        unary[rng.random(unary.shape) < 0.2] = -np.inf
        pairwise[rng.random(pairwise.shape) < 0.1] = -np.inf
    return unary, pairwise


@settings(max_examples=cases(2000))
@given(st.integers(0, 2**31), st.sampled_from([0.5, 3.0, 400.0]))
def test_the_same_as_chain(seed, size):
    unary, pairwise = drawn(seed, size)
    ready = Transitions(pairwise)
    try:
        best, labels = chain.decode(unary, pairwise)
    except InfeasibleError:
        for call in (ready.decode, ready.max_marginals, ready.marginals):
            with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
                call(unary)
        return
    assert ready.decode(unary).score == best
    assert_array_equal(ready.decode(unary).labels, labels)
    tables, wanted = ready.max_marginals(unary), chain.max_marginals(unary, pairwise, edges=False)
    assert tables.best == wanted.best
    assert_array_equal(tables.unary, wanted.unary)
    marginals, wanted = ready.marginals(unary), chain.marginals(unary, pairwise, edges=False)
    assert_allclose(marginals.unary, wanted.unary, rtol=1e-12, atol=1e-14)
    assert marginals.log_partition == pytest.approx(wanted.log_partition, rel=1e-12, abs=1e-12)
    assert marginals.pairwise is None


@pytest.mark.parametrize("spread", [150.0, 199.0, 250.0, 700.0])
def test_sums_of_wide_scores_lose_nothing(spread):
    unary, pairwise = np.zeros((4, 2)), np.array([[0.0, -spread], [-spread, 0.0]])
    unary[:, 1] = [0.0, spread, -spread, 0.0]
    wanted = chain.marginals(unary.tolist(), pairwise.tolist())
    assert_allclose(Transitions(pairwise).marginals(unary).unary, wanted.unary, rtol=1e-9)


def test_its_table_is_its_own():
    pairwise = np.zeros((3, 3))
    ready, unary = Transitions(pairwise), np.eye(3)
    before = ready.decode(unary)
    pairwise[:] = [[0, 9, 0], [0, 0, 9], [9, 0, 0]]
    assert_array_equal(ready.decode(unary).labels, before.labels)


@pytest.mark.parametrize(
    ("pairwise", "error"),
    [
        (np.zeros((2, 3)), ShapeError),
        (np.zeros((0, 0)), ShapeError),
        (np.zeros(4), ShapeError),
        ([[np.nan, 0.0], [0.0, 0.0]], ScoreError),
        ("table", ArgumentError),
    ],
)
def test_a_bad_table_is_refused_by_name(pairwise, error):
    with pytest.raises(error, match="pairwise"):
        Transitions(pairwise)


@pytest.mark.parametrize(
    ("unary", "error"),
    [
        (np.zeros((3, 4)), ShapeError),
        (np.zeros((0, 2)), ShapeError),
        (np.zeros(2), ShapeError),
        (np.array([[0.0, np.inf]]), ScoreError),
        (np.array([[0.0, np.nan]]), ScoreError),
        ([["a", "b"]], ArgumentError),
    ],
)
def test_a_bad_chain_is_refused_as_ever(unary, error):
    ready = Transitions(np.zeros((2, 2)))
    for call in (ready.decode, ready.max_marginals, ready.marginals):
        with pytest.raises(error):
            call(unary)


def test_whole_numbers_and_lists_are_taken():
    ready = Transitions([[0, 0], [-3, 0]])
    assert ready.decode([[0, 1], [2, 0]]).score == 2.0
    assert_array_equal(ready.max_marginals(np.array([[0, 1], [2, 0]])).unary, [[2.0, 1.0], [2.0, 1.0]])

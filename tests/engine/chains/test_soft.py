"""The softened best against enumeration, from large epsilon down to the smallest number there is."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.chains.soft import soft_best
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from tests.oracles import chain as oracle
from tests.strategies import PRUNED, SMALL_INTEGERS, chains

EPSILONS = [100.0, 1.0, 0.3, 1e-2, 1e-6]
TINY = [1e-9, 1e-15, 1e-100, 1e-300, 5e-324, 0.0]


def enumerated(unary, pairwise, epsilon):
    """(value, node weights, edge weights, entropy) from all labellings."""

    def softened(values):
        return epsilon * oracle.log_sum(values / epsilon)

    value, node, edge = oracle.tables(unary, pairwise, softened)
    with np.errstate(over="ignore"):
        node, edge = np.exp((node - value) / epsilon), np.exp((edge - value) / epsilon)
        logs = (oracle.scores(unary, pairwise, oracle.labellings(*unary.shape)) - value) / epsilon
    shares = np.exp(logs)
    return value, node, edge, -(shares * np.where(shares > 0, logs, 0.0)).sum()


@given(chains(elements=PRUNED))
def test_against_enumeration(case):
    unary, pairwise = case
    best, *_ = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))
    if best == -np.inf:
        with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
            soft_best(unary, pairwise, EPSILONS)
        return
    soft = soft_best(unary, pairwise, EPSILONS)
    for e, epsilon in enumerate(EPSILONS):
        value, node, edge, entropy = enumerated(unary, pairwise, epsilon)
        loose = 1e-9 + 1e-13 / epsilon  # the oracle's own rounding, divided by epsilon
        assert_allclose(soft.value[e], value, atol=1e-10)
        assert_allclose(soft.unary[e], node, atol=loose)
        assert_allclose(soft.pairwise[e], edge, atol=loose)
        assert_allclose(soft.entropy[e], entropy, atol=100 * loose)


@given(chains())
def test_at_one_it_is_the_log_partition_function_and_marginals(case):
    soft, known = soft_best(*case, [1.0]), chain.marginals(*case)
    assert_allclose(soft.value[0], known.log_partition, atol=1e-10)
    assert_allclose(soft.unary[0], known.unary, atol=1e-10)
    assert_allclose(soft.pairwise[0], known.pairwise, atol=1e-10)


@given(chains(elements=st.one_of(SMALL_INTEGERS, PRUNED)))
def test_at_zero_it_is_the_decoded_labelling(case):
    try:
        decoded = chain.decode(*case)
    except InfeasibleError:
        return
    soft = soft_best(*case, [0.0])
    assert_allclose(soft.value[0], decoded.score, atol=1e-12)
    assert_array_equal(soft.unary[0].argmax(axis=1), decoded.labels)
    assert_array_equal(np.sort(np.unique(soft.unary)), np.unique([0.0, 1.0] if case[0].shape[1] > 1 else 1.0))
    assert soft.entropy[0] == 0.0


@given(chains(), st.sampled_from([1e-6, 1.0, 1e6, 1e100]))
def test_no_epsilon_is_too_small(case, scale):
    """Weights still sum to 1, values tend to the best score, and nothing warns."""
    unary, pairwise = scale * case[0], scale * case[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        soft = soft_best(unary, pairwise, TINY)
    best = chain.decode(unary, pairwise).score
    size = max(np.abs(unary).max(), np.abs(pairwise).max(initial=0.0))
    length, n = unary.shape
    assert_allclose(soft.value, best, atol=1e-14 * size * length + 1.001e-9 * length * np.log(n))
    assert_allclose(soft.unary.sum(axis=2), 1.0, atol=1e-12)
    assert_allclose(soft.pairwise.sum(axis=2), soft.unary[:, 1:], atol=1e-12)
    assert_allclose(soft.pairwise.sum(axis=3), soft.unary[:, :-1], atol=1e-12)


def test_weights_stay_sharp_where_left_plus_right_would_round():
    """Scores of 1e6 and an epsilon of 1e-13: rounding of their sums is a thousand times epsilon."""
    rng = np.random.default_rng(0)
    unary, pairwise = 1e6 + rng.normal(size=(6, 3)), rng.normal(size=(3, 3))
    soft = soft_best(unary, pairwise, [1e-13])
    assert_array_equal(soft.unary[0], np.eye(3)[chain.decode(unary, pairwise).labels])


@given(chains(), st.floats(1e-3, 10), st.floats(1.01, 3))
def test_it_only_falls_with_epsilon_and_stays_near_the_best(case, epsilon, factor):
    soft = soft_best(*case, [factor * epsilon, epsilon, 0.0])
    length, n = case[0].shape
    assert soft.value[0] >= soft.value[1] - 1e-12 >= soft.value[2] - 2e-12
    assert soft.value[1] <= soft.value[2] + epsilon * length * np.log(n) + 1e-12
    assert soft.entropy[0] >= soft.entropy[1] - 1e-9  # a colder chain is never less sure
    assert soft.entropy[0] <= length * np.log(n) + 1e-9


@pytest.mark.parametrize("epsilon", [3.0, 0.5])
def test_the_weights_are_the_gradient(epsilon):
    rng = np.random.default_rng(3)
    unary, pairwise, h = rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3)), 1e-5
    soft = soft_best(unary, pairwise, [epsilon])
    for table, weights in ((unary, soft.unary[0]), (pairwise, soft.pairwise[0])):
        for at in np.ndindex(table.shape):
            kept = table[at]
            ends = []
            for table[at] in (kept + h, kept - h):
                ends.append(soft_best(unary, pairwise, [epsilon]).value[0])
            table[at] = kept
            assert weights[at] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8)


@pytest.mark.parametrize(
    ("epsilons", "error", "message"),
    [
        ([1.0, -0.1], ArgumentError, r"epsilons\[1\] must be at least 0, got -0.1"),
        ([np.nan], ScoreError, "epsilons"),
        ([np.inf], ScoreError, "epsilons"),
        ([-np.inf], ArgumentError, "must be at least 0"),
        (1.0, ShapeError, "epsilons has shape"),
    ],
)
def test_bad_epsilons(epsilons, error, message):
    with pytest.raises(error, match=message):
        soft_best([[0.0, 1.0]], np.zeros((2, 2)), epsilons)


def test_no_epsilons_and_bad_chains():
    assert soft_best([[0.0, 1.0]], np.zeros((2, 2)), []).unary.shape == (0, 1, 2)
    with pytest.raises(ShapeError, match="pairwise has shape"):
        soft_best([[0.0, 1.0]], np.zeros((3, 3)), [1.0])

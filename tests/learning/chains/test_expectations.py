"""Forward-backward of many chains: every number by enumeration, at any scale and with forbidden scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.learning.chains.expectations import expectations
from tests.oracles import chain as oracle


def by_enumeration(unary, lengths, pairwise, weights):
    """(log partitions, weighted state probabilities, weighted expected steps)."""
    logs, nodes, pairs, first = [], [], np.zeros_like(pairwise), 0
    for length, weight in zip(lengths, weights):
        z, node, edge = oracle.tables(unary[first : first + length], pairwise, oracle.log_sum)
        logs.append(z)
        nodes.append(weight * np.exp(node - z))
        pairs += weight * np.exp(edge - z).sum(axis=0)
        first += length
    return np.array(logs), np.concatenate(nodes), pairs


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_states=st.sampled_from([1, 2, 3, 9]),
    scale=st.sampled_from([0.0, 1.0, 30.0, 300.0, 3000.0]),
    forbids=st.booleans(),
)
def test_every_number_is_that_of_enumeration(seed, n_states, scale, forbids):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 4 if n_states > 3 else 6, 3)
    unary = rng.normal(size=(lengths.sum(), n_states)) * scale
    pairwise = rng.normal(size=(n_states, n_states)) * scale
    if forbids and n_states > 1:
        unary[rng.random(unary.shape) < 0.2] = -np.inf
        pairwise[rng.random(pairwise.shape) < 0.2] = -np.inf
        unary[:, 0] = np.where(np.isneginf(unary[:, 0]), 0.0, unary[:, 0])  # one labelling at least
        pairwise[0, 0] = 0.0
    weights = rng.random(3)
    marginals = expectations(unary, lengths, pairwise, weights=weights)
    logs, nodes, pairs = by_enumeration(unary, lengths, pairwise, weights)
    assert_allclose(marginals.log_partition, logs, rtol=1e-9, atol=1e-9)
    assert_allclose(marginals.unary, nodes, atol=1e-9)
    assert_allclose(marginals.pairwise, pairs, atol=1e-9)


def test_a_long_chain_stays_exact():
    """Ten thousand positions: probabilities add up, and equal those of a chain cut at a certain state."""
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(10_000, 3)), rng.normal(size=(3, 3))
    unary[5_000, 1:] = -np.inf
    whole = expectations(unary, [10_000], pairwise)
    assert_allclose(whole.unary.sum(axis=1), 1.0, rtol=1e-9)
    assert_allclose(whole.pairwise.sum(), 9_999, rtol=1e-9)
    behind = unary[5_000:].copy()
    parts = expectations(np.concatenate([unary[:5_001], behind]), [5_001, 5_000], pairwise)
    assert_allclose(whole.unary[:5_001], parts.unary[:5_001], atol=1e-9)
    assert_allclose(whole.log_partition[0], parts.log_partition.sum() - unary[5_000, 0], rtol=1e-12)


def test_nothing_is_left():
    with pytest.raises(InfeasibleError, match="every labelling of chain 1 has score -inf"):
        expectations([[0.0, 0.0], [-np.inf, -np.inf]], [1, 1], np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"unary": [[np.nan, 0.0]] * 3}, ScoreError, r"unary\[0, 0\] must be a finite score"),
        ({"lengths": [2]}, ShapeError, "lengths needs 2 rows"),
        ({"lengths": [3, 0]}, ArgumentError, r"lengths\[1\] must be at least 1"),
        ({"pairwise": np.zeros((3, 3))}, ShapeError, r"pairwise has shape \(3, 3\)"),
        ({"weights": [1.0, 2.0]}, ShapeError, r"weights has shape \(2,\)"),
    ],
)
def test_bad_arguments_are_named(change, kind, message):
    good = {
        "unary": np.zeros((3, 2)),
        "lengths": [3],
        "pairwise": np.zeros((2, 2)),
        "weights": [1.0],
    } | change
    with pytest.raises(kind, match=message):
        expectations(good["unary"], good["lengths"], good["pairwise"], weights=good["weights"])

"""Gibbs samples against the exact distribution, by chi-square; seeds, starts, sharp scores."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import gibbs
from tests.oracles import graph as oracle

RING = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])
STAR = np.array([[0, 1], [0, 2], [0, 3], [0, 4], [0, 5]])


def chi_square(samples, scores):
    """(statistic, degrees of freedom) of whole labellings against exact probabilities, rare ones pooled."""
    log_z = oracle.log_sum(list(scores.values()))
    expected = {y: len(samples) * np.exp(v - log_z) for y, v in scores.items()}
    seen = dict.fromkeys(scores, 0)
    for y in samples.tolist():
        seen[tuple(y)] += 1
    often = [y for y in scores if expected[y] >= 5]
    rest_expected = sum(expected[y] for y in scores if expected[y] < 5)
    rest_seen = sum(seen[y] for y in scores if expected[y] < 5)
    statistic = sum((seen[y] - expected[y]) ** 2 / expected[y] for y in often)
    if rest_expected > 1:
        statistic += (rest_seen - rest_expected) ** 2 / rest_expected
    return statistic, len(often) - (rest_expected <= 1)


@pytest.mark.parametrize("n_states", [1, 2, 3, 4])
@pytest.mark.parametrize(("edges", "n_nodes"), [(RING, 4), (STAR, 6), (np.empty((0, 2), dtype=int), 3)])
@pytest.mark.parametrize("is_wild", [False, True])
def test_samples_follow_the_exact_distribution(edges, n_nodes, n_states, is_wild):
    """Both routes: products of exponentials, and logs (forced by a forbidden state, or five neighbours)."""
    if n_states**n_nodes > 800:
        n_states = 3
    rng = np.random.default_rng(n_states)
    unary, pairwise = rng.normal(size=(n_nodes, n_states)), rng.normal(size=(len(edges), n_states, n_states))
    if is_wild and n_states > 1:
        unary[0, 0] = -np.inf
    samples = gibbs.sample(unary, edges, pairwise, gibbs.seeds(rng, 20_000), 40)
    statistic, freedom = chi_square(samples, oracle.all_scores(unary, edges, pairwise))
    assert statistic < freedom + 5 * np.sqrt(2 * max(freedom, 1)) + 5
    if is_wild and n_states > 1:
        assert (samples[:, 0] > 0).all()


def test_wide_state_spaces():
    """Nine states are padded to sixteen; 40 are over every width."""
    rng = np.random.default_rng(8)
    for n in (9, 40):
        unary, pairwise = rng.normal(size=(2, n)), rng.normal(size=(1, n, n)) * 0.5
        samples = gibbs.sample(unary, [[0, 1]], pairwise, gibbs.seeds(rng, 40_000), 30)
        exact = np.exp(oracle.node_table(unary, [[0, 1]], pairwise, oracle.log_sum))
        exact /= exact.sum(axis=1, keepdims=True)
        seen = np.stack([np.bincount(samples[:, i], minlength=n) for i in range(2)]) / 40_000
        z = (seen - exact) / np.sqrt(exact / 40_000)
        assert np.abs(z).max() < 5


def test_a_sample_depends_on_its_seed_alone():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3))
    seeds = gibbs.seeds(rng, 21)
    whole = gibbs.sample(unary, RING, pairwise, seeds, 5)
    parts = [gibbs.sample(unary, RING, pairwise, part, 5) for part in (seeds[:3], seeds[3:14], seeds[14:])]
    assert_array_equal(whole, np.concatenate(parts))
    assert_array_equal(whole, gibbs.sample(unary, RING, pairwise, seeds, 5))
    assert len({tuple(y) for y in whole.tolist()}) > 10


def test_starts():
    unary, pairwise = np.zeros((4, 3)), np.zeros((3, 3))
    seeds = gibbs.seeds(np.random.default_rng(0), 5000)
    assert_array_equal(
        gibbs.sample(unary, RING, pairwise, seeds[:2], 0, start=[0, 1, 2, 0]), [[0, 1, 2, 0]] * 2
    )
    uniform = gibbs.sample(unary, RING, pairwise, seeds, 0)
    counts = np.stack([np.bincount(uniform[:, i], minlength=3) for i in range(4)])
    assert np.abs(counts - 5000 / 3).max() < 5 * np.sqrt(5000 / 3)


def test_sharp_distributions_reach_their_mode():
    unary = np.array([[0.0, 300.0], [0.0, 0.0]])
    pairwise = np.array([[0.0, -5e4], [-5e4, 0.0]])
    samples = gibbs.sample(unary, [[0, 1]], pairwise, gibbs.seeds(np.random.default_rng(0), 50), 20)
    assert (samples[:, 0] == samples[:, 1]).all()  # unequal labels are e^-50000 times as likely


def test_bad_arguments_are_refused_by_name():
    u, p, seeds = np.zeros((4, 2)), np.zeros((2, 2)), gibbs.seeds(np.random.default_rng(0), 2)
    with pytest.raises(ArgumentError, match=r"rng must be a numpy.random.Generator, got int"):
        gibbs.seeds(3, 2)
    with pytest.raises(ShapeError, match=r"seeds has shape \(2,\) and dtype int64"):
        gibbs.sample(u, RING, p, [1, 2], 1)
    with pytest.raises(ArgumentError, match="n_sweeps must be a whole number"):
        gibbs.sample(u, RING, p, seeds, -1)
    with pytest.raises(ShapeError, match=r"start has shape \(3,\)"):
        gibbs.sample(u, RING, p, seeds, 1, start=[0, 0, 0])
    with pytest.raises(ArgumentError, match=r"start\[1\] must be from 0 to 1, got 2"):
        gibbs.sample(u, RING, p, seeds, 1, start=[0, 2, 0, 0])
    with pytest.raises(InfeasibleError, match="all 2 states are dead at node 0"):
        gibbs.sample(np.full((4, 2), -np.inf), RING, p, seeds, 1)
    apart = np.array([[-np.inf, 0.0], [-np.inf, -np.inf]])
    with pytest.raises(InfeasibleError, match="start must leave every node a state of finite score"):
        gibbs.sample(np.zeros((2, 2)), [[0, 1]], apart, seeds, 1, start=[1, 0])


def test_one_chain_from_a_given_start():
    """The start of a single chain is overwritten, so it must be the sampler's own copy."""
    start = np.array([1, 0])
    samples = gibbs.sample(
        np.zeros((2, 2)), [[0, 1]], np.zeros((2, 2)), gibbs.seeds(np.random.default_rng(0), 1), 3, start
    )
    assert samples.shape == (1, 2)
    assert start.tolist() == [1, 0]

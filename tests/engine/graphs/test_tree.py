"""Forests: maxima, sums, witnesses and the best labelling against enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.graphs import graph, tree
from spcviz.engine.graphs.tree_messages import is_tame
from tests.oracles import graph as oracle

many = settings(deadline=None, max_examples=150)
SCALES = (1e-3, 1.0, 30.0, 1e4)


@st.composite
def forests(draw, max_nodes=5, max_states=3, forbid=False, lone=True):
    """(unary, edges, pairwise): a random forest, its edges either way round and in any order."""
    n, k = draw(st.integers(1, max_nodes)), draw(st.integers(1, max_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random_forest(rng, n, k, draw(st.sampled_from(SCALES)), forbid=forbid, lone=lone)


def random_forest(rng, n, k, scale, *, forbid=False, lone=True):
    """The same for a plain loop over seeds: n nodes of k states."""
    names = rng.permutation(n)
    edges = []
    for i in range(1, n):
        if not lone or rng.random() < 0.8:
            pair = names[i], names[rng.integers(i)]
            edges.append(pair if rng.random() < 0.5 else pair[::-1])
    rng.shuffle(edges)
    unary, pairwise = rng.normal(size=(n, k)) * scale, rng.normal(size=(len(edges), k, k)) * scale
    if forbid:
        unary[rng.random(unary.shape) < 0.15] = -np.inf
        pairwise[rng.random(pairwise.shape) < 0.2] = -np.inf
    return unary, np.array(edges, dtype=np.int64).reshape(-1, 2), pairwise


def close(got, wanted, scale):
    assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * max(1.0, scale))


def scale_of(*arrays):
    return max([1.0, *(np.abs(a[np.isfinite(a)]).max(initial=0) for a in arrays)])


@many
@given(args=st.one_of(forests(), forests(forbid=True)))
def test_max_marginals_and_decoding_match_enumeration(args):
    check_maxima(*args)


def check_maxima(*args):
    unary, _, pairwise = args
    scores = oracle.all_scores(*args)
    if max(scores.values()) == -np.inf:
        for function in (tree.decode, tree.max_marginals, tree.node_max_marginals, tree.marginals):
            with pytest.raises(InfeasibleError, match="every labelling has score -inf: all"):
                function(*args)
        return
    size = scale_of(unary, pairwise)
    maxima = tree.max_marginals(*args)
    close(maxima.best, max(scores.values()), size)
    close(maxima.unary, oracle.node_table(*args, max), size)
    close(maxima.pairwise, oracle.edge_table(*args, max), size)
    decoded = tree.decode(*args)
    close(decoded.score, max(scores.values()), size)
    close(scores[tuple(decoded.labels)], decoded.score, size)
    best, table = tree.node_max_marginals(*args)
    assert best == maxima.best
    close(table, maxima.unary, size)


@many
@given(args=st.one_of(forests(), forests(forbid=True)))
def test_sum_marginals_match_enumeration(args):
    scores = oracle.all_scores(*args)
    log_z = oracle.log_sum(list(scores.values()))
    if log_z == -np.inf:
        return
    marginals = tree.marginals(*args)
    close(marginals.log_partition, log_z, scale_of(args[0], args[2]))
    assert_allclose(marginals.unary, np.exp(oracle.node_table(*args, oracle.log_sum) - log_z), atol=1e-8)
    assert_allclose(marginals.pairwise, np.exp(oracle.edge_table(*args, oracle.log_sum) - log_z), atol=1e-8)
    assert_allclose(marginals.unary.sum(axis=1), 1)
    for e, (a, b) in enumerate(args[1]):  # Q21: edges marginalise to their nodes
        assert_allclose(marginals.pairwise[e].sum(axis=1), marginals.unary[a], atol=1e-9)
        assert_allclose(marginals.pairwise[e].sum(axis=0), marginals.unary[b], atol=1e-9)


def test_scaled_and_log_sums_agree():
    rng = np.random.default_rng(0)
    edges = np.array([[0, i] for i in range(1, 8)])
    unary, pairwise = rng.normal(size=(8, 4)), rng.normal(size=(7, 4, 4))
    assert is_tame(unary, pairwise, 8)
    low = np.zeros((8, 5))
    low[:, :4], low[:, 4] = unary, -np.inf  # a forbidden fifth state: the other route, the same answer
    wide = np.full((7, 5, 5), 3.0)
    wide[:, :4, :4] = pairwise
    slow, fast = tree.marginals(low, edges, wide), tree.marginals(unary, edges, pairwise)
    assert_allclose(slow.unary[:, :4], fast.unary, atol=1e-12)
    assert_allclose(slow.log_partition, fast.log_partition)


@many
@given(args=st.one_of(forests(), forests(forbid=True)), data=st.data())
def test_witness_attains_its_max_marginal(args, data):
    unary = args[0]
    node = data.draw(st.integers(0, len(unary) - 1))
    check_witness(*args, node, data.draw(st.integers(0, unary.shape[1] - 1)))


def check_witness(*args):
    *args, node, state = args
    unary, _, pairwise = args
    wanted = oracle.node_table(*args, max)[node, state]
    if wanted == -np.inf:
        with pytest.raises(InfeasibleError, match=f"state {state} at node {node}"):
            tree.witness(*args, node, state)
        return
    witness = tree.witness(*args, node, state)
    assert witness.labels[node] == state
    close(witness.score, wanted, scale_of(unary, pairwise))
    close(tree.score(*args, witness.labels), wanted, scale_of(unary, pairwise))


def test_a_path_is_a_chain():
    rng = np.random.default_rng(1)
    unary, pairwise = rng.normal(size=(30, 6)), rng.normal(size=(29, 6, 6))
    edges = np.stack([np.arange(29), np.arange(1, 30)], axis=1)
    close(
        tree.max_marginals(unary, edges, pairwise).pairwise, chain.max_marginals(unary, pairwise).pairwise, 1
    )
    close(tree.marginals(unary, edges, pairwise).pairwise, chain.marginals(unary, pairwise).pairwise, 1)
    shared = tree.decode(unary, edges, pairwise[0]), chain.decode(unary, pairwise[0])
    assert_array_equal(shared[0].labels, shared[1].labels)


def test_ties_go_to_the_smallest_state():
    edges = [[2, 0], [0, 1], [3, 4]]
    assert tree.decode(np.zeros((5, 3)), edges, np.zeros((3, 3))).labels.tolist() == [0] * 5
    labels = tree.witness(np.zeros((5, 3)), edges, np.zeros((3, 3)), 1, 2).labels
    assert labels.tolist() == [0, 2, 0, 0, 0]
    unary = [[0.0, 0.0], [0.0, 0.0]]
    assert tree.decode(unary, [[1, 0]], [[0.0, 1.0], [1.0, 0.0]]).labels.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([[0, 1], [1, 2], [2, 0]], (0, 1, 2, 0)),
        ([[4, 5], [0, 1], [1, 2], [2, 3], [3, 1]], (1, 2, 3, 1)),
        ([[0, 1], [1, 0]], (0, 1, 0)),
        ([[3, 0], [0, 1], [1, 2], [2, 5], [5, 3], [3, 4]], (0, 1, 2, 5, 3, 0)),
    ],
)
def test_a_cycle_is_named(edges, cycle):
    message = "edges must form a tree or forest, got the cycle " + " - ".join(map(str, cycle))
    with pytest.raises(graph.CycleError, match=message) as caught:
        tree.decode(np.zeros((6, 2)), edges, np.zeros((2, 2)))
    assert caught.value.cycle == cycle


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=60)
def test_the_named_cycle_is_one(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    pairs = [(a, b) for a in range(n) for b in range(a)]
    edges = np.array(pairs)[rng.permutation(len(pairs))[: rng.integers(n, len(pairs) + 1)]]
    with pytest.raises(graph.CycleError) as caught:
        graph.root_forest(n, edges)
    ring = caught.value.cycle
    joined = {frozenset(map(int, pair)) for pair in edges}
    assert ring[0] == ring[-1]
    assert len(set(ring)) == len(ring) - 1 >= 3
    assert all(frozenset(pair) in joined for pair in itertools.pairwise(ring))


def test_bad_arguments_are_refused_by_name():
    flat, ones = np.zeros((3, 2)), np.zeros((2, 2))
    cases = [
        (ShapeError, r"unary has shape \(0, 2\)", (np.zeros((0, 2)), [], ones)),
        (ShapeError, r"edges has shape \(2,\); it needs \(E, 2\)", (flat, [0, 1], ones)),
        (
            ArgumentError,
            r"edges\[0\] must join two different nodes from 0 to 2, got \(0, 3\)",
            (flat, [[0, 3]], ones),
        ),
        (ArgumentError, r"edges\[0\] must join two different nodes", (flat, [[1, 1]], ones)),
        (ArgumentError, "edges must be an array of whole numbers", (flat, [[0.0, 1.0]], ones)),
        (ShapeError, r"pairwise has shape \(5, 2, 2\)", (flat, [[0, 1]], np.zeros((5, 2, 2)))),
        (ScoreError, r"unary\[1, 0\] must be a finite score", ([[0, 0], [np.nan, 0]], [[0, 1]], ones)),
        (InfeasibleError, "all 2 states are dead at node 1", ([[0, 0], [-np.inf] * 2], [[0, 1]], ones)),
    ]
    for error, message, args in cases:
        with pytest.raises(error, match=message):
            tree.max_marginals(*args)
    with pytest.raises(ArgumentError, match="node must be a whole number from 0 to 2, got 3"):
        tree.witness(flat, [], ones, 3, 0)


def test_wide_and_deep_trees():
    rng = np.random.default_rng(3)
    hub = np.array([[0, i] for i in range(1, 2000)])
    unary = rng.normal(size=(2000, 3))
    marginals = tree.marginals(unary, hub, rng.normal(size=(3, 3)))  # 1999 children: log-sum-exp takes over
    assert_allclose(marginals.unary.sum(axis=1), 1)
    path = np.array([[i, i + 1] for i in range(1999)])
    assert_allclose(tree.marginals(unary, path, np.zeros((3, 3))).log_partition, oracle_lone(unary))


def oracle_lone(unary):
    return sum(oracle.log_sum(list(row)) for row in unary)

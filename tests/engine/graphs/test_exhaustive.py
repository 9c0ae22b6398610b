"""Exhaustive search and variable elimination against enumeration, and the counts of a lecture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import exhaustive, tree
from tests.oracles import graph as oracle

many = settings(deadline=None, max_examples=100)


@st.composite
def factor_graphs(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_states = tuple(int(k) for k in rng.integers(1, 4, size=draw(st.integers(1, 5))))
    scopes = []
    for _ in range(draw(st.integers(0, 5))):
        size = int(rng.integers(1, min(3, len(n_states)) + 1))
        scopes.append(tuple(int(d) for d in rng.permutation(len(n_states))[:size]))
    tables = [rng.normal(size=[n_states[d] for d in scope]) for scope in scopes]
    if draw(st.booleans()):
        for table in tables:
            table[rng.random(table.shape) < 0.15] = -np.inf
    order = tuple(int(d) for d in rng.permutation(len(n_states)))
    return exhaustive.factor_graph(n_states, scopes, tables), order


@many
@given(args=factor_graphs())
def test_search_and_elimination_match_enumeration(args):
    """Q19, for any restriction sets and any order."""
    graph, order = args
    best, labels = oracle.best_configuration(*graph)
    if best == -np.inf:
        for call in (lambda: exhaustive.search(graph), lambda: exhaustive.eliminate(graph, order)):
            with pytest.raises(InfeasibleError, match="every configuration"):
                call()
        return
    optimum = exhaustive.search(graph)
    assert_allclose(optimum.score, best, atol=1e-9)
    assert_allclose(oracle.factor_score(graph.scopes, graph.tables, optimum.labels), best, atol=1e-9)
    assert optimum.n_configurations == np.prod(graph.n_states)
    done = exhaustive.eliminate(graph, order)
    assert_allclose(done.score, best, atol=1e-9)
    assert_allclose(oracle.factor_score(graph.scopes, graph.tables, done.labels), best, atol=1e-9)
    assert [step.variable for step in done.steps] == list(order)
    assert done.n_entries == sum(step.candidates.size for step in done.steps)
    assert labels is not None


def test_counts_of_the_lecture():
    word = exhaustive.chain_graph(np.zeros((4, 26)), np.zeros((26, 26)))
    assert exhaustive.stored_entries(word.n_states, word.scopes) == 2132
    assert exhaustive.n_configurations(word.n_states) == 456_976
    assert exhaustive.stored_entries([26] * 4, [[0], [1], [2], [3]]) == 104
    assert exhaustive.stored_entries([26] * 4, [[0, 1, 2, 3]]) == 456_976
    assert exhaustive.n_configurations([21] * 1000) == 21**1000
    done = exhaustive.eliminate(word)
    assert done.n_entries == 3 * 26**2 + 26
    assert exhaustive.search(word).n_configurations == 456_976


def test_letters_of_the_lecture():
    """Q then V if decoded separately; U after Q if decoded jointly."""
    unary = np.zeros((2, 26))
    q, u, v = 16, 20, 21
    unary[0, q], unary[1, v], unary[1, u] = 5.0, 2.0, 1.5
    pairwise = np.zeros((26, 26))
    pairwise[q, u] = 3.0
    apart = exhaustive.search(exhaustive.chain_graph(unary, np.zeros((26, 26))))
    joint = exhaustive.search(exhaustive.chain_graph(unary, pairwise))
    assert (apart.labels.tolist(), joint.labels.tolist()) == ([q, v], [q, u])


@many
@given(seed=st.integers(0, 10_000))
def test_elimination_is_viterbi_on_chains(seed):
    rng = np.random.default_rng(seed)
    unary, pairwise = rng.normal(size=(5, 4)), rng.normal(size=(4, 4, 4))
    done = exhaustive.eliminate(exhaustive.chain_graph(unary, pairwise))
    best = chain.decode(unary, pairwise)
    assert_array_equal(done.labels, best.labels)
    assert_allclose(done.score, best.score)
    assert [step.scope for step in done.steps] == [(1,), (2,), (3,), (4,), ()]
    edges = np.array([[i, i + 1] for i in range(4)])
    assert_allclose(tree.decode(unary, edges, pairwise).score, done.score)


def test_ties_go_to_the_first():
    flat = exhaustive.factor_graph([2, 3], [[0, 1]], [np.zeros((2, 3))])
    assert exhaustive.search(flat).labels.tolist() == [0, 0]
    assert exhaustive.eliminate(flat).labels.tolist() == [0, 0]


def test_scanlines_are_chains():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 7, 3)), rng.normal(size=(3, 3))
    lines = exhaustive.scanlines(unary, pairwise)
    for row, line in zip(unary, lines):
        assert_array_equal(chain.decode(row, pairwise).labels, line)


def test_bad_arguments_are_refused_by_name():
    word = exhaustive.chain_graph(np.zeros((8, 26)), np.zeros((26, 26)))
    with pytest.raises(
        ArgumentError, match="cap must be at least the number of configurations 208827064576, got 10000000"
    ):
        exhaustive.search(word)
    long = exhaustive.chain_graph(np.zeros((40, 26)), np.zeros((26, 26)))
    with pytest.raises(ArgumentError, match=r"about 10\^56"):
        exhaustive.search(long)
    with pytest.raises(ShapeError, match=r"tables\[0\] has shape \(2,\); scope \(0,\) needs \(3,\)"):
        exhaustive.factor_graph([3], [[0]], [[0.0, 1.0]])
    with pytest.raises(ShapeError, match="tables has length 0; scopes needs 1"):
        exhaustive.factor_graph([3], [[0]], [])
    with pytest.raises(ArgumentError, match=r"scopes\[0\] must hold different variables, got \(0, 0\)"):
        exhaustive.stored_entries([3], [[0, 0]])
    with pytest.raises(ArgumentError, match=r"scopes\[0\] must be a whole number from 0 to 0, got 1"):
        exhaustive.stored_entries([3], [[1]])
    with pytest.raises(ArgumentError, match="n_states must name at least one variable"):
        exhaustive.n_configurations([])
    with pytest.raises(ArgumentError, match="order must hold every variable"):
        exhaustive.eliminate(word, [0, 0, 1, 2, 3, 4, 5, 6])
    star = exhaustive.factor_graph([30] * 6, [[0, d] for d in range(1, 6)], [np.zeros((30, 30))] * 5)
    with pytest.raises(
        ArgumentError, match="order must keep every step under 20000000 entries, got 729000000 for 0"
    ):
        exhaustive.eliminate(star)
    assert exhaustive.eliminate(star, [1, 2, 3, 4, 5, 0]).n_entries == 5 * 900 + 30

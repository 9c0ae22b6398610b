"""Graphs and grids at the edge of what makes sense, through everything that takes a graph."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, CycleError, InfeasibleError
from spcviz.engine.graphs import ensemble, gibbs, graph, grid, loopy_bp, tree

SQUARE = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
NEEDS_A_TREE = (tree.decode, tree.max_marginals, tree.node_max_marginals, tree.marginals)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("function", NEEDS_A_TREE)
def test_where_a_tree_is_needed_the_cycle_is_named(function):
    with pytest.raises(CycleError, match="got the cycle 0 - 1 - 2 - 3 - 0"):
        function(np.zeros((4, 2)), SQUARE, np.zeros((2, 2)))


def test_the_cycle_of_a_sub_model_is_named():
    with pytest.raises(CycleError, match="0 - 1 - 2 - 3 - 0"):
        ensemble.split(np.zeros((4, 2)), SQUARE, np.zeros((4, 2, 2)), np.ones((1, 4), dtype=bool))


def test_a_grid_is_no_tree_but_its_combs_are():
    unary, edges, pairwise = grid.as_graph(
        RNG.random((3, 4, 2)), RNG.random((3, 3, 2, 2)), RNG.random((2, 4, 2, 2))
    )
    with pytest.raises(CycleError, match=r"cycle 0 - 1 - 5 - 4 - 0"):
        tree.decode(unary, edges, pairwise)
    for mask in grid.comb_membership(3, 4):
        graph.root_forest(12, edges[mask])


def test_disconnected_graphs_are_the_product_of_their_parts():
    unary, edges = RNG.normal(size=(7, 3)), np.array([[0, 1], [1, 2], [4, 5]])  # 3 and 6 stand alone
    pairwise = RNG.normal(size=(3, 3, 3))
    whole = tree.max_marginals(unary, edges, pairwise)
    left = tree.max_marginals(unary[:3], edges[:2], pairwise[:2])
    right = tree.max_marginals(unary[4:6], [[0, 1]], pairwise[2:])
    alone = unary[3].max() + unary[6].max()
    assert whole.best == pytest.approx(left.best + right.best + alone, abs=1e-9)
    np.testing.assert_allclose(whole.unary[:3], left.unary + right.best + alone)
    beliefs = loopy_bp.propagate(unary, edges, pairwise, "max")
    assert beliefs.converged.all()
    np.testing.assert_array_equal(beliefs.labels, tree.decode(unary, edges, pairwise).labels)
    drawn = gibbs.sample(unary, edges, pairwise, gibbs.seeds(RNG, 5), 3)
    assert drawn.shape == (5, 7)


def test_nothing_allowed_anywhere_is_said_and_not_answered():
    dead, alive, edges = np.full((4, 2), -np.inf), np.zeros((4, 2)), SQUARE[:3]
    shut, open_ = np.full((2, 2), -np.inf), np.zeros((2, 2))
    for unary, pairwise in ((dead, open_), (alive, shut)):
        for function in NEEDS_A_TREE:
            with pytest.raises(InfeasibleError, match="-inf"):
                function(unary, edges, pairwise)
        with pytest.raises(InfeasibleError, match="-inf"):
            loopy_bp.propagate(unary, SQUARE, pairwise)
        with pytest.raises(InfeasibleError, match="-inf"):
            loopy_bp.propagate(unary, SQUARE, pairwise, "max")
        with pytest.raises(InfeasibleError, match=r"-inf|every node a state of finite score"):
            gibbs.sample(unary, SQUARE, pairwise, gibbs.seeds(RNG, 1), 1)
    with pytest.raises(InfeasibleError, match="spine is row 0"):
        grid.comb_max_marginals(dead.reshape(2, 2, 2), np.zeros((2, 1, 2, 2)), np.zeros((1, 2, 2, 2)))


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 6), (6, 1)])
@pytest.mark.parametrize("n", [1, 3])
def test_grids_of_one_row_and_one_class_are_exact_under_every_method(rows, columns, n):
    """One row or column is a chain, and every comb is all of it: the sum is exact, and so are messages."""
    scores = (
        RNG.normal(size=(rows, columns, n)),
        RNG.normal(size=(rows, columns - 1, n, n)),
        RNG.normal(size=(rows - 1, columns, n, n)),
    )
    exact = tree.max_marginals(*grid.as_graph(*scores)).unary
    summed = grid.summed_max_marginals(*scores)
    np.testing.assert_allclose(summed.unary.reshape(-1, n), exact, atol=1e-9)
    beliefs = loopy_bp.propagate(*grid.as_graph(*scores), "max")
    np.testing.assert_allclose(beliefs.unary, exact - exact.max(axis=1, keepdims=True), atol=1e-6)
    filtered = ensemble.filter_summed(summed.best, summed.mean, summed.unary.reshape(-1, n), 1.0)
    assert filtered.keep.any(axis=1).all()


@pytest.mark.parametrize("sides", [(0, 3), (3, 0)])
def test_grids_of_no_row_are_refused(sides):
    rows, columns = sides
    with pytest.raises(ArgumentError, match=r"unary has shape"):
        grid.comb_max_marginals(
            np.zeros((rows, columns, 2)),
            np.zeros((rows, max(columns - 1, 0), 2, 2)),
            np.zeros((max(rows - 1, 0), columns, 2, 2)),
        )

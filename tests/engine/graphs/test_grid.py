"""Grids and their combs against spanning trees and enumeration; the joint filter is safe."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.graphs import ensemble, graph, grid, tree
from tests.oracles import graph as oracle

many = settings(deadline=None, max_examples=80)


@st.composite
def grids(draw, max_nodes=6, max_states=3, forbid=False):
    """(unary, across, down), small enough to enumerate."""
    rows = draw(st.integers(1, 3))
    columns = draw(st.integers(1, max_nodes // rows))
    n = draw(st.integers(1, max_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([1e-3, 1.0, 25.0]))
    shapes = (rows, columns, n), (rows, columns - 1, n, n), (rows - 1, columns, n, n)
    tables = [rng.normal(size=shape) * scale for shape in shapes]
    if forbid:
        for table in tables:
            table[rng.random(table.shape) < 0.12] = -np.inf
    return tuple(tables)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (11, 11), (2, 5), (1, 4), (4, 1), (1, 1)])
def test_combs_are_the_spanning_trees_of_the_definition(rows, columns):
    member = grid.comb_membership(rows, columns)
    edges = graph.grid_edges(rows, columns)
    wanted = oracle.combs(rows, columns)
    assert len(member) == len(wanted) == rows + columns
    for mask, pairs in zip(member, wanted):
        assert {tuple(pair) for pair in edges[mask].tolist()} == set(pairs)
        assert oracle.is_spanning_tree(rows * columns, pairs)
        assert mask.sum() == rows * columns - 1
    n_across = rows * (columns - 1)
    assert (member.sum(axis=0)[:n_across] == columns + 1).all()
    assert (member.sum(axis=0)[n_across:] == rows + 1).all()


def test_counts_of_the_thesis():
    """C10: 3 x 3 has 6 combs and 12 edges, each in 4; 11 x 11 has 22 and 220, each in 12."""
    for n, combs, edges, times in ((3, 6, 12, 4), (11, 22, 220, 12)):
        member = grid.comb_membership(n, n)
        assert member.shape == (combs, edges)
        assert (member.sum(axis=0) == times).all()


@many
@given(args=st.one_of(grids(), grids(forbid=True)))
def test_shared_combs_match_trees_and_enumeration(args):
    unary, edges, pairwise = grid.as_graph(*args)
    models = ensemble.split(unary, edges, pairwise, grid.comb_membership(*args[0].shape[:2]))
    tables = [oracle.node_table(m.unary, m.edges, m.pairwise, max) for m in models]
    if min(table.max() for table in tables) == -np.inf:
        for function in (grid.comb_max_marginals, grid.summed_max_marginals):
            with pytest.raises(InfeasibleError, match=r"in the comb whose spine is (row|column)"):
                function(*args)
        return
    combs = grid.comb_max_marginals(*args)
    assert_allclose(combs.unary.reshape(len(models), *unary.shape), tables, rtol=1e-9, atol=1e-9)
    assert_allclose(combs.best, [table.max() for table in tables], rtol=1e-9, atol=1e-9)
    slow = ensemble.max_marginals(models)
    assert_allclose(slow.unary, tables, rtol=1e-9, atol=1e-9)
    summed = grid.summed_max_marginals(*args)
    assert_allclose(summed.unary, combs.unary.sum(axis=0), rtol=1e-9, atol=1e-9)
    means = [table[table > -np.inf].mean() for table in np.array(tables)]
    assert_allclose(summed.mean, means, rtol=1e-9, atol=1e-9)


@many
@given(args=grids())
def test_sub_scores_sum_and_bound_the_full_model(args):
    """Q11."""
    unary, edges, pairwise = grid.as_graph(*args)
    models = ensemble.split(unary, edges, pairwise, grid.comb_membership(*args[0].shape[:2]))
    scores = oracle.all_scores(unary, edges, pairwise)
    for y in list(scores)[:: max(1, len(scores) // 20)]:
        parts = sum(oracle.score(m.unary, m.edges, m.pairwise, y) for m in models)
        assert_allclose(parts, scores[y], rtol=1e-9, atol=1e-9)
        assert_allclose(grid.score(*args, np.reshape(y, args[0].shape[:2])), scores[y], rtol=1e-9, atol=1e-9)
    summed = grid.summed_max_marginals(*args).unary.reshape(unary.shape)
    exact = oracle.node_table(unary, edges, pairwise, max)
    assert (summed >= exact - 1e-9 * max(1, np.abs(exact).max())).all()
    if min(args[0].shape[:2]) == 1:  # a grid of one row is its own comb: no loops, nothing lost
        assert_allclose(summed, exact, rtol=1e-9, atol=1e-9)


def test_large_grid_matches_trees():
    rng = np.random.default_rng(0)
    args = [rng.uniform(-25, 25, shape) for shape in ((11, 9, 8), (11, 8, 8, 8), (10, 9, 8, 8))]
    models = ensemble.split(*grid.as_graph(*args), grid.comb_membership(11, 9))
    slow, fast = ensemble.max_marginals(models), grid.comb_max_marginals(*args)
    assert_allclose(fast.unary.reshape(slow.unary.shape), slow.unary, rtol=1e-9)
    assert_allclose(fast.best, slow.best, rtol=1e-9)


@pytest.mark.parametrize("n_states", [5, 40])
def test_padded_and_oversized_state_spaces_match_trees(n_states):
    """5 states are padded to 8; 40 are over every width and take the combs one by one."""
    rng = np.random.default_rng(0)
    n = n_states
    args = [rng.normal(size=shape) for shape in ((2, 3, n), (2, 2, n, n), (1, 3, n, n))]
    args[0][0, 0, 0] = -np.inf
    slow = ensemble.max_marginals(ensemble.split(*grid.as_graph(*args), grid.comb_membership(2, 3)))
    fast, sums = grid.comb_max_marginals(*args), grid.summed_max_marginals(*args)
    assert_allclose(fast.unary.reshape(slow.unary.shape), slow.unary, rtol=1e-9)
    assert_allclose(fast.best, slow.best, rtol=1e-9)
    assert_allclose(sums.unary, fast.unary.sum(axis=0), rtol=1e-9)
    assert_allclose(sums.mean, [t[t > -np.inf].mean() for t in fast.unary], rtol=1e-9)


def test_one_class_and_one_node():
    combs = grid.comb_max_marginals(np.ones((3, 2, 1)), np.ones((3, 1, 1, 1)), np.ones((2, 2, 1, 1)))
    assert_allclose(combs.unary.sum(axis=0), 6 + 3 + 4)
    assert_allclose(
        grid.summed_max_marginals([[[1.0, 2.0]]], np.zeros((1, 0, 2, 2)), np.zeros((0, 1, 2, 2))).unary,
        [[[1, 2]]],
    )


def test_bad_arguments_are_refused_by_name():
    u, a, d = np.zeros((2, 3, 2)), np.zeros((2, 2, 2, 2)), np.zeros((1, 3, 2, 2))
    cases = [
        (ShapeError, "unary has shape", (np.zeros((2, 3, 0)), a, d)),
        (ShapeError, r"across has shape \(1, 3, 2, 2\); unary \(2, 3, 2\) needs \(2, 2, 2, 2\)", (u, d, d)),
        (ShapeError, r"down has shape \(2, 2, 2, 2\)", (u, a, a)),
        (ScoreError, "down", (u, a, np.full_like(d, np.nan))),
        (InfeasibleError, "spine is row 0", (np.full_like(u, -np.inf), a, d)),
    ]
    for error, message, args in cases:
        with pytest.raises(error, match=message):
            grid.comb_max_marginals(*args)
    with pytest.raises(ArgumentError, match="rows must be a whole number from 1 to 300, got 0"):
        grid.comb_membership(0, 3)
    with pytest.raises(ShapeError, match=r"labels has shape \(2,\)"):
        grid.score(u, a, d, [0, 0])
    with pytest.raises(ArgumentError, match="labels must be an array of whole numbers"):
        grid.score(u, a, d, [[0], [0, 1]])
    with pytest.raises(ArgumentError, match="entries for a table of all combs"):
        grid.comb_max_marginals(
            np.zeros((200, 200, 4)), np.zeros((200, 199, 4, 4)), np.zeros((199, 200, 4, 4))
        )


def test_a_split_must_cover_every_edge_with_trees():
    ring, ones = [[0, 1], [1, 2], [0, 2]], np.zeros((2, 2))
    with pytest.raises(
        ArgumentError, match=r"membership must put every edge in a sub-model, got none for edge \(0, 2\)"
    ):
        ensemble.split(np.zeros((3, 2)), ring, ones, [[1, 1, 0]])
    with pytest.raises(
        graph.CycleError, match="edges of sub-model 1 must form a tree or forest, got the cycle 0 - 1 - 2 - 0"
    ):
        ensemble.split(np.zeros((3, 2)), ring, ones, [[1, 1, 0], [1, 1, 1]])
    with pytest.raises(ShapeError, match=r"membership has shape \(1, 2\)"):
        ensemble.split(np.zeros((3, 2)), ring, ones, [[1, 1]])
    with pytest.raises(
        ArgumentError, match=r"edges\[1\] must not join nodes already joined, got \(1, 0\) again"
    ):
        ensemble.split(np.zeros((3, 2)), [[0, 1], [1, 0]], ones, [[1, 1]])


@many
@given(args=grids(), alpha=st.sampled_from([0.0, 0.3, 0.7, 0.999, 1.0]))
def test_joint_filter_is_safe_and_never_empties_a_variable(args, alpha):
    """Lemma 3, the thresholds of (4.3) in each comb, and the rescue of broken variables."""
    unary, edges, pairwise = grid.as_graph(*args)
    combs = grid.comb_max_marginals(*args)
    filtered = ensemble.filter_states(combs.best, combs.unary, alpha)
    means = combs.unary.reshape(len(combs.best), -1).mean(axis=1)
    assert_allclose(filtered.thresholds, alpha * combs.best + (1 - alpha) * means, rtol=1e-6, atol=1e-6)
    assert filtered.keep.any(axis=-1).all()
    sums = grid.summed_max_marginals(*args)
    same = ensemble.filter_summed(sums.best, sums.mean, sums.unary, alpha)
    assert_allclose(same.threshold, filtered.threshold, rtol=1e-9, atol=1e-9)
    if not filtered.has_spread:
        assert filtered.keep.all()
        return
    keep = filtered.summed > filtered.threshold
    broken = {tuple(where) for where in np.argwhere(~keep.any(axis=-1))}
    assert broken == {tuple(where) for where in filtered.rescued}
    for r, c in broken:
        assert filtered.keep[r, c].sum() == 1
        assert filtered.summed[r, c, filtered.keep[r, c]] == filtered.summed[r, c].max()
    flat = filtered.keep.reshape(unary.shape)
    for y, value in oracle.all_scores(unary, edges, pairwise).items():
        lost = ensemble.joint_filter_loss(value, filtered)
        assert lost == (value <= filtered.threshold)
        slack = 1e-9 * max(1, abs(value))
        if value > filtered.threshold + slack:
            assert all(flat[i, k] for i, k in enumerate(y))


def test_filter_by_hand():
    """Two sub-models that disagree: summed threshold 0.9 x (4 + 4) + 0.1 x (0 + 0) breaks variable 1."""
    tables = [[[4.0, -4.0], [4.0, -4.0]], [[4.0, -4.0], [-4.0, 4.0]]]
    filtered = ensemble.filter_states([4.0, 4.0], tables, alpha=0.9)
    assert_allclose(filtered.threshold, 7.2)
    assert filtered.keep.tolist() == [[True, False], [True, False]]
    assert filtered.rescued.tolist() == [[1]]
    assert filtered.efficiency_loss == 0.5
    assert ensemble.joint_filter_loss(8.0, filtered) == 0
    assert ensemble.joint_filter_loss(7.0, filtered) == 1


def test_forbidden_states_stay_out_of_the_mean_and_equal_scores_prune_nothing():
    filtered = ensemble.filter_states([3.0], [[[3.0, 1.0, -np.inf], [2.0, 3.0, 1.0]]], alpha=0.0)
    assert filtered.threshold == 2.0
    assert filtered.keep.tolist() == [[True, False, False], [False, True, False]]
    assert filtered.efficiency_loss == 2 / 5
    flat = ensemble.filter_states([1.0, 1.0], np.ones((2, 3, 2)), alpha=1.0)
    assert flat.keep.all()
    assert not flat.has_spread
    assert ensemble.joint_filter_loss(2.0, flat) == 0
    with pytest.raises(InfeasibleError, match=r"all 2 states are -inf at variable \[1\]"):
        ensemble.filter_states([0.0], [[[0.0, 0.0], [-np.inf, -np.inf]]], 0.5)
    with pytest.raises(InfeasibleError, match=r"in sub-model 1$"):
        ensemble.filter_states([0.0, -np.inf], np.full((2, 1, 1), -np.inf), 0.5)
    with pytest.raises(ArgumentError, match=r"alpha must be a number from -inf to 1, got 1\.5"):
        ensemble.filter_states([0.0], [[[0.0]]], 1.5)
    with pytest.raises(ShapeError, match=r"best has shape \(2,\)"):
        ensemble.filter_states([0.0, 1.0], [[[0.0]]], 0.5)


def test_one_sub_model_is_exact():
    """Q11: with P = 1 the summed max-marginal is the max-marginal."""
    rng = np.random.default_rng(5)
    unary, edges, pairwise = rng.normal(size=(5, 3)), [[0, 1], [0, 2], [2, 3]], rng.normal(size=(3, 3, 3))
    models = ensemble.split(unary, edges, pairwise, np.ones((1, 3)))
    assert_allclose(ensemble.max_marginals(models).unary[0], tree.max_marginals(unary, edges, pairwise).unary)


def test_ranks_break_ties_to_the_smaller_state():
    assert ensemble.state_rank([[1.0, 1.0, 5.0], [-np.inf, 0.0, 0.0]]).tolist() == [[1, 2, 0], [2, 0, 1]]

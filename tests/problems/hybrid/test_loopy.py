"""Ensembles that grow on a grid: each sub-model against all labellings, and its edges."""

import itertools

import numpy as np
import pytest

from spcviz.engine.graphs import graph, grid
from spcviz.problems.grids.fields import random_grid
from spcviz.problems.hybrid.model import loopy

SIDE, N_STATES = 3, 2


def everything(unary, edges, pairwise):
    """(best score, node max-marginals, best labels) of any graph, labelling by labelling."""
    labels = np.array(list(itertools.product(range(N_STATES), repeat=len(unary))))
    scores = unary[np.arange(len(unary)), labels].sum(axis=1)
    for (i, j), table in zip(edges, pairwise):
        scores += table[labels[:, i], labels[:, j]]
    node = [[scores[labels[:, i] == k].max() for k in range(N_STATES)] for i in range(len(unary))]
    return scores.max(), np.array(node), labels[scores.argmax()]


@pytest.fixture
def instance():
    return random_grid(np.random.default_rng(3), SIDE, SIDE, N_STATES, 3.0)


def test_what_is_exact_is_that_of_all_labellings(instance):
    best, node, labels = loopy.exact(instance)
    wanted = everything(*grid.as_graph(*instance))
    assert best == pytest.approx(wanted[0])
    assert node == pytest.approx(wanted[1])
    assert labels.tolist() == wanted[2].tolist()


@pytest.mark.parametrize("n_added", [1, 3])
def test_each_sub_model_is_exact_and_together_they_bound_what_is_there(instance, n_added):
    unary, edges, pairwise = grid.as_graph(*instance)
    subs = loopy.combs(SIDE)[:1]
    for block in loopy.blocks(SIDE)[:n_added]:
        subs.append(loopy.block_sub(SIDE, block, np.any([sub.has for sub in subs], axis=0)))
    best, node = loopy.max_marginals(subs, unary, pairwise, SIDE)
    times = np.sum([sub.has for sub in subs], axis=0)
    for p, sub in enumerate(subs):
        shares = pairwise[sub.has] / times[sub.has, None, None]
        wanted = everything(unary / len(subs), edges[sub.has], shares)
        assert best[p] == pytest.approx(wanted[0])
        assert node[p] == pytest.approx(wanted[1])
    there = times > 0
    assert (node.sum(axis=0) >= everything(unary, edges[there], pairwise[there])[1] - 1e-9).all()


def test_a_blocks_sub_model_has_its_edges_and_a_tree_to_all_others():
    edges, comb = graph.grid_edges(4, 4), loopy.combs(4)[0]
    sub = loopy.block_sub(4, (5, 6, 9, 10), comb.has)
    inside = np.isin(edges, sub.block).all(axis=1)
    assert sub.has[inside].all()
    assert comb.has[sub.has & ~inside].all()
    assert sub.has.sum() == 4 + 12
    assert set(edges[sub.has].ravel().tolist()) == set(range(16))


def test_a_table_has_a_row_for_every_stage():
    rows = loopy.table(2)
    assert [row["added"] for row in rows if row["how"] == "doubt"] == list(loopy.ADDED)
    assert rows[-1]["how"] == "all combs"
    assert rows[0]["right"] == next(row["right"] for row in rows if row["how"] == "chance")
    assert all(0 <= row[name] <= 100 for row in rows for name in ("right", "kept", "lost"))

"""Loopy belief propagation: exact on forests, fixed points, damping, the fast loop and the general one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import grid, loopy_bp, tree
from tests.engine.graphs.test_tree import forests
from tests.oracles import graph as oracle

RING = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])


@settings(deadline=None, max_examples=100)
@given(
    args=st.one_of(forests(), forests(forbid=True)),
    schedule=st.sampled_from(["parallel", "sequential"]),
    damping=st.sampled_from([0.0, 0.3]),
)
def test_exact_on_forests(args, schedule, damping):
    scores = oracle.all_scores(*args)
    options = {"schedule": schedule, "damping": damping, "max_iterations": 300, "tolerance": 1e-12}
    if max(scores.values()) == -np.inf:
        for kind in ("sum", "max"):
            with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
                loopy_bp.propagate(*args, kind, **options)
        return
    unary = args[0]
    # LBP sees each component on its own: compare with tables from which other components are taken out.
    table = oracle.node_table(*args, max)
    beliefs = loopy_bp.propagate(*args, "max", **options)
    size = max(1.0, np.abs(unary[np.isfinite(unary)]).max(initial=0))
    assert_allclose(beliefs.unary, table - table.max(axis=1, keepdims=True), rtol=1e-8, atol=1e-8 * size)
    beliefs = loopy_bp.propagate(*args, "sum", **options)
    log_z = oracle.log_sum(list(scores.values()))
    exact = np.exp(oracle.node_table(*args, oracle.log_sum) - log_z)
    assert_allclose(beliefs.unary, exact, rtol=1e-6, atol=1e-8)
    assert beliefs.converged.all()


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("schedule", ["parallel", "sequential"])
def test_fixed_point_satisfies_the_message_equation(kind, schedule):
    """(3.2), (3.3), written out once more in numpy, hold at convergence on a graph with cycles."""
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape) for shape in ((3, 4, 3), (3, 3, 3, 3), (2, 4, 3, 3))]
    unary, edges, pairwise = grid.as_graph(*args)
    beliefs = loopy_bp.propagate(
        unary,
        edges,
        pairwise,
        kind,
        schedule=schedule,
        max_iterations=3000,
        tolerance=1e-13,
        damping=0.3,
        history=True,
    )
    assert beliefs.converged.all()
    last = beliefs.messages[-1]
    combine = (lambda x: x.max(axis=0)) if kind == "max" else (lambda x: np.log(np.exp(x).sum(axis=0)))
    for e, (a, b) in enumerate(edges):
        for i, j, table, d in ((a, b, pairwise[e], 2 * e), (b, a, pairwise[e].T, 2 * e + 1)):
            incoming = unary[i].copy()
            for f, (p, q) in enumerate(edges):
                if f != e and i in (p, q):
                    incoming += last[2 * f + (i == p)]
            message = combine(incoming[:, None] + table)
            assert_allclose(last[d], message - message.max(), atol=1e-9)
            assert j in (a, b)


@pytest.mark.parametrize("options", [{}, {"damping": 0.5}, {"schedule": "sequential"}])
def test_log_and_product_routes_agree(options, monkeypatch):
    rng = np.random.default_rng(1)
    args = rng.normal(size=(4, 3)), RING, rng.normal(size=(4, 3, 3))
    options = {"max_iterations": 7, "tolerance": 0, "history": True, **options}
    fast = loopy_bp.propagate(*args, **options)
    monkeypatch.setattr(loopy_bp, "is_tame", lambda *_: False)
    slow = loopy_bp.propagate(*args, **options)
    for name in ("unary", "residual", "messages"):
        assert_allclose(getattr(slow, name), getattr(fast, name), atol=1e-9)


def test_a_frustrated_ring_oscillates_and_damping_settles_it():
    pairwise = np.tile(np.array([[3.0, -3.0], [-3.0, 3.0]]), (3, 1, 1))
    pairwise[0] *= -1
    unary = np.array([[0.0, 0.5], [0.0, 0.3], [0.0, 0.0]])
    ring = [[0, 1], [1, 2], [2, 0]]
    plain = loopy_bp.propagate(unary, ring, pairwise, "sum", max_iterations=200, history=True)
    damped = loopy_bp.propagate(unary, ring, pairwise, "sum", max_iterations=2000, damping=0.5)
    assert not plain.converged.any()
    assert damped.converged.all()
    assert plain.n_iterations == 200 == len(plain.messages) == len(plain.residual)
    assert np.abs(plain.messages[-1] - plain.messages[-2]).max() > 0.1
    assert_array_equal(plain.converged, plain.residual[-1] <= 1e-6)


def test_convergence_is_per_variable():
    """A frustrated ring next to a lone edge: the edge settles, the ring does not."""
    pairwise = np.tile(np.array([[3.0, -3.0], [-3.0, 3.0]]), (4, 1, 1))
    pairwise[0] *= -1
    unary = np.zeros((6, 2))
    unary[0, 1], unary[1, 1] = 0.5, 0.3
    beliefs = loopy_bp.propagate(unary, [[0, 1], [1, 2], [2, 0], [3, 4]], pairwise, max_iterations=50)
    assert beliefs.converged.tolist() == [False, False, False, True, True, True]
    assert_allclose(beliefs.unary[5], 0.5)


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("n_states", [3, 40])
def test_one_table_serves_every_edge_in_its_direction(kind, n_states):
    """Both loops: up to 32 states, and more. The table is not symmetric."""
    rng = np.random.default_rng(4)
    unary, table = rng.normal(size=(4, n_states)), rng.normal(size=(n_states, n_states))
    options = {"max_iterations": 7, "tolerance": 0.0}
    beliefs = loopy_bp.propagate(unary, RING, table, kind, **options)
    each = loopy_bp.propagate(unary, RING, np.stack([table] * 4), kind, **options)
    assert_array_equal(beliefs.unary, each.unary)
    turned = loopy_bp.propagate(unary, RING, table.T, kind, **options)
    assert np.abs(turned.unary - beliefs.unary).max() > 1e-3


def test_wide_nodes():
    rng = np.random.default_rng(2)
    hub = np.array([[0, i] for i in range(1, 41)])
    unary, pairwise = rng.normal(size=(41, 3)) * 5, rng.normal(size=(40, 3, 3)) * 5
    for scale in (1.0, 20.0):
        beliefs = loopy_bp.propagate(unary * scale, hub, pairwise * scale, tolerance=1e-12)
        assert_allclose(beliefs.unary, tree.marginals(unary * scale, hub, pairwise * scale).unary, atol=1e-9)


def test_bad_arguments_are_refused_by_name():
    u, p = np.zeros((4, 2)), np.zeros((2, 2))
    cases = [
        ({"kind": "min"}, "kind must be one of sum, max, got 'min'"),
        ({"schedule": "random"}, "schedule must be one of parallel, sequential, got 'random'"),
        ({"max_iterations": 0}, "max_iterations must be a whole number from 1 to 100000, got 0"),
        ({"damping": 1.0}, "damping must satisfy 0 <= damping < 1, got 1.0"),
        ({"tolerance": -1.0}, "tolerance must be at least 0, got -1.0"),
        ({"max_iterations": 100_000, "history": True}, None),
    ]
    for options, message in cases[:-1]:
        with pytest.raises(ArgumentError, match=message):
            loopy_bp.propagate(u, RING, p, **options)
    big = np.zeros((400, 2))
    edges = np.stack([np.arange(399), np.arange(1, 400)], axis=1)
    with pytest.raises(ArgumentError, match="history must have at most 32000000 numbers"):
        loopy_bp.propagate(big, edges, p, max_iterations=100_000, history=True)
    with pytest.raises(ShapeError, match="pairwise has shape"):
        loopy_bp.propagate(u, RING, np.zeros((3, 2, 2)))
    with pytest.raises(InfeasibleError, match="all 2 states are dead at node"):
        loopy_bp.propagate(np.full((4, 2), -np.inf), RING, p)


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("is_wide", [True, False])
def test_damping_keeps_its_share_of_the_old_log_message(kind, is_wide, monkeypatch):
    """Log-messages start at 0, so after one iteration they are 1 - damping times the undamped ones."""
    rng = np.random.default_rng(3)
    args = rng.normal(size=(4, 3)), RING, rng.normal(size=(4, 3, 3))
    if not is_wide:
        monkeypatch.setattr(loopy_bp, "width_of", lambda n: None)
    plain = loopy_bp.propagate(*args, kind, max_iterations=1, history=True).messages[0]
    damped = loopy_bp.propagate(*args, kind, max_iterations=1, damping=0.3, history=True).messages[0]
    assert_allclose(damped, 0.7 * plain, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "forbid", "is_wide"),
    [("max", False, True), ("max", True, True), ("sum", False, True), ("sum", True, False)],
)
def test_the_fast_loop_is_taken_where_it_may_be(kind, forbid, is_wide, monkeypatch):
    """Semirings compare equal as tuples (MAX_PLUS == LOG_PLUS): which loop runs must not depend on that."""
    calls = []
    fast = loopy_bp.propagate_wide
    monkeypatch.setattr(loopy_bp, "propagate_wide", lambda *args: calls.append(1) or fast(*args))
    unary = np.zeros((4, 3))
    unary[0, 0] = -np.inf if forbid else 0.0
    loopy_bp.propagate(unary, RING, np.zeros((3, 3)), kind)
    assert bool(calls) == is_wide


@settings(deadline=None, max_examples=60)
@given(args=st.one_of(forests(), forests(forbid=True)), schedule=st.sampled_from(["parallel", "sequential"]))
def test_fast_and_general_loops_agree(args, schedule):
    if max(oracle.all_scores(*args).values()) == -np.inf:
        return
    options = {"schedule": schedule, "damping": 0.2, "max_iterations": 4, "history": True, "tolerance": 0}
    for kind in ("sum", "max"):
        fast = loopy_bp.propagate(*args, kind, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loopy_bp, "width_of", lambda n: None)
            slow = loopy_bp.propagate(*args, kind, **options)
        assert_allclose(fast.unary, slow.unary, rtol=1e-9, atol=1e-9)
        assert_allclose(fast.messages, slow.messages, rtol=1e-9, atol=1e-9)
        assert_array_equal(np.isneginf(fast.unary), np.isneginf(slow.unary))

"""One live grid: against enumeration where it is small, and its bookkeeping where it is not."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import grid as combs
from spcviz.problems.grids import fields as task
from spcviz.problems.grids.page.live import grid_beliefs, live_grid, prune_grid, sweep_strength


@pytest.fixture(scope="module")
def live():
    return live_grid(3, 3, 3, 5.0, 1, n_samples=50, n_sweeps=50)


def test_the_sum_of_the_combs_bounds_the_max_marginals_of_the_grid(live):
    instance = task.random_grid(np.random.default_rng(1), 3, 3, 3, 5.0)
    exact = np.full((9, 3), -np.inf)
    for labels in itertools.product(range(3), repeat=9):
        value = combs.score(*instance, np.reshape(labels, (3, 3)))
        exact[range(9), labels] = np.maximum(exact[range(9), labels], value)
    assert (live.summed >= exact - 1e-9).all()
    assert (live.summed > exact + 1e-9).any()
    np.testing.assert_allclose(live.best, live.combs.max(axis=(1, 2)))


def test_errors_fall_with_k_and_nothing_beats_the_samples_own_order(live):
    beliefs = grid_beliefs(live)
    for error in (live.error, beliefs.error, live.error_samples, *live.error_combs):
        assert (np.diff(error) <= 1e-12).all()
        assert error[-1] == 0
        assert (error >= live.error_samples - 1e-12).all()


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("damping", [0.0, 0.7])
def test_the_trace_ends_in_the_beliefs_and_begins_without_neighbours(live, kind, damping):
    messages = grid_beliefs(live, kind, damping)
    np.testing.assert_allclose(messages.trace[-1], messages.beliefs, atol=1e-9)
    np.testing.assert_allclose(messages.trace.sum(axis=2), 1)
    assert len(messages.trace) == len(messages.residual) + 1


def test_without_coupling_everybody_is_right():
    live = live_grid(3, 4, 3, 0.0, 0, n_samples=4000, n_sweeps=2)
    messages = grid_beliefs(live)
    assert messages.converged.all()
    np.testing.assert_allclose(messages.beliefs, live.frequencies, atol=0.05)
    np.testing.assert_array_equal(live.summed.argmax(axis=1), messages.beliefs.argmax(axis=1))


def test_states_fall_with_alpha_and_rescued_variables_keep_one(live):
    before = np.ones_like(prune_grid(live, 0.0).keep)
    for alpha in (0.0, 0.3, 0.6, 1.0):
        pruned = prune_grid(live, alpha)
        assert pruned.keep.any(axis=1).all()
        assert (pruned.keep[pruned.is_rescued].sum(axis=1) == 1).all()
        assert not (pruned.keep & ~before).any()
        before = pruned.keep
        np.testing.assert_allclose(pruned.lost, (live.frequencies * ~pruned.keep).sum(axis=1))
        assert pruned.efficiency_loss == pytest.approx(pruned.keep.mean())


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 5, 3), (5, 1, 3), (3, 3, 1), (11, 11, 8)])
def test_grids_of_one_row_and_one_class(shape):
    live = live_grid(*shape, 10.0, 0, n_samples=5, n_sweeps=5)
    assert live.combs.shape == (shape[0] + shape[1], shape[0] * shape[1], shape[2])
    assert grid_beliefs(live, max_iterations=5).trace.shape[1:] == live.summed.shape
    assert prune_grid(live, 1.0).keep.any(axis=1).all()


def test_the_sweep_is_the_same_grid_at_other_strengths():
    sweep = sweep_strength(2, 3, 3, 4, "max", 0.2, strengths=(1.0, 12.0))
    live = live_grid(2, 3, 3, 12.0, 4)
    np.testing.assert_array_equal(sweep.ensemble[1], live.error)
    np.testing.assert_array_equal(sweep.lbp[1], grid_beliefs(live, "max", 0.2).error)
    assert sweep.settled.shape == (2,)
    with pytest.raises(ArgumentError, match="strengths"):
        sweep_strength(2, 3, 3, 4, strengths=())


def test_belief_propagation_fails_from_some_strength_on_where_the_combs_hold():
    """On the page's first grid, whose control shows this."""
    sweep = sweep_strength(5, 5, 4, 3)
    at = dict(zip(sweep.strengths.tolist(), sweep.lbp[:, 1] - sweep.ensemble[:, 1]))
    assert at[4.0] < 0 < at[10.0]
    assert sweep.settled[0] == 1 > sweep.settled[-1]
    assert (sweep.ensemble[:, 1] <= sweep.tree[:, 1]).all()


def test_the_seed_is_the_instance():
    one, two, other = (live_grid(2, 3, 2, 4.0, s, n_samples=9, n_sweeps=9) for s in (5, 5, 6))
    np.testing.assert_array_equal(one.summed, two.summed)
    np.testing.assert_array_equal(one.frequencies, two.frequencies)
    assert (one.summed != other.summed).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 3, 2, 1.0, 0), "rows"),
        ((3, 12, 2, 1.0, 0), "columns"),
        ((3, 3, 9, 1.0, 0), "n_states"),
        ((3, 3, 2, -1.0, 0), "strength"),
        ((3, 3, 2, 1.0, -1), "seed"),
        ((3, 3, 2, 1.0, True), "seed"),
    ],
)
def test_arguments_out_of_range(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        live_grid(*arguments)

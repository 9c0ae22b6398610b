"""Messages between neighbours that prefer near states, against general belief propagation."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.graphs import graph, loopy_bp
from spcviz.problems.pictures import stereo


def general(unary, weight, **how):
    rows, columns, n = unary.shape
    edges = graph.grid_edges(rows, columns)
    return loopy_bp.propagate(unary.reshape(-1, n), edges, stereo.smoothness(n, weight), "max", **how)


@pytest.mark.parametrize(
    "shape", [(1, 1, 3), (1, 7, 2), (6, 1, 4), (2, 2, 1), (5, 9, 2), (7, 4, 6), (9, 17, 12)]
)
@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("weight", [0.0, 0.4, 3.0])
def test_the_same_messages_as_on_any_graph(shape, damping, weight):
    unary = np.random.default_rng(sum(shape)).normal(size=shape)
    how = {"damping": damping, "max_iterations": 23, "tolerance": 1e-9}
    run, wanted = stereo.propagate_near(unary, weight, **how), general(unary, weight, **how)
    assert run.n_iterations == wanted.n_iterations
    assert (run.labels.ravel() == wanted.labels).all()
    assert (run.converged.ravel() == wanted.converged).all()


def test_single_precision_comes_as_near_as_it_can():
    """A clear best state of a pixel is the same; where the two differ, the states nearly tie."""
    unary = np.random.default_rng(4).normal(size=(30, 40, 5)).astype(np.float32)
    how = {"damping": 0.3, "max_iterations": 60}
    single, double = (stereo.propagate_near(scores, 0.3, **how) for scores in (unary, unary.astype(float)))
    assert abs(single.n_iterations - double.n_iterations) <= 2
    assert (single.labels != double.labels).mean() < 0.002


def test_it_ends_when_nothing_changes_and_not_before():
    unary = np.random.default_rng(5).normal(size=(6, 8, 3))
    every = [stereo.propagate_near(unary, 0.2, damping=0.3, max_iterations=n) for n in (3, 500)]
    assert [run.n_iterations for run in every] == [3, general(unary, 0.2, damping=0.3).n_iterations]
    assert not every[0].converged.all()
    assert every[1].converged.all()


def test_bad_arguments_are_refused_by_name():
    unary = np.zeros((2, 2, 2))
    with pytest.raises(ShapeError, match="unary"):
        stereo.propagate_near(unary[0], 0.5)
    with pytest.raises(ScoreError, match="unary"):
        stereo.propagate_near(unary * np.nan, 0.5)
    with pytest.raises(ArgumentError, match="unary must be finite, got -inf"):
        stereo.propagate_near(unary - np.inf, 0.5)
    with pytest.raises(ArgumentError, match="unary must have pixels"):
        stereo.propagate_near(unary[:0], 0.5)
    for name, value in (("weight", -1), ("damping", 1.0), ("max_iterations", 0), ("tolerance", -1.0)):
        with pytest.raises(ArgumentError, match=name):
            stereo.propagate_near(unary, **({"weight": 0.5} | {name: value}))

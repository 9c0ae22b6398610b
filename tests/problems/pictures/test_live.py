"""Joint beats separate, on rendered and real pictures."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import exhaustive, graph, loopy_bp
from spcviz.problems.pictures import stereo
from spcviz.problems.pictures.data import pictures
from spcviz.problems.pictures.page import live


def test_dots_read_better_with_more_structure():
    one, rows, grid = live.stereo_readings("dots", 0, 0.1, 0.5, height=30, width=40, n_disparities=5).errors
    assert one > rows > grid
    same = live.stereo_readings("dots", 0, 0.1, 0.0, height=12, width=16, n_disparities=4)
    assert same.errors[0] == same.errors[1] == same.errors[2]


@pytest.mark.parametrize("name", pictures.available())
def test_a_real_pair_that_comes_with_scikit_image(name):
    readings = live.stereo_readings(name, 0, 0.0)
    assert readings.errors[0] > readings.errors[1] > readings.errors[2]
    assert readings.mean_off[0] > readings.mean_off[1] > readings.mean_off[2]
    assert np.isnan(readings.truth).any()
    assert readings.n_states > np.nanmax(readings.truth)
    noisy = live.stereo_readings(name, 0, 0.3)
    assert noisy.errors[2] > readings.errors[2]


@pytest.mark.parametrize("name", ["cones", "adirondack"])
def test_real_pairs_of_the_data_folder(shared_data, name):
    readings = live.stereo_readings(name, 0, 0.0, folder=shared_data)
    assert readings.errors[0] > readings.errors[1] > readings.errors[2]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_spoiled_pictures(name):
    readings = live.clean_readings(name, 1, 0.2)
    assert readings.errors[0] >= readings.errors[1] > readings.errors[2]
    assert readings.errors[0] == pytest.approx(0.2, abs=0.02)
    clean = live.clean_readings(name, 1, 0.0)
    assert clean.errors == (0.0, 0.0, 0.0)


def test_belief_propagation_against_the_best_there_is():
    """For two classes the exact best is a minimum cut. Messages come close; rows are further off."""
    truth = pictures.load_picture("word")[:, :40]
    seen = pictures.spoil(truth, 2, 0.2, np.random.default_rng(0))
    unary, smooth = pictures.seen_scores(seen, 2, 0.2), stereo.smoothness(2, 0.6)
    edges = graph.grid_edges(*truth.shape)

    def score(labels):
        flat = labels.ravel()
        return (
            np.take_along_axis(unary, labels[..., None], 2).sum()
            - 0.6 * (flat[edges[:, 0]] != flat[edges[:, 1]]).sum()
        )

    best = score(_cut(unary, edges, 0.6))
    messages = loopy_bp.propagate(unary.reshape(-1, 2), edges, smooth, "max", max_iterations=60, damping=0.3)
    grid, rows = score(messages.labels.reshape(truth.shape)), score(exhaustive.scanlines(unary, smooth))
    assert rows < grid <= best + 1e-9
    assert best - grid < 0.02 * abs(best)


def _cut(unary, edges, weight):
    """The best labelling of two classes by maximum flow, with scores in ten-thousandths."""
    n, scale = unary.shape[0] * unary.shape[1], 10_000
    cost = np.round(-scale * unary.reshape(n, 2)).astype(np.int32)
    w = np.full(len(edges), round(scale * weight), np.int32)
    head = np.concatenate([np.full(n, n), np.arange(n), edges[:, 0], edges[:, 1]])
    tail = np.concatenate([np.arange(n), np.full(n, n + 1), edges[:, 1], edges[:, 0]])
    capacity = csr_array((np.concatenate([cost[:, 1], cost[:, 0], w, w]), (head, tail)), shape=(n + 2, n + 2))
    rest = capacity - maximum_flow(capacity, n, n + 1).flow
    rest.eliminate_zeros()
    reached, todo = np.zeros(n + 2, dtype=bool), [n]
    reached[n] = True
    while todo:
        v = todo.pop()
        near = rest.indices[rest.indptr[v] : rest.indptr[v + 1]]
        near = near[(rest.data[rest.indptr[v] : rest.indptr[v + 1]] > 0) & ~reached[near]]
        reached[near] = True
        todo += near.tolist()
    return np.where(reached[:n], 0, 1).reshape(unary.shape[:2])


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ArgumentError, match="name must be one of motorcycle, cones, adirondack, got 'x'"):
        live.stereo_readings("x", 0, 0.1)
    with pytest.raises(ArgumentError, match="name must be one of horse, astronaut, word, got 'x'"):
        live.clean_readings("x", 0, 0.1)
    with pytest.raises(ArgumentError, match="seed"):
        live.clean_readings("horse", -1, 0.1)
    with pytest.raises(ArgumentError, match=r"noise must satisfy 0 <= noise <= 1, got 1\.5"):
        live.clean_readings("word", 0, 1.5)
    with pytest.raises(ArgumentError, match="noise"):
        live.stereo_readings("dots", 0, -0.1)

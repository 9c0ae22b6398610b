"""Stereo by rows and by the grid: matches at the truth, and joint reading beats separate ones."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.graphs import exhaustive, graph, loopy_bp
from spcviz.problems.pictures import stereo


def test_noiseless_pairs_match_at_the_truth():
    pair = stereo.random_dots(np.random.default_rng(0), 30, 40, 5, noise=0.0)
    unary = stereo.matching_scores(pair.left, pair.right, 5)
    at_truth = np.take_along_axis(unary, pair.disparity[..., None], axis=2)[..., 0]
    # only pixels that a nearer surface hides, or that leave the image, may fail to match
    assert (at_truth == 0).mean() > 0.85
    for r in range(30):
        for c in range(40):
            d = pair.disparity[r, c]
            hidden = any(
                0 <= c - d + e < 40 and e > d and pair.disparity[r, c - d + e] == e for e in range(5)
            )
            assert at_truth[r, c] == 0 or hidden or c < d


def test_joint_beats_separate():
    """Error falls from pixels to scanlines to the grid, on a noisy pair."""
    pair = stereo.random_dots(np.random.default_rng(1), 40, 50, 6, noise=0.1)
    unary = stereo.matching_scores(pair.left, pair.right, 6)
    smooth = stereo.smoothness(6, weight=0.5)
    alone = stereo.errors_of(unary.argmax(axis=2), pair.disparity)[0]
    rows = stereo.errors_of(exhaustive.scanlines(unary, smooth), pair.disparity)[0]
    messages = loopy_bp.propagate(unary.reshape(-1, 6), graph.grid_edges(40, 50), smooth, "max", damping=0.3)
    grid = stereo.errors_of(messages.labels.reshape(40, 50), pair.disparity)[0]
    assert grid < rows < alone


def test_colours_are_averaged_and_large_differences_count_alike():
    left = np.zeros((1, 2, 3))
    right = np.array([[[0.0, 0.0, 0.3], [0.9, 0.9, 0.9]]])
    unary = stereo.matching_scores(left, right, 2, cut=0.2)
    np.testing.assert_allclose(unary[0], [[-0.5, -1.0], [-1.0, -0.5]])


def test_errors_are_of_known_pixels_only():
    assert stereo.errors_of([[1, 9]], [[3.0, np.nan]], 1) == (1.0, 2.0)
    with pytest.raises(ArgumentError, match="truth must be known at one pixel"):
        stereo.errors_of([[1]], [[np.nan]])


def test_bad_arguments_are_refused_by_name():
    rng = np.random.default_rng(0)
    with pytest.raises(ArgumentError, match=r"rng must be a numpy\.random\.Generator, got int"):
        stereo.random_dots(0)
    with pytest.raises(ArgumentError, match="n_disparities must be a whole number from 2 to 7, got 9"):
        stereo.random_dots(rng, 8, 8, 9)
    with pytest.raises(ShapeError, match=r"right has shape \(2, 3\); left needs \(2, 2\)"):
        stereo.matching_scores(np.zeros((2, 2)), np.zeros((2, 3)), 2)
    with pytest.raises(ArgumentError, match=r"cut must be a number from 0\.001 to 1, got 0"):
        stereo.matching_scores(np.zeros((2, 2)), np.zeros((2, 2)), 2, 0)
    with pytest.raises(ArgumentError, match=r"weight must be a number from 0 to 1000, got -1"):
        stereo.smoothness(3, -1)

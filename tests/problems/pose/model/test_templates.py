"""Rotated templates against their formula, cell by cell."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.problems.pose.model import templates


def slow(cells, points, weights):
    """The formula: the angle turns offsets and shifts bins, not other channels; outside counts 0."""
    height, width, n_channels = cells.shape
    n_bins = len(points) // 2
    out = np.zeros((2 * n_bins, height, width))
    for a, y, x in np.ndindex(*out.shape):
        for t, (down, right) in enumerate(points[a]):
            if 0 <= y + down < height and 0 <= x + right < width:
                for b in range(n_channels):
                    seen = (b + a) % n_bins if b < n_bins else b
                    out[a, y, x] += weights[t, b] * cells[y + down, x + right, seen]
    return out


@pytest.mark.parametrize("n_colours", [0, 2])
def test_respond_and_gather_are_the_formula(n_colours):
    rng = np.random.default_rng(0)
    cells, weights = rng.normal(size=(5, 6, 3 + n_colours)), rng.normal(size=(4, 3 + n_colours))
    points = templates.turned_points([*rng.normal(0, 4, (3, 2)), (19.0, 25.0)], 6, 3.0)  # one is outside
    wanted = slow(cells, points, weights)
    np.testing.assert_allclose(templates.respond(cells, points, weights), wanted, atol=1e-5)
    a, y, x = (rng.integers(0, n, 30) for n in wanted.shape)
    seen = templates.gather(cells, points, y, x, a)
    np.testing.assert_allclose(seen @ weights.ravel(), wanted[a, y, x], atol=1e-5)


def test_a_turned_picture_gives_turned_scores():
    """Quarter turns are exact: histograms and scores turn together."""
    rng = np.random.default_rng(1)
    cells, weights = rng.random((7, 7, 6)), rng.normal(size=(3, 6))
    points = templates.turned_points([[6.2, 0.3], [0.4, 3.3], [-3.1, -3.2]], 12, 3.0)
    scores = templates.respond(cells, points, weights)
    turned = np.roll(np.rot90(cells, -1), 3, axis=2)  # clockwise on the screen: +90 degrees, 3 of 6 bins
    again = templates.respond(turned, points, weights)
    np.testing.assert_allclose(np.roll(np.rot90(scores, -1, axes=(1, 2)), 3, axis=0), again, atol=1e-5)


def test_bad_arguments_are_named():
    cells, points = np.zeros((3, 3, 2)), templates.turned_points([[0.0, 0.0]], 4, 3.0)
    with pytest.raises(ShapeError, match="points has shape"):
        templates.respond(cells, points, np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match="must be a finite score"):
        templates.respond(np.full((3, 3, 2), np.nan), points, np.zeros((1, 2)))
    with pytest.raises(ArgumentError, match="pitch must be a number"):
        templates.turned_points([[0.0, 0.0]], 4, 0)
    with pytest.raises(ArgumentError, match="n_angles must be a whole number"):
        templates.turned_points([[0.0, 0.0]], 1, 3.0)

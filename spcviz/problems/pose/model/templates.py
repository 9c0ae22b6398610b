r"""Part templates rotated to every angle, scored on maps of oriented gradients.

A template has T sample points around a limb that lies along +x, and B weights at each. Rotated by angle a (of
A, spaced evenly over the circle) its points turn about the limb's middle and its bins of unsigned gradient
orientation shift by a, since B bins of 180 / B degrees and A = 2 B angles of 360 / A share one step:

.. math:: r(a, y, x) = \sum_t \sum_b w_{t, b} \, h\big((y, x) + R_a p_t,\; (b + a) \bmod B\big)

Channels after the first B (colours, say) do not shift.

So the histograms are computed once, on the upright picture, whereas rotating the picture would compute them A
times. Sample points are rounded to the nearest cell; cells outside the map count 0.
"""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel

_FAR = 2**40  # cells; beyond this, sums of positions could wrap around


def turned_points(points: ArrayLike, n_angles: int, pitch: float) -> np.ndarray:
    """Cells (A, T, 2), (down, right), of sample points (along, across) in pixels, at every angle.

    >>> turned_points([[6.0, 0.0]], 4, 3.0)[:, 0].tolist()
    [[0, 2], [2, 0], [0, -2], [-2, 0]]
    """
    points = checks.scores("points", points, 2)
    if points.shape[1] != 2:
        raise ShapeError(f"points has shape {points.shape}; it needs (T, 2)")
    n_angles = checks.integer("n_angles", n_angles, 2, 360)
    pitch = checks.number("pitch", pitch, 1e-6)
    is_far = ~(np.abs(points).max(axis=1, initial=0) < _FAR * pitch)
    if is_far.any():
        raise ArgumentError(f"points must lie within 2^40 cells, got {points[is_far.argmax()]} px")
    turn = 2 * np.pi * np.arange(n_angles) / n_angles
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    down = points[:, 0] * sin + points[:, 1] * cos
    right = points[:, 0] * cos - points[:, 1] * sin
    return np.rint(np.stack([down, right], axis=2) / pitch).astype(np.int64)


def respond(cells: ArrayLike, points: np.ndarray, weights: ArrayLike) -> np.ndarray:
    """Score (2 B, Y, X) of one template (T, C) at every angle and cell of a map (Y, X, C).

    >>> cells = np.zeros((1, 3, 2))
    >>> cells[0, 2, 0] = 1.0
    >>> respond(cells, turned_points([[3.0, 0.0]], 4, 3.0), [[5.0, 0.0]])[0]
    array([[0., 5., 0.]], dtype=float32)
    """
    cells, weights = checks.scores("cells", cells, 3), checks.scores("weights", weights, 2)
    points = _checked_points(points)
    n, n_channels = len(points), cells.shape[2]
    if 0 in cells.shape:
        raise ShapeError(f"cells has shape {cells.shape}; it needs at least one cell and channel")
    if n % 2 or n > 2 * n_channels or points.shape[1:] != (len(weights), 2) or weights.shape[1] != n_channels:
        raise ShapeError(
            f"points has shape {points.shape} and weights {weights.shape}; cells of {n_channels} channels "
            f"need (2 B, T, 2), B at most {n_channels}, and {('T', n_channels)}"
        )
    if np.isneginf(cells).any() or np.isneginf(weights).any():
        raise ArgumentError("cells and weights must be finite, got -inf")
    out = np.zeros((n, *cells.shape[:2]), dtype=np.float32)
    planes = np.ascontiguousarray(cells.transpose(2, 0, 1), dtype=np.float32).reshape(n_channels, -1)
    weights = weights.astype(np.float32)
    products = np.empty((len(weights), planes.shape[1]), dtype=np.float32)
    for a in range(n // 2):
        met = _channels(np.array([-a]), n // 2, n_channels)[0]
        np.matmul(weights[:, met], planes, out=products)  # [t, cell]: bin b of the template meets bin b + a
        for same in (a, a + n // 2):  # half a turn further, orientations are the same
            _add_shifted(products.reshape(-1, *cells.shape[:2]), points[same], out[same])
    return out


def gather(
    cells: np.ndarray, points: np.ndarray, rows: ArrayLike, columns: ArrayLike, angles: ArrayLike
) -> np.ndarray:
    """A template's features at given states, (N, T C): their product with the weights is `respond`.

    >>> cells = np.arange(4.0).reshape(1, 2, 2)
    >>> gather(cells, turned_points([[0.0, 0.0]], 4, 3.0), [0, 0], [1, 1], [0, 1])
    array([[2., 3.],
           [3., 2.]], dtype=float32)
    """
    cells, points = checks.scores("cells", cells, 3), _checked_points(points)
    angles = checks.whole_numbers("angles", angles, 0, len(points) - 1)
    rows, columns = (
        checks.whole_numbers(name, values, -_FAR, _FAR)
        for name, values in (("rows", rows), ("columns", columns))
    )
    if not rows.shape == columns.shape == angles.shape:
        raise ShapeError(
            f"rows has shape {rows.shape}, columns {columns.shape} and angles {angles.shape}; all need (N,)"
        )
    if 0 in cells.shape or len(points) > 2 * cells.shape[2]:
        raise ShapeError(f"cells has shape {cells.shape}; points {points.shape} need (Y, X, C >= B)")
    y = rows[:, None] + points[angles, :, 0]
    x = columns[:, None] + points[angles, :, 1]
    inside = (y >= 0) & (y < cells.shape[0]) & (x >= 0) & (x < cells.shape[1])
    channels = _channels(angles, len(points) // 2, cells.shape[2])
    seen = cells[np.where(inside, y, 0)[..., None], np.where(inside, x, 0)[..., None], channels[:, None, :]]
    return np.where(inside[..., None], seen, 0.0).reshape(len(angles), -1).astype(np.float32)


def _checked_points(points):
    points = checks.typed_array("points", points, "iu", "whole numbers").astype(np.int64)
    if points.ndim != 3 or points.shape[2] != 2:
        raise ShapeError(f"points has shape {points.shape}; it needs (2 B, T, 2)")
    if points.size and not -_FAR <= points.min() <= points.max() <= _FAR:
        raise ArgumentError(f"points must be from {-_FAR} to {_FAR}, got {points.min()} to {points.max()}")
    return points


def _channels(angles, n_bins, n_channels):
    """[n, c]: the channel that c becomes at an angle; only the first `n_bins` shift."""
    shifted = (np.arange(n_bins) + angles[:, None]) % n_bins
    rest = np.broadcast_to(np.arange(n_bins, n_channels), (len(angles), n_channels - n_bins))
    return np.concatenate([shifted, rest], axis=1)


@kernel
def _add_shifted(products, points, out):
    """out[y, x] += products[t, y + dy, x + dx] for every sample point; outside counts 0."""
    height, width = out.shape
    for t in range(len(points)):
        dy, dx = points[t, 0], points[t, 1]
        left, right = max(0, -dx), min(width, width - dx)
        if left >= right:
            continue
        for y in range(max(0, -dy), min(height, height - dy)):
            source, target = products[t, y + dy, left + dx : right + dx], out[y, left:right]
            for i in range(len(target)):  # from 0 on, so that it vectorises
                target[i] += source[i]

"""HoG of many letter images at once: scikit-image's to 1e-7, 26 times as fast (see `pose.model.hog`)."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError

N_ANGLES = 9
BLOCK = 2
_EPSILON = 1e-5


def batch_hog(images: ArrayLike, cell: int) -> np.ndarray:
    """HoG (R, F) float32 of images (R, h, w), as ``skimage.feature.hog(image, 9, (cell, cell), (2, 2))`` of
    each: 9 unsigned directions, blocks of 2 x 2 cells, L2 norm clipped at 0.2; pixels beyond whole cells are
    ignored.

    >>> batch_hog(np.eye(8)[None], 4).shape
    (1, 36)
    """
    images = np.asarray(images, dtype=np.float64)
    checks.integer("cell", cell, 1, 10_000)
    if images.ndim != 3 or min(images.shape[1:]) < BLOCK * cell:
        raise ArgumentError(f"images has shape {images.shape}; (R, h, w) must hold {BLOCK} cells of {cell}")
    down, right = np.zeros_like(images), np.zeros_like(images)
    down[:, 1:-1] = images[:, 2:] - images[:, :-2]
    right[:, :, 1:-1] = images[:, :, 2:] - images[:, :, :-2]
    size = np.hypot(down, right)
    angle = np.rad2deg(np.arctan2(down, right)) % 180
    n_rows, n_columns = (side // cell for side in images.shape[1:])
    bins = np.minimum((angle * (N_ANGLES / 180)).astype(np.int64), N_ANGLES - 1)
    height, width = n_rows * cell, n_columns * cell
    image, row, column = np.nonzero(size[:, :height, :width])  # most pixels have no gradient
    at = (image * n_rows + row // cell) * n_columns + column // cell
    at = at * N_ANGLES + bins[image, row, column]
    shape = (len(images), n_rows, n_columns, N_ANGLES)
    cells = np.bincount(at, size[image, row, column], np.prod(shape)).reshape(shape) / cell**2
    windows = np.lib.stride_tricks.sliding_window_view(cells, (BLOCK, BLOCK), axis=(1, 2))
    blocks = np.moveaxis(windows, 3, -1).reshape(len(images), n_rows - 1, n_columns - 1, -1)
    blocks = np.minimum(_unit(blocks), 0.2)
    return _unit(blocks).reshape(len(images), -1).astype(np.float32)


def _unit(blocks):
    return blocks / np.sqrt((blocks**2).sum(axis=-1, keepdims=True) + _EPSILON**2)

"""Histograms of oriented gradients of one picture, equal to scikit-image's to the last bit.

`skimage.feature.hog` normalises blocks one by one in Python; this module normalises a row of blocks at once
and keeps only the middle of each: 14 ms instead of 82 for 252 x 252 colour pixels. Numbers are added in the
library's order (tests/problems/pose/model/test_hog.py). `letters.data.hog.batch_hog` stays separate: on 200
letters it is 26 times as fast as the library. One routine for both would take 0.93 to 1.21 times its time and
change up to 2.8 % of its numbers by at most 7e-8, so stored letter models would not see the features that
they were trained on.
"""

import numpy as np

_EPS, _MOST = 1e-5, 0.2


def middles(picture: np.ndarray, n_bins: int, cell: int, block: int, middle: int) -> np.ndarray:
    """The middle cells of all blocks, L2-Hys normalised: (rows, columns, middle, middle, n_bins)."""
    cells = _histograms(*_gradients(picture.astype(float)), n_bins, cell)
    wide = cells.shape[1] - block + 1
    out = np.empty((cells.shape[0] - block + 1, wide, middle, middle, n_bins))
    edge = (block - middle) // 2
    inner = slice(edge, edge + middle)
    rows = np.lib.stride_tricks.sliding_window_view(cells, (block, block), axis=(0, 1))
    for row, blocks in zip(out, rows.transpose(0, 1, 3, 4, 2)):  # one row stays in the processor's cache
        flat = np.ascontiguousarray(blocks).reshape(wide, -1)
        flat = flat / np.sqrt(np.sum(flat**2, axis=1) + _EPS**2)[:, None]
        np.minimum(flat, _MOST, out=flat)
        length = np.sqrt(np.sum(flat**2, axis=1) + _EPS**2)
        centre = flat.reshape(wide, block, block, n_bins)[:, inner, inner]
        np.divide(centre, length[:, None, None, None], out=row)
    return out


def _gradients(picture):
    """(down, across) of the channel whose gradient is largest, by pixel."""
    down, across = np.zeros_like(picture), np.zeros_like(picture)
    down[1:-1] = picture[2:] - picture[:-2]
    across[:, 1:-1] = picture[:, 2:] - picture[:, :-2]
    best = np.hypot(down, across).argmax(axis=2)[..., None]
    return (np.take_along_axis(gradient, best, axis=2)[..., 0] for gradient in (down, across))


def _histograms(down, across, n_bins, cell):
    """Share of every unsigned orientation in every cell, weighted by the gradient's length."""
    length = np.hypot(across, down)
    angle = np.rad2deg(np.arctan2(down, across)) % 180
    bins = np.minimum((angle / (180.0 / n_bins)).astype(np.intp), n_bins - 1)
    tall, wide = down.shape[0] // cell, down.shape[1] // cell
    out, at = np.zeros((tall * wide, n_bins), dtype=np.float32), np.arange(tall * wide)
    for i in range(cell):  # one pixel of every cell at a time, rounded after each, as the library does
        for j in range(cell):
            place = at, bins[i::cell, j::cell].ravel()
            out[place] = out[place] + length[i::cell, j::cell].ravel()
    return (out / np.float32(cell**2)).reshape(tall, wide, n_bins).astype(float)

"""Features of body parts: histograms of oriented gradients, likeness to face and chest, rotated templates.

12 unsigned orientations in cells of 3 pixels (the cascade's finest grid), smoothed over 3 x 3 neighbours and
normalised over 5 x 5. Two more channels compare a cell's colours with those where a face and a chest should
be: (p - q) / (p + q) for shares p there and q in the picture. A part's detector is one linear template over
all channels at 24 angles (`templates`); the right arm's is the left arm's mirrored.

`skimage.feature.hog` normalises blocks one by one in Python; `middles` normalises a row of blocks at once and
keeps only the middle of each: 14 ms instead of 82 for 252 x 252 colour pixels. Numbers are added in the
library's order (tests/problems/pose/model/test_features.py). `batch_hog` of
`spcviz.problems.letters.handwriting` stays separate: on 200 letters it is 26 times as fast as the library.
One routine for both would take 0.93 to 1.21 times its time and change up to 2.8 % of its numbers by at most
7e-8, so stored letter models would not see the features that they were trained on.
"""

import numpy as np
from scipy import ndimage

from spcviz.engine.errors import ArgumentError
from spcviz.problems.pose.data import body
from spcviz.problems.pose.model import templates

N_BINS, N_CHANNELS = 12, 14
_BLOCK = 5
_FACE, _CHEST = (120, 58, 12, 11), (120, 112, 16, 20)  # centre (x, y), half width and height, px
_SHADES = 8
_LEAST = 1e-4  # added to every colour's share, so that rare colours count little
_STEP = {0: 9.0, 1: 6.0, 3: 6.0}
_REACH = {0: (54.0, 45.0), 1: (36.0, 18.0), 3: (36.0, 18.0)}  # half extents by part; 2, 4 are mirrored
_EPS, _MOST = 1e-5, 0.2  # of L2-Hys: squared and added to a squared length; where entries are cut


def checked_picture(picture):
    """A 240 x 240 colour picture of bytes, or ArgumentError."""
    picture, side = np.asarray(picture), body.SIDE
    if picture.shape != (side, side, 3) or picture.dtype != np.uint8:
        got = f"shape {picture.shape} of {picture.dtype}"
        raise ArgumentError(f"picture must be {side} x {side} x 3 bytes, got {got}")
    return picture


def histograms(picture: np.ndarray) -> np.ndarray:
    """Normalised orientation histograms and likeness to face and chest of a picture's cells: (80, 80, 14)."""
    margin = (_BLOCK // 2) * int(body.PITCH)
    framed = np.pad(checked_picture(picture), ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    blocks = middles(framed, N_BINS, int(body.PITCH), _BLOCK, 3)
    smoothed = np.einsum("yxijb,ij->yxb", blocks, np.outer([1, 2, 1], [1, 2, 1]))
    return np.concatenate([smoothed, _likeness(np.asarray(picture))], axis=2).astype(np.float32)


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


def _likeness(picture):
    """Similarity of every cell's colours to the face's and the chest's, -1 .. 1, shape (80, 80, 2)."""
    shade = (picture // (256 // _SHADES)).astype(np.intp)
    code = (shade[..., 0] * _SHADES + shade[..., 1]) * _SHADES + shade[..., 2]
    everywhere, n = _shares(code), body.N_FINE
    maps = []
    for x, y, wide, tall in (_FACE, _CHEST):
        there = _shares(code[y - tall : y + tall, x - wide : x + wide])
        like = ((there - everywhere) / (there + everywhere))[code]
        cells = like.reshape(n, body.SIDE // n, n, body.SIDE // n).mean(axis=(1, 3))
        maps.append(ndimage.uniform_filter(cells, 3, mode="nearest"))
    return np.stack(maps, axis=2)


def _shares(code):
    """Share of every colour, smoothed over neighbouring shades."""
    counts = np.bincount(code.ravel(), minlength=_SHADES**3).reshape((_SHADES,) * 3).astype(float)
    for axis in range(3):
        counts = ndimage.convolve1d(counts, [0.25, 0.5, 0.25], axis=axis, mode="nearest")
    return counts.ravel() / counts.sum() + _LEAST


def sample_points(part):
    """(along, across) of a part's template, pixels, shape (T, 2); T runs along first."""
    part = {2: 1, 4: 3}.get(part, part)
    step, (along, across) = _STEP[part], _REACH[part]
    s, t = np.arange(-along, along + 1, step), np.arange(-across, across + 1, step)
    return np.stack(np.meshgrid(s, t, indexing="ij"), axis=-1).reshape(-1, 2)


def turn_template(part):
    """Cells of a part's template at every angle, shape (24, T, 2)."""
    return templates.turned_points(sample_points(part), body.N_ANGLES, body.PITCH)


def mirrored_weights(part, weights):
    """The template of the part on the other side: across and orientation change sign."""
    n_across = len(np.unique(sample_points(part)[:, 1]))
    return mirror_cells(weights.reshape(-1, n_across, weights.shape[1])).reshape(weights.shape)


def mirror_cells(cells):
    """Cells of the mirrored picture: bin b's angles [15 b, 15 b + 15) degrees become 180 minus them."""
    return np.concatenate([cells[:, ::-1, :N_BINS][..., ::-1], cells[:, ::-1, N_BINS:]], axis=2)


def responses(cells: np.ndarray, detectors: dict[int, np.ndarray]) -> np.ndarray:
    """Scores (3 or 5, 24, 80, 80) of every part at every state of the finest grid, from `histograms`."""
    out = []  # the whole grid: skipping what level 0 prunes could save at most these 20 ms (3 parts)
    for part in range(5 if 3 in detectors else 3):
        kind = {2: 1, 4: 3}.get(part, part)
        weights = detectors[kind] if part == kind else mirrored_weights(kind, detectors[kind])
        out.append(templates.respond(cells, turn_template(part), weights))
    return np.stack(out)


def pool_scores(fine, level):
    """Best score of the finest cells in each cell of a level, by state: (parts, n_states)."""
    cells = body.grid(level)
    while fine.shape[-2] > cells.rows:  # halved step by step: 20 times as fast as one maximum over short axes
        fine = np.maximum(fine[..., 0::2, :], fine[..., 1::2, :])
    while fine.shape[-1] > cells.columns:
        fine = np.maximum(fine[..., 0::2], fine[..., 1::2])
    return fine.reshape(len(fine), -1)

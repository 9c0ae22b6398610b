r"""Detect a person in a picture: an upper-body template on histograms of oriented gradients.

A window is Buffy's: a square of twice the distance from the top of the head to the hips. A picture is shrunk
so that the window is 60 pixels wide, once for each size that the window may have; a window scores

.. math:: s(x, y, w) = b + \sum_{i, j, k} W_{ijk} \, h_{y + i,\, x + j,\, k}

with h the normalised histogram of a cell of 5 x 5 pixels: 12 x 12 cells of 12 unsigned orientations. The edge
of a picture is repeated outside it, since a body is often cut off there. The detection is the window with the
largest score; if that is below the threshold, the answer is "nobody". (Dalal and Triggs 2005.)
"""

from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import fft

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.problems.pose.model import features

CELL, N_CELLS, N_BINS = 5, 12, 12
SIDE = CELL * N_CELLS  # pixels of a window's side in a shrunk picture
_BLOCK = 3
SMALLEST, LARGEST, RATIO = 0.5, 1.8, 1.19  # window sides to try, over the picture's shorter one; their ratio
OUTSIDE = 6  # cells, half a window, by which it may extend beyond the picture


class Finder(NamedTuple):
    """A template."""

    weights: np.ndarray  # (12, 12, 12): ``[row, column, orientation]``
    bias: float
    threshold: float  # below it there is no person


class Scale(NamedTuple):
    """A picture shrunk for windows of one side."""

    side: float  # of the window, in pixels of the picture
    share: tuple  # pixels of the picture for each pixel of the shrunk one: across, down
    cells: np.ndarray  # (R, C, 12): the first lies `OUTSIDE` cells left of and above the picture


class BestWindow(NamedTuple):
    """The best window of a picture."""

    x: float  # x, y, side: centre and side, pixels of the picture
    y: float
    side: float
    score: float


def sides_of(tall, wide):
    """Sides of the windows that are tried in a picture, in pixels, ascending.

    >>> sides_of(135, 240).round(1)[[0, -1]].tolist(), len(sides_of(480, 640))
    ([67.5, 228.1], 8)
    """
    n = int(np.floor(np.log(LARGEST / SMALLEST) / np.log(RATIO)))
    return min(tall, wide) * SMALLEST * RATIO ** np.arange(n + 1)


def scale_of(picture, side):
    """A picture shrunk (or enlarged) so that a window of `side` pixels is `SIDE` wide."""
    tall, wide = picture.shape[:2]
    new = [max(CELL, round(n * SIDE / side)) for n in (wide, tall)]
    how = Image.Resampling.BOX if side > SIDE else Image.Resampling.BILINEAR
    small = np.asarray(Image.fromarray(picture).resize(new, how))
    margin = (OUTSIDE + _BLOCK // 2) * CELL
    more = [-n % CELL for n in small.shape[:2]]
    framed = np.pad(small, ((margin, margin + more[0]), (margin, margin + more[1]), (0, 0)), mode="edge")
    cells = features.middles(framed, N_BINS, CELL, _BLOCK, 1)[:, :, 0, 0].astype(np.float32)
    return Scale(float(side), (wide / new[0], tall / new[1]), cells)


def scores_of(scale, weights):
    """Scores of all windows of one scale, shape (R - 11, C - 11), without the bias."""
    rows, columns = (n - N_CELLS + 1 for n in scale.cells.shape[:2])
    shape = [fft.next_fast_len(n, real=True) for n in scale.cells.shape[:2]]
    seen = fft.rfft2(scale.cells, shape, axes=(0, 1))
    template = fft.rfft2(weights.astype(np.float32), shape, axes=(0, 1))
    return fft.irfft2((seen * template.conj()).sum(axis=2), shape, axes=(0, 1))[:rows, :columns]


def place_of(scale, row, column):
    """(x, y) of the centre of a window, pixels of the picture."""
    across, down = scale.share
    middle = CELL * (N_CELLS / 2 - OUTSIDE)
    return (CELL * column + middle) * across, (CELL * row + middle) * down


def cells_at(scale, x, y):
    """(row, column) of the window whose centre is nearest to a place; it may lie too far outside."""
    across, down = scale.share
    middle = CELL * (N_CELLS / 2 - OUTSIDE)
    return np.rint((y / down - middle) / CELL).astype(int), np.rint((x / across - middle) / CELL).astype(int)


def find(finder: Finder, picture: np.ndarray) -> BestWindow:
    """The best window of a picture (H, W, 3)."""
    return best_of(finder, pyramid(picture))


def pyramid(picture):
    """A picture at every scale at which a window fits, a list of Scale."""
    picture = check_picture(picture)
    scales = [scale_of(picture, side) for side in sides_of(*picture.shape[:2])]
    return [scale for scale in scales if min(scale.cells.shape[:2]) >= N_CELLS]


def best_of(finder, scales):
    """As `find`, for a picture whose scales are known."""
    best = None
    for scale in scales:
        scores = scores_of(scale, finder.weights)
        row, column = np.unravel_index(scores.argmax(), scores.shape)
        score = float(scores[row, column]) + finder.bias
        if best is None or score > best.score:
            best = BestWindow(*place_of(scale, row, column), scale.side, score)
    return best


def check_picture(picture):
    """A colour picture of bytes of at least 16 pixels a side, or `ShapeError`."""
    picture = np.asarray(picture)
    is_colour = picture.ndim == 3 and picture.shape[2] == 3 and picture.dtype == np.uint8
    if not is_colour or min(picture.shape[:2]) < 16:
        raise ShapeError(
            f"picture has shape {picture.shape} of {picture.dtype}; a finder needs (H, W, 3) bytes, at least "
            "16 x 16"
        )
    return picture


def is_right(guess: tuple[float, ...], window: tuple[float, ...], shift: float = 0.25, ratio: float = 1.25):
    """Whether a window (x, y, side, ...) is within `shift` sides and `ratio` of the true one.

    >>> is_right((10, 10, 100), (20, 20, 110)), is_right((10, 10, 100), (50, 10, 100))
    (True, False)
    """
    ratio = checks.number("ratio", ratio, 1, 10)
    near = np.hypot(guess[0] - window[0], guess[1] - window[1]) <= shift * window[2]
    return bool(near and 1 / ratio <= guess[2] / window[2] <= ratio)

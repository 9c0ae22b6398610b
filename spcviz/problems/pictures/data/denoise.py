r"""Noisy pictures with exact truth: a silhouette, a photograph in a few greys, a handwritten word.

Every pixel is replaced with probability p by another class drawn uniformly. With K classes, a pixel seen as x
scores

.. math:: f(y) = \log (1 - p) \text{ if } y = x, \quad \log \frac{p}{K - 1} \text{ otherwise}

and neighbours score -lambda min(\|y_i - y_j\|, 2), as in `spcviz.problems.pictures.model.stereo.smoothness`.
"""

from typing import NamedTuple

import numpy as np
import skimage.data
from skimage.color import rgb2gray

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.data import handwriting

_LEAST = 0.001  # with no noise at all every other class would score -inf


class Picture(NamedTuple):
    """A picture's title, its number of classes, and the smoothness that suits it."""

    title: str
    n_classes: int
    weight: float


PICTURES = {  # weights were chosen on noise of seed 0 at 0.2; the pages draw other noise
    "horse": Picture("A silhouette", 2, 1.0),
    "astronaut": Picture("A photograph", 8, 0.8),
    "word": Picture("A written word", 2, 0.6),
}
WORD = 6320  # isqualified


def load_picture(name: str) -> np.ndarray:
    """Classes (H, W) of one of `PICTURES`, 0 = darkest, from scikit-image or this project's words.

    >>> load_picture("horse").shape
    (109, 133)
    """
    if name not in PICTURES:
        raise ArgumentError(f"name must be one of {', '.join(PICTURES)}, got {name!r}")
    if name == "horse":
        return (_shrunk_image(skimage.data.horse() > 0, 3) > 0.5).astype(np.int64)
    if name == "astronaut":
        grey = _shrunk_image(rgb2gray(skimage.data.astronaut()), 4)
        return np.minimum((grey * 8).astype(np.int64), 7)
    words = handwriting.load_words()
    letters = words.pixels[words.starts[WORD] : words.starts[WORD + 1]].reshape(-1, 16, 8)
    ink = np.concatenate([np.pad(letter, ((2, 2), (0, 1))) for letter in letters], axis=1)
    return 1 - np.pad(ink, ((0, 0), (1, 0))).astype(np.int64)


def _shrunk_image(image, by):
    rows, columns = image.shape[0] // by, image.shape[1] // by
    return image[: rows * by, : columns * by].reshape(rows, by, columns, by).mean(axis=(1, 3))


def spoil(truth: np.ndarray, n_classes: int, noise: float, rng: np.random.Generator) -> np.ndarray:
    """Replace a share `noise` of the pixels by another of 2 .. 256 classes; raises `ArgumentError`.

    >>> spoil(np.array([[0, 1]]), 2, 1.0, np.random.default_rng(0))
    array([[1, 0]])
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    n = checks.integer("n_classes", n_classes, 2, 256)
    truth = checks.whole_numbers("truth", np.ravel(truth), 0, n - 1).reshape(np.shape(truth))
    is_hit = rng.random(truth.shape) < checks.fraction("noise", noise)
    return np.where(is_hit, (truth + rng.integers(1, n, truth.shape)) % n, truth)


def seen_scores(seen: np.ndarray, n_classes: int, noise: float) -> np.ndarray:
    """Scores (H, W, K) of classes given the one seen; noise is clipped to 0.001 .. 0.999 to forbid none.

    >>> seen_scores(np.array([[1]]), 2, 0.5)
    array([[[-0.69314718, -0.69314718]]])
    """
    n = checks.integer("n_classes", n_classes, 2, 256)
    seen = checks.whole_numbers("seen", np.ravel(seen), 0, n - 1).reshape(np.shape(seen))
    p = float(np.clip(checks.fraction("noise", noise), _LEAST, 1 - _LEAST))
    return np.where(seen[..., None] == np.arange(n), np.log1p(-p), np.log(p / (n - 1)))

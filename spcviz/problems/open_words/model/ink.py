r"""The letter model: log p(letter | image), learned on single letters.

A softmax over a linear map of the image's features: its pixels ("raw"), or random waves over pixels and edge
directions ("fourier", Rahimi and Recht 2007). Waves are drawn from a seed through the raw bits of PCG64 and
rounded to a grid, so that they need not be stored. The cascade then sees 26 numbers per letter, whatever the
image's features cost:

.. math:: f(x) = (\max(\log p(y \mid x), \mathrm{FLOOR}))_y,\ \text{first letter?},\ 1
"""

from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.letters.handwriting import batch_hog

FLOOR = -12.0
"""The least log p: below it, no letter is believed to be more impossible."""

BATCH = 64
MOMENTUM = 0.9
_GRID = 4096.0
_CHUNK = 4000


class InkSettings(NamedTuple):
    """How letters are learned."""

    features: str  # "raw" or "fourier"
    n_waves: int = 0
    width: float = 0.0  # of the Gaussian kernel that the waves approximate
    seed: int = 0  # of the waves
    epochs: int = 10
    # first step, times the mean squared norm of the features; it falls to zero as a cosine
    rate: float = 20.0
    decay: float = 1e-7


SETTINGS = {
    "raw": InkSettings("raw", rate=10.0, decay=1e-6),
    "fourier": InkSettings("fourier", 4000, 5.5, 7, epochs=8, rate=40.0, decay=1e-6),
}
"""Chosen on letters of fold 1 after training on folds 2 to 9."""


class Ink(NamedTuple):
    """A learned letter model."""

    settings: InkSettings
    weights: np.ndarray  # (F, 26) float32


@lru_cache(maxsize=2)
def waves(settings):
    """The waves of a setting, a read-only `Fourier`."""
    n = 128 + 1 + sum(batch_hog(np.zeros((1, *letters.SHAPE)), cell).shape[1] for cell in (3, 2))
    bits = np.random.PCG64(settings.seed)
    uniform = (bits.random_raw(2 * n * settings.n_waves + settings.n_waves) >> 11) * 2.0**-53
    radius, angle = np.split(uniform[: 2 * n * settings.n_waves], 2)
    normal = np.sqrt(-2 * np.log1p(-radius)) * np.cos(2 * np.pi * angle)  # Box and Muller
    frequencies = np.round(_GRID * normal / settings.width) / _GRID
    phases = np.round(_GRID * 2 * np.pi * uniform[2 * n * settings.n_waves :]) / _GRID
    fourier = letters.Fourier(frequencies.reshape(n, -1).astype(np.float32), phases.astype(np.float32))
    for array in fourier:
        array.flags.writeable = False
    return fourier


def image_features(settings: InkSettings, pixels: ArrayLike):
    """Features (R, F) float32 of images (R, 16, 8), in which the letter model is linear."""
    if settings.features not in SETTINGS:
        raise ArgumentError(f"features must be one of {', '.join(SETTINGS)}, got {settings.features!r}")
    raw = letters.raw_features(pixels)
    if settings.features == "raw":
        return raw
    out = np.empty((len(raw), settings.n_waves + 1), dtype=np.float32)
    for start in range(0, len(raw), _CHUNK):
        part = slice(start, start + _CHUNK)
        inputs = [raw[part], *(batch_hog(pixels[part], cell) for cell in (3, 2))]
        out[part] = letters.fourier_features(np.concatenate(inputs, axis=1), waves(settings))
    return out


def train_ink(
    settings: InkSettings, features: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> Ink:
    """Learn letters by stochastic gradient descent with momentum on `image_features`."""
    n = checks.integer("features", len(features), BATCH, 2**31)
    rate = settings.rate / float(np.einsum("rf,rf->", features, features, dtype=np.float64) / n)
    weights = np.zeros((features.shape[1], letters.N_STATES), dtype=np.float32)
    speed, n_steps, done = np.zeros_like(weights), settings.epochs * (n // BATCH), 0
    for _ in range(settings.epochs):
        order = rng.permutation(n)
        for i in range(0, n - BATCH + 1, BATCH):
            chosen = order[i : i + BATCH]
            seen, wanted = features[chosen], labels[chosen]
            wrong = np.exp(log_softmax(seen @ weights))
            wrong[np.arange(BATCH), wanted] -= 1.0
            step = rate * 0.5 * (1 + np.cos(np.pi * done / n_steps))
            speed *= MOMENTUM
            speed -= np.float32(step) * (seen.T @ wrong / BATCH + settings.decay * weights)
            weights += speed
            done += 1
    return Ink(settings, weights)


def log_softmax(scores):
    """log p of each row, same shape.

    >>> np.exp(log_softmax(np.zeros((1, 2))))
    array([[0.5, 0.5]])
    """
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def ink_scores(ink, features):
    """max(log p(letter | image), FLOOR), shape (R, 26), float32."""
    return np.maximum(log_softmax(features @ ink.weights), np.float32(FLOOR))


def rows_for_cascade(scores, lengths):
    """A cascade's input for letters of words: ink scores, whether they come first, 1; (R, 28), float32."""
    lengths = checks.lengths(lengths, len(scores))
    rows = np.zeros((len(scores), letters.N_STATES + 2), dtype=np.float32)
    rows[:, : letters.N_STATES] = scores
    rows[np.cumsum(lengths) - lengths, letters.N_STATES] = 1.0
    rows[:, -1] = 1.0
    return rows

"""Augmented training pictures: mirrored, in another light (power, factor, tint), since a street may be driven
the other way, and most test pictures are of a drive of another hour and weather than any in training.
"""

import numpy as np

from spcviz.problems.scene.data.camvid import Scene

POWER, FACTOR, TINT = 0.3, 0.35, 0.08  # largest logarithms: brightness b becomes factor * tint_c * b^power


def mirror_scene(scene, rng):
    """A `Scene` mirrored left to right, truth too, in another light.

    >>> picture = np.full((1, 2, 3), 90, np.uint8)
    >>> flipped = mirror_scene(Scene("a", picture, np.uint8([[1, 2]])), np.random.default_rng(0))
    >>> flipped.truth.tolist(), bool((flipped.picture != 90).any())
    ([[2, 1]], True)
    """
    power = np.exp(rng.uniform(-POWER, POWER))
    factor = np.exp(rng.uniform(-FACTOR, FACTOR)) * np.exp(rng.uniform(-TINT, TINT, 3))
    light = factor[:, None] * (np.arange(256) / 255) ** power
    table = (255 * np.minimum(light, 1)).round().astype(np.uint8)
    picture = np.stack([table[c][scene.picture[:, ::-1, c]] for c in range(3)], axis=2)
    return Scene(scene.name, picture, np.ascontiguousarray(scene.truth[:, ::-1]))

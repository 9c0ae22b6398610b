"""The data's letters drawn anew as strokes, to test whether drawn letters read as well as scanned ones."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.problems.open_words.data.traced import strokes_of
from spcviz.problems.open_words.data.written import boxes_text, parse, raster

_ZOOM = 4


def redraw(pixels: ArrayLike) -> np.ndarray:
    """Letters (R, 16, 8) thinned to strokes, written as the URL holds them, and rasterised again to uint8."""
    return np.array([_again(letter) for letter in np.asarray(pixels)])


def _again(letter):
    large = np.kron(letter, np.ones((_ZOOM, _ZOOM), dtype=bool))
    # As they are: the address holds whole numbers, and halves would be rounded to the even ones.
    return raster(parse(boxes_text([strokes_of(large, 0.3)])).letters[0])

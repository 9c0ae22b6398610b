"""Trace the ink of a picture as strokes, thinned to lines of one pixel; redraw letters with these."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.problems.open_words.data.drawings import boxes_text, parse, raster

_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
_CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def strokes_of(ink: ArrayLike, tolerance: float = 0.7) -> list[np.ndarray]:
    """Polylines (P, 2) along the middle of the ink, straightened by at most `tolerance` pixels; each link
    once.

    >>> [stroke.tolist() for stroke in strokes_of(np.eye(3, dtype=bool))]
    [[[0.0, 0.0], [2.0, 2.0]]]
    """
    from skimage.measure import approximate_polygon  # half a second to import, and 40 MB
    from skimage.morphology import skeletonize

    thin = skeletonize(np.asarray(ink, dtype=bool))
    links = _links(thin)
    strokes = [np.array([[x, y]], dtype=np.float64) for (y, x), to in links.items() if not to]
    for start in sorted(links, key=lambda at: (len(links[at]) != 1, at)):  # ends first, then rings
        while links[start]:
            path = _walk(links, start)
            strokes.append(approximate_polygon(np.array(path, dtype=np.float64), tolerance)[:, ::-1])
    return strokes


def _links(thin):
    """Each pixel's neighbours; a diagonal one only if no neighbour at a side leads there."""
    every = set(zip(*(axis.tolist() for axis in np.nonzero(thin))))
    links = {}
    for y, x in every:
        near = [(y + dy, x + dx) for dy, dx in _SIDES]
        near += [(y + dy, x + dx) for dy, dx in _CORNERS if not {(y + dy, x), (y, x + dx)} & every]
        links[y, x] = every.intersection(near)
    return links


def _walk(links, start):
    """The path from a pixel until no link is left, straight on at branches; uses up the links."""
    path, heading = [start], (0, 0)
    while links[path[-1]]:
        y, x = path[-1]
        ahead = (y + heading[0], x + heading[1])
        step = min(links[y, x], key=lambda to: ((to[0] - ahead[0]) ** 2 + (to[1] - ahead[1]) ** 2, to))
        links[y, x].discard(step)
        links[step].discard((y, x))
        heading = (step[0] - y, step[1] - x)
        path.append(step)
    return path


_ZOOM = 4


def redraw(pixels: ArrayLike) -> np.ndarray:
    """Letters (R, 16, 8) thinned to strokes, written as in the URL, and rasterised again to uint8."""
    return np.array([_again(letter) for letter in np.asarray(pixels)])


def _again(letter):
    large = np.kron(letter, np.ones((_ZOOM, _ZOOM), dtype=bool))
    # Not scaled back: the address has whole numbers, and halves would be rounded to the even ones.
    return raster(parse(boxes_text([strokes_of(large, 0.3)])).letters[0])

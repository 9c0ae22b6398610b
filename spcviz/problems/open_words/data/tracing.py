"""Trace ink as strokes one pixel wide: of a letter image, or of a photograph or scan of one word.

In a photograph or scan, Otsu's threshold separates dark from light, and most of the border is paper. Ink is
thinned to lines.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from spcviz.problems.open_words.data.drawings import (
    BOX,
    MAX_LETTERS,
    MAX_SIGNS,
    MAX_WIDE,
    boxes_text,
    parse,
    raster,
    strip_text,
)
from spcviz.shared.uploading.uploads import UploadError, read_upload

MOST_INK = 0.3
"""Share of a picture's pixels: writing covers less."""

LEAST_CONTRAST = 40
"""Least difference between ink and paper, of 255."""

SPECK = 0.08
"""Share of the largest part's longer side: smaller bits are dirt."""

MOST_PARTS = 3 * MAX_LETTERS
MARGIN = 4
_ZOOM = 4
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


def redraw(pixels: ArrayLike) -> np.ndarray:
    """Letters (R, 16, 8) thinned to strokes, written as in the URL, and rasterised again to uint8."""
    return np.array([_again(letter) for letter in np.asarray(pixels)])


def _again(letter):
    large = np.kron(letter, np.ones((_ZOOM, _ZOOM), dtype=bool))
    # Not scaled back: the address has whole numbers, and halves would be rounded to the even ones.
    return raster(parse(boxes_text([strokes_of(large, 0.3)])).letters[0])


def scan_strip(data: bytes, *, glance: Callable = lambda: None) -> str:
    """The text of a strip (see `drawings`) from a picture's bytes; an `UploadError` is for the visitor."""
    picture = read_upload(data, glance=glance)[0].astype(np.float64) @ (0.299, 0.587, 0.114)
    return traced_word(ink_of(picture))


def ink_of(picture: np.ndarray):
    """Where there is ink in a grey picture (0 to 255): the word's bounding box, bool, or `UploadError`."""
    from scipy import ndimage  # half a second to import, and 40 MB
    from skimage.filters import threshold_otsu

    if np.ptp(picture) < LEAST_CONTRAST:
        raise UploadError("There is nothing dark on light, or light on dark, in this picture.")
    is_dark = picture <= threshold_otsu(picture)
    border = np.concatenate([is_dark[0], is_dark[-1], is_dark[:, 0], is_dark[:, -1]])
    ink = ~is_dark if border.mean() > 0.5 else is_dark
    if abs(np.median(picture[ink]) - np.median(picture[~ink])) < LEAST_CONTRAST:
        raise UploadError("Ink and paper can hardly be told apart in this picture; more light may help.")
    if ink.mean() > MOST_INK:
        advice = "that is no word on paper. Take one written word on an even background."
        raise UploadError(f"{100 * ink.mean():.0f} % of this picture would be ink: {advice}")
    labels, _ = ndimage.label(ink, np.ones((3, 3)))
    boxes = ndimage.find_objects(labels)
    sides = np.array([max(box[0].stop - box[0].start, box[1].stop - box[1].start) for box in boxes])
    is_part = sides >= max(SPECK * sides.max(), 2)
    if is_part.sum() > MOST_PARTS:
        advice = "are too many for one word; take one written word alone."
        raise UploadError(f"{is_part.sum()} separate bits of ink {advice}")
    ink = np.isin(labels, 1 + np.flatnonzero(is_part))
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def traced_word(ink):
    """The strip's text of one word's ink; `UploadError` if it is too long or has too many lines."""
    height, width = ink.shape
    scale = (BOX - 2 * MARGIN) / max(height, 1)
    if width * scale > MAX_WIDE - 2 * MARGIN:
        raise UploadError("The ink is too long and too low for one word; crop the picture to the word.")
    padded = np.pad(ink, 1)
    strokes = [(stroke - 1) * scale + MARGIN for stroke in strokes_of(padded, 1.0)]
    text = strip_text(strokes, gaps(ink) * scale + MARGIN)
    if len(text) > MAX_SIGNS:
        raise UploadError("There are too many lines in this picture for one word.")
    return text


def gaps(ink):
    """Middles of the columns without ink between inked ones, at most as many as letters need.

    >>> gaps(np.array([[1, 1, 0, 0, 1, 0, 1]], dtype=bool))
    array([3. , 5.5])
    """
    inked = np.concatenate([[False], np.asarray(ink).any(axis=0), [False]])
    starts, stops = np.flatnonzero(inked[1:] & ~inked[:-1]), np.flatnonzero(~inked[1:] & inked[:-1])
    wide = starts[1:] - stops[:-1]
    chosen = np.sort(np.argsort(-wide, kind="stable")[: MAX_LETTERS - 1])
    return (starts[1:][chosen] + stops[:-1][chosen]) / 2

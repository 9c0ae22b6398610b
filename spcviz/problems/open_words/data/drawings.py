"""Handwriting as data: convert strokes to a short text for the URL, and to rasters like the data set's.

Coordinates are whole numbers; a box is 64 x 64, y points down. A stroke is a polyline. One character encodes
six bits, and these texts are the only record of a drawing (nothing else is stored)::

    b LETTER ~ LETTER ~ ...     boxes; a letter is STROKE . STROKE ..., a stroke two characters (x, y) a point
    s CUTS ~ STROKE . STROKE    a strip; a cut is two characters (x), a point three (x twice, y)

A letter becomes 16 x 8 binary pixels as in the data set: its strokes' bounding box is scaled to fit, with the
same proportions, and centred; a pixel is ink where the pen runs over its centre.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters.handwriting import SHAPE

SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
BOX = 64
MAX_LETTERS = 20
MAX_SIGNS = 6000
MAX_WIDE = BOX * MAX_LETTERS

PEN = 0.65
"""Half the width of the pen, in pixels: with it letters of fold 1, thinned and redrawn, have as much ink as
before (see `redrawn` of the experiment; chosen from 0.5 to 0.7)."""

DOT = 4
FILLED = 0.85
"""Share of the ink's own box: the data's letters leave more white."""

_CENTRES = np.stack(np.meshgrid(np.arange(SHAPE[1]), np.arange(SHAPE[0])), -1).reshape(-1, 2) + 0.5
_VALUE = {sign: value for value, sign in enumerate(SIGNS)}


class Drawing(NamedTuple):
    """A parsed text."""

    is_strip: bool
    letters: tuple  # (P, 2): strokes of each box, or of each piece between two cuts: x and y


class Written(NamedTuple):
    """What can be read of a drawing."""

    pixels: np.ndarray  # (L, 16, 8) uint8: of the letters that can be read
    places: tuple[int, ...]  # their boxes, from 0
    rasters: np.ndarray  # (boxes, 16, 8) uint8
    problems: tuple[str, ...]  # sentences for the visitor


def parse(text):
    """Strokes of a text; `ArgumentError` if neither `boxes_text` nor `strip_text` could have made it.

    >>> drawing = parse("bAAAB~")
    >>> len(drawing.letters), drawing.letters[0][0].tolist()
    (2, [[0.0, 0.0], [0.0, 1.0]])
    """
    if not isinstance(text, str) or len(text) > MAX_SIGNS or text[:1] not in ("b", "s"):
        raise ArgumentError(
            f"text must begin with b or s and have at most {MAX_SIGNS} characters, got {text!r:.40}"
        )
    if text[0] == "s":
        cuts, _, strokes = text[1:].partition("~")
        cuts = np.sort(_numbers(cuts, 2)[:, 0] * BOX + _numbers(cuts, 2)[:, 1])
        points = [_numbers(stroke, 3) for stroke in strokes.split(".") if stroke]
        return Drawing(True, _pieces([np.stack([p[:, 0] * BOX + p[:, 1], p[:, 2]], 1) for p in points], cuts))
    letters = [
        [_numbers(stroke, 2) for stroke in letter.split(".") if stroke] for letter in text[1:].split("~")
    ]
    return Drawing(False, tuple(tuple(letter) for letter in letters))


def _numbers(signs, group):
    """Characters as numbers, shape (points, group)."""
    if len(signs) % group or not all(sign in _VALUE for sign in signs):
        raise ArgumentError(f"text must hold {group} signs a point, got {signs!r:.40}")
    return np.array([_VALUE[sign] for sign in signs], dtype=np.float64).reshape(-1, group)


def boxes_text(letters: Sequence[Sequence[ArrayLike]]):
    """The text of strokes in boxes: for each letter, polylines (P, 2) of x and y, 0 to 63.

    >>> boxes_text([[[[0, 0], [0, 1]]], []])
    'bAAAB~'
    """
    return "b" + "~".join(".".join(_signs(stroke) for stroke in letter) for letter in letters)


def _signs(stroke):
    points = np.clip(np.rint(stroke), 0, BOX - 1).astype(int)
    return "".join(SIGNS[value] for value in points.ravel())


def strip_text(strokes: Sequence[ArrayLike], cuts: Sequence[float]):
    """The text of strokes (x 0 to 1279, y 0 to 63) in one strip; `cuts` are the x between letters."""
    points = []
    for stroke in strokes:
        x, y = np.rint(np.asarray(stroke, dtype=np.float64)).astype(int).T
        x, y = np.clip(x, 0, MAX_WIDE - 1), np.clip(y, 0, BOX - 1)
        points.append("".join(SIGNS[a // BOX] + SIGNS[a % BOX] + SIGNS[b] for a, b in zip(x, y)))
    at = np.clip(np.rint(cuts), 0, MAX_WIDE - 1).astype(int) if len(cuts) else []
    return "s" + "".join(SIGNS[a // BOX] + SIGNS[a % BOX] for a in at) + "~" + ".".join(points)


def _pieces(strokes, cuts):
    """The strokes between each two cuts; a stroke that crosses one is cut there."""
    edges = [-np.inf, *cuts, np.inf]
    return tuple(
        tuple(part for stroke in strokes for part in _between(stroke, low, high))
        for low, high in pairwise(edges)
    )


def _between(stroke, low, high):
    """The parts of a polyline with low <= x < high."""
    if len(stroke) == 1:
        return [stroke] if low <= stroke[0, 0] < high else []
    points = [stroke[0]]
    for before, point in pairwise(stroke):
        left, right = sorted((before[0], point[0]))
        inside = [edge for edge in (low, high) if left < edge < right]
        shares = sorted((edge - before[0]) / (point[0] - before[0]) for edge in inside)
        points += [*(before + share * (point - before) for share in shares), point]
    parts, current = [], []
    for before, point in pairwise(points):
        if low <= (before[0] + point[0]) / 2 < high:
            current = [*(current or [before]), point]
        elif current:
            parts.append(current)
            current = []
    return [np.array(part) for part in (*parts, current) if part]


def raster(strokes: Sequence[np.ndarray]):
    """Strokes (P, 2) of any size as a letter of the data, (16, 8) uint8; empty without strokes.

    >>> raster([np.array([[0, 0], [0, 40]])]).sum(axis=0).tolist()
    [0, 0, 0, 0, 16, 0, 0, 0]
    """
    out = np.zeros(SHAPE, dtype=np.uint8)
    if not len(strokes):
        return out
    every = np.concatenate(strokes)
    low, high = every.min(axis=0), every.max(axis=0)
    room = np.array([SHAPE[1], SHAPE[0]], dtype=np.float64)
    scale = float(np.min((room - 1) / np.maximum(high - low, 1e-9)))
    scale = min(scale, float(room[1]))  # for a dot, any
    corner = np.rint((room - 1 - (high - low) * scale) / 2) + 0.5  # in the middle of a pixel, as in a scan
    for stroke in strokes:
        points = (stroke - low) * scale + corner
        begin, along = (points[:-1], np.diff(points, axis=0)) if len(points) > 1 else (points, points * 0)
        to_centre = _CENTRES[:, None] - begin
        share = (to_centre * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-12)
        apart = to_centre - np.clip(share, 0, 1)[..., None] * along
        out |= ((apart**2).sum(-1).min(axis=1) <= PEN**2).reshape(SHAPE)
        if len(points) == 1:  # the dot of an i, wherever it lies among the pixels
            x, y = np.clip(points[0], 0, room - 1e-9).astype(int)
            out[y, x] = 1
    return out


def read_drawing(text: str) -> Written:
    """What can be read of a drawing's text, and what is wrong with the rest."""
    drawing = parse(text)
    rasters = np.array([raster(letter) for letter in drawing.letters]).reshape(-1, *SHAPE)
    problems, places = [], []
    last = max((i for i, letter in enumerate(drawing.letters) if letter), default=-1)
    what = "Piece" if drawing.is_strip else "Box"
    for i, letter in enumerate(drawing.letters[: last + 1]):
        problem = _problem(letter, rasters[i])
        if problem:
            problems.append(f"{what} {i + 1} {problem}: it is left out.")
        else:
            places.append(i)
    if len(places) > MAX_LETTERS:
        problems.append(f"A word has at most {MAX_LETTERS} letters here; the first {MAX_LETTERS} are read.")
        places = places[:MAX_LETTERS]
    return Written(rasters[places], tuple(places), rasters, tuple(problems))


def _problem(letter, pixels):
    """What is wrong with a letter, or ""."""
    if not letter:
        return "is empty"
    every = np.concatenate(letter)
    if np.ptp(every, axis=0).max() < DOT:
        return "holds only a dot"
    sides = pixels.any(axis=1).sum(), pixels.any(axis=0).sum()
    if min(sides) > 4 and pixels.sum() > FILLED * sides[0] * sides[1]:
        return "is filled with ink; a letter is made of lines"
    return ""

"""A card for messages: a visitor's ink, the funnel of words that it could have been, and the reading.

1200 x 630 pixels, the size that messengers show. Pillow draws it in the app's font and light colours: a
server makes one in a tenth of a second, without a browser.
"""

import io
import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from spcviz.web.figures.palette import LIGHT
from spcviz.web.transport import static_files

SIZE = (1200, 630)
MARGIN = 56
INK_BOX = (MARGIN, 150, SIZE[0] - MARGIN, 340)
FUNNEL_BOX = (MARGIN, 366, SIZE[0] - MARGIN, 486)
LEAST = 0.1
"""Share of the funnel's height that a single word gets, to stay visible."""

MOST_SIGNS = 60
"""Characters of the line that says where a card comes from; longer ones are cut."""

_FINE = 3  # the ink is drawn larger by this factor, then made smaller: smooth lines
_PEN = 0.045  # share of a box's side, as on the page


class FunnelStep(NamedTuple):
    """A section of the funnel."""

    label: str  # what was filtered: "letters", "pairs"
    words: int  # that are left after it


class Card(NamedTuple):
    """Content of a card."""

    title: str
    strokes: tuple[np.ndarray, ...]  # polylines (P, 2) of x and y, y down; a letter's box is 64 high
    pixels: np.ndarray | None  # (L, 16, 8) if the ink comes from the data, else None
    steps: tuple[FunnelStep, ...]  # the first is all words, the last the one that is read
    reading: str
    truth: str  # "" if unknown


def say_count(number: int) -> str:
    """A count of words as people say it.

    >>> say_count(1), say_count(2520), say_count(26**6), say_count(26**9), say_count(26**13)
    ('1', '2,520', '309 million', '5.43 trillion', '2.5 × 10¹⁸')
    """
    for size, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if size <= number < 1000 * size:
            digits = 2 - int(math.log10(number // size))
            return f"{number / size:.{digits}f} {name}"
    if number < 10**6:
        return f"{number:,}"
    power = len(str(number)) - 1
    return f"{number / 10**power:.1f} × 10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def sentence(card: Card) -> str:
    """A card in words, for those who cannot see it.

    >>> steps = FunnelStep("", 676), FunnelStep("letters", 6), FunnelStep("read", 1)
    >>> sentence(Card("", (), None, steps, "as", "is"))
    '676 words of 2 letters are possible; 6 were left, and one was read: “as”. Really written: “is”.'
    """
    left = say_count(card.steps[-2].words)
    were = "was" if left == "1" else "were"
    every, length = say_count(card.steps[0].words), len(card.reading)
    said = f"{every} words of {length} letters are possible; {left} {were} left, and one was read: "
    said += f"“{card.reading}”."
    if not card.truth:
        return said
    return said + (" That is right." if card.truth == card.reading else f" Really written: “{card.truth}”.")


def png(card: Card, below: str = "") -> bytes:
    """A card as PNG; `below` says where it comes from."""
    image = Image.new("RGB", SIZE, LIGHT.background)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, SIZE[0], 14), LIGHT.kept)
    pen.text((MARGIN, 50), card.title, LIGHT.text, _font(46, "Bold"))
    every, length = say_count(card.steps[0].words), len(card.reading)
    about = f"{every} words of {length} letters are possible. What a cascade left of them:"
    pen.text((MARGIN, 104), about, LIGHT.muted, _font(26))
    pen.rounded_rectangle(INK_BOX, 14, LIGHT.surface, LIGHT.border, 2)
    _ink(image, card)
    _funnel(pen, card.steps)
    _verdict(pen, card, below)
    file = io.BytesIO()
    image.quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def _ink(image, card):
    left, top, right, bottom = INK_BOX
    room = (right - left - 40, bottom - top - 24)
    drawn = _pixels(card.pixels, room) if card.pixels is not None else _strokes(card.strokes, room)
    place = ((left + right - drawn.width) // 2, (top + bottom - drawn.height) // 2)
    image.paste(Image.new("RGB", drawn.size, LIGHT.text), place, drawn)


def _strokes(strokes: Sequence[np.ndarray], room):
    """The pen's path as a mask, as large as the space allows."""
    if not strokes:
        return Image.new("L", (1, 1))
    every = np.concatenate(strokes)
    low, high = every.min(axis=0) - 4, every.max(axis=0) + 4
    scale = min(room[0] / (high[0] - low[0]), room[1] / (high[1] - low[1]), 3.2)
    size = [max(1, round(_FINE * scale * span)) for span in high - low]
    mask = Image.new("L", size)
    pen, wide = ImageDraw.Draw(mask), max(2, round(_PEN * 64 * scale * _FINE))
    for stroke in strokes:
        points = [tuple(point) for point in (stroke - low) * scale * _FINE]
        if len(points) > 1:
            pen.line(points, 255, wide, joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), 255)
    return mask.resize([max(1, side // _FINE) for side in size], Image.Resampling.LANCZOS)


def _pixels(pixels, room):
    """Letters of the data side by side, each pixel a square."""
    gap = 2
    padded = [np.pad(letter, ((0, 0), (0, gap))) for letter in np.asarray(pixels)]
    row = np.concatenate(padded, axis=1)[:, :-gap]
    side = max(1, min(room[0] // row.shape[1], room[1] // row.shape[0]))
    return Image.fromarray(np.kron(row.astype(np.uint8) * 255, np.ones((side, side), np.uint8)))


def _funnel(pen, steps):
    """Draw sections whose height is the logarithm of the words that are left, from step to step."""
    left, top, right, bottom = FUNNEL_BOX
    middle, half, wide = (top + bottom) / 2, (bottom - top) / 2, (right - left) / len(steps)
    whole = math.log(max(steps[0].words, 2))

    def high(words):
        return half * (LEAST + (1 - LEAST) * math.log(max(words, 1)) / whole)

    before = steps[0].words
    for k, step in enumerate(steps):
        a, b, x = high(before), high(step.words), left + k * wide
        shape = [(x, middle - a), (x + wide, middle - b), (x + wide, middle + b), (x, middle + a)]
        pen.polygon(shape, _mix(LIGHT.kept, 0.22 if k % 2 else 0.3))
        lines = (say_count(step.words), 34, "Bold", -14), (step.label, 22, "Regular", 20)
        for text, size, weight, down in lines:
            font = _fit(text, size, wide - 12, weight)
            pen.text((x + wide / 2, middle + down), text, LIGHT.text, font, anchor="mm")
        before = step.words


def _verdict(pen, card, below):
    is_right = bool(card.truth) and card.truth == card.reading
    color = LIGHT.text if not card.truth else LIGHT.truth if is_right else LIGHT.lost
    said = f"Read as “{card.reading}”" + (": right" if is_right else "")
    room = SIZE[0] - 2 * MARGIN
    pen.text((MARGIN, 538), said, color, _fit(said, 54, room, "Bold"), anchor="lm")
    if card.truth and not is_right:
        pen.text((MARGIN, 596), f"really written: “{card.truth}”", LIGHT.text, _font(28), anchor="lm")
    if below:
        below = below if len(below) <= MOST_SIGNS else f"{below[: MOST_SIGNS - 1]}…"
        pen.text((SIZE[0] - MARGIN, 596), below, LIGHT.muted, _fit(below, 24, room / 2), anchor="rm")


def _mix(color, share):
    """A colour mixed with the white background."""
    parts = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return tuple(round(255 - share * (255 - part)) for part in parts)


def _fit(text, size, room, weight="Regular"):
    """The font at a size, or smaller if the text would not fit."""
    font = _font(size, weight)
    wide = font.getlength(text)
    return font if wide <= room else _font(max(10, int(size * room / wide)), weight)


@cache
def _font(size, weight="Regular"):
    path = static_files.font()
    if path is None:
        return ImageFont.load_default(size)
    font = ImageFont.truetype(str(path), size)
    font.set_variation_by_name(weight)
    return font

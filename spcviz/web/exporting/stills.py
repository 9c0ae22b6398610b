"""Pictures (PNG) of a lattice, curves and a trajectory of purchases, for notebooks where no script runs.

They are plain: a saved notebook shows them in a mail or on a code host; the view itself shows more.
"""

import io
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from PIL import Image, ImageDraw, ImageFont

from spcviz.shared.trace import WordTrace
from spcviz.web.figures.lattice_numbers import threshold
from spcviz.web.figures.palette import LIGHT

ROW, MARGIN, FONT = 22, 8, 13
"""Height of a row and the margin in pixels, and the font size."""
MOST_ROWS = 60
_PLOT = (70, 34, 690, 320)
_SIZE = (720, 380)
_TICKS = np.linspace(0, 1, 6)
_COLORS = (LIGHT.accent, LIGHT.pruned, LIGHT.truth, LIGHT.text, LIGHT.muted)


def _png(image):
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def lattice(trace: WordTrace) -> bytes:
    """One row per label, one column per position; the darker, the more filters a label has survived."""
    n_levels, best = len(trace.levels), trace.predictions[-1]
    standing = sum(_standing(level, len(best), len(trace.alphabet)) for level in trace.levels)
    rows = np.unique(np.concatenate([best, np.flatnonzero(standing.any(axis=0))[:MOST_ROWS]]))
    names = [trace.alphabet[k] for k in rows]
    marked = np.array([[label == k for label in best] for k in rows])
    return _table(standing[:, rows].T / (2 * n_levels), names, trace.words, marked)


def _standing(level, n_positions, n_labels):
    """(L, K): 0 where a label does not reach a level, 1 where the level prunes it, 2 where it keeps it."""
    _, keep = threshold(level)
    column = np.repeat(np.arange(len(level.col_start) - 1), np.diff(level.col_start))
    out = np.zeros((n_positions, n_labels), dtype=int)
    for place, labels in enumerate(level.symbols.T):
        np.maximum.at(out, (column + place, labels), 1 + keep)
    return out


def course(lifts: np.ndarray, spent: Sequence[str], words: Sequence[str], read: Sequence) -> bytes:
    """One row per purchase, one column per position with its label; the darker, the more was bought."""
    changed = np.diff(lifts, axis=0, prepend=lifts[:1]) > 0
    return _table(lifts / max(1, lifts.max()), spent, words, changed, read)


def _table(dark, names, heads, marked, texts=None):
    """Draw cells (rows, columns) of given darkness, some framed, optionally with a text each."""
    font = ImageFont.load_default(FONT)
    heads, names = [head[:16] for head in heads], [name[:24] for name in names]
    inside = [str(text)[:16] for row in texts or () for text in row]
    left = MARGIN + max(int(font.getlength(name)) for name in names) + MARGIN
    wide = max(2 * ROW, *(int(font.getlength(text)) + MARGIN for text in [*heads, *inside]))
    size = (left + wide * len(heads) + MARGIN, ROW * (len(names) + 1) + 2 * MARGIN)
    image = Image.new("RGB", size, LIGHT.background)
    pen, ink = ImageDraw.Draw(image), {"font": font, "fill": LIGHT.text}
    for i, head in enumerate(heads):
        pen.text((left + wide * i, MARGIN), head, **ink)
    for r, name in enumerate(names):
        top = MARGIN + ROW * (r + 1)
        pen.text((MARGIN, top), name, **ink)
        for i in range(len(heads)):
            share = round(255 - 175 * dark[r, i])
            box = (left + wide * i, top, left + wide * (i + 1) - 3, top + ROW - 3)
            pen.rectangle(box, (share, share, share), LIGHT.text if marked[r, i] else None, width=2)
            if texts:
                pen.text((box[0] + 4, top + 2), str(texts[r][i])[:16], **ink)
    return _png(image)


def curves(figure: go.Figure) -> bytes:
    """The lines of a chart, steps drawn as steps, with axes that show their ranges."""
    lines = [(trace.name, *_points(trace)) for trace in figure.data]
    x, y = (np.concatenate([line[k] for line in lines]) for k in (1, 2))
    low, span = np.array([x.min(), y.min()]), np.array([np.ptp(x) or 1.0, np.ptp(y) or 1.0])
    image = Image.new("RGB", _SIZE, LIGHT.background)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(FONT)
    left, top, right, bottom = _PLOT
    for share in _TICKS:
        across, up = left + share * (right - left), bottom - share * (bottom - top)
        pen.line([(left, up), (right, up)], LIGHT.border)
        pen.text((across, bottom + 4), f"{low[0] + share * span[0]:.3g}", LIGHT.muted, font, anchor="mt")
        pen.text((left - 6, up), f"{low[1] + share * span[1]:.3g}", LIGHT.muted, font, anchor="rm")
    below = figure.layout.xaxis.title.text
    pen.text(((left + right) / 2, _SIZE[1] - 6), below, LIGHT.text, font, anchor="mb")
    at = left
    for (name, *line), color in zip(lines, _COLORS, strict=False):
        share = (np.array(line).T - low) / span
        places = np.array([left, bottom]) + share * np.array([right - left, top - bottom])
        pen.line([tuple(place) for place in places], color, width=2)
        pen.text((at, MARGIN), name, color, font)
        at += int(font.getlength(name)) + 2 * MARGIN
    return _png(image)


def _points(trace):
    """A line's corners where both numbers are finite: x (N,) and y (N,)."""
    x, y = np.asarray(trace.x, dtype=float), np.asarray(trace.y, dtype=float)
    if trace.line.shape == "hv":
        x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    ok = np.isfinite(x) & np.isfinite(y)
    return x[ok], y[ok]

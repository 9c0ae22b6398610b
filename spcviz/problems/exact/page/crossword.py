"""Chart of messages on two crossing words: both are read left to right and share the middle letter."""

import numpy as np

from spcviz.problems.exact.page.charts import BARE, letter
from spcviz.problems.exact.shown import TreeProblem, TreeRun
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

_GAP, _IMAGE = 2.9, 1.9  # rows between the words' bands of letters; height of a letter's image in rows
_WIDE = 1060  # width of a chart in pixels, not projected


def beliefs(problem, run, step):
    """Ink plus the messages that have arrived, (N, K); after all 2 (N - 1), the max-marginals."""
    values = problem.unary.copy()
    for message in run.messages[:step]:
        values[message.target] += message.values
    return values


def waiting_for(problem, run, step):
    """How many messages each node still lacks, shape (N,)."""
    lacks = np.bincount(problem.edges.ravel(), minlength=len(problem.names))
    for message in run.messages[:step]:
        lacks[message.target] -= 1
    return lacks


def crossing_messages(
    problem: TreeProblem,
    run: TreeRun,
    step: int,
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 520,
) -> Chart:
    """The tree after 0 .. 2 N - 1 steps: numbers, a line for every max taken, finally the best word."""
    n, k = problem.unary.shape
    values, lacks = beliefs(problem, run, step), waiting_for(problem, run, step)
    is_end = step > len(run.messages)
    column, line = problem.place.T
    middle = line * (k + _GAP) / 2
    rows = middle[:, None] + (k - 1) / 2 - np.arange(k)  # (N, K)
    x, y = np.repeat(column, k), rows.ravel()
    is_best = np.zeros((n, k), dtype=bool)
    is_best[np.arange(n), run.labels] = is_end
    unit = (height - 3 * 14 * scale) / (2 * k + _GAP + _IMAGE + 1.4)
    side = min(34.0 * scale, 0.92 * unit)
    # lines end next to a circle and its number: pixels in units of the x axis
    pixels = _WIDE * scale / (np.ptp(column) + 0.85)
    before, after = (0.5 * side + 4) / pixels, (0.5 * side + 54 * scale) / pixels
    now = run.messages[step - 1] if 0 < step <= len(run.messages) else None
    line_x, line_y = [], []
    if now is not None:
        forth = column[now.target] > column[now.source]
        ends = (after, -before) if forth else (-before, after)
        for s, c in enumerate(now.choice):
            line_x += [column[now.source] + ends[0], column[now.target] + ends[1], None]
            line_y += [rows[now.source, c], rows[now.target, s], None]
    colours = [
        palette.truth if best else palette.kept if lacks[i] <= 0 else palette.border
        for i, best in zip(np.repeat(np.arange(n), k), is_best.ravel())
    ]
    arrived = {"color": palette.kept, "width": 2.4}
    traces = [
        points("markers", [None], [None], "all messages have arrived")
        | mark(12 * scale, color=palette.surface, line=arrived),
        points("lines", line_x or [None], line_y or [None], "the max that is taken")
        | stroke(palette.threshold, 2.4 * scale),
        *_letters(problem, values, (x, y), is_best, colours, side, palette, scale),
    ]
    tops = rows[:, 0]
    note = {"xanchor": "left", "font": {"size": 14 * scale, "color": palette.accent}}
    images, notes = [], []
    for i, (at, top) in enumerate(zip(column.tolist(), tops)):
        images.append(letter_image(problem.pixels[i], palette.text, at, top + 0.55, _IMAGE - 0.3))
        text = "<b>root</b>" if i == run.root else ""
        notes.append(note | {"x": at + 0.13, "y": top + 0.5 + _IMAGE / 2, "text": text})
    shapes = _links(problem, column, middle, palette, scale)
    ends = [column.min() - 0.3, column.max() + 0.55], [rows.min() - 0.7, rows.max() + _IMAGE + 0.6]
    axes = {f"{name}axis": BARE | {"range": limits} for name, limits in zip("xy", ends)}
    more = {"images": images, "notes": notes, "shapes": shapes}
    return figure(traces, axes, palette, scale=scale, height=height, left=0.5, top=2.2, **more)


def _letters(problem, values, at, is_best, colours, side, palette, scale):
    """Candidates in their circles, each with its number next to it."""
    symbols = ["diamond" if best else "circle" for best in is_best.ravel()]
    edge = {"width": 2.4 * scale, "color": colours}
    hover = "%{text}: ink %{customdata[0]:.2f}, with messages %{customdata[1]:.2f}<extra></extra>"
    circles = points("markers+text", *at, None, hover)
    circles["text"] = [letter(c) for c in problem.candidates.ravel()]
    circles["textfont"] = {"size": 0.72 * side, "color": palette.text}
    circles["customdata"] = np.stack([problem.unary.ravel(), values.ravel()], axis=1)
    numbers = points("markers+text", *at, text=[f"&nbsp;{v:.1f}" for v in values.ravel()])
    numbers["textfont"] = {"size": min(17 * scale, 0.72 * side), "color": palette.text}
    numbers["textposition"] = "middle right"  # of a circle that is not drawn
    return circles | mark(side, symbols, color=palette.surface, line=edge), numbers | mark(side, opacity=0)


def _links(problem, column, middle, palette, scale):
    """Edges between neighbouring letters: thin dotted lines behind everything."""
    style = {"color": palette.border, "width": 1.5 * scale, "dash": "dot"}
    return [
        {"type": "line", "layer": "below", "line": style}
        | {"x0": int(column[a]), "x1": int(column[b]), "y0": float(middle[a]), "y1": float(middle[b])}
        for a, b in problem.edges
    ]

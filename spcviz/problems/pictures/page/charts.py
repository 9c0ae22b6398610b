"""Charts and sentences of the page Joint beats separate: the picture, its truth and three labellings."""

import numpy as np
from cachetools.func import lru_cache

from spcviz.problems.pictures.shown import PictureReadings
from spcviz.web.figures.formatting import duration
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import png
from spcviz.web.figures.theme import Chart, figure

_BARE = {"visible": False, "fixedrange": True, "constrain": "domain"}
READINGS = ("pixel by pixel", "row by row, exact", "whole grid, approximate")
_GREY = [[0, "#000000"], [1, "#FFFFFF"]]
_WIDE, _TITLE = 1100, 1.9  # a chart's width in pixels on a desktop; lines of text above each picture


def pictures(
    readings: PictureReadings,
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 560,
    mistakes: bool = False,
    n_readings: int = 3,
) -> Chart:
    """All pictures of a `PictureReadings`, as large as they fit; `mistakes` marks wrong pixels.

    Of its three readings the first `n_readings` are drawn.
    """
    is_stereo = len(readings.seen) == 2
    colours = "Cividis" if is_stereo else _GREY
    top = max(readings.n_states - 1, 1)
    views = zip(("left view", "right view"), readings.seen) if is_stereo else ()
    shown = [(title, _picture_trace(image)) for title, image in views]
    truth = "true disparity (bright = near)" if is_stereo else "truth"
    shown.append((truth, _heatmap(readings.truth, colours, top)))
    for name, z, wrong in list(zip(READINGS, readings.readings, readings.errors))[:n_readings]:
        shown.append((f"{name}: {100 * wrong:.1f} % wrong", _heatmap(z, colours, top)))
    rows, columns = readings.truth.shape
    across, size = _across(len(shown), rows, columns, height, scale)
    down = -(-len(shown) // across)
    height = min(height, down * (1.06 * size * rows + _TITLE * 14 * scale))  # no empty space below
    gap = _TITLE * 14 * scale / height
    traces, axes, notes = [], {}, []
    for i, (title, trace) in enumerate(shown):
        number, column, row = "" if i == 0 else str(i + 1), i % across, i // across
        x = [column / across + 0.008, (column + 1) / across - 0.008]
        y = [1 - (row + 1) / down, 1 - row / down - gap]
        axes[f"xaxis{number}"] = _BARE | {"domain": x, "anchor": f"y{number}", "range": [-0.5, columns - 0.5]}
        axes[f"yaxis{number}"] = _BARE | {"domain": y, "anchor": f"x{number}", "range": [rows - 0.5, -0.5]}
        axes[f"yaxis{number}"] |= {"scaleanchor": f"x{number}", "constraintoward": "top"}
        on = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces.append(trace | on | {"name": title})
        if mistakes and i >= len(shown) - n_readings:
            wrong = np.abs(readings.readings[i - len(shown) + n_readings] - readings.truth) > readings.slack
            traces.append(_overlay(wrong, palette.lost) | on)
        at = {"x": sum(x) / 2, "xref": "paper", "xanchor": "center", "yref": "paper"}
        notes.append(at | {"y": y[1] + 0.004, "yanchor": "bottom", "text": f"<b>{title}</b>"})
    edge = {"l": 4, "r": 4, "t": 4, "b": 4}
    return figure(traces, axes, palette, notes=notes, scale=scale, height=height, margin=edge)


def _across(count, rows, columns, height, scale):
    """(number of pictures side by side, screen pixels per picture pixel) that draws them largest."""
    wide = _WIDE * scale

    def size(across):
        down = -(-count // across)
        return min(wide / across / columns, (height / down - _TITLE * 14 * scale) / rows)

    best = max((n for n in range(1, count + 1) if count % n == 0), key=size)
    return best, size(best)


def _picture_trace(image):
    if image.ndim == 2:
        return _heatmap(image, _GREY, 1)
    bytes_of = (255 * image).round().astype(np.uint8)
    return {"type": "image", "source": _address(bytes_of.tobytes(), bytes_of.shape), "hoverinfo": "skip"}


@lru_cache(maxsize=48)
def _address(pixels, shape):
    """A photograph as a data URL: the same on every run of the page."""
    return png(np.frombuffer(pixels, np.uint8).reshape(shape))


def _heatmap(z, colours, top):
    z = z.astype(np.uint8 if np.issubdtype(z.dtype, np.integer) else np.float32)
    hover = {"hovertemplate": "row %{y}, column %{x}: %{z:.3~g}<extra></extra>", "hoverongaps": False}
    look = {"colorscale": colours, "showscale": False, "zmin": 0, "zmax": top}
    return {"type": "heatmap", "z": z} | look | hover


def _overlay(wrong, colour):
    style = {"colorscale": [[0, "rgba(0,0,0,0)"], [1, colour]], "showscale": False, "hoverinfo": "skip"}
    return {"type": "heatmap", "z": wrong.astype(np.uint8), "opacity": 0.85, "zmin": 0, "zmax": 1} | style


INTRODUCTION = (
    "# Joint beats separate: why pixels should ask their neighbours\n"
    "A pixel by itself is easily fooled. Let each **row** agree with itself, and dynamic programming still "
    "finds the very best row; let the **whole grid** agree, and the best is out of reach, but a good "
    "approximation beats both."
)
HELP = {
    "noise": "Share of the right view's pixels drawn anew, or of the picture's changed to another shade.",
    "smooth": "λ: how much neighbouring pixels want to be alike. At 0 all three readings are the same.",
    "seed": "Draws other noise; the seed is in the address.",
}
NAMES = {"dots": "Random dots", "motorcycle": "Motorcycle", "cones": "Cones", "adirondack": "Adirondack"}
ORIGINS = {
    "dots": "Random dots rendered here, with exact truth.",
    "motorcycle": "Photographs, measured disparity: Middlebury 2014, Scharstein et al., shrunk to a quarter.",
    "cones": "Photographs, measured disparity: Middlebury 2003, Scharstein and Szeliski, shrunk to a third.",
    "adirondack": "Photographs, measured disparity: Middlebury 2014, Scharstein et al., shrunk to a quarter.",
    "horse": "A silhouette that comes with scikit-image, in black and white.",
    "astronaut": "Eileen Collins, NASA, as it comes with scikit-image, in eight greys.",
    "word": "A handwritten word of the data. Its strokes are one pixel thin, so smoothness also eats ink.",
}


def missing(pair):
    """Message that the stereo pair a link requests is not available here."""
    return (
        f"This link asks for the stereo pair {NAMES[pair]}, whose photographs are not here: `python -m "
        "spcviz data get stereo` brings them. Shown instead: random dots."
    )


def compare_readings(readings):
    """The three readings in a sentence: the order is read off the numbers."""
    one, rows, grid = (f"**{100 * e:.1f} %**" for e in readings.errors)
    off = "more than one pixel off" if readings.slack else "wrong"
    begin = f"Each pixel by itself: {one} {off}. Each row solved exactly: {rows}. "
    a, b, c = readings.errors
    if c < b < a:
        verdict = " Every neighbour that is asked helps; rows do not know of each other, hence the streaks."
    elif c < b == a:
        verdict = " Rows alone change nothing; the grid helps."
    elif max(readings.errors) - min(readings.errors) < 5e-4:
        verdict = " No difference here: try more noise or more smoothness."
    elif b < c:
        verdict = " Here exact rows beat the approximate grid: loops cost the guarantee."
    else:
        verdict = " Here smoothness does harm: neighbours really differ."
    return f"{begin}The whole grid, approximately: {grid}.{verdict} (Measured against the known truth.)"


WAITS = "What rows and the whole grid make of it stays hidden until you have guessed."


def facts(readings):
    """Errors and size for the sentences of a tour, by name."""
    one, rows, grid = (f"{100 * error:.1f} %" for error in readings.errors)
    height, width = readings.truth.shape
    size = {"height": str(height), "width": str(width), "states": str(readings.n_states)}
    return {"one": one, "rows": rows, "grid": grid, "weight": f"{readings.weight:g}"} | size


def values(readings):
    """Errors in percent, rounded as they are shown, for the checks of tasks."""
    return dict(
        zip(("one", "rows", "grid"), (round(100 * error, 1) for error in readings.errors), strict=True)
    )


def table(readings):
    """The three readings as a table."""
    unit = "mean distance, pixels" if len(readings.seen) == 2 else "mean distance, shades"
    rows = "\n".join(
        f"| {name} | {100 * wrong:.1f} % | {off:.2f} | {duration(seconds)} |"
        for name, wrong, off, seconds in zip(READINGS, readings.errors, readings.mean_off, readings.seconds)
    )
    return f"| measured | wrong | {unit} | time |\n|---|---|---|---|\n{rows}"


def origin(readings):
    """The picture's origin, and what the numbers measure."""
    rows, columns = readings.truth.shape
    share = f"at {100 * readings.settled:.0f} % of the pixels"
    settled = f"settled {'everywhere' if readings.settled == 1 else share}"
    slack = " Wrong: more than one (shrunken) pixel off, where the truth is known." if readings.slack else ""
    belief = f"{readings.n_iterations} iterations, {settled}"
    return (
        f"{ORIGINS.get(readings.name, '')} {rows} × {columns} pixels of {readings.n_states} states each: "
        f"{readings.n_states} to the power {rows * columns:,} pictures. Smoothness λ = {readings.weight:g}. "
        f"The grid is read by max-product belief propagation, {belief}.{slack}"
    )

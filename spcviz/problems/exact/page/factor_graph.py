"""A decomposition of four letters as a factor graph: circles are letters, squares are tables."""

from collections.abc import Sequence

import numpy as np

from spcviz.problems.exact.page.charts import BARE
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.pixels import letter_image
from spcviz.web.figures.theme import Chart, figure
from spcviz.web.figures.traces import mark, points, stroke

PLACES = {  # sets of letters that a table can score together, and where its square stands
    "1": (0.74, 0.62), "2": (1.74, 0.62), "3": (2.74, 0.62), "4": (3.74, 0.62),
    "12": (1.5, 0.0), "23": (2.5, 0.0), "34": (3.5, 0.0),
    "13": (2.0, 1.0), "24": (3.0, 1.0), "14": (2.5, 1.75),
    "123": (2.0, -1.0), "234": (3.0, -1.0), "124": (1.5, -1.75), "134": (3.5, -1.75), "1234": (2.5, -2.4),
}  # fmt: skip


def factor_graph(
    sets: Sequence[str], pixels: np.ndarray, palette: Palette, *, scale: float = 1.0, height: float = 520
) -> Chart:
    """Circles, squares and the edges between them; unused squares are faint and can be clicked too."""
    x, y, colours = [], [], palette.kept
    for name in sets:
        for digit in name:
            x += [PLACES[name][0], int(digit), None]
            y += [PLACES[name][1], 0.0, None]
    opaque = {key: {"marker": {"opacity": 1}} for key in ("selected", "unselected")}
    circle = mark(62 * scale, color=palette.surface, line={"color": palette.text, "width": 2})
    traces = [
        points("lines", x or [None], y or [None]) | stroke(palette.kept, 2.2 * scale),
        points("markers", [1, 2, 3, 4], [0.0] * 4, "a letter: 26 states", "letter %{x}<extra></extra>")
        | (circle | opaque),
    ]
    for is_used, name, ground, edge in (
        (False, "not used (click to add)", palette.background, palette.border),
        (True, "a table (click to remove)", colours, colours),
    ):
        here = [s for s in PLACES if (s in sets) == is_used]
        at = [PLACES[s][0] for s in here] or [None], [PLACES[s][1] for s in here] or [None]
        squares = points("markers+text", *at, name, "%{hovertext}<extra></extra>", text=here)
        squares["customdata"] = [[s] for s in here]
        squares["hovertext"] = [f"letters {', '.join(s)} together: {26 ** len(s):,} numbers" for s in here]
        inside = palette.background if is_used else palette.muted
        squares["textfont"] = {"size": 13 * scale, "color": inside}
        sizes = [(30 + 5 * max(len(s) - 2, 0)) * scale for s in here] or 30
        border = {"color": edge, "width": 2 if is_used else 1.5}
        traces.append(squares | opaque | mark(sizes, "square", color=ground, line=border, opacity=1))
    images = [
        letter_image(np.asarray(pixels[i]), palette.text, i + 1, -0.21, 0.42) | {"layer": "above"}
        for i in range(len(pixels))
    ]
    axes = {"xaxis": BARE | {"range": [0.4, 4.6]}, "yaxis": BARE | {"range": [-2.95, 2.15]}}
    more = {"images": images, "clickmode": "event+select"}
    return figure(traces, axes, palette, scale=scale, height=height, left=0.5, top=2.2, **more)

"""Line charts as SVG, for documents that are read without the app."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 70, 20, 34, 48
COLOURS = ("#8A5A00", "#005F73", "#9B2226", "#5F5F5F")
DASHES = ("7 4", "", "2 3", "9 3 2 3")


class Line(NamedTuple):
    """One line of a chart."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def chart(title: str, lines: Sequence[Line], x_title: str, y_title: str, *, log_y: bool = False) -> str:
    """The text of an SVG file; lines differ by colour and by dashes."""
    xs = np.concatenate([np.asarray(line.x, dtype=float) for line in lines])
    ys = np.concatenate([np.asarray(line.y, dtype=float) for line in lines])
    good = np.isfinite(xs) & np.isfinite(ys) & ((ys > 0) | (not log_y))
    low_x, high_x = float(xs[good].min()), float(xs[good].max())
    scale = np.log10 if log_y else np.asarray
    low_y, high_y = float(scale(ys[good]).min()), float(scale(ys[good]).max())
    low_y, high_y = (np.floor(low_y), np.ceil(high_y)) if log_y else (min(low_y, 0.0), high_y)

    def at(x: float, y: float) -> str:
        right = LEFT + (x - low_x) / max(high_x - low_x, 1e-12) * (WIDTH - LEFT - RIGHT)
        down = (
            HEIGHT - BOTTOM - (float(scale(y)) - low_y) / max(high_y - low_y, 1e-12) * (HEIGHT - TOP - BOTTOM)
        )
        return f"{right:.1f},{down:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="13"><title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>',
    ]
    ticks = 10.0 ** np.arange(low_y, high_y + 1) if log_y else np.linspace(low_y, high_y, 5)
    for tick in ticks:
        a, b = at(low_x, tick), at(high_x, tick)
        x, y = a.split(",")
        out.append(f'<polyline points="{a} {b}" stroke="#DDDDDD" fill="none"/>')
        out.append(f'<text x="{float(x) - 6:.0f}" y="{float(y) + 4:.0f}" text-anchor="end">{tick:g}</text>')
    for tick in np.linspace(low_x, high_x, 6):
        x = at(tick, ticks[0]).split(",")[0]
        out.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:.3g}</text>')
    for i, line in enumerate(lines):
        points = " ".join(at(x, y) for x, y in zip(line.x, line.y, strict=True) if np.isfinite(y))
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        style = f'stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}" fill="none"'
        out.append(f'<polyline points="{points}" {style}/>')
        y = TOP + 16 * (i + 1)
        out.append(f'<polyline points="{WIDTH - 210},{y - 4} {WIDTH - 178},{y - 4}" {style}/>')
        out.append(f'<text x="{WIDTH - 172}" y="{y}">{escape(line.name)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_title)}</text>')
    turned = f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'
    out.append(f'<text x="16" y="{HEIGHT / 2:.0f}" text-anchor="middle" {turned}>{escape(y_title)}</text>')
    return "\n".join([*out, "</svg>", ""])

"""Chart of one grid, four times side by side: the truth, one comb, all combs, belief propagation.

The first picture shows the state that most labellings drawn from the grid have; the others the state that a
method ranks first, crossed out where it differs.
"""

import base64
from html import escape
from typing import NamedTuple

import numpy as np

from spcviz.problems.grids.page.maps import comb_name
from spcviz.problems.grids.shown import GridBeliefs, LiveGrid
from spcviz.web.figures.palette import Palette

ROLES = ("kept", "threshold", "truth", "map", "lost", "pruned", "text", "muted")
CELL, PITCH = 40, 54  # side of a cell, from one cell to the next
STYLE = """<style>
.grids-beside {display: grid; gap: 0.9rem 1.4rem}
.grids-beside {grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr))}
.grids-beside figure {margin: 0; display: flex; flex-direction: column; align-items: center; min-width: 0}
.grids-beside img {width: 100%; max-width: 40vh; max-height: 40vh; object-fit: contain}
.grids-beside figcaption {text-align: center; line-height: 1.25}
.grids-beside strong {font-size: 1.15rem}
</style>"""


class Panel(NamedTuple):
    """One picture of the grid: N cells row by row, E edges."""

    name: str  # "truth", "comb", "ensemble" or "lbp"
    title: str
    states: np.ndarray  # (N,): the state shown at each cell, from 0
    wrong: np.ndarray  # (N,) bool: where that is not the truth's
    edges: np.ndarray  # (E,) bool: the edges that the method uses

    @property
    def n_wrong(self) -> int:
        """How many cells are wrong."""
        return int(self.wrong.sum())


def panels(live: LiveGrid, beliefs: GridBeliefs, comb: int) -> tuple[Panel, Panel, Panel, Panel]:
    """The truth, one comb, the sum of all combs and belief propagation, each with its first states."""
    truth = live.frequencies.argmax(axis=1)
    every = np.ones(len(live.edges), dtype=bool)
    title = f"One comb ({comb_name(live, comb)})"
    shown = (
        ("truth", "Truth", live.frequencies, every),
        ("comb", title, live.combs[comb], live.membership[comb]),
        ("ensemble", f"All {len(live.combs)} combs", live.summed, every),
        ("lbp", "Belief propagation", beliefs.beliefs, every),
    )
    first = [table.argmax(axis=1) for _, _, table, _ in shown]
    return tuple(
        Panel(name, title, states, states != truth, edges)
        for (name, title, _, edges), states in zip(shown, first)
    )


def wrong_of_combs(live: LiveGrid) -> np.ndarray:
    """Number of cells that each comb alone gets wrong: (P,)."""
    return (live.combs.argmax(axis=2) != live.frequencies.argmax(axis=1)).sum(axis=1)


def side_by_side(live: LiveGrid, shown: tuple[Panel, ...], palette: Palette) -> str:
    """The pictures as a row of HTML that wraps where space is narrow."""
    return f'{STYLE}<div class="grids-beside">{"".join(_figure(live, one, palette) for one in shown)}</div>'


def _figure(live, panel, palette):
    code = base64.b64encode(picture(live, panel, palette).encode()).decode("ascii")
    count, n = f"{panel.n_wrong} of {len(panel.states)} wrong", len(panel.states)
    note = f"most frequent of {live.n_samples} samples" if panel.name == "truth" else count
    colour = palette.muted if panel.name == "truth" else palette.lost if panel.n_wrong else palette.truth
    mark = "" if panel.name == "truth" else "✖ " if panel.n_wrong else "✔ "
    alt = f"{panel.title}: {n} cells, {note}"
    return (
        f"<figure><figcaption><strong>{escape(panel.title)}</strong></figcaption>"
        f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{code}">'
        f'<figcaption style="color: {colour}">{mark}{escape(note)}</figcaption></figure>'
    )


def picture(live: LiveGrid, panel: Panel, palette: Palette) -> str:
    """One panel as SVG: edges, cells with the number of their state, a cross on each that is wrong."""
    wide, tall = live.columns * PITCH, live.rows * PITCH
    of = np.arange(len(panel.states))
    x, y = (of % live.columns + 0.5) * PITCH, (of // live.columns + 0.5) * PITCH
    parts = [
        f'<line class="edge" x1="{x[a]:g}" y1="{y[a]:g}" x2="{x[b]:g}" y2="{y[b]:g}" '
        f'stroke="{palette.muted}" stroke-width="4"/>'
        for (a, b), is_in in zip(live.edges, panel.edges)
        if is_in
    ]
    parts += [_cell(x[i], y[i], panel.states[i], panel.wrong[i], palette) for i in of]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" height="{tall}" '
        f'font-family="sans-serif" font-size="22" text-anchor="middle">{"".join(parts)}</svg>'
    )


def _cell(x, y, state, is_wrong, palette):
    """A cell: the colour and number of its state; the cross is drawn twice, so that it stands out."""
    half, colour = CELL / 2, getattr(palette, ROLES[state % len(ROLES)])
    corner = f'x="{x - half:g}" y="{y - half:g}" width="{CELL}" height="{CELL}" rx="6"'
    cell = (
        f'<rect {corner} fill="{palette.background}"/>'
        f'<rect {corner} fill="{colour}" fill-opacity="0.42" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x:g}" y="{y + 8:g}" fill="{palette.text}">{state + 1}</text>'
    )
    if not is_wrong:
        return cell
    a, b, c, d = x - half - 2, y - half - 2, x + half + 2, y + half + 2
    cross = f"M{a:g} {b:g}L{c:g} {d:g}M{a:g} {d:g}L{c:g} {b:g}"
    return cell + "".join(
        f'<path class="{name}" d="{cross}" stroke="{stroke}" stroke-width="{width}" fill="none"/>'
        for name, stroke, width in (("halo", palette.background, 9), ("wrong", palette.lost, 5))
    )

"""Pictures of the Loopy grids page: combs, pruned states, agreement, four labellings side by side.

Of the labellings side by side, the first shows the state that most labellings drawn from the grid have, the
others the state that a method ranks first, crossed out where it differs.
"""

import base64
from html import escape
from typing import NamedTuple

import numpy as np

from spcviz.problems.grids.shown import GridBeliefs, LiveGrid
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

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

_BARE = {"visible": False, "fixedrange": True}
_HALF = 620  # width of the combs' chart in pixels, not projected


def place(live, variable):
    """A variable in words, counted from 1.

    >>> place(2, 3)
    'row 2, column 2'
    """
    columns = getattr(live, "columns", live)
    return f"row {variable // columns + 1}, column {variable % columns + 1}"


def comb_name(live, comb):
    """A comb by its spine, counted from 1.

    >>> comb_name(2, 3)
    'column 2'
    """
    rows = getattr(live, "rows", live)
    return f"row {comb + 1}" if comb < rows else f"column {comb - rows + 1}"


def combs(
    live: LiveGrid, comb: int, variable: int, palette: Palette, *, scale: float = 1.0, height: float = 520
) -> Chart:
    """Combs as small pictures: spine thick, teeth thin, omitted edges dotted; nodes can be clicked."""
    n_combs = len(live.combs)
    wide, tall = live.columns + 1.0, 1.2 * live.rows + 1.2
    across = min(range(1, n_combs + 1), key=lambda a: _waste(a, n_combs, wide, tall))
    down = -(-n_combs // across)
    apart = min(_HALF * scale / (across * wide), (height - 45 * scale) / (down * tall))  # pixels
    node, bone = min(11 * scale, 0.42 * apart), min(5 * scale, 0.3 * apart)
    n, notes, of = live.rows * live.columns, [], np.arange(live.rows * live.columns)
    corners = [((p % across) * wide, -(p // across) * tall) for p in range(n_combs)]
    at = np.stack([of % live.columns, -(of // live.columns)], axis=1) + np.array(corners)[:, None]
    is_level = (np.diff(live.edges, axis=1)[:, 0] == 1) & (live.columns > 1)
    is_in, is_spine = live.membership, is_level == (np.arange(n_combs) < live.rows)[:, None]
    for p, (x0, y0) in enumerate(corners):
        label = comb_name(live, p)
        label = f"<b>▸ {label}</b>" if p == comb else label
        gap = tall - live.rows
        size = {"size": min(15 * scale, wide * apart / 5.2, 0.62 * gap * apart), "color": palette.text}
        notes.append({"x": x0 + (live.columns - 1) / 2, "y": y0 + 0.1 + gap / 2, "text": label, "font": size})
    traces = [
        _edges(at, live.edges, ~is_in, "left out of this comb", palette.border, 1.2 * scale, "dot"),
        _edges(at, live.edges, is_in & ~is_spine, "teeth", palette.kept, max(1.0, 0.44 * bone), "solid"),
        _edges(at, live.edges, is_in & is_spine, "spine", palette.threshold, max(2.0, bone), "solid"),
    ]
    is_here = [v == variable for v in range(n)] * n_combs
    combs_of, places = ([f(live, i) for i in range(count)] for f, count in ((comb_name, n_combs), (place, n)))
    nodes = points("markers", *at.reshape(-1, 2).T, "variables (★ the chosen one)", "%{text}<extra></extra>")
    nodes["customdata"] = [(p, v) for p in range(n_combs) for v in range(n)]
    nodes["text"] = [f"comb {one}: {other}" for one in combs_of for other in places]
    sizes = [max(11, 1.8 * node) if here else max(3, node) for here in is_here]
    symbols = ["star" if here else "circle" for here in is_here]
    colours = [palette.truth if here else palette.text for here in is_here]
    traces.append(nodes | mark(sizes, symbols, color=colours))
    x0, y0 = corners[comb]
    frame = {"type": "rect", "x0": x0 - 0.45, "x1": x0 + live.columns - 0.55, "layer": "below"}
    frame |= {"y0": y0 + 0.4, "y1": y0 - live.rows + 0.6, "line": {"color": palette.accent, "width": 2}}
    axes = {
        "xaxis": _BARE | {"range": [-0.7, across * wide - 0.8]},
        "yaxis": _BARE | {"range": [-(down - 1) * tall - live.rows + 0.3, gap], "scaleanchor": "x"},
    }
    return _clickable(traces, axes, palette, notes, [frame], scale, height)


def _waste(across, count, wide, tall):
    """How badly `count` pictures, `across` in a row, fill a place 1.6 times as wide as tall."""
    down = -(-count // across)
    return abs(np.log(across * wide / (down * tall * 1.6))) + 1.2 * (across * down - count) / count


def _edges(at, edges, chosen, name, colour, width, dash):
    """Some edges of every comb as one trace: `at` (combs, N, 2), `chosen` (combs, edges)."""
    p, e = np.nonzero(chosen)
    ends = np.full((2, len(p), 3), None)
    ends[:, :, :2] = at[p[:, None], edges[e]].transpose(2, 0, 1)
    x, y = ends.reshape(2, -1).tolist()
    return points("lines", x, y, name) | stroke(colour, width, dash)


def falling(live, pruned, variable, palette, *, scale=1.0, height=560):
    """Every state of every variable as a mark: kept, pruned, rescued; the most sampled state ringed."""
    n = live.summed.shape[1]
    across = min(n, 4 if n > 4 else 2)
    down = -(-n // across)
    v, k = np.divmod(np.arange(live.summed.size), n)
    x = v % live.columns + (k % across - (across - 1) / 2) * 0.8 / across
    y = -(v // live.columns) - (k // across - (down - 1) / 2) * 0.72 / max(down, 2)
    keep, rescued = pruned.keep.ravel(), pruned.is_rescued[v]
    is_mode = k == live.frequencies.argmax(axis=1)[v]
    thin = max(0.45, min(1.0, 9 / (across * max(live.rows, live.columns / 2))))
    hover = [
        f"{place(live, i)}, state {s + 1}: sum {live.summed[i, s]:.2f}, "
        f"{100 * live.frequencies[i, s]:.0f} % of samples"
        for i, s in zip(v, k)
    ]
    kinds = (
        ("most sampled state: pruned", is_mode & ~keep, "lost", "circle-open", 19),
        ("most sampled state: kept", is_mode & keep, "truth", "circle-open", 19),
        ("pruned", ~keep, "pruned", "x-thin-open", 8),
        ("kept", keep & ~rescued, "kept", "circle", 10),
        ("rescued (had lost all)", keep & rescued, "threshold", "diamond", 13),
    )
    traces = []
    for name, chosen, role, symbol, size in kinds:
        at = (x[chosen], y[chosen]) if chosen.any() else ([None], [None])
        marks = points("markers", *at, name, f"%{{text}}<extra>{name}</extra>")
        marks["customdata"] = [(-1, int(i)) for i in v[chosen]]
        marks["text"] = [hover[i] for i in np.flatnonzero(chosen)]
        edge = {"color": getattr(palette, role), "width": 2.4 * scale * thin}
        traces.append(marks | mark(size * scale * thin, symbol, color=edge["color"], line=edge))
    return _clickable(traces, *_cells(live, variable, palette), scale, height)


def _cells(live, variable, palette):
    """(axes, palette, notes, shapes) of a map of the grid with the chosen cell framed."""
    shapes = [
        {"type": "rect", "x0": c - 0.47, "x1": c + 0.47, "y0": -r - 0.47, "y1": -r + 0.47, "layer": "below"}
        | {"fillcolor": palette.surface, "line": {"color": palette.border, "width": 1}}
        for r in range(live.rows)
        for c in range(live.columns)
    ]
    shapes[variable]["line"] = {"color": palette.accent, "width": 3}
    axes = {
        "xaxis": _BARE | {"range": [-0.6, live.columns - 0.4]},
        "yaxis": _BARE | {"range": [0.4 - live.rows, 0.6], "scaleanchor": "x"},
    }
    return axes, palette, [], shapes


def agreement(live, variable, palette, *, scale=1.0, height=560):
    """How far the combs agree on the ranking at each variable: a number and a stronger or weaker fill."""
    values = live.agreement
    known = np.nan_to_num(values, nan=0.0)
    of = np.arange(len(values))
    side = 0.8 * min(height / live.rows, 900 / live.columns)
    fill = 0.04 + 0.6 * np.clip(known, 0, 1)
    is_tight = side < 34 * scale  # ".38" instead of "0.38"
    size = float(np.clip((0.45 if is_tight else 0.3) * side, 9, 18 * scale))
    letters = {"size": size, "color": palette.text}
    hover = [f"{place(live, i)}: agreement %{{text}}<extra></extra>" for i in of]
    cells = points("markers+text", of % live.columns, -(of // live.columns), None, hover, textfont=letters)
    cells |= {"customdata": [(-1, int(i)) for i in of], "text": [_short(v, is_tight) for v in values]}
    cells |= mark(0.86 * side, "square", color=palette.kept, opacity=fill, line={"width": 0})
    return _clickable([cells], *_cells(live, variable, palette), scale, height)


def _short(value, is_tight):
    if np.isnan(value):
        return "–"
    return f"{value:.2f}".replace("0.", ".", 1) if is_tight else f"{value:.2f}"


def _clickable(traces, axes, palette, notes, shapes, scale, height):
    edge = round(14 * scale)
    size = {"scale": scale, "height": height, "margin": {"l": edge, "r": edge, "t": 3 * edge, "b": edge}}
    return figure(traces, axes, palette, notes=notes, shapes=shapes, clickmode="event+select", **size)


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
    sign = "" if panel.name == "truth" else "✖ " if panel.n_wrong else "✔ "
    alt = f"{panel.title}: {n} cells, {note}"
    return (
        f"<figure><figcaption><strong>{escape(panel.title)}</strong></figcaption>"
        f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{code}">'
        f'<figcaption style="color: {colour}">{sign}{escape(note)}</figcaption></figure>'
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
        f'<path class="{name}" d="{cross}" stroke="{edge}" stroke-width="{width}" fill="none"/>'
        for name, edge, width in (("halo", palette.background, 9), ("wrong", palette.lost, 5))
    )

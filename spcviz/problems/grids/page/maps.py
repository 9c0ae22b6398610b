"""The Loopy grids page's pictures of grids: the combs, the pruned states, where combs agree."""

import numpy as np

from spcviz.problems.grids.shown import LiveGrid
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, mark, points, stroke

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

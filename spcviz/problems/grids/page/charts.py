"""The Loopy grids page's curves: rankings of one variable, errors over K, messages over iterations."""

import numpy as np

from spcviz.problems.grids.page.maps import comb_name
from spcviz.problems.grids.shown import StrengthSweep
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, line, mark, points, stroke

METHODS = {  # name, role of the palette, mark, dash
    "ensemble": ("sum of all combs (ensemble)", "kept", "circle", "solid"),
    "lbp": ("loopy belief propagation", "threshold", "diamond", "dash"),
    "tree": ("one comb, on average", "pruned", "square", "dot"),
    "samples": ("the samples' own order", "truth", "star", "longdashdot"),
}


def rankings(live, beliefs, comb, variable, palette, *, scale=1.0, height=420):
    """A variable's states by one comb, all combs, belief propagation and samples, worst (0) to best (1)."""
    mean_field = live.combs[comb, variable], live.summed[variable]
    panels = (
        (f"comb {comb_name(live, comb)}", _unit(mean_field[0]), mean_field[0], "pruned", "max-marginal"),
        ("all combs, summed", _unit(mean_field[1]), mean_field[1], "kept", "summed max-marginal"),
        ("LBP's belief", *(2 * [beliefs.beliefs[variable]]), "threshold", "belief"),
        ("share of samples", *(2 * [live.frequencies[variable]]), "truth", "share"),
    )
    n, axes, traces, notes = live.summed.shape[1], {}, [], []
    for i, (title, drawn, values, role, unit) in enumerate(panels):
        number, start, is_above = "" if i == 0 else str(i + 1), 0.52 * (i % 2), i < 2
        domain, title_of = [start, start + 0.48], "" if is_above else "state"
        axes[f"xaxis{number}"] = {"domain": domain, "anchor": f"y{number}", "dtick": 1, "title": title_of}
        axes[f"yaxis{number}"] = {"range": [0, 1.22], "anchor": f"x{number}", "showticklabels": False}
        axes[f"yaxis{number}"] |= {"ticks": "", "domain": [0.59, 1] if is_above else [0, 0.41]}
        top = int(np.argmax(values))
        bars = {"type": "bar", "x": list(range(1, n + 1)), "y": np.maximum(drawn, 0.012)}
        bars |= {"text": ["①" * (k == top) for k in range(n)], "textposition": "outside", "showlegend": False}
        hover = f"state %{{x}}: {unit} %{{customdata:.3f}}<extra>{title}</extra>"
        bars |= {"customdata": values, "hovertemplate": hover, "marker": {"color": getattr(palette, role)}}
        traces.append(bars | {"xaxis": f"x{number}", "yaxis": f"y{number}"})
        at = {"x": 0.5, "xref": f"x{number} domain", "yanchor": "bottom"}
        notes.append(at | {"y": 1, "yref": f"y{number} domain", "text": f"<b>{title}</b>"})
    return figure(traces, axes, palette, notes=notes, scale=scale, height=height, left=1, top=2)


def _unit(values):
    spread = np.ptp(values)
    return (values - values.min()) / spread if spread > 0 else np.ones_like(values)


def errors(live, beliefs, palette, *, scale=1.0, height=430):
    """Error against the number of states kept, for this one grid."""
    curves = {
        "ensemble": live.error,
        "lbp": beliefs.error,
        "tree": live.error_combs.mean(axis=0),
        "samples": live.error_samples,
    }
    return _error_chart(curves, live.error_combs, {}, palette, scale, height)


def strengths(
    sweep: StrengthSweep,
    k: int,
    strength: float,
    palette: Palette,
    *,
    scale: float = 1.0,
    height: float = 430,
) -> Chart:
    """Error at k by coupling, the chosen one marked; below, the share of variables where LBP converges."""
    traces, x = [], sweep.strengths
    for method, (name, *_) in METHODS.items():
        hover = f"ω = %{{x}}: %{{y:.1f}} % of true states lost<extra>{name}</extra>"
        curve = points("lines+markers", x, 100 * getattr(sweep, method)[:, k - 1], name, hover)
        traces.append(curve | _look(method, palette, scale))
    hover = "ω = %{x}: %{y:.0f} % of variables settled<extra></extra>"
    settled = points("lines+markers", x, 100 * sweep.settled, "variables at which LBP settles", hover)
    traces.append(settled | stroke(palette.map, 2.2 * scale) | mark(8 * scale, "x") | {"yaxis": "y2"})
    axes = {
        "xaxis": {"title": "coupling strength ω", "anchor": "y2"},
        "yaxis": {"title": f"true states lost at K = {k}, %", "domain": [0.4, 1], "rangemode": "tozero"},
        "yaxis2": {"title": "settled, %", "domain": [0, 0.3], "range": [-4, 104], "dtick": 50},
    }
    chosen = [line(palette.accent, 1.5 * scale, x=strength, yref=y, dash="dot") for y in ("y", "y2")]
    return figure(traces, axes, palette, shapes=chosen, scale=scale, height=height, left=4.6, top=4.6)


def thesis(result: dict, palette, *, scale=1.0, height=430):
    """Fig. 5.3 as reproduced: the same axes, means over instances with standard errors."""
    rows = [*result["rows"], *(r for r in result.get("baselines", ()) if r["method"] == "samples")]
    curves, bars, each = {}, {}, {}
    for row in sorted(rows, key=lambda r: r["k"]):
        curves.setdefault(row["method"], []).append(row["error"])
        bars.setdefault(row["method"], []).append(100 * row["stderr"])
    for row in sorted(result.get("trees", ()), key=lambda r: r["k"]):
        each.setdefault(row["tree"], []).append(row["error"])
    return _error_chart(curves, list(each.values()), bars, palette, scale, height)


def _error_chart(curves, each, bars, palette, scale, height):
    traces = []
    for i, errors_of in enumerate(each):
        k = list(range(1, len(errors_of) + 1))
        comb = points("lines", k, 100 * np.array(errors_of), "each comb by itself", opacity=0.5)
        comb |= {"legendgroup": "each", "showlegend": i == 0}
        traces.append(comb | stroke(palette.pruned, 0.7 * scale))
    for method, values in curves.items():
        if method not in METHODS:
            continue
        name, role, *_ = METHODS[method]
        hover = f"top %{{x}} kept: %{{y:.1f}} % of true states lost<extra>{name}</extra>"
        x, y = list(range(1, len(values) + 1)), 100 * np.asarray(values)
        traces.append(points("lines+markers", x, y, name, hover) | _look(method, palette, scale))
        if method in bars:
            bar = {"type": "data", "array": bars[method], "color": getattr(palette, role), "width": 3}
            traces[-1]["error_y"] = bar
    axes = {
        "xaxis": {"title": "K: states kept at every variable", "dtick": 1},
        "yaxis": {"title": "true states lost, %", "rangemode": "tozero"},
    }
    return figure(traces, axes, palette, scale=scale, height=height, left=4.6, top=4.6)


def _look(method, palette, scale):
    _, role, symbol, dash = METHODS[method]
    return stroke(getattr(palette, role), 2.6 * scale, dash) | mark(9 * scale, symbol)


def messages(beliefs, variable, palette, *, scale=1.0, height=520):
    """Belief in every state of a variable, above, and how much its messages change, below, by iteration."""
    trace, residual = beliefs.trace[:, variable], beliefs.residual
    roles, marks = ("kept", "threshold", "truth", "map", "lost", "pruned", "accent", "text"), (
        "circle", "diamond", "square", "cross", "x", "star", "triangle-up", "hexagon",
    )  # fmt: skip
    x, traces = list(range(len(trace))), []
    for k in range(trace.shape[1]):
        hover = f"iteration %{{x}}: belief in state {k + 1} is %{{y:.3f}}<extra></extra>"
        look = stroke(getattr(palette, roles[k % 8]), 2 * scale) | mark(6.5 * scale, marks[k % 8])
        traces.append(points("lines+markers", x, trace[:, k], f"state {k + 1}", hover) | look)
    for name, values, colour, dash in (
        ("change of messages: this variable", residual[:, variable], palette.accent, "solid"),
        ("largest of all variables", residual.max(axis=1), palette.muted, "dash"),
    ):
        x, hover = list(range(1, len(values) + 1)), f"iteration %{{x}}: %{{y:.2g}}<extra>{name}</extra>"
        change = points("lines", x, np.maximum(values, 1e-12), name, hover, yaxis="y2")
        traces.append(change | stroke(colour, 2.2 * scale, dash))
    axes = {
        "xaxis": {"title": "iteration", "anchor": "y2"},
        "yaxis": {"title": "belief", "domain": [0.42, 1], "range": [-0.03, 1.03]},
        "yaxis2": {"title": "change", "domain": [0, 0.33], "type": "log", "range": [-8, 0.6], "dtick": 2}
        | {"exponentformat": "power"},
    }
    settled = [line(palette.truth, 1.5 * scale, y=1e-6, yref="y2", dash="longdash")]
    note = {"x": 0, "xref": "x domain", "xanchor": "left", "y": -6, "yref": "y2", "yanchor": "bottom"}
    note |= {"text": "&nbsp;settled below this line"}
    return figure(
        traces, axes, palette, notes=[note], shapes=settled, scale=scale, height=height, left=5, top=5.6
    )

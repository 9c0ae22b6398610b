"""Charts of the Sweep page: losses over alpha, filters and rules compared, bounds term by term."""

from collections.abc import Mapping, Sequence

import numpy as np

from spcviz.problems.letters.page.sweep_text import at_loss
from spcviz.problems.letters.paper.tables import legend
from spcviz.problems.letters.shown import SweepBound, SweepChoice, SweepLevel, SweepRules
from spcviz.web.figures.filter_curves import GRAMS, grams, split_name
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import DASHES, Chart, figure, line, mark, points, stroke

_LEAST = 1e-4


def loss_curves(
    level: SweepLevel,
    choice: SweepChoice,
    palette: Palette,
    *,
    pins: Mapping[str, float] = (),
    is_zoomed: bool = True,
    scale: float = 1.0,
    height: float = 520,
    names: Mapping[int, str] = GRAMS,
    examples: str = "words",
    splits: Sequence[str] = ("dev", "test"),
) -> Chart:
    """Words that lose their truth, above, and n-grams kept, below, over alpha; `choice` and `pins` marked."""
    traces = []
    for split in splits:
        curves = getattr(level, split)
        for panel, name, curve, colour in (
            ("y", "truth below the threshold (Definition 1)", curves.by_definition, palette.threshold),
            ("y", "truth really lost", curves.event, palette.lost),
            ("y2", f"{grams(level.level, names)} kept", curves.efficiency, palette.kept),
        ):
            traces.append(_step(curve, name, colour, split, scale, panel, examples))
            if curve is curves.by_definition:  # wider, to be seen where the event's covers it
                traces[-1]["line"]["width"] *= 1.7
    traces.append(legend(f"dotted: {split_name('dev', examples)}", palette.muted, 2.2 * scale, DASHES["dev"]))
    notes, shapes = _marks(level, choice, palette, scale)
    for name, alpha in dict(pins).items():
        dotted = {"x": alpha, "dash": "dot"}
        shapes += [line(palette.text, 2 * scale, xref=f"x{n}", yref=f"y{n}", **dotted) for n in ("", "2")]
        at = {"x": alpha, "xref": "x2", "y": 0.02, "yref": "y2 domain", "yanchor": "bottom"}
        look = {"bgcolor": palette.background, "font": {"size": 16 * scale}}
        notes.append(at | look | {"text": f"<b>{name}</b>"})
    begin = 1.02 * min(0.0, choice.alpha, level.tuned_alpha) - 0.005
    x = {"range": [begin, 1.005], "showspikes": True, "spikethickness": 1, "spikecolor": palette.muted}
    title = "gentle  ←  threshold setting α, from the mean (0) to the best (1)  →  severe"
    axes = {
        "xaxis": x | {"anchor": "y", "matches": "x2", "showticklabels": False},
        "xaxis2": x | {"anchor": "y2", "title": title},
        "yaxis": {"title": f"{examples} that lose<br>their truth, %", "domain": [0.45, 1], "anchor": "x"}
        | {"range": [0, _top(choice) if is_zoomed else 105 * _worst(level)]},
        "yaxis2": {"title": f"{grams(level.level, names)}<br>kept, %", "domain": [0, 0.39], "anchor": "x2"}
        | {"range": [0, 100]},
    }
    size = {"scale": scale, "height": height, "left": 5.5, "top": 4.6}
    return figure(traces, axes, palette, notes=notes, shapes=shapes, clickmode="event+select", **size)


def _top(choice):
    """Where the zoomed axis of losses ends, percent."""
    losses = [loss for at in (choice.dev, choice.test) for loss in (at.by_definition, at.event)]
    return min(100.0, max(2.0, 160 * max(losses), 400 * choice.tolerance))


def _worst(level):
    """The largest loss at any alpha."""
    curves = (getattr(at, name) for at in (level.dev, level.test) for name in ("by_definition", "event"))
    return max(0.01, *(curve.value[-1] for curve in curves))


def _step(curve, name, colour, split, scale, panel, examples):
    mode = "lines+markers" if split == "test" else "lines"
    x, y = np.append(curve.alpha, 1.0), 100 * np.append(curve.value, curve.value[-1])
    hover = f"α from %{{x:.4f}} on: %{{y:.2f}} %<extra>{name}, {split_name(split, examples)}</extra>"
    where = {"xaxis": panel.replace("y", "x"), "yaxis": panel, "legendgroup": name}
    where |= {"showlegend": split == "test"} | stroke(colour, 2.2 * scale, DASHES[split], shape="hv")
    where["marker"] = {"size": (5.5 if panel == "y" else 2) * scale, "color": colour}
    chosen = {"selected": {"marker": {"color": colour, "size": 9 * scale}}}
    return points(mode, x, y, name, hover, unselected={"marker": {"opacity": 1}}, **chosen, **where)


def _marks(level, choice, palette, scale):
    """(notes, lines): the chosen alpha, training's alpha if it is another, the tolerance."""
    alpha, allowed = choice.alpha, 100 * choice.tolerance
    accent, muted = ({"color": color, "size": 14 * scale} for color in (palette.accent, palette.muted))
    notes, shapes = [], []
    panels = (("x", "y", f"α = {alpha:.3f}"), ("x2", "y2", f"{100 * choice.test.efficiency:.1f} % kept"))
    for x, y, text in panels:
        shapes.append(line(palette.accent, 2.5 * scale, x=alpha, xref=x, yref=y))
        at = {"x": alpha, "xref": x, "y": 1, "yref": f"{y} domain", "yanchor": "top"}
        side = {"xanchor": "right" if alpha > 0.5 else "left", "bgcolor": palette.background}
        notes.append(at | side | {"text": f"&nbsp;<b>{text}</b>&nbsp;", "font": accent})
    if abs(level.tuned_alpha - alpha) > 5e-4:
        tuned = level.tuned_alpha
        for x, y, _ in panels:
            shapes.append(line(palette.muted, 1.5 * scale, x=tuned, xref=x, yref=y, dash="dash"))
        at = {"x": tuned, "xref": "x2", "y": 0.72, "yref": "y2 domain", "font": muted}
        side = "left" if tuned <= min(alpha, 0.7) or alpha < tuned <= 0.7 else "right"
        notes.append(at | {"xanchor": side, "text": f"&nbsp;training's α = {tuned:.3f}&nbsp;"})
    shapes.append(line(palette.text, 1.5 * scale, y=allowed, dash="longdash"))
    at = {"x": 1, "xref": "x domain", "xanchor": "right", "y": allowed, "yref": "y", "yanchor": "bottom"}
    notes.append(at | {"text": f"allowed: {allowed:.3g} %"})
    return notes, shapes


def bound_terms(bound: SweepBound, palette: Palette, *, scale: float = 1.0, height: float = 400) -> Chart:
    """Each term of Theorem 1 on a logarithmic axis, for both losses, against 1."""
    labels = (
        "<b>the bound</b>: sum of the three",
        "3. luck of the draw",
        "2. room for every possible filter",
        "1. measured with a margin",
        "measured, no margin",
    )
    traces = []
    for name, terms, *look in (
        ("words that lose their truth", bound.filter_loss, 18, "circle-open", 3, palette.lost),
        ("n-grams kept", bound.efficiency_loss, 9, "diamond", 0, palette.kept),
    ):
        values = np.array([terms.total, terms.confidence, terms.complexity, terms.empirical, terms.measured])
        traces.append(terms_trace(name, values, _LEAST, labels, look, scale, name))
    top = max(bound.filter_loss.total, bound.efficiency_loss.total, 10.0)
    grey = {"type": "rect", "x0": 1, "x1": 10 * top, "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 0}}
    shapes = [
        grey | {"fillcolor": palette.pruned, "opacity": 0.16, "layer": "below"},
        line(palette.text, 2 * scale, x=1),
    ]
    note = {"x": 0, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}  # x of a log axis: 1
    note["text"] = "&nbsp;1: no loss can be larger, so a bound in the grey says nothing"
    low, high = np.log10(_LEAST) - 0.2, np.log10(top) + 0.7
    axes = {
        "xaxis": {"type": "log", "range": [low, high], "dtick": 1, "exponentformat": "power"},
        "yaxis": {"type": "category", "categoryarray": labels, "range": [-0.6, 4.6]},
    }
    size = {"scale": scale, "height": min(height, 400 * scale), "left": 17, "top": 4.6}
    return figure(traces, axes, palette, notes=[note], shapes=shapes, **size)


def terms_trace(name, values, least, labels, look, scale, theorem):
    """Terms of a bound as marks; `look` is their size, symbol, the width of their edge and colour."""
    size, symbol, edge, color = look
    hover, fields = f"%{{customdata:.4g}}<extra>{theorem}</extra>", {"customdata": values}
    fields |= mark(size * scale, symbol, color=color, line={"width": edge * scale})
    return points("markers", np.maximum(values, least), labels, name, hover, **fields)


NAMES_OF_RULES = {"mean_max": "mean and best (thesis)", "margin": "a margin below the best"}
_RULE_STYLES = {"mean_max": ("threshold", "diamond", "dash"), "margin": ("kept", "circle", "solid")}


def rule_curves(
    both: SweepRules, tolerance: float, palette: Palette, *, scale: float = 1.0, height: float = 480
) -> Chart:
    """Both rules' curves, and the loss at which they are compared; n-grams on a logarithmic axis."""
    traces, notes = [], []
    for rule in ("mean_max", "margin"):
        curve, (role, symbol, dash) = getattr(both, rule), _RULE_STYLES[rule]
        colour = getattr(palette, role)
        hover = f"%{{x:.2f}} % of words lost: %{{y:.4g}} left a place<extra>{NAMES_OF_RULES[rule]}</extra>"
        look = stroke(colour, 2.4 * scale, dash, shape="hv") | mark(5 * scale, symbol, color=colour)
        traces.append(
            points("lines+markers", 100 * curve.lost, curve.kept, NAMES_OF_RULES[rule], hover, **look)
        )
        here = mark(14 * scale, symbol, color=palette.accent)
        traces.append(points("markers", [100 * tolerance], [at_loss(curve, tolerance)], **here))
    shapes = [line(palette.text, 1.5 * scale, x=100 * tolerance, dash="longdash")]
    at = {"x": 100 * tolerance, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "top"}
    notes.append(at | {"text": f"&nbsp;lost in common: {100 * tolerance:.3g} %"})
    axes = {
        "xaxis": {"title": "test words that lose their truth, %", "range": [0, max(5.0, 200 * tolerance)]},
        "yaxis": {"title": f"{grams(both.level)} left a place<br>(fewer is faster)", "type": "log"},
    }
    size = {"scale": scale, "height": height, "left": 5.5, "top": 4.6}
    return figure(traces, axes, palette, notes=notes, shapes=shapes, **size)


HELP_ON_PARTS = (
    "P: how many sub-models decide together, as the combs of a grid do (22) or the limbs of a body (3). Here "
    "each is a P-th of the filter, so that the decision stays the same and only the theorem changes."
)


def both_bounds(
    bound: SweepBound, ensemble, palette: Palette, *, scale: float = 1.0, height: float = 400
) -> Chart:
    """`bound_terms` with the terms of Theorem 2 (an `EnsembleBound`) as printed."""
    figure = bound_terms(bound, palette, scale=scale, height=height)
    layout = figure.drawn["layout"]
    low, high = layout["xaxis"]["range"]
    terms, labels = ensemble.printed, layout["yaxis"]["categoryarray"][:4]
    values = np.array([terms.total, terms.confidence, terms.complexity, terms.empirical])
    name, look = f"words lost, by Theorem 2 with P = {ensemble.n_models}", (17, "cross-thin", 3, palette.map)
    trace = terms_trace(name, values, 10 ** (low + 0.2), labels, look, scale, "Theorem 2")
    trace["marker"]["line"]["color"] = palette.map
    figure.drawn["data"].append(trace)
    layout["xaxis"]["range"] = (low, max(high, np.log10(terms.total) + 0.7))
    layout["shapes"][0]["x1"] = max(layout["shapes"][0]["x1"], 10 * terms.total)
    return figure


def beside(bound, ensemble):
    """Both theorems in a table, and the difference between them."""
    rows = [
        ("Theorem 1: one model", bound.filter_loss),
        (f"Theorem 2: P = {ensemble.n_models}, as printed", ensemble.printed),
        (f"Theorem 2: P = {ensemble.n_models}, √P (derived here)", ensemble.tight),
    ]
    lines = ["| filter loss | 1. measured | 2. every filter | 3. luck | bound | words needed |",
             "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    for name, terms in rows:
        numbers = (terms.empirical, terms.complexity, terms.confidence, terms.total)
        cells = " | ".join(f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in numbers)
        needed = f"{terms.samples_needed:.1e}" if np.isfinite(terms.samples_needed) else "none is enough"
        lines.append(f"| {name} | {cells} | {needed} |")
    sentence = (
        "In **Theorem 2** P sub-models decide together, each with weights of norm B / P at most. Its second "
        "term is P times as large, although the same filter in P equal parts decides just as before. By "
        "Cauchy and Schwarz √P is enough: the printed theorem pays more than its proof needs."
    )
    return "\n".join(lines) + "\n\n" + sentence

"""Chart of two threshold rules on the same scores: n-grams left against words lost."""

from spcviz.problems.letters.page.promises import at_loss
from spcviz.problems.letters.page.shown import SweepRules
from spcviz.web.figures.filter_curves import grams
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart, figure, line
from spcviz.web.figures.traces import mark, points, stroke

NAMES = {"mean_max": "mean and best (thesis)", "margin": "a margin below the best"}
_STYLE = {"mean_max": ("threshold", "diamond", "dash"), "margin": ("kept", "circle", "solid")}


def rule_curves(
    both: SweepRules, tolerance: float, palette: Palette, *, scale: float = 1.0, height: float = 480
) -> Chart:
    """Both rules' curves, and the loss that they have in common; n-grams on a logarithmic axis."""
    traces, notes = [], []
    for rule in ("mean_max", "margin"):
        curve, (role, symbol, dash) = getattr(both, rule), _STYLE[rule]
        colour = getattr(palette, role)
        hover = f"%{{x:.2f}} % of words lost: %{{y:.4g}} left a place<extra>{NAMES[rule]}</extra>"
        look = stroke(colour, 2.4 * scale, dash, shape="hv") | mark(5 * scale, symbol, color=colour)
        traces.append(points("lines+markers", 100 * curve.lost, curve.kept, NAMES[rule], hover, **look))
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

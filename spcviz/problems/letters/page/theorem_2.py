"""Theorem 2 beside Theorem 1 on the Sweep page: its chart and table."""

import numpy as np

from spcviz.problems.letters.page.shown import SweepBound
from spcviz.problems.letters.page.sweep import bound_terms, terms_trace
from spcviz.web.figures.palette import Palette
from spcviz.web.figures.theme import Chart

HELP = (
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
    """Both theorems in a table, and what is between them."""
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

"""The Python of the page Loopy grids, for its Save menu: lines that compute what is shown."""

from collections.abc import Mapping

_LINES = """# Loopy grids: all combs of one random grid, their sum, and belief propagation.
# Wants spcviz[app]; nothing that is stored.
import numpy as np

from spcviz import scenes
from spcviz.engine import ensemble, gibbs, grid, loopy_bp

rows, columns, classes = {rows}, {columns}, {classes}
rng = np.random.default_rng({seed})
instance = scenes.random_grid(rng, rows, columns, classes, {strength})
unary, edges, pairwise = grid.as_graph(*instance)
samples = gibbs.sample(unary, edges, pairwise, gibbs.seeds(rng, 200), 200)
truth = np.stack([(samples == k).mean(axis=0) for k in range(classes)], axis=1)  # shares of the samples

combs = grid.comb_max_marginals(*instance).unary.reshape(-1, rows * columns, classes)
together = combs.sum(axis=0)
beliefs = loopy_bp.propagate(unary, edges, pairwise, {kind!r}, damping={damping}, max_iterations=60).unary
for name, scores in (("combs", together), ("belief propagation", beliefs)):
    rank = ensemble.state_rank(scores)  # 0 is the best
    lost = [float(np.where(rank >= k, truth, 0).sum(axis=1).mean()) for k in range(1, classes + 1)]
    wrong = int((scores.argmax(axis=1) != truth.argmax(axis=1)).sum())
    print(name, "wrong at", wrong, "of", rows * columns, "cells; lost keeping the best k:", np.round(lost, 4))
"""


def loopy_lines(state: Mapping) -> str:
    """The lines for a state of the page; "" for the thesis' figure, which is a stored result."""
    if state["show"] == "thesis":
        return ""
    names = ("rows", "columns", "classes", "seed", "strength", "kind", "damping")
    return _LINES.format(**{name: state[name] for name in names})

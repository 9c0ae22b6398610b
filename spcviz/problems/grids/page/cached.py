"""Cached calls of Loopy grids: a random grid, beliefs on it, its states pruned, nine strengths."""

from spcviz.problems.grids.page import live
from spcviz.problems.grids.shown import GridBeliefs, GridPruned, LiveGrid, StrengthSweep
from spcviz.web.cached.sharing import share


@share(256, stored=LiveGrid)
def live_grid(rows, columns, n_states, strength, seed):
    """A random grid with its combs and samples; see `spcviz.problems.grids.page.live.live_grid`."""
    return live.live_grid(rows, columns, n_states, strength, seed)


@share(256, stored=GridBeliefs)
def grid_beliefs(rows, columns, n_states, strength, seed, kind, damping):
    """Belief propagation on it; see `spcviz.problems.grids.page.live.grid_beliefs`."""
    return live.grid_beliefs(live_grid(rows, columns, n_states, strength, seed), kind, damping)


@share(256, stored=GridPruned)
def grid_pruned(rows, columns, n_states, strength, seed, alpha):
    """Its states pruned; see `spcviz.problems.grids.page.live.prune_grid`."""
    return live.prune_grid(live_grid(rows, columns, n_states, strength, seed), alpha)


@share(96, "Drawing the grid at nine strengths ...", stored=StrengthSweep)
def strength_sweep(rows, columns, n_states, seed, kind, damping):
    """The same grid at rising strength; see `spcviz.problems.grids.page.live.sweep_strength`."""
    return live.sweep_strength(rows, columns, n_states, seed, kind, damping, draw=live_grid)

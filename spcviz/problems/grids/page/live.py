"""Compute one random grid for the Loopy grids page: combs, their sum, loopy BP, samples, pruning.

N = rows x columns variables, row by row; K states; P = rows + columns combs, row combs first. A method's
error at k is the share of (sample, variable) whose state is not among its k best (thesis, section 5.5.1).
"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import ensemble, graph, loopy_bp
from spcviz.engine.graphs import grid as combs
from spcviz.engine.graphs.ensemble import state_rank
from spcviz.problems.grids import fields
from spcviz.problems.grids.shown import GridBeliefs, GridPruned, LiveGrid, StrengthSweep

N_SAMPLES, N_SWEEPS = 200, 200
MAX_SIDE, MAX_STATES, MAX_ITERATIONS = 11, 8, 60
STRENGTHS = (0.5, 2.0, 4.0, 6.0, 8.0, 10.0, 15.0, 25.0, 40.0)


def live_grid(
    rows: int,
    columns: int,
    n_states: int,
    strength: float,
    seed: int,
    *,
    n_samples: int = N_SAMPLES,
    n_sweeps: int = N_SWEEPS,
) -> LiveGrid:
    """Draw an instance and its samples from `seed` alone; rank states by each comb and by their sum.

    >>> live = live_grid(3, 3, 2, 5.0, 0, n_samples=20, n_sweeps=20)
    >>> live.combs.shape, live.membership.sum(axis=1).tolist()
    ((6, 9, 2), [8, 8, 8, 8, 8, 8])
    """
    instance, rng = _draw(rows, columns, n_states, strength, seed)
    drawn = fields.truth_samples(instance, rng, n_samples, n_sweeps)
    frequencies = fields.state_frequencies(drawn, n_states)
    ranked = combs.comb_max_marginals(*instance)
    tables = ranked.unary.reshape(len(ranked.best), rows * columns, n_states)
    summed, ranks = tables.sum(axis=0), state_rank(tables)
    return LiveGrid(
        rows=rows,
        columns=columns,
        strength=float(strength),
        seed=seed,
        edges=graph.grid_edges(rows, columns),
        membership=combs.comb_membership(rows, columns),
        best=ranked.best,
        combs=tables,
        summed=summed,
        frequencies=frequencies,
        n_samples=n_samples,
        n_sweeps=n_sweeps,
        error=_error(frequencies, summed),
        error_combs=fields.filter_error(frequencies, ranks).mean(axis=1),
        error_samples=_error(frequencies, frequencies),
        agreement=fields.agreement(ranks),
    )


def grid_beliefs(
    live: LiveGrid,
    kind: Literal["sum", "max"] = "sum",
    damping: float = 0.0,
    *,
    max_iterations: int = MAX_ITERATIONS,
) -> GridBeliefs:
    """Belief propagation on the same instance, every iteration kept.

    >>> live = live_grid(2, 2, 2, 1.0, 0, n_samples=20, n_sweeps=20)
    >>> beliefs = grid_beliefs(live)
    >>> beliefs.trace.shape[1:], bool(np.allclose(beliefs.trace[-1], beliefs.beliefs))
    ((4, 2), True)
    """
    n = live.summed.shape[1]
    instance, _ = _draw(live.rows, live.columns, n, live.strength, live.seed)
    unary, edges, pairwise = combs.as_graph(*instance)
    options = {"damping": damping, "max_iterations": max_iterations, "history": True}
    result = loopy_bp.propagate(unary, edges, pairwise, kind, **options)
    into = np.zeros((len(result.messages), *unary.shape))
    for of in _disjoint(live.rows, live.columns):
        into[:, edges[of, 1]] += result.messages[:, 2 * of]
        into[:, edges[of, 0]] += result.messages[:, 2 * of + 1]
    trace = _shares(np.concatenate([unary[None], unary + into]))
    beliefs = result.unary if kind == "sum" else _shares(result.unary)
    return GridBeliefs(
        kind=kind,
        damping=float(damping),
        beliefs=beliefs,
        trace=trace,
        residual=result.residual,
        converged=result.converged,
        error=_error(live.frequencies, result.unary),
    )


def prune_grid(live: LiveGrid, alpha: float) -> GridPruned:
    """Prune states by the combs' summed max-marginals.

    >>> live = live_grid(3, 3, 3, 5.0, 0, n_samples=20, n_sweeps=20)
    >>> bool(prune_grid(live, 0.0).keep.sum() >= prune_grid(live, 0.9).keep.sum())
    True
    """
    pruned = ensemble.filter_states(live.best, live.combs, alpha)
    is_rescued = np.zeros(len(live.summed), dtype=bool)
    is_rescued[pruned.rescued[:, 0]] = True
    lost = np.where(pruned.keep, 0.0, live.frequencies).sum(axis=1)
    return GridPruned(float(alpha), pruned.keep, pruned.threshold, is_rescued, pruned.efficiency_loss, lost)


def sweep_strength(
    rows,
    columns,
    n_states,
    seed,
    kind="sum",
    damping=0.0,
    strengths: Sequence[float] = STRENGTHS,
    *,
    draw: Callable = live_grid,
) -> StrengthSweep:
    """The same draw at rising coupling strength: where does belief propagation fail?

    >>> sweep_strength(2, 2, 2, 0, strengths=(1.0, 9.0)).lbp.shape
    (2, 2)
    """
    if not len(strengths):
        raise ArgumentError("strengths must name at least one strength, got ()")
    grids = [draw(rows, columns, n_states, strength, seed) for strength in strengths]
    beliefs = [grid_beliefs(live, kind, damping) for live in grids]
    return StrengthSweep(
        strengths=np.array(strengths, dtype=float),
        ensemble=np.stack([live.error for live in grids]),
        lbp=np.stack([belief.error for belief in beliefs]),
        tree=np.stack([live.error_combs.mean(axis=0) for live in grids]),
        samples=np.stack([live.error_samples for live in grids]),
        settled=np.array([belief.converged.mean() for belief in beliefs]),
    )


def warmup(_models):
    """Compile, or load from the disk cache, every kernel that the page calls."""
    for n_states, kind in ((4, "sum"), (8, "max")):
        live = live_grid(2, 2, n_states, 10.0, 0, n_samples=2, n_sweeps=2)
        grid_beliefs(live, kind, 0.1, max_iterations=2)
        grid_beliefs(live, "max" if kind == "sum" else "sum", max_iterations=2)
        prune_grid(live, 0.5)


def _draw(rows, columns, n_states, strength, seed):
    """(instance, the generator after drawing it)."""
    rows, columns = (checks.integer(n, v, 1, MAX_SIDE) for n, v in (("rows", rows), ("columns", columns)))
    n_states = checks.integer("n_states", n_states, 1, MAX_STATES)
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**63))
    return fields.random_grid(rng, rows, columns, n_states, strength), rng


def _disjoint(rows, columns):
    """Indices of horizontal and of vertical edges: in each set, no two start, or end, at the same node."""
    n_level = rows * (columns - 1)
    return np.arange(n_level), np.arange(n_level, n_level + (rows - 1) * columns)


def _error(frequencies, scores):
    """Error of a ranking at k = 1 .. K, mean over variables."""
    return fields.filter_error(frequencies, state_rank(scores)).mean(axis=0)


def _shares(logs):
    """Rows of exp(logs), each divided by its sum."""
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)

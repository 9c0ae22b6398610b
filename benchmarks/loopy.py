"""Timings of trees, combs, loopy belief propagation and Gibbs sampling, next to those of published peers.

Baselines are other programs' times for the same operation on the same size, measured once on a machine like
the development machine (2 cores, about 3.5 GHz, float64 except for PGMax): read ratios, not digits.
"""

import time

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import ensemble, exhaustive, gibbs, grid, loopy_bp, tree
from spcviz.problems.grids import fields

ROWS = COLUMNS = 11
N_STATES = 8


def bench_loopy(*, n_repeats: int = 30, rng: np.random.Generator | None = None) -> list[dict]:
    """Median times on the thesis's 11 x 11 grid of 8 classes, each after a run that is not timed.

    >>> [row["name"] for row in bench_loopy(n_repeats=1)][:3]
    ['tree: decode', 'tree: node max-marginals', 'tree: node and edge max-marginals']
    """
    n_repeats = checks.integer("n_repeats", n_repeats, 1, 10_000)
    rng = np.random.default_rng(0) if rng is None else rng
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    return [
        {"name": name, "size": size, "n_repeats": n_repeats, "baseline": peer, "baseline_us": peer_us}
        | _time(call, n_repeats)
        for name, size, call, peer, peer_us in _cases(rng)
    ]


def _cases(rng):
    """(name, size, call, peer, peer's microseconds)."""
    instance = fields.random_grid(rng, ROWS, COLUMNS, N_STATES)
    graph = grid.as_graph(*instance)
    comb = ensemble.split(*graph, grid.comb_membership(ROWS, COLUMNS))[0]
    arrays = comb.unary, comb.edges, comb.pairwise
    one, eight = gibbs.seeds(rng, 1), gibbs.seeds(rng, 8)
    word = exhaustive.chain_graph(rng.normal(size=(4, 26)), rng.normal(size=(26, 26)))
    size = f"{ROWS} x {COLUMNS} x {N_STATES}"
    of_tree = f"one comb of {size}"

    def lbp(kind, schedule="parallel"):
        options = {"max_iterations": 50, "tolerance": 0.0, "schedule": schedule}
        return lambda: loopy_bp.propagate(*graph, kind, **options)

    junction, gibbs_us, pgmax = ("libDAI junction tree", 304.0), 6294.0, ("PGMax (jitted)", 3496.0)
    cases = [
        ("tree: decode", of_tree, lambda: tree.decode(*arrays)),
        ("tree: node max-marginals", of_tree, lambda: tree.node_max_marginals(*arrays), *junction),
        ("tree: node and edge max-marginals", of_tree, lambda: tree.max_marginals(*arrays)),
        ("tree: sum marginals", of_tree, lambda: tree.marginals(*arrays)),
        ("combs: all 22, node max-marginals", size, lambda: grid.comb_max_marginals(*instance),
         f"{junction[0]}, one tree x 22", 22 * junction[1]),
        ("combs: all 22, summed", size, lambda: grid.summed_max_marginals(*instance)),
        ("LBP max, 50 iterations", size, lbp("max"), *pgmax),
        ("LBP sum, 50 iterations", size, lbp("sum")),
        ("LBP sum, sequential, 50 iterations", size, lbp("sum", "sequential")),
        ("Gibbs, 100 sweeps", size, lambda: gibbs.sample(*graph, one, 100), "libDAI", gibbs_us),
        ("Gibbs, 8 chains of 100 sweeps", size, lambda: gibbs.sample(*graph, eight, 100), "libDAI x 8",
         8 * gibbs_us),
        ("exhaustive search", "4 letters of 26", lambda: exhaustive.search(word)),
        ("elimination", "4 letters of 26", lambda: exhaustive.eliminate(word)),
    ]  # fmt: skip
    return [case if len(case) == 5 else (*case, None, None) for case in cases]


def _time(call, n_repeats):
    call()
    times = []
    for _ in range(n_repeats):
        started = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - started) / 1000)
    return {"median_us": float(np.median(times)), "min_us": float(min(times))}

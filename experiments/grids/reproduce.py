"""The synthetic grid of the thesis: Fig. 5.3 (error against states kept) and the agreement analysis.

From each of 100 random 11 x 11 grids of 8 classes, 1000 labellings are drawn by Gibbs sampling, 1000 sweeps
each. A method's error at k is the share of (sample, variable) pairs whose state is not among its top k:
summed max-marginals of all combs ("ensemble"), loopy belief propagation ("lbp"), each comb alone ("tree").
"""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from scipy import stats

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import grid as combs
from spcviz.engine.graphs import loopy_bp
from spcviz.engine.graphs.ensemble import state_rank
from spcviz.problems.grids import fields
from spcviz.shared.report import describe
from spcviz.shared.work.jobs import run_all

SOURCE = "Weiss (2013), thesis, section 5.5.1 and Fig. 5.3"
# What the thesis states in words; Fig. 5.3's curves are not given as numbers.
PAPER = {
    "order": "ensemble below lbp and below every tree for every k",
    "median_agreement": 0.38,
    "agreement_error_rho": {"k": 5, "rho": -0.143, "p_below": 1e-15},
    "agreement_gain_rho": {"max_rho": 0.0185, "p_below": 0.05},
}


class GridSettings(NamedTuple):
    """Settings of one run of the experiment."""

    n_instances: int = 100
    rows: int = 11
    columns: int = 11
    n_states: int = 8
    strength: float = 25.0  # half the range of pairwise scores
    n_samples: int = 1000  # n_samples, n_sweeps: Gibbs samples per instance, sweeps per sample
    n_sweeps: int = 1000
    lbp_iterations: int = 100
    lbp_schedule: str = "sequential"  # or "parallel": node by node with the newest messages, or all at once


FULL = GridSettings()
QUICK = GridSettings(n_instances=20, n_samples=200, n_sweeps=200)


class InstanceResult(NamedTuple):
    """Measurements on one instance; errors are indexed ``[variable, k - 1]``."""

    # ensemble, lbp, lbp_max, samples, unary, each (N, K): error of each method. `lbp_max` is max-product;
    # `samples` ranks by the true samples' own frequencies, which no ranking can beat; `unary` ignores the
    ensemble: np.ndarray  # edges.
    lbp: np.ndarray
    lbp_max: np.ndarray
    samples: np.ndarray
    unary: np.ndarray
    trees: np.ndarray  # (P, K): error of each comb, mean over variables
    agreement: np.ndarray  # (N,)
    n_unconverged: int  # variables whose sum-product messages had not converged


def measure_instance(settings: GridSettings, seed) -> InstanceResult:
    """Draw one instance and its samples and measure every method on it.

    >>> tiny = GridSettings(1, 3, 3, 4, 5.0, n_samples=50, n_sweeps=20)
    >>> measure_instance(tiny, 0).trees.shape
    (6, 4)
    """
    rng = np.random.default_rng(seed)
    instance = _instance_of(settings, rng)
    drawn = fields.truth_samples(instance, rng, settings.n_samples, settings.n_sweeps)
    frequencies = fields.state_frequencies(drawn, settings.n_states)
    unary, edges, pairwise = combs.as_graph(*instance)
    by_comb = combs.comb_max_marginals(*instance)
    tables = by_comb.unary.reshape(len(by_comb.best), *unary.shape)
    options = {"max_iterations": settings.lbp_iterations, "schedule": settings.lbp_schedule}
    sums = loopy_bp.propagate(unary, edges, pairwise, "sum", **options)
    maxes = loopy_bp.propagate(unary, edges, pairwise, "max", **options)
    ranks = state_rank(tables)

    def error(scores):
        return fields.filter_error(frequencies, state_rank(scores))

    return InstanceResult(
        ensemble=error(tables.sum(axis=0)),
        lbp=error(sums.unary),
        lbp_max=error(maxes.unary),
        samples=error(frequencies),
        unary=error(unary),
        trees=fields.filter_error(frequencies, ranks).mean(axis=1),
        agreement=fields.agreement(ranks),
        n_unconverged=int(np.count_nonzero(~sums.converged)),
    )


def make(run):
    """Fig. 5.3 with the options of the command line: `reproduce_grid` in the form of every result."""
    settings = QUICK if run.quick else FULL
    if run.folds is not None:
        settings = settings._replace(n_instances=run.folds)
    return reproduce_grid(quick=run.quick, executor=run.executor, tick=run.tick, settings=settings)


def reproduce_grid(
    *,
    quick: bool = False,
    seed: int = 0,
    executor: Executor | None = None,
    tick: Callable | None = None,
    settings: GridSettings | None = None,
) -> dict:
    """Fig. 5.3 and the agreement analysis (thesis, section 5.5.1).

    Instance i depends only on (seed, i). Threads suffice as the `executor`, because the sampler releases the
    interpreter's lock. "tree" is the mean over combs; ``gaps`` are paired by instance.

    >>> tiny = GridSettings(3, 3, 3, 4, 5.0, n_samples=50, n_sweeps=20)
    >>> result = reproduce_grid(settings=tiny)
    >>> len(result["rows"]), len(result["trees"]), result["rows"][0]["method"]
    (12, 24, 'ensemble')
    """
    seed = checks.integer("seed", seed, 0, 2**63)
    if executor is not None and not isinstance(executor, Executor):
        raise ArgumentError(f"executor must be a concurrent.futures.Executor, got {type(executor).__name__}")
    settings = settings or (QUICK if quick else FULL)
    count = checks.integer("n_instances", settings.n_instances, 1, 100_000)
    seeds = np.random.SeedSequence(seed).spawn(count)
    if executor is None:
        results = [measure_instance(settings, instance_seed) for instance_seed in seeds]
    else:
        jobs = [("instance", i, settings, instance_seed) for i, instance_seed in enumerate(seeds)]
        results = run_all(executor, _measure_named, jobs, tick)
    summary = _summary(results, settings)
    return describe(
        "grid",
        SOURCE,
        summary.pop("rows"),
        baselines=summary.pop("baselines"),
        settings={**settings._asdict(), "random_state": seed, "quick": bool(quick)},
        data={"first instance": _instance_of(settings, np.random.default_rng(seeds[0]))._asdict()},
        fold_rows=[{"fold": i, "rows": _instance_rows(result)} for i, result in enumerate(results)],
        paper=PAPER,
        **summary,
    )


def _measure_named(_what, _number, settings, seed):
    """`measure_instance` as a job, named by its first two arguments."""
    return measure_instance(settings, seed)


def _instance_of(settings, rng):
    return fields.random_grid(rng, settings.rows, settings.columns, settings.n_states, settings.strength)


def _instance_rows(result):
    names = ("ensemble", "lbp", "lbp_max", "unary", "samples", "trees")
    means = {name: getattr(result, name).mean(axis=0).round(6).tolist() for name in names}
    return [{"method": name, "error": error} for name, error in means.items()]


def _summary(results, settings):
    names = ("ensemble", "lbp", "lbp_max", "unary", "samples")  # below: tables of (instances, K)
    by_method = {name: np.stack([getattr(r, name).mean(axis=0) for r in results]) for name in names}
    trees = np.stack([r.trees for r in results])  # (instances, P, K)
    by_method["tree"] = trees.mean(axis=1)
    rows = [row for name in ("ensemble", "lbp", "tree") for row in _rows(name, by_method[name])]
    baselines = [row for name in ("lbp_max", "unary", "samples") for row in _rows(name, by_method[name])]
    apart = {name: by_method[name] - by_method["ensemble"] for name in ("lbp", "tree")}
    gaps = [row for name, gap in apart.items() for row in _rows(name, gap, "gap")]
    each = [
        {**row, "tree": p, "gap": gap["gap"], "gap_stderr": gap["stderr"]}  # paired with the ensemble
        for p in range(trees.shape[1])
        for row, gap in zip(
            _rows("tree", trees[:, p]), _rows("tree", trees[:, p] - by_method["ensemble"], "gap"), strict=True
        )
    ]
    means = {name: table.mean(axis=0) for name, table in by_method.items()}
    wrong = (means["ensemble"] > means["lbp"] + 1e-12) | (means["lbp"] > means["tree"] + 1e-12)
    unconverged = np.array([r.n_unconverged for r in results])
    return {
        "rows": rows,
        "trees": each,
        "trees_by_instance": [result.trees.round(6).tolist() for result in results],  # (instances, P, K)
        "baselines": baselines,
        "gaps": gaps,
        "agreement": _agreement(results),
        "convergence": {
            "instances_unconverged": float((unconverged > 0).mean()),
            "variables_unconverged": float(unconverged.mean() / (settings.rows * settings.columns)),
        },
        "order_holds": {"all": not wrong.any(), "broken_at_k": [int(k) + 1 for k in np.flatnonzero(wrong)]},
    }


def _rows(method, errors, name="error"):
    """One row per k from errors (instances, K)."""
    count = len(errors)
    spread = errors.std(axis=0, ddof=int(count > 1)) / np.sqrt(count)
    return [
        {"method": method, "k": k + 1, name: float(errors[:, k].mean()), "stderr": float(spread[k])}
        for k in range(errors.shape[1])
    ]


def _bootstrap_correlations(agree, values, n_instances, n_draws=400):
    """Rank correlations over variables, shape (n_draws,), for instances drawn with replacement.

    Variables of one instance are not independent, so whole instances are drawn; a draw reuses the ranks among
    all variables.
    """
    ranks = [stats.rankdata(column).reshape(n_instances, -1) for column in (agree, values)]
    x, y = (table - table.mean() for table in ranks)
    sums = np.stack([(one * other).sum(axis=1) for one, other in ((x, y), (x, x), (y, y))])  # (3, instances)
    ends = np.stack([x.sum(axis=1), y.sum(axis=1)])
    drawn = np.random.default_rng(0).multinomial(n_instances, np.full(n_instances, 1 / n_instances), n_draws)
    xy, xx, yy = sums @ drawn.T
    sum_x, sum_y = ends @ drawn.T
    n = x.size
    return (xy - sum_x * sum_y / n) / np.sqrt((xx - sum_x**2 / n) * (yy - sum_y**2 / n))


def _agreement(results):
    """Agreement of the combs per variable, against error and against the gain over LBP."""
    agree = np.concatenate([r.agreement for r in results])
    error = np.concatenate([r.ensemble for r in results])
    gain = np.concatenate([r.lbp for r in results]) - error
    by_k = []
    for k in range(error.shape[1]):
        row = {"k": k + 1}
        for name, values in (("error", error[:, k]), ("gain", gain[:, k])):
            varies = np.ptp(values) > 0 and np.isfinite(agree).all() and np.ptp(agree) > 0
            rho, p = stats.spearmanr(agree, values) if varies else (None, None)
            r = stats.pearsonr(agree, values).statistic if varies else None
            correlations = {"rho": rho, "p": p, "pearson": r}
            row |= {f"{name}_{key}": None if v is None else float(v) for key, v in correlations.items()}
            if varies:
                row[f"{name}_rho_stderr"] = float(
                    _bootstrap_correlations(agree, values, len(results)).std(ddof=1)
                )
        by_k.append(row)
    return {
        "median": float(np.median(agree)) if np.isfinite(agree).all() else None,
        "complete": float((agree > 1 - 1e-12).mean()),
        "n_variables": len(agree),
        "by_k": by_k,
    }

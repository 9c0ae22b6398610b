"""The result grid-rules: thresholds on the grids of Fig. 5.3 by two rules, next to each variable's top k.

A variable of a sample is lost if its state is pruned; one setting is used for all grids. Settings are tuned
on the first half of the grids and evaluated on the second.
"""

from typing import NamedTuple

import numpy as np

from experiments.grids.reproduce import FULL, QUICK, GridSettings
from spcviz.engine.graphs import grid as combs
from spcviz.engine.graphs.ensemble import state_rank
from spcviz.engine.thresholds.rule import mean_of, position
from spcviz.problems.grids import fields
from spcviz.registry.problem import Run
from spcviz.shared.report import describe
from spcviz.shared.work.jobs import run_all

RULES = ("mean_max", "margin", "top_k")
AGAINST = "mean_max"
TARGETS = (1.0, 2.0, 5.0, 10.0)
"""Target losses, in percent of the samples' variables."""

N_SETTINGS, N_DRAWS = 400, 1000


class Grid(NamedTuple):
    """For each state of each variable, the setting at which it is pruned, by rule, and its frequency."""

    points: dict[str, np.ndarray]  # (N, K) settings; inf for a variable's best state, which is always kept
    frequencies: np.ndarray  # (N, K): in the samples, 0 to 1


def reproduce(run: Run) -> dict:
    """Rows by target and rule: states per variable at equal loss, and at settings tuned on other grids."""
    settings = QUICK if run.quick else FULL
    seeds = np.random.SeedSequence(0).spawn(settings.n_instances)
    jobs = [("instance", i, settings, seed) for i, seed in enumerate(seeds)]
    grids = run_all(run.executor, measure_grid, jobs, run.tick)
    half = len(grids) // 2
    rows = rows_of(grids[:half], grids[half:])
    return describe(
        run.name,
        "Weiss (2013), thesis, section 5.5.1, by other threshold rules",
        rows,
        baselines=[],
        settings=settings._asdict()
        | {
            "random_state": 0,
            "draws_of_grids": N_DRAWS,
            "quick": run.quick,
            "chosen_on": f"the first {half} grids; figures are of the other {len(grids) - half}",
        },
        data={"first grid": fields.random_grid(np.random.default_rng(seeds[0]), *_shape(settings))._asdict()},
        fold_rows=[{"fold": "second half", "rows": rows}],
    )


def measure_grid(_what: str, _number: int, settings: GridSettings, seed: np.random.SeedSequence) -> Grid:
    """One grid, drawn as `experiments.grids.reproduce.measure_instance` draws it."""
    rng = np.random.default_rng(seed)
    instance = fields.random_grid(rng, *_shape(settings))
    drawn = fields.truth_samples(instance, rng, settings.n_samples, settings.n_sweeps)
    frequencies = fields.state_frequencies(drawn, settings.n_states)
    by_comb = combs.comb_max_marginals(*instance)
    tables = by_comb.unary.reshape(len(by_comb.best), *frequencies.shape)
    return Grid(points_of(tables, by_comb.best), frequencies)


def _shape(settings):
    return settings.rows, settings.columns, settings.n_states, settings.strength


def points_of(tables: np.ndarray, best: np.ndarray) -> dict[str, np.ndarray]:
    """The setting from which each state is pruned, by rule, as in `ensemble.filter_summed`.

    Parameters
    ----------
    tables : ndarray, shape (P, N, K)
        Max-marginals of every comb.
    best : ndarray, shape (P,)

    Returns
    -------
    dict of ndarray, each (N, K)
        Alphas, negative margins, or negative numbers of states kept; a variable's best is never pruned.
    """
    summed, top = tables.sum(axis=0), float(best.sum())
    mean = sum(mean_of(float(b), table.ravel()) for b, table in zip(best, tables, strict=True))
    points = {
        "mean_max": position(summed, top, mean),
        "margin": (summed - top) / len(best),
        "top_k": -state_rank(summed).astype(np.float64),
    }
    rows = np.arange(len(summed)), summed.argmax(axis=1)
    for values in points.values():
        values[rows] = np.inf
    return points


def curves(grids: list[Grid], rule: str, settings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(percent lost, states per variable), each (grids, settings); a state's own setting prunes it."""
    lost, left = [], []
    for grid in grids:
        points, n = grid.points[rule].ravel(), len(grid.frequencies)
        order = np.argsort(points)
        fallen = np.searchsorted(points[order], settings, side="right")
        shares = np.concatenate([[0.0], np.cumsum(grid.frequencies.ravel()[order])])
        lost.append(100 * shares[fallen] / n)
        left.append((len(points) - fallen) / n)
    return np.array(lost), np.array(left)


def rows_of(tuning: list[Grid], test: list[Grid]) -> list[dict]:
    """One row per target and rule; intervals over draws of the test grids, the same for all rules."""
    n = len(test)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), N_DRAWS)
    weights = np.concatenate([np.ones((1, n)), drawn]) / n
    at_loss, tuned = {}, {}
    for rule in RULES:
        points = np.concatenate([grid.points[rule].ravel() for grid in (*tuning, *test)])
        finite = points[np.isfinite(points)]
        settings = np.unique(np.quantile(finite, np.linspace(0, 1, N_SETTINGS), method="lower"))
        settings = np.concatenate([[settings[0] - 1], settings])
        before = curves(tuning, rule, settings)[0].mean(axis=0)
        lost, left = curves(test, rule, settings)
        for target in TARGETS:
            at_loss[target, rule] = np.array([np.interp(target, w @ lost, w @ left) for w in weights])
            at = int(np.flatnonzero(before <= target)[-1])
            tuned[target, rule] = {"setting": float(settings[at]), "tuned_loss": float(before[at])}
            tuned[target, rule] |= {"loss": float(lost[:, at].mean()), "states": float(left[:, at].mean())}
    rows = []
    for target in TARGETS:
        for rule in RULES:
            states = at_loss[target, rule]
            ratio = states / at_loss[target, AGAINST]
            row = {"target": target, "rule": rule, "guarantee": None, "trained_on": "nothing: random scores"}
            row |= {"grids": n, "states_equal": float(states[0])}
            rows.append(row | {"ratio": [float(ratio[0]), *_ends(ratio)]} | tuned[target, rule])
    return rows


def _ends(values):
    return [float(end) for end in np.quantile(values[1:], [0.025, 0.975])]

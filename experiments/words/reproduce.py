"""Training, and the five results about budgets: fold by fold, stored in the work folder, then combined."""

import sys
from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from experiments.budgets import Measured, reproduce
from experiments.words import retiming, summary
from experiments.words.runs import GRID, is_finished, measured_times, run_fold
from spcviz.engine import checks
from spcviz.problems.words.model import dms_pi, folds, stored
from spcviz.problems.words.paper.pays import EVERY
from spcviz.problems.words.shown import TIERS
from spcviz.registry.problem import Run

SOURCES = {
    "dms-ocr": "Weiss (2013), thesis, Fig. 6.1 and 6.4",
    "policy-ocr": "Weiss (2013), thesis, Fig. 7.3",
    "constrained-ocr": "Bolukbasi et al. (2017), Resource Constrained Structured Prediction, Fig. 2 and 3",
    "budget-ocr": "all methods side by side; no figure of a paper",
    "budget-ocr-open": "all methods side by side on words of unseen types; no figure of a paper",
}

_PARTS = ("dms-ocr", "policy-ocr", "constrained-ocr")
MADE_OF = {part: ("ocr", (part,)) for part in _PARTS}
MADE_OF |= {"budget-ocr": ("ocr", _PARTS), "budget-ocr-open": ("open", _PARTS)}
"""For each result, the source of its words and its experiments."""


def train(run: Run) -> Iterator[str]:
    """Train the budget pages' models of words, as given and of an open vocabulary; yields a line for each."""
    for source in folds.SOURCE_NAMES:
        trained = stored.train(source, run.work, quick=run.quick, tick=run.tick)
        path = stored.save(run.models, source, *trained)
        metrics = stored.metrics_of(stored.model_of(source, *trained))
        errors = ", ".join(f"{error:.2f}" for error in metrics["plain_error"])
        yield f"{path}: letters wrong {errors} % with the models of the three tiers, fold 0"


def result(run: Run) -> dict:
    """One of the five results that are curves of all methods."""
    return reproduce(sys.modules[__name__], run)


def measure(run: Run) -> Measured:
    """Measure everything that a result consists of, on its first test folds."""
    vocabulary, parts = MADE_OF[run.name]
    source = folds.load_source(vocabulary)
    n_folds = checks.integer("folds", source.n_folds if run.folds is None else run.folds, 1, source.n_folds)
    settings = folds.settings_for(run.quick)
    jobs = [(part, source.name, f, settings, run.work) for part in parts for f in range(n_folds)]
    n_finished = sum(is_finished(*job) for job in jobs)
    runs = {part: [run_fold(*job, run.tick) for job in jobs if job[0] == part] for part in parts}
    clock = measured_times(source.name, settings, run.work)
    runs = {
        part: [retiming.retime_rows(done, clock, GRID) for done in part_runs]
        for part, part_runs in runs.items()
    }
    about = {
        f"{part} fold {done['fold']}": done["about"] for part, part_runs in runs.items() for done in part_runs
    }
    rows = [
        row | ({"experiment": part} if len(parts) > 1 else {})
        for part, part_runs in runs.items()
        for row in mean_rows(part_runs)
    ]
    more = {}
    if "dms-ocr" in runs:
        more["stopping_points"] = summary.stopping_points(runs["dms-ocr"], GRID)
    more["summary"] = summary.of_parts(runs, GRID)
    if run.name == "constrained-ocr":
        # Q-learning on the same folds: stored work of policy-ocr.
        others = [run_fold("policy-ocr", *job[1:], run.tick) for job in jobs]
        others = [retiming.retime_rows(done, clock, GRID) for done in others]
        more["summary"]["against_q_learning"] = summary.against(runs[run.name], others)
        more["summary"]["prices_alone"] = summary.prices_alone(runs[run.name])
    more |= {"fold_rows": fold_rows(runs, n_folds), "folds": n_folds, "parts_found_finished": n_finished}
    more["times"] = retiming.mean_times([done for part_runs in runs.values() for done in part_runs])
    return Measured(
        rows,
        summary.fixed_models(runs[parts[0]]),
        {
            "models": asdict(settings),
            "tiers": [tier.key for tier in TIERS],
            "costs": [0.0, *dms_pi.COSTS.tolist()],
            "chosen": about,
            "random_state": folds.RANDOM_STATE,
            "chosen_on": "border and scale of HoG, passes: fold 1; budgets, gamma, alpha: training words",
        },
        {source.name: source.arrays()},
        more,
    )


def fold_rows(runs, n_folds):
    """Figures of each fold, without times: see `spcviz.shared.report.describe`."""
    parts = {
        f: [(part, row) for part, part_runs in runs.items() for row in part_runs[f]["rows"]]
        for f in range(n_folds)
    }
    return [{"fold": f, "rows": [_drop_times(*row) for row in rows]} for f, rows in parts.items()]


def _drop_times(part, row):
    out = {"experiment": part}
    out |= {key: row[key] for key in ("method", "level", "q", "scale", "messages")}
    out |= {"error": row["error"][::EVERY], "features_share": row["share"][::EVERY]}
    if "chosen" in row:
        keys = ("cost_units", "share", "error")
        out["chosen"] = {name: {key: point[key] for key in keys} for name, point in row["chosen"].items()}
    return out


def mean_rows(runs):
    """Points of curves, averaged over folds; ``us_fast`` is with the project's batch HoG."""
    rows = []
    for i, first in enumerate(runs[0]["rows"]):
        every = [run["rows"][i] for run in runs]
        error, spread = np.array([row["error"] for row in every]), np.full(len(GRID), np.nan)
        if len(runs) > 1:
            spread = error.std(axis=0, ddof=1) / np.sqrt(len(runs))
        share, us = (np.mean([row[key] for row in every], axis=0) for key in ("share", "us"))
        saved = retiming.saved_by_fast_hog(runs, [row["lifted"] for row in every])
        for g, cost in enumerate(GRID):
            row = {key: first[key] for key in ("method", "level", "q", "scale")}
            row |= {"cost_units": float(cost), "features_share": float(share[g]), "us": float(us[g])}
            row |= {"us_fast": float(us[g] - saved[g])}
            row |= {"char_error": float(error[:, g].mean())}
            row |= {"stderr": float(spread[g]) if np.isfinite(spread[g]) else None}
            row |= {"messages_share": first["messages"] and float(np.mean([r["messages"] for r in every]))}
            rows.append(row)
    return rows

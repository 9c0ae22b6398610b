"""The four reproduced results about budgets: fold by fold, kept in the work folder, then put together."""

import json
import time
from dataclasses import asdict
from functools import partial

import numpy as np

from spcviz.engine import checks
from spcviz.problems.common.report import describe
from spcviz.problems.letters import data
from spcviz.problems.words import constrained, dms, dms_pi, summary
from spcviz.problems.words import folds as budget_ocr
from spcviz.problems.words import times as budget_times
from spcviz.store import write_json_atomic

GRID = np.concatenate([[0.0], np.round(np.geomspace(0.02, 2.0, 59), 4)])
"""Cost a word in units, 2 = all features of all letters: where curves of different folds are averaged."""

VERSIONS = {"dms-ocr": 2, "policy-ocr": 1, "constrained-ocr": 2}
"""Raise one when what a fold's file of that experiment holds changes."""

SOURCES = {
    "dms-ocr": "Weiss (2013), thesis, Fig. 6.1 and 6.4",
    "policy-ocr": "Weiss (2013), thesis, Fig. 7.3",
    "constrained-ocr": "Bolukbasi et al. (2017), Resource Constrained Structured Prediction, Fig. 2 and 3",
    "budget-ocr": "all methods side by side; no figure of a paper",
}


def run_fold(name, index, settings, folder, tick=None):
    """One fold of "dms-ocr", "policy-ocr" or "constrained-ocr", from the work folder if it is there.

    Returns
    -------
    dict
        ``rows``, each with lists over `GRID`; ``times``; ``about``.
    """
    models = partial(budget_ocr.fold_models, index, settings, folder, tick)
    path = folder and folder / f"{name}-v{VERSIONS[name]}-e{settings.epochs}-fold{index}.json"
    if path and path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    rng = np.random.default_rng([budget_ocr.RANDOM_STATE, index, 1])
    fold, about = models(), {}
    times = measured_times(settings, folder, fold)
    if name == "dms-ocr":
        rows = [_dms_row(row, times) for row in dms.curves(fold, rng, times.feature[1:])]
    elif name == "policy-ocr":
        found, about = dms_pi.curves(fold, rng)
        rows = [_policy_row(row, times, budget_times.policy_us(fold, row)) for row in found]
    else:
        found, about = constrained.curves(fold, rng, tick)
        rows = [_policy_row(row, times, budget_times.constrained_us(fold, row)) for row in found]
    out = {"fold": index, "rows": rows, "times": budget_times.as_dict(times), "about": about}
    out["fixed_us"] = [budget_times.fixed_model_us(times, t) for t in range(budget_ocr.N_TIERS)]
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json_atomic(path, out)
    if tick is not None:
        tick(f"{name} fold {index}")
    return json.loads(json.dumps(out, default=lambda v: v.tolist()))


def measured_times(settings, folder, fold=None):
    """Times of all pieces, measured once and kept in the work folder: one clock for all results."""
    path = folder and folder / f"budget-times-e{settings.epochs}.json"
    if path and path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        return budget_times.Times(*(np.array(found[field]) for field in budget_times.Times._fields))
    times = budget_times.measure(fold or budget_ocr.fold_models(0, settings, folder))
    if path:
        write_json_atomic(path, budget_times.as_dict(times))
    return times


def reproduce(name, *, folds=10, quick=False, folder=None, tick=None):
    """Run, or finish, one of the four experiments.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.
    folds : int
        Test folds 0 .. folds - 1, each with the others as training data.
    quick : bool
        Few passes over the data.
    folder : Path, optional
        Work folder: finished folds are found there again.
    tick : callable, optional
        Called with a text whenever a part is done.

    Returns
    -------
    dict
        See `spcviz.problems.common.report.describe`; also ``summary``, and for dms-ocr ``stopping_points``.
    """
    start = time.perf_counter()
    before = set(folder.glob("*-fold*.json")) if folder and folder.exists() else set()
    folds, settings = checks.integer("folds", folds, 1, data.N_FOLDS), budget_ocr.settings_for(quick)
    parts = list(SOURCES)[:3] if name == "budget-ocr" else [name]
    runs = {part: [run_fold(part, f, settings, folder, tick) for f in range(folds)] for part in parts}
    times = measured_times(settings, folder)
    runs = {part: [summary.retimed(run, times, GRID) for run in done] for part, done in runs.items()}
    rows, more = [], {}
    for part, done in runs.items():
        found = mean_rows(done)
        rows += [row | ({"experiment": part} if len(parts) > 1 else {}) for row in found]
        if part == "dms-ocr":
            more["stopping_points"] = summary.stopping_points(done, GRID)
    more["summary"] = {}
    for part, done in runs.items():
        found = summary.SUMMARY[part](done, GRID)
        found["fast_hog"] = summary.with_fast_hog(done)
        more["summary"] |= {part: found} if len(parts) > 1 else found
    if name == "budget-ocr":
        more["summary"]["overhead"] = summary.overhead(runs, GRID)
    more["folds"] = folds
    more["parts_found_finished"] = len([p for p in before if p.name.split("-v")[0] in parts])
    more["times"] = summary.mean_times([run for done in runs.values() for run in done])
    return describe(
        name,
        SOURCES[name],
        rows,
        baselines=summary.fixed_models(runs[parts[0]]),
        settings={
            "models": asdict(settings),
            "tiers": list(data.TIERS),
            "costs": [0.0, *dms.COSTS.tolist()],
            "chosen": {f"{part} fold {run['fold']}": run["about"] for part in parts for run in runs[part]},
            "random_state": budget_ocr.RANDOM_STATE,
            "chosen_on": "border and scale of HoG, passes: fold 1; budgets, gamma, alpha: training words",
        },
        data={"ocr": data.load_words()._asdict()},
        seconds=time.perf_counter() - start,
        **more,
    )


def mean_rows(runs):
    """Points of curves, averaged over folds: the rows of the result.

    ``us_fast`` is ``us`` with the project's batch HoG.
    """
    rows = []
    for i, first in enumerate(runs[0]["rows"]):
        every = [run["rows"][i] for run in runs]
        error = np.array([row["error"] for row in every])
        spread = (
            error.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.full(len(GRID), np.nan)
        )
        share, us = (np.mean([row[key] for row in every], axis=0) for key in ("share", "us"))
        saved = summary.saved_by_fast_hog(runs, [row["lifted"] for row in every])
        for g, cost in enumerate(GRID):
            row = {
                "method": first["method"],
                "level": first["level"],
                "q": first["q"],
                "scale": first["scale"],
            }
            row |= {"cost_units": float(cost), "features_share": float(share[g]), "us": float(us[g])}
            row |= {"us_fast": float(us[g] - saved[g])}
            row |= {"char_error": float(error[:, g].mean())}
            row |= {"stderr": float(spread[g]) if np.isfinite(spread[g]) else None}
            row |= {"messages_share": first["messages"] and float(np.mean([r["messages"] for r in every]))}
            rows.append(row)
    return rows


def _dms_row(row, times):
    at = np.maximum(np.searchsorted(row["cost"], GRID + 1e-9, side="right") - 1, 0)
    looks = row["method"].startswith(("dms", "imitation", "myopic"))
    us = budget_times.word_level_us(times, row["share"][at], looks=looks)
    out = {"method": row["method"], "level": "word", "q": 0.0, "scale": None, "messages": None}
    out |= {"error": row["error"][at], "us": us, "share": 100 * row["share"][at].mean(axis=1)}
    out |= {"words": row["words"][at], "lifted": row["share"][at]}
    if "chosen" in row:
        out["chosen"] = {key: _at_cost(row, times, cost, looks) for key, cost in row["chosen"].items()}
    out["least"] = float(row["error"].min())
    return _plain(out)


def _at_cost(row, times, cost, looks):
    cost = min(cost, GRID[-1])
    at = np.searchsorted(row["cost"], cost + 1e-9, side="right") - 1
    us = budget_times.word_level_us(times, row["share"][at], looks=looks)
    lifted = row["share"][at]
    out = {"cost_units": cost, "error": row["error"][at], "us": us, "share": 100 * lifted.mean()}
    return out | {"lifted": lifted}


def _policy_row(row, times, overhead):
    """Lists over the grid; ``overhead(lifted)`` -> microseconds a word beside features and scores."""
    at = np.searchsorted(row["share"], GRID / GRID[-1] + 1e-9, side="right") - 1
    tiers = row["tiers"]
    us = budget_times.letter_level_us(times, tiers[at], overhead)
    out = {key: row.get(key) for key in ("method", "level", "q", "scale", "messages")}
    out |= {"error": row["error"][at], "us": us, "share": 100 * row["share"][at]}
    out |= {"us_overhead": overhead(tiers[at]), "lifted": tiers[at]}
    if "chosen" in row:
        out["chosen"] = {}
        for key, share in row["chosen"].items():
            i = np.searchsorted(row["share"], min(share, 1.0) + 1e-9, side="right") - 1
            us = budget_times.letter_level_us(times, tiers[i], overhead)
            out["chosen"][key] = {
                "cost_units": 2 * min(share, 1.0),
                "error": row["error"][i],
                "us": us,
                "share": 100 * row["share"][i],
                "lifted": tiers[i],
            }
    first = np.flatnonzero(row["error"] <= row["error"][-1])[0]
    out |= {"least": float(row["error"].min()), "first_share": 100 * float(row["share"][first])}
    return _plain(out)


def _plain(row):
    return json.loads(json.dumps(row, default=lambda value: value.tolist()))

"""The four reproduced results about budgets: fold by fold, kept in the work folder, then put together."""

import json
from dataclasses import asdict
from functools import partial

import numpy as np

from spcviz.engine import checks
from spcviz.learning.budgets.expansion import last_within
from spcviz.learning.budgets.methods import EXAMPLE, named
from spcviz.problems.budgets.tables import Measured
from spcviz.problems.letters import data
from spcviz.problems.words import constrained, dms, dms_pi, folds, summary, times
from spcviz.problems.words.shown import TIERS
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
    models = partial(folds.fold_models, index, settings, folder, tick)
    path = folder and folder / f"{name}-v{VERSIONS[name]}-e{settings.epochs}-fold{index}.json"
    if path and path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    rng = np.random.default_rng([folds.RANDOM_STATE, index, 1])
    fold, about = models(), {}
    clock = measured_times(settings, folder, fold)
    if name == "dms-ocr":
        rows = [_dms_row(row, clock) for row in dms.curves(fold, rng, clock.feature[1:])]
    elif name == "policy-ocr":
        found, about = dms_pi.curves(fold, rng)
        rows = [_policy_row(row, clock, times.policy_us(fold, row)) for row in found]
    else:
        found, about = constrained.curves(fold, rng, tick)
        rows = [_policy_row(row, clock, times.constrained_us(fold, row)) for row in found]
    out = {"fold": index, "rows": rows, "times": times.as_dict(clock), "about": about}
    out["fixed_us"] = [times.fixed_model_us(clock, t) for t in range(folds.N_TIERS)]
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
        return times.Times(*(np.array(found[field]) for field in times.Times._fields))
    clock = times.measure(fold or folds.fold_models(0, settings, folder))
    if path:
        write_json_atomic(path, times.as_dict(clock))
    return clock


def measure(run):
    """All that one of the four results is made of.

    Parameters
    ----------
    run : Run
        Test folds 0 .. folds - 1 (ten by default), each with the others as training data.

    Returns
    -------
    Measured
        With ``summary``, and for dms-ocr ``stopping_points``.
    """
    before = set(run.work.glob("*-fold*.json")) if run.work and run.work.exists() else set()
    n_folds = checks.integer("folds", 10 if run.folds is None else run.folds, 1, data.N_FOLDS)
    settings = folds.settings_for(run.quick)
    parts = list(SOURCES)[:3] if run.name == "budget-ocr" else [run.name]
    runs = {part: [run_fold(part, f, settings, run.work, run.tick) for f in range(n_folds)] for part in parts}
    clock = measured_times(settings, run.work)
    runs = {part: [summary.retimed(done, clock, GRID) for done in own] for part, own in runs.items()}
    rows = [
        row | ({"experiment": part} if len(parts) > 1 else {})
        for part, own in runs.items()
        for row in mean_rows(own)
    ]
    more = {}
    if "dms-ocr" in runs:
        more["stopping_points"] = summary.stopping_points(runs["dms-ocr"], GRID)
    more["summary"] = summary.of_parts(runs, GRID)
    more["folds"] = n_folds
    more["parts_found_finished"] = len([p for p in before if p.name.split("-v")[0] in parts])
    more["times"] = summary.mean_times([done for own in runs.values() for done in own])
    return Measured(
        rows,
        summary.fixed_models(runs[parts[0]]),
        {
            "models": asdict(settings),
            "tiers": [tier.key for tier in TIERS],
            "costs": [0.0, *dms.COSTS.tolist()],
            "chosen": {f"{part} fold {done['fold']}": done["about"] for part in parts for done in runs[part]},
            "random_state": folds.RANDOM_STATE,
            "chosen_on": "border and scale of HoG, passes: fold 1; budgets, gamma, alpha: training words",
        },
        {"ocr": data.load_words()._asdict()},
        more,
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


def _dms_row(row, clock):
    at = last_within(row["cost"], GRID)
    looks = named(row["method"], EXAMPLE).rule.looks
    us = times.word_level_us(clock, row["share"][at], looks=looks)
    out = {"method": row["method"], "level": "word", "q": 0.0, "scale": None, "messages": None}
    out |= {"error": row["error"][at], "us": us, "share": 100 * row["share"][at].mean(axis=1)}
    out |= {"words": row["words"][at], "lifted": row["share"][at]}
    if "chosen" in row:
        out["chosen"] = {key: _at_cost(row, clock, cost, looks) for key, cost in row["chosen"].items()}
    out["least"] = float(row["error"].min())
    return _plain(out)


def _at_cost(row, clock, cost, looks):
    cost = min(cost, GRID[-1])
    at = last_within(row["cost"], cost)
    us = times.word_level_us(clock, row["share"][at], looks=looks)
    lifted = row["share"][at]
    out = {"cost_units": cost, "error": row["error"][at], "us": us, "share": 100 * lifted.mean()}
    return out | {"lifted": lifted}


def _policy_row(row, clock, overhead):
    """Lists over the grid; ``overhead(lifted)`` -> microseconds a word beside features and scores."""
    at = last_within(row["share"], GRID / GRID[-1])
    tiers = row["tiers"]
    us = times.letter_level_us(clock, tiers[at], overhead)
    out = {key: row.get(key) for key in ("method", "level", "q", "scale", "messages")}
    out |= {"error": row["error"][at], "us": us, "share": 100 * row["share"][at]}
    out |= {"us_overhead": overhead(tiers[at]), "lifted": tiers[at]}
    if "chosen" in row:
        out["chosen"] = {}
        for key, share in row["chosen"].items():
            i = last_within(row["share"], min(share, 1.0))
            us = times.letter_level_us(clock, tiers[i], overhead)
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

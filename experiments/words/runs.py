"""One fold of an experiment about budgets on words: curves of all its methods on one grid of costs, timed."""

import json
from dataclasses import asdict

import numpy as np

from spcviz.learning.budgets.expansion import last_within
from spcviz.learning.budgets.methods import EXAMPLE, find_method
from spcviz.problems.words.model import dms_pi, folds, resource_constraints, times
from spcviz.shared.work.disk_cache import load_or_compute, path_of

GRID = np.concatenate([[0.0], np.round(np.geomspace(0.02, 2.0, 59), 4)])
"""Costs per word at which the folds' curves are averaged, in units: 2 = all features of all letters."""

CODE, CLOCK_CODE = ("experiments.words.runs",), ("spcviz.problems.words.model.times",)
"""The modules that runs, and the times of their pieces, depend on."""


def run_fold(name, source, index, settings, folder, tick=None) -> dict:
    """One fold of an experiment on a source's words, stored in the work folder: rows of lists over `GRID`."""

    def make():
        rng = np.random.default_rng([folds.RANDOM_STATE, index, 1])
        fold, about = folds.fold_models(source, index, settings, folder, tick), {}
        clock = measured_times(source, settings, folder, fold)
        if name == "dms-ocr":
            rows = [_dms_row(row, clock) for row in dms_pi.model_curves(fold, rng, clock.feature[1:])]
        elif name == "policy-ocr":
            curves, about = dms_pi.curves(fold, rng)
            rows = [_policy_row(row, clock, *times.policy_us(fold, row, clock.choose)) for row in curves]
        else:
            curves, about = resource_constraints.curves(fold, rng, tick)
            rows = [_policy_row(row, clock, *times.constrained_us(fold, row)) for row in curves]
        out = {"fold": index, "rows": rows, "times": times.as_dict(clock), "about": about}
        return out | {"fixed_us": [times.fixed_model_us(clock, t) for t in range(folds.N_TIERS)]}

    out = load_or_compute(folder, *_about(name, source, index, settings), CODE, make)
    if tick is not None:
        tick(f"{name}, {source} fold {index}")
    return out


def is_finished(name, source, index, settings, folder):
    """Whether `run_fold` will find it in the work folder."""
    return folder is not None and path_of(folder, *_about(name, source, index, settings), CODE).is_file()


def _about(name, source, index, settings):
    key = {"fold": index, "settings": asdict(settings), "data": folds.data_digest(source)}
    return f"{name}-{source}-fold{index}", key


def measured_times(source, settings, folder, fold=None):
    """Times of all pieces, measured once and stored: one clock for all results of a source."""

    def make():
        return times.as_dict(times.measure(fold or folds.fold_models(source, 0, settings, folder)))

    saved = load_or_compute(folder, f"words-{source}-times", {"settings": asdict(settings)}, CLOCK_CODE, make)
    return times.WordTimes(*(np.array(saved[field]) for field in times.WordTimes._fields))


def _dms_row(row, clock):
    looks = find_method(row["method"], EXAMPLE).rule.looks

    def at(cost):
        i = last_within(row["cost"], cost)
        lifted = row["share"][i]
        us, share = times.word_level_us(clock, lifted, looks=looks), 100 * lifted.mean(axis=-1)
        return i, {"error": row["error"][i], "us": us, "share": share, "lifted": lifted}

    out = {"method": row["method"], "level": "word", "q": 0.0, "scale": None, "messages": None}
    i, on_grid = at(GRID)
    out |= on_grid | {"words": row["words"][i]}
    if "chosen" in row:
        costs = {key: min(cost, GRID[-1]) for key, cost in row["chosen"].items()}
        out["chosen"] = {key: {"cost_units": cost} | at(cost)[1] for key, cost in costs.items()}
    return _plain(out | {"least": float(row["error"].min())})


def _policy_row(row, clock, overhead, inference):
    """Lists over the grid; overhead(lifted) are a word's microseconds, inference(lifted) without policy."""

    def at(share):
        i = last_within(row["share"], share)
        lifted = row["tiers"][i]
        us = times.letter_level_us(clock, lifted, overhead)
        return {"error": row["error"][i], "us": us, "share": 100 * row["share"][i], "lifted": lifted}

    out = {key: row.get(key) for key in ("method", "level", "q", "scale", "messages")}
    out |= at(GRID / GRID[-1])
    out |= {"us_overhead": overhead(out["lifted"]), "us_inference": inference(out["lifted"])}
    if "chosen" in row:
        shares = {key: min(share, 1.0) for key, share in row["chosen"].items()}
        out["chosen"] = {key: {"cost_units": 2 * share} | at(share) for key, share in shares.items()}
    first = np.flatnonzero(row["error"] <= row["error"][-1])[0]
    out |= {"least": float(row["error"].min()), "first_share": 100 * float(row["share"][first])}
    return _plain(out)


def _plain(row):
    return json.loads(json.dumps(row, default=lambda value: value.tolist()))

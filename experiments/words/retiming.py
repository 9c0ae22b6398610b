"""Recompute a fold's microseconds: from one clock for all results, or with the batch HoG."""

import numpy as np

from spcviz.problems.words.model import times as budget_times
from spcviz.problems.words.model.folds import N_TIERS


def mean_times(runs):
    """Means of the measured times over folds."""
    return {key: np.mean([run["times"][key] for run in runs], axis=0).tolist() for key in runs[0]["times"]}


def retime_rows(run, times, grid):
    """A fold's rows re-timed with one set of times; overheads of letter-level methods are the fold's own."""
    out = run | {"times": budget_times.as_dict(times), "rows": []}
    out["fixed_us"] = [budget_times.fixed_model_us(times, t) for t in range(N_TIERS)]
    for row in run["rows"]:
        if "us_overhead" in row:

            def us_of(lifted, cost, row=row):
                overhead = np.interp(cost, grid, row["us_overhead"])
                return budget_times.letter_level_us(times, lifted, lambda _, overhead=overhead: overhead)
        else:

            def us_of(lifted, cost, row=row):
                looks = budget_times.method_of(row).rule.looks
                return budget_times.word_level_us(times, lifted, looks=looks)

        fresh = row | {"us": us_of(row["lifted"], grid).tolist()}
        if "chosen" in row:
            fresh["chosen"] = {
                key: point | {"us": float(us_of(point["lifted"], point["cost_units"]))}
                for key, point in row["chosen"].items()
            }
        out["rows"].append(fresh)
    return out


def saved_by_fast_hog(runs, lifted):
    """Microseconds per word that the batch HoG saves, mean over folds of (..., T - 1) shares of letters."""
    saved = []
    for run, shares in zip(runs, lifted, strict=True):
        times = run["times"]
        less = np.array(times["feature"][1:]) - np.array(times["feature_fast"][1:])
        saved.append(times["letters"] * np.asarray(shares) @ less)
    return np.mean(saved, axis=0)

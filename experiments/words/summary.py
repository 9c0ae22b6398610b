"""Summaries of all folds' curves: speed-ups at budgets chosen without test words, and where overhead wins."""

import numpy as np

from experiments.words.retiming import saved_by_fast_hog
from experiments.words.runs import GRID
from spcviz.learning.budgets.batch_selection import share_stopping
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.words.model.folds import N_TIERS
from spcviz.problems.words.model.resource_constraints import ONE_SHOT
from spcviz.shared.report import standard_deviation, standard_error


def _rows(runs, method, **wanted):
    """A method's row of every fold."""
    wanted = wanted | {"method": method}
    return [next(row for row in run["rows"] if wanted.items() <= _scalars(row)) for run in runs]


def _scalars(row):
    return {(key, row.get(key)) for key in ("method", "level", "q", "scale")}


def _mean_us(runs):
    """Microseconds per word with one model, or one tier, for all: means over folds."""
    return np.mean([run["fixed_us"] for run in runs], axis=0)


def _mean_curve(rows):
    return np.mean([row["error"] for row in rows], axis=0)


def _gaps(rows, others):
    """Mean error of `rows` minus that of `others`, fold by fold."""
    return [np.mean(np.subtract(a["error"], b["error"])) for a, b in zip(rows, others, strict=True)]


def _mean_chosen(rows, key="final_error"):
    """Mean figures over folds at budgets chosen on training words."""
    names = [name for name in rows[0]["chosen"][key] if name != "lifted"]
    return {name: float(np.mean([row["chosen"][key][name] for row in rows])) for name in names}


def dms(runs, grid):
    """Summary of dms-ocr."""
    rows, fixed = _rows(runs, "dms"), _rows(runs, "fixed")
    final = np.array([row["error"][-1] for row in fixed])
    chosen = _mean_chosen(rows)
    us = _mean_us(runs)
    by_time = _mean_chosen(_rows(runs, "dms, by value per µs"))
    curve, uniform = _mean_curve(rows), _mean_curve(_rows(runs, "uniform"))
    imitation = _mean_curve(_rows(runs, "imitation"))
    speeds = 2.0 / np.maximum(grid, 1e-9)
    asked = (speeds >= 1.5) & (speeds <= 8.0)
    gaps = map(_gap_at_points, rows, _rows(runs, "imitation"), [asked] * len(rows))
    at_points = [gap for gap in gaps if gap is not None]
    at_chosen = np.array([row["chosen"]["final_error"]["error"] for row in rows])
    least = np.array([row["chosen"]["least_error"]["error"] for row in rows])
    ablated = {name: _mean_chosen(_rows(runs, name)) for name in ("dms, no n-grams", "dms, n-grams only")}
    return {
        "speedup_units": 2.0 / chosen["cost_units"],
        "speedup_ms": float(us[-1] / chosen["us"]),
        "speedup_ms_by_value_per_us": float(us[-1] / by_time["us"]),
        "error_at_chosen_by_value_per_us": by_time["error"],
        "us_at_chosen_by_value_per_us": by_time["us"],
        "min_error_ratio": float(curve.min() / final.mean()),
        "error_at_chosen": chosen["error"],
        "final_error": float(final.mean()),
        "chosen_minus_final": float((at_chosen - final).mean()),
        "chosen_minus_final_stderr": standard_error(at_chosen - final),
        "least_error_ratio_chosen": float(least.mean() / final.mean()),
        "speedup_test_curve": _first_speedup(curve, final.mean(), grid),
        "us_at_chosen": chosen["us"],
        "us_final_model": float(us[-1]),
        "us_middle_model": float(us[1]),
        "us_saved_against_middle": float(us[1] - chosen["us"]),
        "below_uniform_at_speedups_1.5_to_8": bool((curve < uniform)[asked].all()),
        "least_gap_to_uniform": float((uniform - curve)[asked].min()),
        "imitation_minus_dms_mean": float((imitation - curve)[asked].mean()),
        "imitation_minus_dms_at_its_points": float(np.mean(at_points)) if at_points else None,
        "imitation_minus_dms_at_its_points_stderr": standard_error(at_points),
        "uniform_speedup": _first_speedup(uniform, final.mean(), grid),
        "speedup_units_without_n_grams": 2.0 / ablated["dms, no n-grams"]["cost_units"],
        "speedup_units_n_grams_only": 2.0 / ablated["dms, n-grams only"]["cost_units"],
        "imitation_points": [len({round(e, 6) for e in row["error"]}) for row in _rows(runs, "imitation")],
    }


def _gap_at_points(ours, theirs, asked):
    """Mean of their error minus ours at their points; the grid rounds costs up, by at most a twelfth."""
    error = np.array(theirs["error"])
    is_point = np.concatenate([[False], np.diff(error) != 0]) & asked
    return float((error - np.array(ours["error"]))[is_point].mean()) if is_point.any() else None


def _first_speedup(curve, level, grid):
    reached = np.flatnonzero(curve <= level + 1e-9)
    return float(2.0 / max(grid[reached[0]], 1e-9)) if len(reached) else None


def policy(runs, grid):
    """Summary of policy-ocr."""
    at = {"level": "letter", "q": 0.0, "scale": "range"}
    rows, printed = _rows(runs, "q-learning", **at), _rows(runs, "q-learning, as printed", **at)
    greedy, greedy_printed = _rows(runs, "greedy", **at), _rows(runs, "greedy, as printed", **at)
    final = np.array([row["error"][-1] for row in rows])
    curve, myopic = _mean_curve(rows), _mean_curve(greedy)
    gap = np.array(_gaps(greedy, rows))
    reached = {"q-learning": rows, "q-learning, as printed": printed}
    reached |= {"greedy": greedy, "greedy, as printed": greedy_printed}
    reached |= {name: _rows(runs, name) for name in ("imitation", "all tiers at once", "random")}
    reached |= {f"words, {name}": _rows(runs, name, level="word") for name in ("q-learning", "greedy")}
    curves = {name: _mean_curve(group) for name, group in reached.items()}
    out = {
        "features_share_printed": _mean_chosen(printed)["share"],
        "features_share_refreshed": _mean_chosen(rows)["share"],
        "min_error_ratio": float(curve.min() / final.mean()),
        "all_features_error": float(final.mean()),
        "error_at_chosen_printed": _mean_chosen(printed)["error"],
        "error_at_chosen_refreshed": _mean_chosen(rows)["error"],
        "least_error_ratio_chosen": _mean_chosen(rows, "least_error")["error"] / float(final.mean()),
        "share_at_least_error": _mean_chosen(rows, "least_error")["share"],
        "features_share_greedy_refreshed": _mean_chosen(greedy)["share"],
        "features_share_greedy_printed": _mean_chosen(greedy_printed)["share"],
        "error_at_chosen_greedy_refreshed": _mean_chosen(greedy)["error"],
        "share_on_test_curve": {
            n: _share_reached(errors, final.mean(), grid) for n, errors in curves.items()
        },
        "greedy_minus_q_learning": float(gap.mean()),
        "greedy_minus_q_learning_stderr": standard_error(gap),
        "greedy_min_error_ratio": float(myopic.min() / final.mean()),
    }
    base = np.mean([row["chosen"]["least_error"]["cost_units"] for row in rows])
    later = grid >= base
    for scale in ("range", "margin"):
        for q in sorted({row["q"] for row in runs[0]["rows"] if row["q"] > 0 and row["scale"] == scale}):
            quiescent = _rows(runs, "q-learning", level="letter", q=q, scale=scale)
            added = _mean_curve(quiescent) - curve
            out[f"quiescent_{scale}_{q:g}"] = {
                "messages_share": 100 * _messages(quiescent),
                "error_added_whole_curve": float(added[1:].mean()),
                "error_added_from_least_error_budget": float(added[later].mean()),
                "us_at_least_error_budget": float(
                    np.mean([np.interp(base, grid, r["us"]) for r in quiescent])
                ),
            }
    out["messages_share_q25"] = out["quiescent_range_0.25"]["messages_share"]
    out["error_added_q25"] = out["quiescent_range_0.25"]["error_added_whole_curve"]
    out |= _total_time(runs, grid, final.mean())
    return out | {"at_chosen": _at_chosen(runs), "exact_messages_share": 100 * _messages(rows)}


def _messages(rows):
    return float(np.mean([row["messages"] for row in rows]))


def _at_chosen(runs):
    """Total time at budgets chosen on training words, for each way to stop messages ("scale q")."""
    us_all, out = float(_mean_us(runs)[-1]), {}
    for row in runs[0]["rows"]:
        if row["level"] == "letter" and row["method"] == "q-learning":
            rows = _rows(runs, row["method"], **{key: row[key] for key in ("level", "q", "scale")})
            chosen = _mean_chosen(rows)
            overhead = [
                _at_cost(fold_row, "us_overhead", _point(fold_row)["cost_units"]) for fold_row in rows
            ]
            chosen |= {"speedup": us_all / chosen["us"], "us_overhead": float(np.mean(overhead))}
            out[f"{row['scale']} {row['q']:g}"] = chosen | {"messages_share": 100 * _messages(rows)}
    return out


def _at_cost(row, key, cost):
    """A curve over units per word, at one cost."""
    return float(np.interp(cost, GRID, row[key]))


def _share_reached(curve, level, grid):
    reached = np.flatnonzero(curve <= level + 1e-9)
    return 100 * float(grid[reached[0]] / grid[-1]) if len(reached) else None


def _total_time(runs, grid, level):
    """Total time at the all-features error, against computing all features and reading once."""
    _, us_middle, us_all = _mean_us(runs).tolist()
    out = {"us_all_features": us_all, "us_middle_model": us_middle}
    for q in (0.0, 0.25, 0.5):
        rows = _rows(runs, "q-learning", level="letter", q=q, scale="range")
        curve, us = _mean_curve(rows), np.mean([row["us"] for row in rows], axis=0)
        reached = np.flatnonzero(curve <= level + 1e-9)
        if len(reached):
            out[f"total_speedup_q{q:g}"] = us_all / float(us[reached[0]])
            overhead = np.mean([row["us_overhead"] for row in rows], axis=0)
            out[f"us_overhead_q{q:g}"] = float(overhead[reached[0]])
    return out


def summarize_constrained(runs, grid):
    """Summary of constrained-ocr; the one-shot policy named is the best on development words."""
    final, shares = np.mean([row["error"][-1] for row in _rows(runs, "uniform")]), {}
    for name in (row["method"] for row in runs[0]["rows"]):
        rows = _rows(runs, name)
        curve = _mean_curve(rows)
        shares[name] = {
            "chosen": _mean_chosen(rows) if "chosen" in rows[0] else None,
            "share_on_test_curve": _share_reached(curve, final, grid),
            "mean_error": float(curve.mean()),
            "min_error_ratio": float(curve.min() / final),
        }
    best = min((METHODS[key].name for key in ONE_SHOT), key=lambda name: shares[name]["chosen"]["share"])
    gap = _gaps(_rows(runs, "anytime"), _rows(runs, best))
    chosen, more = shares[best]["chosen"], {"anytime_minus_one_shot": float(np.mean(gap))}
    out = {"all_features_error": float(final), "policy": best, "methods": shares}
    out |= {"features_share_at_full_accuracy": chosen["share"], "error_at_chosen": chosen["error"]}
    return out | more | {"anytime_minus_one_shot_stderr": standard_error(gap)}


def against(constrained_runs, policy_runs) -> dict:
    """One-shot and anytime policies against Q-learning, fold by fold, at equal letters wrong.

    ``share`` and ``error`` at the budget chosen on training words, ``equal_share`` where the test curve is
    first as good as all features; ``one_shot``: the policy of the least mean share; ``difference``: one-shot
    minus Q-learning.
    """
    at = {"level": "letter", "q": 0.0}
    by_method = {
        row["method"]: _rows(constrained_runs, row["method"], **at)
        for row in constrained_runs[0]["rows"]
        if "chosen" in row
    }
    by_method["q-learning"] = _rows(policy_runs, "q-learning", **at, scale="range")
    shares = {name: np.array([_point(row)["share"] for row in rows]) for name, rows in by_method.items()}
    best = min((METHODS[key].name for key in ONE_SHOT), key=lambda name: shares[name].mean())
    difference = shares[best] - shares["q-learning"]
    return {
        "methods": {name: _spread(rows) for name, rows in by_method.items()},
        "one_shot": best,
        "folds": len(difference),
        "folds_q_learning_is_cheaper": int((difference > 0).sum()),
        "difference": float(difference.mean()),
        "difference_sd": standard_deviation(difference),
        "us_all_features": float(_mean_us(constrained_runs)[-1]),
    }


def _point(row):
    return row["chosen"]["final_error"]


def _spread(rows):
    columns = {
        "share": [_point(row)["share"] for row in rows],
        "error": [_point(row)["error"] for row in rows],
        "equal_share": [row["first_share"] for row in rows],
    }
    out = {"us": float(np.mean([_point(row)["us"] for row in rows]))}
    for name, values in columns.items():
        out |= {
            name: float(np.mean(values)),
            f"{name}_sd": standard_deviation(values),
            f"{name}_folds": values,
        }
    return out


def prices_alone(runs):
    """What each price alone buys, word by word: means over folds, one row per method and price."""
    out = []
    for name, first in runs[0]["about"].items():
        for i, point in enumerate(first.get("prices alone", ())):
            fold_points = [run["about"][name]["prices alone"][i] for run in runs]
            means = {
                key: float(np.mean([fold_point[key] for fold_point in fold_points]))
                for key in ("share", "error")
            }
            out.append({"method": name, "price": point["price"]} | means)
    return out


def taken_apart(runs) -> dict[str, dict]:
    """Where a word's microseconds go at the chosen budget; choosing is the time that a known order saves."""
    out = {}
    for name, rows in _with_chosen(runs):
        parts = [_taken_apart(row, run["times"]) for row, run in zip(rows, runs, strict=True)]
        out[name] = {key: float(np.mean([part[key] for part in parts])) for key in parts[0]}
    return out


def _with_chosen(runs):
    """("level: method", its row of every fold) where a budget was chosen without test words, at q = 0."""
    for row in runs[0]["rows"]:
        if "chosen" in row and not row["q"]:
            wanted = {key: row[key] for key in ("level", "q", "scale")}
            yield f"{row['level']}: {row['method']}", _rows(runs, row["method"], **wanted)


def _taken_apart(row, times):
    point, letters = _point(row), times["letters"]
    lifted = np.asarray(point["lifted"])
    features = letters * float(lifted @ times["feature"][1:])
    scores = letters * float(times["score"][0] + lifted @ times["score"][1:])
    rest = point["us"] - features - scores
    if "us_inference" in row:
        inference = _at_cost(row, "us_inference", point["cost_units"])
    else:
        inference = times["decode"] * (1.0 + float(lifted.sum()))
    inference = min(inference, rest)
    of = {"us_features": features, "us_scores": scores}
    return of | {"us_inference": inference, "us_choosing": rest - inference}


SUMMARY = {"dms-ocr": dms, "policy-ocr": policy, "constrained-ocr": summarize_constrained}


def of_parts(runs: dict[str, list[dict]], grid: np.ndarray):
    """Summaries of one experiment, or of all of them by name with what their overheads leave."""
    by_part = {
        part: SUMMARY[part](done, grid) | {"fast_hog": with_fast_hog(done), "taken_apart": taken_apart(done)}
        for part, done in runs.items()
    }
    return by_part | {"overhead": overhead(runs, grid)} if len(by_part) > 1 else next(iter(by_part.values()))


def stopping_points(runs, grid):
    """Fig. 6.4: share of words that stop at each tier, at each budget."""
    reached = np.mean([row["words"] for row in _rows(runs, "dms")], axis=0)
    stops = 100 * share_stopping(reached)
    return [
        {"cost_units": float(cost)} | {f"stopped_{t}": float(stops[g, t]) for t in range(N_TIERS)}
        for g, cost in enumerate(grid)
    ]


def fixed_models(runs):
    """Error and time of one model, or one tier, for all."""
    rows = _rows(runs, "fixed") if any(r["method"] == "fixed" for r in runs[0]["rows"]) else None
    us, out = _mean_us(runs), []
    for t in range(N_TIERS):
        row = {"method": "fixed model", "level": "word", "tier": t}
        row |= {"cost_units": float(t), "us": float(us[t])}
        if rows:
            # The grid's last point at or below the tier's cost is the tier itself.
            errors = [r["error"][np.argmin(np.abs(np.asarray(r["share"]) - 50.0 * t))] for r in rows]
            row |= {"char_error": float(np.mean(errors)), "stderr": standard_error(errors)}
        out.append(row)
    return out


def with_fast_hog(runs) -> dict:
    """Times with the batch HoG instead of scikit-image's, at budgets chosen without test words."""
    whole = [[[1.0] * tier + [0.0] * (N_TIERS - 1 - tier)] * len(runs) for tier in range(N_TIERS)]
    us = _mean_us(runs)
    fixed = [float(us[t] - saved_by_fast_hog(runs, whole[t])) for t in range(N_TIERS)]
    out = {"us_final_model": fixed[-1], "us_middle_model": fixed[1]}
    for name, rows in _with_chosen(runs):
        points = list(map(_point, rows))
        saved = saved_by_fast_hog(runs, [point["lifted"] for point in points])
        taken = float(np.mean([point["us"] for point in points]) - saved)
        out[name] = {"us": taken, "faster_than_middle": taken < fixed[1], "speedup": fixed[-1] / taken}
    return out


def overhead(runs, grid):
    """Time at the chosen budget; ``gain_eaten``: longer than that of the fixed middle model."""
    out = {}
    for done in runs.values():
        us = _mean_us(done)
        for name, rows in _with_chosen(done):
            chosen = _mean_chosen(rows)
            times = {
                "speedup_against_all": us[-1] / chosen["us"],
                "speedup_against_middle": us[1] / chosen["us"],
            }
            chosen |= {key: float(value) for key, value in times.items()}
            out[name] = chosen | {"gain_eaten": bool(chosen["us"] > us[1])}
    return out

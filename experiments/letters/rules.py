"""The result ocr-rules: threshold rules on the handwriting cascades, over test folds."""

from dataclasses import asdict
from functools import cache, partial

import numpy as np

from spcviz.engine import checks
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model import rules
from spcviz.problems.letters.model.stored import train_rounded
from spcviz.registry.problem import Run
from spcviz.shared.report import describe, standard_error
from spcviz.shared.work.disk_cache import load_or_compute
from spcviz.shared.work.jobs import run_all
from spcviz.store import digest_of_arrays

CODE = ("spcviz.problems.letters.model.rules", "spcviz.problems.letters.model.stored")
AGAINST = "mean_max"
LOSSES = (0.57, 0.8, 1.6, 3.2)
"""Percent of words lost before an order at which rules are compared: the paper's before order 6, and more."""

N_DRAWS = 2000
CHOSEN_ON = (
    "the hinge of every level (training alpha, or the structured SVM's) once, with raw pixels on held-out "
    "parts of folds 1 to 9 at the paper's tolerances, as the filter that leaves fewest n-grams, for all "
    "features; rates and passes: the table's (fold 1, trained on folds 2 to 9); thresholds on each fold's "
    "own nine"
)


def rules_fold(features: str, fold: int, quick: bool, folder) -> dict:
    """Every rule's cascade of one test fold, each stored in `folder`: one worker's job."""
    figures, first = {}, None
    for rule in rules.RULES:
        settings = rules.rule_settings(features, rule, quick=quick)
        key = {"settings": asdict(settings), "fold": fold, "random_state": experiment.RANDOM_STATE}
        key |= {"factors": rules.FACTORS, "data": digest_of_arrays(handwriting.load_words()._asdict())}
        trained = cache(partial(train_rounded, settings, fold, experiment.RANDOM_STATE, first))
        make = partial(_figures, trained, fold)
        figures[rule] = load_or_compute(folder, f"ocr-rules-{features}-{fold}-{rule}", key, CODE, make)
        if trained.cache_info().currsize:
            first = trained().first
    return {"features": features, "fold": fold, "rules": figures}


def _figures(trained, fold):
    return rules.ruled_fold(trained(), fold)


def reproduce(run: Run) -> dict:
    """`measured_rules`; if only some features were requested, the others' stored rows are kept."""
    result = measured_rules(run)
    return merge_results(run.earlier, result) if run.earlier else result


def merge_results(old: dict, new: dict) -> dict:
    """A result of `measured_rules` with an earlier run's rows of other features over the same folds."""
    is_alike = isinstance(old, dict) and all(old.get(key) == new[key] for key in ("name", "data_digests"))
    folds = {row["folds"] for row in new["rows"]}
    if not is_alike or not new.keys() <= old.keys() or {row.get("folds") for row in old["rows"]} != folds:
        return new
    order, fresh = list(experiment.SETTINGS), {row["features"] for row in new["rows"]}

    def joined(before, after, features_of):
        rows = [row for row in before if features_of(row) not in fresh] + after
        return sorted(rows, key=lambda row: order.index(features_of(row)))

    out = new | {
        key: joined(old[key], new[key], lambda row: row["features"]) for key in ("rows", "path", "equal")
    }
    out["fold_rows"] = joined(old["fold_rows"], new["fold_rows"], lambda fold: fold["fold"].split()[0])
    out["settings"] = new["settings"] | {
        "settings": old["settings"]["settings"] | new["settings"]["settings"]
    }
    return out | {"missing": missing({row["features"] for row in out["rows"]}, *folds)}


def measured_rules(run: Run) -> dict:
    """Rows by features, rule and order at the tuned thresholds; ``equal``: n-grams at equal loss."""
    features = run.features or ("raw",)
    folds = checks.integer(
        "folds", handwriting.N_FOLDS if run.folds is None else run.folds, 1, handwriting.N_FOLDS
    )
    for name in features:
        experiment.hand_made_features(name)
    jobs = [(name, fold, run.quick, run.work) for name in features for fold in range(folds)]
    done = run_all(run.executor, rules_fold, jobs, run.tick)
    rows, path, equal = [], [], []
    for name in features:
        mine = [each["rules"] for each in done if each["features"] == name]
        for rule in rules.RULES:
            about = {"features": name, "rule": rule, "guarantee": None, "folds": folds}
            about |= {
                "trained_on": "nine folds, words",
                "words": sum(r[rule]["path"][0]["words"] for r in mine),
            }
            rows += [about | row for row in _orders([each[rule] for each in mine])]
            path += [about | row for row in _pool_folds([each[rule]["path"] for each in mine])]
        equal += [{"features": name, "folds": folds} | row for row in equal_loss(mine)]
    return describe(
        run.name,
        "Weiss (2013), thesis, Table 4.3, by other threshold rules",
        rows,
        baselines=[],
        settings={
            "settings": {
                n: {r: asdict(rules.rule_settings(n, r, quick=run.quick)) for r in rules.RULES}
                for n in features
            },
            "random_state": experiment.RANDOM_STATE,
            "chosen_on": CHOSEN_ON,
            "predictors": f"orders 4 and more: on lattices of at most {rules.WIDEST} n-grams a position",
        },
        data={"ocr": handwriting.load_words()._asdict()},
        fold_rows=[
            {"fold": f"{each['features']} {each['fold']}", "rows": _fold_rows(each["rules"])} for each in done
        ],
        path=path,
        equal=equal,
        missing=missing(features, folds),
    )


def missing(features, folds) -> list[str]:
    """Sentences on what this result lacks of a full one."""
    out = (
        []
        if folds == handwriting.N_FOLDS
        else [f"Test folds {folds} to {handwriting.N_FOLDS - 1} were not run."]
    )
    left = [experiment.FEATURE_NAMES[name] for name in experiment.SETTINGS if name not in features]
    return out + ([f"Not run: {', '.join(left)}."] if left else [])


def _orders(folds):
    """Means over folds at the tuned thresholds, with the chosen training settings."""
    out = []
    for order in range(1, len(folds[0]["rows"]) + 1):
        rows = [fold["rows"][order - 1] for fold in folds]
        names = (
            "char_accuracy",
            "word_accuracy",
            "filter_loss",
            "filter_loss_after",
            "n_grams_in",
            "n_grams_kept",
        )
        row = {"order": order} | {name: float(np.mean([one[name] for one in rows])) for name in names}
        for name in ("char", "word"):
            row[f"{name}_stderr"] = standard_error([one[f"{name}_accuracy"] for one in rows])
        reports = [fold["reports"][order - 1] for fold in folds]
        row["wide_factor"] = [fold["wide_factor"] for fold in folds]
        row["train_alpha"] = [report["train_alpha"] for report in reports]
        row["train_margin"] = [report["train_margin"] for report in reports]
        out.append(
            row
            | {"setting": [report["alpha"] for report in reports], "paper": experiment.PAPER_ORDERS[order]}
        )
    return out


def _pool_folds(paths):
    """Rows of a path, pooled over all folds' words."""
    out = []
    for rows in zip(*paths, strict=True):
        words = np.array([row["words"] for row in rows])
        row = {name: rows[0][name] for name in ("factor", "order")}
        row["lost"] = 100 * sum(one["lost"] for one in rows) / int(words.sum())
        for name in ("n_grams_in", "n_grams_all", "word_accuracy"):
            row[name] = float(np.average([one[name] for one in rows], weights=words))
        out.append(row | {"n_grams_worst": max(one["n_grams_worst"] for one in rows)})
    return out


def equal_loss(folds: list[dict], n_draws: int = N_DRAWS) -> list[dict]:
    """n-grams that each order must score where every rule has lost the same share of words before it.

    Interpolated along each rule's path, between its factors, in the logarithm of n-grams. ``ratio``: to the
    thesis' rule, with the 2.5 and 97.5 % quantiles over draws of the folds with replacement. None where a
    path does not reach a loss.
    """
    rng, n = np.random.default_rng(0), len(folds)
    draws = [np.arange(n), *(rng.integers(0, n, n) for _ in range(n_draws if n > 1 else 0))]
    n_orders = max(row["order"] for row in folds[0][AGAINST]["path"])
    tables = {rule: _table([fold[rule]["path"] for fold in folds], n_orders) for rule in folds[0]}
    out = []
    for order in range(2, n_orders + 1):
        for loss in LOSSES:
            for what, column in (("n_grams_in", 1), ("n_grams_all", 2)):
                at = {
                    rule: [_at(table[draw], order, loss, column) for draw in draws]
                    for rule, table in tables.items()
                }
                for rule, values in at.items():
                    row = {
                        "order": order,
                        "loss": loss,
                        "what": what,
                        "rule": rule,
                        "n_grams": _exp_or_none(values[0]),
                    }
                    if rule != AGAINST:
                        ratio = np.exp(np.array(values) - np.array(at[AGAINST]))
                        good = ratio[1:][np.isfinite(ratio[1:])]
                        low, high = (
                            np.quantile(good, [0.025, 0.975]) if len(good) > n_draws / 2 else (np.nan,) * 2
                        )
                        row |= {"ratio": _finite(ratio[0]), "low": _finite(low), "high": _finite(high)}
                    out.append(row)
    return out


def _table(paths, n_orders):
    """(folds, factors, orders, 4): words lost, n-grams, n-grams of all orders so far, words."""
    names = ("lost", "n_grams_in", "n_grams_all", "words")
    values = np.array([[[row[name] for name in names] for row in path] for path in paths], dtype=float)
    return values.reshape(len(paths), -1, n_orders, len(names))


def _at(table, order, loss, column):
    """log n-grams at a loss in percent of words, pooled over a table's folds; nan if it is not reached."""
    rows = table[:, :, order - 1]
    lost = 100 * rows[..., 0].sum(axis=0) / rows[..., 3].sum(axis=0)
    size = np.log((rows[..., column] * rows[..., 3]).sum(axis=0) / rows[..., 3].sum(axis=0))
    lost = np.minimum.accumulate(lost)  # factors rise, so losses fall except by chance
    if not lost[-1] <= loss <= lost[0]:
        return np.nan
    return float(np.interp(-loss, -lost, size))


def _exp_or_none(log_value):
    return float(np.exp(log_value)) if np.isfinite(log_value) else None


def _finite(value):
    return float(value) if np.isfinite(value) else None


def _fold_rows(of_rules):
    return [{"rule": rule} | row for rule, figures in of_rules.items() for row in figures["rows"]]

"""Tables and curves on handwriting: Table 4.3 (`orders`) and the filters' trade-off (`sweep`).

Folds run through a `concurrent.futures.Executor`: processes here, or a cluster. Times are taken
afterwards, in one process, cascade and dense inference turn by turn.
"""

import time
from dataclasses import asdict
from functools import cache, partial

import numpy as np

from spcviz.engine import checks
from spcviz.engine.dense import dense_decode, dense_model
from spcviz.engine.lattice import extend, unigrams
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron
from spcviz.learning.cascade.online import fit, prepare
from spcviz.problems.common.filter_curves import curve_of
from spcviz.problems.common.jobs import run_all
from spcviz.problems.common.kept import Form, kept
from spcviz.problems.common.report import describe
from spcviz.problems.letters import cascade as experiment
from spcviz.problems.letters import data
from spcviz.problems.letters.models import load_ocr, save_ocr, train_rounded
from spcviz.store import digest_of_arrays

RANDOM_STATE = 7
FOLD_CODE = ("spcviz.problems.letters.cascade", "spcviz.problems.letters.models")
"""The modules that make what `run_fold` keeps."""


def run_fold(features, fold, n_orders, quick, folder=None):
    """Train without one fold, test on it: the unit of work that goes to a worker.

    Parameters
    ----------
    features : str
    fold, n_orders : int
    quick : bool
    folder : Path, optional
        Where finished folds are kept, so that an interrupted run goes on where it stopped.

    Returns
    -------
    dict
        ``rows`` (one per order), ``dictionary``, ``reports`` (held-out figures per level),
        ``model`` (weights rounded as stored).
    """
    settings = experiment.settings_for(features, n_orders, quick)
    key = {
        "settings": asdict(settings),
        "fold": fold,
        "random_state": RANDOM_STATE,
        "data": digest_of_arrays(data.load_words()._asdict()),
    }
    keep = partial(kept, folder, f"ocr-{features}-{fold}", key, FOLD_CODE)
    trained = cache(partial(train_rounded, settings, fold, RANDOM_STATE))  # once for both
    model = keep(lambda: trained().model, _stored(features))
    figures = keep(lambda: experiment.fold_figures(trained(), fold, RANDOM_STATE))
    return figures | {"model": model}


def _stored(features):
    """A model as the store keeps it, in a folder of its own."""
    return Form(
        suffix="",
        write=partial(save_ocr, random_state=RANDOM_STATE, metrics={}),
        read=partial(load_ocr, features=features),
        plain=lambda model: model,
    )


def reproduce_orders(
    executor,
    *,
    features=tuple(experiment.SETTINGS),
    folds=10,
    n_orders=6,
    quick=False,
    folder=None,
    tick=None,
):
    """Thesis Table 4.3: accuracy, filter loss and number of n-grams at orders 1 to 6.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    features : sequence of str
    folds : int
        Test folds 0 .. folds - 1, each with the others as training data.
    n_orders : int
    quick : bool
        Fewer passes over the data.
    folder : Path, optional
        See `run_fold`.
    tick : callable, optional
        Called with a text whenever a fold is done.

    Returns
    -------
    dict
        See `spcviz.problems.common.report.describe`.
    """
    start = time.perf_counter()
    folds = _checked_run(features, folds, n_orders)
    for name in features:  # before the workers are forked, so that they need not repeat it
        experiment.hand_made_features(name)
    jobs = [(name, fold, n_orders, quick, folder) for name in features for fold in range(folds)]
    done = run_all(executor, run_fold, jobs, tick)
    rows, baselines = [], []
    for name in features:
        runs = sorted((d for d in done if d["features"] == name), key=lambda d: d["fold"])
        times = time_orders(runs[0]["model"])
        for order in range(1, n_orders + 1):
            rows.append(_mean_row([r["rows"][order - 1] for r in runs]) | times[order - 1] | {"folds": folds})
            rows[-1]["paper"] = experiment.PAPER_ORDERS[order] if name == "raw" else None
        baselines.append(
            {"method": "dictionary", "features": name} | _mean_row([r["dictionary"] for r in runs])
        )
    return describe(
        "ocr-orders",
        "Weiss (2013), thesis, Table 4.3",
        rows,
        baselines=baselines,
        settings={
            "features": {name: asdict(experiment.settings_for(name, n_orders, quick)) for name in features},
            "random_state": RANDOM_STATE,
            "chosen_on": (
                "fold 1, trained on folds 2 to 9; "
                "raw tolerances and first passes revised once after a ten-fold run"
            ),
            "held_out": {f"{d['features']} fold {d['fold']}": d["reports"] for d in done},
        },
        data={"ocr": data.load_words()._asdict()},
        seconds=time.perf_counter() - start,
    )


def merged(old, new):
    """A result with another run's rows for the feature sets that it does not have itself.

    Parameters
    ----------
    old, new : dict
        Results of `reproduce_orders`, of this or an earlier run.

    Returns
    -------
    dict
    """
    is_alike = isinstance(old, dict) and all(old.get(key) == new[key] for key in ("name", "data_digests"))
    if not is_alike or not new.keys() <= old.keys() or old["settings"].keys() != new["settings"].keys():
        return new  # nothing there, or of another time: hours of work must not end in a KeyError
    order, fresh = list(experiment.SETTINGS), set(new["settings"]["features"])
    settings = dict(new["settings"])
    for key in ("features", "held_out"):
        others = {name: value for name, value in old["settings"][key].items() if name.split()[0] not in fresh}
        settings[key] = others | settings[key]
    out = new | {"settings": settings, "seconds": round(old["seconds"] + new["seconds"], 1)}
    for key in ("rows", "baselines"):
        out[key] = [row for row in old[key] if row["features"] in set(order) - fresh] + new[key]
    out["rows"].sort(key=lambda row: (order.index(row["features"]), row["order"]))
    out["baselines"].sort(key=lambda row: order.index(row["features"]))
    return out


def time_orders(model, repeats=7, dense_words=60, batch=64):
    """Microseconds a word of inference at each order, cascade and dense turn by turn.

    Parameters
    ----------
    model : OcrModel
    repeats : int
        Medians over this many.
    dense_words : int
        Dense inference is timed on the first so many words of the test fold.
    batch : int
        Words a call of the cascade; its arrays then stay in the processor's cache.

    Returns
    -------
    list of dict
        ``us_per_word``: whole test fold in batches, from feature vectors to labels: unary scores,
        filters of all lower orders, the order's predictor. ``us_dense_per_word``: exact Viterbi
        over all 26^n n-grams with the same predictor, up to order 4.
    """
    words = data.load_words()
    chosen = np.flatnonzero(words.folds == model.test_fold)
    rows, lengths = data.rows_of(words, chosen)
    table = DenseRows(experiment.shipped_features(model.settings, model.fourier)[rows])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    batches = [
        (DenseRows(table.values[starts[i] : starts[min(i + batch, len(chosen))]]), lengths[i : i + batch])
        for i in range(0, len(chosen), batch)
    ]
    out, n_dense = [], min(dense_words, len(chosen))
    for order in range(1, len(model.cascade.levels) + 1):
        level = model.cascade.levels[order - 1]
        dense = dense_model(level.predictor.table, order) if order <= experiment.DENSE_ORDERS else None
        cascade_us, dense_us = [], []
        for _ in range(repeats + 1):
            begin = time.perf_counter()
            for part, part_lengths in batches:
                _run_cascade(model.cascade, part, part_lengths, order)
            cascade_us.append(1e6 * (time.perf_counter() - begin) / len(chosen))
            if dense is not None:
                begin = time.perf_counter()
                unary = unary_scores(table, level.predictor.weights)
                per_word = (time.perf_counter() - begin) / len(chosen)
                begin = time.perf_counter()
                for w in range(n_dense):
                    dense_decode(dense, unary[starts[w] : starts[w + 1]])
                dense_us.append(1e6 * ((time.perf_counter() - begin) / n_dense + per_word))
        out.append(
            {
                "us_per_word": float(np.median(cascade_us[1:])),
                "us_dense_per_word": float(np.median(dense_us[1:])) if dense_us else None,
            }
        )
    return out


def _run_cascade(cascade, table, lengths, order):
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, order - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return predict(cascade.levels[order - 1], lattice, table)


def reproduce_sweep(executor, *, features=("raw",), folds=1, quick=False, tick=None):
    """Filter loss against efficiency loss for SPC, perceptron and CRF filters at levels 1 and 2.

    All three filter the same space: everything at level 1, what the cascade's own level 1 left at
    level 2. Perceptron and SPC are thresholded at alpha max + (1 - alpha) mean of max-marginals,
    the CRF at a global alpha on sum-product marginals.

    Returns
    -------
    dict
        Rows: ``level``, ``method``, ``split`` ("dev", "test"), and lists ``alpha``,
        ``filter_loss`` (some n-gram of the truth pruned; percent), ``filter_loss_definition``
        (Definition 1; percent, None for the CRF), ``efficiency_loss`` (percent).
    """
    start = time.perf_counter()
    folds = _checked_run(features, folds, 2)
    done = run_all(executor, sweep_fold, [(f, k, quick) for f in features for k in range(folds)], tick)
    rows = [row for run in done for row in run]
    return describe(
        "ocr-sweep",
        "Luo, summary of SPC, section 5.2; Weiss (2013), thesis, section 4.5",
        rows,
        baselines=[],
        settings={
            "features": {name: asdict(experiment.settings_for(name, 2, quick)) for name in features},
            "dev_fold": "the fold after the test fold; neither is trained on",
            "random_state": RANDOM_STATE,
        },
        data={"ocr": data.load_words()._asdict()},
        seconds=time.perf_counter() - start,
    )


def sweep_fold(features, fold, quick, n_points=200):
    """Curves of one test fold; development on the next fold, training on the other eight."""
    settings = experiment.settings_for(features, 2, quick)
    dev = (fold + 1) % data.N_FOLDS
    model = experiment.train(settings, fold, RANDOM_STATE, skip_folds=(dev,)).model
    words = data.load_words()
    every = experiment.shipped_features(settings, model.fourier)
    splits = {
        "train": ~np.isin(words.folds, [fold, dev]),
        "dev": words.folds == dev,
        "test": words.folds == fold,
    }
    rows = []
    rng = np.random.default_rng([RANDOM_STATE, fold, 2])
    problems = {}
    for split, is_in in splits.items():
        chosen, lengths = data.rows_of(words, np.flatnonzero(is_in))
        problems[split] = (DenseRows(every[chosen]), words.labels[chosen], lengths)
    for level in (1, 2):
        filters = _level_filters(model, level, problems["train"], settings, rng)
        for split in ("dev", "test"):
            for method, linear in filters.items():
                table, labels, lengths = problems[split]
                space = _space(model.cascade, level, table, lengths)
                curve = curve_of(method, linear, space, table, labels, n_points)
                rows.append({"features": features, "fold": fold, "level": level, "split": split} | curve)
    return rows


def _space(cascade, level, table, lengths):
    """The lattice that a level filters: everything, or what the cascade's level 1 left."""
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, level - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return lattice


def _level_filters(model, level, train, settings, rng):
    config = settings.config
    table, labels, lengths = train
    problem = prepare(_space(model.cascade, level, table, lengths), table, labels, has_end=config.has_end)
    everything = np.arange(len(lengths))
    losses = {
        "spc": FilterHinge(config.train_alphas[0], config.margin),
        "perceptron": Perceptron(),
        "crf": LogLoss(),
    }
    rates = {"spc": config.filter_rate, "perceptron": 1.0, "crf": 0.3}
    return {
        method: fit(
            problem,
            loss,
            everything,
            rng,
            epochs=config.filter_epochs,
            rate=rates[method],
            gram_rate=config.gram_rate,
        ).model
        for method, loss in losses.items()
    }


def _checked_run(features, folds, n_orders):
    """Refuse what a worker would refuse, before hours of work; returns the number of folds."""
    for name in features:
        experiment.settings_for(name, n_orders)
    return checks.integer("folds", folds, 1, data.N_FOLDS)


def _mean_row(rows):
    """Mean over folds of every number, with the standard error of the accuracies."""
    out = {}
    for key, value in rows[0].items():
        values = [row[key] for row in rows]
        out[key] = value if key in ("features", "order") else float(np.mean(values))
        if key.endswith("accuracy") and len(rows) > 1:
            out[key.replace("accuracy", "stderr")] = float(np.std(values, ddof=1) / np.sqrt(len(rows)))
    return out

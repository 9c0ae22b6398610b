"""Thesis Table 4.2 on two corpora, and filter curves: the results tagging and tagging-whole.

A part is a corpus with a feature set: settings are searched, models trained, and times measured last. The
whole of the English Web Treebank is a separate result: its settings were chosen with a sixth of it.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import numpy as np

from experiments.tagging import equal_loss, parts, search
from experiments.tagging import times as tagging_times
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.model import cascade, settings
from spcviz.registry.problem import Run
from spcviz.shared.linear import wide, with_models
from spcviz.shared.report import describe
from spcviz.shared.work.disk_cache import JSON, load_or_compute, tree_of
from spcviz.shared.work.jobs import run_all
from spcviz.store import digest_of_arrays

SEARCH_CODE = ("experiments.tagging.search",)
"""The modules that compute a trial."""

MODEL_CODE = ("spcviz.problems.tagging.model.cascade",)
"""The modules that compute a method's models, from settings in the key."""

PART_CODE = ("experiments.tagging.parts",)
"""The modules that compute a part's figures."""

TIMES_CODE = (*PART_CODE, "experiments.tagging.times")
"""The modules that compute its times."""

PARTS = [(data, features) for data in ("wsj", "ewt") for features in ("full", "paper")]
"""Parts in this order; the command line calls them folds."""
WHOLE_PARTS = [(settings.WHOLE, "full")]
BASELINE = (
    "dense_decode: this project's own vectorised exact Viterbi over all K^2 bigrams a position, "
    "one sentence a call, one thread"
)
CHOSEN_ON = (
    "development sentences (EWT: its own; WSJ: the second last tenth of the files). Test figures of earlier "
    "settings had been seen by then: slightly optimistic"
)


_ALIKE = "dropout, start at the level before, most passes and patience as the others"
LEARNING = {
    "full": "averaged perceptron on all K^2 bigrams a position, from zero",
    "spc": f"regularised filter loss (4.8), margin 1 a position, step eta / (1 + eta lambda t); {_ALIKE}",
    "spc_no_dropout": "as spc, without dropout",
    "spc_cold": "as spc, each level from zero",
    "spc_short": "as spc, as few passes and as little patience as spc_thesis",
    "spc_thesis": "the thesis' learning: regularised filter loss (4.8), margin 1 a position, from zero, step "
    "eta / (1 + eta lambda t), the best of the five starting alphas, early stopping; eta and lambda chosen "
    "at alpha 0.2 on held-out parts of WSJ's training sentences",
    "spc_log_loss_start": "not the thesis: passes over the log loss at a constant step, then a few over the "
    "filter loss at margin 0.3, no regulariser but dropout",
    "crf": f"log loss at a constant step; {_ALIKE}; a tag goes where its sum-product marginal "
    "is at most alpha",
    "crf_no_dropout": "as crf, without dropout",
    "perceptron": f"structured perceptron at a constant step; {_ALIKE}; pruned as the SPC",
    "tags": "no filter is learnt: tags seen with the word in training; the weights of full among them",
}
"""How each method learns, in words."""
MEANINGS = {
    "tuned": "alphas: on parts of the training sentences that the filter did not see; below 0 the threshold "
    "lies below the mean, a CRF's alpha is a probability",
    "tried": "settings of spc, crf and perceptron, as many for each; score: geometric mean of the bigrams a "
    "position where 3 to 7 % of development sentences are lost; the least is taken. All of EWT takes what "
    "was taken for every sixth of its training sentences",
    "passes": "over the training sentences, at most; levels say how many there were",
    "warm": "whether a level begins at the level before",
    "us_inference": "from tables of unary scores to labels; full: dense_decode, sentence by "
    "sentence; the others: 128 sentences a call, by fans (CRF: by lattices, which takes longer); CPU time of "
    "one thread, medians of turns",
    "us_total": "from strings: feature codes, numbers, scores, labels",
    "states": "bigrams a position that the final trigram perceptron sees",
    "tokens_right": "cascades: a perceptron begun at the last filter, on the pruned lattice; "
    "full, tags: the dense perceptron",
}
"""Meanings of settings and keys."""


def table(run: Run) -> dict:
    """Table 4.2; if only some features were requested, the stored result's rows of the others are kept."""
    result = measured_table(run)
    return merge_results(run.earlier, result) if run.earlier else result


def whole(run: Run) -> dict:
    """Table 4.2 on all training sentences of the English Web Treebank."""
    return measured_table(run, WHOLE_PARTS)


def measured_table(run: Run, known: Sequence[tuple[str, str]] = PARTS) -> dict:
    """Table 4.2 on the first `run.folds` of the `known` parts, and filters at equal sentences lost."""
    features, executor, tick = run.features or settings.FEATURES, run.executor, run.tick
    jobs = [(data, name, run.quick, run.work) for data, name in known[: run.folds] if name in features]
    chosen = [(settings.settings_for(*job[:3]), run.work) for job in jobs]
    searched = [settings.searched_on(entry[0]) for entry in chosen]
    asked = [((s.data, s.features, *job[2:]), which) for job, s in zip(jobs, searched) for which in _tries(s)]
    tries = [(" ".join(job[:2]), " ".join(map(str, which)), *job[2:]) for job, which in asked]
    run_all(executor, try_settings, sorted(tries, key=lambda job: job[1].split()[1]), tick)
    trainings = [(" ".join(job[:2]), m, *job[2:]) for job in jobs for m in _with_models(job[0])]
    run_all(executor, train_method, trainings, tick)
    done = run_all(executor, run_part, jobs, tick)
    # After all training, and one after another: no other job of ours runs during a measurement.
    times = [timed for job in jobs for timed in run_all(executor, time_part, [job], tick)]
    corpora = {
        data: arrays_of_corpus(cascade.corpus_of(data))
        for data in dict.fromkeys(settings.corpus_of(data) for data, _ in known)
    }
    tables = [_tables_of(part, timed) for part, timed in zip(done, times)]
    named = [f"{part['data']} {part['features']}" for part in done]
    by_part = [(name, made["rows"], part["equal"]) for name, made, part in zip(named, tables, done)]
    return describe(
        run.name,
        "Weiss (2013), thesis, Table 4.2; Luo, summary of SPC, section 5.2",
        [
            row | {"learnt": LEARNING[row["method"]], "paper": settings.PAPER.get(row["method"])}
            for entry in tables
            for row in entry["rows"]
        ],
        baselines=[entry["baseline"] for entry in tables],
        settings={
            "parts": [_settings_in_full(*entry) for entry in chosen],
            "random_state": cascade.RANDOM_STATE,
            "bootstrap": {"draws": equal_loss.N_DRAWS, "of": "test sentences"}
            | {"random_state": equal_loss.RANDOM_STATE, "interval": list(equal_loss.INTERVAL)},
            "chosen_on": CHOSEN_ON,
            "learnt": LEARNING,
        }
        | MEANINGS,
        data=corpora,
        fold_rows=[{"fold": name, "rows": rows + more} for name, rows, more in by_part],
        curves=[row for part in done for row in part["curves"]],
        equal=[row for part in done for row in part["equal"]],
        orders=[row for entry in tables for row in entry["orders"]],
        tried=[row for entry in chosen for row in _tried_rows(*entry)],
        corpora={name: digest_of_arrays(corpora[settings.corpus_of(name.split()[0])]) for name in named},
    )


def _tables_of(part, timed):
    """Figures of one part with its times: ``rows``, ``orders``, ``baseline``."""
    about, methods = {"data": part["data"], "features": part["features"]}, timed["methods"]
    us = {key: methods["full"][key] for key in ("us_inference", "us_total")}
    named = [about | {"method": method} for method in settings.methods_of(part["data"])]
    figures, learning = part["figures"], part["learning"]
    times = [timed["orders"][row["method"]].get(str(row["order"])) for row in part["orders"]]
    return {
        "rows": [row | figures[m] | methods[m] | learning[m] for row in named for m in [row["method"]]],
        "orders": [row | {"us_inference": us} for row, us in zip(part["orders"], times)],
        "baseline": about | {"method": "full", "is": BASELINE} | us,
    }


def _settings_in_full(of_part, folder):
    """Settings of a part, with each method's configuration."""
    configs = _configs(of_part, folder)
    return asdict(of_part) | {"methods": {m: asdict(config) for m, config in configs.items()}}


def _tries(of_part):
    """(method, number) of all trials of a part; a quick run makes two for each method."""
    counts = {m: 2 if of_part.is_quick else len(settings.tries_of(of_part, m)) for m in settings.SEARCHED}
    return [(method, number) for method, n in counts.items() for number in range(n)]


def try_settings(part, which, quick, folder):
    """Run one trial ("spc 3") of one part ("wsj full"), unless it is stored."""
    method, number = which.split()
    _try(settings.settings_for(*part.split(), quick), method, int(number), folder)


def _try(of_part, method, number, folder):
    """The result of `search.run_try`, computed or stored."""
    key = {"config": asdict(search.config_of_try(of_part, method, number)), "number": number}
    make = partial(search.run_try, of_part, method, number)
    return _keep(folder, of_part, f"-try-{method}", key, SEARCH_CODE, make)


def _run_tries(of_part, folder):
    """The results of all trials that choose a part's settings."""
    searched = settings.searched_on(of_part)
    return [_try(searched, *one, folder) for one in _tries(searched)]


def _tried_rows(of_part, folder):
    """`_run_tries`, with a mark on the chosen ones."""
    searched, rows = settings.searched_on(of_part), _run_tries(of_part, folder)
    about = {"data": searched.data, "features": searched.features}
    taken = search.pick_best(rows)
    return [about | row | {"is_taken": taken[row["method"]] == row["number"]} for row in rows]


def _configs(of_part, folder):
    """The configuration of each cascade of a part, as searched."""
    picked = search.pick_best(_run_tries(of_part, folder))
    return {m: settings.config_of(of_part, m, picked) for m in settings.cascades_of(of_part.data)}


def merge_results(old: dict, new: dict) -> dict:
    """A result of `measured_table` with an earlier run's rows for the feature sets that it lacks."""
    is_alike = isinstance(old, dict) and new.keys() <= old.keys() and old.get("name") == new["name"]
    if not is_alike or "parts" not in old["settings"]:
        return new  # none, or of another version
    fresh = {row["features"] for row in new["rows"]}
    out = new | {"settings": dict(new["settings"])}

    def joined(before, after):
        rows = [row for row in before if row["features"] not in fresh] + after
        return sorted(rows, key=lambda row: settings.FEATURES.index(row["features"]), reverse=True)

    for key in ("rows", "baselines", "curves", "equal", "orders", "tried"):
        out[key] = joined(old[key], new[key])
    mine = {fold["fold"] for fold in new["fold_rows"]}
    out["fold_rows"] = [fold for fold in old["fold_rows"] if fold["fold"] not in mine] + new["fold_rows"]
    out["fold_rows"].sort(key=lambda fold: [" ".join(part) for part in PARTS].index(fold["fold"]))
    out["corpora"] = old["corpora"] | new["corpora"]
    out["settings"]["parts"] = joined(old["settings"]["parts"], new["settings"]["parts"])
    return out


def train_method(part, method, quick, folder):
    """Train one method of one part ("wsj full"), unless it is stored; returns nothing, models are large."""
    _model(settings.settings_for(*part.split(), quick), method, folder)


def run_part(data, features, quick, folder):
    """One corpus with one feature set, from stored models: the result of `parts.measure_part`."""
    of_part = settings.settings_for(data, features, quick)
    configs = _configs(of_part, folder)

    def make():
        learning = parts.learning_of(of_part, configs)
        return parts.measure_part(of_part, _models(of_part, folder)) | {"learning": learning}

    return _keep(folder, of_part, "", _all_settings(of_part, configs), PART_CODE, make)


def time_part(data, features, quick, folder):
    """Times and accuracies of the same models; delete ``*-times-*.json`` in the folder to time anew."""
    of_part = settings.settings_for(data, features, quick)

    def make():
        part, models = settings.data_of(of_part), _models(of_part, folder)
        cascades = {m: with_models(models[m].cascade, wide) for m in _configs(of_part, folder)}
        return tagging_times.time_methods(part, wide(models["full"]), cascades)

    key = _all_settings(of_part, _configs(of_part, folder))
    return _keep(folder, of_part, "-times", key, TIMES_CODE, make)


def _models(of_part, folder):
    """A part's models in stored form, by method, trained if they are missing."""
    return {method: _model(of_part, method, folder) for method in _with_models(of_part.data)}


def _with_models(data):
    """Methods that have their own model."""
    return ("full", *settings.cascades_of(data))


def _model(of_part, method, folder):
    """One method's model; stored under its own learning settings, whatever other methods use."""
    part = settings.data_of(of_part)
    if method == "full":
        key = {"epochs": of_part.full_epochs}
        make = partial(cascade.train_full_arrays, of_part.full_epochs, part)
    else:
        config, n_orders = _configs(of_part, folder)[method], settings.orders_of(of_part, method)
        key = {"config": asdict(config), "n_orders": n_orders}
        make = partial(cascade.train_cascade_arrays, config, part, n_orders)
    form = tree_of((cascade.Kept, Model))
    return _keep(folder, of_part, f"-{method}", key, MODEL_CODE, make, form)


def _all_settings(of_part, configs):
    """Learning settings of all methods of a part."""
    return {m: asdict(config) for m, config in configs.items()} | {"full": of_part.full_epochs}


def _keep(folder, of_part, what, key, modules, make, form=JSON):
    """`load_or_compute` for one part."""
    about = {"what": what, "features": [of_part.features, of_part.least]}
    about["data"] = digest_of_arrays(arrays_of_corpus(settings.data_of(of_part).corpus))
    key = about | {"random_state": cascade.RANDOM_STATE} | key
    return load_or_compute(
        folder, f"tagging-{of_part.data}-{of_part.features}{what}", key, modules, make, form
    )


def arrays_of_corpus(corpus):
    """Words, tags and lengths of all splits of a corpus as arrays."""
    arrays = {}
    for split, part in corpus.items():
        text = "\n".join([*part.tag_set, "", *part.words])
        arrays[f"{split} text"] = np.frombuffer(text.encode(), dtype=np.uint8)
        arrays[f"{split} tags"], arrays[f"{split} lengths"] = part.tags, part.lengths
    return arrays

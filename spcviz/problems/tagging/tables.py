"""Thesis Table 4.2 on two corpora, and filter curves: what `reproduce tagging` runs.

One part is one corpus with one feature set. Finished parts and their models are kept and not run again;
times are measured last, by themselves (see `tagging_times`).
"""

import contextlib
import hashlib
import json
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from spcviz.engine.jit import kernel_digest
from spcviz.engine.lattice import extend, unigrams
from spcviz.learning.cascade.cascade import filter_examples
from spcviz.problems.common.filter_curves import curve_of
from spcviz.problems.common.jobs import run_all
from spcviz.problems.common.report import describe
from spcviz.problems.tagging import cascade as experiment
from spcviz.problems.tagging import times as tagging_times
from spcviz.problems.tagging.data import allowed_tags, seen_tags
from spcviz.store import digest_of_arrays, write_json_atomic

_SOURCES = kernel_digest()
PARTS = [(data, features) for features in ("full", "paper") for data in ("wsj", "ewt")]
BASELINE = (
    "dense_decode: this project's own vectorised exact Viterbi over all K^2 bigrams a position, "
    "one sentence a call, one thread"
)
CHOSEN_ON = (
    "development sentences (EWT: its own; WSJ: the second last tenth of the files). Test figures of earlier "
    "settings had been seen by then: slightly optimistic"
)


def reproduce_tagging(executor, *, features=experiment.FEATURES, quick=False, folder=None, tick=None):
    """Table 4.2 for both corpora, and the curves of SPC, CRF and perceptron filters.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    features : sequence of str
    quick : bool
        Few passes over the data.
    folder : Path, optional
        Where finished parts are kept.
    tick : callable, optional

    Returns
    -------
    dict
        See `spcviz.problems.common.report.describe`; rows as the contract says (percent, microseconds a
        sentence); ``curves``: rows of `curve_of`; ``orders``: every order of the SPC.
    """
    jobs = [(data, name, quick, folder) for data, name in PARTS if name in features]
    chosen = [experiment.settings_for(data, name, quick) for data, name, *_ in jobs]
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            jobs = [(*job[:-1], folder) for job in jobs]
        done = run_all(executor, run_part, jobs, tick)
        # After all training and one after the other: nothing of ours runs beside what is timed.
        times = [run for job in jobs for run in run_all(executor, time_part, [job], tick)]
    rows, baselines = [], []
    for part, timed in zip(done, times):
        about = {"data": part["data"], "features": part["features"]}
        for method in experiment.METHODS:
            found = about | {"method": method} | part["figures"][method] | timed["methods"][method]
            rows.append(found | {"paper": experiment.PAPER[method]})
        us = {key: timed["methods"]["full"][key] for key in ("us_inference", "us_total")}
        baselines.append(about | {"method": "full", "is": BASELINE, **us})
    return describe(
        "tagging",
        "Weiss (2013), thesis, Table 4.2; Luo, summary of SPC, section 5.2",
        rows,
        baselines=baselines,
        settings={
            "parts": [asdict(settings) for settings in chosen],
            "random_state": experiment.RANDOM_STATE,
            "chosen_on": CHOSEN_ON,
            "us_inference": "from tables of unary scores to labels; full: dense_decode, sentence by "
            "sentence; the others: 128 sentences a call; medians of turns one after the other",
            "us_total": "from strings: feature codes, numbers, scores, labels",
            "states": "bigrams a position that the final trigram perceptron sees",
            "tokens_right": "spc, crf: a perceptron begun at the last filter, on the pruned lattice; "
            "full, tags: the dense perceptron",
        },
        data={},
        seconds=sum(part["seconds"] for part in done),
        curves=[row for part in done for row in part["curves"]],
        orders=[row for part in done for row in part["orders"]],
        corpora={f"{part['data']} {part['features']}": part["digest"] for part in done},
        part_seconds={f"{part['data']} {part['features']}": round(part["seconds"], 1) for part in done},
    )


def merged(old, new):
    """A result with an earlier run's rows for the feature sets that it does not have itself.

    Parameters
    ----------
    old, new : dict
        Results of `reproduce_tagging`, of this or an earlier run.

    Returns
    -------
    dict
    """
    is_alike = isinstance(old, dict) and new.keys() <= old.keys() and old.get("name") == new["name"]
    if not is_alike or "parts" not in old["settings"]:
        return new  # nothing there, or of another time
    fresh = {row["features"] for row in new["rows"]}
    out = new | {"settings": dict(new["settings"])}

    def joined(before, after):
        rows = [row for row in before if row["features"] not in fresh] + after
        return sorted(rows, key=lambda row: experiment.FEATURES.index(row["features"]), reverse=True)

    for key in ("rows", "baselines", "curves", "orders"):
        out[key] = joined(old[key], new[key])
    out["settings"]["parts"] = joined(old["settings"]["parts"], new["settings"]["parts"])
    for key in ("corpora", "part_seconds"):
        kept = {name: value for name, value in old[key].items() if name.split()[-1] not in fresh}
        out[key] = kept | new[key]
    return out | {"seconds": round(sum(out["part_seconds"].values()), 1)}


def run_part(data, features, quick, folder):
    """One corpus with one feature set: train, measure, time.

    Returns
    -------
    dict
        ``figures`` by method, ``curves``, ``orders``, ``seconds``. Its models stay in the folder.
    """
    settings = experiment.settings_for(data, features, quick)
    kept = Path(folder) / _job_name(settings)
    with contextlib.suppress(ValueError, OSError):
        return json.loads(kept.read_text(encoding="utf-8"))
    start = time.perf_counter()
    part = experiment.prepared(data, features, settings.least)
    dense = experiment.train_full(settings, part)
    spc = experiment.train(settings, "spc", part, n_orders=4 if features == "full" else 3).cascade
    crf = experiment.train(settings, "crf", part).cascade
    orders = [
        {"data": data, "features": features, "split": split} | row
        for split in ("dev", "test")
        for row in experiment.evaluate(spc, part, split)
    ]
    spc = experiment.first_orders(spc, experiment.ORDER)
    found = {
        "data": data,
        "features": features,
        "figures": _figures(part, spc, crf),
        "orders": orders,
        "curves": _curves(settings, part, spc, crf),
        "digest": digest_of_arrays({"tags": part.corpus["train"].tags, "test": part.corpus["test"].tags}),
        "seconds": time.perf_counter() - start,
    }
    kept.parent.mkdir(parents=True, exist_ok=True)
    tagging_times.keep_models(kept.with_suffix(".npz"), dense, spc, crf)
    write_json_atomic(kept, found)
    return found


def time_part(data, features, quick, folder):
    """Times and accuracies of the models that `run_part` left there; see `tagging_times.time_methods`.

    They are kept too: delete ``*-times.json`` in the folder to time anew, without training.
    """
    settings = experiment.settings_for(data, features, quick)
    models = Path(folder) / _job_name(settings).replace(".json", ".npz")
    kept = models.with_name(models.stem + "-times.json")
    with contextlib.suppress(ValueError, OSError):
        return json.loads(kept.read_text(encoding="utf-8"))
    part = experiment.prepared(data, features, settings.least)
    found = {"methods": tagging_times.time_methods(part, *tagging_times.kept_models(models, part.n_states))}
    write_json_atomic(kept, found)
    return found


def _job_name(settings):
    about = json.dumps([asdict(settings), experiment.RANDOM_STATE, _SOURCES], sort_keys=True)
    digest = hashlib.sha256(about.encode()).hexdigest()[:16]
    return f"tagging-{settings.data}-{settings.features}-{digest}.json"


def _figures(part, spc, crf):
    """What each method's space has lost and holds, on the test part."""
    test = part.corpus["test"]
    mask = allowed_tags(test, *seen_tags(part.corpus["train"]))
    nothing = {"filter_loss_sentence": 0.0, "filter_loss_token": 0.0, "states": float(part.n_states**2)}
    known = np.maximum(test.tags, 0)
    found = {
        "full": nothing,
        "spc": experiment.evaluate(spc, part, "test")[-1],
        "crf": experiment.evaluate(crf, part, "test")[-1],
        "tags": experiment.losses_in(experiment.trigrams(test.lengths, part.n_states, mask), known),
    }
    wanted = (*nothing, "tags")
    return {name: {k: v for k, v in row.items() if k in wanted} for name, row in found.items()}


def _space(cascade, level, table, lengths):
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, level - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return lattice


def _curves(settings, part, spc, crf, n_points=60):
    """First filter: the bigram model on tags; second: the trigram model on bigrams; three ways each.

    The second stands in the space that the SPC's first leaves, the same for all three.
    """
    rows = []
    train, train_table = part.corpus["train"], part.tables["train"]
    for level in (2, 3):
        methods = {"spc": spc.levels[level - 1].filter, "crf": crf.levels[level - 1].filter}
        space = _space(spc, level, train_table, train.lengths)
        methods["perceptron"] = experiment.train_filter(settings, "perceptron", part, space)
        for split in ("dev", "test"):
            corpus, table = part.corpus[split], part.tables[split]
            space = _space(spc, level, table, corpus.lengths)
            for name, linear in methods.items():
                labels = np.maximum(corpus.tags, 0)
                curve = curve_of(name, linear, space, table, labels, n_points, on_nodes=True)
                about = {"data": settings.data, "features": settings.features}
                rows.append(about | {"filter": level - 1, "split": split} | curve)
    return rows

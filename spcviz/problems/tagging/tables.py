"""Thesis Table 4.2 on two corpora, and filter curves: what `reproduce tagging` runs.

One part is one corpus with one feature set. Finished parts and their models are kept and not run again;
times are measured last, by themselves (see `tagging_times`).
"""

import contextlib
import tempfile
from dataclasses import asdict
from functools import cache, partial

import numpy as np

from spcviz.problems.common.jobs import run_all
from spcviz.problems.common.kept import ARRAYS, JSON, kept
from spcviz.problems.common.report import describe
from spcviz.problems.tagging import cascade, parts
from spcviz.problems.tagging import times as tagging_times
from spcviz.store import digest_of_arrays

PART_CODE = ("spcviz.problems.tagging.parts",)
"""The modules that make models and figures of a part."""

TIMES_CODE = (*PART_CODE, "spcviz.problems.tagging.times")
"""The modules that make its times."""

PARTS = [(data, features) for features in ("full", "paper") for data in ("wsj", "ewt")]
BASELINE = (
    "dense_decode: this project's own vectorised exact Viterbi over all K^2 bigrams a position, "
    "one sentence a call, one thread"
)
CHOSEN_ON = (
    "development sentences (EWT: its own; WSJ: the second last tenth of the files). Test figures of earlier "
    "settings had been seen by then: slightly optimistic"
)


def reproduce_tagging(executor, *, features=cascade.FEATURES, quick=False, folder=None, tick=None):
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
    chosen = [cascade.settings_for(data, name, quick) for data, name, *_ in jobs]
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
        for method in cascade.METHODS:
            found = about | {"method": method} | part["figures"][method] | timed["methods"][method]
            rows.append(found | {"paper": cascade.PAPER[method]})
        us = {key: timed["methods"]["full"][key] for key in ("us_inference", "us_total")}
        baselines.append(about | {"method": "full", "is": BASELINE, **us})
    return describe(
        "tagging",
        "Weiss (2013), thesis, Table 4.2; Luo, summary of SPC, section 5.2",
        rows,
        baselines=baselines,
        settings={
            "parts": [asdict(settings) for settings in chosen],
            "random_state": cascade.RANDOM_STATE,
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
        return sorted(rows, key=lambda row: cascade.FEATURES.index(row["features"]), reverse=True)

    for key in ("rows", "baselines", "curves", "orders"):
        out[key] = joined(old[key], new[key])
    out["settings"]["parts"] = joined(old["settings"]["parts"], new["settings"]["parts"])
    for key in ("corpora", "part_seconds"):
        others = {name: value for name, value in old[key].items() if name.split()[-1] not in fresh}
        out[key] = others | new[key]
    return out | {"seconds": round(sum(out["part_seconds"].values()), 1)}


def run_part(data, features, quick, folder):
    """One corpus with one feature set: train and measure.

    Returns
    -------
    dict
        See `parts.measure_part`. Its models stay in the folder.
    """
    settings = cascade.settings_for(data, features, quick)
    trained = cache(partial(parts.train_part, settings))  # once for both
    _kept_models(settings, folder, trained)
    return _keep(folder, settings, "", PART_CODE, lambda: parts.measure_part(settings, trained()))


def time_part(data, features, quick, folder):
    """Times and accuracies of the models that `run_part` left there; see `tagging_times.time_methods`.

    They are kept too: delete ``*-times-*.json`` in the folder to time anew, without training.
    """
    settings = cascade.settings_for(data, features, quick)

    def make():
        part = cascade.prepared(data, features, settings.least)
        arrays = _kept_models(settings, folder, partial(parts.train_part, settings))
        models = parts.models_of(arrays, part.n_states)
        return {"methods": tagging_times.time_methods(part, *models)}

    return _keep(folder, settings, "-times", TIMES_CODE, make)


def _kept_models(settings, folder, train):
    """Arrays of a part's models, trained if they are not there."""
    return _keep(folder, settings, "-models", PART_CODE, lambda: parts.arrays_of(train()), ARRAYS)


def _keep(folder, settings, what, modules, make, form=JSON):
    """`kept` of something of one part."""
    name = f"tagging-{settings.data}-{settings.features}{what}"
    key = {
        "settings": asdict(settings),
        "random_state": cascade.RANDOM_STATE,
        "data": _digest_of_corpus(cascade.corpus_of(settings.data)),
    }
    return kept(folder, name, key, modules, make, form)


def _digest_of_corpus(corpus):
    """Digest of words, tags and lengths of all splits of a corpus."""
    arrays = {}
    for split, part in corpus.items():
        text = "\n".join([*part.tag_set, "", *part.words])
        arrays[f"{split} text"] = np.frombuffer(text.encode(), dtype=np.uint8)
        arrays[f"{split} tags"], arrays[f"{split} lengths"] = part.tags, part.lengths
    return digest_of_arrays(arrays)

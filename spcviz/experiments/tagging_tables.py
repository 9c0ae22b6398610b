"""Thesis Table 4.2 on two corpora, and filter curves: what `reproduce tagging` runs.

One part is one corpus with one feature set: everything is trained and timed in one process, methods turn
by turn, so that a busy machine slows all of them. Finished parts are kept and not run again.
"""

import contextlib
import hashlib
import itertools
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.engine.dense import dense_decode, dense_model
from spcviz.engine.jit import source_digest
from spcviz.engine.lattice import extend, unigrams
from spcviz.experiments import tagging as experiment
from spcviz.experiments.filter_curves import curve_of
from spcviz.experiments.ocr_tables import run_all
from spcviz.experiments.result import describe
from spcviz.learning.cascade import decode_examples, filter_examples
from spcviz.learning.features import scores_where, unary_scores
from spcviz.store import digest_of_arrays, write_json_atomic
from spcviz.tasks.tagging import allowed_tags, seen_tags
from spcviz.tasks.tagging_features import feature_numbers

_SOURCES = source_digest()
_REPEATS = 9
PARTS = [(data, features) for features in ("full", "paper") for data in ("wsj", "ewt")]


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
        See `spcviz.experiments.result.describe`; rows as the contract says (percent, microseconds a
        sentence); ``curves``: rows of `curve_of`; ``orders``: every order of the SPC.
    """
    start = time.perf_counter()
    jobs = [(data, name, quick, folder) for data, name in PARTS if name in features]
    for data, name, *_ in jobs:
        experiment.settings_for(data, name, quick)
    done = run_all(executor, run_part, jobs, tick)
    done.sort(key=lambda part: (part["data"], part["features"]))
    joined = {key: [row for part in done for row in part[key]] for key in ("rows", "curves", "orders")}
    return describe(
        "tagging",
        "Weiss (2013), thesis, Table 4.2; Luo, summary of SPC, section 5.2",
        joined["rows"],
        baselines=[],
        settings={
            "parts": [asdict(experiment.settings_for(data, name, quick)) for data, name, *_ in jobs],
            "random_state": experiment.RANDOM_STATE,
            "chosen_on": "development sentences (EWT: its own; WSJ: the second last tenth of the files); "
            "test figures were printed beside them while tolerances were set: slightly optimistic",
            "us_inference": "from tables of unary scores to labels; full: dense_decode, sentence by "
            "sentence; the others: 128 sentences a call",
            "us_total": "from strings: feature codes, numbers, scores, labels",
            "states": "bigrams a position that the final trigram perceptron sees",
        },
        data={},
        seconds=sum(part["seconds"] for part in done) or time.perf_counter() - start,
        curves=joined["curves"],
        orders=joined["orders"],
        corpora={f"{part['data']} {part['features']}": part["digest"] for part in done},
    )


def run_part(data, features, quick=False, folder=None):
    """One corpus with one feature set: train, measure, time.

    Returns
    -------
    dict
        ``rows``, ``curves``, ``orders``, ``seconds``.
    """
    settings = experiment.settings_for(data, features, quick)
    kept = None if folder is None else Path(folder) / _job_name(settings)
    if kept is not None:
        with contextlib.suppress(ValueError, OSError):
            return json.loads(kept.read_text(encoding="utf-8"))
    start = time.perf_counter()
    part = experiment.prepared(data, features, settings.least)
    dense = experiment.train_full(settings, part)
    spc = experiment.train(settings, "spc", part, n_orders=4).cascade
    crf = experiment.train(settings, "crf", part).cascade
    orders = [
        {"data": data, "features": features, "split": split} | row
        for split in ("dev", "test")
        for row in experiment.evaluate(spc, part, split)
    ]
    spc = experiment.first_orders(spc, experiment.ORDER)
    rows = _rows(settings, part, dense, spc, crf)
    found = {
        "data": data,
        "features": features,
        "rows": rows,
        "orders": orders,
        "curves": _curves(settings, part, spc, crf),
        "digest": digest_of_arrays({"tags": part.corpus["train"].tags, "test": part.corpus["test"].tags}),
        "seconds": time.perf_counter() - start,
    }
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_json_atomic(kept, found)
    return found


def _job_name(settings):
    about = json.dumps([asdict(settings), experiment.RANDOM_STATE, _SOURCES], sort_keys=True)
    digest = hashlib.sha256(about.encode()).hexdigest()[:16]
    return f"tagging-{settings.data}-{settings.features}-{digest}.json"


def _rows(settings, part, dense, spc, crf):
    test, seen = part.corpus["test"], seen_tags(part.corpus["train"])
    mask = allowed_tags(test, *seen)
    known = np.maximum(test.tags, 0)
    n_bigrams = float(part.n_states**2)
    figures = {
        "full": {"filter_loss_sentence": 0.0, "filter_loss_token": 0.0, "states": n_bigrams},
        "spc": experiment.evaluate(spc, part, "test")[-1],
        "crf": experiment.evaluate(crf, part, "test")[-1],
        "tags": experiment.losses_in(experiment.trigrams(test.lengths, part.n_states, mask), known),
    }
    runs = _runs(part, dense, spc, crf, seen)
    times = {key: [] for key in runs}
    labels = {}
    for _ in range(_REPEATS + 1):  # turn by turn; the first turn compiles
        for key, run in runs.items():
            begin = time.perf_counter()
            labels[key] = run()
            times[key].append(1e6 * (time.perf_counter() - begin) / len(test.lengths))
    rows = []
    for method in experiment.METHODS:
        found = labels[method, "total"]
        if not np.array_equal(found, labels[method, "inference"]):
            raise RuntimeError(f"{method} found two answers")
        row = {"data": settings.data, "features": settings.features, "method": method}
        row["accuracy"] = float(100 * (found == test.tags).mean())
        row |= {
            k: v
            for k, v in figures[method].items()
            if k in ("filter_loss_sentence", "filter_loss_token", "states", "tags")
        }
        row |= {f"us_{kind}": float(np.median(times[method, kind][1:])) for kind in ("inference", "total")}
        rows.append(row | {"paper": experiment.PAPER[method]})
    return rows


def _runs(part, dense, spc, crf, seen):
    """What is timed, by (method, "inference" or "total"): functions of nothing that return labels."""
    test, table, k = part.corpus["test"], part.tables["test"], part.n_states
    viterbi, packed = dense_model(dense.table, experiment.ORDER), dense.packed_weights
    full_unary = unary_scores(table, dense.weights)
    mask = allowed_tags(test, *seen)
    batches = _batches(test.lengths)

    def fresh(batch):
        numbers = feature_numbers(part.vocabulary, test.words[batch.first : batch.last], batch.lengths)
        return experiment.rows_of(numbers, len(part.vocabulary.codes))

    def in_batches(run):
        return lambda: np.concatenate([run(batch) for batch in batches])

    def viterbi_all(unary, lengths):
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return np.concatenate(
            [dense_decode(viterbi, unary[a:b]).labels for a, b in itertools.pairwise(starts)]
        )

    def within(batch, rows, unary):
        words = test._replace(words=test.words[batch.first : batch.last])
        allowed = mask[batch.first : batch.last]
        if rows is not None:
            allowed = allowed_tags(words, *seen)
        return experiment.decode_within(dense, rows, batch.lengths, k, allowed, unary).labels

    def cascade_runs(name, cascade):
        models = [level.filter for level in cascade.levels[:-1]] + [cascade.levels[-1].predictor]
        unaries = [unary_scores(table, model.weights) for model in models]

        def inference(batch):
            ready = [unary[batch.first : batch.last] for unary in unaries]
            return decode_examples(cascade, None, batch.lengths, unaries=ready).labels

        return {
            (name, "inference"): in_batches(inference),
            (name, "total"): in_batches(lambda b: decode_examples(cascade, fresh(b), b.lengths).labels),
        }

    return {
        ("full", "inference"): in_batches(lambda b: viterbi_all(full_unary[b.first : b.last], b.lengths)),
        ("full", "total"): in_batches(lambda b: viterbi_all(scores_where(fresh(b), packed, None), b.lengths)),
        **cascade_runs("spc", spc),
        **cascade_runs("crf", crf),
        ("tags", "inference"): in_batches(lambda b: within(b, None, full_unary[b.first : b.last])),
        ("tags", "total"): in_batches(lambda b: within(b, fresh(b), None)),
    }


class _Batch(NamedTuple):
    first: int
    last: int
    lengths: np.ndarray


def _batches(lengths, size=128):
    """Sentences in batches: their arrays stay in the processor's cache, calls cost little each."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return [
        _Batch(starts[i], starts[min(i + size, len(lengths))], lengths[i : i + size])
        for i in range(0, len(lengths), size)
    ]


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

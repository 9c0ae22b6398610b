"""How long each tagging method takes, turn by turn in one process, and what it answers meanwhile.

A busy machine slows all methods; medians of turns keep their ratio. Models are kept, so that timing can be
repeated on a quiet machine without training.
"""

import itertools
import time
from typing import NamedTuple

import numpy as np

from spcviz.engine.dense import dense_decode, dense_model
from spcviz.learning.cascade.cascade import decode_examples
from spcviz.learning.cascade.features import scores_where, unary_scores
from spcviz.problems.tagging import cascade as experiment
from spcviz.problems.tagging.data import allowed_tags, seen_tags
from spcviz.problems.tagging.features import feature_numbers

REPEATS = 9


def time_methods(part, dense, spc, crf, repeats=REPEATS):
    """Tag the test sentences by every method in turns.

    Parameters
    ----------
    part : Prepared
    dense : Model
    spc, crf : Cascade
        Of three levels.
    repeats : int
        Turns; one more goes before them, for compilation.

    Returns
    -------
    dict of str to dict
        By method: ``accuracy`` (percent of tokens), ``us_inference`` and ``us_total`` (median microseconds
        a sentence).

    Raises
    ------
    RuntimeError
        If a method finds other labels from scores than from strings.
    """
    test = part.corpus["test"]
    runs = _runs(part, dense, spc, crf)
    times, labels = {key: [] for key in runs}, {}
    for _ in range(repeats + 1):
        for key, run in runs.items():
            begin = time.perf_counter()
            labels[key] = run()
            times[key].append(1e6 * (time.perf_counter() - begin) / len(test.lengths))
    out = {}
    for method in experiment.METHODS:
        found = labels[method, "total"]
        if not np.array_equal(found, labels[method, "inference"]):
            raise RuntimeError(f"{method} found two answers")
        out[method] = {"accuracy": float(100 * (found == test.tags).mean())} | {
            f"us_{kind}": float(np.median(times[method, kind][1:])) for kind in ("inference", "total")
        }
    return out


def _runs(part, dense, spc, crf):
    """What is timed, by (method, "inference" or "total"): functions of nothing that return labels."""
    test, table, k = part.corpus["test"], part.tables["test"], part.n_states
    viterbi, packed = dense_model(dense.table, experiment.ORDER), dense.packed_weights
    full_unary = unary_scores(table, dense.weights)
    seen = seen_tags(part.corpus["train"])
    mask = allowed_tags(test, *seen)
    parts = batches(test.lengths)

    def fresh(batch):
        numbers = feature_numbers(part.vocabulary, test.words[batch.first : batch.last], batch.lengths)
        return experiment.rows_of(numbers, len(part.vocabulary.codes))

    def in_batches(run):
        return lambda: np.concatenate([run(batch) for batch in parts])

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


def batches(lengths, size=128):
    """Sentences in batches: their arrays stay in the processor's cache, calls cost little each."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return [
        _Batch(starts[i], starts[min(i + size, len(lengths))], lengths[i : i + size])
        for i in range(0, len(lengths), size)
    ]

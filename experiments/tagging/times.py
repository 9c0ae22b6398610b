"""Time each tagging method, alternating in one process (CPU, medians), and check its answers."""

import itertools
from functools import partial
from typing import NamedTuple

import numpy as np

from experiments.tagging import equal_loss
from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.learning.cascade.cascade import Cascade, decode_examples
from spcviz.learning.cascade.features import scores_where, unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.data.corpora import allowed_tags, seen_tags
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen
from spcviz.problems.tagging.model.features import feature_numbers
from spcviz.shared.clock import turns_us

REPEATS = 9


def time_methods(
    part: experiment.Prepared, dense: Model, cascades: dict[str, Cascade], repeats: int = REPEATS
) -> dict:
    """Tag the test sentences by every method alternately, `repeats` times after one for compilation.

    Returns ``methods``: accuracy with the bootstrap's interval over sentences and median microseconds per
    sentence; ``orders``: those of inference from order 2 on. Raises `RuntimeError` if a method finds other
    labels from scores than from strings.
    """
    test, labels = part.corpus["test"], {}
    runs = _runs(part, dense, cascades)
    calls = {key: lambda key=key, run=run: labels.update({key: run()}) for key, run in runs.items()}
    turns = {key: np.divide(taken, len(test.lengths)) for key, taken in turns_us(calls, repeats).items()}
    us = {key: float(np.median(taken)) for key, taken in turns.items()}
    compared = ("full", *cascades, "tags")
    for method in compared:
        if not np.array_equal(labels[method, "total"], labels[method, "inference"]):
            raise RuntimeError(f"{method} found two answers")
    right = _right({method: labels[method, "total"] == test.tags for method in compared}, test.lengths)
    kinds, orders = ("inference", "total"), {}
    methods = {m: right[m] | {f"us_{kind}": us[m, kind] for kind in kinds} for m in compared}
    for method, row in methods.items():
        row |= {f"us_{kind}_turns": turns[method, kind].tolist() for kind in kinds}
    for method, kind in us:
        if isinstance(kind, int):
            orders.setdefault(method, {})[str(kind)] = us[method, kind]
    for method, by_order in orders.items():
        by_order[str(experiment.ORDER)] = us[method, "inference"]
    return {"methods": methods, "orders": orders}


def _right(is_right, lengths):
    """Words right of each method with the bootstrap's interval, and its comparison with the SPC."""
    weights = equal_loss.draws(len(lengths))
    starts = np.cumsum(lengths) - lengths
    shares = {
        method: 100 * (weights @ np.add.reduceat(right.astype(np.float64), starts)) / (weights @ lengths)
        for method, right in is_right.items()
    }
    out = {}
    for method, share in shares.items():
        low, high = equal_loss.interval(share)
        figures = {"accuracy": float(share[0]), "accuracy_low": low, "accuracy_high": high}
        out[method] = figures | {"right_against_spc": None}
        if method != equal_loss.AGAINST:
            gap = share - shares[equal_loss.AGAINST]
            least, most = equal_loss.interval(gap)
            out[method] |= {
                "right_against_spc": equal_loss.verdict(gap), "right_minus_spc": float(gap[0]),
                "right_minus_spc_low": least, "right_minus_spc_high": most,
            }  # fmt: skip
    return out


def _runs(part, dense, cascades):
    """The timed functions, which return labels, by (method, "inference", "total" or an order)."""
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
        ends = itertools.pairwise(np.concatenate([[0], np.cumsum(lengths)]))
        return np.concatenate([dense_decode(viterbi, unary[a:b]).labels for a, b in ends])

    def within(batch, rows, unary):
        words = test._replace(words=test.words[batch.first : batch.last])
        allowed = mask[batch.first : batch.last]
        if rows is not None:
            allowed = allowed_tags(words, *seen)
        return experiment.decode_within(dense, rows, batch.lengths, k, allowed, unary).labels

    def decoding(cascade, unaries):
        def inference(batch):
            ready = [unary[batch.first : batch.last] for unary in unaries]
            return decode_examples(cascade, None, batch.lengths, unaries=ready).labels

        return in_batches(inference)

    def whole_run(cascade, batch):
        return decode_examples(cascade, fresh(batch), batch.lengths).labels

    def cascade_runs(name, whole):
        filters = [unary_scores(table, level.filter.weights) for level in whole.levels[:-1]]
        runs = {}
        for order in range(2, len(whole.levels) + 1):
            cascade = experiment.first_orders(whole, order)
            last = unary_scores(table, cascade.levels[-1].predictor.weights)
            run = decoding(cascade, [*filters[: order - 1], last])
            if order != experiment.ORDER:
                if name in chosen.ORDERS_OF:
                    runs[name, order] = run
                continue
            runs[name, "inference"], runs[name, "total"] = run, in_batches(partial(whole_run, cascade))
        return runs

    runs = {
        ("full", "inference"): in_batches(lambda b: viterbi_all(full_unary[b.first : b.last], b.lengths)),
        ("full", "total"): in_batches(lambda b: viterbi_all(scores_where(fresh(b), packed, None), b.lengths)),
        ("tags", "inference"): in_batches(lambda b: within(b, None, full_unary[b.first : b.last])),
        ("tags", "total"): in_batches(lambda b: within(b, fresh(b), None)),
    }
    for name, cascade in cascades.items():
        runs |= cascade_runs(name, cascade)
    return runs


class _Batch(NamedTuple):
    first: int
    last: int
    lengths: np.ndarray


def batches(lengths, size=128):
    """Sentences in batches: their arrays stay in the processor's cache, and calls have little overhead."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return [
        _Batch(starts[i], starts[min(i + size, len(lengths))], lengths[i : i + size])
        for i in range(0, len(lengths), size)
    ]

"""Time handwriting cascades against exact dense inference, alternating on the same words."""

import time

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.ngrams.dense import DenseModel, decode_kernel, dense_model
from spcviz.learning.cascade.cascade import decode_examples
from spcviz.learning.cascade.features import DenseRows, scores_where
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.shared.clock import medians_us

BATCH = 64
"""Words per call; their arrays then stay in the processor's cache."""


def time_orders(models: dict[str, experiment.OcrModel], repeats: int = 7) -> list[dict]:
    """Microseconds per word at each order: several cascades by name, and dense Viterbi up to `DENSE_ORDERS`.

    All read the test fold's words in the same batches, alternating, from feature vectors to labels; dense
    inference uses the first cascade's predictors. Medians over `repeats` rounds, after an uncounted one.
    """
    one = next(iter(models.values()))
    words, n_words = batches(one)
    runs = {}
    for order in range(1, len(one.cascade.levels) + 1):
        for name, model in models.items():
            levels = model.cascade.levels[:order]
            runs[order, name] = cascade_run(model.cascade._replace(levels=levels))
        if order <= experiment.DENSE_ORDERS:
            runs[order, None] = dense_run(one.cascade.levels[order - 1].predictor, order)
    calls = {key: lambda run=run: [run(*batch) for batch in words] for key, run in runs.items()}
    us = {key: taken / n_words for key, taken in medians_us(calls, repeats, time.perf_counter).items()}
    return [
        {
            "us_per_word": {name: us[order, name] for name in models},
            "us_dense_per_word": us.get((order, None)),
        }
        for order in range(1, len(one.cascade.levels) + 1)
    ]


def batches(model):
    """((features, lengths) of each batch, number of words) of a model's test fold."""
    words = handwriting.load_words()
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(words.folds == model.test_fold))
    values = experiment.shipped_features(model.settings, model.fourier)[rows]
    return batches_of(values, lengths), len(lengths)


def batches_of(values, lengths):
    """(features, lengths) of words in batches, from the rows of their letters."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    parts = ((i, lengths[i : i + BATCH]) for i in range(0, len(lengths), BATCH))
    return [(DenseRows(values[starts[i] : starts[i + len(part)]]), part) for i, part in parts]


def cascade_run(cascade):
    """A function from (features, lengths) of some words to their labels, by filters and predictor."""
    if len(cascade.levels) == 1:  # nothing to filter: both give the best letter of each position
        return dense_run(cascade.levels[0].predictor, 1)
    return lambda table, lengths: decode_examples(cascade, table, lengths).labels


def dense_run(predictor, order):
    """The same function by exact Viterbi over all n-grams of an order."""
    models = [dense_model(predictor.table, n) for n in range(1, order + 1)]
    weights = predictor.packed_weights
    return lambda table, lengths: dense_labels(models, scores_where(table, weights, None), lengths)


def dense_labels(models: list[DenseModel], unary: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Exact Viterbi on many words by models of orders 1 .. n; a shorter word is read at its own length."""
    lengths = np.asarray(lengths, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    labels = np.empty(len(unary), dtype=np.int64)
    for n, model in enumerate(models, start=1):
        chosen = np.flatnonzero(lengths >= n if n == len(models) else lengths == n)
        if len(chosen):
            _decode_words(model.sums, model.begin, model.end, unary, starts, chosen, n, labels)
    return labels


@kernel
def _decode_words(sums, begin, end, unary, starts, chosen, order, labels):
    for w in chosen:
        rows = slice(starts[w], starts[w + 1])
        decode_kernel(sums, begin, end, unary[rows], order, labels[rows])

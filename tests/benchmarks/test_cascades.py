"""Timing on handwriting: which method reads which words in which round; and dense Viterbi on many words."""

import itertools

import numpy as np
import pytest

from benchmarks import cascades
from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.problems.letters.model import cascade as experiment


def test_cascades_and_dense_inference_read_the_same_words_turn_by_turn(words, trained, monkeypatch):
    """All test words, in the same batches, in every round, at every order."""
    seen = []
    dense, fast = cascades.dense_labels, cascades.decode_examples

    def read(name, function):
        def run(*arguments):
            lengths = arguments[-1]
            seen.append((name(arguments[0]), lengths.tolist()))
            return function(*arguments)

        return run

    monkeypatch.setattr(cascades, "dense_labels", read(lambda models: ("dense", len(models)), dense))
    monkeypatch.setattr(cascades, "decode_examples", read(lambda c: ("cascade", len(c.levels)), fast))
    monkeypatch.setattr(experiment, "DENSE_ORDERS", 2)
    monkeypatch.setattr(cascades, "BATCH", 5)
    rows = cascades.time_orders({"a": trained.model, "b": trained.model}, repeats=1)
    assert len(rows) == 3
    assert all(row["us_per_word"][name] > 0 for row in rows for name in "ab")
    assert [row["us_dense_per_word"] is None for row in rows] == [False, False, True]
    lengths = words.lengths[words.folds == 0].tolist()
    turn = 3 * [("dense", 1)] + 2 * [("cascade", 2)] + [("dense", 2)] + 2 * [("cascade", 3)]
    parts = [lengths[i : i + 5] for i in range(0, len(lengths), 5)]
    assert seen == 2 * [(who, part) for who in turn for part in parts]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_dense_labels_are_those_of_every_word_by_itself(order):
    """With words as short as one letter, end marks, and every order below."""
    rng, k = np.random.default_rng(order), 3
    grams = [g for n in (2, 3, 4) for g in itertools.product(range(k + 1), repeat=n) if k not in g[:-1]]
    table = ngram_table(k, [encode(k, g) for g in grams], rng.normal(size=len(grams)))
    lengths = np.array([1, 4, 2, 3, 5, 1])
    unary = rng.normal(size=(lengths.sum(), k))
    models = [dense_model(table, n) for n in range(1, order + 1)]
    labels = cascades.dense_labels(models, unary, lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    expected = [dense_decode(models[-1], unary[a:b]).labels for a, b in itertools.pairwise(starts)]
    assert np.array_equal(labels, np.concatenate(expected))

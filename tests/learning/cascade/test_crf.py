"""The CRF: its likelihood is that of python-crfsuite on the same features, and the filter kinds train."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import bigrams, log_marginals, path_of, score_arcs
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.learning.cascade.cascade import (
    CascadeConfig,
    decode_examples,
    filter_examples,
    predict,
    train_cascade,
)
from spcviz.learning.cascade.features import SparseRows, unary_scores

N_TAGS, N_FEATURES = 4, 12
CONFIG = CascadeConfig(
    tolerances=(0.05, 0.05, 0.05),
    on_nodes=True,
    filter_epochs=3,
    predictor_epochs=3,
    parts=2,
    dropout=0.1,
)


def sentences(n, seed=0):
    """(features, labels, lengths): tags tend to follow each other, features reveal most of them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, n)
    labels = np.zeros(lengths.sum(), dtype=np.int64)
    for i in range(len(labels)):
        labels[i] = (
            (labels[i - 1] + rng.integers(1, 3)) % N_TAGS if rng.random() < 0.8 else rng.integers(N_TAGS)
        )
    shown = np.where(rng.random(len(labels)) < 0.8, labels, rng.integers(0, N_TAGS, len(labels)))
    index = np.stack([shown, 4 + rng.integers(0, 8, len(labels))], axis=1).astype(np.int32)
    return SparseRows(np.arange(len(labels) + 1) * 2, index.reshape(-1), N_FEATURES), labels, lengths


def test_likelihood_is_crfsuites(tmp_path):
    crfsuite = pytest.importorskip("pycrfsuite")
    features, labels, lengths = sentences(40)
    starts = np.r_[0, np.cumsum(lengths)]
    names = [[f"f{f}" for f in row] for row in features.index.reshape(-1, 2)]
    trainer = crfsuite.Trainer(verbose=False, algorithm="lbfgs")
    for a, b in pairwise(starts):
        trainer.append(names[a:b], [str(k) for k in labels[a:b]])
    trainer.set_params({"max_iterations": 15})
    path = str(tmp_path / "model")
    trainer.train(path)
    tagger = crfsuite.Tagger()
    tagger.open(path)
    info = tagger.info()
    weights = np.zeros((N_FEATURES, N_TAGS))
    for (name, tag), value in info.state_features.items():
        weights[int(name[1:]), int(tag)] = value
    pairs = {encode(N_TAGS, [int(a), int(b)]): v for (a, b), v in info.transitions.items()}
    table = ngram_table(N_TAGS, list(pairs), list(pairs.values()))
    lattice = bigrams(lengths, N_TAGS, np.ones((len(labels), N_TAGS), dtype=bool))
    scores = score_arcs(lattice, unary_scores(features, weights), table)
    log_partition, _ = log_marginals(lattice, scores)
    truth = np.add.reduceat(scores[path_of(lattice, labels)], lattice.col_start[:-1])
    for w, (a, b) in enumerate(pairwise(starts)):
        tagger.set(names[a:b])
        theirs = tagger.probability([str(k) for k in labels[a:b]])
        assert_allclose(np.exp(truth[w] - log_partition[w]), theirs, rtol=1e-5)


@pytest.mark.parametrize("method", ["spc", "perceptron", "crf"])
def test_every_method_prunes_and_bulk_decoding_agrees(method):
    features, labels, lengths = sentences(150)
    config = replace(CONFIG, method=method, crf_epochs=2)
    cascade = train_cascade(features, labels, lengths, N_TAGS, config, np.random.default_rng(0)).cascade
    assert cascade.by_marginals == (method == "crf")
    features, labels, lengths = sentences(60, seed=1)
    steps = list(filter_examples(cascade, features, lengths))
    assert steps[0].pruned.keep.sum() < steps[0].lattice.n_arcs  # order 1 filters too
    slow = predict(cascade.levels[-1], steps[-1].lattice, features).labels
    fast = decode_examples(cascade, features, lengths).labels
    assert (slow == fast).mean() > (0.97 if method == "crf" else 0.999)
    assert (fast == labels).mean() > 0.6


def test_bulk_decoding_takes_tables_of_scores():
    features, labels, lengths = sentences(80)
    cascade = train_cascade(features, labels, lengths, N_TAGS, CONFIG, np.random.default_rng(0)).cascade
    models = [level.filter for level in cascade.levels[:-1]] + [cascade.levels[-1].predictor]
    tables = [unary_scores(features, model.weights) for model in models]
    given = decode_examples(cascade, None, lengths, unaries=tables).labels
    assert np.array_equal(given, decode_examples(cascade, features, lengths).labels)
    with pytest.raises(ArgumentError, match="one a level, got 1"):
        decode_examples(cascade, None, lengths, unaries=tables[:1])
    with pytest.raises(ArgumentError, match="at least 2 levels"):
        decode_examples(cascade._replace(levels=cascade.levels[:1]), features, lengths)


def test_unknown_methods_and_shares_are_refused():
    with pytest.raises(ArgumentError, match="method must be one of spc, perceptron, crf"):
        replace(CONFIG, method="svm")
    with pytest.raises(ArgumentError, match="dropout"):
        replace(CONFIG, dropout=1.0)

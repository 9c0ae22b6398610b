"""Small words with weights, for the tests of this folder."""

import numpy as np

from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.engine.variable_order.weights import VariableOrderWeights, checked_weights
from spcviz.learning.hybrid import adaptive
from spcviz.learning.hybrid.records import WordBatch

N_STATES, N_ORDERS, N_TIERS = 4, 4, 3


def weights(rng):
    grams = {tuple(rng.integers(0, N_STATES, n)) for n in range(2, N_ORDERS + 2) for _ in range(20)}
    keys = sorted({encode(N_STATES, gram) for gram in grams})
    table = ngram_table(N_STATES, keys, rng.normal(size=len(keys)))
    states = (rng.normal(1.0, 0.1, (N_TIERS, N_ORDERS)) for _ in range(3))
    single, first, frequency = np.log(rng.dirichlet(np.ones(N_STATES) * 9, 3))
    return checked_weights(VariableOrderWeights(*states, single, first, frequency, table), N_STATES)


def batch(rng, lengths=(5, 3, 1, 6)):
    labels = rng.integers(0, N_STATES, sum(lengths))
    unary = rng.normal(0, 1.5, (len(labels), N_TIERS, N_STATES))
    unary[np.arange(len(labels)), :, labels] += np.array([0.5, 1.5, 3.0])
    unary -= np.log(np.exp(unary).sum(axis=2, keepdims=True))
    return WordBatch(unary, labels, np.concatenate([[0], np.cumsum(lengths)]))


def model(rng, alpha=0.3):
    unfiltered = adaptive.start_model(weights(rng))
    return unfiltered._replace(alphas=np.full_like(unfiltered.alphas, alpha), first_alpha=0.0)

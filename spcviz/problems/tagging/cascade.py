"""Part-of-speech tagging: train cascades and their rivals, measure them, tag words.

Six methods share features, tags and a final averaged perceptron of order 3:

- full: exact dense Viterbi over all K^2 bigrams a position (`dense_perceptron`)
- spc: a unary filter on tags, then the bigram model filters tags, then the trigram model bigrams; each learns
  as the thesis says (4.3): the regularised filter loss with margin 1 a position, from zero, a step that falls
  with the regulariser, alpha from the five the thesis starts with, early stopping
- spc_log_loss_start: the same levels, but each begins with passes over the log loss and ends with a few over
  the filter loss at a small margin: no method of the thesis
- crf: the same levels, trained for log loss, pruned where a sum-product marginal is at most alpha
- perceptron: the same levels, trained as structured perceptrons, pruned as the SPC is
- tags: only tags that training saw with the word, and the dense perceptron's weights among them

In one point all cascades depart from the thesis: there the bigram model filters all K tags; here a unary
filter goes before it, for all K^2 bigrams of a corpus do not fit into memory at once.

A cascade's perceptron is trained on the pruned lattice and begins at its level's filter: on development
sentences it is right more often than one that begins at zero or at the dense perceptron's weights (WSJ: 96.9
against 96.4 and 96.5 % of words). A pruned lattice leaves few errors to learn from, and the 4 % of training
sentences whose truth was pruned teach nothing, so a perceptron from zero makes too few steps there.

Settings were chosen on development sentences, but test figures were in sight meanwhile (printed beside
them when tolerances were set), so test figures may be slightly optimistic.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.lattice import bigrams, decode, extend, score_arcs, states_left, unigrams
from spcviz.engine.space import path_of
from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, filter_examples, predict, train_cascade
from spcviz.learning.cascade.dense_perceptron import fit_dense
from spcviz.learning.cascade.features import SparseRows, scores_where
from spcviz.learning.cascade.online import Model
from spcviz.problems.common.folders import data_folder
from spcviz.problems.tagging import data as tagging
from spcviz.problems.tagging.features import feature_codes, numbers_of, vocabulary

RANDOM_STATE = 7
METHODS = ("full", "spc", "spc_log_loss_start", "crf", "perceptron", "tags")
CASCADES = METHODS[1:5]
"""Those that filter level by level."""
ORDERS_OF = ("spc", "spc_log_loss_start")
"""Trained up to `MAX_ORDER` where features are rich; the others up to the order of the final perceptron."""
FEATURES = ("paper", "full")
ORDER = 3
"""Of the final perceptron: the thesis found trigrams best."""
MAX_ORDER = 5
"""The thesis went up to 5-grams of tags."""
STARTING_ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Thesis 4.5.1."""

PAPER = {
    "full": {"accuracy": 96.83, "filter_loss": 0.0, "ms": 173.28, "states": 1935.7},
    "spc": {"accuracy": 96.82, "filter_loss": 0.121, "ms": 1.56, "states": 3.93},
    "spc_log_loss_start": None,
    "crf": {"accuracy": 96.84, "filter_loss": 0.024, "ms": 4.16, "states": 11.845},
    "perceptron": None,
    "tags": {"accuracy": None, "filter_loss": 0.118, "ms": 10.6, "states": 95.39},
}
"""Thesis Table 4.2: all of the Wall Street Journal, word-tag features, milliseconds a sentence."""


@dataclass(frozen=True)
class TagSettings:
    """What is trained.

    Attributes
    ----------
    data : {"ewt", "wsj"}
    features : {"paper", "full"}
    least : int
        Features seen less often in training are unknown.
    config : CascadeConfig
        Of the SPC that begins with the log loss; the others take what they share, see `config_of`.
    full_epochs : int
        Passes of the dense perceptron.
    """

    data: str
    features: str
    least: int
    config: CascadeConfig
    full_epochs: int = 6


_BASE = CascadeConfig(
    on_nodes=True,
    gram_rate=0.04,
    parts=3,
    crf_epochs=8,
    crf_rate=5.0,
    filter_epochs=3,
    filter_rate=0.3,
    train_alphas=(0.2,),
    margin=0.3,
    dropout=0.25,
    predictor_epochs=4,
    predictor_rate=0.3,
    warm_predictor=True,
)
_TOLERANCES = {
    ("wsj", "full"): (0.015, 0.03, 0.03, 0.03),
    ("ewt", "full"): (0.005, 0.023, 0.03, 0.03),
    ("wsj", "paper"): (0.02, 0.05, 0.03, 0.03),
    ("ewt", "paper"): (0.02, 0.05, 0.03, 0.03),
}
"""Share of sentences that each level may lose on development data: 0.5 % of EWT's are 63, of WSJ's 17."""


def settings_for(data, features, quick=False):
    """The chosen settings; `quick` makes fewer passes.

    Raises
    ------
    ArgumentError
        If a name is unknown.
    """
    if (data, features) not in _TOLERANCES:
        names = ", ".join(f"{d} {f}" for d, f in _TOLERANCES)
        raise ArgumentError(f"data and features must be one of {names}, got {data!r} {features!r}")
    # An indicator of the word alone is one feature, not 25: gradients are as large, steps must not be.
    gram_rate = _BASE.gram_rate if features == "full" else 1.0
    config = replace(_BASE, tolerances=_TOLERANCES[data, features], gram_rate=gram_rate)
    if features == "paper":
        config = replace(config, crf_rate=0.2, filter_rate=0.02, predictor_rate=0.02, dropout=0.1)
        config = replace(config, parts=2, crf_epochs=4, filter_epochs=2)
    elif data == "ewt":  # three times the sentences: two parts leave as many to train on
        config = replace(config, parts=2, crf_epochs=7)
    if quick:
        config = replace(config, crf_epochs=2, filter_epochs=1, predictor_epochs=2)
    return TagSettings(data, features, 2 if features == "full" else 1, config, 2 if quick else 6)


class Prepared(NamedTuple):
    """A corpus as integers.

    Attributes
    ----------
    corpus : dict of str to Corpus
        By split.
    vocabulary : Vocabulary
    tables : dict of str to SparseRows
        By split.
    """

    corpus: dict
    vocabulary: object
    tables: dict

    @property
    def n_states(self):
        return len(self.corpus["train"].tag_set)


def rows_of(numbers, n_features):
    """Feature numbers (R, T) as the learner's rows."""
    start = np.arange(len(numbers) + 1, dtype=np.int64) * numbers.shape[1]
    return SparseRows(start, numbers.reshape(-1), n_features)


@lru_cache(maxsize=2)
def corpus_of(data):
    """The splits of a corpus below SPCVIZ_DATA, read once a process."""
    return tagging.load_corpus(data, data_folder())


@lru_cache(maxsize=2)
def prepared(data, features, least):
    """Read a corpus below SPCVIZ_DATA and number its features, once a process."""
    corpus = corpus_of(data)
    codes = {name: feature_codes(part.words, part.lengths, features) for name, part in corpus.items()}
    known = vocabulary(features, codes["train"], least)
    tables = {name: rows_of(numbers_of(known, c), len(known.codes)) for name, c in codes.items()}
    return Prepared(corpus, known, tables)


def rounded(model):
    """A model with weights that 32 bits hold: what is measured is what can be stored."""
    return Model(
        model.weights.astype(np.float32).astype(np.float64),
        model.keys,
        model.values.astype(np.float32).astype(np.float64),
    )


def _rounded_cascade(cascade):
    levels = [
        level._replace(filter=rounded(level.filter), predictor=rounded(level.predictor))
        for level in cascade.levels
    ]
    return cascade._replace(levels=tuple(levels))


_THESIS = {
    "full": {"filter_rate": 30.0, "decay": 1e-4},
    "paper": {"filter_rate": 0.4, "decay": 1e-4},
}
"""First step and lambda of the thesis' learning, by features; chosen on development sentences."""


def config_of(settings, method):
    """The cascade of a method; the CRF and the perceptron make as many passes as the two losses together."""
    config = settings.config
    if method == "spc_log_loss_start":
        return config
    if method == "spc":
        return replace(
            config,
            **_THESIS[settings.features],
            train_alphas=STARTING_ALPHAS,
            margin=1.0,
            falling=True,
            patience=1,
            filter_epochs=config.crf_epochs,
            crf_epochs=0,
            warm_start=False,
            dropout=0.0,
        )
    epochs = config.crf_epochs + config.filter_epochs
    rate = config.crf_rate if method == "crf" else config.predictor_rate
    return replace(config, method=method, filter_epochs=epochs, filter_rate=rate, crf_epochs=0)


def tolerances_of(config, n_orders):
    """The first so many levels' tolerances; the last that is named holds for all after it."""
    last = config.tolerances[-1:] * MAX_ORDER
    return (config.tolerances + last)[:n_orders]


def train(settings, method, data, *, tick=None, n_orders=None):
    """Train a cascade (one of `CASCADES`) on a corpus's training part.

    Parameters
    ----------
    settings : TagSettings
    method : str
    data : Prepared
    tick : callable, optional
    n_orders : int, optional
        Levels; 3 by default, at most 5.

    Returns
    -------
    Trained
        Weights rounded to 32 bits.
    """
    config = config_of(settings, method)
    n_orders = checks.integer("n_orders", ORDER if n_orders is None else n_orders, 2, MAX_ORDER)
    config = replace(config, tolerances=tolerances_of(config, n_orders))
    part, table = data.corpus["train"], data.tables["train"]
    rng = np.random.default_rng(RANDOM_STATE)
    trained = train_cascade(table, part.tags, part.lengths, data.n_states, config, rng, tick=tick)
    return trained._replace(cascade=_rounded_cascade(trained.cascade))


def train_full(settings, data, *, tick=None):
    """The dense trigram perceptron, a `Model`."""
    part, rng = data.corpus["train"], np.random.default_rng(RANDOM_STATE)
    gram_rate = 1.0
    found = fit_dense(
        data.tables["train"],
        part.tags,
        part.lengths,
        data.n_states,
        ORDER,
        rng,
        epochs=settings.full_epochs,
        gram_rate=gram_rate,
        tick=tick,
    )
    return rounded(found.model)


def trigrams(lengths, n_states, allowed):
    """The lattice of order 3 over allowed states."""
    lattice = bigrams(lengths, n_states, allowed)
    return extend(lattice, np.ones(lattice.n_arcs, dtype=bool))


def decode_within(predictor, table, lengths, n_states, allowed, unary=None):
    """Best path among allowed states under a trigram model; `unary` instead of scoring features."""
    lattice = trigrams(lengths, n_states, allowed)
    if unary is None:
        unary = scores_where(table, predictor.packed_weights, allowed)
    return decode(lattice, score_arcs(lattice, unary, predictor.table))


def first_orders(cascade, n_orders):
    """The cascade of the first so many levels."""
    return Cascade(cascade.n_states, cascade.levels[:n_orders], *cascade[2:])


def space_of(cascade, level, table, lengths):
    """What the levels before one leave of some sentences: a `Lattice` of its order."""
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, level - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return lattice


def losses_in(lattice, labels):
    """What a space has lost and what it holds.

    Parameters
    ----------
    lattice : Lattice
    labels : ndarray of int, shape (rows,)

    Returns
    -------
    dict
        ``filter_loss_sentence``: share of sentences whose true path is not there; ``filter_loss_token``:
        of tokens whose true tag is gone (both in percent); ``states``: nodes a position (bigrams at
        order 3); ``tags``: tags left a position.
    """
    truth, left = path_of(lattice, labels), states_left(lattice)
    is_there = np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1])
    return {
        "filter_loss_sentence": float(100 * (1 - is_there.mean())),
        "filter_loss_token": float(100 * (1 - left[np.arange(len(labels)), labels].mean())),
        "states": float(_nodes(lattice) / len(labels)),
        "tags": float(left.sum() / len(labels)),
    }


def _nodes(lattice):
    """Nodes of all examples; of one with a single position its arcs."""
    per_example = np.diff(lattice.node_start[lattice.col_start + np.arange(len(lattice.col_start))])
    arcs = np.diff(lattice.example_start)
    return int(np.where(lattice.order == 1, arcs, per_example).sum())


def evaluate(cascade, data, split):
    """Every order of a cascade on one split.

    Returns
    -------
    list of dict
        ``order``, ``accuracy`` (percent of tokens), `losses_in` the space it predicts within, ``alpha``
        of its filter.
    """
    part, table = data.corpus[split], data.tables[split]
    known = np.maximum(part.tags, 0)  # a tag that training does not have counts as wrong below
    out = []
    for level, step in zip(cascade.levels, filter_examples(cascade, table, part.lengths)):
        found = predict(level, step.lattice, table).labels
        row = {"order": len(out) + 1, "accuracy": float(100 * (found == part.tags).mean())}
        out.append(row | losses_in(step.lattice, known) | {"alpha": float(level.alpha)})
    return out

"""Train and evaluate tagging cascades and the unpruned perceptron, and keep models in 32 bits."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine import checks
from spcviz.engine.ngrams.lattice import bigrams, decode, extend, score_arcs, states_left, unigrams
from spcviz.engine.ngrams.space import Lattice, path_of
from spcviz.learning.cascade.cascade import (
    Cascade,
    CascadeConfig,
    TrainedCascade,
    filter_examples,
    predict,
    train_cascade,
)
from spcviz.learning.cascade.dense_perceptron import fit_dense
from spcviz.learning.cascade.features import SparseRows, scores_where
from spcviz.problems.tagging.data import corpora as tagging
from spcviz.problems.tagging.model.features import feature_codes, numbers_of, vocabulary
from spcviz.shared.folders import data_folder
from spcviz.shared.linear import narrow, wide, with_models

RANDOM_STATE = 7
ORDER = 3
"""Order of the final perceptron: the thesis found trigrams best."""
MAX_ORDER = 5
"""The thesis went up to 5-grams of tags."""


class Prepared(NamedTuple):
    """A corpus as integers."""

    corpus: dict[str, tagging.TaggedCorpus]  # by split
    vocabulary: object  # WordVocabulary
    tables: dict[str, SparseRows]  # by split

    @property
    def n_states(self):
        return len(self.corpus["train"].tag_set)


def rows_of(numbers, n_features):
    """Indices of features (R, T) as the learner's rows."""
    start = np.arange(len(numbers) + 1, dtype=np.int64) * numbers.shape[1]
    return SparseRows(start, numbers.reshape(-1), n_features)


@lru_cache(maxsize=2)
def corpus_of(data):
    """The splits of a corpus below SPCVIZ_DATA, read once per process."""
    return tagging.load_corpus(data, data_folder())


@lru_cache(maxsize=2)
def prepare_corpus(data, features, least, every=1):
    """A corpus below SPCVIZ_DATA, with one in `every` training sentences, its features numbered."""
    corpus = dict(corpus_of(data))
    corpus["train"] = tagging.thin_corpus(corpus["train"], every)
    codes = {name: feature_codes(part.words, part.lengths, features) for name, part in corpus.items()}
    known = vocabulary(features, codes["train"], least)
    tables = {name: rows_of(numbers_of(known, c), len(known.codes)) for name, c in codes.items()}
    return Prepared(corpus, known, tables)


def round_weights(model):
    """A model with weights rounded to 32 bits: what is measured is what can be stored."""
    return wide(narrow(model))


def tolerances_of(config, n_orders):
    """Tolerances of the first `n_orders` levels; the last one given holds for all later levels."""
    last = config.tolerances[-1:] * MAX_ORDER
    return (config.tolerances + last)[:n_orders]


def train(
    config: CascadeConfig, data: Prepared, *, tick: Callable | None = None, n_orders: int = ORDER
) -> TrainedCascade:
    """Train a cascade of at most 5 levels on a corpus's training part; weights are rounded to 32 bits."""
    n_orders = checks.integer("n_orders", n_orders, 2, MAX_ORDER)
    config = replace(config, tolerances=tolerances_of(config, n_orders))
    part, table = data.corpus["train"], data.tables["train"]
    rng = np.random.default_rng(RANDOM_STATE)
    trained = train_cascade(table, part.tags, part.lengths, data.n_states, config, rng, tick=tick)
    return trained._replace(cascade=with_models(trained.cascade, round_weights))


def train_full(epochs, data, *, tick=None):
    """The dense trigram perceptron after `epochs` passes, a `Model`."""
    part, rng = data.corpus["train"], np.random.default_rng(RANDOM_STATE)
    given = data.tables["train"], part.tags, part.lengths, data.n_states, ORDER, rng
    return round_weights(fit_dense(*given, epochs=epochs, gram_rate=1.0, tick=tick).model)


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
    """The cascade of the first `n_orders` levels."""
    return Cascade(cascade.n_states, cascade.levels[:n_orders], *cascade[2:])


def space_of(cascade, level, table, lengths):
    """The space that the levels before `level` leave of some sentences: a `Lattice` of its order."""
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, level - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return lattice


def losses_in(lattice: Lattice, labels: np.ndarray) -> dict:
    """True labels lost from a space, in percent of sentences and of tokens, and the size of the space."""
    truth, left = path_of(lattice, labels), states_left(lattice)
    is_there = np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1])
    return {
        "filter_loss_sentence": float(100 * (1 - is_there.mean())),
        "filter_loss_token": float(100 * (1 - left[np.arange(len(labels)), labels].mean())),
        "states": float(_nodes(lattice) / len(labels)),
        "tags": float(left.sum() / len(labels)),
    }


def _nodes(lattice):
    """Number of nodes of all examples; for one with a single position, of its arcs."""
    per_example = np.diff(lattice.node_start[lattice.col_start + np.arange(len(lattice.col_start))])
    arcs = np.diff(lattice.example_start)
    return int(np.where(lattice.order == 1, arcs, per_example).sum())


def evaluate(cascade, data, split) -> list[dict]:
    """Accuracy of every order of a cascade on one split, with `losses_in` the space it predicts within."""
    part, table = data.corpus[split], data.tables[split]
    known = np.maximum(part.tags, 0)  # a tag that training does not have counts as wrong below
    out = []
    for level, step in zip(cascade.levels, filter_examples(cascade, table, part.lengths)):
        labels = predict(level, step.lattice, table).labels
        row = {"order": len(out) + 1, "accuracy": float(100 * (labels == part.tags).mean())}
        out.append(row | losses_in(step.lattice, known) | {"alpha": float(level.alpha)})
    return out


LEVEL_FIGURES = ("tolerance", "lost_held_out", "lost_held_out_in_all", "train_alpha", "n_passes")


class Kept(NamedTuple):
    """A trained cascade."""

    cascade: Cascade  # its models as by `spcviz.shared.linear.narrow`
    # (levels,): figures of each level from training, by the names in `LEVEL_FIGURES`
    found: dict[str, np.ndarray]


def train_full_arrays(epochs, part):
    """Train the dense perceptron on a `Prepared`: a `Model` as by `narrow`."""
    return narrow(train_full(epochs, part))


def train_cascade_arrays(config, part, n_orders):
    """Train a cascade on a `Prepared`: a `Kept`."""
    trained = train(config, part, n_orders=n_orders)
    in_all = np.array([report.was_pruned for report in trained.reports])
    figures = {
        "tolerance": tolerances_of(config, n_orders),
        "lost_held_out": newly_lost(in_all),
        "lost_held_out_in_all": in_all,
        "train_alpha": [report.train_alpha for report in trained.reports],
        "n_passes": [report.n_passes for report in trained.reports],
    }
    figures = {name: np.array(figures[name], dtype=np.float64) for name in LEVEL_FIGURES}
    return Kept(with_models(trained.cascade, narrow), figures)


def newly_lost(in_all):
    """Share that each level loses of what reaches it, from the shares lost after each (rising).

    >>> newly_lost(np.array([0.2, 0.2, 0.6])).round(6)
    array([0.2, 0. , 0.5])
    """
    before = np.concatenate([[0.0], in_all[:-1]])
    return (in_all - before) / np.maximum(1.0 - before, 1e-12)


def levels_of(kept) -> list[dict]:
    """A row for each level of a kept cascade, losses and tolerances in percent of the sentences, held out.

    ``is_kept``: whether some alpha keeps the tolerance (if none does, alpha is 0); ``lost_held_out_in_all``:
    including those lost at earlier levels.
    """
    rows = []
    for t, level in enumerate(kept.cascade.levels):
        row = {"order": t + 1} | {name: float(kept.found[name][t]) for name in LEVEL_FIGURES}
        is_kept = row["lost_held_out"] <= row["tolerance"] + 1e-9
        row |= {name: 100 * row[name] for name in LEVEL_FIGURES[:3]}
        row["n_passes"] = int(row["n_passes"])
        rows.append(row | {"alpha": float(level.alpha), "is_kept": is_kept})
    return rows

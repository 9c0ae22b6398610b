"""Turn any model or scores of a visitor into a cascade, for the lattice view.

A perceptron or CRF is a cascade of two levels with one model, which filters labels, then pairs of labels, and
decodes. Scores of another model form such a cascade, too: its features are the positions themselves, each
with its own row of weights, so that every score is kept as it was given. Tables hold finite weights only:
`foreign.look_at` has replaced -inf by a penalty.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import marginals_batch
from spcviz.engine.ngrams.lattice import bigrams, extend, score_arcs
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.ngrams.space import extended_size, path_of
from spcviz.engine.thresholds import filtering, rule
from spcviz.learning.cascade.config import Cascade, Level
from spcviz.learning.cascade.features import Features, SparseRows, unary_scores
from spcviz.learning.chains.cascade import model_of
from spcviz.learning.chains.crf import Weights
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.shown import Points
from spcviz.scores.schemes import forbidden_steps
from spcviz.sequences import CascadeTagger, encoding
from spcviz.sequences.lattices import features_of

MAX_ARCS = 20_000
FIRST, LAST = "^", "$"
"""Features of the first and the last word of a sentence where rules say what may begin or end one."""


class SentenceReader(NamedTuple):
    """A model that reads sentences: its cascade, labels and features."""

    cascade: Cascade
    labels: tuple[str, ...]
    vocabulary: dict[str, int]
    template: templates.Template


def reader_of(tagger: Any, alphas: tuple[float, ...] = ()) -> SentenceReader:
    """A fitted tagger as a reader; `alphas` are the thresholds if it has none.

    Raises `ValueError` if its features are not those of a template.
    """
    if tagger.vocabulary_ is None:
        raise ValueError("The model reads arrays of numbers; this page makes named features of words.")
    names = dict.fromkeys(name.partition("=")[0] for name in tagger.vocabulary_)
    if any(name in tagger.vocabulary_ for name in names if name != "bias"):
        raise ValueError("Its features have values of numbers; those of a template are there or not.")
    if tagger.n_edges_:
        raise ValueError("It has an intercept; the templates of this page have bias: fit_intercept=False.")
    labels = tuple(str(label) for label in tagger.classes_.tolist())
    template = templates.read_template(" ".join(names))
    return SentenceReader(cascade_of(tagger, alphas), labels, vocabulary_of(tagger), template)


def vocabulary_of(tagger: Any) -> dict[str, int]:
    """Names of features and their indices; with rules, two more for the first and the last word."""
    n = len(tagger.vocabulary_)
    is_ruled = not isinstance(tagger, CascadeTagger) and tagger.constraints is not None
    return tagger.vocabulary_ | {FIRST: n, LAST: n + 1} if is_ruled else tagger.vocabulary_


def cascade_of(tagger: Any, alphas: tuple[float, ...] = ()) -> Cascade:
    """The cascade of a fitted tagger."""
    if not isinstance(tagger, CascadeTagger):
        return of_weights(_rule_weights(tagger), alphas)
    cascade, levels = tagger.cascade_, tagger.cascade_.levels
    first = levels[0].filter
    if len(levels) > 1 and np.array_equal(levels[1].filter.weights, first.weights):  # read from a file twice
        levels = (levels[0]._replace(predictor=first), levels[1]._replace(filter=first), *levels[2:])
    if tagger.has_fallen_back_:  # its first model answers, and filters that use it never lose that answer
        levels = levels[:2]
    return cascade._replace(levels=levels)


def _rule_weights(tagger: Any) -> Weights:
    """The weights of a chain model; a transition that its rules forbid costs more than all else can gain.

    The tables of a cascade hold finite weights only.
    """
    weights = Weights(tagger.state_weights_, tagger.transition_weights_)
    forbidden = forbidden_steps(tagger.constraints, tagger.classes_)
    if forbidden is None:
        return weights
    n_entries = len({name.partition("=")[0] for name in tagger.vocabulary_})
    penalty = 1.0 + 3.0 * (n_entries * float(np.ptp(weights.unary)) + float(np.ptp(weights.pairwise)))
    ends = -penalty * np.stack([forbidden[0].diagonal(), forbidden[2].diagonal()])
    return Weights(np.vstack([weights.unary, ends]), np.where(forbidden[1], -penalty, weights.pairwise))


def of_weights(weights: Weights, alphas: tuple[float, ...] = ()) -> Cascade:
    """A chain model as a cascade that filters labels, and then pairs, with this one model."""
    model = model_of(weights)
    levels = tuple(Level(model, alpha, model) for alpha in (*alphas, 0.0, 0.0)[:2])
    return Cascade(len(weights.pairwise), levels, False, MAX_ARCS, False, 2)


def of_scores(
    emissions: np.ndarray, transitions: np.ndarray, alphas: tuple[float, ...] = ()
) -> tuple[Cascade, SparseRows]:
    """Scores (R, K) of some positions as a cascade, and the features that its weights belong to."""
    rows = np.arange(len(emissions) + 1, dtype=np.int64)
    features = SparseRows(rows, rows[:-1].astype(np.int32), len(emissions))
    return of_weights(Weights(emissions, transitions), alphas), features


def rows_between(features: SparseRows, first: int, last: int) -> SparseRows:
    """Some rows of features."""
    start = features.start[first : last + 1]
    return SparseRows(start - start[0], features.index[start[0] : start[-1]], features.n_features)


def rows_of(reader: SentenceReader, sentences: list[list[str]]) -> Features:
    """Features of some sentences, token by token; those not seen in training are left out."""
    return encode_features(
        [templates.features_of(words, reader.template) for words in sentences], reader.vocabulary
    )


def encode_features(named: list[list[list[str]]], vocabulary: dict[str, int]) -> Features:
    """Named features of some sentences as rows of indices."""
    if FIRST in vocabulary:
        named = [
            [
                names + [FIRST] * (i == 0) + [LAST] * (i == len(sentence) - 1)
                for i, names in enumerate(sentence)
            ]
            for sentence in named
        ]
    return features_of(encoding.encode(named, vocabulary, len(vocabulary)).rows)


def sweep_levels(
    cascade: Cascade, features: Features, lengths: np.ndarray, truth: np.ndarray
) -> list[Points]:
    """Every level over all alphas, with the levels before it at the cascade's own alphas.

    `truth` has a label for each token, -1 where the model does not know it. The first level's max-marginals
    come straight from the chain, without a lattice of all pairs.
    """
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    is_known = np.logical_and.reduceat(truth >= 0, row_start[:-1])
    labels = np.maximum(truth, 0)
    levels = [_first(cascade, features, lengths, labels)]
    for lattice, arc_score, pruned in _prune_levels(cascade, features, lengths, levels[0]):
        path = path_of(lattice, labels)
        is_there = np.logical_and.reduceat(path >= 0, lattice.col_start[:-1])
        of_path = np.add.reduceat(np.where(path >= 0, arc_score[path], 0.0), lattice.col_start[:-1])
        by_definition, event = truth_points(lattice, pruned, path, np.where(is_there, of_path, -np.inf))
        points = filtering.break_points_batch(pruned.values, pruned.starts)
        levels.append(Points(by_definition, event, points, pruned.starts, np.diff(lattice.col_start)))
    lost = [[np.where(is_known, falls, -np.inf) for falls in level[:2]] for level in levels]
    return [level._replace(by_definition=a, event=b) for level, (a, b) in zip(levels, lost)]


def _prune_levels(
    cascade: Cascade, features: Features, lengths: np.ndarray, first: Points
) -> Iterator[tuple]:
    """(lattice, scores of its arcs, how they are pruned) of each level after the first."""
    left = first.points > rule.cap_alpha(cascade.levels[0].alpha)
    lattice = bigrams(lengths, cascade.n_states, left.reshape(-1, cascade.n_states))
    for level in cascade.levels[1:]:
        arc_score = score_arcs(lattice, unary_scores(features, level.filter.weights), level.filter.table)
        pruned = prune(lattice, arc_score, level.alpha, max_arcs=cascade.max_arcs)
        yield lattice, arc_score, pruned
        if level is not cascade.levels[-1]:
            lattice = extend(lattice, pruned.keep)


def by_marginals(cascade: Cascade, features: Features, lengths: np.ndarray, truth: np.ndarray) -> Points:
    """The first level filtered as in a CRF: labels whose probability is at most the threshold are pruned."""
    level = cascade.levels[0]
    unary, steps = unary_scores(features, level.filter.weights), level.filter.pairs.inner
    shares = marginals_batch(unary, lengths, steps).unary
    row_start, rows = np.concatenate([[0], np.cumsum(lengths)]), np.arange(len(truth))
    gold_shares = np.where(truth >= 0, shares[rows, np.maximum(truth, 0)], -np.inf)
    event = np.minimum.reduceat(gold_shares, row_start[:-1])
    return Points(event, event, shares.reshape(-1), row_start * shares.shape[1], lengths.astype(np.int64))


def count_grown(cascade: Cascade, features: Features, lengths: np.ndarray) -> float:
    """n-grams per position, one order above the last level, that all filters together leave."""
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    first = _first(cascade, features, lengths, np.zeros(row_start[-1], dtype=np.int64))
    *_, (lattice, _, pruned) = _prune_levels(cascade, features, lengths, first)
    return float(extended_size(lattice, pruned.keep).sum() / max(row_start[-1], 1))


def _first(cascade: Cascade, features: Features, lengths: np.ndarray, labels: np.ndarray) -> Points:
    """The first level: labels, by the best labelling through each."""
    level = cascade.levels[0]
    unary, steps = unary_scores(features, level.filter.weights), level.filter.pairs.inner
    values = chain.max_marginals_batch(unary, lengths, steps).unary
    row_start, rows = np.concatenate([[0], np.cumsum(lengths)]), np.arange(len(labels))
    starts = row_start * values.shape[1]
    points = filtering.break_points_batch(values.reshape(-1), starts).reshape(values.shape)
    best = chain.decode_batch(unary, lengths, steps).labels
    points[rows, best] = np.inf
    scores = path_scores(unary, steps, labels, row_start)
    definition = filtering.truth_break_points(scores, values.reshape(-1), starts)
    definition[np.logical_and.reduceat(labels == best, row_start[:-1])] = np.inf
    event = np.minimum.reduceat(points[rows, labels], row_start[:-1])
    return Points(np.minimum(definition, event), event, points.reshape(-1), starts, lengths.astype(np.int64))


def path_scores(
    unary: np.ndarray, steps: np.ndarray, labels: np.ndarray, row_start: np.ndarray
) -> np.ndarray:
    """Score of one labelling of each sentence, (W,)."""
    scores = unary[np.arange(len(labels)), labels]
    scores[1:] += np.where(np.isin(np.arange(1, len(labels)), row_start), 0.0, steps[labels[:-1], labels[1:]])
    return np.add.reduceat(scores, row_start[:-1])


def tune_alpha(points: Points, tolerance: float) -> float:
    """The largest alpha at which at most a share of the sentences loses its truth."""
    alive = points.event[points.event > -np.inf]
    return filtering.largest_alpha(alive, checks.fraction("tolerance", tolerance)) if len(alive) else 0.0

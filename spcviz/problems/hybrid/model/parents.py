"""The two methods that SPC-pi combines, as its baselines: SPC (fixed orders) and DMS-pi (bigrams)."""

import numpy as np

from spcviz.engine.chains.quiescent import transposed_tables
from spcviz.engine.ngrams.lattice import extend, path_of, score_arcs, score_labels, unigrams
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.ngrams.table import lookup, symbol_bits
from spcviz.engine.thresholds.filtering import largest_alpha
from spcviz.learning.budgets.chains.ngram_sets import seen_grams
from spcviz.learning.budgets.chains.parts import Parts, no_looks, typical_margin
from spcviz.learning.cascade.cascade import Cascade, Level, decode_examples
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.model.ink import rows_for_cascade

TOLERANCE = 0.003
"""Share of development words that one level may lose: the open vocabulary's."""

N_TUNE = 600
"""Development words that alphas are chosen on."""

MAX_ARCS = 20_000
SEEN = 5


def level_model(world, theta: np.ndarray, tier: int, order: int):
    """The scores of one state for all positions, as a cascade's model; `theta` is (3, T, N)."""
    ink, text, letter = theta[:, tier, order - 1]
    counted = world.counted
    always = text * counted.single + letter * world.weights.frequency
    begins = text * (counted.first - counted.single)
    unary = np.vstack([ink * np.eye(letters.N_STATES), begins, always])
    is_read = counted.size <= order + counted.is_end
    return Model(unary, counted.keys[is_read], text * counted.values[is_read])


def features_of(batch, tier):
    """A cascade's features of a batch of words at a tier."""
    rows = rows_for_cascade(batch.unary[:, tier].astype(np.float32), np.diff(batch.starts))
    return DenseRows(rows)


def cascade(world, theta, tier):
    """A cascade of all orders at one tier; each alpha (0 or more) is the largest development words allow."""
    # With thresholds below the mean, pixels alone keep nearly all of the open vocabulary: order 3 then takes
    # 30 times as long and reads no better, so it would be no rival.
    batch = world.dev.some(np.arange(min(N_TUNE, len(world.dev.starts) - 1)))[0]
    features, levels = features_of(batch, tier), []
    space = unigrams(np.diff(batch.starts), letters.N_STATES)
    for order in range(1, theta.shape[2] + 1):
        model = level_model(world, theta, tier, order)
        unary = unary_scores(features, model.weights)
        scores, truth = score_arcs(space, unary, model.table), path_of(space, batch.labels)
        points = truth_points(
            space, prune(space, scores, 0.0), truth, score_labels(space, unary, model.table, batch.labels)
        )
        is_there = np.logical_and.reduceat(truth >= 0, space.col_start[:-1])
        alpha = max(largest_alpha(points[1][is_there], TOLERANCE), 0.0)
        levels.append(Level(model, alpha, model))
        space = extend(space, prune(space, scores, alpha, max_arcs=MAX_ARCS).keep)
    return Cascade(letters.N_STATES, tuple(levels), False, MAX_ARCS)


def read(cascade, order, features, lengths):
    """Labels read by a cascade's first `order` levels."""
    if order > 1:
        return decode_examples(cascade._replace(levels=cascade.levels[:order]), features, lengths).labels
    unary = unary_scores(features, cascade.levels[0].predictor.weights)
    unary[np.cumsum(lengths) - 1] += cascade.levels[0].predictor.pairs.single
    return unary.argmax(axis=1)


def chains(world, theta, batch, scale=None):
    """A batch as chains of bigrams whose letters' features are bought: `Parts`."""
    weights, (n_rows, n_tiers, n_states) = world.weights, batch.unary.shape
    ink, text, letter = (weight[:, 1][None, :, None] for weight in theta)
    scores = ink * batch.unary + letter * weights.frequency + text * weights.single
    firsts, lasts = batch.starts[:-1], batch.starts[1:] - 1
    scores[firsts] += (text * (weights.first - weights.single))[0]
    pairs, ends = _pairs(weights.table, n_states)
    of_tiers = theta[1, :, 1][:, None, None]
    pairwise = np.ascontiguousarray(np.concatenate([of_tiers * pairs, of_tiers * (pairs + ends)]))
    step = np.tile(np.arange(n_tiers), (n_rows, 1))
    step[lasts] += n_tiers
    best = np.sort(scores[:, 0], axis=1)
    return Parts(
        scores=np.ascontiguousarray(scores),
        pairwise=pairwise,
        transposed=transposed_tables(pairwise),
        step=step,
        starts=batch.starts,
        loss=(batch.labels[:, None] != np.arange(n_states)).astype(np.int64),
        seen=seen_of(world),
        looks=no_looks(n_rows),
        places=no_looks(n_rows),
        scale=typical_margin(best) if scale is None else scale,
        bits=symbol_bits(n_states),
    )


def seen_of(world):
    """N-grams of the training words."""
    labels = np.concatenate([part.batch.labels for part in world.parts])
    lengths = np.concatenate([np.diff(part.batch.starts) for part in world.parts])
    return seen_grams(labels, np.concatenate([[0], np.cumsum(lengths)]), letters.N_STATES, SEEN)


def _pairs(table, n_states):
    """Scores of bigrams, and of the end mark after them, (K, K) and (K, K)."""
    codes = ((np.arange(n_states) + 1)[:, None] << table.bits) + np.arange(n_states) + 1
    ended = (codes << table.bits) + n_states + 1
    return (
        np.array([[lookup(table, np.int64(code), 2) for code in row] for row in codes]),
        np.array([[lookup(table, np.int64(code), 3) for code in row] for row in ended]),
    )


def all_chains(world, theta, n_words, rng):
    """Some training words as chains, read by models that have not seen them."""
    scale = chains(world, theta, world.dev).scale
    whole = [part.batch for part in world.parts]
    unary, labels = (
        np.concatenate([getattr(part_batch, name) for part_batch in whole]) for name in ("unary", "labels")
    )
    lengths = np.concatenate([np.diff(part_batch.starts) for part_batch in whole])
    batch = whole[0]._replace(unary=unary, labels=labels, starts=np.concatenate([[0], np.cumsum(lengths)]))
    chosen = rng.permutation(len(lengths))[:n_words]
    return chains(world, theta, batch.some(chosen)[0], scale)

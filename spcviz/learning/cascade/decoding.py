"""Run a trained cascade on new examples: the n-grams that each level keeps, and the final labels."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.chain import BatchDecoded
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.lattice import (
    Lattice,
    Paths,
    bigrams,
    decode,
    extend,
    path_of,
    score_arcs,
    states_left,
    unigrams,
)
from spcviz.engine.ngrams.prune import Pruned, keep_states, keep_unaries, prune
from spcviz.engine.ngrams.row_compressed import advance, finish, first_fan
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.config import Cascade, Level
from spcviz.learning.cascade.features import Features, SparseRows, check_features, scores_where, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams, keep_by_bigrams, prune_states
from spcviz.learning.cascade.online import Model


def all_kept(lattice: Lattice, truth: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.logical_and.reduceat(kept_truth(truth, keep), lattice.col_start[:-1])


def kept_truth(truth: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return (truth >= 0) & keep[truth]


class LevelRun(NamedTuple):
    """One level of a run."""

    lattice: Lattice  # before this level's pruning
    # (A,) under the filter; the states' max-marginals at a first level that filters by pairs of states
    arc_score: np.ndarray
    pruned: Pruned


def filter_examples(
    cascade: Cascade,
    features: Features,
    lengths: np.ndarray,
    n_levels: int | None = None,
    alphas: Sequence[float] | None = None,
    *,
    allowed: np.ndarray | None = None,
) -> Iterator[LevelRun]:
    """Run the filters (thesis, Algorithm 1): yields a `LevelRun` for each of `n_levels` levels (or all).

    Parameters
    ----------
    lengths : ndarray of int, shape (W,)
    alphas : sequence of float, optional
        Settings of the cascade's rule, in place of the tuned ones.
    allowed : ndarray of bool, shape (R, K), optional
        States of the first lattice; all by default.
    """
    most = len(cascade.levels)
    n_levels = most if n_levels is None else checks.integer("n_levels", n_levels, 0, most)
    if alphas is not None and len(alphas) < n_levels:
        raise ArgumentError(f"alphas must hold one number for each of {n_levels} levels, got {alphas!r:.60}")
    if allowed is not None and cascade.first_order == 2:
        raise ArgumentError("allowed must be None where a bigram model filters states first")
    lattice = unigrams(lengths, cascade.n_states, allowed)
    first_gap: np.ndarray | None = None
    for t, level in enumerate(cascade.levels[:n_levels]):
        unary = unary_scores(features, level.filter.weights)
        alpha = level.alpha if alphas is None else alphas[t]
        if t == 0 and cascade.first_order == 2:
            pairs = all_bigrams(lengths, cascade.n_states)
            arc_score = score_arcs(pairs, unary, level.filter.table)
            pruned = prune_states(pairs, arc_score, alpha, cascade.pruned_by)
            arc_score = pruned.values
        else:
            arc_score = score_arcs(lattice, unary, level.filter.table)
            pruned = _prune_as(cascade, lattice, arc_score, alpha, first_gap)
        if t == 0:
            first_gap = pruned.limits.best - pruned.limits.mean
        yield LevelRun(lattice, arc_score, pruned)
        lattice = extend(lattice, pruned.keep)


def _prune_as(
    cascade: Cascade,
    lattice: Lattice,
    arc_score: np.ndarray,
    alpha: float,
    first_gap: np.ndarray | None = None,
) -> Pruned:
    """Prune one level; without `first_gap` it is the first one, or one that does not need it."""
    return prune(
        lattice,
        arc_score,
        alpha,
        on_nodes=cascade.on_nodes,
        max_arcs=cascade.max_arcs,
        rule=rules.at_first(cascade.pruned_by) if first_gap is None else cascade.pruned_by,
        first_gap=first_gap,
    )


def predict(level: Level, lattice: Lattice, features: Features) -> Paths:
    """Best path under a level's predictor within a lattice of its order; see `Paths`."""
    unary = unary_scores(features, level.predictor.weights)
    return decode(lattice, score_arcs(lattice, unary, level.predictor.table))


def decode_examples(
    cascade: Cascade,
    features: Features | None,
    lengths: np.ndarray,
    *,
    unaries: Sequence[np.ndarray] | None = None,
    left: np.ndarray | None = None,
) -> BatchDecoded:
    """Filter and predict without storing the levels: the same labels as the last level of `filter_examples`.

    The first filter reads a table of all states; every later model scores only the states that are left.

    Parameters
    ----------
    cascade : Cascade
        Of at least two levels; the last one only predicts.
    lengths : ndarray of int, shape (W,)
    unaries : sequence of ndarray, shape (R, K), optional
        One table per level, of its filter (the last: its predictor), instead of scoring features.
    left : ndarray of bool, shape (R, K), optional
        States that the first filter leaves, if known.

    Raises
    ------
    ArgumentError, ShapeError
        If the cascade has a single level, there is not one table per level, or a table does not fit.
    """
    levels = cascade.levels
    if len(levels) < 2:
        raise ArgumentError(f"cascade must have at least 2 levels, got {len(levels)}")
    if unaries is not None and len(unaries) != len(levels):
        raise ArgumentError(f"unaries must hold {len(levels)} tables, one a level, got {len(unaries)}")
    lengths = checks.lengths(lengths, 2**31 - 1)
    row_start = np.concatenate([[0], np.cumsum(lengths)])

    rows: Any = check_features(features) if unaries is None else None

    def scores(t: int, model: Model, allowed: np.ndarray | None) -> np.ndarray:
        return scores_where(rows, model.packed_weights, allowed) if unaries is None else unaries[t]

    name = cascade.pruned_by
    if name == "mean_max_first" or (name == "probability" and cascade.first_order == 2):
        if left is not None or unaries is not None:
            raise ArgumentError(f"left and unaries must be None where the rule is {name}")
        return _decode_steps(cascade, rows, lengths)
    begin = _first_left(cascade, scores(0, levels[0].filter, None), row_start) if left is None else left
    if cascade.pruned_by != "probability":

        def checked_scores(t: int, model: Model, allowed: np.ndarray | None) -> np.ndarray:
            return _fitting(scores(t, model, allowed), begin.shape)

        decoded = _decode_fans(
            cascade, checked_scores, row_start, begin, unaries is None and isinstance(features, SparseRows)
        )
        if decoded is not None:
            return decoded
    lattice = bigrams(lengths, cascade.n_states, begin)
    for t, level in enumerate(levels[1:-1], start=1):
        arc_score = score_arcs(lattice, scores(t, level.filter, begin), level.filter.table)
        if t == 1 and cascade.on_nodes:
            begin = keep_states(lattice, arc_score, level.alpha, begin, rule=name)
            lattice = bigrams(lengths, cascade.n_states, begin)
            lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
            continue
        lattice = extend(lattice, _prune_as(cascade, lattice, arc_score, level.alpha).keep)
        begin = states_left(lattice)
    predictor = levels[-1].predictor
    unary = scores(len(levels) - 1, predictor, begin)
    best = decode(lattice, score_arcs(lattice, unary, predictor.table))
    return BatchDecoded(best.scores, best.labels)


def _decode_steps(cascade: Cascade, rows: Features, lengths: np.ndarray) -> BatchDecoded:
    """`decode_examples` lattice by lattice, for rules that depend on what the first one looked like."""
    *filters, last = cascade.levels
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, rows, lengths, len(filters)):
        lattice = extend(step.lattice, step.pruned.keep)
    best = predict(last, lattice, rows)
    return BatchDecoded(best.scores, best.labels)


def _decode_fans(
    cascade: Cascade,
    scores: Callable[[int, Model, np.ndarray | None], np.ndarray],
    row_start: np.ndarray,
    left: np.ndarray,
    by_state: bool,
) -> BatchDecoded | None:
    """`decode_examples` after the first filter, without lattices; None where `prune` has to decide.

    `by_state`: scoring some states costs less than scoring all of them.
    """
    levels = cascade.levels
    fan = first_fan(row_start, left)
    for t, level in enumerate(levels[1:-1], start=1):
        unary = scores(t, level.filter, left if by_state else None)
        left = np.zeros_like(left) if by_state else left[:0]
        arguments = fan, unary, level.filter.rows, level.alpha, cascade.max_arcs, left
        next_fan = advance(*arguments, on_nodes=cascade.on_nodes, rule=cascade.rule)
        if next_fan is None:
            return None
        fan = next_fan
    predictor = levels[-1].predictor
    unary = scores(len(levels) - 1, predictor, left if by_state else None)
    return BatchDecoded(*finish(fan, unary, predictor.rows))


def _fitting(unary: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    unary = checks.scores("unary", unary, 2)
    if unary.shape != shape:
        raise ShapeError(f"unary has shape {unary.shape}; the cascade's examples need {shape}")
    return unary


def _first_left(cascade: Cascade, unary: np.ndarray, row_start: np.ndarray) -> np.ndarray:
    """States that the first level leaves, as a mask, shape (R, K)."""
    level = cascade.levels[0]
    if cascade.first_order == 2:
        return keep_by_bigrams(unary, row_start, level.filter.pairs, level.alpha, rule=cascade.rule)
    if level.filter.table.has_end:
        unary = unary.copy()  # it may be the caller's
        unary[row_start[1:] - 1] += level.filter.pairs.single
    return keep_unaries(unary, row_start, level.alpha, rule=cascade.pruned_by)


def positions_kept(lattice: Lattice, keep: np.ndarray, labels: np.ndarray) -> float:
    """Share of the true n-grams, over all positions, that are in the lattice and kept."""
    return float(kept_truth(path_of(lattice, labels), keep).mean())


def survives(lattice: Lattice, keep: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each example's truth is in the lattice and kept, shape (W,) bool."""
    return all_kept(lattice, path_of(lattice, labels), keep)

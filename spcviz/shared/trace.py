"""Run a cascade on one example and record it level by level, with times, for pages with a lattice.

Index conventions. A word has L positions and K states (letters, tags). A level of a cascade
works on n-grams; its *arcs* are n-grams in columns: column c holds assignments of positions
c .. c+n-1, so a level of order n has C = L - n + 1 columns. Arcs are numbered column by column,
``col_start[c] : col_start[c + 1]``, and inside a column by their symbols in dictionary order.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import path_of, pointers, score_labels, symbols
from spcviz.engine.ngrams.prune import Pruned
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.thresholds import rule
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.config import Cascade, Level
from spcviz.learning.cascade.decoding import LevelRun
from spcviz.learning.cascade.features import Features, unary_scores


class LevelTrace(NamedTuple):
    """One level of a cascade on one example, before its own pruning."""

    order: int  # n of the n-grams (1 = single states)
    col_start: np.ndarray  # (C + 1,) int64: column c holds arcs ``col_start[c] : col_start[c + 1]``
    symbols: np.ndarray  # (A, order) int32: the states of each arc, first position first
    score: np.ndarray  # (A,): the arc's own score; arcs of column 0 carry the scores of all their positions
    forward: np.ndarray  # (A,): best score of a path from the start up to and including the arc
    backward: np.ndarray  # (A,): best score of the rest of a path after the arc (0 in the last column)
    max_marginal: np.ndarray  # (A,): score of the best complete path through the arc; -inf if there is none
    # previous, following, each (A,) int32: the neighbouring arcs on the arc's witness path, -1 at the ends
    previous: np.ndarray
    following: np.ndarray
    map_arcs: np.ndarray  # (C,) int32: the best path, one arc per column
    # (C,) or (0,) int32: the true path; empty if the truth is unknown or was pruned at an earlier level
    truth_arcs: np.ndarray
    # score of the true path under this level's model (also if it was pruned); NaN if unknown
    truth_score: float
    # best, mean: largest and mean finite max-marginal; threshold = best - (1 - alpha)(best - mean)
    best: float
    mean: float
    n_valid: int  # number of arcs with a finite max-marginal, over which the mean is taken
    has_spread: bool  # false when all max-marginals are equal; then nothing is pruned
    alpha: float  # the alpha this level was pruned with to make the next
    tuned_alpha: float  # the alpha that training chose on development data
    was_capped: bool  # true if the next level would have been too large and alpha was raised to `alpha_used`
    alpha_used: float  # equal to `alpha` unless capped
    microseconds: float  # time for scores, messages, threshold and pruning of this level


class WordTrace(NamedTuple):
    """A cascade run on one word, level by level."""

    word_id: int  # index of the word in the data set, -1 for a word drawn by the user
    truth: np.ndarray  # (L,) or (0,) int32: true states; empty if unknown
    pixels: np.ndarray  # (L, 16, 8) uint8: 1 = ink
    alphabet: tuple[str, ...]  # display name of each state
    levels: tuple[LevelTrace, ...]  # orders 1 .. n (an order larger than L stays at L)
    # (n_levels, L) int32: the final predictor's labelling at each order, within that level's lattice
    predictions: np.ndarray
    microseconds: float  # whole cascade including the last predictor
    # exact dense Viterbi of the same order on the same word; NaN if not run (orders above 4)
    microseconds_dense: float
    words: tuple[str, ...] = ()  # for tagged text, the L words; then `pixels` has no rows
    meanings: tuple[str, ...] = ()  # for tagged text, the K states in plain words
    level_names: tuple[str, ...] = ()  # names of the levels; they are named by order if empty


def timed_run(
    cascade: Cascade, features: Features, length: int, n_levels: int, alphas: Sequence[float]
) -> tuple[list[LevelRun], list[np.ndarray], list[tuple[float, float]]]:
    """(steps, readings, microseconds of filter and predictor) of each level."""
    steps: list[LevelRun] = []
    labels: list[np.ndarray] = []
    times: list[tuple[float, float]] = []
    start = _now()
    walk = filter_examples(cascade, features, np.array([length]), n_levels, alphas)
    for level, step in zip(cascade.levels, walk):
        filtered = _now()
        labels.append(predict(level, step.lattice, features).labels)
        steps.append(step)
        times.append((_us_between(start, filtered), _us_between(filtered, _now())))
        start = _now()
    return steps, labels, times


def alphas_used(cascade: Cascade, alphas: Sequence[float | None], n_levels: int) -> list[float]:
    """The alpha of each of the first levels: the tuned one where the given one is None or missing."""
    given = [*alphas, *[None] * n_levels]
    return [level.alpha if a is None else a for level, a in zip(cascade.levels[:n_levels], given)]


def at_margins(
    cascade: Cascade,
    features: Features,
    length: int,
    alphas: Sequence[float | None],
    margins: Sequence[float],
) -> Cascade:
    """The cascade with one example's alphas as the tuned ones, each equivalent to a level's margin.

    A threshold at a margin below the best is one between mean and best at alpha = 1 - margin / (best - mean),
    which differs for every example. `alphas` are the requested ones (None: the margin's), `margins` one per
    level.
    """
    levels, used = list(cascade.levels), list(alphas)
    for t, margin in enumerate(margins[: len(alphas)]):
        before = cascade._replace(levels=tuple(levels))
        tried = [*alphas_used(before, used, t), 0.0]
        *_, step = filter_examples(before, features, np.array([length]), t + 1, tried)
        best, mean = step.pruned.limits.best[0], step.pruned.limits.mean[0]
        if step.pruned.limits.has_spread[0]:
            levels[t] = levels[t]._replace(alpha=float(rule.position(best - margin, best, mean)))
    return cascade._replace(levels=tuple(levels))


def trace_fields(
    cascade: Cascade,
    features: Features,
    length: int,
    alphas: Sequence[float],
    labels: np.ndarray | None = None,
    turns: int = 2,
) -> dict[str, Any]:
    """``levels``, ``predictions`` and ``microseconds`` of a `WordTrace`, the best times of `turns` runs."""
    runs = [timed_run(cascade, features, length, len(alphas), alphas) for _ in range(turns)]
    steps, read, _ = runs[-1]
    us = np.min([times for _, _, times in runs], axis=0)  # (levels, filter and predictor)
    levels = []
    for level, step, alpha, level_us in zip(cascade.levels, steps, alphas, us[:, 0]):
        draw = node_level if cascade.on_nodes and step.lattice.order[0] > 1 else arc_level
        levels.append(draw(level, step, labels, features, alpha, level_us))
    predictions, in_all = np.array(read, dtype=np.int32), float(us[:-1, 0].sum() + us[-1, 1])
    return {"levels": tuple(levels), "predictions": predictions, "microseconds": in_all}


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


def _us_between(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Microseconds by the wall clock, or by this thread's time if that is shorter and not too coarse."""
    wall, cpu = (1e6 * (b - a) for a, b in zip(start, end))
    return min(wall, cpu) if cpu > 0 else wall


def arc_level(
    level: Level,
    step: LevelRun,
    labels: np.ndarray | None,
    features: Features,
    alpha: float,
    microseconds: float,
) -> LevelTrace:
    """A `LevelTrace` of a level that filters n-grams, from its step of `filter_examples`."""
    lattice, arc_score, pruned = step
    passed = pruned.passed
    into, out_of = pointers(lattice, arc_score, passed.forward, passed.backward)
    return LevelTrace(
        order=int(lattice.order[0]),
        col_start=lattice.arc_start,
        symbols=symbols(lattice),
        score=arc_score,
        forward=passed.forward[lattice.arc_tail] + arc_score,
        backward=passed.backward[lattice.arc_head],
        max_marginal=passed.max_marginal,
        previous=into[lattice.arc_tail].astype(np.int32),
        following=out_of[lattice.arc_head].astype(np.int32),
        map_arcs=pruned.best_path.astype(np.int32),
        truth_arcs=_truth(lattice, labels).astype(np.int32),
        truth_score=_score_of(labels, level, lattice, features),
        **_threshold(level, pruned, alpha),
        microseconds=float(microseconds),
    )


def node_level(
    level: Level,
    step: LevelRun,
    labels: np.ndarray | None,
    features: Features,
    alpha: float,
    microseconds: float,
) -> LevelTrace:
    """A level of order n as a `LevelTrace` of the (n-1)-grams that it filters."""
    lattice, arc_score, pruned = step
    passed, truth = pruned.passed, _truth(lattice, labels)
    into, out_of = pointers(lattice, arc_score, passed.forward, passed.backward)
    tail, head = lattice.arc_tail, lattice.arc_head
    of_arc = symbols(lattice)
    spelled = np.zeros((len(passed.forward), of_arc.shape[1] - 1), dtype=np.int32)
    spelled[head], spelled[tail] = of_arc[:, 1:], of_arc[:, :-1]
    previous = np.where(into >= 0, tail[np.maximum(into, 0)], -1)
    following = np.where(out_of >= 0, head[np.maximum(out_of, 0)], -1)
    before = np.where(previous >= 0, passed.forward[np.maximum(previous, 0)], 0.0)
    forward = passed.forward  # 0 in the first column: the first arcs carry the scores of all their tags
    path = np.concatenate([tail[pruned.best_path], head[pruned.best_path[-1:]]])
    return LevelTrace(
        order=int(lattice.order[0]) - 1,
        col_start=lattice.node_start,
        symbols=spelled,
        score=forward - before,
        forward=forward,
        backward=passed.backward,
        max_marginal=pruned.values,
        previous=previous.astype(np.int32),
        following=following.astype(np.int32),
        map_arcs=path.astype(np.int32),
        truth_arcs=np.concatenate([tail[truth], head[truth[-1:]]]).astype(np.int32),
        truth_score=_score_of(labels, level, lattice, features),
        **_threshold(level, pruned, alpha),
        microseconds=float(microseconds),
    )


def _truth(lattice: Lattice, labels: np.ndarray | None) -> np.ndarray:
    """The true path's arcs; empty if it is unknown or not in the lattice."""
    arcs = np.zeros(0, dtype=np.int64) if labels is None else path_of(lattice, labels)
    return arcs if (arcs >= 0).all() else arcs[:0]


def _score_of(labels: np.ndarray | None, level: Level, lattice: Lattice, features: Features) -> float:
    """Score of a labelling, in or out of the lattice, under a level's filter; NaN without labels."""
    if labels is None:
        return np.nan
    unary = unary_scores(features, level.filter.weights)
    return float(score_labels(lattice, unary, level.filter.table, labels)[0])


def _threshold(level: Level, pruned: Pruned, alpha: float) -> dict[str, Any]:
    """Fields of a `LevelTrace` that describe the threshold; `alpha` is the requested one."""
    used, names = pruned.alpha[0], ("best", "mean", "n_valid", "has_spread")
    fields = {name: getattr(pruned.limits, name)[0].item() for name in names}
    fields |= {"alpha": float(alpha), "tuned_alpha": float(level.alpha)}
    return fields | {"was_capped": bool(used > alpha), "alpha_used": float(rule.cap_alpha(used))}

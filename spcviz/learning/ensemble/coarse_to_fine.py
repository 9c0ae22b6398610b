"""Coarse to fine: filter the states of a level by summed max-marginals, replace survivors by their children.

Variables have only the states that are left, so tables hold no pruned ones. Thresholds and their guards are
those of `ensemble.filter_summed`; a variable that would lose every state keeps its best and is reported.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.graphs import ensemble
from spcviz.engine.thresholds import rule
from spcviz.engine.thresholds.rule import Values, mean_of
from spcviz.learning.ensemble.placed_states import PlacedModel


class Level(NamedTuple):
    """One level of one example."""

    start: np.ndarray  # (N + 1,) states of variable v are ``start[v] : start[v + 1]``
    states: np.ndarray  # (S,) int: input of the level
    summed: np.ndarray  # (S,) summed max-marginals
    each: tuple[np.ndarray, ...]  # (S,) those of every sub-model
    # best, mean: sums over sub-models of the largest and the mean max-marginal
    best: float
    mean: float
    extremes: np.ndarray  # (2, sub-models) the terms of these sums
    threshold: float  # as `rule.threshold` of these two sums
    keep: np.ndarray  # (S,) bool
    labels: tuple[np.ndarray, ...]  # (N,) best labelling of each sub-model, as indices into the S states
    n_rescued: int  # variables that would have lost every state
    rule: str = "mean_max"  # see `spcviz.engine.thresholds.rules`

    def of(self, variable: int) -> slice:
        """Slice of a variable's states."""
        return slice(self.start[variable], self.start[variable + 1])

    def point(self, score: Values) -> Values:
        """The setting whose threshold is a summed score; for margins, minus that of each sub-model."""
        if self.rule == "margin":
            return (score - self.best) / len(self.each)
        return rule.position(score, self.best, self.mean)

    def threshold_at(self, setting: float) -> float:
        """The summed threshold at a setting of the rule."""
        if self.rule == "margin":
            return self.best + setting * len(self.each)
        return rule.threshold(self.best, self.best - self.mean, setting)


def filter_level(
    models: Sequence[PlacedModel],
    weights: Sequence[np.ndarray],
    start: np.ndarray,
    states: np.ndarray,
    alpha: float,
    run: Callable[..., Iterable[Any]] = map,
    rule: str = "mean_max",
) -> Level:
    """Joint filtering of one level.

    Parameters
    ----------
    models : sequence
        Sub-models over the same states, with ``max_marginals(weights)`` as in `placed_states.PlacedModel`.
    weights : sequence of ndarray
        One for each.
    start, states : ndarray of int
    alpha : float
        At most 1; 0 is the mean. For the rule "margin", minus the margin of each sub-model.
    run : callable
        Like `map`; an executor's lets sub-models run in parallel (their kernels hold no lock).
    rule : {"mean_max", "margin"}

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, CycleError

    References
    ----------
    Weiss (2013), thesis, Lemma 3, Definition 4, section 5.5.2.
    """
    marginals = list(run(lambda model, w: model.max_marginals(w), models, weights))
    means = np.array([mean_of(f.best, f.max_marginals) for f in marginals])
    each = tuple(f.max_marginals for f in marginals)
    summed = sum(each)
    sizes = np.diff(start)
    row = np.repeat(np.arange(len(sizes)), sizes)
    column = np.arange(len(states)) - np.repeat(start[:-1], sizes)
    table = np.full((len(sizes), sizes.max()), -np.inf)
    table[row, column] = summed
    best = np.array([f.best for f in marginals])
    kept = ensemble.filter_summed(best, means, table, alpha, rule)
    keep = kept.keep[row, column]
    labels = tuple(f.labels for f in marginals)
    sums, extremes = (float(best.sum()), float(means.sum())), np.stack([best, means])
    return Level(
        start, states, summed, each, *sums, extremes, kept.threshold, keep, labels, len(kept.rescued), rule
    )


def refine(level: Level, children: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(start, states) of the next level: the children of what a level kept.

    ``children`` maps states of one variable to their children, ascending.
    """
    new = []
    for v in range(len(level.start) - 1):
        at = level.of(v)
        new.append(children(level.states[at][level.keep[at]]))
    return np.concatenate([[0], np.cumsum([len(s) for s in new])]), np.concatenate(new)


def survivors(level: Level) -> tuple[np.ndarray, np.ndarray]:
    """(start, states) that a level kept."""
    return refine(level, lambda states: states)

"""Count the n-grams left at each position of a word, level by level (thesis, Fig. 4.5)."""

from typing import NamedTuple

import numpy as np

from spcviz.engine.thresholds import filtering
from spcviz.shared.shown import WordTrace


class PositionCounts(NamedTuple):
    """One level of a cascade on one word; column c is the n-grams that begin at letter c."""

    order: int  # n of the n-grams
    valid: np.ndarray  # (C,) int64: n-grams on some complete word before the level's own threshold
    kept: np.ndarray  # (C,) int64: of these, over it
    # (C,) bool: whether the written n-gram is not kept; False everywhere if it is not known or fell before
    is_lost: np.ndarray


def position_counts(trace: WordTrace) -> tuple[PositionCounts, ...]:
    """Count the n-grams at each position of a word, for each level at the alpha that it was pruned with."""
    return tuple(_counts(level) for level in trace.levels)


def _counts(level):
    scores = level.max_marginal
    mask = filtering.keep(scores, filtering.threshold(scores, level.alpha_used), level.map_arcs)
    is_lost = np.zeros(len(level.col_start) - 1, dtype=bool)
    if len(level.truth_arcs):
        is_lost = ~mask[level.truth_arcs]
    first = level.col_start[:-1]
    return PositionCounts(
        order=int(level.order),
        valid=np.add.reduceat((scores > -np.inf).astype(np.int64), first),
        kept=np.add.reduceat(mask.astype(np.int64), first),
        is_lost=is_lost,
    )

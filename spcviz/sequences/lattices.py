"""Compute the lattices of a fitted cascade level by level, and the marginal of each label at each token."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import Lattice, score_arcs
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import DenseRows, Features, SparseRows, unary_scores
from spcviz.learning.chains.rows import CsrRows, Rows

MAX_DENSE = 200_000_000
"""Most values, zeros included, to which sparse matrices are expanded when they are not all 1."""


class Filtered(NamedTuple):
    """Survivors of the filters on some sequences: labels that each token may still have, (L, K) bool each.

    `lattice` has the surviving n-grams of all sequences that are not empty; None if all are empty.
    """

    states: list[np.ndarray]
    lattice: Lattice | None


def features_of(rows: Rows) -> Features:
    """Rows in the form that lattice learners read: indicators, or dense values."""
    if isinstance(rows, DenseRows):
        return rows
    if np.all(rows.values == 1.0):
        return SparseRows(rows.start, rows.index, rows.n_features)
    n = len(rows.start) - 1
    if n * rows.n_features > MAX_DENSE:
        raise ArgumentError(
            f"X must hold only 0 and 1 for a cascade, or at most {MAX_DENSE} values, zeros too, "
            f"got {n} tokens of {rows.n_features} features"
        )
    return DenseRows(_laid_out(rows, n))


def _laid_out(rows: CsrRows, n: int) -> np.ndarray:
    values = np.zeros((n, rows.n_features), dtype=np.float32)
    np.add.at(values, (np.repeat(np.arange(n), np.diff(rows.start)), rows.index), rows.values)
    return values


def state_shares(lattice: Lattice, arc_share: np.ndarray) -> np.ndarray:
    """Sums over the n-grams through each state of each position, (R, K), from shares of n-grams."""
    shares = np.zeros((int(lattice.row_start[-1]), lattice.n_states))
    column = np.repeat(np.arange(len(lattice.arc_start) - 1), np.diff(lattice.arc_start))
    example = np.repeat(np.arange(len(lattice.order)), np.diff(lattice.col_start))[column]
    within, order = column - lattice.col_start[example], lattice.order[example]
    symbol = (1 << lattice.bits) - 1
    for back in range(int(lattice.order.max(initial=1))):
        # each position ends the n-grams of one column, except those that only the first column spells
        is_there = np.ones(len(order), bool) if back == 0 else (within == 0) & (order > back)
        row = (lattice.row_start[example] + within + order - 1 - back)[is_there]
        state = (lattice.arc_key[is_there] >> lattice.bits * back & symbol) - 1
        np.add.at(shares, (row, state), arc_share[is_there])
    return shares


class OneLevel(NamedTuple):
    """One level on one sequence, before its own pruning."""

    lattice: Lattice
    score: np.ndarray  # of each arc
    alpha: float  # the setting it is pruned with; 0 at the last level, which decodes


def levels_of(
    cascade: Cascade, features: Features, grown: Callable[[list[float]], Lattice]
) -> list[OneLevel]:
    """Levels of pairs, triples and so on, grown from what the first level, of single labels, leaves.

    `grown` maps the alphas of the first filters to the lattice that they leave.
    """
    levels = cascade.levels
    alphas = [float(level.alpha) for level in levels[:-1]]
    scored = []
    for n, level in enumerate(levels[1:], start=1):
        is_last = n == len(levels) - 1
        model, lattice = level.predictor if is_last else level.filter, grown(alphas[:n])
        score = score_arcs(lattice, unary_scores(features, model.weights), model.table)
        scored.append(OneLevel(lattice, score, 0.0 if is_last else alphas[n]))
    return scored

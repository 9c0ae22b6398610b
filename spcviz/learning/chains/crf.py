r"""Conditional random fields on chains, trained on all examples at once.

.. math:: \min_w \sum_s \omega_s \bigl(\log Z(x_s) - \log Z_{A_s}(x_s)\bigr) + c_2 \|w\|_2^2 + c_1 \|w\|_1

:math:`A_s` are the labellings that an example allows: one where every label is known; where some are not
(partial labels), all that agree with what is known. The gradient is expected counts less those within
:math:`A_s` (`expectations`). Weights are those of features with states they were seen with, and of steps;
the constants are CRFsuite's, so that both programs minimise the same function.

`crf_training` minimises it.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.expectations import expect, steps_of
from spcviz.learning.chains.rows import Rows
from spcviz.learning.chains.weighted import expect_weighted

BLOCK = 1 << 17
"""Scores of positions that are held at a time, so that they stay in the processor's cache."""


class Weights(NamedTuple):
    """A chain model: unary (F, K) of features, pairwise (K, K) of steps ``[from, to]``."""

    unary: np.ndarray
    pairwise: np.ndarray


class Examples(NamedTuple):
    """Labelled chains; made by `examples_of`."""

    rows: Rows  # R positions, one chain after the other
    row_start: np.ndarray  # (W + 1,) int64
    labels: np.ndarray  # (R,) int64: -1 where the label is not known
    allowed: np.ndarray | None  # (R, K) bool: what a label that is not known may be
    weights: np.ndarray  # (W,)
    n_states: int
    # (R,): of positions, times that of their chain, where they count differently; see `weighted`
    position_weights: np.ndarray | None = None


def examples_of(
    rows: Rows,
    lengths: np.ndarray,
    labels: np.ndarray,
    n_states: int,
    *,
    allowed: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    position_weights: np.ndarray | None = None,
) -> Examples:
    """Check examples against each other.

    Parameters
    ----------
    rows : CsrRows or DenseRows
        One row per position, chains one after the other.
    lengths : array_like of int, shape (W,)
        0 is allowed.
    labels : array_like of int, shape (R,)
        0 .. K - 1, or -1 where not known.
    n_states : int
        K.
    allowed : array_like of bool, shape (R, K), optional
        States of positions whose label is not known; all by default.
    weights : array_like, shape (W,), optional
        At least 0; 1 by default.
    position_weights : array_like, shape (R,), optional
        Of positions, at least 0, times those of their chains: see `spcviz.learning.chains.weighted`. All
        labels must be known then.

    Raises
    ------
    ShapeError, ArgumentError, ScoreError
        If they do not fit each other or are out of range.
    """
    rows = layouts.check_rows(rows)
    lengths = checks.whole_numbers("lengths", lengths, 0, 2**31 - 1)
    n_states = checks.integer("n_states", n_states, 1, 100_000)
    n = int(lengths.sum())
    if layouts.n_rows(rows) != n:
        raise ShapeError(f"rows has {layouts.n_rows(rows)} rows; lengths needs {n}")
    labels = checks.whole_numbers("labels", labels, -1, n_states - 1)
    if len(labels) != n:
        raise ShapeError(f"labels has shape {labels.shape}; lengths needs {(n,)}")
    if allowed is not None:
        allowed = checks.mask("allowed", allowed)
        if allowed.shape != (n, n_states):
            raise ShapeError(f"allowed has shape {allowed.shape}; it needs {(n, n_states)}")
        dead = np.flatnonzero(~allowed.any(axis=1) & (labels < 0))
        if len(dead):
            raise ArgumentError(f"allowed[{dead[0]}] must allow a state, got none")
    each = np.ones(len(lengths)) if weights is None else checks.scores("weights", weights, 1)
    if each.shape != lengths.shape:
        raise ShapeError(f"weights has shape {each.shape}; lengths needs {lengths.shape}")
    if len(each) and each.min() < 0:
        raise ArgumentError(f"weights[{each.argmin()}] must be at least 0, got {each.min()}")
    of_positions = None
    if position_weights is not None:
        of_positions = checks.scores("position_weights", position_weights, 1)
        if len(of_positions) != n:
            raise ShapeError(f"position_weights has shape {of_positions.shape}; lengths needs {(n,)}")
        if n and of_positions.min() < 0:
            at = of_positions.argmin()
            raise ArgumentError(f"position_weights[{at}] must be at least 0, got {of_positions[at]}")
        if n and labels.min() < 0:
            raise ArgumentError(
                f"labels[{labels.argmin()}] must be known where positions have weights, got -1"
            )
        of_positions = of_positions * np.repeat(each, lengths)
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    return Examples(rows, row_start, labels, allowed, each, n_states, of_positions)


def take_examples(examples: Examples, chosen: np.ndarray) -> Examples:
    """Some of the examples, in the order chosen."""
    first, lengths = examples.row_start[chosen], np.diff(examples.row_start)[chosen]
    places = layouts.ranges(first, lengths)
    allowed = None if examples.allowed is None else examples.allowed[places]
    return Examples(
        layouts.take_rows(examples.rows, places),
        np.concatenate([[0], np.cumsum(lengths)]),
        examples.labels[places],
        allowed,
        examples.weights[chosen],
        examples.n_states,
        None if examples.position_weights is None else examples.position_weights[places],
    )


def loss_and_gradient(
    examples: Examples, weights: Weights, *, forbidden: np.ndarray | None = None
) -> tuple[float, Weights]:
    """Weighted negative log-likelihood and its gradient, without a regulariser.

    Where positions have weights, that of `spcviz.learning.chains.weighted`.

    Parameters
    ----------
    weights : Weights
        unary (F, K) and pairwise (K, K).
    forbidden : ndarray of bool, shape (3, K, K), optional
        Steps that no labelling takes; the diagonals of the first and the last slice hold the states that no
        labelling begins or ends with (see `forbid`).

    Returns
    -------
    (float, Weights)

    Raises
    ------
    InfeasibleError
        If an example allows no labelling.

    Examples
    --------
    >>> data = examples_of(layouts.DenseRows(np.ones((2, 1), np.float32)), [2], [0, 1], 2)
    >>> loss, gradient = loss_and_gradient(data, Weights(np.zeros((1, 2)), np.zeros((2, 2))))
    >>> round(loss, 3), gradient.pairwise.tolist()
    (1.386, [[0.25, -0.75], [0.25, 0.25]])
    """
    gradient = Weights(np.zeros_like(weights.unary), np.zeros_like(weights.pairwise))
    pairwise = weights.pairwise if forbidden is None else np.where(forbidden[1], -np.inf, weights.pairwise)
    steps = steps_of(np.ascontiguousarray(pairwise))
    loss = 0.0
    for first, last in blocks_of(examples.row_start, examples.n_states):
        a, b = examples.row_start[first], examples.row_start[last]
        rows = layouts.part(examples.rows, a, b)
        row_start, each = examples.row_start[first : last + 1] - a, examples.weights[first:last]
        unary = layouts.emissions(rows, weights.unary)
        if forbidden is not None:
            forbid(unary, row_start, forbidden)
        if examples.position_weights is not None:
            about = examples.labels[a:b], row_start, steps, examples.position_weights[a:b]
            loss += expect_weighted(unary, *about, gradient.pairwise)
            layouts.add_gradient(rows, unary, gradient.unary)
            continue
        within = agreeing(examples, slice(a, b), unary)
        if within is None:  # every label is known
            labels = examples.labels[a:b]
            loss -= _of_truth(unary, labels, row_start, pairwise, each, gradient.pairwise)
        else:
            less = np.zeros_like(gradient.pairwise)
            loss -= each @ expect(within, row_start, steps, each, less)
            gradient.pairwise[:] -= less
        loss += each @ expect(unary, row_start, steps, each, gradient.pairwise)
        if within is None:
            unary[np.arange(b - a), labels] -= np.repeat(each, np.diff(row_start))
        else:
            unary -= within
        layouts.add_gradient(rows, unary, gradient.unary)
    return float(loss), gradient


def blocks_of(row_start: np.ndarray, n_states: int) -> list[tuple[int, int]]:
    """Runs of chains whose scores fit `BLOCK`, at least one chain each.

    Examples
    --------
    >>> blocks_of(np.array([0, 2, 4, 6]), BLOCK // 4)
    [(0, 2), (2, 3)]
    """
    blocks, first, n = [], 0, len(row_start) - 1
    while first < n:
        limit = row_start[first] + BLOCK // n_states
        last = max(int(np.searchsorted(row_start, limit, side="right")) - 1, first + 1)
        blocks.append((first, last))
        first = last
    return blocks


def forbid(unary: np.ndarray, row_start: np.ndarray, forbidden: np.ndarray) -> None:
    """Write -inf where no chain may begin or end; `forbidden` as in `loss_and_gradient`."""
    is_there = np.diff(row_start) > 0
    for rows, banned in ((row_start[:-1], forbidden[0]), (row_start[1:] - 1, forbidden[2])):
        states = np.flatnonzero(banned.diagonal())
        unary[np.ix_(rows[is_there], states)] = -np.inf


def agreeing(examples: Examples, where: slice, unary: np.ndarray) -> np.ndarray | None:
    """The scores with -inf where the labels disagree; None where all are known."""
    labels = examples.labels[where]
    is_open = labels < 0
    if not is_open.any():
        return None
    within = np.full_like(unary, -np.inf)
    known = np.flatnonzero(~is_open)
    within[known, labels[known]] = unary[known, labels[known]]
    if examples.allowed is None:
        within[is_open] = unary[is_open]
    else:
        within[is_open] = np.where(examples.allowed[where][is_open], unary[is_open], -np.inf)
    return within


def _of_truth(
    unary: np.ndarray,
    labels: np.ndarray,
    row_start: np.ndarray,
    pairwise: np.ndarray,
    each: np.ndarray,
    pairs: np.ndarray,
) -> float:
    """Weighted score of the known labellings; their steps are subtracted from `pairs`."""
    weights = np.repeat(each, np.diff(row_start))
    is_step = np.ones(len(labels), dtype=bool)
    is_step[row_start[:-1][np.diff(row_start) > 0]] = False
    to = np.flatnonzero(is_step)
    before, after = labels[to - 1], labels[to]
    n = len(pairs)
    pairs -= np.bincount(before * n + after, weights[to], n * n).reshape(n, n)
    score = weights @ unary[np.arange(len(labels)), labels] + weights[to] @ pairwise[before, after]
    return float(score)


def log_partitions(unary: np.ndarray, row_start: np.ndarray, pairwise: np.ndarray) -> np.ndarray:
    """Log partition of each chain; `unary` (R, K) becomes the states' probabilities in place."""
    pairs = np.zeros_like(pairwise)
    return expect(unary, row_start, steps_of(pairwise), np.ones(len(row_start) - 1), pairs)

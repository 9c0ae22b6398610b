r"""Forward-backward on many chains with one transition table: log partition functions and expected counts.

.. math:: \log Z = \log \sum_y e^{\psi(x, y)}, \qquad
          p_i(k) = \frac{\partial \log Z}{\partial u_i(k)}, \qquad
          n(j, k) = \sum_i p(y_i = j, y_{i+1} = k) = \frac{\partial \log Z}{\partial t(j, k)}

The pair probabilities of a position are an outer product times exp t; only the sum of the outer products is
kept, and multiplied once at the end, so that nothing of size R K^2 is ever stored. Scores of moderate range
are exponentiated and rescaled at each position; anything else goes through log-sum-exp.

Legend: R positions of all chains, one chain after the other; W chains; K states.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.inputs import align_rows
from spcviz.engine.chains.sums import TAME_RANGE, _pairs_before
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.semirings import LOG_PLUS, SUM_TIMES, combine, multiply, total
from spcviz.engine.kernels.vectors import exponentials, largest, stretch, sum_of

TINY = 1e-200
"""A sum of products below it may have lost terms to underflow: then the logs decide."""


class Expectations(NamedTuple):
    """The results of forward-backward."""

    log_partition: np.ndarray  # (W,)
    unary: np.ndarray  # (R, K) probability of each state, times the weight of its chain
    pairwise: np.ndarray  # (K, K) expected number of steps ``[from, to]``, times the weight of its chain


class StepTable(NamedTuple):
    """A transition table as the kernel reads it; see `steps_of`."""

    pairwise: np.ndarray  # (K, K)
    # table, back (K, K or more): exp(pairwise - high), and its transpose, in rows padded with 0
    table: np.ndarray
    back: np.ndarray
    # high, spread: largest finite score; largest less smallest
    high: float
    spread: float


def steps_of(pairwise: np.ndarray) -> StepTable:
    """A checked (K, K) table of scores, ready for `expect`."""
    finite = pairwise[np.isfinite(pairwise)]
    high, low = (float(finite.max()), float(finite.min())) if finite.size else (0.0, 0.0)
    n = len(pairwise)
    table, back = (align_rows((n, n), pairwise) for _ in range(2))
    table[:], back[:] = 0.0, 0.0
    table[:, :n] = np.exp(pairwise - high)
    back[:, :n] = table[:, :n].T
    return StepTable(pairwise, table, back, high, high - low)


def expectations(
    unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike, *, weights: ArrayLike | None = None
) -> Expectations:
    """Log partition functions, state probabilities and expected transitions of many chains.

    Parameters
    ----------
    unary : array_like, shape (R, K)
        Scores of states (log domain), one chain after the other; -inf forbids.
    lengths : array_like of int, shape (W,)
        Positions of each chain, at least 1.
    pairwise : array_like, shape (K, K)
        Scores of steps ``[from, to]``; -inf forbids.
    weights : array_like, shape (W,), optional
        Factors of each chain's probabilities; 1 by default.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, InfeasibleError
        If shapes disagree, a score is NaN or +inf, or a chain has no labelling of finite score.

    References
    ----------
    Lafferty, McCallum and Pereira (2001), Conditional random fields, section 3.

    Examples
    --------
    >>> expected = expectations(np.zeros((3, 2)), [3], np.zeros((2, 2)))
    >>> expected.log_partition.round(3), expected.pairwise.tolist()
    (array([2.079]), [[0.5, 0.5], [0.5, 0.5]])
    """
    unary = checks.scores("unary", unary, 2).copy()
    pairwise = checks.scores("pairwise", pairwise, 2)
    lengths = checks.lengths(lengths, max(len(unary), 1))
    if lengths.sum() != len(unary):
        raise ShapeError(f"unary has shape {unary.shape}; lengths needs {int(lengths.sum())} rows")
    if pairwise.shape != (unary.shape[1],) * 2 or not unary.shape[1]:
        raise ShapeError(f"pairwise has shape {pairwise.shape}; unary {unary.shape} needs (K, K)")
    each = np.ones(len(lengths)) if weights is None else checks.scores("weights", weights, 1)
    if each.shape != lengths.shape:
        raise ShapeError(f"weights has shape {each.shape}; lengths needs {lengths.shape}")
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    pairs = np.zeros_like(pairwise)
    log_partition = expect(unary, row_start, steps_of(pairwise), each, pairs)
    return Expectations(log_partition, unary, pairs)


def expect(
    unary: np.ndarray, row_start: np.ndarray, steps: StepTable, weights: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """`expectations` of checked arrays, in place: unary becomes probabilities, pairs (K, K) is added to.

    An InfeasibleError if a chain has no labelling of finite score; `unary` is then unusable.
    """
    log_partition = np.empty(len(weights))
    _expect(unary, row_start, steps, weights, pairs, log_partition)
    for w in np.flatnonzero(np.isnan(log_partition)):  # few: not compiled where there are none
        rows = unary[row_start[w] : row_start[w + 1]]
        log_partition[w] = _by_logs(rows, steps.pairwise, weights[w], np.empty_like(rows), pairs)
        if log_partition[w] == -np.inf:
            raise InfeasibleError(f"every labelling of chain {w} has score -inf")
    return log_partition


@kernel
def _expect(
    unary: np.ndarray,
    row_start: np.ndarray,
    steps: StepTable,
    weights: np.ndarray,
    pairs: np.ndarray,
    log_partition: np.ndarray,
) -> None:
    n = unary.shape[1]
    longest = np.int64(0)
    for w in range(len(weights)):
        length = row_start[w + 1] - row_start[w]
        longest = length if length > longest else longest
    left, here = align_rows((longest, n), unary), align_rows((longest, n), unary)
    work, outer = align_rows((np.int64(2), n), unary), align_rows((n, n), unary)
    outer[:], work[:] = 0.0, 0.0  # the padding of rows stays 0
    for w in range(len(weights)):
        rows = unary[row_start[w] : row_start[w + 1]]
        log_partition[w] = np.nan
        if len(rows) == 0:
            log_partition[w] = 0.0
        elif _is_tame(rows, steps.spread):
            log_partition[w] = _sum_rescaled(rows, steps, weights[w], left, here, work, outer)
    for j in range(n):
        for k in range(n):
            pairs[j, k] += outer[j, k] * steps.table[j, k]


@spliced_kernel
def _is_tame(unary: np.ndarray, spread: float) -> bool:
    """Whether the range of finite scores is moderate: see `spcviz.engine.chains.sums.is_tame`."""
    widest = 0.0
    for i in range(len(unary)):
        low, high = np.inf, -np.inf
        for k in range(unary.shape[1]):
            u = unary[i, k]
            high = u if u > high else high
            low = u if -np.inf < u < low else low
        if high == -np.inf:
            return False
        widest = high - low if high - low > widest else widest
    return widest + 3 * spread < TAME_RANGE


@kernel
def _sum_rescaled(
    unary: np.ndarray,
    steps: StepTable,
    weight: float,
    left: np.ndarray,
    here: np.ndarray,
    work: np.ndarray,
    outer: np.ndarray,
) -> float:
    """Log partition by rescaled sums; NaN, and nothing is changed, where they may underflow.

    left (L, K) becomes p(y_i given what is before), here exp of the scores; outer is added to.
    """
    length, n = unary.shape
    message, weighted = work[0], work[1]
    log_partition = (length - 1) * steps.high
    message[:n] = 1.0
    for i in range(length):
        if i > 0:
            combine(SUM_TIMES, left[i - 1, :n], steps.table, message)
        top = largest(unary[i])
        _exponentials_or_zero(unary[i], top, here[i, :n])
        multiply(SUM_TIMES, here[i, :n], message[:n], left[i, :n])
        whole = sum_of(left[i, :n])
        # Below it digits are lost silently; `not` catches NaN, too. The caller then uses logs.
        if not whole > TINY:
            return np.nan
        stretch(left[i, :n], 1.0 / whole)
        log_partition += top + np.log(whole)
    message[:n] = 1.0
    for i in range(length - 1, -1, -1):
        if i < length - 1:
            combine(SUM_TIMES, weighted[:n], steps.back, message)
        multiply(SUM_TIMES, left[i, :n], message[:n], unary[i])
        factor = 1.0 / sum_of(unary[i])
        if i < length - 1:
            for j in range(n):
                share, row = left[i, j] * (factor * weight), outer[j]
                for k in range(len(row)):
                    row[k] += share * weighted[k]
        stretch(unary[i], factor * weight)
        multiply(SUM_TIMES, here[i, :n], message[:n], weighted[:n])
        stretch(weighted[:n], factor)
    return log_partition


@spliced_kernel
def _exponentials_or_zero(values: np.ndarray, top: float, out: np.ndarray) -> None:
    """out = exp(values - top) of finite numbers, and 0 of -inf, which `exponentials` cannot handle."""
    exponentials(values, top, 1.0, out)
    for k in range(len(values)):
        out[k] = out[k] if values[k] > -np.inf else 0.0


@kernel
def _by_logs(
    unary: np.ndarray, pairwise: np.ndarray, weight: float, left: np.ndarray, pairs: np.ndarray
) -> float:
    """Log partition by log-sum-exp, at any scale; -inf if there is no labelling."""
    length, n = unary.shape
    log_partition = 0.0
    for i in range(length):
        message = left[i]
        if i > 0:
            combine(LOG_PLUS, left[i - 1], pairwise, message)
            multiply(LOG_PLUS, message, unary[i], message)
        else:
            message[:] = unary[0]
        top = largest(message)
        if top == -np.inf:
            return top
        for k in range(n):
            message[k] -= top
        log_partition += top
    whole = total(LOG_PLUS, left[length - 1])
    for k in range(n):
        unary[length - 1, k] = np.exp(left[length - 1, k] - whole)
    pair = np.empty((n, n), np.float64)
    for i in range(length - 2, -1, -1):
        _pairs_before(left[i], pairwise, unary[i + 1], pair)
        for j in range(n):
            unary[i, j] = sum_of(pair[j])
            for k in range(n):
                pairs[j, k] += weight * pair[j, k]
    for i in range(length):
        stretch(unary[i], weight)
    return log_partition + whole

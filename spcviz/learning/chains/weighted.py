r"""CRF loss of chains with weighted positions: the chain rule of the likelihood, term by term.

.. math:: - \sum_i \omega_i \log p(y_i \mid y_{i-1}, x), \qquad
          p(y_i \mid y_{i-1}, x) \propto e^{t(y_{i-1}, y_i) + u_i(y_i)} \beta_i(y_i)

With equal weights this is the negative log-likelihood, times the weight; without steps it is logistic
regression with weighted samples. Its gradient takes one more forward pass, of a mass :math:`m_i` on the
states of each position. It begins as :math:`\omega_1 p(y_1)`; before each step the mass of the truth is
changed by the difference between the weights of the two positions,

.. math:: q_i = m_i + (\omega_{i+1} - \omega_i)\, 1_{y_i}, \qquad
          m_{i+1}(k) = \sum_j q_i(j)\, p(y_{i+1} = k \mid y_i = j, x)

so that :math:`m_i - \omega_i 1_{y_i}` is the gradient with respect to the scores of position i.

Legend: R positions of all chains, K states, W chains; weights (R,).
"""

import numpy as np

from spcviz.engine.chains.inputs import align_rows
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.semirings import SUM_TIMES, combine, multiply
from spcviz.engine.kernels.vectors import largest, stretch, sum_of
from spcviz.learning.chains.expectations import TINY, StepTable, _exponentials_or_zero, _is_tame


def expect_weighted(
    unary: np.ndarray,
    labels: np.ndarray,
    row_start: np.ndarray,
    steps: StepTable,
    weights: np.ndarray,
    pairs: np.ndarray,
) -> float:
    """The loss; unary (R, K) becomes its gradient, that with respect to steps is added to pairs (K, K).

    inf, with a meaningless gradient, where the labels have a score of -inf.

    >>> from spcviz.learning.chains.expectations import steps_of
    >>> unary, pairs = np.zeros((2, 2)), np.zeros((2, 2))
    >>> weights, row_start = np.array([1.0, 3.0]), np.array([0, 2])
    >>> loss = expect_weighted(unary, np.array([0, 1]), row_start, steps_of(np.zeros((2, 2))), weights, pairs)
    >>> round(float(loss / np.log(2)), 6), unary.tolist(), pairs.tolist()
    (4.0, [[-0.5, 0.5], [1.5, -1.5]], [[1.25, -1.75], [0.25, 0.25]])
    """
    losses = np.empty(len(row_start) - 1)
    _expect_weighted(unary, labels, row_start, steps, weights, pairs, losses)
    for w in np.flatnonzero(np.isnan(losses)):
        where = slice(row_start[w], row_start[w + 1])
        losses[w] = _by_logs(unary[where], labels[where], steps.pairwise, weights[where], pairs)
    return float(losses.sum())


@kernel
def _expect_weighted(
    unary: np.ndarray,
    labels: np.ndarray,
    row_start: np.ndarray,
    steps: StepTable,
    weights: np.ndarray,
    pairs: np.ndarray,
    losses: np.ndarray,
) -> None:
    n, longest = unary.shape[1], np.int64(0)
    for w in range(len(losses)):
        length = row_start[w + 1] - row_start[w]
        longest = length if length > longest else longest
    outer, right = fill_new(n * n, np.float64, 0.0).reshape((n, n)), align_rows((longest, n), unary)
    work = align_rows((np.int64(3), n), unary)
    work[:] = 0.0
    for w in range(len(losses)):
        first, last = row_start[w], row_start[w + 1]
        losses[w] = np.nan
        if first == last:
            losses[w] = 0.0
        elif _is_tame(unary[first:last], steps.spread):
            rows, truth, each = unary[first:last], labels[first:last], weights[first:last]
            losses[w] = _shares_behind(rows, truth, steps, each, work, right)
            if not np.isnan(losses[w]):
                _walk(rows, truth, steps, each, work, right, outer, pairs)
    # The factor of the table is the same in every chain, so it is applied once, here.
    for j in range(n):
        for k in range(n):
            pairs[j, k] += outer[j, k] * steps.table[j, k]


@kernel
def _shares_behind(
    unary: np.ndarray,
    labels: np.ndarray,
    steps: StepTable,
    weights: np.ndarray,
    work: np.ndarray,
    right: np.ndarray,
) -> float:
    """The loss of one chain; NaN where sums may underflow. right (L, K) becomes exp(u_i) beta_i, of sum 1.

    `combine` with the transposed table goes from a position to the one before, with the table itself to the
    next one.
    """
    length, n = unary.shape
    from_here, here = work[0], work[1]
    from_here[:n] = 1.0
    loss = 0.0
    for i in range(length - 1, -1, -1):
        row = right[i, :n]
        _exponentials_or_zero(unary[i], largest(unary[i]), here[:n])
        multiply(SUM_TIMES, here[:n], from_here[:n], row)
        whole = sum_of(row)
        if not whole > TINY:
            return np.nan
        stretch(row, 1.0 / whole)
        share = row[labels[i]]
        if i > 0:
            combine(SUM_TIMES, row, steps.back, from_here)
            before = labels[i - 1]
            if not from_here[before] > TINY:
                return np.nan
            share *= steps.table[before, labels[i]] / from_here[before]
        if not share > TINY:
            return np.nan
        loss -= weights[i] * np.log(share)
    return loss


@kernel
def _walk(
    unary: np.ndarray,
    labels: np.ndarray,
    steps: StepTable,
    weights: np.ndarray,
    work: np.ndarray,
    right: np.ndarray,
    outer: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """unary becomes the gradient, outer (K, K) the factor still to be multiplied into `steps.table`."""
    length, n = unary.shape
    from_here, mass, moved = work[0], work[1], work[2]
    for k in range(n):
        mass[k] = unary[0, k] = weights[0] * right[0, k]
    unary[0, labels[0]] -= weights[0]
    for i in range(1, length):
        before, truth, row = labels[i - 1], labels[i], right[i]
        combine(SUM_TIMES, row[:n], steps.back, from_here)  # sum over all steps from each state
        mass[before] += weights[i] - weights[i - 1]
        for j in range(n):
            moved[j] = mass[j] / from_here[j] if mass[j] != 0.0 else 0.0
            for k in range(n):
                outer[j, k] += moved[j] * row[k]
        pairs[before, truth] -= weights[i]
        combine(SUM_TIMES, moved[:n], steps.table, mass)
        for k in range(n):
            mass[k] *= row[k]
            unary[i, k] = mass[k]
        unary[i, truth] -= weights[i]


def _by_logs(
    unary: np.ndarray, labels: np.ndarray, pairwise: np.ndarray, weights: np.ndarray, pairs: np.ndarray
) -> float:
    """The same for one chain of any scale, by log-sum-exp."""
    length, n = unary.shape
    scores = unary.copy()  # including all that may follow
    with np.errstate(invalid="ignore"):
        for i in range(length - 2, -1, -1):
            scores[i] += np.logaddexp.reduce(pairwise + scores[i + 1], axis=1)
        whole = np.logaddexp.reduce(scores[0])
        loss = weights[0] * (whole - scores[0, labels[0]])
        mass = weights[0] * np.exp(scores[0] - whole)
        unary[0] = mass - weights[0] * (np.arange(n) == labels[0])
        for i in range(1, length):
            before, truth = labels[i - 1], labels[i]
            steps = pairwise + scores[i]
            rest = np.logaddexp.reduce(steps, axis=1, keepdims=True)
            shares = np.where(np.isneginf(rest), 0.0, np.exp(steps - rest))
            loss += weights[i] * (rest[before, 0] - steps[before, truth])
            mass[before] += weights[i] - weights[i - 1]
            moved = mass[:, None] * shares
            pairs += moved
            pairs[before, truth] -= weights[i]
            mass = moved.sum(axis=0)
            unary[i] = mass - weights[i] * (np.arange(n) == truth)
    return float(loss) if not np.isnan(loss) else np.inf

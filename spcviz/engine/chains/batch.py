"""Sum marginals, k best labellings and summaries of many chains in one call.

The batch is that of `spcviz.engine.chains.chain.decode_batch`: rows of state scores, one chain after the
other, and the chains' lengths. Transitions are one table for all steps, or one table per row: the step *into*
that row. Every recursion is that of the single call.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.best import best_labellings
from spcviz.engine.chains.inputs import checked_steps
from spcviz.engine.chains.sums import (
    exponentials_of,
    is_tame,
    log_tables,
    scaled_tables,
    scratch,
    spread_of,
    sum_tables,
)
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import copy


class BatchMarginals(NamedTuple):
    """Node marginals of many chains: `log_partition` (N,), probabilities ``unary[row, state]``."""

    log_partition: np.ndarray
    unary: np.ndarray


class BatchKBest(NamedTuple):
    """The best labellings of many chains, best first.

    - `n_found` (N,), int64: number found for each chain, at most k
    - `scores` (N, k): -inf from ``n_found`` on
    - ``labels[q]`` (k, sum of lengths), int64: those of rank q, one chain after the other; 0 where there is
      none
    """

    n_found: np.ndarray
    scores: np.ndarray
    labels: np.ndarray


class ChainSummaries(NamedTuple):
    """One row per chain.

    - `labels` (sum of lengths,), int64: best labelling of each chain, one after the other
    - `best`, `second` (N,): the two largest scores of labellings; second is -inf if there is only one
    - `entropy` (sum of lengths,): of the sum-product marginal of each position, in nats, 0 .. log K
    """

    labels: np.ndarray
    best: np.ndarray
    second: np.ndarray
    entropy: np.ndarray


def marginals_batch(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> BatchMarginals:
    """`spcviz.engine.chains.chain.marginals` of states, for many chains in one call.

    `unary`, `lengths` and errors as in `spcviz.engine.chains.chain.decode_batch`; `pairwise` (K, K), or
    (sum of lengths, K, K): for each row the step into it; the one into a chain's first row is not used. A
    chain with no finite labelling has a log partition of -inf and probabilities 0.

    >>> marginals_batch([[0.0, 0.0], [0.0, 0.0], [5.0, 5.0]], [2, 1], np.zeros((2, 2))).unary
    array([[0.5, 0.5],
           [0.5, 0.5],
           [0.5, 0.5]])
    """
    unary, starts, tables = checked_steps(unary, lengths, pairwise)
    log_partition, node = np.empty(len(starts) - 1), np.empty_like(unary)
    if np.ndim(pairwise) == 2:
        high, spread, scaled = exponentials_of(tables[0])
        _marginals_all(unary, starts, tables, spread, high, scaled, log_partition, node)
    else:
        _marginals_each(unary, starts, tables, log_partition, node)
    return BatchMarginals(log_partition, node)


def k_best_batch(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike, k: int) -> BatchKBest:
    """`spcviz.engine.chains.chain.k_best` for many chains in one call, with its `k`.

    Other arguments and errors as in `marginals_batch`. A chain with no finite labelling has none.

    >>> best = k_best_batch([[0.0, 1.0], [2.0, 0.0], [0.0, 5.0]], [2, 1], np.zeros((2, 2)), 2)
    >>> best.scores.tolist(), best.labels.tolist()
    ([[3.0, 2.0], [5.0, 0.0]], [[1, 0, 1], [0, 0, 0]])
    """
    unary, starts, tables = checked_steps(unary, lengths, pairwise)
    k = checks.integer("k", k, 1, 10_000)
    scores = np.full((len(starts) - 1, k), -np.inf)
    labels = np.zeros((k, len(unary)), dtype=np.int64)
    n_found = np.zeros(len(starts) - 1, dtype=np.int64)
    _k_best_all(unary, starts, tables, np.ndim(pairwise) == 3, k, n_found, scores, labels)
    return BatchKBest(n_found, scores, labels)


def summarise_chains(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> ChainSummaries:
    """Decode many chains and measure how sure each decoding is.

    Arguments and errors as in `marginals_batch`; `InfeasibleError` if a chain has no labelling with a finite
    score.

    >>> summaries = summarise_chains([[0.0, 1.0], [2.0, 0.0]], [2], np.zeros((2, 2)))
    >>> summaries.labels.tolist(), summaries.best.tolist(), summaries.second.tolist()
    ([1, 0], [3.0], [2.0])
    """
    summaries = ChainSummaries(*_summarise(*checked_steps(unary, lengths, pairwise), np.ndim(pairwise) == 3))
    dead = np.flatnonzero(np.isneginf(summaries.best))
    if len(dead):
        raise InfeasibleError(f"every labelling of chain {dead[0]} has score -inf")
    return summaries


@kernel
def _marginals_all(
    unary: np.ndarray,
    starts: np.ndarray,
    tables: np.ndarray,
    spread: float,
    high: float,
    scaled: np.ndarray,
    log_partition: np.ndarray,
    node: np.ndarray,
) -> None:
    """One table for all steps, whose exponentials and their transpose are `scaled`."""
    work = scratch(unary)
    for w in range(len(log_partition)):
        a, b = starts[w], starts[w + 1]
        if is_tame(unary[a:b], spread):
            log_sum = sum_tables(unary[a:b], scaled[:1], scaled[1:], work, node[a:b], scaled[:0])
            log_partition[w] = log_sum + (b - a - 1) * high
        else:
            log_partition[w] = log_tables(unary[a:b], tables, node[a:b], tables[:0])
            if log_partition[w] == -np.inf:
                node[a:b] = 0.0


@kernel
def _marginals_each(
    unary: np.ndarray, starts: np.ndarray, tables: np.ndarray, log_partition: np.ndarray, node: np.ndarray
) -> None:
    """A table for each step."""
    for w in range(len(log_partition)):
        a, b = starts[w], starts[w + 1]
        steps = tables[a + 1 : b]
        if is_tame(unary[a:b], spread_of(steps)):
            log_partition[w] = scaled_tables(unary[a:b], steps, node[a:b], tables[:0])
        else:
            log_partition[w] = log_tables(unary[a:b], steps, node[a:b], tables[:0])
            if log_partition[w] == -np.inf:
                node[a:b] = 0.0


@kernel
def _k_best_all(
    unary: np.ndarray,
    starts: np.ndarray,
    tables: np.ndarray,
    per_step: bool,
    k: int,
    n_found: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
) -> None:
    for w in range(len(scores)):
        a, b = starts[w], starts[w + 1]
        steps = tables[a + 1 : b] if per_step else tables
        values, labellings = best_labellings(unary[a:b], steps, k)
        n_found[w] = len(values)
        for q in range(len(values)):
            scores[w, q] = values[q]
            for i in range(b - a):
                labels[q, a + i] = labellings[q, i]


@kernel
def _summarise(
    unary: np.ndarray, starts: np.ndarray, tables: np.ndarray, per_step: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n_chains = len(starts) - 1
    best, second = fill_new(n_chains, np.float64, -np.inf), fill_new(n_chains, np.float64, -np.inf)
    labels, entropy = fill_new(len(unary), np.int64, 0), fill_new(len(unary), np.float64, 0.0)
    for w in range(n_chains):
        first, last = starts[w], starts[w + 1]
        table = tables[first + 1 : last] if per_step else tables
        scores, labellings = best_labellings(unary[first:last], table, 2)
        if len(scores) == 0:
            continue
        best[w] = scores[0]
        if len(scores) > 1:
            second[w] = scores[1]
        copy(labellings[0], labels[first:last])
        n = unary.shape[1]
        node, no_edge = np.empty((last - first, n), np.float64), np.empty((0, n, n), np.float64)
        if is_tame(unary[first:last], spread_of(table)):
            scaled_tables(unary[first:last], table, node, no_edge)
        else:
            log_tables(unary[first:last], table, node, no_edge)
        for i in range(last - first):
            for k in range(n):
                if node[i, k] > 0.0:
                    entropy[first + i] -= node[i, k] * np.log(node[i, k])
    return labels, best, second, entropy

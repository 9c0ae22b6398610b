"""Summaries of many chains in one call: best labels, runners-up, entropies, for selectors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.chains.inputs import checked_steps
from spcviz.engine.chains.k_best import best_labellings
from spcviz.engine.chains.sums import is_tame, log_tables, scaled_tables, spread_of
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import copy


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


def summarise_chains(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> ChainSummaries:
    """Decode many chains and measure how sure each decoding is.

    Arguments and errors as in `spcviz.engine.chains.batch.marginals_batch`; `InfeasibleError` if a chain has
    no labelling with a finite score.

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

r"""A bigram model that filters single states before anything else (thesis 4.5.1).

The space holds all K states and so all K^2 pairs at every position. A state's max-marginal is the best score
of a labelling through it, so what its neighbours say counts already at the first level, where a model of
single positions has to decide on each by itself. Its survivors are a mask of states, exactly what a filter of
order 1 leaves; so they are told as if of `unigrams`, and everything behind goes on unchanged.

Legend: R rows, K states, W examples, A = R K arcs of the unigram lattice.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.semirings import MAX_PLUS, combine
from spcviz.engine.ngrams.dense import dense_model
from spcviz.engine.ngrams.lattice import Lattice, bigrams, labels_of
from spcviz.engine.ngrams.prune import Pruned, prune
from spcviz.engine.ngrams.table import NgramTable
from spcviz.engine.thresholds import rule


def all_bigrams(lengths: np.ndarray, n_states: int) -> Lattice:
    """The lattice of every pair of states, ordered so that its nodes are the states, row by row."""
    return bigrams(lengths, n_states, np.ones((int(np.sum(lengths)), n_states), dtype=bool))


def prune_states(lattice: Lattice, arc_score: np.ndarray, alpha: float | np.ndarray) -> Pruned:
    """Filter the states that a bigram lattice (of `all_bigrams`) joins (thesis 4.5.1).

    Arc scores are (arcs,), alpha is a float or (W,). The result is as of ``unigrams`` of the same examples:
    `keep`, `values`, `starts` and `best_path` are about the A states; `passed` stays that of the pairs.
    """
    pruned = prune(lattice, arc_score, alpha, on_nodes=True)
    tau = np.repeat(pruned.limits.tau, np.diff(pruned.starts))
    keep = rule.survives(pruned.values, tau)
    best = labels_of(lattice, pruned.best_path) + lattice.n_states * np.arange(len(keep) // lattice.n_states)
    keep[best] = True
    return pruned._replace(keep=keep, best_path=best, on_nodes=False)


class PairWeights(NamedTuple):
    """A bigram model's weights as arrays; made by `pair_weights`."""

    # inner, last (K, K): of a pair ``[from, to]``, and of an example's last pair (with what ending adds)
    inner: np.ndarray
    last: np.ndarray
    # inner_t, last_t (K, K): both turned over, for the way back
    inner_t: np.ndarray
    last_t: np.ndarray
    single: np.ndarray  # (K,) what ending adds to an example of one position


def pair_weights(table: NgramTable) -> PairWeights:
    """Arrays for `keep_by_bigrams` from an `NgramTable`."""
    two = dense_model(table, 2)
    inner, last = two.sums[1], two.sums[1] + two.end
    inner_t, last_t = (np.ascontiguousarray(array.T) for array in (inner, last))
    return PairWeights(inner, last, inner_t, last_t, dense_model(table, 1).end[0])


def keep_by_bigrams(
    unary: np.ndarray, row_start: np.ndarray, weights: PairWeights, alpha: float
) -> np.ndarray:
    r"""What `prune_states` keeps, straight from a table: no lattice of all pairs is laid out.

    Parameters
    ----------
    unary : array_like, shape (R, K)
        Finite.
    row_start : array_like of int, shape (W + 1,)
        Example w owns rows ``row_start[w] : row_start[w + 1]``, at least one.

    Returns
    -------
    ndarray of bool, shape (R, K)
        At least one state a row.

    Raises
    ------
    ShapeError
        If the table has another number of states than the weights.

    Examples
    --------
    >>> from spcviz.engine.ngrams.table import encode, ngram_table
    >>> weights = pair_weights(ngram_table(2, [encode(2, [0, 0])], [2.0]))
    >>> keep_by_bigrams([[1.0, 0.0], [0.0, 0.5]], [0, 2], weights, 0.5)
    array([[ True, False],
           [ True, False]])
    """
    unary = checks.scores("unary", unary, 2)
    if unary.shape[1] != len(weights.single):
        raise ShapeError(f"unary has shape {unary.shape}; the weights need (R, {len(weights.single)})")
    row_start = checks.offsets("row_start", row_start, len(unary))
    alpha = rule.capped(checks.alpha("alpha", alpha))
    keep = np.empty(unary.shape, dtype=np.bool_)
    _keep_by_bigrams(unary, row_start, weights, alpha, keep)
    return keep


@kernel
def _keep_by_bigrams(
    unary: np.ndarray, row_start: np.ndarray, weights: PairWeights, alpha: float, keep: np.ndarray
) -> None:
    k = unary.shape[1]
    longest = 0
    for w in range(len(row_start) - 1):
        longest = max(longest, row_start[w + 1] - row_start[w])
    forward, backward = np.empty((longest, k)), np.empty((longest, k))
    behind = np.empty(k)
    for w in range(len(row_start) - 1):
        first, n = row_start[w], row_start[w + 1] - row_start[w]
        forward[0] = unary[first]
        backward[n - 1] = 0.0
        if n == 1:
            forward[0] += weights.single
        for i in range(1, n):
            combine(MAX_PLUS, forward[i - 1], weights.last if i == n - 1 else weights.inner, forward[i])
            forward[i] += unary[first + i]
        for i in range(n - 2, -1, -1):
            behind[:] = backward[i + 1] + unary[first + i + 1]
            combine(MAX_PLUS, behind, weights.last_t if i == n - 2 else weights.inner_t, backward[i])
        _keep_states_of(forward[:n], backward[:n], alpha, keep[first : first + n])


@kernel
def _keep_states_of(forward: np.ndarray, backward: np.ndarray, alpha: float, keep: np.ndarray) -> None:
    """The threshold rule on one example; `forward` becomes the max-marginals."""
    n, k = forward.shape
    best = -np.inf
    for i in range(n):
        for s in range(k):
            forward[i, s] += backward[i, s]
            best = forward[i, s] if forward[i, s] > best else best
    below = 0.0
    for i in range(n):
        for s in range(k):
            below += best - forward[i, s]
    gap = below / (n * k)
    limit = rule.threshold(best, gap, alpha) if rule.has_spread(best, gap) else -np.inf
    for i in range(n):
        top = forward[i, 0]
        for s in range(1, k):
            top = forward[i, s] if forward[i, s] > top else top
        for s in range(k):  # a row's best is on the best path, up to rounding
            keep[i, s] = rule.survives(forward[i, s], limit) or forward[i, s] == top

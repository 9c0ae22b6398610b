r"""Linear chains: Viterbi, forward-backward, max-marginals, sum marginals, witnesses, k best.

The score of a labelling :math:`y \in \{0..K-1\}^L` is

.. math:: \psi(x, y) = \sum_{i=0}^{L-1} u_i(y_i) + \sum_{i=0}^{L-2} p_i(y_i, y_{i+1})

Throughout: ``unary`` is u, shape (L, K); ``pairwise`` is p, shape (L - 1, K, K), indexed
``[i, y_i, y_{i+1}]``, or one shared (K, K). Both are scores (log domain, larger is better);
-inf forbids. They are the potentials of the chain's cliques, its single positions and neighbouring pairs.
One recursion serves both directions and every semiring:

- ``left[i, k]``: plus over all prefixes y_0 .. y_{i-1} that continue into state k (own unary not included)
- ``right[i, k]``: plus over all suffixes y_{i+1} .. after state k

so left times unary times right is the max-marginal (or the log marginal) of state k at i.

Sums are taken in 64 bits. Where both arrays come as float32, `decode`, `max_marginals` and their batches stay
in 32 bits, which is up to twice as fast on large tables; tables are then float32, and accurate to its
rounding.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.best import (
    LONG,
    best_labellings,
    decode_chain,
    decode_chains,
    decode_into,
    fill_max_marginals,
    fill_node_tables,
)
from spcviz.engine.chains.inputs import (
    FLOAT,
    INDEX,
    NO_EDGES,
    checked_batch,
    checked_chain,
    infeasible,
    precision,
    ready,
    wrong_batch,
)
from spcviz.engine.chains.peaked import WORTH, tops_of_many
from spcviz.engine.chains.sums import log_tables, scaled_marginals
from spcviz.engine.errors import InfeasibleError


class Decoded(NamedTuple):
    """A labelling (L,), int64, and its score."""

    score: float
    labels: np.ndarray


class MaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    ``unary[i, k]`` (L, K): with y_i = k. ``pairwise[i, j, k]`` (L - 1, K, K): with y_i = j and y_{i+1} = k;
    None if not requested. `best` is the best score of all.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class Marginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)).

    ``unary[i, k]`` (L, K): p(y_i = k). ``pairwise[i, j, k]`` (L - 1, K, K): p(y_i = j, y_{i+1} = k); None if
    not requested.
    """

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class KBest(NamedTuple):
    """The best labellings (m, L), int64, in falling order of score; m < k if fewer have a finite score."""

    scores: np.ndarray
    labels: np.ndarray


class BatchDecoded(NamedTuple):
    """`Decoded` for many chains: `scores` (N,), `labels` (sum of lengths,), int64, one after the other."""

    scores: np.ndarray
    labels: np.ndarray


class BatchMaxMarginals(NamedTuple):
    """Node max-marginals of many chains: `best` (N,), `unary` (sum of lengths, K)."""

    best: np.ndarray
    unary: np.ndarray


# From tuples, without a Python call, which is noticeable on a small chain.
decoded: Callable[[tuple[float, np.ndarray]], Decoded] = partial(tuple.__new__, Decoded)
_Tables = tuple[float, np.ndarray, np.ndarray | None]
best_through: Callable[[_Tables], MaxMarginals] = partial(tuple.__new__, MaxMarginals)
probabilities: Callable[[_Tables], Marginals] = partial(tuple.__new__, Marginals)


def decode(unary: ArrayLike, pairwise: ArrayLike) -> Decoded:
    """Best labelling (Viterbi) in O(L K^2). Ties go to the smallest state, last position first.

    Weiss (2013), thesis, section 3.3.

    Parameters
    ----------
    unary : array_like, shape (L, K)
        State scores.
    pairwise : array_like, shape (L - 1, K, K) or (K, K)
        Transition scores, ``[i, from, to]``; a (K, K) array serves every step.

    Raises
    ------
    ShapeError
        If the arrays disagree on L or K, or there are no positions or states.
    ScoreError
        If a score is NaN or +inf.
    InfeasibleError
        If no labelling has a finite score.

    Examples
    --------
    >>> decode([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    Decoded(score=2.0, labels=array([0, 0]))
    """
    scores, steps = ready(unary, pairwise)
    labels = np.empty(len(scores), INDEX)
    if scores.size >= _LARGE and _have_many_states(scores, steps):
        only = np.empty(1)
        lengths = np.array([len(scores)])
        if decode_chains(scores, lengths, steps[0], tops_of_many(steps[0]), only, labels) and only > -np.inf:
            return decoded((only[0], labels))
    best = decode_chain(scores, steps, labels)
    if best == -np.inf:
        scores, steps = checked_chain(unary, pairwise, precision(unary, pairwise))
        left = _scratch(scores)
        decode_into(scores, steps, None, left, labels)
        raise infeasible(left[:-1] + scores)
    return decoded((best, labels))


def max_marginals(unary: ArrayLike, pairwise: ArrayLike, *, edges: bool = True) -> MaxMarginals:
    """Best score through every state and every transition, in O(L K^2).

    Arguments and errors as in `decode`. With `edges` False, of states only, in a fraction of the time. Weiss
    (2013), thesis, equation (4.1) and Fig. 4.3; Weiss and Taskar (2010), section 4.2.

    >>> result = max_marginals([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> result.best, result.unary.tolist()
    (2.0, [[2.0, 1.0], [2.0, 1.0]])
    """
    scores, steps = ready(unary, pairwise)
    node, edge = _tables(scores, edges)
    if not edges and scores.size >= _LARGE and _have_many_states(scores, steps):
        only = np.empty(1)
        tops = tops_of_many(steps[0]), tops_of_many(steps[0], is_back=True)
        if fill_node_tables(scores, np.array([len(scores)]), steps[0], *tops, only, node) and only > -np.inf:
            return best_through((only[0], node, None))
    best = fill_max_marginals(scores, steps, node, edge)
    if best == -np.inf:
        checked_chain(unary, pairwise, precision(unary, pairwise))
        raise infeasible(node)
    return best_through((best, node, edge if edges else None))


def marginals(unary: ArrayLike, pairwise: ArrayLike, *, edges: bool = True) -> Marginals:
    """Probability of every state and every transition under p(y) proportional to exp(score), in O(L K^2).

    Arguments and errors as in `max_marginals`. Scores of moderate range are exponentiated once and summed
    with rescaling; anything else (-inf present, ranges in the hundreds) goes through log-sum-exp. Both are
    exact to rounding.

    >>> marginals([[0.0, 0.0]], np.zeros((2, 2))).unary
    array([[0.5, 0.5]])
    """
    scores, steps = ready(unary, pairwise)
    if scores.dtype is not FLOAT:
        scores, steps = checked_chain(unary, pairwise)
    node, edge = _tables(scores, edges)
    log_partition = scaled_marginals(scores, steps, node, edge)
    if log_partition == -np.inf:
        scores, steps = checked_chain(unary, pairwise)
        log_partition = log_tables(scores, steps, node, edge)
        if log_partition == -np.inf:
            raise infeasible(node)
    return probabilities((log_partition, node, edge if edges else None))


_LARGE = LONG * WORTH
"""Number of a chain's scores from which many states are checked for: small chains are call overhead."""


def _have_many_states(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether `peaked` suits a chain: one table (1, K, K) serves many steps between many states."""
    n = unary.shape[1]
    return len(unary) >= LONG and n >= WORTH and pairwise.shape == (1, n, n)


def _scratch(unary: np.ndarray) -> np.ndarray:
    """Scratch memory for `decode_into`, (L + 1, K)."""
    return np.empty((len(unary) + 1, unary.shape[1]), unary.dtype)


def _tables(unary: np.ndarray, edges: bool) -> tuple[np.ndarray, np.ndarray]:
    """Tables for kernels to fill: (L, K), and (L - 1, K, K) or empty. numpy allocates them in large pages."""
    length, n = unary.shape
    if not edges:
        return np.empty_like(unary), NO_EDGES[unary.dtype.itemsize]
    return np.empty_like(unary), np.empty((max(length - 1, 0), n, n), unary.dtype)


def witness(unary: ArrayLike, pairwise: ArrayLike, position: int, state: int) -> Decoded:
    """Best labelling with ``labels[position] == state``: the one that attains the max-marginal.

    Other arguments and errors as in `decode`; infeasible also if every labelling through the state is
    forbidden. `ArgumentError` unless `position` is 0 .. L - 1 and `state` 0 .. K - 1. Weiss (2013), thesis,
    equation (4.2).

    >>> witness([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]], position=1, state=1)
    Decoded(score=1.0, labels=array([1, 1]))
    """
    unary, pairwise = checked_chain(unary, pairwise)
    position = checks.integer("position", position, 0, len(unary) - 1)
    state = checks.integer("state", state, 0, unary.shape[1] - 1)
    clamped = unary.copy()
    clamped[position] = -np.inf
    clamped[position, state] = unary[position, state]
    labels = np.empty(len(unary), dtype=np.int64)
    best = decode_into(clamped, pairwise, None, _scratch(unary), labels)
    if best == -np.inf:
        raise InfeasibleError(f"no labelling with state {state} at position {position} has a finite score")
    return Decoded(float(best), labels)


def k_best(unary: ArrayLike, pairwise: ArrayLike, k: int) -> KBest:
    """The k best labellings, best first, in O(L K^2 k).

    Among equal scores, smaller states first, last position first. `ArgumentError` unless `k` is 1 .. 10,000;
    other arguments and errors as in `decode`.

    >>> k_best([[0.0, 1.0], [2.0, 0.0]], np.zeros((2, 2)), 2)
    KBest(scores=array([3., 2.]), labels=array([[1, 0], [0, 0]]))
    """
    unary, pairwise = checked_chain(unary, pairwise)
    k = checks.integer("k", k, 1, 10_000)
    scores, labels = best_labellings(unary, pairwise, k)
    if len(scores) == 0:
        raise InfeasibleError("every labelling has score -inf")
    return KBest(scores, labels)


def score(unary: ArrayLike, pairwise: ArrayLike, labels: ArrayLike) -> float:
    """Score of one labelling.

    `labels` (L,) of int. Other arguments and errors as in `decode`; `ArgumentError` if a label is out of
    range.

    >>> score([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]], [1, 0])
    0.0
    """
    unary, pairwise = checked_chain(unary, pairwise)
    labels = checks.states("labels", labels, *unary.shape)
    steps = np.arange(len(labels) - 1)
    chosen = pairwise[steps % len(pairwise), labels[:-1], labels[1:]] if len(labels) > 1 else np.zeros(0)
    return float(unary[np.arange(len(labels)), labels].sum() + chosen.sum())


def decode_batch(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> BatchDecoded:
    """`decode` for many chains with one shared transition table, in one call.

    A chain with no finite labelling has score -inf and labels 0. Errors as in `decode`; the lengths must add
    up to the number of rows.

    Parameters
    ----------
    unary : array_like, shape (sum of lengths, K)
        The chains' state scores, one chain after the other.
    lengths : array_like of int, shape (N,)
        Positions of each chain, at least 1.
    pairwise : array_like, shape (K, K)

    Examples
    --------
    >>> decode_batch([[0.0, 1.0], [2.0, 0.0], [0.0, 5.0]], [2, 1], np.zeros((2, 2)))
    BatchDecoded(scores=array([3., 5.]), labels=array([1, 0, 1]))
    """
    unary, lengths, pairwise = checked_batch(unary, lengths, pairwise)
    scores, labels = np.empty(len(lengths)), np.empty(len(unary), dtype=np.int64)
    if not decode_chains(unary, lengths, pairwise, tops_of_many(pairwise), scores, labels):
        raise wrong_batch(unary, lengths, pairwise)
    return BatchDecoded(scores, labels)


def max_marginals_batch(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> BatchMaxMarginals:
    """Node max-marginals of many chains; arguments and errors as in `decode_batch`.

    A chain with no finite labelling has best -inf.

    >>> max_marginals_batch([[0.0, 1.0], [2.0, 0.0]], [2], np.zeros((2, 2))).unary
    array([[2., 3.],
           [3., 1.]])
    """
    unary, lengths, pairwise = checked_batch(unary, lengths, pairwise)
    best, node = np.empty(len(lengths)), np.empty_like(unary)
    tops = tops_of_many(pairwise), tops_of_many(pairwise, is_back=True)
    if not fill_node_tables(unary, lengths, pairwise, *tops, best, node):
        raise wrong_batch(unary, lengths, pairwise)
    return BatchMaxMarginals(best, node)

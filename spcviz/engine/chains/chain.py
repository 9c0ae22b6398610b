r"""Linear chains: Viterbi, forward-backward, max-marginals, sum marginals, witnesses, k best.

Scores a labelling :math:`y \in \{0..K-1\}^L` as

.. math:: \psi(x, y) = \sum_{i=0}^{L-1} u_i(y_i) + \sum_{i=0}^{L-2} p_i(y_i, y_{i+1})

Throughout: ``unary`` is u, shape (L, K); ``pairwise`` is p, shape (L - 1, K, K), indexed
``[i, y_i, y_{i+1}]``, or one shared (K, K). Both are scores (log domain, larger is better);
-inf forbids. They are the potentials of the chain's cliques, its single positions and neighbouring pairs.
One recursion, `messages`, serves both directions and every semiring:

- ``left[i, k]``: plus over all prefixes y_0 .. y_{i-1} that go on into state k (own unary not included)
- ``right[i, k]``: plus over all suffixes y_{i+1} .. after state k

so that left times unary times right is the max-marginal (or the log marginal) of state k at i.

Sums are taken in 64 bits. Where both arrays come as float32, `decode`, `max_marginals` and their batches stay
in 32 bits, which is up to twice as fast on large tables; tables are then float32, and right to its rounding.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import bare_kernel, kernel
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS, SUM_TIMES, Semiring, combine, multiply, total
from spcviz.engine.kernels.vectors import copy, exponentials, largest, smallest, stretch, sum_of

# exp(-600) is far above the smallest double, so products of a column and a transition whose
# ranges stay below it lose nothing when summed unscaled.
TAME_RANGE = 600.0

_FLOAT: np.dtype = np.dtype(np.float64)
_SINGLE: np.dtype = np.dtype(np.float32)
NO_EDGES = {kind.itemsize: np.empty((0, 1, 1), kind) for kind in (_FLOAT, _SINGLE)}
"""An empty table of transitions by the bytes of a number, for those who want states only."""

_LONG = 16
"""Positions from which on a copy of the transitions costs less than rows across cache lines."""

# Of numba's type int64, so that the two directions are one kernel: literal whole numbers are compiled in.
_AHEAD: Any = np.int64(1)


class Decoded(NamedTuple):
    """A labelling and its score.

    Attributes
    ----------
    score : float
    labels : ndarray, shape (L,), int64
    """

    score: float
    labels: np.ndarray


class MaxMarginals(NamedTuple):
    """Best score of a labelling through each assignment.

    Attributes
    ----------
    best : float
        Score of the best labelling.
    unary : ndarray, shape (L, K)
        ``[i, k]``: best score with y_i = k.
    pairwise : ndarray, shape (L - 1, K, K), or None
        ``[i, j, k]``: best score with y_i = j and y_{i+1} = k; None if not asked for.
    """

    best: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class Marginals(NamedTuple):
    """Probabilities under p(y) proportional to exp(psi(y)).

    Attributes
    ----------
    log_partition : float
    unary : ndarray, shape (L, K)
        ``[i, k]``: p(y_i = k).
    pairwise : ndarray, shape (L - 1, K, K), or None
        ``[i, j, k]``: p(y_i = j, y_{i+1} = k); None if not asked for.
    """

    log_partition: float
    unary: np.ndarray
    pairwise: np.ndarray | None


class KBest(NamedTuple):
    """The best labellings in falling order of score.

    Attributes
    ----------
    scores : ndarray, shape (m,), m <= k
        Fewer than k if fewer labellings have a finite score.
    labels : ndarray, shape (m, L), int64
    """

    scores: np.ndarray
    labels: np.ndarray


class BatchDecoded(NamedTuple):
    """`Decoded` for many chains; labels one chain after the other.

    Attributes
    ----------
    scores : ndarray, shape (N,)
    labels : ndarray, shape (sum of lengths,), int64
    """

    scores: np.ndarray
    labels: np.ndarray


class BatchMaxMarginals(NamedTuple):
    """Node max-marginals of many chains.

    Attributes
    ----------
    best : ndarray, shape (N,)
    unary : ndarray, shape (sum of lengths, K)
    """

    best: np.ndarray
    unary: np.ndarray


def decode(unary: ArrayLike, pairwise: ArrayLike) -> Decoded:
    """Best labelling (Viterbi) in O(L K^2). Ties go to the smallest state, last position first.

    Parameters
    ----------
    unary : array_like, shape (L, K)
        State scores.
    pairwise : array_like, shape (L - 1, K, K) or (K, K)
        Transition scores, ``[i, from, to]``; a (K, K) array serves every step.

    Returns
    -------
    Decoded

    Raises
    ------
    ShapeError
        If the arrays disagree on L or K, or there are no positions or states.
    ScoreError
        If a score is NaN or +inf.
    InfeasibleError
        If no labelling has a finite score.

    References
    ----------
    Weiss (2013), thesis, section 3.3.

    Examples
    --------
    >>> decode([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    Decoded(score=2.0, labels=array([0, 0]))
    """
    given = unary, pairwise
    unary, pairwise = _ready(*given)
    labels = np.empty(len(unary), dtype=np.int64)
    best = _decode(unary, pairwise, labels)
    if best == -np.inf:
        unary, pairwise = checked_chain(*given, precision(*given))
        left = _scratch(unary)
        decode_into(unary, pairwise, left, labels)
        raise _infeasible(left[:-1] + unary)
    return Decoded(best, labels)


def max_marginals(unary: ArrayLike, pairwise: ArrayLike, *, edges: bool = True) -> MaxMarginals:
    """Best score through every state and every transition, in O(L K^2).

    Parameters
    ----------
    unary, pairwise : array_like
        As in `decode`.
    edges : bool
        False: of states only, which takes a part of the time.

    Returns
    -------
    MaxMarginals

    Raises
    ------
    ShapeError, ScoreError, InfeasibleError
        As in `decode`.

    References
    ----------
    Weiss (2013), thesis, equation (4.1) and Fig. 4.3; Weiss and Taskar (2010), section 4.2.

    Examples
    --------
    >>> result = max_marginals([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> result.best, result.unary.tolist()
    (2.0, [[2.0, 1.0], [2.0, 1.0]])
    """
    given = unary, pairwise
    unary, pairwise = _ready(*given)
    node, edge = _tables(unary, edges)
    best = _max_marginals(unary, pairwise, node, edge)
    if best == -np.inf:
        checked_chain(*given, precision(*given))
        raise _infeasible(node)
    return MaxMarginals(best, node, edge if edges else None)


def marginals(unary: ArrayLike, pairwise: ArrayLike, *, edges: bool = True) -> Marginals:
    """Probability of every state and every transition, in O(L K^2).

    Parameters
    ----------
    unary, pairwise : array_like
        As in `decode`; p(y) is proportional to exp of the score.
    edges : bool
        False: of states only, which takes a part of the time.

    Returns
    -------
    Marginals

    Raises
    ------
    ShapeError, ScoreError, InfeasibleError
        As in `decode`.

    Notes
    -----
    Scores of moderate range are exponentiated once and summed with rescaling; anything else
    (-inf present, ranges in the hundreds) goes through log-sum-exp. Both are exact to rounding.

    Examples
    --------
    >>> marginals([[0.0, 0.0]], np.zeros((2, 2))).unary
    array([[0.5, 0.5]])
    """
    given = unary, pairwise
    unary, pairwise = _ready(*given)
    if unary.dtype is not _FLOAT:
        unary, pairwise = checked_chain(*given)
    node, edge = _tables(unary, edges)
    log_partition = _scaled_marginals(unary, pairwise, node, edge)
    if log_partition == -np.inf:
        unary, pairwise = checked_chain(*given)
        log_partition = _log_tables(unary, pairwise, node, edge)
        if log_partition == -np.inf:
            raise _infeasible(node)
    return Marginals(log_partition, node, edge if edges else None)


def _scratch(unary: np.ndarray) -> np.ndarray:
    """For `decode_into`, (L + 1, K)."""
    return np.empty((len(unary) + 1, unary.shape[1]), unary.dtype)


def _tables(unary: np.ndarray, edges: bool) -> tuple[np.ndarray, np.ndarray]:
    """Tables for kernels to fill: (L, K), and (L - 1, K, K) or empty. numpy gets them in large pages."""
    length, n = unary.shape
    if not edges:
        return np.empty_like(unary), NO_EDGES[unary.dtype.itemsize]
    return np.empty_like(unary), np.empty((max(length - 1, 0), n, n), unary.dtype)


def witness(unary: ArrayLike, pairwise: ArrayLike, position: int, state: int) -> Decoded:
    """Best labelling with ``labels[position] == state``: what attains the max-marginal.

    Parameters
    ----------
    unary, pairwise : array_like
        As in `decode`.
    position : int
        0 .. L - 1.
    state : int
        0 .. K - 1.

    Returns
    -------
    Decoded

    Raises
    ------
    ArgumentError
        If position or state is out of range.
    ShapeError, ScoreError, InfeasibleError
        As in `decode`; infeasible also if every labelling through the state is forbidden.

    References
    ----------
    Weiss (2013), thesis, equation (4.2).

    Examples
    --------
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
    best = decode_into(clamped, pairwise, _scratch(unary), labels)
    if best == -np.inf:
        raise InfeasibleError(f"no labelling with state {state} at position {position} has a finite score")
    return Decoded(float(best), labels)


def k_best(unary: ArrayLike, pairwise: ArrayLike, k: int) -> KBest:
    """The k best labellings, best first, in O(L K^2 k).

    Parameters
    ----------
    unary, pairwise : array_like
        As in `decode`.
    k : int
        1 .. 10,000.

    Returns
    -------
    KBest
        Among equal scores, smaller states first, last position first.

    Raises
    ------
    ArgumentError
        If k is out of range.
    ShapeError, ScoreError, InfeasibleError
        As in `decode`.

    Examples
    --------
    >>> k_best([[0.0, 1.0], [2.0, 0.0]], np.zeros((2, 2)), 2)
    KBest(scores=array([3., 2.]), labels=array([[1, 0], [0, 0]]))
    """
    unary, pairwise = checked_chain(unary, pairwise)
    k = checks.integer("k", k, 1, 10_000)
    scores, labels = _k_best(unary, pairwise, k)
    if len(scores) == 0:
        raise InfeasibleError("every labelling has score -inf")
    return KBest(scores, labels)


def score(unary: ArrayLike, pairwise: ArrayLike, labels: ArrayLike) -> float:
    """Score of one labelling.

    Parameters
    ----------
    unary, pairwise : array_like
        As in `decode`.
    labels : array_like of int, shape (L,)

    Returns
    -------
    float

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        If the arrays disagree, hold NaN or +inf, or a label is out of range.

    Examples
    --------
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

    Parameters
    ----------
    unary : array_like, shape (sum of lengths, K)
        The chains' state scores, one chain after the other.
    lengths : array_like of int, shape (N,)
        Positions of each chain, at least 1.
    pairwise : array_like, shape (K, K)

    Returns
    -------
    BatchDecoded
        A chain with no finite labelling has score -inf and labels 0.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        As in `decode`, or if the lengths do not add up.

    Examples
    --------
    >>> decode_batch([[0.0, 1.0], [2.0, 0.0], [0.0, 5.0]], [2, 1], np.zeros((2, 2)))
    BatchDecoded(scores=array([3., 5.]), labels=array([1, 0, 1]))
    """
    unary, lengths, pairwise = _checked_batch(unary, lengths, pairwise)
    scores, labels = np.empty(len(lengths)), np.empty(len(unary), dtype=np.int64)
    if not _decode_batch(unary, lengths, pairwise, scores, labels):
        raise _wrong_batch(unary, lengths, pairwise)
    return BatchDecoded(scores, labels)


def max_marginals_batch(unary: ArrayLike, lengths: ArrayLike, pairwise: ArrayLike) -> BatchMaxMarginals:
    """Node max-marginals of many chains with one shared transition table, in one call.

    Parameters
    ----------
    unary, lengths, pairwise
        As in `decode_batch`.

    Returns
    -------
    BatchMaxMarginals
        A chain with no finite labelling has best -inf.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        As in `decode_batch`.

    Examples
    --------
    >>> max_marginals_batch([[0.0, 1.0], [2.0, 0.0]], [2], np.zeros((2, 2))).unary
    array([[2., 3.],
           [3., 1.]])
    """
    unary, lengths, pairwise = _checked_batch(unary, lengths, pairwise)
    best, node = np.empty(len(lengths)), np.empty_like(unary)
    if not _node_tables_batch(unary, lengths, pairwise, best, node):
        raise _wrong_batch(unary, lengths, pairwise)
    return BatchMaxMarginals(best, node)


def _is_ready(unary: Any, pairwise: Any) -> bool:
    """Whether arrays can go to the kernels as they are: small chains are call overhead."""
    return (
        type(unary) is np.ndarray is type(pairwise)
        and unary.dtype is pairwise.dtype
        and (unary.dtype is _FLOAT or unary.dtype is _SINGLE)
        and unary.ndim == 2 == pairwise.ndim
        and unary.flags.c_contiguous
        and pairwise.flags.c_contiguous
    )


def _ready(unary: Any, pairwise: Any) -> tuple[np.ndarray, np.ndarray]:
    """A chain's arrays for kernels, which look at what they hold: transitions (1 or L - 1, K, K)."""
    if _is_ready(unary, pairwise):
        return unary, pairwise[None]
    return checked_chain(unary, pairwise, precision(unary, pairwise))


def precision(*scores: ArrayLike) -> np.dtype:
    """float32 if all of the arrays have it, else float64."""
    return _SINGLE if all(getattr(a, "dtype", None) == _SINGLE for a in scores) else _FLOAT


def checked_chain(
    unary: ArrayLike, pairwise: ArrayLike, dtype: np.dtype = _FLOAT
) -> tuple[np.ndarray, np.ndarray]:
    """A chain's arrays for kernels, (L, K) and (1 or L - 1, K, K), or the error that names what is wrong."""
    unary = checks.scores("unary", unary, 2, dtype)
    if 0 in unary.shape:
        raise ShapeError(f"unary has shape {unary.shape}; it needs at least one position and one state")
    pairwise = checks.scores("pairwise", pairwise, (2, 3), dtype)
    length, n = unary.shape
    if pairwise.ndim == 2:
        pairwise = pairwise[None]
    if pairwise.shape not in ((1, n, n), (length - 1, n, n)):
        shape = pairwise.shape[1:] if len(pairwise) == 1 else pairwise.shape
        raise ShapeError(
            f"pairwise has shape {shape}; unary {unary.shape} needs {(length - 1, n, n)} or {(n, n)}"
        )
    return unary, pairwise


def _checked_batch(
    unary: Any, lengths: ArrayLike, pairwise: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(unary, lengths, pairwise) as arrays for the kernels, which look at what they hold."""
    if not _is_ready(unary, pairwise):
        unary, pairwise = _checked_tables(unary, pairwise)
    whole = checks.typed("lengths", lengths, "iu", "whole numbers")
    if whole.ndim != 1:
        whole = checks.lengths(whole, len(unary))
    return unary, np.ascontiguousarray(whole, dtype=np.int64), pairwise


def _checked_tables(unary: ArrayLike, pairwise: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    dtype = precision(unary, pairwise)
    return checks.scores("unary", unary, 2, dtype), checks.scores("pairwise", pairwise, 2, dtype)


def _wrong_batch(unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray) -> ShapeError:
    """The error that says what a kernel has found wrong with a batch."""
    unary, pairwise = _checked_tables(unary, pairwise)
    lengths = checks.lengths(lengths, len(unary))
    if lengths.sum() != len(unary):
        return ShapeError(f"unary has shape {unary.shape}; lengths needs {int(lengths.sum())} rows")
    wanted = (unary.shape[1],) * 2
    return ShapeError(f"pairwise has shape {pairwise.shape}; unary {unary.shape} needs {wanted}")


def _infeasible(table: np.ndarray) -> InfeasibleError:
    dead = np.flatnonzero(np.all(np.isneginf(table), axis=1))
    where = f"position {dead[0]}" if len(dead) else "the end"
    return InfeasibleError(f"every labelling has score -inf: all {table.shape[1]} states are dead at {where}")


@bare_kernel
def messages(
    sr: Semiring,
    unary: np.ndarray,
    pairwise: np.ndarray,
    out: np.ndarray,
    step: int,
    product: np.ndarray,
) -> None:
    """Messages along a chain, shape (L, K), walking by `step` (1: from the left, -1: from the right).

    `pairwise` is indexed [edge, from, to] in walking direction, so the walk from the right wants
    it transposed; `product` (K,) is scratch memory. A semiring of scores: sums of products need rescaling.
    """
    length = len(unary)
    i = 0 if step == 1 else length - 1
    out[i] = sr.one
    for _ in range(length - 1):
        multiply(sr, out[i], unary[i], product)
        edge = min(i if step == 1 else i - 1, len(pairwise) - 1)  # one table may serve all steps
        i += step
        combine(sr, product, pairwise[edge], out[i])


@kernel
def aligned(shape: tuple[int, int], like: np.ndarray) -> np.ndarray:
    """Empty rows (N, K) of the type of `like`: filled up to whole vectors, and each begins a cache line."""
    each = 64 // like.itemsize
    n, k = shape
    wide = k if k < 8 else (k + 7) // 8 * 8
    raw = np.empty(n * wide + each, like.dtype)
    skip = (-raw.ctypes.data % 64) // like.itemsize
    return raw[skip : skip + n * wide].reshape((n, wide))


@kernel
def table_rows(pairwise: np.ndarray, zero: float, is_back: bool) -> np.ndarray:
    """Transitions (T, K, K), or the same from right to left, in `aligned` rows filled up with `zero`."""
    t, n, _ = pairwise.shape
    rows = aligned((t * n, n), pairwise)
    out = rows.reshape((t, n, rows.shape[1]))
    for p in range(t):
        for i in range(n):
            if is_back:
                for j in range(n):  # what is written lies together
                    out[p, i, j] = pairwise[p, j, i]
            else:
                for j in range(n):
                    out[p, i, j] = pairwise[p, i, j]
            for j in range(n, rows.shape[1]):
                out[p, i, j] = zero
    return out


@bare_kernel
def decode_into(unary: np.ndarray, pairwise: np.ndarray, left: np.ndarray, labels: np.ndarray) -> float:
    """`decode` for other kernels: pairwise (1 or L - 1, K, K); fills labels, returns the score.

    left : (L + 1 or more, K), scratch memory: the messages, and a row for their products. Its rows, and the
    transitions', may be longer: see `aligned`.

    No back-pointers: on the way back the first state that attains the message is looked for; the same sums
    round in the same way.
    """
    length, n = unary.shape
    messages(MAX_PLUS, unary, pairwise, left, _AHEAD, left[length, :n])
    best, state = -np.inf, 0
    for k in range(n):
        v = left[length - 1, k] + unary[length - 1, k]
        if v > best:
            best, state = v, k
    labels[length - 1] = state
    for i in range(length - 2, -1, -1):
        edge, wanted = min(i, len(pairwise) - 1), left[i + 1, state]
        arg = 0
        for k in range(n):
            if left[i, k] + unary[i, k] + pairwise[edge, k, state] == wanted:
                arg = k
                break
        labels[i] = arg
        state = arg
    return best


@bare_kernel
def _is_wrong(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether a chain, with transitions (1 or L - 1, K, K), has a wrong shape or a bad score."""
    length, n = unary.shape
    if length == 0 or not 0 < n == pairwise.shape[1] == pairwise.shape[2]:
        return True
    if len(pairwise) != 1 and len(pairwise) != length - 1:
        return True
    return checks.first_bad(unary.reshape(-1)) >= 0 or checks.first_bad(pairwise.reshape(-1)) >= 0


@bare_kernel
def is_worth_a_copy(unary: np.ndarray, pairwise: np.ndarray) -> bool:
    """Whether a chain is so long that one table for all its steps had better lie in `aligned` rows."""
    return len(pairwise) == 1 and len(unary) >= _LONG


@kernel
def _decode(unary: np.ndarray, pairwise: np.ndarray, labels: np.ndarray) -> float:
    """Best score, and fills labels; -inf if anything is wrong or nothing is feasible: then look closer."""
    if _is_wrong(unary, pairwise):
        return -np.inf
    left = aligned((len(unary) + 1, unary.shape[1]), unary)
    if is_worth_a_copy(unary, pairwise):
        return decode_into(unary, table_rows(pairwise, -np.inf, False), left, labels)
    return decode_into(unary, pairwise, left, labels)


@kernel
def _max_marginals(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Best score; fills the node table (L, K) and, unless it is empty, the edge table (L - 1, K, K).

    -inf as of `_decode`.
    """
    if _is_wrong(unary, pairwise):
        return -np.inf
    work, back = aligned((2, unary.shape[1]), unary), table_rows(pairwise, -np.inf, True)
    if is_worth_a_copy(unary, pairwise):
        return max_tables(unary, table_rows(pairwise, -np.inf, False), back, work, node, edge)
    return max_tables(unary, pairwise, back, work, node, edge)


@bare_kernel
def max_tables(
    unary: np.ndarray,
    pairwise: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    node: np.ndarray,
    edge: np.ndarray,
) -> float:
    """As `_max_marginals`, with `table_rows` from right to left.

    work : (2, K), `aligned` scratch memory: a message, and its product with a row of scores. On the way there
    the node table holds products of messages from the left.
    """
    length, n = unary.shape
    message, product = work[0], work[1, :n]
    copy(unary[0], node[0])
    for i in range(1, length):
        combine(MAX_PLUS, node[i - 1], pairwise[min(i, len(pairwise)) - 1], message)
        multiply(MAX_PLUS, message, unary[i], node[i])
    copy(unary[length - 1], product)
    for i in range(length - 2, -1, -1):
        t = min(i, len(pairwise) - 1)
        combine(MAX_PLUS, product, back[t], message)
        if len(edge):
            for j in range(n):
                before = node[i, j]
                row, out = pairwise[t, j], edge[i, j]
                for k in range(n):
                    out[k] = before + row[k] + product[k]
        multiply(MAX_PLUS, node[i], message, node[i])
        multiply(MAX_PLUS, message, unary[i], product)
    return total(MAX_PLUS, node[0])


@kernel
def is_tame(unary: np.ndarray, spread: float) -> bool:
    """True if exponentials can be summed directly: no -inf, and columns cannot underflow.

    spread : largest less smallest score of a transition.
    """
    widest = 0.0
    for i in range(len(unary)):
        span = largest(unary[i]) - smallest(unary[i])
        if not span < TAME_RANGE:  # also NaN, of a row that is all -inf
            return False
        widest = max(widest, span)
    # One column's products span its own range plus the transitions' on either side; an edge's
    # pass three transition tables, of which the largest entry may be in none.
    return widest + 3 * spread < TAME_RANGE


@kernel
def spread_of(pairwise: np.ndarray) -> float:
    """Largest less smallest score of transitions; 0 of none."""
    flat = pairwise.reshape(-1)
    return largest(flat) - smallest(flat) if len(flat) else 0.0


@kernel
def _scaled_marginals(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Log partition; fills the tables as `_max_marginals`, by rescaled sums.

    -inf if anything is wrong with the scores, or sums of exponentials might not hold them.
    """
    if _is_wrong(unary, pairwise) or not is_tame(unary, spread_of(pairwise)):
        return -np.inf
    return scaled_tables(unary, pairwise, node, edge)


@kernel
def scaled_tables(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """As `_scaled_marginals`, of scores that are tame."""
    high = largest(pairwise.reshape(-1))
    table = _exponential_rows(pairwise, high)
    back = table_rows(table, 0.0, True)
    log_partition = sum_tables(unary, table, back, aligned((3, unary.shape[1]), unary), node, edge)
    return log_partition + (len(unary) - 1) * high if len(unary) > 1 else log_partition  # 0 times -inf: NaN


@kernel
def _exponential_rows(pairwise: np.ndarray, high: float) -> np.ndarray:
    """exp(pairwise - high) in `aligned` rows, filled up with 0."""
    t, n, _ = pairwise.shape
    rows = aligned((t * n, n), pairwise)
    for p in range(t):
        for i in range(n):
            exponentials(pairwise[p, i], high, 1.0, rows[p * n + i])
            for j in range(n, rows.shape[1]):
                rows[p * n + i, j] = 0.0
    return rows.reshape((t, n, rows.shape[1]))


@bare_kernel
def sum_tables(
    unary: np.ndarray,
    table: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    node: np.ndarray,
    edge: np.ndarray,
) -> float:
    """As `scaled_tables`, of exponentials of transitions in `aligned` rows, and of their way back.

    work : (3, K), `aligned` scratch memory: a message, a row's exponentials and their product. On the way
    there the node table holds products of messages from the left. A product is rescaled in the next one.
    """
    length, n = unary.shape
    message, weight, product = work[0], work[1, :n], work[2, :n]
    message[:] = 1.0
    log_partition, scale, taken = 0.0, 1.0, 1.0
    for i in range(length):
        if i > 0:
            combine(SUM_TIMES, node[i - 1], table[min(i, len(table)) - 1], message)
        top = largest(unary[i])
        exponentials(unary[i], top, 1.0 / scale, weight)
        multiply(SUM_TIMES, message, weight, node[i])
        scale = largest(node[i])
        taken *= scale
        log_partition += top
        if not 1e-100 < taken < 1e100:  # scale lies between exp(-TAME_RANGE / 3) and K
            log_partition += np.log(taken)
            taken = 1.0
    log_partition += np.log(taken) + np.log(sum_of(node[length - 1]) / scale)
    message[:] = 1.0
    scale = 1.0
    for i in range(length - 1, -1, -1):
        if i < length - 1:
            exponentials(unary[i + 1], largest(unary[i + 1]), 1.0 / scale, weight)
            multiply(SUM_TIMES, message, weight, product)
            scale = largest(product)
            combine(SUM_TIMES, product, back[min(i, len(back) - 1)], message)
        multiply(SUM_TIMES, node[i], message, weight)
        factor = 1.0 / sum_of(weight)
        if i < len(edge):  # a message is the sum over such products, so a node's normaliser is its edges' too
            for j in range(n):
                share = node[i, j] * factor
                row, out = table[min(i, len(table) - 1), j], edge[i, j]
                for k in range(n):
                    out[k] = share * row[k] * product[k]
        stretch(weight, factor)
        copy(weight, node[i])
    return log_partition


@kernel
def _log_tables(unary: np.ndarray, pairwise: np.ndarray, node: np.ndarray, edge: np.ndarray) -> float:
    """Log partition; fills the tables as `_max_marginals`, by log-sum-exp: any scale, -inf allowed.

    From left to right the node table gets logs of sums, of which each row's largest is 0. From right to left
    p(y_i | y_{i+1}) makes pairs of what is known of y_{i+1}: every one of these adds up to 1 by itself, so
    pairs and nodes do, and agree, however little of a difference of scores a float can hold.
    """
    length, n = unary.shape
    log_partition = 0.0
    for i in range(length):
        if i > 0:
            combine(LOG_PLUS, node[i - 1], pairwise[min(i, len(pairwise)) - 1], node[i])
            multiply(LOG_PLUS, node[i], unary[i], node[i])
        else:
            copy(unary[0], node[0])
        top = largest(node[i])
        if top == -np.inf:
            node[i:] = -np.inf
            return top
        for k in range(n):
            node[i, k] -= top
        log_partition += top
    last = node[length - 1]
    log_partition += total(LOG_PLUS, last)
    _exponentials_below(last)
    stretch(last, 1.0 / sum_of(last))
    own = np.empty((n, n))
    for i in range(length - 2, -1, -1):
        pair = edge[i] if len(edge) else own
        _pairs_before(node[i], pairwise[min(i, len(pairwise) - 1)], node[i + 1], pair)
        for j in range(n):
            node[i, j] = sum_of(pair[j])
    return log_partition


@kernel
def _exponentials_below(values: np.ndarray) -> None:
    """values[k] = exp(values[k]) of numbers up to 0, also of those that `exponentials` cannot take."""
    for k in range(len(values)):
        values[k] = np.exp(values[k])


@kernel
def _pairs_before(before: np.ndarray, step: np.ndarray, after: np.ndarray, pair: np.ndarray) -> None:
    """pair[j, k] = p(y_i = j | y_{i+1} = k) after[k], from the log sums up to state j."""
    n = len(after)
    top, whole = np.full(n, -np.inf), np.zeros(n)
    for j in range(n):
        for k in range(n):
            way = before[j] + step[j, k]
            pair[j, k] = way
            top[k] = way if way > top[k] else top[k]
    for j in range(n):
        for k in range(n):
            pair[j, k] = np.exp(pair[j, k] - top[k]) if top[k] > -np.inf else 0.0
            whole[k] += pair[j, k]
    for k in range(n):
        whole[k] = after[k] / whole[k] if whole[k] > 0.0 else 0.0
    for j in range(n):
        for k in range(n):
            pair[j, k] *= whole[k]


@kernel
def _k_best(unary: np.ndarray, pairwise: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(scores (m,), labels (m, L)): per state a sorted list of its k best prefixes."""
    length, n = unary.shape
    value = np.full((length, n, k), -np.inf)
    back = np.zeros((length, n, k), dtype=np.int64)  # previous state * k + rank
    for s in range(n):
        value[0, s, 0] = unary[0, s]
    candidate = np.empty(n * k)
    for i in range(1, length):
        step = pairwise[(i - 1) % len(pairwise)]
        for s in range(n):
            for r in range(n):
                for q in range(k):
                    candidate[r * k + q] = value[i - 1, r, q] + step[r, s]
            _fill_top(candidate, value[i, s], back[i, s])
            for q in range(k):
                value[i, s, q] += unary[i, s]
    final, origin = np.empty(k), np.empty(k, dtype=np.int64)
    _fill_top(value[length - 1].copy().reshape(-1), final, origin)
    m = 0
    while m < k and final[m] > -np.inf:
        m += 1
    labels = np.empty((m, length), dtype=np.int64)
    for q in range(m):
        at = origin[q]
        for i in range(length - 1, -1, -1):
            labels[q, i] = at // k
            at = back[i, at // k, at % k]
    return final[:m].copy(), labels


@kernel
def _fill_top(candidate: np.ndarray, values: np.ndarray, origins: np.ndarray) -> None:
    """The len(values) largest candidates in falling order, the first of equals first."""
    k, size = len(values), 0
    for c in range(len(candidate)):
        v = candidate[c]
        if v == -np.inf or (size == k and v <= values[k - 1]):
            continue
        if size < k:
            size += 1
        at = size - 1
        while at > 0 and values[at - 1] < v:
            values[at], origins[at] = values[at - 1], origins[at - 1]
            at -= 1
        values[at], origins[at] = v, c
    for q in range(size, k):
        values[q], origins[q] = -np.inf, 0


@kernel
def _longest(unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray) -> int:
    """Positions of the longest chain; -1 if the shapes or the transitions are wrong."""
    longest, rows = 0, len(unary)
    if not 0 < len(pairwise) == pairwise.shape[1] == unary.shape[1]:
        return -1
    for w in range(len(lengths)):
        if not 0 < lengths[w] <= rows:
            return -1
        rows, longest = rows - lengths[w], max(longest, lengths[w])
    return longest if rows == 0 and checks.first_bad(pairwise.reshape(-1)) < 0 else -1


@kernel
def _decode_batch(
    unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray, scores: np.ndarray, labels: np.ndarray
) -> bool:
    """Fills scores (N,) and labels (R,); False if an argument is wrong: then look closer."""
    longest = _longest(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, False)
    left = aligned((longest + 1, unary.shape[1]), unary)
    return _decode_all(unary, lengths, table, left, scores, labels)


@bare_kernel
def _decode_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    left: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(scores)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        scores[w] = decode_into(unary[a:b], table, left, labels[a:b])
        if scores[w] == -np.inf:
            labels[a:b] = 0
    return True


@kernel
def _node_tables_batch(
    unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray, best: np.ndarray, node: np.ndarray
) -> bool:
    """Fills best (N,) and node (R, K); False if an argument is wrong: then look closer."""
    longest = _longest(unary, lengths, pairwise)
    if longest < 0:
        return False
    table = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, False)
    back = table_rows(pairwise.reshape((1, *pairwise.shape)), -np.inf, True)
    work = aligned((2, unary.shape[1]), unary)
    return _node_tables_all(unary, lengths, table, back, work, best, node)


@bare_kernel
def _node_tables_all(
    unary: np.ndarray,
    lengths: np.ndarray,
    table: np.ndarray,
    back: np.ndarray,
    work: np.ndarray,
    best: np.ndarray,
    node: np.ndarray,
) -> bool:
    b = 0
    for w in range(len(best)):
        a, b = b, b + lengths[w]
        if checks.first_bad(unary[a:b].reshape(-1)) >= 0:
            return False
        best[w] = max_tables(unary[a:b], table, back, work, node[a:b], table[:0])
    return True

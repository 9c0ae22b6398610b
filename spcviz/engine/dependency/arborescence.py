r"""Dependency trees: the best tree through each arc (max-marginals), and the probability of each (marginals).

Trees, ``scores`` and ``heads`` as in `chu_liu_edmonds`, which finds the best tree; its names are exported
here too.

Max-marginals take one decoding per arc, with the dependent's row restricted to it.

Probabilities under exp(psi): eliminating a word v passes its dependents on to its heads,
``w[d, h] += w[d, v] w[v, h] / S_v`` with ``S_v`` the sum of row v, and the product of all S is the sum over
all trees, the partition function (the matrix-tree theorem by variable elimination). It uses only additions,
so nothing cancels. A random walk from a word to its heads ends at the root; the probability that it does so
before it meets d is the share of trees, among those in which d has no head, in which the word does not hang
below d.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.dependency import exact_trees
from spcviz.engine.dependency.chu_liu_edmonds import (
    MAX_WORDS,
    RELIABLE,
    DependencyTree,
    check_scores,
    decode,
    decode_checked,
    decode_into,
    decode_with_rounding,
)
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import copy

__all__ = [
    "MAX_WORDS",
    "ArcMarginals",
    "DependencyTree",
    "Without",
    "check_scores",
    "decode",
    "decode_into",
    "marginals",
    "max_marginals",
    "without_arcs",
]

TAME_RANGE = 600.0
"""Largest difference of one word's scores where trees are summed: exp(-600) is above the smallest double."""


class ArcMarginals(NamedTuple):
    """Probabilities ``arcs[d, h]`` (N + 1, N + 1) under exp(psi(tree)); row 0 and the diagonal are 0."""

    log_partition: float
    arcs: np.ndarray


class Without(NamedTuple):
    """Best trees that each leave out one arc of the best tree.

    ``scores[d - 1]`` (N,): without the arc into word d; ``heads[d - 1]`` (N,), int64: the head that d has
    there. -inf and -1 if there is no such tree.
    """

    scores: np.ndarray
    heads: np.ndarray


def max_marginals(scores: ArrayLike, *, single_root: bool = False) -> np.ndarray:
    """Score of the best tree through each arc.

    One decoding for each arc that is not in the best tree: O(N^4), 2 ms at 25 words. Arguments and errors as
    in `decode`. Returns (N + 1, N + 1): ``[d, h]``; row 0 and the diagonal are -inf. Weiss (2013), thesis,
    equation (4.1), on trees of words.

    >>> max_marginals([[0, 0, 0], [5, 0, 9], [4, 9, 0]])[1:]
    array([[ 14., -inf,  13.],
           [ 13.,  14., -inf]])
    """
    scores = check_scores(scores)
    best = decode_checked(scores, single_root)
    out = np.full(scores.shape, -np.inf)
    is_rough = _through_each_arc(scores, best.heads, best.score, bool(single_root), out)
    if is_rough:
        for d, h in np.argwhere(out == np.inf):
            cut = scores.copy()
            cut[d] = -np.inf
            cut[d, h] = scores[d, h]
            out[d, h] = exact_trees.best(cut, bool(single_root))[0]
    return out


def without_arcs(scores: ArrayLike, *, single_root: bool = False) -> Without:
    """The best tree without each word's arc of the best tree, in N decodings; arguments as in `decode`.

    >>> without_arcs([[0, 0, 0], [5, 0, 9], [4, 9, 0]])
    Without(scores=array([13., 13.]), heads=array([2, 0]))
    """
    scores = check_scores(scores)
    best = decode_checked(scores, single_root)
    without = Without(np.empty(len(best.heads)), np.empty(len(best.heads), dtype=np.int64))
    _without_each_arc(scores, best.heads, bool(single_root), without.scores, without.heads)
    for d in np.flatnonzero(without.scores == np.inf) + 1:
        cut = scores.copy()
        cut[d, best.heads[d - 1]] = -np.inf
        without.scores[d - 1], heads = exact_trees.best(cut, bool(single_root))
        without.heads[d - 1] = heads[d - 1]
    return without


def marginals(scores: ArrayLike, *, single_root: bool = False) -> ArcMarginals:
    """Sum over all dependency trees and the probability of every arc, in O(N^4).

    Arguments and errors as in `decode`; the finite scores of one word may differ by at most 600. Koo et al.
    (2007), Structured prediction models via the matrix-tree theorem.

    >>> sums = marginals([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    >>> round(np.exp(sums.log_partition)), sums.arcs[1]
    (3, array([0.66666667, 0.        , 0.33333333]))
    """
    scores = check_scores(scores)
    decode_checked(scores, single_root)  # raises if there is no tree
    words = scores[1:]
    top = words.max(axis=1)
    spread = top - np.where(np.isfinite(words), words, np.inf).min(axis=1)
    if spread.max() > TAME_RANGE:
        word = int(spread.argmax()) + 1
        raise ArgumentError(
            f"scores[{word}] must lie within {TAME_RANGE:.0f} to sum over trees, got {spread.max():.6g}"
        )
    weights = np.zeros(scores.shape)
    weights[1:] = np.exp(words - top[:, None])
    arcs = np.zeros(scores.shape)
    log_sum = _single_root_sums(weights, arcs) if single_root else _arc_sums(weights, arcs)
    return ArcMarginals(float(log_sum + top.sum()), arcs)


@kernel
def _score(
    scores: np.ndarray,
    single_root: bool,
    heads: np.ndarray,
    gain: np.ndarray,
    origin: np.ndarray,
    marks: np.ndarray,
) -> float:
    """As `decode_into`; inf where rounding may matter next to the largest score of the tree."""
    score, rough = decode_with_rounding(scores, single_root, heads, gain, origin, marks)
    most, n = RELIABLE / len(scores), len(scores)
    is_fine = rough <= most / n * abs(score) or rough <= most * _coarsest(scores, heads)  # the first is quick
    return score if is_fine else np.inf


@kernel
def _coarsest(scores: np.ndarray, heads: np.ndarray) -> float:
    """The largest magnitude of a tree's arcs."""
    most = 0.0
    for d in range(1, len(scores)):
        most = max(most, abs(scores[d, heads[d - 1]]))
    return most


@kernel
def _through_each_arc(
    scores: np.ndarray, heads: np.ndarray, best: float, single_root: bool, out: np.ndarray
) -> bool:
    """out[d, h] = `_score` of the best tree with the arc, row d restricted to it; whether any is inf."""
    n = len(scores)
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    marks = np.empty((9, 2 * n), dtype=np.int64)
    changed, tree, is_rough = scores.copy(), np.empty(n - 1, dtype=np.int64), False
    for d in range(1, n):
        for h in range(n):
            if heads[d - 1] == h:
                out[d, h] = best
            elif scores[d, h] > -np.inf:
                changed[d, :] = -np.inf
                changed[d, h] = scores[d, h]
                out[d, h] = _score(changed, single_root, tree, gain, origin, marks)
                is_rough |= out[d, h] == np.inf
        copy(scores[d], changed[d])
    return is_rough


@kernel
def _without_each_arc(
    scores: np.ndarray, heads: np.ndarray, single_root: bool, out: np.ndarray, other: np.ndarray
) -> None:
    """out[d - 1] = score, see `_score`, of the best tree in which d has another head, other[d - 1]."""
    n = len(scores)
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    marks = np.empty((9, 2 * n), dtype=np.int64)
    changed, tree = scores.copy(), np.empty(n - 1, dtype=np.int64)
    for d in range(1, n):
        changed[d, heads[d - 1]] = -np.inf
        out[d - 1] = _score(changed, single_root, tree, gain, origin, marks)
        other[d - 1] = tree[d - 1] if out[d - 1] > -np.inf else -1
        changed[d, heads[d - 1]] = scores[d, heads[d - 1]]


@kernel
def _eliminate(weights: np.ndarray, is_end: np.ndarray, order: np.ndarray, sums: np.ndarray) -> float:
    """Pass every word's dependents on to its heads, in order; returns the log of the product of the sums.

    Words of ``order`` are eliminated one after the other; ``is_end`` are nodes that are never entered.
    ``weights`` keeps each word's row as it was when the word was eliminated; ``sums`` gets that row's sum.
    """
    n, log_product = len(weights), 0.0
    for i in range(len(order)):
        v = order[i]
        total = 0.0
        for h in range(n):
            if is_end[h]:
                total += weights[v, h]
        for j in range(i + 1, len(order)):
            total += weights[v, order[j]]
        sums[v] = total
        if total == 0.0:
            return -np.inf
        log_product += np.log(total)
        for j in range(i + 1, len(order)):
            d = order[j]
            share = weights[d, v] / total
            if share > 0.0:
                for h in range(n):
                    weights[d, h] += share * weights[v, h]
    return log_product


@kernel
def _arc_sums(weights: np.ndarray, arcs: np.ndarray) -> float:
    """Write probabilities of arcs to ``arcs``, row by row; returns the log of the sum over trees.

    The sum over trees with an arc (d, h) is the sum over those in which d is a separate end, times w[d, h],
    times the share in which h hangs below the root and not below d.
    """
    n = len(weights)
    is_end, order, sums = np.zeros(n, dtype=np.bool_), np.arange(1, n), np.empty(n)
    is_end[0] = True
    reached = np.empty(n)
    whole = _eliminate(weights.copy(), is_end, order, sums)
    if whole == -np.inf:
        return whole
    for d in range(1, n):
        reduced, others = weights.copy(), np.empty(n - 2, dtype=np.int64)
        for i in range(n - 2):
            others[i] = i + 1 if i + 1 < d else i + 2
        is_end[d] = True
        scale = np.exp(_eliminate(reduced, is_end, others, sums) - whole)
        is_end[d] = False
        reached[0], reached[d] = 1.0, 0.0
        for i in range(n - 3, -1, -1):
            v = others[i]
            total = reduced[v, 0]
            for j in range(i + 1, n - 2):
                total += reduced[v, others[j]] * reached[others[j]]
            reached[v] = total / sums[v]
        for h in range(n):
            if h != d:
                arcs[d, h] = scale * weights[d, h] * reached[h]
    return whole


@kernel
def _single_root_sums(weights: np.ndarray, arcs: np.ndarray) -> float:
    """The same over trees with one word below the root, O(N^5): one sum for each such word."""
    n = len(weights)
    logs, root_arcs = np.full(n, -np.inf), np.zeros((n, n, n))
    for r in range(1, n):
        if weights[r, 0] > 0.0:
            rooted = weights.copy()
            rooted[:, 0] = 0.0
            rooted[r, :] = 0.0
            rooted[r, 0] = weights[r, 0]
            logs[r] = _arc_sums(rooted, root_arcs[r])
    top = logs.max()
    total = np.exp(logs - top).sum()
    for r in range(1, n):
        if logs[r] > -np.inf:
            arcs += np.exp(logs[r] - top) / total * root_arcs[r]
    return top + np.log(total)

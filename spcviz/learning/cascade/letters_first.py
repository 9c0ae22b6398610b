r"""Train a bigram model that filters single states before any pairs are formed (thesis 4.5.1).

The space holds all K states and so all K^2 pairs at every position. A state's max-marginal is the best score
of a labelling through it, so its neighbours already count at the first level, where a model of single
positions has to decide on each alone. Its survivors are a mask of states, exactly what a filter of order 1
leaves; so they are reported as if they came from `unigrams`, and all later levels work unchanged.

Legend: R rows, K states, W examples, A = R K arcs of the unigram lattice.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.peaked import PAUSE, Tops, combine_best, tops_of_many
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel, strict_kernel
from spcviz.engine.kernels.once import fill_new, larger_of
from spcviz.engine.ngrams.dense import dense_model
from spcviz.engine.ngrams.lattice import Lattice, bigrams, labels_of
from spcviz.engine.ngrams.prune import Pruned, prune
from spcviz.engine.ngrams.table import NgramTable
from spcviz.engine.thresholds import rule, rules
from spcviz.engine.thresholds.rule import survives


def all_bigrams(lengths: np.ndarray, n_states: int) -> Lattice:
    """The lattice of every pair of states, ordered so that its nodes are the states, row by row."""
    return bigrams(lengths, n_states, np.ones((int(np.sum(lengths)), n_states), dtype=bool))


def prune_states(
    lattice: Lattice, arc_score: np.ndarray, alpha: float | np.ndarray, rule: str = "mean_max"
) -> Pruned:
    """Filter the states that a bigram lattice (from `all_bigrams`) joins (thesis 4.5.1).

    Arc scores are (arcs,); alpha, the rule's setting, is a float or (W,). The result is as for ``unigrams``
    of the same examples: `keep`, `values`, `starts` and `best_path` describe the A states; `passed` stays
    that of the pairs.
    """
    pruned = prune(lattice, arc_score, alpha, on_nodes=True, rule=rules.at_first(rule))
    tau = np.repeat(pruned.limits.tau, np.diff(pruned.starts))
    keep = survives(pruned.values, tau)
    best = labels_of(lattice, pruned.best_path) + lattice.n_states * np.arange(len(keep) // lattice.n_states)
    keep[best] = True
    return pruned._replace(keep=keep, best_path=best, on_nodes=False)


class PairWeights(NamedTuple):
    """A bigram model's weights as arrays; made by `pair_weights`."""

    # inner, last (K, K): of a pair ``[from, to]``, and of an example's last pair (with the weight of ending)
    inner: np.ndarray
    last: np.ndarray
    # inner_t, last_t (K, K): both transposed, for the backward pass
    inner_t: np.ndarray
    last_t: np.ndarray
    tops: tuple[Tops, Tops, Tops, Tops]  # of each, used where there are many states
    single: np.ndarray  # (K,) weight of ending for an example of one position


def pair_weights(table: NgramTable) -> PairWeights:
    """Arrays for `keep_by_bigrams` from an `NgramTable`."""
    two = dense_model(table, 2)
    inner, last = two.sums[1], two.sums[1] + two.end
    inner_t, last_t = (np.ascontiguousarray(array.T) for array in (inner, last))
    tops = tops_of_many(inner), tops_of_many(last), tops_of_many(inner_t), tops_of_many(last_t)
    return PairWeights(inner, last, inner_t, last_t, tops, dense_model(table, 1).end[0])


def keep_by_bigrams(
    unary: np.ndarray,
    row_start: np.ndarray,
    weights: PairWeights,
    alpha: float,
    max_pairs: int = 2**62,
    rule: str = "mean_max",
) -> np.ndarray:
    r"""The states that `prune_states` keeps, straight from a table: no lattice of all pairs is built.

    Parameters
    ----------
    unary : array_like, shape (R, K)
        Finite.
    row_start : array_like of int, shape (W + 1,)
        Example w owns rows ``row_start[w] : row_start[w + 1]``, at least one.
    max_pairs : int
        Alpha is raised, just enough, for examples in which more pairs of neighbouring states would be left.
    rule : str
        A rule on max-marginals; alpha is its setting. See `spcviz.engine.thresholds.rules`.

    Returns
    -------
    ndarray of bool, shape (R, K)
        Always includes the states of the best labelling.

    Raises
    ------
    ShapeError, ArgumentError
        If the table and the weights have different numbers of states, or the rule is "probability".

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
    if rule == "probability":
        raise ArgumentError("rule must be one of max-marginals where pairs filter states, got 'probability'")
    way = rules.way_at_first(rule, alpha)
    keep = np.empty(unary.shape, dtype=np.bool_)
    inner, last, inner_t, last_t = weights.tops
    _keep_by_bigrams(unary, row_start, weights, inner, last, inner_t, last_t, way, max_pairs, keep)
    return keep


@kernel
def _keep_by_bigrams(
    unary: np.ndarray,
    row_start: np.ndarray,
    weights: PairWeights,
    inner_tops: Tops,
    last_tops: Tops,
    inner_t_tops: Tops,
    last_t_tops: Tops,
    way: tuple[float, float],
    max_pairs: int,
    keep: np.ndarray,
) -> None:
    k = unary.shape[1]
    longest = 0
    for w in range(len(row_start) - 1):
        longest = larger_of(longest, row_start[w + 1] - row_start[w])
    forward = np.empty(longest * k, np.float64).reshape((longest, k))
    backward = np.empty(longest * k, np.float64).reshape((longest, k))
    behind, best = np.empty(k, np.float64), np.empty(longest, np.int64)
    for w in range(len(row_start) - 1):
        first, n = row_start[w], row_start[w + 1] - row_start[w]
        forward[0] = unary[first]
        backward[n - 1] = 0.0
        if n == 1:
            forward[0] += weights.single
        wait = (0, PAUSE)
        for i in range(1, n):
            if i < n - 1:
                wait = combine_best(forward[i - 1], weights.inner, inner_tops, forward[i], wait)
            else:
                wait = combine_best(forward[i - 1], weights.last, last_tops, forward[i], wait)
            forward[i] += unary[first + i]
        wait = (0, PAUSE)
        for i in range(n - 2, -1, -1):
            behind[:] = backward[i + 1] + unary[first + i + 1]
            if i < n - 2:
                wait = combine_best(behind, weights.inner_t, inner_t_tops, backward[i], wait)
            else:
                wait = combine_best(behind, weights.last_t, last_t_tops, backward[i], wait)
        best[n - 1] = forward[n - 1].argmax()
        for i in range(n - 2, -1, -1):
            behind[:] = forward[i] + (weights.last_t if i == n - 2 else weights.inner_t)[best[i + 1]]
            best[i] = behind.argmax()
        for i in range(n):
            forward[i] += backward[i]
        keep_states(forward[:n], best[:n], way, max_pairs, keep[first : first + n])


@strict_kernel
def keep_states(
    values: np.ndarray, best: np.ndarray, way: tuple[float, float], max_pairs: int, keep: np.ndarray
) -> None:
    """The threshold rule on one example's max-marginals (n, K), -inf where impossible: fills keep (n, K).

    `way`: alpha and given yardstick (see `rule.yardstick`). States of the best labelling (n,) stay. Alpha is
    raised, just enough, where more than `max_pairs` pairs of neighbours would be left; where no alpha can
    separate ties, only the best labelling stays.
    """
    top, gap, _ = rule.spread(values.reshape(-1), 0, values.size)
    has_spread = rule.has_spread(top, gap)
    alpha, unit = way[0], rule.yardstick(top, gap, way[1])
    limit = rule.threshold(top, unit, rule.cap_alpha(alpha)) if has_spread else -np.inf
    if _mark(values, best, limit, keep) <= max_pairs:
        return
    if has_spread:
        limit = _raise_threshold(values, best, keep, (top, unit), alpha, max_pairs)
        if _mark(values, best, limit, keep) <= max_pairs:
            return
    keep[:] = False
    for i in range(len(best)):
        keep[i, best[i]] = True


@strict_kernel
def _raise_threshold(
    values: np.ndarray,
    best: np.ndarray,
    keep: np.ndarray,
    spread: tuple[float, float],
    alpha: float,
    max_pairs: int,
) -> float:
    """The threshold at the lowest alpha that leaves at most `max_pairs`; a lower one leaves `keep`."""
    n, k = values.shape
    # Number of states certain to be left, the best labelling's included; undecided values, packed by row.
    certain, count = fill_new(n, np.int64, 1), fill_new(n, np.int64, 0)
    open_ = np.empty(n * k, np.float64).reshape((n, k))  # flat as in `arc_ranges`: one kernel fewer
    for i in range(n):
        for s in range(k):
            if keep[i, s] and s != best[i]:
                open_[i, count[i]] = values[i, s]
                count[i] += 1
    low, high = alpha, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        limit = rule.threshold(spread[0], spread[1], rule.cap_alpha(middle))
        n_pairs, before = 0, 0
        for i in range(n):
            here = certain[i]
            for c in range(count[i]):
                here += rule.survives(open_[i, c], limit)
            n_pairs += before * here
            before = here
        fits, n_open = n_pairs <= max_pairs, 0
        for i in range(n):
            to = 0
            for c in range(count[i]):
                is_over = rule.survives(open_[i, c], limit)
                certain[i] += fits and is_over
                open_[i, to] = open_[i, c]
                to += fits != is_over
            count[i] = to
            n_open += to
        low, high = (low, middle) if fits else (middle, high)
        if n_open == 0:
            break
    return rule.threshold(spread[0], spread[1], rule.cap_alpha(high))


@strict_kernel
def _mark(values: np.ndarray, best: np.ndarray, limit: float, keep: np.ndarray) -> int:
    """Keep states over the limit and the best labelling; returns the number of neighbouring pairs left."""
    n_pairs, before = 0, 0
    for i in range(len(values)):
        here = 0
        for s in range(values.shape[1]):
            keep[i, s] = rule.survives(values[i, s], limit) or s == best[i]
            here += keep[i, s]
        n_pairs += before * here
        before = here
    return n_pairs

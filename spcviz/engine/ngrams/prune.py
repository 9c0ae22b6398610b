r"""One step of a cascade on a lattice: score, pass messages, threshold, keep, and grow the survivors.

Filters arcs (n-grams) or, with ``on_nodes``, the (n-1)-grams they join (thesis 4.5.1); an example of
order 1 has no smaller grams to filter, so there its arcs are filtered either way. A cap on
the next level's size protects against the odd example whose scores hardly differ: its alpha is
raised just enough, and the result says so.

The threshold is set by the `rule`, one of `spcviz.engine.thresholds.rules`: the thesis' own mean and best, a
margin, or a probability, which is a CRF's rule.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ScoreError, ShapeError
from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS
from spcviz.engine.ngrams.lattice import (
    WIDE,
    Messages,
    best_path,
    decode,
    extended_size,
    is_wide,
    messages,
)
from spcviz.engine.ngrams.lattice_scores import largest_finite, level_sums
from spcviz.engine.ngrams.prune_states import keep_near, keep_probable, mark_states
from spcviz.engine.ngrams.space import Lattice
from spcviz.engine.thresholds import filtering, rules
from spcviz.engine.thresholds.results import Thresholds
from spcviz.engine.thresholds.rule import cap_alpha, survives

_DEEPEST = -1e9
"""The lowest an example's best path may lie below its columns' best arcs for probabilities to within 1e-6."""


class Pruned(NamedTuple):
    """The result of pruning one level.

    - `keep` (A,), bool: surviving arcs; the best path of every example is among them
    - `limits`: each of shape (W,), at the setting used; of probabilities if that is the rule
    - `alpha` (W,): the setting used: the requested one, or a higher one where the cap required it

    - `values` (V,): max-marginals (or probabilities) of the filtered assignments: each example's arcs or
      nodes
    - `starts` (W + 1,), int64: the start of each example's values
    - `rule`, `first_gap`: as in `prune`
    """

    keep: np.ndarray
    passed: Messages
    limits: Thresholds
    alpha: np.ndarray
    best_path: np.ndarray
    values: np.ndarray
    starts: np.ndarray
    on_nodes: bool = False
    rule: str = "mean_max"
    first_gap: np.ndarray | None = None


def prune(
    lattice: Lattice,
    arc_score: ArrayLike,
    alpha: ArrayLike,
    *,
    on_nodes: bool = False,
    max_arcs: int | None = None,
    rule: str = "mean_max",
    first_gap: np.ndarray | None = None,
) -> Pruned:
    """Filter one level. `ShapeError`, `ScoreError`, `ArgumentError` if scores or alpha do not fit.

    Parameters
    ----------
    arc_score : array_like, shape (A,)
    alpha : float or array_like of shape (W,)
        The rule's setting, which rises as more is pruned: at most 1, and 0 is the mean; for margins, minus
        the margin; for probabilities, 0 to 1.
    on_nodes : bool
        Filter (n-1)-grams instead of n-grams.
    max_arcs : int, optional
        No example's next lattice may have more arcs than this (its best path always stays).
    rule : {"mean_max", "mean_max_first", "margin", "probability"}
        See `spcviz.engine.thresholds.rules`. "probability": keep iff the sum-product marginal under p
        proportional to exp(score) exceeds alpha (the thesis's CRF); messages are then those of the sum.
    first_gap : ndarray, shape (W,), optional
        Best minus mean of each example before any filter, for "mean_max_first".

    Examples
    --------
    >>> from spcviz.engine.ngrams.lattice import unigrams
    >>> prune(unigrams([2], 3), [4.0, 3.0, 0.0, 5.0, 1.0, 0.0], 0.0).keep
    array([ True,  True, False,  True, False, False])
    >>> prune(unigrams([2], 3), [4.0, 3.0, 0.0, 5.0, 1.0, 0.0], -4.5, rule="margin").keep
    array([ True,  True,  True,  True,  True, False])
    """
    by_marginals = rules.checked_rule(rule) == "probability"
    if by_marginals:
        passed = messages(lattice, arc_score, LOG_PLUS)
        path = decode(lattice, arc_score).arcs
    else:
        passed = messages(lattice, arc_score)
        path = best_path(lattice, arc_score, passed.forward)
    values, starts = _filtered_values(lattice, passed, on_nodes)
    if by_marginals:
        best = passed.best
        if is_wide(passed):
            near = messages(lattice, _below_best(lattice, np.asarray(arc_score, dtype=float)), LOG_PLUS)
            best, (values, _) = near.best, _filtered_values(lattice, near, on_nodes)
        values = values - np.repeat(np.where(best > -np.inf, best, 0.0), np.diff(starts))
        if is_wide(passed):
            level_sums(values, _columns(lattice, starts, on_nodes))
        values = np.exp(np.minimum(values, 0.0))
    if max_arcs is not None:
        max_arcs = checks.integer("max_arcs", max_arcs, 1, 2**40)
    alphas = filtering.checked_alphas(alpha, len(starts) - 1)
    limits = _limits(values, starts, alphas, rule, first_gap)
    keep = _keep(lattice, values, starts, limits.tau, path, on_nodes)
    # An arc grows into at most K, so the exact size matters only where that bound is over the cap.
    if max_arcs is not None and _most_kept(lattice, keep) * lattice.n_states > max_arcs:
        size = extended_size(lattice, keep)
        if (size > max_arcs).any():
            kind = on_nodes, rule, first_gap
            alphas = _raise_alphas(lattice, values, starts, alphas, path, kind, max_arcs, size > max_arcs)
            limits = _limits(values, starts, alphas, rule, first_gap)
            keep = _keep(lattice, values, starts, limits.tau, path, on_nodes)
            tied = np.repeat(extended_size(lattice, keep) > max_arcs, np.diff(lattice.example_start))
            keep[tied] = False  # no alpha separates equals: of these only the best path
            keep[path[path >= 0]] = True
    return Pruned(keep, passed, limits, alphas, path, values, starts, on_nodes, rule, first_gap)


def points_of(pruned: Pruned) -> np.ndarray:
    """The setting from which each filtered assignment falls, shape (V,); see `Pruned`."""
    return rules.break_points(pruned.rule, pruned.values, pruned.starts, pruned.first_gap)


def _limits(
    values: np.ndarray, starts: np.ndarray, alphas: np.ndarray, name: str, first_gap: np.ndarray | None
) -> Thresholds:
    way = rules.way_of(name, alphas, first_gap)
    limits = filtering.threshold_batch(values, starts, way.alpha, way.yardstick)
    return limits._replace(tau=alphas.copy()) if way.by_marginals else limits


def _filtered_values(lattice: Lattice, passed: Messages, on_nodes: bool) -> tuple[np.ndarray, np.ndarray]:
    """(values, starts) of the assignments to filter: arcs, or nodes where nodes are not empty."""
    if not on_nodes:
        return passed.max_marginal, lattice.example_start
    nodes = lattice.node_start[lattice.col_start + np.arange(len(lattice.col_start))]
    sizes = np.where(lattice.order == 1, np.diff(lattice.example_start), np.diff(nodes))
    starts, at_nodes = checks.starts(sizes), passed.forward + passed.backward
    if (lattice.order > 1).all():
        return at_nodes, starts
    values = np.empty(starts[-1])
    is_arc = np.repeat(lattice.order == 1, sizes)
    values[is_arc] = passed.max_marginal[np.repeat(lattice.order == 1, np.diff(lattice.example_start))]
    values[~is_arc] = at_nodes[np.repeat(lattice.order > 1, np.diff(nodes))]
    return values, starts


def _below_best(lattice: Lattice, arc_score: np.ndarray) -> np.ndarray:
    """Scores minus the best of their column: the same probabilities, without large common scores."""
    starts, sizes = lattice.arc_start[:-1], np.diff(lattice.arc_start)
    tops = np.zeros(len(starts))
    tops[sizes > 0] = np.maximum.reduceat(arc_score, starts[sizes > 0]) if len(arc_score) else 0.0
    below = arc_score - np.repeat(np.where(tops > -np.inf, tops, 0.0), sizes)
    return np.where(below > -np.inf, np.maximum(below, -checks.MAX_SCORE), -np.inf)


def _columns(lattice: Lattice, starts: np.ndarray, on_nodes: bool) -> np.ndarray:
    """Starts of each column's values among those of `_filtered_values`, and the end of the last."""
    bounds = []
    for w, at in enumerate(starts[:-1]):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        is_nodes = on_nodes and lattice.order[w] > 1
        offsets = lattice.node_start[first + w : last + w + 1] if is_nodes else lattice.arc_start[first:last]
        bounds.append(offsets - offsets[0] + at)
    return np.concatenate([*bounds, starts[-1:]])


def keep_unaries(
    unary: ArrayLike, row_start: ArrayLike, alpha: float, *, rule: str = "mean_max"
) -> np.ndarray:
    r"""The states that `prune` keeps at order 1, in one pass over a table: no lattice of all states is built.

    With :math:`g_i(k) = \max_j u_i(j) - u_i(k)` a max-marginal is best - g, so the rule is
    :math:`g_i(k) < (1 - \alpha)\,\mathrm{mean}\,g`, or below the margin. Returns (R, K), bool: at least one
    state per row, unless all are -inf.

    Parameters
    ----------
    unary : array_like, shape (R, K)
    row_start : array_like of int, shape (W + 1,)
        Example w owns rows ``row_start[w] : row_start[w + 1]``, at least one.
    rule : str
        See `prune`; nothing has been filtered before, so "mean_max_first" is "mean_max".

    Examples
    --------
    >>> keep_unaries([[4.0, 3.0, 0.0], [5.0, 1.0, 0.0]], [0, 2], 0.0)
    array([[ True,  True, False],
           [ True, False, False]])
    """
    unary = checks.scores("unary", unary, 2)
    row_start = checks.offsets("row_start", row_start, len(unary))
    alpha, given = rules.way_at_first(rule, alpha)
    keep = np.empty(unary.shape, dtype=np.bool_)
    if rule == "probability":
        keep_probable(unary, alpha, keep)
    else:
        keep_near(unary, row_start, alpha, given, keep)
    return keep


def keep_states(
    lattice: Lattice,
    arc_score: ArrayLike,
    alpha: float,
    left: ArrayLike,
    *,
    rule: str = "mean_max",
    first_gap: np.ndarray | None = None,
) -> np.ndarray:
    """The states that `prune` with ``on_nodes`` keeps of a lattice made by `bigrams`, as a mask.

    The lattice is ``bigrams(lengths, n_states, left)``, `left` and the result (rows, K), bool; with the
    result in place of `left`, it is restricted to its survivors. `ShapeError`, `ScoreError`, `ArgumentError`
    if arguments do not fit; `ScoreError` also where scores of very different sizes cancel until floats can no
    longer resolve probabilities (a best path 1e9 below the best arcs of its columns). Other arguments as in
    `prune`.
    """
    checks.of_own_type("lattice", lattice, Lattice)
    arc_score = checks.scores("arc_score", arc_score, 1)
    left = np.ascontiguousarray(checks.mask("left", left))
    if left.shape != (lattice.row_start[-1], lattice.n_states):
        wanted = (int(lattice.row_start[-1]), lattice.n_states)
        raise ShapeError(f"left has shape {left.shape}; the lattice needs {wanted}")
    if len(arc_score) != lattice.n_arcs or lattice.order.max(initial=1) > 2:
        raise ShapeError(
            f"arc_score has shape {arc_score.shape}; it needs {(lattice.n_arcs,)} and a lattice of order 2"
        )
    way = rules.way_of(rule, rules.checked_setting(rule, alpha), first_gap)
    given = filtering.checked_yardsticks(way.yardstick, len(lattice.order))
    alpha = cap_alpha(float(way.alpha))
    out = np.zeros(left.shape, dtype=np.bool_)
    if way.by_marginals:
        longest = int(np.diff(lattice.col_start).max(initial=0))
        if largest_finite(arc_score) * longest > WIDE:
            arc_score = _below_best(lattice, arc_score)
        deepest = mark_states(LOG_PLUS, lattice, lattice.runs, arc_score, alpha, given, left, out)
        if deepest < _DEEPEST:
            raise ScoreError(
                "arc_score must leave each example a path within 1e9 of the best arcs of its columns to tell "
                f"probabilities, got one at {deepest:.3g}"
            )
    else:
        mark_states(MAX_PLUS, lattice, lattice.runs, arc_score, alpha, given, left, out)
    return out


def truth_points(
    lattice: Lattice, pruned: Pruned, truth: ArrayLike, truth_scores: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """The alphas from which each example's truth is lost, by Definition 1 and in fact.

    Returns Definition 1's break points (W,) and those of the event itself (W,), never smaller; both -inf
    where the truth had already fallen. Marginals define only the event, so both are that. `pruned` is at any
    alpha: break points do not depend on it. `truth` (arc columns,) is from `path_of`, -1 where it is not in
    the lattice; `truth_scores` (W,). Weiss (2013), thesis, Definition 1 and Lemma 1.
    """
    truth = checks.whole_numbers("truth", truth, -1, lattice.n_arcs - 1)
    if len(truth) != lattice.col_start[-1]:
        raise ShapeError(f"truth has shape {truth.shape}; the lattice needs {(int(lattice.col_start[-1]),)}")
    if len(truth) == 0:
        return np.zeros(0), np.zeros(0)
    at_column = _truth_columns(lattice, points_of(pruned), pruned.starts, pruned.on_nodes, truth)
    event = np.minimum.reduceat(at_column, lattice.col_start[:-1])
    if pruned.rule == "probability":
        return event, event
    by_definition = rules.truth_points(
        pruned.rule, truth_scores, pruned.values, pruned.starts, pruned.first_gap
    )
    return np.where(event == -np.inf, -np.inf, by_definition), event


def _raise_alphas(
    lattice: Lattice,
    values: np.ndarray,
    starts: np.ndarray,
    alphas: np.ndarray,
    path: np.ndarray,
    kind: tuple[bool, str, np.ndarray | None],
    max_arcs: int,
    too_large: np.ndarray,
) -> np.ndarray:
    """Bisect alpha for the examples that are too large; at the hardest setting only the best path is left."""
    on_nodes, name, first_gap = kind
    low, high = alphas.copy(), np.where(too_large, rules.hardest(name), alphas)
    for _ in range(40):
        middle = (low + high) / 2
        tau = _limits(values, starts, middle, name, first_gap).tau
        size = extended_size(lattice, _keep(lattice, values, starts, tau, path, on_nodes))
        fits = size <= max_arcs
        high = np.where(too_large & fits, middle, high)
        low = np.where(too_large & ~fits, middle, low)
    return high


@kernel
def _most_kept(lattice: Lattice, keep: np.ndarray) -> int:
    """The number of arcs kept in the example that keeps most."""
    most = 0
    for w in range(len(lattice.order)):
        kept = 0
        for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
            kept += keep[a]
        most = larger_of(most, kept)
    return most


@spliced_kernel
def _value(
    lattice: Lattice, values: np.ndarray, shift_arc: int, shift_node: int, on_nodes: bool, a: int
) -> float:
    """The value that decides on arc a: its own, or the smaller of its nodes'."""
    if on_nodes:
        return smaller_of(values[lattice.arc_tail[a] + shift_node], values[lattice.arc_head[a] + shift_node])
    return values[a + shift_arc]


@kernel
def _keep(
    lattice: Lattice,
    values: np.ndarray,
    starts: np.ndarray,
    tau: np.ndarray,
    path: np.ndarray,
    on_nodes: bool,
) -> np.ndarray:
    keep = fill_new(len(lattice.arc_key), np.bool_, False)
    for w in range(len(lattice.order)):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        limit, nodes = tau[w], on_nodes and lattice.order[w] > 1
        shift_arc = starts[w] - lattice.arc_start[first]
        shift_node = starts[w] - lattice.node_start[first + w]
        for a in range(lattice.arc_start[first], lattice.arc_start[last]):
            value = _value(lattice, values, shift_arc, shift_node, nodes, a)
            keep[a] = survives(value, limit)  # a threshold of -inf keeps every feasible arc
        for c in range(first, last):
            if path[c] >= 0:
                keep[path[c]] = True
    return keep


@kernel
def _truth_columns(
    lattice: Lattice, points: np.ndarray, starts: np.ndarray, on_nodes: bool, truth: np.ndarray
) -> np.ndarray:
    """The alpha from which the true arc of each column is lost; -inf where it is missing."""
    out = fill_new(len(truth), np.float64, -np.inf)
    for w in range(len(lattice.order)):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        nodes = on_nodes and lattice.order[w] > 1
        shift_arc = starts[w] - lattice.arc_start[first]
        shift_node = starts[w] - lattice.node_start[first + w]
        for c in range(first, last):
            if truth[c] >= 0:
                out[c] = _value(lattice, points, shift_arc, shift_node, nodes, truth[c])
    return out

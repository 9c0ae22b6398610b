r"""One step of a cascade on a lattice: score, pass messages, threshold, keep, and grow the survivors.

Filters arcs (n-grams) or, with ``on_nodes``, the (n-1)-grams they join (thesis 4.5.1). A cap on
the next level's size protects against the odd example whose scores hardly differ: its alpha is
raised just enough, and the result says so.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks, filtering
from spcviz.engine.errors import ShapeError
from spcviz.engine.jit import kernel
from spcviz.engine.lattice import Messages, best_path, extended_size, messages


class Pruned(NamedTuple):
    """What one level kept.

    Attributes
    ----------
    keep : ndarray of bool, shape (A,)
        Surviving arcs; the best path of every example is among them.
    passed : Messages
    limits : Thresholds
        Each of shape (W,), at the alpha used.
    alpha : ndarray, shape (W,)
        The alpha used: what was asked for, or more where the cap required it.
    best_path : ndarray, shape (arc columns,), int64
    values : ndarray, shape (A,) or (N,)
        Max-marginals of what was filtered: of arcs, or of nodes.
    starts : ndarray, shape (W + 1,), int64
        Where each example's values begin.
    """

    keep: np.ndarray
    passed: Messages
    limits: filtering.Thresholds
    alpha: np.ndarray
    best_path: np.ndarray
    values: np.ndarray
    starts: np.ndarray


def prune(lattice, arc_score, alpha, *, on_nodes=False, max_arcs=None):
    """Filter one level.

    Parameters
    ----------
    lattice : Lattice
    arc_score : array_like, shape (A,)
    alpha : float or array_like of shape (W,)
        0 to 1.
    on_nodes : bool
        Filter (n-1)-grams instead of n-grams.
    max_arcs : int, optional
        No example's next lattice may have more arcs than this (its best path always stays).

    Returns
    -------
    Pruned

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        If scores or alpha do not fit.

    Examples
    --------
    >>> from spcviz.engine.lattice import unigrams
    >>> prune(unigrams([2], 3), [4.0, 3.0, 0.0, 5.0, 1.0, 0.0], 0.0).keep
    array([ True,  True, False,  True, False, False])
    """
    passed = messages(lattice, arc_score)
    path = best_path(lattice, arc_score, passed.forward)
    if on_nodes:
        values = passed.forward + passed.backward
        starts = lattice.node_start[lattice.col_start + np.arange(len(lattice.col_start))]
    else:
        values, starts = passed.max_marginal, lattice.example_start
    if max_arcs is not None:
        max_arcs = checks.integer("max_arcs", max_arcs, 1, 2**40)
    alphas = filtering.checked_alphas(alpha, len(starts) - 1)
    limits = filtering.threshold_batch(values, starts, alphas)
    keep = _keep(lattice, values, starts, limits.tau, path, on_nodes)
    # An arc grows into at most K, so the exact size matters only where that bound is over the cap.
    if max_arcs is not None and _most_kept(lattice, keep) * lattice.n_states > max_arcs:
        size = extended_size(lattice, keep)
        if (size > max_arcs).any():
            alphas = _raised(lattice, values, starts, alphas, path, on_nodes, max_arcs, size > max_arcs)
            limits = filtering.threshold_batch(values, starts, alphas)
            keep = _keep(lattice, values, starts, limits.tau, path, on_nodes)
            tied = np.repeat(extended_size(lattice, keep) > max_arcs, np.diff(lattice.example_start))
            keep[tied] = False  # no alpha parts equals: of these the best path alone
            keep[path[path >= 0]] = True
    return Pruned(keep, passed, limits, alphas, path, values, starts)


def truth_points(lattice, pruned, truth, truth_scores):
    """The alphas from which each example's truth is lost, by Definition 1 and in fact.

    Parameters
    ----------
    lattice : Lattice
    pruned : Pruned
        At any alpha: break points do not depend on it.
    truth : ndarray, shape (arc columns,), int64
        From `path_of`; -1 where the truth is not in the lattice.
    truth_scores : ndarray, shape (W,)

    Returns
    -------
    (ndarray of shape (W,), ndarray of shape (W,))
        Definition 1's break points and those of the event itself (never smaller);
        both -inf where the truth had fallen before.

    References
    ----------
    Weiss (2013), thesis, Definition 1 and Lemma 1.
    """
    truth = checks.whole_numbers("truth", truth, -1, lattice.n_arcs - 1)
    if len(truth) != lattice.col_start[-1]:
        raise ShapeError(f"truth has shape {truth.shape}; the lattice needs {(int(lattice.col_start[-1]),)}")
    points = filtering.break_points_batch(pruned.values, pruned.starts)
    if len(pruned.values) == len(lattice.arc_key):
        at_column = np.where(truth >= 0, points[truth], -np.inf)
    else:
        at_column = np.where(
            truth >= 0, np.minimum(points[lattice.arc_tail[truth]], points[lattice.arc_head[truth]]), -np.inf
        )
    if len(at_column) == 0:
        return np.zeros(0), np.zeros(0)
    event = np.minimum.reduceat(at_column, lattice.col_start[:-1])
    by_definition = filtering.truth_break_points(truth_scores, pruned.values, pruned.starts)
    return np.where(event == -np.inf, -np.inf, by_definition), event


def _raised(lattice, values, starts, alphas, path, on_nodes, max_arcs, too_large):
    """Bisect alpha for the examples that are too large; at the cap only the best path is left."""
    low, high = alphas.copy(), np.where(too_large, 1.0, alphas)
    for _ in range(40):
        middle = (low + high) / 2
        tau = filtering.threshold_batch(values, starts, middle).tau
        size = extended_size(lattice, _keep(lattice, values, starts, tau, path, on_nodes))
        fits = size <= max_arcs
        high = np.where(too_large & fits, middle, high)
        low = np.where(too_large & ~fits, middle, low)
    return high


@kernel
def _most_kept(lattice, keep):
    """Kept arcs of the example that keeps most."""
    most = 0
    for w in range(len(lattice.order)):
        kept = 0
        for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
            kept += keep[a]
        most = max(most, kept)
    return most


@kernel
def _keep(lattice, values, starts, tau, path, on_nodes):
    keep = np.zeros(len(lattice.arc_key), dtype=np.bool_)
    arc_tail, arc_head = lattice.arc_tail, lattice.arc_head
    for w in range(len(lattice.order)):
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        limit = tau[w]
        for a in range(lattice.arc_start[first], lattice.arc_start[last]):
            value = min(values[arc_tail[a]], values[arc_head[a]]) if on_nodes else values[a]
            keep[a] = value > limit  # a threshold of -inf keeps all that is possible
        for c in range(first, last):
            if path[c] >= 0:
                keep[path[c]] = True
    return keep

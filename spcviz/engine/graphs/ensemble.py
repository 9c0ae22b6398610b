r"""Ensembles of trees: splitting a loopy graph's potentials, summed max-marginals, the joint filter.

A loopy graph's score is written as a sum of tractable sub-models that share all variables,

.. math:: \psi(x, y) = \sum_{p=1}^P \psi_p(x, y), \qquad
   \text{keep state } k \text{ of } j \iff \sum_p \psi^*_p(x, y_j = k) > \sum_p \tau_p, \qquad
   \tau_p = \alpha \max_y \psi_p + (1 - \alpha) \operatorname{mean}_{j, k} \psi^*_p(x, y_j = k)

or, by the rule "margin", :math:`\tau_p = \max_y \psi_p - \delta`: each sub-model's own best minus the same
margin. If the true labelling's summed score is over the summed threshold, all its states are kept (Lemma 3).
There is no counterpart to Lemma 2: a variable may lose every state. It then keeps its best one and is
reported.

Tables of max-marginals have shape (P, ..., K): sub-models first, states last, variables between.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.engine.graphs import graph, tree
from spcviz.engine.thresholds import rule as formula
from spcviz.engine.thresholds import rules


class SubModel(NamedTuple):
    """A tree or forest over all nodes, with its own scores: (E_p, 2), (N, K), (E_p, K, K)."""

    edges: np.ndarray
    unary: np.ndarray
    pairwise: np.ndarray


class EnsembleMaxMarginals(NamedTuple):
    """Max-marginals of every sub-model, `unary` (P, N, K), and its `best` score (P,)."""

    best: np.ndarray
    unary: np.ndarray


class FilteredStates(NamedTuple):
    """The result of joint filtering.

    - `keep` (..., K), bool
    - `summed` (..., K): summed max-marginals
    - `thresholds` (P,): each sub-model's own threshold
    - `threshold`: their sum, which `summed` is compared with
    - `rescued` (m, variable axes), int64: variables that lost every state and were given back their best
    - `efficiency_loss`: kept states over valid ones (summed max-marginal above -inf), rescued ones included
    - `has_spread`: False when all max-marginals of all sub-models are equal; then nothing is pruned
    """

    keep: np.ndarray
    summed: np.ndarray
    thresholds: np.ndarray
    threshold: float
    rescued: np.ndarray
    efficiency_loss: float
    has_spread: bool


def split(
    unary: ArrayLike, edges: ArrayLike, pairwise: ArrayLike, membership: ArrayLike
) -> tuple[SubModel, ...]:
    """Divide a graph's scores among sub-models so that they sum to the full score.

    Unary scores are divided by P, an edge's by the number of sub-models that have it. Weiss (2013), thesis,
    sections 5.1 and 5.5.1.

    Parameters
    ----------
    unary : array_like, shape (N, K)
    edges : array_like of int, shape (E, 2)
    pairwise : array_like, shape (E, K, K) or (K, K)
    membership : array_like of bool, shape (P, E)
        The edges of each sub-model. Every sub-model has all nodes.

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        Also if an edge is in no sub-model.
    CycleError
        If a sub-model has a cycle.

    Examples
    --------
    >>> ring = [[0, 1], [1, 2], [0, 2]]
    >>> models = split(np.ones((3, 2)), ring, np.ones((2, 2)), [[1, 1, 0], [0, 1, 1]])
    >>> models[0].unary[0], models[0].pairwise[:, 0, 0]
    (array([0.5, 0.5]), array([1. , 0.5]))
    """
    unary, edges, pairwise = graph.checked_graph(unary, edges, pairwise)
    member = checks.mask("membership", membership)
    if member.ndim != 2 or member.shape[1] != len(edges) or len(member) == 0:
        raise ShapeError(f"membership has shape {member.shape}; edges {edges.shape} needs (P, {len(edges)})")
    times = member.sum(axis=0)
    missing = np.flatnonzero(times == 0)
    if len(missing):
        pair = tuple(int(i) for i in edges[missing[0]])
        raise ArgumentError(f"membership must put every edge in a sub-model, got none for edge {pair}")
    for p, mask in enumerate(member):
        graph.forest(len(unary), edges[mask], name=f"edges of sub-model {p}")
    shares = np.broadcast_to(pairwise, (len(edges), *pairwise.shape[1:])) / times[:, None, None]
    return tuple(SubModel(edges[mask], unary / len(member), shares[mask]) for mask in member)


def max_marginals(models: Iterable[SubModel]) -> EnsembleMaxMarginals:
    """Node max-marginals of every sub-model.

    `ShapeError` if they disagree on N or K, or there are none; other errors as in `tree.decode`. Weiss
    (2013), thesis, equations (5.1), (5.2).

    >>> chain = SubModel(np.array([[0, 1]]), np.zeros((2, 2)), np.zeros((1, 2, 2)))
    >>> max_marginals([chain, chain]).unary.shape
    (2, 2, 2)
    """
    models = checks.as_tuple("models", models)
    if not models:
        raise ShapeError("models has length 0; it needs at least one sub-model")
    for p, model in enumerate(models):
        checks.of_own_type(f"models[{p}]", model, SubModel)
    shape = np.shape(models[0].unary)
    tables = []
    for p, model in enumerate(models):
        if np.shape(model.unary) != shape:
            raise ShapeError(
                f"models[{p}].unary has shape {np.shape(model.unary)}; models[0].unary needs {shape}"
            )
        tables.append(tree.node_max_marginals(model.unary, model.edges, model.pairwise))
    return EnsembleMaxMarginals(np.array([best for best, _ in tables]), np.stack([t for _, t in tables]))


def filter_states(best: ArrayLike, unary: ArrayLike, alpha: float, rule: str = "mean_max") -> FilteredStates:
    """Prune the states whose summed max-marginal is not over the summed threshold.

    Raises `ShapeError`, `ScoreError`, `ArgumentError`; `InfeasibleError` if a sub-model's best score, or all
    states of a variable, are -inf. -inf is not a max-marginal: it is left out of the mean and is always
    pruned. Weiss (2013), thesis, Lemma 3, Definition 4, section 5.2.

    Parameters
    ----------
    best : array_like, shape (P,)
        Best score of every sub-model.
    unary : array_like, shape (P, ..., K)
        Max-marginals of every sub-model, as from `max_marginals` or `grid.comb_max_marginals`.
    alpha : float
        0 (threshold at the mean) .. 1 (at the maximum), or below 0 (under the mean). For margins, minus the
        margin.
    rule : {"mean_max", "margin"}
        See `spcviz.engine.thresholds.rules`; here "mean_max_first" is "mean_max".

    Examples
    --------
    >>> filtered = filter_states([3.0], [[[3.0, 1.0], [3.0, 1.0]]], alpha=0.5)
    >>> filtered.keep.tolist(), filtered.threshold
    ([[True, False], [True, False]], 2.5)
    """
    unary = checks.typed_array("unary", unary, "biuf", "numbers")
    unary = checks.sums("unary", unary, max(unary.ndim, 2))
    best = checks.sums("best", best, 1)
    if len(best) != len(unary) or 0 in unary.shape:
        raise ShapeError(f"best has shape {best.shape}; unary {unary.shape} needs ({len(unary)},)")
    finite = unary > -np.inf
    flat = finite.reshape(len(unary), -1)
    values = np.where(finite, unary, 0.0).reshape(len(unary), -1)
    means = values.sum(axis=1) / np.maximum(flat.sum(axis=1), 1)
    return filter_summed(best, means, unary.sum(axis=0), alpha, rule)


def filter_summed(
    best: ArrayLike, means: ArrayLike, summed: ArrayLike, alpha: float, rule: str = "mean_max"
) -> FilteredStates:
    """`filter_states` from the sums alone, as from `grid.summed_max_marginals`; errors as in `filter_states`.

    `best`, `means` (P,): largest and mean finite max-marginal of every sub-model. `summed` (..., K).

    >>> filter_summed([4.0, 4.0], [0.0, 0.0], [[1.0, 7.0], [3.0, 2.0]], alpha=0.5).rescued.tolist()
    [[1]]
    """
    if rules.checked_rule(rule) == "probability":
        raise ArgumentError("rule must be one of max-marginals for an ensemble, got 'probability'")
    alpha, given = rules.way_at_first(rule, alpha)
    best, means = checks.sums("best", best, 1), checks.sums("means", means, 1)
    summed = checks.typed_array("summed", summed, "biuf", "numbers")
    summed = checks.sums("summed", summed, max(summed.ndim, 1))
    if best.shape != means.shape or 0 in summed.shape:
        raise ShapeError(f"means has shape {means.shape}; best {best.shape} needs {best.shape}")
    if np.isneginf(best).any():
        raise InfeasibleError(f"every labelling has score -inf in sub-model {int(np.argmin(best))}")
    dead = np.argwhere(np.isneginf(summed).all(axis=-1))
    if len(dead):
        raise InfeasibleError(f"all {summed.shape[-1]} states are -inf at variable {dead[0].tolist()}")
    units = [formula.yardstick(top, top - mean, given) for top, mean in zip(best, means)]
    thresholds = formula.threshold(best, np.array(units), alpha)
    threshold = float(thresholds.sum())
    valid = summed > -np.inf
    has_spread = bool(formula.has_spread(best, best - means).any())
    keep = formula.survives(summed, threshold) if has_spread else valid
    lost = ~keep.any(axis=-1)
    rescued = np.argwhere(lost)
    if len(rescued):
        keep[(*np.nonzero(lost), summed[lost].argmax(axis=-1))] = True
    loss = float(np.count_nonzero(keep) / np.count_nonzero(valid))
    return FilteredStates(keep, summed, thresholds, threshold, rescued, loss, has_spread)


def joint_filter_loss(truth_score: float, filtered: FilteredStates) -> int:
    """1 if the true labelling's summed score is not over the summed threshold, else 0.

    An upper bound on "a state of the truth was pruned" by Lemma 3; 0 when nothing is pruned for want of
    spread. `truth_score` is the full graph's score of the truth: the sum over sub-models. `ArgumentError` if
    it is NaN or +inf. Weiss (2013), thesis, Definition 4, equation (5.3).

    >>> joint_filter_loss(2.0, filter_states([3.0], [[[3.0, 1.0], [3.0, 1.0]]], alpha=0.5))
    1
    """
    checks.of_own_type("filtered", filtered, FilteredStates)
    truth_score = checks.sums("truth_score", [truth_score], 1)[0]
    return int(filtered.has_spread and not formula.survives(truth_score, filtered.threshold))


def state_rank(scores: ArrayLike) -> np.ndarray:
    """Rank of every state in its variable, 0 = largest; ties go to the smaller state.

    For `scores` (..., K), in the same shape, int64: "keep the top k" is ``state_rank(scores) < k``.

    >>> state_rank([[1.0, 3.0, 3.0]])
    array([[2, 0, 1]])
    """
    scores = checks.typed_array("scores", scores, "biuf", "numbers")
    scores = checks.scores("scores", scores, max(scores.ndim, 1))
    order = np.argsort(-scores, axis=-1, kind="stable")
    return np.argsort(order, axis=-1)

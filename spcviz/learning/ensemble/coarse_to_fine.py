r"""Coarse-to-fine filtering of states at places: their sub-model, summed max-marginals, refinement.

In a sub-model (`PlacedModel`), states of a variable of kind k have features :math:`g_s` and score
:math:`w_k \cdot g_s`; an edge of kind j scores :math:`-v_{j1} b_{j1} d_1^2 - v_{j2} b_{j2} d_2^2 + v_{j3}
t_j[\text{turn}]` (`spcviz.engine.graphs.placed`), b and t given, v learned. Weights: all w by kind, then all
v by kind; `at_least_zero` says which may not become negative.

`filter_level` filters the states of one level by the summed max-marginals of its sub-models, and `refine`
replaces survivors by their children. Variables have only the states that are left, so tables hold no pruned
ones. Thresholds and their guards are those of `ensemble.filter_summed`; a variable that would lose every
state keeps its best and is reported.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine.errors import ShapeError
from spcviz.engine.graphs import ensemble, placed
from spcviz.engine.thresholds import rule
from spcviz.engine.thresholds.rule import Values, mean_of


class PlacedModel(NamedTuple):
    """One sub-model of one example, a `spcviz.learning.ensemble.joint.MarginModel`."""

    places: placed.Places
    node_kinds: np.ndarray  # (N,) int
    node: np.ndarray  # (S, F) features of states
    edges: np.ndarray  # (E, 2) int
    kinds: np.ndarray  # (E,) int
    joints: placed.Joints  # with weights of 1
    n_node_kinds: int

    @property
    def n_variables(self) -> int:
        return len(self.node_kinds)

    @property
    def n_weights(self) -> int:
        return self.n_node_kinds * self.node.shape[1] + 3 * len(self.joints.mean)

    def scores(self, weights: np.ndarray) -> tuple[np.ndarray, placed.Joints]:
        """(unary (S,), Joints)."""
        nodes, pairs = self._parts(weights)
        kind = np.repeat(self.node_kinds, np.diff(self.places.start))
        unary = np.einsum("sf,sf->s", self.node, nodes[kind])
        weight, table = self.joints.weight * pairs[:, :2], self.joints.table * pairs[:, 2:]
        return unary, self.joints._replace(weight=weight, table=table)

    def max_marginals(self, weights: np.ndarray) -> placed.PlacedMaxMarginals:
        """As `placed.max_marginals`."""
        unary, joints = self.scores(weights)
        return placed.max_marginals(unary, self.places, self.edges, self.kinds, joints)

    def features(self, counts: placed.WitnessCounts) -> np.ndarray:
        """Sum of features over states and pairs counted, shape (n_weights,)."""
        nodes = np.zeros((self.n_node_kinds, self.node.shape[1]))
        sums = np.add.reduceat(counts.states[:, None] * self.node, self.places.start[:-1], axis=0)
        np.add.at(nodes, self.node_kinds, sums)
        pairs = np.zeros((len(self.joints.mean), 3))
        for e, kind in enumerate(self.kinds):
            at = counts.edge == e
            gaps = placed.gaps(self.places, self.joints, kind, counts.first[at], counts.second[at])
            pairs[kind] += counts.amount[at] @ self._pair_features(kind, *gaps)
        return np.concatenate([nodes.ravel(), pairs.ravel()])

    def margin_parts(
        self, weights: np.ndarray, truth: Self, alpha: float
    ) -> tuple[np.ndarray, float, float, np.ndarray]:
        """(truth's features, best, mean, threshold's gradient): see `joint`.

        `truth` is a `PlacedModel` whose variables have one state each: the true ones, pruned or not.
        """
        of_truth = truth.features(_everything(truth))
        unary, joints = self.scores(weights)
        marginals, counts = placed.witness_counts(unary, self.places, self.edges, self.kinds, joints)
        of_mean = self.features(counts) / len(unary)
        labels = marginals.labels
        at = self.edges.reshape(-1, 2)
        top = placed.WitnessCounts(
            np.bincount(labels, minlength=len(unary)).astype(float),
            np.arange(len(at)), labels[at[:, 0]], labels[at[:, 1]], np.ones(len(at)),
        )  # fmt: skip
        gradient = rule.mixture(self.features(top), of_mean, alpha)
        return of_truth, marginals.best, rule.mean_of(marginals.best, marginals.max_marginals), gradient

    def at_least_zero(self) -> np.ndarray:
        """Mask of the weights of squared gaps."""
        nodes = np.zeros(self.n_node_kinds * self.node.shape[1], dtype=bool)
        return np.concatenate([nodes, np.tile([True, True, False], len(self.joints.mean))])

    def _parts(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if np.shape(weights) != (self.n_weights,):
            raise ShapeError(
                f"weights has shape {np.shape(weights)}; the sub-model needs {(self.n_weights,)}"
            )
        cut = self.n_node_kinds * self.node.shape[1]
        return weights[:cut].reshape(self.n_node_kinds, -1), weights[cut:].reshape(-1, 3)

    def _pair_features(
        self, kind: int, along: np.ndarray, across: np.ndarray, turn: np.ndarray
    ) -> np.ndarray:
        b = self.joints.weight[kind]
        return np.stack([-b[0] * along**2, -b[1] * across**2, self.joints.table[kind][turn]], axis=1)


def _everything(model: PlacedModel) -> placed.WitnessCounts:
    """Counts of the only labelling of a model whose variables have one state each."""
    at = model.edges.reshape(-1, 2)
    n = len(model.node_kinds)
    return placed.WitnessCounts(np.ones(n), np.arange(len(at)), at[:, 0], at[:, 1], np.ones(len(at)))


class FilteredLevel(NamedTuple):
    """One level of one example."""

    start: np.ndarray  # (N + 1,) states of variable v are ``start[v] : start[v + 1]``
    states: np.ndarray  # (S,) int: input of the level
    summed: np.ndarray  # (S,) summed max-marginals
    each: tuple[np.ndarray, ...]  # (S,) those of every sub-model
    # best, mean: sums over sub-models of the largest and the mean max-marginal
    best: float
    mean: float
    extremes: np.ndarray  # (2, sub-models) the terms of these sums
    threshold: float  # as `rule.threshold` of these two sums
    keep: np.ndarray  # (S,) bool
    labels: tuple[np.ndarray, ...]  # (N,) best labelling of each sub-model, as indices into the S states
    n_rescued: int  # variables that would have lost every state
    rule: str = "mean_max"  # see `spcviz.engine.thresholds.rules`

    def of(self, variable: int) -> slice:
        """Slice of a variable's states."""
        return slice(self.start[variable], self.start[variable + 1])

    def point(self, score: Values) -> Values:
        """The setting whose threshold is a summed score; for margins, minus that of each sub-model."""
        if self.rule == "margin":
            return (score - self.best) / len(self.each)
        return rule.position(score, self.best, self.mean)

    def threshold_at(self, setting: float) -> float:
        """The summed threshold at a setting of the rule."""
        if self.rule == "margin":
            return self.best + setting * len(self.each)
        return rule.threshold(self.best, self.best - self.mean, setting)


def filter_level(
    models: Sequence[PlacedModel],
    weights: Sequence[np.ndarray],
    start: np.ndarray,
    states: np.ndarray,
    alpha: float,
    run: Callable[..., Iterable[Any]] = map,
    rule: str = "mean_max",
) -> FilteredLevel:
    """Joint filtering of one level.

    Parameters
    ----------
    models : sequence
        Sub-models over the same states, with ``max_marginals(weights)`` as in `PlacedModel`.
    weights : sequence of ndarray
        One for each.
    start, states : ndarray of int
    alpha : float
        At most 1; 0 is the mean. For the rule "margin", minus the margin of each sub-model.
    run : callable
        Like `map`; an executor's lets sub-models run in parallel (their kernels hold no lock).
    rule : {"mean_max", "margin"}

    Raises
    ------
    ShapeError, ScoreError, ArgumentError, CycleError

    References
    ----------
    Weiss (2013), thesis, Lemma 3, Definition 4, section 5.5.2.
    """
    marginals = list(run(lambda model, w: model.max_marginals(w), models, weights))
    means = np.array([mean_of(f.best, f.max_marginals) for f in marginals])
    each = tuple(f.max_marginals for f in marginals)
    summed = sum(each)
    sizes = np.diff(start)
    row = np.repeat(np.arange(len(sizes)), sizes)
    column = np.arange(len(states)) - np.repeat(start[:-1], sizes)
    table = np.full((len(sizes), sizes.max()), -np.inf)
    table[row, column] = summed
    best = np.array([f.best for f in marginals])
    kept = ensemble.filter_summed(best, means, table, alpha, rule)
    keep = kept.keep[row, column]
    labels = tuple(f.labels for f in marginals)
    sums, extremes = (float(best.sum()), float(means.sum())), np.stack([best, means])
    return FilteredLevel(
        start, states, summed, each, *sums, extremes, kept.threshold, keep, labels, len(kept.rescued), rule
    )


def refine(
    level: FilteredLevel, children: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """(start, states) of the next level: the children of what a level kept.

    ``children`` maps states of one variable to their children, ascending.
    """
    new = []
    for v in range(len(level.start) - 1):
        at = level.of(v)
        new.append(children(level.states[at][level.keep[at]]))
    return np.concatenate([[0], np.cumsum([len(s) for s in new])]), np.concatenate(new)


def survivors(level: FilteredLevel) -> tuple[np.ndarray, np.ndarray]:
    """(start, states) that a level kept."""
    return refine(level, lambda states: states)

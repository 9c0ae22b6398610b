r"""A sub-model over states at places, for the joint update: scores linear in a few weights per kind.

States of a variable of kind k have features :math:`g_s` and score :math:`w_k \cdot g_s`; an edge of kind j
scores :math:`-v_{j1} b_{j1} d_1^2 - v_{j2} b_{j2} d_2^2 + v_{j3} t_j[\text{turn}]`
(`spcviz.engine.graphs.placed`), b and t given, v learned. Weights: all w by kind, then all v by kind;
`at_least_zero` says which may not become negative.
"""

from typing import NamedTuple, Self

import numpy as np

from spcviz.engine.errors import ShapeError
from spcviz.engine.graphs import placed
from spcviz.engine.thresholds import rule


class PlacedModel(NamedTuple):
    """One sub-model of one example: `joint` takes it as it is."""

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

    def max_marginals(self, weights: np.ndarray) -> placed.Found:
        """As `placed.max_marginals`."""
        unary, joints = self.scores(weights)
        return placed.max_marginals(unary, self.places, self.edges, self.kinds, joints)

    def features(self, counts: placed.Counts) -> np.ndarray:
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
        top = placed.Counts(
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


def _everything(model: PlacedModel) -> placed.Counts:
    """Counts of the only labelling of a model whose variables have one state each."""
    at = model.edges.reshape(-1, 2)
    n = len(model.node_kinds)
    return placed.Counts(np.ones(n), np.arange(len(at)), at[:, 0], at[:, 1], np.ones(len(at)))

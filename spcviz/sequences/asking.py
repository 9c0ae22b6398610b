r"""Queries that first-order taggers answer besides labels: scores, probabilities, entropies, samples.

.. math:: \log p(y \mid x) = \psi(x, y) - \log Z(x), \qquad
          H = \log Z - \sum_{i,k} p_i(k) u_i(k) - \sum_{j,k} n(j, k) t(j, k)

and a sample is drawn from left to right: given the previous label j, the next one is k with a probability
proportional to :math:`e^{t(j, k) + u_i(k) + \beta_i(k)}`, where :math:`\beta` sums over all continuations.
For a perceptron, whose scores are not log-probabilities, all of this only ranks.

Legend: L tokens, K labels; u emissions, t transition scores, n expected transition counts.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.chains.crf import log_partitions
from spcviz.learning.chains.expectations import expect, steps_of
from spcviz.learning.estimators import generator
from spcviz.scores import Sequences, from_emissions
from spcviz.sequences import labels
from spcviz.sequences.base import SequenceTagger
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.labels import Labellings


class Weighted(NamedTuple):
    """A weight, with the label and the feature that it connects."""

    weight: float
    label: Any
    feature: Any


class FirstOrderTagger(SequenceTagger):
    """Abstract base with the queries on a fitted first-order tagger."""

    state_weights_: np.ndarray
    transition_weights_: np.ndarray

    def emissions(self, X: Inputs, *, allowed: Any = None) -> list[np.ndarray]:
        """Score of each label at each token, (L, K) each, without transitions; arguments as in `predict`.

        -inf where constraints or `allowed` forbid a label.
        """
        lengths, blocks = self._of_blocks(lambda block: block.unary, X, allowed)
        return self._split(np.concatenate([np.zeros((0, len(self.classes_))), *blocks]), lengths)

    def to_scores(self, X: Inputs, *, allowed: Any = None) -> Sequences:
        """The scores as `spcviz.from_emissions` packs them: to prune, tune and query for witnesses.

        >>> from spcviz import StructuredPerceptron
        >>> X = [[["the"], ["dog"]], [["a"], ["cat"]]]
        >>> tagger = StructuredPerceptron(random_state=0).fit(X, [["DT", "NN"]] * 2)
        >>> [labels.tolist() for labels in tagger.to_scores(X[:1]).decode()] == tagger.predict(X[:1])
        True
        """
        return from_emissions(
            self.emissions(X, allowed=allowed), self._steps(), labels=self.classes_.tolist()
        )

    def log_partition(self, X: Inputs, *, allowed: Any = None) -> np.ndarray:
        """Log of the sum of exponentials of all labellings' scores, (len(X),); 0 for an empty sequence.

        Arguments and errors as in `predict`.
        """
        steps = self._steps()
        tables = self.emissions(X, allowed=allowed)
        return np.array([_log_partition(f"X[{i}]", unary, steps) for i, unary in enumerate(tables)])

    def log_probability(self, X: Inputs, y: Targets) -> np.ndarray:
        """Log-probability of a labelling of each sequence, (len(X),); -inf where constraints forbid it.

        If labels are None, the log-probability of all labellings that agree with the others together. Errors
        as in `score`; a label that training has not seen is refused.
        """
        steps, tables = self._steps(), self.emissions(X)
        lengths = np.array([len(unary) for unary in tables], dtype=np.int64)
        flat = labels.flat_labels(y, lengths, may_miss=True)
        numbers = self._split(labels.numbers_of(flat, self.classes_, lengths), lengths)
        out = np.zeros(len(tables))
        for i, (unary, states) in enumerate(zip(tables, numbers)):
            known = np.flatnonzero(states >= 0)
            within = unary.copy()
            within[known] = -np.inf
            within[known, states[known]] = unary[known, states[known]]
            try:
                out[i] = _log_partition(f"X[{i}]", within, steps)
            except InfeasibleError:
                out[i] = -np.inf
            out[i] -= _log_partition(f"X[{i}]", unary, steps)
        return np.minimum(out, 0.0)  # sums in a different order may round above 0

    def entropy(self, X: Inputs, *, allowed: Any = None) -> np.ndarray:
        """Entropy of the labellings of each sequence in nats, (len(X),); arguments as in `predict`.

        0: one labelling is certain. L log K: all are equally likely.
        """
        steps = self._steps()
        finite = np.where(np.isneginf(steps), 0.0, steps)
        out = []
        for i, unary in enumerate(self.emissions(X, allowed=allowed)):
            pairs, shares = np.zeros_like(steps), unary.copy()
            log_z = _log_partition(f"X[{i}]", shares, steps, pairs)
            mean = (shares * np.where(np.isneginf(unary), 0.0, unary)).sum() + (pairs * finite).sum()
            out.append(max(log_z - mean, 0.0))
        return np.array(out)

    def sample(
        self, X: Inputs, n: int = 1, *, random_state: Any = None, allowed: Any = None
    ) -> list[Labellings]:
        """Sample `n` labellings of each sequence by their probabilities; other arguments as in `predict`."""
        n = checks.integer("n", n, 1, 1_000_000)
        rng, steps = generator(random_state), self._steps()
        out = []
        for i, unary in enumerate(self.emissions(X, allowed=allowed)):
            _log_partition(f"X[{i}]", unary, steps)  # refuses a sequence without a labelling
            out.append(Labellings(self.classes_[_draw(unary, steps, n, rng)].tolist()))
        return out

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float]:
        """Feature weights by ``(feature, label)``, as in sklearn-crfsuite; zeros are left out.

        Features without names are identified by their columns.
        """
        self._check_is_fitted()
        names = self._feature_names()
        rows, columns = np.nonzero(self.state_weights_)
        classes, weights = self.classes_.tolist(), self.state_weights_[rows, columns].tolist()
        return {(names[f], classes[k]): w for f, k, w in zip(rows.tolist(), columns.tolist(), weights)}

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """Transition weights by ``(from, to)``, as in sklearn-crfsuite; zeros are left out."""
        self._check_is_fitted()
        classes, (rows, columns) = self.classes_.tolist(), np.nonzero(self.transition_weights_)
        weights = self.transition_weights_[rows, columns].tolist()
        return {(classes[j], classes[k]): w for j, k, w in zip(rows.tolist(), columns.tolist(), weights)}

    def top_features(self, n: int = 20, label: Any = None) -> list[Weighted]:
        """The weights largest in absolute value, in falling order: of all labels, or of one.

        >>> from spcviz import StructuredPerceptron
        >>> X = [[["the"], ["dog"]], [["a"], ["cat"]]]
        >>> tagger = StructuredPerceptron(random_state=0).fit(X, [["DT", "NN"]] * 2)
        >>> sorted((top.label, top.feature) for top in tagger.top_features(2))
        [('DT', 'dog'), ('NN', 'dog')]
        """
        self._check_is_fitted()
        n, names, classes = (
            checks.integer("n", n, 1, 2**31 - 1),
            self._feature_names(),
            self.classes_.tolist(),
        )
        weights = self.state_weights_
        if label is not None:
            if label not in classes:
                raise ArgumentError(f"label must be one of classes_, got {label!r:.60}")
            weights = weights[:, classes.index(label)][:, None]
            classes = [label]
        order = np.argsort(-np.abs(weights.reshape(-1)), kind="stable")[:n]
        places = zip(*(part.tolist() for part in np.unravel_index(order, weights.shape)))
        return [Weighted(float(weights[f, k]), classes[k], names[f]) for f, k in places if weights[f, k]]

    def _feature_names(self) -> Sequence[Any]:
        self._check_is_fitted()
        return range(len(self.state_weights_)) if self.vocabulary_ is None else list(self.vocabulary_)


def _log_partition(name: str, unary: np.ndarray, steps: np.ndarray, pairs: np.ndarray | None = None) -> float:
    """Log-partition of one sequence; with `pairs` (K, K), `unary` becomes marginals, `pairs` is added to."""
    if not len(unary):
        return 0.0
    row_start = np.array([0, len(unary)])
    try:
        if pairs is None:
            return float(log_partitions(unary.copy(), row_start, steps)[0])
        return float(expect(unary, row_start, steps_of(steps), np.ones(1), pairs)[0])
    except InfeasibleError:
        raise InfeasibleError(
            f"{name} must have a labelling that constraints and allowed leave, got none"
        ) from None


def _draw(unary: np.ndarray, steps: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw n labellings (n, L) of one sequence by their probabilities."""
    length, states = len(unary), np.zeros((n, len(unary)), dtype=np.int64)
    after = np.zeros_like(unary)  # beta
    for i in range(length - 2, -1, -1):
        after[i] = np.logaddexp.reduce(steps + (unary[i + 1] + after[i + 1])[None, :], axis=1)
    for i in range(length):
        scores = unary[i] + after[i] + (np.zeros((n, 1)) if i == 0 else steps[states[:, i - 1]])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        until = np.cumsum(shares, axis=1)
        at = rng.random((n, 1)) * until[:, -1:]
        states[:, i] = np.argmax(until > at, axis=1)
    return states

"""What the taggers with one weight a feature and label and one a step share: decoding and probabilities."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import InfeasibleError
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Weights, blocks_of, forbid, log_partitions
from spcviz.learning.workers import in_threads
from spcviz.sequences import labels
from spcviz.sequences.base import Batch, SequenceTagger, row_starts
from spcviz.sequences.encoding import Encoded


class TagPaths(NamedTuple):
    """The best labellings of a sequence, best first.

    Attributes
    ----------
    scores : ndarray, shape (m,), m <= k
        Log-probabilities of a `ChainCRF`; scores of others.
    labels : ndarray, shape (m, L)
    """

    scores: np.ndarray
    labels: np.ndarray


class Block(NamedTuple):
    """Some sequences' scores (R, K), with -inf where forbidden; where each begins; their numbers."""

    unary: np.ndarray
    row_start: np.ndarray
    sequences: range


class ChainTagger(SequenceTagger):
    """Base of the first-order taggers; not for use by itself.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, sorted.
    state_weights_ : ndarray, shape (F, K)
    transition_weights_ : ndarray, shape (K, K)
        ``[from, to]``.
    """

    state_weights_: np.ndarray
    transition_weights_: np.ndarray

    def predict(self, X: Any, *, allowed: Any = None) -> list[np.ndarray]:
        """The best labelling of each sequence (Viterbi).

        Parameters
        ----------
        X : list of sequences
            Features that training has not seen are ignored.
        allowed : list, optional
            Labels that each token may have: for each sequence None, an (L, K) array of bool in the order of
            `classes_`, or a list with None or a list of labels for each token.

        Returns
        -------
        list of ndarray
            Labels of each sequence; empty for an empty one.

        Raises
        ------
        spcviz.engine.errors.ArgumentError
            If X or `allowed` is not of that kind, with the item.
        spcviz.engine.errors.InfeasibleError
            If constraints and `allowed` leave a sequence no labelling.
        """
        encoded, steps = self._encode(X), self._steps()

        def best(block: Block) -> np.ndarray:
            lengths = np.diff(block.row_start)
            decoded = chain.decode_batch(block.unary, lengths[lengths > 0], steps)
            if len(decoded.scores) and decoded.scores.min() == -np.inf:
                _refuse(block, np.flatnonzero(lengths > 0)[decoded.scores.argmin()])
            return decoded.labels

        found = [np.zeros(0, dtype=np.int64), *self._of_blocks(best, encoded, allowed)]
        return self._split(self.classes_[np.concatenate(found)], encoded.lengths)

    def predict_marginals(self, X: Any, *, allowed: Any = None) -> list[np.ndarray]:
        """Probability of each label at each token, by forward-backward.

        Parameters
        ----------
        X : list of sequences
        allowed : list, optional
            As in `predict`.

        Returns
        -------
        list of ndarray, each of shape (L, K)
            Columns in the order of `classes_`. Of a perceptron, whose scores are no log-probabilities, a
            ranking rather than probabilities.
        """
        encoded, steps = self._encode(X), self._steps()

        def shares(block: Block) -> list[np.ndarray]:
            try:
                log_partitions(block.unary, block.row_start, steps)
            except InfeasibleError:
                _refuse_any(block, steps)
            return self._split(block.unary, np.diff(block.row_start))

        return [own for some in self._of_blocks(shares, encoded, allowed) for own in some]

    def predict_k_best(self, X: Any, k: int, *, allowed: Any = None) -> list[TagPaths]:
        """The k best labellings of each sequence.

        Parameters
        ----------
        X : list of sequences
        k : int
            1 .. 10,000.
        allowed : list, optional
            As in `predict`.

        Returns
        -------
        list of TagPaths
            Fewer than k where there are fewer labellings.
        """
        k = checks.integer("k", k, 1, 10_000)
        encoded, steps = self._encode(X), self._steps()

        def paths(block: Block) -> list[TagPaths]:
            return [self._best_paths(block, w, steps, k) for w in range(len(block.sequences))]

        return [own for some in self._of_blocks(paths, encoded, allowed) for own in some]

    def show(self, x: Sequence, words: Sequence[str] | None = None) -> object:
        """What a threshold at the mean leaves of one sequence, in a notebook; see `spcviz.show`."""
        steps, doors = self._steps(), import_module("spcviz")
        unary = self._of_blocks(lambda block: block.unary, self._encode([x]), None)
        return doors.from_emissions(unary, steps, labels=self.classes_.tolist()).prune(0.0).show(words)

    def _best_paths(self, block: Block, w: int, steps: np.ndarray, k: int) -> TagPaths:
        """The k best labellings of one sequence of a block."""
        unary = block.unary[block.row_start[w] : block.row_start[w + 1]]
        if not len(unary):
            return TagPaths(np.zeros(1), np.empty((1, 0), dtype=self.classes_.dtype))
        try:
            best = chain.k_best(unary, steps, k)
        except InfeasibleError:
            _refuse(block, w)
        return TagPaths(best.scores - self._log_partition(unary, steps), self.classes_[best.labels])

    def _log_partition(self, unary: np.ndarray, steps: np.ndarray) -> float:
        """What is taken off the score of a labelling; 0 where scores are no log-probabilities."""
        return 0.0

    def _steps(self) -> np.ndarray:
        """Scores of steps, (K, K), -inf where forbidden."""
        self._check_is_fitted()
        forbidden = self._forbidden()
        if forbidden is None:
            return np.ascontiguousarray(self.transition_weights_)
        return np.where(forbidden[1], -np.inf, self.transition_weights_)

    def _of_blocks(self, function: Callable[[Block], Any], encoded: Encoded, allowed: Any) -> list:
        """A function's values of a few sequences at a time: memory does not grow with their number."""
        n_states, row_start, forbidden = len(self.classes_), row_starts(encoded.lengths), self._forbidden()
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)

        def of(first: int, last: int) -> Any:
            a, b = row_start[first], row_start[last]
            unary = layouts.emissions(layouts.part(encoded.rows, a, b), self.state_weights_)
            if mask is not None:
                unary[~mask[a:b]] = -np.inf
            if forbidden is not None:
                forbid(unary, row_start[first : last + 1] - a, forbidden)
            return function(Block(unary, row_start[first : last + 1] - a, range(first, last)))

        return in_threads(of, blocks_of(row_start, n_states), getattr(self, "n_jobs", None))

    def _grown(self, n_features: int) -> Weights:
        """The weights so far, with zeros for features that are new."""
        unary = np.zeros((n_features, len(self.classes_)))
        unary[: len(self.state_weights_)] = self.state_weights_
        return Weights(unary, self.transition_weights_.copy())

    def _set_weights(self, weights: Weights) -> None:
        self.state_weights_, self.transition_weights_ = weights

    def _may_go_on(self) -> bool:
        return hasattr(self, "state_weights_")


def examples(batch: Batch) -> tuple[Any, ...]:
    """A batch as the learners take it, but for the number of states."""
    return batch.encoded.rows, batch.encoded.lengths, batch.labels


def _refuse(block: Block, w: int) -> None:
    raise InfeasibleError(
        f"X[{block.sequences[w]}] must have a labelling that constraints and allowed leave, got none"
    ) from None


def _refuse_any(block: Block, steps: np.ndarray) -> None:
    lengths = np.diff(block.row_start)
    scores = np.full(len(lengths), np.inf)
    unary = np.where(np.isnan(block.unary), 0.0, block.unary)
    scores[lengths > 0] = chain.decode_batch(unary, lengths[lengths > 0], steps).scores
    _refuse(block, int(scores.argmin()))

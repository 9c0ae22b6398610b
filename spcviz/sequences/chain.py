"""Base classes of first-order taggers: decoding and probabilities from weights, and online learning."""

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Self, cast

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import InfeasibleError
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights, blocks_of, examples_of, forbid, log_partitions
from spcviz.learning.estimators import generator, in_threads
from spcviz.sequences import labels, states, training
from spcviz.sequences.asking import FirstOrderTagger
from spcviz.sequences.base import SequenceTagger
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.labels import Labellings, TagPaths
from spcviz.sequences.quick import numbers_of_labels
from spcviz.sequences.training import Bar, TrainingData


class Block(NamedTuple):
    """Scores (R, K) of some sequences, -inf where forbidden; the first row of each; their places in X."""

    unary: np.ndarray
    row_start: np.ndarray
    sequences: range


class ChainTagger(FirstOrderTagger):
    """Abstract base of the first-order taggers, with weights (F, K) and ``[from, to]`` (K, K)."""

    state_weights_: np.ndarray
    edge_weights_: np.ndarray = np.zeros((0, 0))  # for models that are older than edge weights
    transition_weights_: np.ndarray

    @property
    def intercept_(self) -> np.ndarray:
        """Weight of each label at every token, (K,); 0 without `fit_intercept`."""
        return self._edge(0)

    @property
    def start_weights_(self) -> np.ndarray:
        """Weight of each label at the first token, (K,); 0 without `fit_intercept`."""
        return self._edge(1)

    @property
    def end_weights_(self) -> np.ndarray:
        """Weight of each label at the last token, (K,); 0 without `fit_intercept`."""
        return self._edge(2)

    def _edge(self, n: int) -> np.ndarray:
        if not hasattr(self, "classes_"):  # hasattr(tagger, "intercept_") must be False
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self.edge_weights_[n] if self.n_edges_ else np.zeros(len(self.classes_))

    def predict(self, X: Inputs, *, allowed: Any = None) -> Labellings:
        vocabulary, items = getattr(self, "vocabulary_", None), cast("Sequence[Any]", X)
        is_plain = allowed is None and self._is_plain() and type(X) in (list, tuple)
        if is_plain and vocabulary is not None and items:
            steps = Weights(self.state_weights_, self.transition_weights_)
            found = numbers_of_labels(items, vocabulary, steps, self._forbidden())
            if found is not None:
                name = self.classes_.tolist().__getitem__
                return Labellings([list(map(name, numbers)) for numbers in found])
        return super().predict(X, allowed=allowed)

    predict.__doc__ = SequenceTagger.predict.__doc__

    def _is_plain(self) -> bool:
        """Whether the only weights are those of features and transitions, and one thread is used."""
        return not self.n_edges_ and self.n_jobs in (None, 1)

    def _forbidden(self) -> np.ndarray | None:
        """Cached, because a custom rule is called for each pair of labels."""
        known = self.__dict__.get("_forbidden_of")
        if known is None or known[0] is not self.constraints or known[1] is not self.classes_:
            known = self.constraints, self.classes_, super()._forbidden()
            self._forbidden_of = known
        return known[2]

    def _best(self) -> Callable[[Block], np.ndarray]:
        steps = self._steps()

        def best(block: Block) -> np.ndarray:
            lengths = np.diff(block.row_start)
            decoded = chain.decode_batch(block.unary, lengths[lengths > 0], steps)
            if len(decoded.scores) and decoded.scores.min() == -np.inf:
                _refuse(block, np.flatnonzero(lengths > 0)[decoded.scores.argmin()])
            return decoded.labels

        return best

    def _shares(self) -> Callable[[Block], list[np.ndarray]]:
        steps = self._steps()

        def shares(block: Block) -> list[np.ndarray]:
            try:
                log_partitions(block.unary, block.row_start, steps)
            except InfeasibleError:
                _refuse_any(block, steps)
            return [share for share in self._split(block.unary, np.diff(block.row_start)) if len(share)]

        return shares

    def _paths(self, k: int) -> Callable[[Block], list[TagPaths]]:
        steps = self._steps()
        return lambda block: [
            self._best_paths(block, int(w), steps, k) for w in np.flatnonzero(np.diff(block.row_start))
        ]

    def show(self, x: Sequence[Any], words: Sequence[str] | None = None) -> object:
        """Show in a notebook what a threshold at the mean leaves of one sequence; see `spcviz.show`."""
        steps, doors = self._steps(), import_module("spcviz")
        _, unary = self._of_blocks(lambda block: block.unary, [x], None)
        return doors.from_emissions(unary, steps, labels=self.classes_.tolist()).prune(0.0).show(words)

    def _best_paths(self, block: Block, w: int, steps: np.ndarray, k: int) -> TagPaths:
        """The k best labellings of one sequence of a block."""
        unary = block.unary[block.row_start[w] : block.row_start[w + 1]]
        try:
            best = chain.k_best(unary, steps, k)
        except InfeasibleError:
            _refuse(block, w)
        return TagPaths(best.scores - self._log_partition(unary, steps), self.classes_[best.labels])

    def _log_partition(self, unary: np.ndarray, steps: np.ndarray) -> float:
        """Subtracted from a labelling's score to normalise it; 0 where scores are not log-probabilities."""
        return 0.0

    def _steps(self) -> np.ndarray:
        """Transition scores, (K, K), -inf where forbidden."""
        self._check_is_fitted()
        forbidden = self._forbidden()
        if forbidden is None:
            return np.ascontiguousarray(self.transition_weights_)
        return np.where(forbidden[1], -np.inf, self.transition_weights_)

    def _of_blocks(
        self, function: Callable[[Block], Any], X: Any, allowed: Any
    ) -> tuple[np.ndarray, list[Any]]:
        """(lengths, a function's values per block of sequences, so that memory does not grow with X)."""
        encoded = self._encode(X)
        n_states, row_start, forbidden = len(self.classes_), checks.starts(encoded.lengths), self._forbidden()
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)

        def of(first: int, last: int) -> Any:
            a, b = row_start[first], row_start[last]
            unary = layouts.emissions(layouts.part(encoded.rows, a, b), self.state_weights_)
            layouts.add_edges(unary, row_start[first : last + 1] - a, self.edge_weights_)
            if mask is not None:
                unary[~mask[a:b]] = -np.inf
            if forbidden is not None:
                forbid(unary, row_start[first : last + 1] - a, forbidden)
            return function(Block(unary, row_start[first : last + 1] - a, range(first, last)))

        return encoded.lengths, in_threads(of, blocks_of(row_start, n_states), self.n_jobs)

    def _grown_weights(self, n_features: int) -> Weights:
        """The current weights, with zeros for new features."""
        unary, n_edges = self._learned_weights().unary, self.n_edges_
        wider = layouts.widen_table(unary, n_features + n_edges, n_edges)
        return Weights(wider, self.transition_weights_.copy())

    def _learned_weights(self) -> Weights:
        """Weights (F, K), or (F + 3, K) with an intercept, and (K, K)."""
        unary = self.state_weights_
        if self.n_edges_:
            unary = np.concatenate([unary, self.edge_weights_])
        return Weights(unary, self.transition_weights_)

    def set_weights(self, weights: Weights) -> None:
        """Set weights (F + `n_edges_`, K) and (K, K) that were learned elsewhere; they are not checked."""
        self.state_weights_, self.edge_weights_ = layouts.split(weights.unary, self.n_edges_)
        self.transition_weights_ = weights.pairwise

    def _may_go_on(self) -> bool:
        return hasattr(self, "state_weights_")

    def _learned_fields(self) -> tuple[Any, ...]:
        """The fields that a state has besides parameters and names, in order."""
        return (self._learned_weights(),)

    def take_state(self, state: Any) -> None:
        """Set the `_learned_fields` of a state; `ArgumentError` if its arrays do not fit each other."""
        self.n_edges_ = states.checked_edges(state.n_edges)
        n = states.n_features_of("weights.unary", state.weights.unary, self._n_names, self.n_edges_)
        states.check_weights("weights", state.weights, n + self.n_edges_, len(self.classes_))
        self.set_weights(state.weights)
        self.n_features_in_ = n


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


class Walk(NamedTuple):
    """Where training stopped: weights, whether a pass was completed, and the state to continue from."""

    weights: Weights
    has_begun: bool
    was_interrupted: bool
    rest: Any = None


class OnlineTagger(ChainTagger):
    """Abstract base of the taggers that learn from one sequence at a time."""

    warm_start: bool = False

    def __init__(
        self,
        *,
        max_iter: int,
        fit_intercept: bool | str,
        min_count: int,
        constraints: Any,
        class_weight: Any,
        random_state: Any,
        n_jobs: int | None,
        verbose: int,
    ) -> None:
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Inputs, y: Targets, sample_weight: Any = None) -> Self:
        """Train on labelled sequences; `ArgumentError` names the item that is wrong.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Weights of the sequences, at least 0.
        """
        return self._fit(X, y, sample_weight, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any, token_weight: Any) -> Self:
        passes = checks.integer("max_iter", self.max_iter, 1, 1_000_000)
        goes_on = checks.switch("warm_start", self.warm_start) and self._may_go_on()
        how = {"goes_on": goes_on, "min_count": self.min_count, "token_weight": token_weight}
        batch = self._read(X, y, sample_weight, **how)
        self._train(batch, passes, self._running_state() if goes_on else None)
        return self

    def _train(self, batch: TrainingData, passes: int, begin: Any) -> Walk:
        """Learn from a batch; `begin` is the state to continue from, None at the start."""
        forbidden = self._forbidden()
        training.check_steps(batch, forbidden, self.classes_, self.constraints)
        data = examples_of(
            *batch.encoded,
            batch.labels,
            len(self.classes_),
            weights=batch.weights,
            position_weights=batch.token_weights,
        )
        rng = generator(self.random_state)
        with Bar(type(self).__name__, passes, self.verbose) as bar:
            walk = self._walk(data, rng, passes, begin, forbidden, bar.tick)
        self.set_weights(walk.weights)
        if walk.was_interrupted:
            if not walk.has_begun:
                raise KeyboardInterrupt
            warnings.warn("fit was interrupted: the model is fitted as far as it came", stacklevel=4)
        return walk

    def _running_state(self) -> Any:
        """The state from which training continues, built from the current weights."""
        raise NotImplementedError

    def _walk(
        self,
        data: Examples,
        rng: np.random.Generator,
        passes: int,
        begin: Any,
        forbidden: np.ndarray | None,
        note: Callable[[str], object],
    ) -> Walk:
        """Run the passes; `note` is called after each with a text on how it went."""
        raise NotImplementedError

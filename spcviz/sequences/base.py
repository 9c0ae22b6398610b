"""Base class of all taggers: reads X and y, predicts, scores, converts to a state and back."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, SpcvizError
from spcviz.learning.chains.rows import N_EDGES, with_edges
from spcviz.learning.chains.rows import n_features as n_features_of
from spcviz.learning.estimators import Versioned, checked_jobs
from spcviz.scores.schemes import forbidden_steps
from spcviz.sequences import encoding, labels, states
from spcviz.sequences.encoding import Encoded, Vocabulary
from spcviz.sequences.input_types import Inputs, Item, Targets
from spcviz.sequences.labels import Labellings, TagPaths, split_list
from spcviz.sequences.training import (
    TrainingData,
    choose_classes,
    drop_rare,
    mean_weights,
    weights_of_classes,
    weights_of_sequences,
)


class SequenceTagger(Versioned):
    """Abstract base of the taggers."""

    State: Any
    classes_: np.ndarray
    vocabulary_: Vocabulary | None
    n_features_in_: int
    n_edges_: int = 0
    """Number of weight rows behind those of features: 3 if trained with `fit_intercept`, else 0."""
    _weighs_tokens = True
    """Whether training supports token weights; if not, a sequence is weighted by its labels' mean weight."""

    def __sklearn_is_fitted__(self) -> bool:
        """The hook that `sklearn.utils.validation.check_is_fitted` calls."""
        return hasattr(self, "classes_")

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Feature names in the order of the weights; only if features are named."""
        if (vocabulary := getattr(self, "vocabulary_", None)) is None:
            raise AttributeError(
                f"{type(self).__name__} has no feature names: it was not fitted on named ones"
            )
        return np.array(list(vocabulary), dtype=object)

    def score(self, X: Inputs, y: Targets, sample_weight: Any = None) -> float:
        """Share of tokens with the right label; labels that training has not seen count as wrong.

        `sample_weight` (len(X),) weights the sequences.
        """
        predicted = self.predict(X)
        lengths = np.array([len(sequence) for sequence in predicted], dtype=np.int64)
        truth = labels.flat_labels(y, lengths)
        if not truth:
            raise ArgumentError("X must hold at least one token to be scored on, got none")
        flat = chain.from_iterable(predicted)
        weights = np.repeat(weights_of_sequences(sample_weight, len(predicted)), lengths)
        if weights.sum() == 0:
            raise ArgumentError("sample_weight must not be 0 for all tokens")
        right = np.fromiter((a == b for a, b in zip(flat, truth)), bool, len(truth))
        return float(np.average(right, weights=weights))

    def predict(self, X: Inputs, *, allowed: Any = None) -> Labellings:
        """The best labelling of each sequence, one list each; for a cascade, the best its filters leave.

        Parameters
        ----------
        X : list of sequences
            Features that training has not seen are ignored.
        allowed : list, optional
            Labels that each token may have: for each sequence None, an (L, K) array of bool in the order of
            `classes_`, or a list with None or a list of labels for each token.

        Raises
        ------
        spcviz.engine.errors.ArgumentError
            If X or `allowed` is not of that form; the message names the item.
        spcviz.engine.errors.InfeasibleError
            If constraints and `allowed` leave a sequence no labelling.
        """
        lengths, numbers = self._of_blocks(self._best(), X, allowed)
        flat = self.classes_[np.concatenate([np.zeros(0, np.int64), *numbers])].tolist()
        return split_list(flat, lengths)

    def predict_single(self, x: Item) -> list[Any]:
        """The best labelling of one sequence."""
        return self.predict([x])[0]

    def predict_marginals(self, X: Inputs, *, allowed: Any = None, as_dicts: bool = False) -> list[Any]:
        """Probability of each label at each token, (L, K) each, by forward-backward.

        Arguments and errors as in `predict`; columns in the order of `classes_`. With `as_dicts`, a list for
        each sequence, with ``{label: probability}`` for each token. For perceptrons, whose scores are not
        log-probabilities, the values rank labels but are not probabilities. For a cascade they are those of
        its last level: normalised sums of exponentiated scores, 0 for pruned labels.
        """
        shares = self._shares()
        found = self._of_each(shares, X, allowed, np.zeros((0, len(self.classes_))))
        if not as_dicts:
            return found
        classes = self.classes_.tolist()
        return [[dict(zip(classes, row)) for row in table.tolist()] for table in found]

    def predict_marginals_single(self, x: Item) -> list[dict[Any, float]]:
        """``{label: probability}`` for each token of one sequence."""
        return self.predict_marginals([x], as_dicts=True)[0]

    def predict_k_best(self, X: Inputs, k: int, *, allowed: Any = None) -> list[TagPaths]:
        """The k best labellings of each sequence; for a cascade, the k best its filters leave.

        `k` is 1 .. 10,000; other arguments and errors as in `predict`. Fewer than k if fewer exist.
        """
        paths = self._paths(checks.integer("k", k, 1, 10_000))
        nothing = TagPaths(np.zeros(1), np.empty((1, 0), dtype=self.classes_.dtype))
        return self._of_each(paths, X, allowed, nothing)

    def _of_each(self, function: Callable[[Any], list[Any]], X: Any, allowed: Any, nothing: Any) -> list[Any]:
        """One value per sequence: a block's values for sequences with tokens, `nothing` for the others."""
        lengths, per_block = self._of_blocks(function, X, allowed)
        rest = chain.from_iterable(per_block)
        return [next(rest) if length else nothing for length in lengths]

    def predict_each(self, X: Iterable[Item], *, n_at_a_time: int = 1000) -> Iterator[list[Any]]:
        """Yield the labels of one sequence after another, for data that does not fit into memory.

        X is read lazily, `n_at_a_time` sequences at a time, before the first of their labels is yielded.
        Errors are those of `predict`, raised when the sequence is read.
        """
        self._check_is_fitted()
        n_at_a_time = checks.integer("n_at_a_time", n_at_a_time, 1, 2**31 - 1)
        return self._each(iter(X), n_at_a_time)

    def _each(self, rest: Iterator[Any], n_at_a_time: int) -> Iterator[list[Any]]:
        first = 0
        while some := list(islice(rest, n_at_a_time)):
            try:
                predicted = self.predict(some)
            except SpcvizError as error:
                raise type(error)(f"{error} (X[0] is sequence {first} here)") from None
            first += len(some)
            yield from predicted

    def _check_is_fitted(self) -> None:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _read(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        goes_on: bool,
        classes: Any = None,
        may_miss: bool = False,
        min_count: int = 1,
        token_weight: Any = None,
    ) -> TrainingData:
        """Read training data; set the names of features and labels; with `goes_on`, add features only."""
        min_count = checks.integer("min_count", min_count, 1, 2**31 - 1)
        checked_jobs(getattr(self, "n_jobs", None))  # else only `predict` would report it
        X = encoding.as_items(X)
        if not goes_on:
            vocabulary = Vocabulary() if encoding.is_named(X) else None
            n_features = None
        else:
            vocabulary, n_features = self.vocabulary_, self.n_features_in_
            vocabulary = None if vocabulary is None else Vocabulary(vocabulary)
        encoded = encoding.encode(X, vocabulary, n_features, grow=True)
        if not encoded.lengths.sum():
            raise ArgumentError("X must hold at least one token, got none")
        flat = labels.flat_labels(y, encoded.lengths, may_miss=may_miss)
        known = self.classes_ if goes_on else choose_classes(flat, classes)
        numbers = labels.numbers_of(flat, known, encoded.lengths)
        weights = weights_of_sequences(sample_weight, len(encoded.lengths))
        if not weights[encoded.lengths > 0].any():
            raise ArgumentError("sample_weight must be above 0 for a sequence with tokens, got 0 for all")
        by_class = weights_of_classes(getattr(self, "class_weight", None), numbers, known)
        each = labels.weights_of_tokens(token_weight, encoded.lengths)
        if (numbers < 0).any() or not self._weighs_tokens:
            if each is not None:
                at = labels.place("y", int(numbers.argmin()), encoded.lengths)
                raise ArgumentError(f"{at} must be known where tokens have weights, got None")
            if by_class is not None:
                weights = weights * mean_weights(by_class, numbers, encoded.lengths)
        elif by_class is not None:
            each = by_class if each is None else each * by_class
        if vocabulary is not None and not goes_on and min_count > 1:
            vocabulary, encoded = drop_rare(vocabulary, encoded, min_count)
            if not vocabulary:
                raise ArgumentError(f"min_count must leave a feature; none of X occurs {min_count} times")
        self.classes_, self.vocabulary_ = known, vocabulary
        self.n_features_in_ = n_features_of(encoded.rows)
        if not goes_on:
            self.n_edges_ = N_EDGES if self._wants_intercept() else 0
        return TrainingData(self._with_edges(encoded), numbers, weights, each)

    def _wants_intercept(self) -> bool:
        wanted = getattr(self, "fit_intercept", False)
        if isinstance(wanted, str) and wanted == "auto":
            return self.vocabulary_ is None
        if isinstance(wanted, bool | np.bool_):
            return bool(wanted)
        raise ArgumentError(f"fit_intercept must be True, False or 'auto', got {wanted!r:.60}")

    def _with_edges(self, encoded: Encoded) -> Encoded:
        """Add the columns of `spcviz.learning.chains.rows` if this tagger has weights for them."""
        if not self.n_edges_:
            return encoded
        return encoded._replace(rows=with_edges(encoded.rows, encoded.lengths))

    def _forbidden(self) -> np.ndarray | None:
        return forbidden_steps(getattr(self, "constraints", None), self.classes_)

    def _encode(self, X: Any) -> Encoded:
        """Encode X for a fitted tagger."""
        self._check_is_fitted()
        return encoding.encode(X, self.vocabulary_, self.n_features_in_)

    def _split(self, flat: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
        """Split an array with one row per token into one array per sequence."""
        ends = np.cumsum(lengths).tolist()
        return [flat[a:b] for a, b in zip([0, *ends], ends)]

    def to_state(self) -> Any:
        """The fitted model as plain arrays and texts, a `State`; `from_state` restores it."""
        self._check_is_fitted()
        names = None if self.vocabulary_ is None else states.pack_texts(self.vocabulary_)
        params = states.params_as_json(self.get_params(deep=False))
        return self.State(params, json.dumps(self.classes_.tolist()), names, *self._learned_fields())

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Restore the fitted model from `to_state`; `ArgumentError` if fields do not fit each other."""
        if not isinstance(state, cls.State):
            raise ArgumentError(f"state must be a {cls.State.__name__}, got {type(state).__name__}")
        tagger = cls(**states.checked_params(cls, states.unmark(states.json_of("params", state.params))))
        tagger.classes_ = states.checked_classes(states.json_of("classes", state.classes))
        names = None if state.names is None else states.checked_names(*state.names)
        tagger.vocabulary_ = None if names is None else Vocabulary(zip(names, range(len(names))))
        tagger.take_state(state)
        cls._forbidden(tagger)  # refuses constraints that do not fit these labels
        return tagger

    @property
    def _n_names(self) -> int | None:
        """Number of named features; None if features have no names."""
        return None if self.vocabulary_ is None else len(self.vocabulary_)

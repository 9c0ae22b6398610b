"""What the taggers share: reading X and y, decoding, scoring, their state as plain values."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from tqdm import tqdm

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError, SpcvizError
from spcviz.learning.chains.edges import N_EDGES, with_edges
from spcviz.learning.chains.rows import CsrRows
from spcviz.learning.chains.rows import n_features as n_features_of
from spcviz.learning.versioned import Versioned
from spcviz.sequences import encoding, labels, stored
from spcviz.sequences.answers import Labellings, split_list
from spcviz.sequences.constraints import forbidden_steps
from spcviz.sequences.encoding import Encoded, Vocabulary
from spcviz.sequences.typed import Inputs, Item, Targets


class Batch(NamedTuple):
    """Training data as numbers: X, labels (R,), weights of sequences (W,) and of tokens (R,)."""

    encoded: Encoded
    labels: np.ndarray
    weights: np.ndarray
    token_weights: np.ndarray | None = None  # beside those of sequences; None: all tokens count alike


class Texts(NamedTuple):
    """Many strings as two arrays: their UTF-8, with lone surrogates as three bytes, and where each ends."""

    utf8: np.ndarray
    ends: np.ndarray


def packed_texts(texts: Iterable[str]) -> Texts:
    """Strings as arrays.

    >>> texts_of(packed_texts(["a", "", "é"]))
    ['a', '', 'é']
    """
    each = [text.encode("utf-8", stored.HALF_SIGNS) for text in texts]
    ends = np.cumsum(np.array([len(encoded) for encoded in each], dtype=np.int64))
    return Texts(np.frombuffer(b"".join(each), np.uint8), ends)


def texts_of(texts: Texts) -> list[str]:
    """What `packed_texts` packed."""
    data, ends = texts.utf8.tobytes(), texts.ends.tolist()
    return [data[a:b].decode("utf-8", stored.HALF_SIGNS) for a, b in zip([0, *ends[:-1]], ends)]


class TagPaths(NamedTuple):
    """The best labellings (m, L) of a sequence, best first; scores (m,), a `ChainCRF`'s log-probabilities."""

    scores: np.ndarray
    labels: np.ndarray


class SequenceTagger(Versioned):
    """Base of the taggers; not for use by itself."""

    State: type
    classes_: np.ndarray
    vocabulary_: Vocabulary | None
    n_features_in_: int
    n_edges_: int = 0
    """3 where `fit_intercept` was asked for in training: rows of weights behind those of features."""
    _weighs_tokens = True
    """Whether training knows weights of tokens; if not, a sequence counts with the mean of its labels'."""

    def __sklearn_is_fitted__(self) -> bool:
        """What `sklearn.utils.validation.check_is_fitted` asks."""
        return hasattr(self, "classes_")

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features in the order of the weights; only where they are named."""
        if getattr(self, "vocabulary_", None) is None:
            raise AttributeError(
                f"{type(self).__name__} has no feature names: it was not fitted on named ones"
            )
        return np.array(list(self.vocabulary_), dtype=object)

    def score(self, X: Inputs, y: Targets, sample_weight: Any = None) -> float:
        """Share of tokens with the right label; labels that training has not seen count as wrong.

        `sample_weight` (len(X),) is of sequences.
        """
        predicted = self.predict(X)
        lengths = np.array([len(sequence) for sequence in predicted], dtype=np.int64)
        truth = labels.flat_labels(y, lengths)
        if not truth:
            raise ArgumentError("X must hold at least one token to be scored on, got none")
        flat = chain.from_iterable(predicted)
        weights = np.repeat(_sequence_weights(sample_weight, len(predicted)), lengths)
        if weights.sum() == 0:
            raise ArgumentError("sample_weight must not be 0 for all tokens")
        right = np.fromiter((a == b for a, b in zip(flat, truth)), bool, len(truth))
        return float(np.average(right, weights=weights))

    def predict(self, X: Inputs, *, allowed: Any = None) -> Labellings:
        """The best labelling of each sequence, a list each; a cascade's, among what its filters leave.

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
            If X or `allowed` is not of that kind, with the item.
        spcviz.engine.errors.InfeasibleError
            If constraints and `allowed` leave a sequence no labelling.
        """
        lengths, numbers = self._of_blocks(self._best(), X, allowed)
        flat = self.classes_[np.concatenate([np.zeros(0, np.int64), *numbers])].tolist()
        return split_list(flat, lengths)

    def predict_single(self, x: Item) -> list:
        """The best labelling of one sequence."""
        return self.predict([x])[0]

    def predict_marginals(self, X: Inputs, *, allowed: Any = None, as_dicts: bool = False) -> list:
        """Probability of each label at each token, (L, K) each, by forward-backward.

        Arguments and errors as in `predict`; columns in the order of `classes_`. With `as_dicts` a list for
        each sequence, with ``{label: probability}`` for each token. Of perceptrons, whose scores
        are no log-probabilities, a ranking rather than probabilities. A cascade's are of its last level: sums
        of exponentials of scores, as shares of one; 0 for labels that were pruned.
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
        """The k best labellings of each sequence; a cascade's, among what its filters leave.

        `k` is 1 .. 10,000, other arguments and errors as in `predict`. Fewer than k where there are fewer.
        """
        paths = self._paths(checks.integer("k", k, 1, 10_000))
        nothing = TagPaths(np.zeros(1), np.empty((1, 0), dtype=self.classes_.dtype))
        return self._of_each(paths, X, allowed, nothing)

    def _of_each(self, function: Callable[[Any], list], X: Any, allowed: Any, nothing: Any) -> list:
        """A value a sequence, from those of a block's sequences with tokens; `nothing` of the others."""
        lengths, per_block = self._of_blocks(function, X, allowed)
        rest = chain.from_iterable(per_block)
        return [next(rest) if length else nothing for length in lengths]

    def predict_each(self, X: Iterable[Item], *, n_at_a_time: int = 1000) -> Iterator[list]:
        """Labels of one sequence after the other, for sequences that do not fit into memory together.

        X is read as the labels are asked for, `n_at_a_time` before the first of them comes; errors as of
        `predict`, once the sequence is read.
        """
        self._check_is_fitted()
        n_at_a_time = checks.integer("n_at_a_time", n_at_a_time, 1, 2**31 - 1)
        return self._each(iter(X), n_at_a_time)

    def _each(self, rest: Iterator, n_at_a_time: int) -> Iterator[list]:
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
    ) -> Batch:
        """Read training data; sets (or, to go on, extends) what names features and labels."""
        min_count = checks.integer("min_count", min_count, 1, 2**31 - 1)
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
        known = self.classes_ if goes_on else _classes(flat, classes)
        numbers = labels.numbers_of(flat, known, encoded.lengths)
        weights = _sequence_weights(sample_weight, len(encoded.lengths))
        if not weights[encoded.lengths > 0].any():
            raise ArgumentError("sample_weight must be above 0 for a sequence with tokens, got 0 for all")
        by_class = self._class_weights(numbers, known)
        each = labels.weights_of_tokens(token_weight, encoded.lengths)
        if (numbers < 0).any() or not self._weighs_tokens:
            if each is not None:
                at = labels.place("y", int(numbers.argmin()), encoded.lengths)
                raise ArgumentError(f"{at} must be known where tokens have weights, got None")
            if by_class is not None:
                weights = weights * _means(by_class, numbers, encoded.lengths)
        elif by_class is not None:
            each = by_class if each is None else each * by_class
        if vocabulary is not None and not goes_on and min_count > 1:
            vocabulary, encoded = _frequent(vocabulary, encoded, min_count)
            if not vocabulary:
                raise ArgumentError(f"min_count must leave a feature; none of X occurs {min_count} times")
        self.classes_, self.vocabulary_ = known, vocabulary
        self.n_features_in_ = n_features_of(encoded.rows)
        if not goes_on:
            self.n_edges_ = N_EDGES if self._wants_intercept() else 0
        return Batch(self._with_edges(encoded), numbers, weights, each)

    def _wants_intercept(self) -> bool:
        wanted = getattr(self, "fit_intercept", False)
        if isinstance(wanted, str) and wanted == "auto":
            return self.vocabulary_ is None
        if isinstance(wanted, bool | np.bool_):
            return bool(wanted)
        raise ArgumentError(f"fit_intercept must be True, False or 'auto', got {wanted!r:.60}")

    def _with_edges(self, encoded: Encoded) -> Encoded:
        """With the columns of `spcviz.learning.chains.edges` where this tagger has weights of them."""
        if not self.n_edges_:
            return encoded
        return encoded._replace(rows=with_edges(encoded.rows, encoded.lengths))

    def _class_weights(self, numbers: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
        """Weight of each token's label, (R,), 1 where it is not known; None where none are asked for."""
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return None
        is_known = numbers >= 0
        counts = np.bincount(numbers[is_known], minlength=len(classes))
        if isinstance(wanted, str) and wanted == "balanced":
            each = counts.sum() / (max((counts > 0).sum(), 1) * np.maximum(counts, 1))
        elif isinstance(wanted, dict):
            each = np.ones(len(classes))
            number = {label: k for k, label in enumerate(classes.tolist())}
            for label, weight in wanted.items():
                if label not in number:
                    raise ArgumentError(f"class_weight must name labels of y, got {label!r:.60}")
                each[number[label]] = checks.number(f"class_weight[{label!r}]", weight, 0)
        else:
            raise ArgumentError(f"class_weight must be a dict, 'balanced' or None, got {wanted!r:.60}")
        return np.where(is_known, each[numbers], 1.0)

    def _forbidden(self) -> np.ndarray | None:
        return forbidden_steps(getattr(self, "constraints", None), self.classes_)

    def _check_steps(self, batch: Batch, forbidden: np.ndarray | None) -> None:
        """Refuse labels of training that break the constraints."""
        if forbidden is None:
            return
        lengths, numbers = batch.encoded.lengths, batch.labels
        ends = np.cumsum(lengths)
        is_first, is_last = np.zeros(len(numbers), dtype=bool), np.zeros(len(numbers), dtype=bool)
        is_first[(ends - lengths)[lengths > 0]], is_last[ends[lengths > 0] - 1] = True, True
        before = np.concatenate([[labels.UNKNOWN], numbers[:-1]])
        is_known = numbers >= 0
        wrong = is_known & is_first & forbidden[0].diagonal()[numbers]
        wrong |= is_known & is_last & forbidden[2].diagonal()[numbers]
        wrong |= is_known & ~is_first & (before >= 0) & forbidden[1][before, numbers]
        if wrong.any():
            n = int(wrong.argmax())
            step = repr(self.classes_[numbers[n]].item())
            if not is_first[n] and before[n] >= 0:
                step += f" behind {self.classes_[before[n]].item()!r}"
            raise ArgumentError(
                f"{labels.place('y', n, lengths)} must keep to constraints={self.constraints!r}, got {step}"
            )

    def _encode(self, X: Any) -> Encoded:
        """X for a fitted tagger."""
        self._check_is_fitted()
        return encoding.encode(X, self.vocabulary_, self.n_features_in_)

    def _split(self, flat: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
        """One array a sequence, of an array with a row a token."""
        ends = np.cumsum(lengths).tolist()
        return [flat[a:b] for a, b in zip([0, *ends], ends)]

    def to_state(self) -> Any:
        """The fitted model as plain arrays and texts, a `State`; `from_state` takes it back."""
        self._check_is_fitted()
        names = None if self.vocabulary_ is None else packed_texts(self.vocabulary_)
        return self.State(self._params_as_json(), json.dumps(self.classes_.tolist()), names, *self._learned())

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """The fitted model that `to_state` took apart; `ArgumentError` if fields do not fit each other."""
        if not isinstance(state, cls.State):
            raise ArgumentError(f"state must be a {cls.State.__name__}, got {type(state).__name__}")
        tagger = cls(**stored.checked_params(cls, _unmarked(stored.json_of("params", state.params))))
        tagger.classes_ = stored.checked_classes(stored.json_of("classes", state.classes))
        names = None if state.names is None else stored.checked_names(*state.names)
        tagger.vocabulary_ = None if names is None else Vocabulary(zip(names, range(len(names))))
        tagger.take_state(state)
        cls._forbidden(tagger)  # refuses constraints that are no scheme of these labels
        return tagger

    @property
    def _n_names(self) -> int | None:
        """How many features have names; None where they have none."""
        return None if self.vocabulary_ is None else len(self.vocabulary_)

    def _params_as_json(self) -> str:
        """The parameters; `ArgumentError` if one is a function or a generator, which no file can hold."""
        params = self.get_params(deep=False)
        for name, value in params.items():
            try:
                json.dumps(value)
            except TypeError:
                raise ArgumentError(
                    f"{name} must be a number, a text, None or a list or dict of such to be stored, "
                    f"got {value!r:.60}"
                ) from None
        return json.dumps(_marked(params))


def _marked(value: Any) -> Any:
    """JSON knows neither tuples nor dicts by numbers."""
    if isinstance(value, tuple):
        return {"tuple": [_marked(item) for item in value]}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[_marked(key), _marked(item)] for key, item in value.items()]}
    return value


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        if "tuple" in value:
            return tuple(_unmarked(item) for item in value["tuple"])
        return {_unmarked(key): _unmarked(item) for key, item in value["dict"]}
    except (LookupError, TypeError, ValueError):
        raise ArgumentError(f"params must be written as by to_state, got {value!r:.60}") from None


def _classes(flat: list, given: Any) -> np.ndarray:
    """The labels, or those given; in both cases sorted."""
    if given is None:
        classes = labels.classes_of(flat)
    else:
        listed = given.tolist() if isinstance(given, np.ndarray) else list(given)
        classes = labels.classes_of(labels.flat_labels([listed], np.array([len(listed)])))
    if not len(classes):
        raise ArgumentError("y must hold at least one label, got none")
    return classes


def _sequence_weights(sample_weight: Any, n: int) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n)
    weights = checks.scores("sample_weight", sample_weight, 1)
    if len(weights) != n and weights.sum() == n and weights.dtype.kind in "iuf":
        raise ShapeError(
            f"sample_weight has {len(weights)} entries; X has {n} sequences (these look like lengths, as "
            "fit(X, y, lengths) takes elsewhere: hand over a list of sequences instead)"
        )
    if len(weights) != n:
        raise ShapeError(f"sample_weight has {len(weights)} entries; X has {n} sequences")
    if len(weights) and weights.min() < 0:
        raise ArgumentError(f"sample_weight[{weights.argmin()}] must be at least 0, got {weights.min()}")
    return weights


def _means(each: np.ndarray, numbers: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Mean over each sequence's tokens with a known label (W,); 1 where there are none."""
    is_known = numbers >= 0
    owner = np.repeat(np.arange(len(lengths)), lengths)[is_known]
    total = np.bincount(owner, each[is_known], len(lengths))
    n = np.bincount(owner, minlength=len(lengths))
    return np.where(n > 0, total / np.maximum(n, 1), 1.0)


def _frequent(vocabulary: Vocabulary, encoded: Encoded, min_count: int) -> tuple[Vocabulary, Encoded]:
    """Without the features that occur less often than `min_count`."""
    rows = encoded.rows
    if not isinstance(rows, CsrRows):
        return vocabulary, encoded
    is_kept = np.bincount(rows.index, minlength=len(vocabulary)) >= min_count
    number = np.cumsum(is_kept) - 1
    names = [name for name, kept in zip(vocabulary, is_kept.tolist()) if kept]
    chosen = is_kept[rows.index]
    start = np.concatenate([[0], np.cumsum(chosen)])[rows.start]
    index = number[rows.index[chosen]].astype(np.int32)
    fewer = CsrRows(start, index, rows.values[chosen], len(names))
    return Vocabulary(zip(names, range(len(names)))), encoded._replace(rows=fewer)


def switch(name: str, value: Any) -> bool:
    """A parameter that is on (True, 1) or off (False, 0, None); the text "False", say, is neither."""
    if value is not None and not (isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1)):
        raise ArgumentError(f"{name} must be True or False, got {value!r:.60}")
    return bool(value)


class Bar:
    """A bar of progress on standard error, if `verbose`; a context."""

    def __init__(self, name: str, total: int | None, verbose: Any) -> None:
        if not isinstance(verbose, bool | np.bool_ | None):
            checks.integer("verbose", verbose, 0, 2**31 - 1)
        self._bar = tqdm(desc=name, total=total, disable=not verbose)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def tick(self, text: str = "") -> None:
        """One step on, with what there is to say."""
        if text:
            self._bar.set_postfix_str(text, refresh=False)
        self._bar.update()

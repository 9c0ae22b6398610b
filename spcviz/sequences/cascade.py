"""The structured prediction cascade as a scikit-learn estimator."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import log_marginals, states_left
from spcviz.engine.thresholds import filtering
from spcviz.learning.cascade.config import Cascade, CascadeConfig
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.cascade import LevelFigures, PairModel, train_chain_cascade
from spcviz.learning.chains.crf import blocks_of, examples_of
from spcviz.learning.chains.spaces import joined
from spcviz.learning.dice import generator
from spcviz.learning.workers import in_threads, spread
from spcviz.sequences import labels, stored
from spcviz.sequences.base import Bar, SequenceTagger, TagPaths, Texts
from spcviz.sequences.grown import Grown, Points, Some, ranked
from spcviz.sequences.lattices import Filtered, features_of, state_shares
from spcviz.sequences.levels import OneLevel, levels_of


class CascadeState(NamedTuple):
    """A fitted `CascadeTagger` as plain values."""

    params: str
    classes: str
    names: Texts | None
    cascade: Cascade
    levels: tuple[LevelFigures, ...]


class CascadeTagger(SequenceTagger):
    """Structured prediction cascade: coarse models prune labels, so that fine ones can look further.

    A model on pairs of labels filters single labels, then pairs; n-grams grow among what is left, up to
    `order`, and the last level predicts. Each threshold is the highest that loses no more sequences than
    `tolerance`, measured on sequences that the filter has not seen. Weiss and Taskar (2010), Structured
    prediction cascades; Weiss (2013), thesis, chapter 4.

    Parameters
    ----------
    order : int
        Labels in a row that the last level looks at; at least 2.
    tolerance : float or tuple of float
        Share of sequences (of tokens: see `tolerance_kind`) whose true labels a filter may lose; one for all
        filters, or one for each of the `order` - 1.
    tolerance_kind : {"example", "position"}
    pair_model : {"crf", "perceptron"}
        How the model on pairs of labels is trained; a CRF leaves fewer labels at the same tolerance, a
        perceptron trains faster.
    c2 : float
        Regulariser of the CRF; see `ChainCRF`.
    rate : float
        Step size of the perceptrons on longer n-grams, which begin at the pair model.
    passes : int
        Over the training data, at each level of a perceptron.
    hold_out : int
        Parts that the training data is dealt into; each is filtered by models of the others.
    max_arcs : int
        N-grams that a sequence may have at any level.
    constraints : {"bio", "bioes", "bilou"}, callable or None
        As of `ChainCRF`: n-grams that break the rule are at no level.
    class_weight : dict, "balanced" or None
        Weights of labels in the pair model; a sequence counts with the mean over its tokens.
    random_state : int, numpy.random.Generator or None
    n_jobs : int or None
        Models of the held-out parts that are trained, and parts of X that are predicted, at a time, by
        threads (or where joblib's ``parallel_config`` says); -1: as many as there are processors. The result
        is the same.
    min_count, verbose
        As of `ChainCRF`.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        At most 1000 labels.
    cascade_ : spcviz.learning.cascade.config.Cascade
    levels_ : tuple of LevelFigures
        Of each filter, held out: order, alpha, share of sequences lost, what is left for each token.
    n_features_in_, feature_names_in_
        As of `ChainCRF`.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]], [["a"], ["dog"]]]
    >>> tagger = CascadeTagger(hold_out=2, random_state=0).fit(X, [["DT", "NN"]] * 4)
    >>> tagger.predict([[["a"], ["dog"]]])
    [['DT', 'NN']]
    """

    State = CascadeState

    def __init__(
        self,
        *,
        order: int = 3,
        tolerance: Any = 0.01,
        tolerance_kind: str = "example",
        pair_model: str = "crf",
        c2: float = 0.3,
        rate: float = 4.0,
        passes: int = 10,
        hold_out: int = 3,
        max_arcs: int = 100_000,
        min_count: int = 1,
        constraints: Any = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.order = order
        self.tolerance = tolerance
        self.tolerance_kind = tolerance_kind
        self.pair_model = pair_model
        self.c2 = c2
        self.rate = rate
        self.passes = passes
        self.hold_out = hold_out
        self.max_arcs = max_arcs
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Train every level; `ArgumentError` with the item that is wrong, or fewer sequences than `hold_out`.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict. Values other
            than 0 and 1 of sparse or named features are laid out in full, so there may not be many.
        y : list of sequences of str or of int
        sample_weight : array_like, shape (len(X),), optional
            Of sequences, in the pair model.
        groups : array_like, shape (len(X),), optional
            Sequences of one group (a document, a writer) fall into the same of the held-out parts.
        """
        order = checks.integer("order", self.order, 2, 12)
        tolerances = self._tolerances(order)
        config = CascadeConfig(
            tolerance_kind=self.tolerance_kind,
            predictor_rate=checks.number("rate", self.rate, 0),
            predictor_epochs=checks.integer("passes", self.passes, 1, 1_000_000),
            parts=checks.integer("hold_out", self.hold_out, 2, 1000),
            max_arcs=checks.integer("max_arcs", self.max_arcs, 1, 2**40),
        )
        batch = self._read(X, y, sample_weight, goes_on=False, min_count=self.min_count)
        if len(self.classes_) > 1000:
            raise ArgumentError(f"y must hold at most 1000 labels for a cascade, got {len(self.classes_)}")
        forbidden = self._forbidden()
        self._check_steps(batch, forbidden)
        lengths, is_used = batch.encoded.lengths, batch.encoded.lengths > 0
        if is_used.sum() < config.parts:
            raise ArgumentError(f"hold_out must be at most the {is_used.sum()} sequences, got {config.parts}")
        kinship = None if groups is None else labels.groups_of(groups, len(lengths), config.parts)[is_used]
        data = examples_of(
            batch.encoded.rows,
            lengths[is_used],
            batch.labels,
            len(self.classes_),
            weights=batch.weights[is_used],
        )
        del batch  # as large as what was made of it
        with Bar(type(self).__name__, None, self.verbose) as bar:
            trained = train_chain_cascade(
                data,
                features_of(data.rows),
                generator(self.random_state),
                tolerances=tolerances,
                config=config,
                pair_model=PairModel(self.pair_model, checks.number("c2", self.c2, 0), forbidden),
                groups=kinship,
                run=lambda function, jobs: spread(function, jobs, self.n_jobs),
                tick=bar.tick,
            )
        self.cascade_, self.levels_ = trained
        return self

    def _tolerances(self, order: int) -> tuple[float, ...]:
        given = self.tolerance
        if not isinstance(given, Sequence | np.ndarray):
            return (checks.fraction("tolerance", given),) * (order - 1)
        if len(given) != order - 1:
            raise ArgumentError(
                f"tolerance must be one number or {order - 1} of them, one a filter, got {given!r:.60}"
            )
        return tuple(checks.fraction(f"tolerance[{i}]", tolerance) for i, tolerance in enumerate(given))

    def _best(self) -> Callable[[Some], np.ndarray]:
        return self._grown().best

    def _shares(self) -> Callable[[Some], list[np.ndarray]]:
        grown = self._grown()

        def shares(some: Some) -> list[np.ndarray]:
            lattice, scores = grown.last(some)
            _, logs = log_marginals(lattice, scores)
            marginals = state_shares(lattice, np.exp(logs))
            return self._split(marginals / marginals.sum(axis=1, keepdims=True), some.lengths)

        return shares

    def _paths(self, k: int) -> Callable[[Some], list[TagPaths]]:
        grown = self._grown()

        def paths(some: Some) -> list[TagPaths]:
            lattice, scores = grown.last(some)
            best = [ranked(lattice, scores, w, k) for w in range(len(some.lengths))]
            return [TagPaths(score, self.classes_[states]) for score, states in best]

        return paths

    def filter(
        self, X: Any, *, alpha: float | Sequence[float] | None = None, level: int | None = None
    ) -> Filtered:
        """What the filters leave of each sequence.

        `alpha` is taken instead of the tuned thresholds, at most 1 (0: the mean; less keeps more): one for
        all filters or one for each. `level` says how many filters run, 1 .. `order` - 1; all by default.
        """
        self._check_is_fitted()
        most = len(self.cascade_.levels) - 1
        level = most if level is None else checks.integer("level", level, 1, most)
        alphas = [cascade_level.alpha for cascade_level in self.cascade_.levels[:level]]
        if alpha is not None:
            given = np.atleast_1d(checks.scores("alpha", alpha, (0, 1)))
            if len(given) not in (1, level):
                raise ArgumentError(
                    f"alpha must be one number or {level} of them, one a filter, got {alpha!r:.60}"
                )
            alphas = [checks.alpha("alpha", float(number)) for number in np.broadcast_to(given, level)]
        grown = self._grown()
        lengths, lattices = self._of_blocks(lambda some: grown.lattice(some, alphas), X, None)
        if not lattices:
            return Filtered(self._split(np.zeros((0, len(self.classes_)), bool), lengths), None)
        lattice = joined(lattices)
        return Filtered(self._split(states_left(lattice), lengths), lattice)

    def tune(self, X: Any, y: Any, tolerance: Any = None) -> Self:
        """Set every threshold anew, by another `tolerance` if given, on sequences not seen in training."""
        encoded, grown = self._encode(X), self._grown()
        flat = labels.flat_labels(y, encoded.lengths)
        truth = labels.numbers_of(flat, self.classes_, encoded.lengths)
        if not len(truth):
            raise ArgumentError("X must hold at least one token to tune on, got none")
        if tolerance is not None:
            self.tolerance = tolerance
        row_start = checks.starts(encoded.lengths)
        alphas: list[float] = []
        figures = []

        def points(some: Some) -> Points:
            return grown.points(
                some, truth[row_start[some.places[0]] : row_start[some.places[-1] + 1]], alphas
            )

        def kept(some: Some) -> int:
            lattice = grown.lattice(some, alphas)
            return int(states_left(lattice).sum()) if len(alphas) == 1 else lattice.n_arcs

        for t, share in enumerate(self._tolerances(len(self.cascade_.levels))):
            break_points = Points(*map(np.concatenate, zip(*self._of_blocks(points, X, None)[1])))
            is_there = ~break_points.is_lost
            values = (
                break_points.of_positions
                if self.tolerance_kind == "position"
                else break_points.of_examples[is_there]
            )
            alphas.append(filtering.largest_alpha(values, share))
            lost = float((break_points.is_lost | (break_points.of_examples <= alphas[-1])).mean())
            n_kept = sum(self._of_blocks(kept, X, None)[1])
            figures.append(LevelFigures(t + 1, alphas[-1], lost, n_kept / len(truth)))
        levels = [level._replace(alpha=alpha) for level, alpha in zip(self.cascade_.levels, [*alphas, 0.0])]
        self.cascade_, self.levels_ = self.cascade_._replace(levels=tuple(levels)), tuple(figures)
        return self

    def _grown(self) -> Grown:
        self._check_is_fitted()
        return Grown(self.cascade_, self._forbidden())

    def _of_blocks(
        self, function: Callable[[Some], Any], X: Any, allowed: Any
    ) -> tuple[np.ndarray, list[Any]]:
        """(lengths of all sequences, a function's values of a few at a time, which are not empty)."""
        encoded = self._encode(X)
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)
        places = np.flatnonzero(encoded.lengths)
        lengths = encoded.lengths[places]
        row_start = checks.starts(lengths)

        def of(first: int, last: int) -> Any:
            a, b = row_start[first], row_start[last]
            features = features_of(layouts.part(encoded.rows, a, b))
            part_mask = None if mask is None else mask[a:b]
            return function(Some(features, lengths[first:last], part_mask, places[first:last]))

        jobs = blocks_of(row_start, len(self.classes_)) if len(places) else []
        return encoded.lengths, in_threads(of, jobs, self.n_jobs)

    def levels_of(self, x: Sequence) -> list[OneLevel]:
        """Each level's n-grams on one sequence, with their scores."""
        grown, encoded = self._grown(), self._encode([x])
        some = Some(features_of(encoded.rows), encoded.lengths, None, np.zeros(1, np.int64))
        return levels_of(self.cascade_, some.features, lambda alphas: grown.lattice(some, alphas))

    def show(self, x: Sequence, words: Sequence[str] | None = None) -> object:
        """The cascade at work on one sequence in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self, x, words)

    def _learned(self) -> tuple[Any, ...]:
        return self.cascade_, tuple(self.levels_)

    def take_state(self, state: CascadeState) -> None:
        about = state.cascade, state.levels, len(self.classes_), self._n_names
        self.n_features_in_ = stored.check_cascade(*about)
        self.cascade_, self.levels_ = state.cascade, state.levels

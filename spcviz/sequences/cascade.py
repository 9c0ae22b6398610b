"""The structured prediction cascade as a scikit-learn estimator."""

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import Lattice, bigrams, decode, extend, log_marginals, score_arcs
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.ngrams.space import path_of, states_left
from spcviz.engine.thresholds import filtering
from spcviz.learning.cascade.config import Cascade, CascadeConfig
from spcviz.learning.cascade.decoding import decode_examples
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.letters_first import keep_by_bigrams
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.cascade import LevelFigures, train_chain_cascade
from spcviz.learning.chains.crf import examples_of
from spcviz.sequences import labels
from spcviz.sequences.base import Bar, SequenceTagger, Texts, restore_names, row_starts
from spcviz.sequences.encoding import Encoded
from spcviz.sequences.lattices import Filtered, features_of, state_shares
from spcviz.sequences.levels import OneLevel, TruthPoints, levels_of
from spcviz.sequences.workers import even_parts, in_threads, n_workers, spread


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
    `tolerance`, measured on sequences that the filter has not seen.

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
    min_count : int
        Named features that occur less often are left out.
    class_weight : dict, "balanced" or None
        Weights of labels in the pair model; a sequence counts with the mean over its tokens.
    random_state : int, numpy.random.Generator or None
    n_jobs : int or None
        Models of the held-out parts that are trained, and parts of X that are predicted, at a time, by
        threads (or where joblib's ``parallel_config`` says); -1: as many as there are processors. The result
        is the same.
    verbose : int
        1 shows progress on standard error.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        At most 1000 labels.
    cascade_ : spcviz.learning.cascade.config.Cascade
    levels_ : tuple of LevelFigures
        Of each filter, held out: order, alpha, share of sequences lost, what is left for each token.
    feature_names_in_ : ndarray, shape (F,)
        Where features are named.
    n_features_in_ : int

    References
    ----------
    Weiss and Taskar (2010), Structured prediction cascades; Weiss (2013), thesis, chapter 4.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]], [["a"], ["dog"]]]
    >>> tagger = CascadeTagger(hold_out=2, random_state=0).fit(X, [["DT", "NN"]] * 4)
    >>> tagger.predict([[["a"], ["dog"]]])
    [array(['DT', 'NN'], dtype='<U2')]
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
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Train every level.

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

        Returns
        -------
        self

        Raises
        ------
        spcviz.engine.errors.ArgumentError
            If X or y is not of that kind, with the item, or there are fewer sequences than `hold_out`.
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
        min_count = checks.integer("min_count", self.min_count, 1, 2**31 - 1)
        batch = self._read(X, y, sample_weight, goes_on=False, min_count=min_count)
        if len(self.classes_) > 1000:
            raise ArgumentError(f"y must hold at most 1000 labels for a cascade, got {len(self.classes_)}")
        lengths, is_used = batch.encoded.lengths, batch.encoded.lengths > 0
        if is_used.sum() < config.parts:
            raise ArgumentError(f"hold_out must be at most the {is_used.sum()} sequences, got {config.parts}")
        rows, n = batch.encoded.rows, len(self.classes_)
        kinship = None if groups is None else labels.groups_of(groups, len(lengths), config.parts)[is_used]
        data = examples_of(rows, lengths[is_used], batch.labels, n, weights=batch.weights[is_used])
        with Bar(type(self).__name__, None, self.verbose) as bar:
            found = train_chain_cascade(
                data,
                features_of(rows),
                np.random.default_rng(self.random_state),
                order=order,
                tolerances=tolerances,
                config=config,
                pair_model=self.pair_model,
                c2=checks.number("c2", self.c2, 0),
                groups=kinship,
                run=lambda function, jobs: spread(function, jobs, self.n_jobs),
                tick=bar.tick,
            )
        self.cascade_, self.levels_ = found
        return self

    def _tolerances(self, order: int) -> tuple[float, ...]:
        given = self.tolerance
        if not isinstance(given, Sequence | np.ndarray):
            return (checks.fraction("tolerance", given),) * (order - 1)
        if len(given) != order - 1:
            raise ArgumentError(
                f"tolerance must be one number or {order - 1} of them, one a filter, got {given!r:.60}"
            )
        return tuple(checks.fraction(f"tolerance[{i}]", own) for i, own in enumerate(given))

    def predict(self, X: Any, *, allowed: Any = None) -> list[np.ndarray]:
        """Labels of each token: what the last level finds best among what the filters leave.

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
        """
        encoded = self._encode(X)
        used = encoded.lengths[encoded.lengths > 0]
        if not len(used):
            return self._split(self.classes_[:0], encoded.lengths)
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)
        row_start = row_starts(used)

        def best(first: int, last: int) -> np.ndarray:
            a, b = row_start[first], row_start[last]
            features = features_of(layouts.part(encoded.rows, a, b))
            if mask is None:
                return decode_examples(self.cascade_, features, used[first:last]).labels
            return self._decoded(features, used[first:last], mask[a:b])

        parts = even_parts(used, n_workers(self.n_jobs))
        found = np.concatenate(in_threads(best, parts, self.n_jobs))
        return self._split(self.classes_[found], encoded.lengths)

    def predict_marginals(self, X: Any, *, allowed: Any = None) -> list[np.ndarray]:
        """Sum of exponentials of the last level's scores through each label, as shares of one.

        Parameters
        ----------
        X : list of sequences
        allowed : list, optional
            As in `predict`.

        Returns
        -------
        list of ndarray, each of shape (L, K)
            0 for labels that were pruned. Scores of a perceptron are no log-probabilities: a ranking.
        """
        encoded = self._encode(X)
        mask = None if allowed is None else labels.allowed_mask(allowed, encoded.lengths, self.classes_)
        lattice, scores = self._last(encoded, mask)
        shares = np.zeros((int(encoded.lengths.sum()), len(self.classes_)))
        if lattice is not None:
            _, logs = log_marginals(lattice, scores)
            shares = state_shares(lattice, np.exp(logs))
            shares /= shares.sum(axis=1, keepdims=True)
        return self._split(shares, encoded.lengths)

    def filter(
        self, X: Any, *, alpha: float | Sequence[float] | None = None, level: int | None = None
    ) -> Filtered:
        """What the filters leave of each sequence.

        Parameters
        ----------
        X : list of sequences
        alpha : float or sequence of float, optional
            Instead of the tuned thresholds, at most 1 (0: the mean; less keeps more): one for all filters or
            one for each.
        level : int, optional
            How many filters run, 1 .. `order` - 1; all by default.

        Returns
        -------
        Filtered
        """
        encoded = self._encode(X)
        most = len(self.cascade_.levels) - 1
        level = most if level is None else checks.integer("level", level, 1, most)
        alphas = [own.alpha for own in self.cascade_.levels[:level]]
        if alpha is not None:
            given = np.atleast_1d(checks.scores("alpha", alpha, (0, 1)))
            if len(given) not in (1, level):
                raise ArgumentError(
                    f"alpha must be one number or {level} of them, one a filter, got {alpha!r:.60}"
                )
            alphas = [checks.alpha("alpha", float(own)) for own in np.broadcast_to(given, level)]
        used = encoded.lengths[encoded.lengths > 0]
        if not len(used):
            return Filtered(self._split(np.zeros((0, len(self.classes_)), bool), encoded.lengths), None)
        lattice = self._lattice(features_of(encoded.rows), used, alphas, None)
        return Filtered(self._split(states_left(lattice), encoded.lengths), lattice)

    def tune(self, X: Any, y: Any, tolerance: Any = None) -> Self:
        """Set every threshold anew, on sequences that training has not seen.

        Parameters
        ----------
        X : list of sequences
        y : list of sequences of labels
        tolerance : float or tuple of float, optional
            Instead of the parameter; of sequences, or of tokens by `tolerance_kind`.

        Returns
        -------
        self
        """
        encoded = self._encode(X)
        flat = labels.flat_labels(y, encoded.lengths)
        truth = labels.numbers_of(flat, self.classes_, unseen=None, lengths=encoded.lengths)
        used = encoded.lengths[encoded.lengths > 0]
        if not len(used):
            raise ArgumentError("X must hold at least one token to tune on, got none")
        if tolerance is not None:
            self.tolerance = tolerance
        tolerances = self._tolerances(len(self.cascade_.levels))
        features, alphas, figures = features_of(encoded.rows), [], []
        for t, allowed in enumerate(tolerances):
            points, lost = self._points(features, used, truth, alphas)
            own = points.of_positions if self.tolerance_kind == "position" else points.of_examples[~lost]
            alphas.append(filtering.largest_alpha(own, allowed))
            lattice = self._lattice(features, used, alphas, None)
            share = float((lost | (points.of_examples <= alphas[-1])).mean())
            kept = states_left(lattice).sum() if t == 0 else lattice.n_arcs
            figures.append(LevelFigures(t + 1, alphas[-1], share, float(kept / max(len(truth), 1))))
        levels = [own._replace(alpha=alpha) for own, alpha in zip(self.cascade_.levels, [*alphas, 0.0])]
        self.cascade_, self.levels_ = self.cascade_._replace(levels=tuple(levels)), tuple(figures)
        return self

    def _points(
        self, features: Features, lengths: np.ndarray, truth: np.ndarray, alphas: Sequence[float]
    ) -> tuple[TruthPoints, np.ndarray]:
        """(alphas from which the next filter loses the truth, which examples have lost it before)."""
        level, row_start = self.cascade_.levels[len(alphas)], row_starts(lengths)
        unary = unary_scores(features, level.filter.weights)
        if not alphas:
            values = chain.max_marginals_batch(unary, lengths, level.filter.pairs.inner).unary
            points = filtering.break_points_batch(values.reshape(-1), row_start * values.shape[1])
            own = points.reshape(values.shape)[np.arange(len(truth)), truth]
            return TruthPoints(own, np.minimum.reduceat(own, row_start[:-1])), np.zeros(
                len(lengths), dtype=bool
            )
        lattice = self._lattice(features, lengths, alphas, None)
        arc_score = score_arcs(lattice, unary, level.filter.table)
        pruned = prune(lattice, arc_score, 0.0)
        path = path_of(lattice, truth)
        lost = ~np.logical_and.reduceat(path >= 0, lattice.col_start[:-1])
        every = filtering.break_points_batch(pruned.values, pruned.starts)
        own = np.where(path >= 0, every[path], -np.inf)
        _, event = truth_points(lattice, pruned, path, np.where(lost, -np.inf, 0.0))
        return TruthPoints(own[path >= 0], event), lost

    def _lattice(
        self, features: Features, lengths: np.ndarray, alphas: Sequence[float], mask: np.ndarray | None
    ) -> Lattice:
        """What so many filters leave, as a lattice of the next order."""
        levels, row_start = self.cascade_.levels, row_starts(lengths)
        first = levels[0].filter
        left = keep_by_bigrams(unary_scores(features, first.weights), row_start, first.pairs, alphas[0])
        if mask is not None:
            left &= mask
            is_empty = ~left.any(axis=1)
            left[is_empty] = mask[is_empty]
        lattice = bigrams(lengths, len(self.classes_), left)
        for level, alpha in zip(levels[1:], alphas[1:]):
            arc_score = score_arcs(lattice, unary_scores(features, level.filter.weights), level.filter.table)
            pruned = prune(lattice, arc_score, alpha, max_arcs=self.cascade_.max_arcs)
            lattice = extend(lattice, pruned.keep)
        return lattice

    def _decoded(self, features: Features, lengths: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        alphas = [own.alpha for own in self.cascade_.levels[:-1]]
        lattice = self._lattice(features, lengths, alphas, mask)
        model = self.cascade_.levels[-1].predictor
        return decode(lattice, score_arcs(lattice, unary_scores(features, model.weights), model.table)).labels

    def _last(self, encoded: Encoded, mask: np.ndarray | None) -> tuple[Lattice | None, np.ndarray]:
        """The last level's lattice and arc scores."""
        used = encoded.lengths[encoded.lengths > 0]
        if not len(used):
            return None, np.zeros(0)
        features, model = features_of(encoded.rows), self.cascade_.levels[-1].predictor
        lattice = self._lattice(features, used, [own.alpha for own in self.cascade_.levels[:-1]], mask)
        return lattice, score_arcs(lattice, unary_scores(features, model.weights), model.table)

    def levels_of(self, x: Sequence) -> list[OneLevel]:
        """Each level's n-grams on one sequence, with their scores."""
        encoded = self._encode([x])
        features, lengths = features_of(encoded.rows), encoded.lengths
        return levels_of(self.cascade_, features, lambda own: self._lattice(features, lengths, own, None))

    def show(self, x: Sequence, words: Sequence[str] | None = None) -> object:
        """The cascade at work on one sequence in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self, x, words)

    def to_state(self) -> CascadeState:
        """The fitted model as plain arrays and texts; `from_state` takes it back."""
        self._check_is_fitted()
        classes = json.dumps(self.classes_.tolist())
        return CascadeState(
            self._params_as_json(), classes, self._names_state(), self.cascade_, tuple(self.levels_)
        )

    @classmethod
    def from_state(cls, state: CascadeState) -> Self:
        """The fitted model that `to_state` took apart."""
        if not isinstance(state, CascadeState):
            raise ArgumentError(f"state must be a CascadeState, got {type(state).__name__}")
        tagger = cls._from_json(state.params)
        restore_names(tagger, state.classes, state.names, len(state.cascade.levels[0].filter.weights))
        tagger.cascade_, tagger.levels_ = state.cascade, state.levels
        return tagger

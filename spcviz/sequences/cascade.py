"""The structured prediction cascade as a scikit-learn estimator."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.lattice import log_marginals, states_left
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade import paths
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
    rule : {"mean_max", "mean_max_first", "margin", "probability"}
        How far below the best score a filter keeps: a share of the way to the mean of what it is given (the
        papers' rule), or to the mean before any filter; so much for every sequence; or what is more probable
        than so much. See `spcviz.engine.thresholds.rules`.
    guarantee : {None, "mean"} or float
        What is promised of sequences that nothing was learned or tuned on, if they are exchangeable with
        these: that the whole cascade loses the truth of at most a share `tolerance` of them, on average
        ("mean") or with a certainty such as 0.9. Then one of `hold_out` + 1 parts of the data is set aside in
        `fit` to choose the thresholds on, all together, and the promise costs some pruning. None: the share
        is that of the tuning data, filter by filter. See `spcviz.learning.cascade.paths`.
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
        rule: str = "mean_max",
        guarantee: Guarantee = None,
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
        self.rule = rule
        self.guarantee = guarantee
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
        rules.checked_rule(self.rule)
        if guarantees.checked(self.guarantee) is None:
            return self._fit(X, y, sample_weight, groups, generator(self.random_state))
        return self._fit_and_promise(X, y, sample_weight, groups)

    def _fit_and_promise(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Set a part aside, train on the rest, choose the thresholds on the part."""
        self._promised()
        X, y = checks.listed("X", X), checks.listed("y", y)
        if len(X) != len(y):
            raise ShapeError(f"y has {len(y)} sequences; X has {len(X)}")
        n_parts = checks.integer("hold_out", self.hold_out, 2, 1000) + 1
        rng = generator(self.random_state)
        kinship = np.arange(len(X)) if groups is None else labels.groups_of(groups, len(X), n_parts)
        n_kin = int(kinship.max(initial=-1)) + 1
        is_aside = (rng.permutation(n_kin) % n_parts == 0)[kinship]
        is_aside &= np.array([len(x) > 0 for x in X], dtype=bool)
        aside, rest = np.flatnonzero(is_aside), np.flatnonzero(~is_aside)
        guarantees.allowed(len(aside), self._promised(), self.guarantee)  # too few are told before training
        weight = None if sample_weight is None else np.asarray(sample_weight)[rest]
        kin = None if groups is None else np.unique(kinship[rest], return_inverse=True)[1]
        self._fit([X[i] for i in rest], [y[i] for i in rest], weight, kin, rng)
        return self.tune([X[i] for i in aside], [y[i] for i in aside])

    def _promised(self) -> float:
        """The tolerance that a guarantee is about: of the whole cascade."""
        if self.tolerance_kind != "example":
            raise ArgumentError("tolerance_kind must be example for a guarantee, which is about sequences")
        if isinstance(self.tolerance, Sequence | np.ndarray):
            raise ArgumentError(
                f"tolerance must be one number for a guarantee, which is about the whole cascade, got "
                f"{self.tolerance!r:.60}"
            )
        return checks.fraction("tolerance", self.tolerance)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, rng: np.random.Generator) -> Self:
        order = checks.integer("order", self.order, 2, 12)
        tolerances = self._tolerances(order)
        config = CascadeConfig(
            tolerance_kind=self.tolerance_kind,
            rule=self.rule,
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
                rng,
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
        self,
        X: Any,
        *,
        alpha: float | Sequence[float] | None = None,
        margin: float | Sequence[float] | None = None,
        level: int | None = None,
    ) -> Filtered:
        """What the filters leave of each sequence.

        `alpha` is taken instead of the tuned thresholds, at most 1 (0: the mean; less keeps more), or a
        probability if that is the rule; `margin`, at least 0, where that is the rule: one for all filters or
        one for each. `level` says how many filters run, 1 .. `order` - 1; all by default.
        """
        self._check_is_fitted()
        most = len(self.cascade_.levels) - 1
        level = most if level is None else checks.integer("level", level, 1, most)
        alphas = [cascade_level.alpha for cascade_level in self.cascade_.levels[:level]]
        name, other = ("margin", "alpha") if self.cascade_.rule == "margin" else ("alpha", "margin")
        number, wrong = (margin, alpha) if name == "margin" else (alpha, margin)
        if wrong is not None:
            raise ArgumentError(f"{other} must be None where the rule is {self.cascade_.rule}; give {name}")
        if number is not None:
            given = np.atleast_1d(checks.scores(name, number, (0, 1)))
            if len(given) not in (1, level):
                raise ArgumentError(
                    f"{name} must be one number or {level} of them, one a filter, got {number!r:.60}"
                )
            sign = -1.0 if name == "margin" else 1.0
            alphas = [
                rules.checked_setting(self.cascade_.rule, sign * float(one))
                for one in np.broadcast_to(given, level)
            ]
        grown = self._grown()
        lengths, lattices = self._of_blocks(lambda some: grown.lattice(some, alphas), X, None)
        if not lattices:
            return Filtered(self._split(np.zeros((0, len(self.classes_)), bool), lengths), None)
        lattice = joined(lattices)
        return Filtered(self._split(states_left(lattice), lengths), lattice)

    def tune(self, X: Any, y: Any, tolerance: Any = None, *, guarantee: Guarantee = None) -> Self:
        """Set every threshold anew on sequences not seen in training.

        Parameters
        ----------
        tolerance : float or tuple of float, optional
            Another one than the estimator's.
        guarantee : {None, "mean"} or float
            Another one than the estimator's. With a guarantee the thresholds are chosen together, along the
            path of those that the cascade has: so many times as far below the best, at all levels alike
            (`spcviz.learning.cascade.paths`), and the tolerance is that of the whole cascade. Without, filter
            by filter.

        Raises
        ------
        InfeasibleError
            If a guarantee takes more sequences than there are; the message says how many.
        """
        if guarantee is not None:
            self.guarantee = guarantees.checked(guarantee)
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

        def truth_of(some: Some) -> np.ndarray:
            return truth[row_start[some.places[0]] : row_start[some.places[-1] + 1]]

        def points(some: Some) -> Points:
            return grown.points(some, truth_of(some), alphas)

        def is_lost(some: Some) -> np.ndarray:
            return grown.lost(some, truth_of(some), alphas)

        def kept(some: Some) -> int:
            lattice = grown.lattice(some, alphas)
            return int(states_left(lattice).sum()) if len(alphas) == 1 else lattice.n_arcs

        if guarantees.checked(self.guarantee) is not None:
            chosen = self._chosen(X, encoded.lengths, lambda some, at: grown.lost(some, truth_of(some), at))
            for t in range(len(chosen)):
                alphas = list(chosen[: t + 1])
                lost = float(np.concatenate(self._of_blocks(is_lost, X, None)[1]).mean())
                n_kept = sum(self._of_blocks(kept, X, None)[1])
                figures.append(LevelFigures(t + 1, alphas[-1], lost, n_kept / len(truth)))
            return self._with_settings(alphas, figures)
        for t, share in enumerate(self._tolerances(len(self.cascade_.levels))):
            break_points = Points(*map(np.concatenate, zip(*self._of_blocks(points, X, None)[1])))
            is_there = ~break_points.is_lost
            values = (
                break_points.of_positions
                if self.tolerance_kind == "position"
                else break_points.of_examples[is_there]
            )
            alphas.append(rules.tuned(self.cascade_.rule, values, share))
            lost = float((break_points.is_lost | (break_points.of_examples <= alphas[-1])).mean())
            n_kept = sum(self._of_blocks(kept, X, None)[1])
            figures.append(LevelFigures(t + 1, alphas[-1], lost, n_kept / len(truth)))
        return self._with_settings(alphas, figures)

    def _chosen(
        self, X: Any, lengths: np.ndarray, lost: Callable[[Some, tuple[float, ...]], np.ndarray]
    ) -> tuple[float, ...]:
        """Settings along the path that keep the estimator's promise; see `paths.choose`."""
        places = np.flatnonzero(lengths)  # a sequence without tokens is never lost
        cascade = self.cascade_

        def lost_at(settings: tuple[float, ...], some: np.ndarray) -> np.ndarray:
            of_all = self._of_blocks(lambda block: lost(block, settings), X, None)[1]
            return np.concatenate(of_all)[some]

        begin = [level.alpha for level in cascade.levels[:-1]]
        n = len(places)
        return paths.choose(cascade.rule, begin, n, lost_at, self._promised(), self.guarantee).settings

    def _with_settings(self, alphas: list[float], figures: list[LevelFigures]) -> Self:
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

"""The structured prediction cascade as a scikit-learn estimator."""

import operator
import warnings
from typing import Any, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.learning.cascade.config import Cascade, CascadeConfig
from spcviz.learning.chains.cascade import LevelFigures, PairModel, train_chain_cascade, with_all_labels
from spcviz.learning.chains.crf import Weights, examples_of
from spcviz.learning.chains.crf_training import Which
from spcviz.learning.chains.longer import Worth, worth_of
from spcviz.learning.estimators import generator, rename_parameters, spread
from spcviz.sequences import encoding, labels, states, training
from spcviz.sequences.base import SequenceTagger
from spcviz.sequences.chain import ChainTagger
from spcviz.sequences.crf import ChainCRF
from spcviz.sequences.filtering import Tuned
from spcviz.sequences.input_types import Inputs, Targets
from spcviz.sequences.labels import Labellings, TagPaths
from spcviz.sequences.lattices import features_of
from spcviz.sequences.perceptron import StructuredPerceptron
from spcviz.sequences.states import Texts
from spcviz.sequences.training import Bar


class CascadeState(NamedTuple):
    """A fitted `CascadeTagger` as plain values."""

    params: str
    classes: str
    names: Texts | None
    cascade: Cascade
    levels: tuple[LevelFigures, ...]
    worth: Worth | None = None
    n_edges: int = 0


@rename_parameters(passes="max_iter", rate="learning_rate", hold_out="cv")
class CascadeTagger(Tuned):
    """Structured prediction cascade: coarse models prune labels, so that finer ones can use more context.

    A model on pairs of labels filters single labels, then pairs; n-grams grow from the survivors, up to
    `order`, and the last level predicts. Each threshold is the highest that loses no more sequences than
    `tolerance`, measured on sequences that the filter has not seen. Weiss and Taskar (2010), Structured
    prediction cascades; Weiss (2013), thesis, chapter 4.

    Parameters
    ----------
    order : int
        Length of the label n-grams that the last level scores; at least 2.
    tolerance : float or tuple of float
        Share of sequences (or tokens: see `tolerance_kind`) whose true labels a filter may lose; one for all
        filters, or one for each of the `order` - 1.
    tolerance_kind : {"example", "position"}
    rule : {"mean_max", "mean_max_first", "margin", "probability"}
        How far below the best score a filter keeps: down to a share of the way to the mean of its input
        space (the papers' rule), or to the mean before any filtering; down to one margin for all sequences;
        or all above one probability. See `spcviz.engine.thresholds.rules`.
    guarantee : {None, "mean"} or float
        The promise for sequences used neither in training nor in tuning, if they are exchangeable with
        these: the whole cascade loses the truth of at most a share `tolerance` of them, on average ("mean")
        or with a confidence such as 0.9. `fit` then sets aside one of `cv` + 1 parts of the data and chooses
        all thresholds on it jointly; the promise costs some pruning. None: the share is that of the tuning
        data, filter by filter. See `spcviz.learning.cascade.retuning`.
    pair_model : {"crf", "perceptron"}
        How the model on pairs of labels is trained; a CRF leaves fewer labels at the same tolerance, a
        perceptron trains faster.
    c2 : float
        Regulariser of the CRF; see `ChainCRF`.
    learning_rate : float
        Step size of the perceptrons on longer n-grams, which start from the pair model.
    max_iter : int
        Passes over the training data, at each level trained as a perceptron.
    cv : int
        Number of parts the training data is split into; each is filtered by models of the others.
    max_arcs : int
        Maximum number of n-grams of a sequence at any level.
    fall_back : bool
        Let `fit` check whether the last level pays, and if not, predict with the first level's model alone:
        on a part of the data that neither has seen, the last level must get more tokens right by over a
        standard error. A warning reports a fallback; `worth_` has the figures. The filters do not change.
    constraints : {"bio", "bioes", "bilou"}, callable or None
        As in `ChainCRF`: n-grams that break the rule occur at no level.
    class_weight : dict, "balanced" or None
        Weights of labels in the pair model: a token counts with the weight of its label.
    random_state : int, numpy.random.Generator or None
    n_jobs : int or None
        How many models of held-out parts are trained, and parts of X predicted, in parallel, by threads (or
        wherever joblib's ``parallel_config`` says); -1: one per processor. The result is the same.
    fit_intercept, min_count, verbose
        As in `ChainCRF`.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        At most 1000 labels.
    cascade_ : spcviz.learning.cascade.config.Cascade
    levels_ : tuple of LevelFigures
        Held-out figures of each filter: order, alpha, share of sequences lost, survivors per token.
    worth_ : Worth or None
        Token accuracy of the first model and of the last level on the part that was set aside, and the
        standard error of the difference; ``worth_.pays`` decides which of them predicts. None without
        `fall_back`.
    n_features_in_, feature_names_in_
        As in `ChainCRF`; with an intercept, every level has its weight rows behind those of features.

    Examples
    --------
    >>> X = [[["the"], ["dog"]], [["a"], ["cat"]], [["the"], ["cat"]], [["a"], ["dog"]]]
    >>> tagger = CascadeTagger(cv=2, random_state=0, fall_back=False).fit(X, [["DT", "NN"]] * 4)
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
        learning_rate: float = 4.0,
        max_iter: int = 10,
        cv: int = 3,
        max_arcs: int = 100_000,
        fall_back: bool = True,
        fit_intercept: bool | str = "auto",
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
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.cv = cv
        self.max_arcs = max_arcs
        self.fall_back = fall_back
        self.fit_intercept = fit_intercept
        self.min_count = min_count
        self.constraints = constraints
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Inputs, y: Targets, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Train every level.

        `ArgumentError` names the item that is wrong, or says that there are fewer sequences than `cv`.

        Parameters
        ----------
        X : list of sequences
            (L, F) arrays, sparse matrices, or lists of tokens, each a list of strings or a dict. Sparse or
            named features with values other than 0 and 1 are stored densely, so there may not be many.
        y : list of sequences of str or of int
            None where a label is unknown (partial labels), which excludes a guarantee: a `ChainCRF` trained
            on the other parts fills it in with the best labelling that agrees with the known labels, and it
            counts as true from then on, for thresholds too.
        sample_weight : array_like, shape (len(X),), optional
            Weights of the sequences in the pair model.
        groups : array_like, shape (len(X),), optional
            Sequences of one group (a document, a writer) fall into the same held-out part.
        """
        rules.checked_rule(self.rule)
        if guarantees.check_guarantee(self.guarantee) is None:
            return self._fit(X, y, sample_weight, groups, generator(self.random_state))
        return self._fit_and_promise(X, y, sample_weight, groups)

    def _fit_and_promise(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Set a part aside, train on the rest, choose the thresholds on that part."""
        self._promised_tolerance(self.tolerance)
        X = encoding.as_items(X)
        lengths = encoding.lengths_of(X)
        y = labels.rows_of(y, lengths, "tokens")
        labels.flat_labels(y, lengths)  # a promise is about the truth: no label may be missing
        n_parts = checks.integer("cv", self.cv, 2, 1000) + 1
        rng = generator(self.random_state)
        kinship = np.arange(len(X)) if groups is None else labels.groups_of(groups, len(X), n_parts)
        n_kin = int(kinship.max(initial=-1)) + 1
        is_aside = (rng.permutation(n_kin) % n_parts == 0)[kinship]
        is_aside &= lengths > 0
        aside, rest = np.flatnonzero(is_aside), np.flatnonzero(~is_aside)
        promised = self._promised_tolerance(self.tolerance)
        guarantees.n_allowed(len(aside), promised, self.guarantee)  # too few are refused before training
        weights = training.weights_of_sequences(sample_weight, len(X))
        weight = None if sample_weight is None else weights[rest]
        kin = None if groups is None else np.unique(kinship[rest], return_inverse=True)[1]
        self._fit([X[i] for i in rest], [y[i] for i in rest], weight, kin, rng)
        return self.tune([X[i] for i in aside], [y[i] for i in aside])

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, rng: np.random.Generator) -> Self:
        order = checks.integer("order", self.order, 2, 12)
        tolerances = self._tolerances(order, self.tolerance)
        config = CascadeConfig(
            tolerance_kind=self.tolerance_kind,
            rule=self.rule,
            predictor_rate=checks.strength("learning_rate", self.learning_rate),
            predictor_epochs=checks.integer("max_iter", self.max_iter, 1, 1_000_000),
            parts=checks.integer("cv", self.cv, 2, 1000),
            max_arcs=checks.integer("max_arcs", self.max_arcs, 1, 2**40),
        )
        batch = self._read(X, y, sample_weight, goes_on=False, may_miss=True, min_count=self.min_count)
        if len(self.classes_) > 1000:
            raise ArgumentError(f"y must hold at most 1000 labels for a cascade, got {len(self.classes_)}")
        forbidden = self._forbidden()
        training.check_steps(batch, forbidden, self.classes_, self.constraints)
        lengths, is_used = batch.encoded.lengths, batch.encoded.lengths > 0
        if is_used.sum() < config.parts:
            raise ArgumentError(f"cv must be at most the {is_used.sum()} sequences, got {config.parts}")
        kinship = None if groups is None else labels.groups_of(groups, len(lengths), config.parts)[is_used]
        data = examples_of(
            batch.encoded.rows,
            lengths[is_used],
            batch.labels,
            len(self.classes_),
            weights=batch.weights[is_used],
            position_weights=batch.token_weights,
        )
        del batch  # as large as `data`, which was made from it
        if (data.labels < 0).any():
            kin = np.arange(len(data.weights)) if kinship is None else kinship
            part = rng.permutation(np.arange(kin.max() + 1) % config.parts)[kin]
            which = Which(forbidden=forbidden, n_edges=self.n_edges_)
            c2 = checks.strength("c2", self.c2)
            data = data._replace(labels=with_all_labels(data, part, c2=c2, which=which))
        with Bar(type(self).__name__, None, self.verbose) as bar:
            trained = train_chain_cascade(
                data,
                features_of(data.rows),
                rng,
                tolerances=tolerances,
                config=config,
                pair_model=PairModel(
                    self.pair_model, checks.strength("c2", self.c2), forbidden, self.n_edges_
                ),
                groups=kinship,
                weighs=checks.switch("fall_back", self.fall_back),
                run=lambda function, jobs: spread(function, jobs, self.n_jobs),
                tick=bar.tick,
            )
        self.cascade_, self.levels_, self.worth_ = trained
        if self.has_fallen_back_ and trained.worth is not None:
            warnings.warn(_why_not(trained.worth), stacklevel=3)
        return self

    @property
    def has_fallen_back_(self) -> bool:
        """Whether the first level's model predicts alone: with `fall_back`, if the last does not pay."""
        self._check_is_fitted()
        return bool(self.fall_back) and self.worth_ is not None and not self.worth_.pays

    def first_tagger(self) -> ChainTagger:
        """The first level's model as a separate tagger, to which `predict` falls back."""
        self._check_is_fitted()
        known, kind = (
            self.__dict__.get("_first_of"),
            ChainCRF if self.pair_model == "crf" else StructuredPerceptron,
        )
        if known is None or known[0] is not self.cascade_:
            first = self.cascade_.levels[0].filter
            tagger = kind(min_count=self.min_count, class_weight=self.class_weight)
            tagger.classes_, tagger.vocabulary_ = self.classes_, self.vocabulary_
            tagger.n_features_in_, tagger.n_edges_ = self.n_features_in_, self.n_edges_
            tagger.fit_intercept = self.fit_intercept
            tagger.set_weights(Weights(first.weights.astype(np.float64), first.pairs.inner))
            self._first_of = known = self.cascade_, tagger
        return known[1].set_params(constraints=self.constraints, n_jobs=self.n_jobs)

    def predict(self, X: Inputs, *, allowed: Any = None) -> Labellings:
        if self.has_fallen_back_:
            return self.first_tagger().predict(X, allowed=allowed)
        return super().predict(X, allowed=allowed)

    def predict_marginals(self, X: Inputs, *, allowed: Any = None, as_dicts: bool = False) -> list[Any]:
        if self.has_fallen_back_:
            return self.first_tagger().predict_marginals(X, allowed=allowed, as_dicts=as_dicts)
        return super().predict_marginals(X, allowed=allowed, as_dicts=as_dicts)

    def predict_k_best(self, X: Inputs, k: int, *, allowed: Any = None) -> list[TagPaths]:
        if self.has_fallen_back_:
            return self.first_tagger().predict_k_best(X, k, allowed=allowed)
        return super().predict_k_best(X, k, allowed=allowed)

    def tune(self, X: Inputs, y: Targets, tolerance: Any = None, *, guarantee: Guarantee = None) -> Self:
        X = encoding.as_items(X)  # both are read twice
        y = labels.rows_of(y, encoding.lengths_of(X), "tokens")
        super().tune(X, y, tolerance, guarantee=guarantee)
        if self.worth_ is not None:  # with new filters the last level may predict differently
            self.worth_ = self._measure_worth(X, y)
        return self

    def _measure_worth(self, X: Any, y: Any) -> Worth:
        """Measure what the last level gains over the first model on some sequences."""
        last, first = super().predict(X), self.first_tagger().predict(X)
        right = [[sum(map(operator.eq, *both)) for both in zip(given, y)] for given in (first, last)]
        used = [i for i, labels in enumerate(last) if labels]
        lengths = np.array([len(last[i]) for i in used])
        by_first, by_last = (np.array([each[i] for i in used]) for each in right)
        return worth_of(len(self.cascade_.levels), by_first, by_last, lengths)

    tune.__doc__ = Tuned.tune.__doc__
    predict.__doc__ = SequenceTagger.predict.__doc__
    predict_marginals.__doc__ = SequenceTagger.predict_marginals.__doc__
    predict_k_best.__doc__ = SequenceTagger.predict_k_best.__doc__

    def _learned_fields(self) -> tuple[Any, ...]:
        return self.cascade_, tuple(self.levels_), self.worth_, self.n_edges_

    def take_state(self, state: CascadeState) -> None:
        self.n_edges_ = states.checked_edges(state.n_edges)
        about = state.cascade, state.levels, len(self.classes_), self._n_names, self.n_edges_
        self.n_features_in_ = states.check_cascade(*about)
        states.check_worth(state.worth, len(state.cascade.levels))
        self.cascade_, self.levels_, self.worth_ = state.cascade, state.levels, state.worth


def _why_not(worth: Worth) -> str:
    """The warning of a fit that falls back."""
    return (
        f"the cascade does not pay here: on {worth.n_examples} sequences set aside its last level (order "
        f"{worth.order}) has {100 * worth.last:.2f} % of the tokens right and its first model alone "
        f"{100 * worth.first:.2f} %, a gain of no more than its standard error, "
        f"{100 * worth.standard_error:.2f} points; predict answers as the first model, unless fall_back=False"
    )

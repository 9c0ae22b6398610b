"""A tagger that buys features position by position, as far as a budget reaches (thesis chapter 7)."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.budgets import expansion, part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.chains.seen import seen_grams, seen_in_other_parts
from spcviz.learning.budgets.chains.tiered import Tiered, tier_scores
from spcviz.learning.budgets.world import Course
from spcviz.learning.workers import spread
from spcviz.scores.names import named_array
from spcviz.spending import labelled
from spcviz.spending.answers import BudgetCurve, Purchase, Spent, curve_of
from spcviz.spending.labelled import Labelled
from spcviz.spending.lazy import spend_lazily
from spcviz.spending.policies import (
    Policy,
    checked_labels,
    checked_policy,
    fit_policy,
    margin_of,
    rule_of,
    world_of,
)
from spcviz.spending.read import Reader, StoredTiers, stored_tiers
from spcviz.spending.tiers import FeatureTiers, checked
from spcviz.spending.training import Training, trained


class BudgetedTaggerState(NamedTuple):
    """All of a fitted `BudgetedTagger`."""

    tiers: StoredTiers
    policy: str
    inference_tolerance: float
    passes: int
    folds: int
    random_state: int | None
    classes: tuple[str | int, ...]
    scales: np.ndarray
    model: Tiered
    seen: np.ndarray
    margin: float
    learned: Policy


class BudgetedTagger(BaseEstimator):
    """Predict labels of sequences with features that cost, bought where they are expected to pay.

    One linear chain model reads positions at whichever tier each stands; a policy decides what to buy next.
    The policy is learned from readings of the training sequences by models that have not seen them.

    Parameters
    ----------
    tiers : FeatureTiers
    policy : str
        One of `spcviz.spending.POLICIES`: ``dms_pi`` (values learned from whole trajectories), ``greedy``,
        ``one_shot``, ``anytime``, ``myopic``, ``imitation_parts``; to compare with: ``uniform``, ``random``.
    inference_tolerance : float
        q of quiescent inference, 0 to 1: messages that change less than this share are not passed on. 0 is
        exact.
    passes : int
        Of the averaged perceptron.
    folds : int
        Parts of the training sequences for readings by models that have not seen them.
    random_state : int, numpy.random.Generator or None
    n_jobs : int or None
        Models of folds that are trained, and budgets of a curve, at a time, by threads (or where joblib's
        ``parallel_config`` says: ``"dask"`` for a cluster); -1: as many as there are processors. The result
        is the same.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted.
    model_ : Tiered
    policy_ : Policy

    References
    ----------
    Weiss (2013), thesis, chapter 7 (DMS-pi, Algorithm 5); Bolukbasi et al. (2017) for ``one_shot`` and
    ``anytime``.
    """

    State: ClassVar[type] = BudgetedTaggerState

    def __init__(
        self,
        tiers: FeatureTiers,
        *,
        policy: str = "dms_pi",
        inference_tolerance: float = 0.0,
        passes: int = 8,
        folds: int = 5,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tiers = tiers
        self.policy = policy
        self.inference_tolerance = inference_tolerance
        self.passes = passes
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Sequence, y: Sequence) -> Self:
        """Train the model and the policy.

        Parameters
        ----------
        X : list of array_like (L_i, F), of scipy.sparse, or of anything that the tiers' functions take
        y : list of sequences of str or int
            A label for each position.

        Returns
        -------
        BudgetedTagger

        Raises
        ------
        ArgumentError, ShapeError, ScoreError
            If an item is ragged, has NaN, or is not as long as its labels: the message names it. If there are
            fewer than 3 sequences with positions, or fewer than 2 labels.
        """
        return self._take(*self._learned(X, y, (self.policy,))[0])

    def fit_each(self, X: Sequence, y: Sequence, policies: Sequence[str]) -> dict[str, Self]:
        """Train one tagger a policy on the same model and the same readings, to compare policies.

        Parameters
        ----------
        X, y : as in `fit`
        policies : sequence of str
            Of `spcviz.spending.POLICIES`.

        Returns
        -------
        dict of str to BudgetedTagger
            In the order of `policies`; this estimator itself stays as it is.
        """
        found = {}
        for key, learned in zip(policies, self._learned(X, y, tuple(policies))):
            found[key] = self._taught(self.get_params(deep=False) | {"policy": key}, learned)
        return found

    @classmethod
    def _taught(cls, params: dict[str, Any], learned: tuple) -> Self:
        """A fitted estimator of what was learned."""
        return cls._take(cls(**params), *learned)

    def _learned(self, X: Sequence, y: Sequence, policies: tuple[str, ...]) -> list[tuple]:
        """What `_take` takes, for each policy; the model is trained once."""
        tiers, keys = checked(self.tiers), [checked_policy(own) for own in policies]
        if "anytime" in keys and tiers.has_functions:
            raise ArgumentError(
                "policy must not be 'anytime' where features are computed when they are bought: it orders "
                "purchases by readings of all of them"
            )
        checks.fraction("inference_tolerance", self.inference_tolerance)
        passes = checks.integer("passes", self.passes, 1, 10_000)
        reader, features, data, classes = Reader.fitted(tiers, X, y)
        checked_labels(len(classes))
        rng = np.random.default_rng(self.random_state)
        fold = labelled.drawn_folds(len(data.lengths), self.folds, rng)

        how = Training(reader.edges, len(classes), passes, True)
        (model,), *without = trained(how, features, data, fold, rng, self.n_jobs)
        world = _crossed([own for (own,) in without], features, data, fold, len(classes))
        seen = seen_grams(data.labels, data.starts, len(classes))
        return [
            (reader, classes, model, seen, float(world.scale), fit_policy(key, world, tiers.costs, rng))
            for key in keys
        ]

    def _take(
        self, reader: Reader, classes: tuple, model: Tiered, seen: np.ndarray, margin: float, policy: Policy
    ) -> Self:
        self.reader_, self.classes_, self.model_ = reader, named_array(classes), model
        self.seen_, self.margin_, self.policy_ = seen, margin, policy
        return self

    def _world(self, X: Sequence, labels: np.ndarray | None = None) -> Parts:
        """Sequences to be read, with everything computed."""
        lengths = self.reader_.lengths(X)
        return self._read(self.reader_.features(X), lengths[lengths > 0], labels)

    def _read(self, features: np.ndarray, lengths: np.ndarray, labels: np.ndarray | None = None) -> Parts:
        starts = np.concatenate([[0], np.cumsum(lengths)])
        n = len(features)
        if labels is None:
            labels = np.full(n, -1)
        model = np.zeros(n, dtype=np.int64)
        scores = tier_scores(self.model_, features)
        pairwise = self.model_.pairwise[None]
        return world_of(scores, pairwise, model, labels, starts, self.seen_, self.margin_)

    def predict(self, X: Sequence, budget: float | None = None) -> list[np.ndarray]:
        """Labels of each sequence, with what `budget` buys.

        Parameters
        ----------
        X : as in `fit`
        budget : float, optional
            For all of X together, in the unit of the tiers' costs. None: everything is bought.

        Returns
        -------
        list of ndarray, (L_i,) each
        """
        return self.spend(X, budget).labels

    def spend(self, X: Sequence, budget: float | None = None) -> Spent:
        """`predict`, with the tiers that were reached and what it cost.

        A tier's function is called for what is bought, when it is bought, and for nothing else.
        """
        check_is_fitted(self)
        limit = np.inf if budget is None else expansion.checked_budget(budget)
        lengths = self.reader_.lengths(X)
        if self.reader_.tiers.has_functions:
            labels, tiers, cost = self._lazily(X, lengths, limit)
        else:
            world = self._world(X)
            course = self._course(world, limit)
            labels, tiers, cost = course.labels, course.tiers, float(course.cost.sum())
        stops = np.cumsum(lengths)[:-1]
        named = np.split(self.classes_[labels], stops) if len(lengths) else []
        return Spent(named, np.split(tiers, stops) if len(lengths) else [], cost)

    def _course(self, world: Parts, limit: float, *, keep_all: bool = False) -> Course:
        rule = rule_of(self.policy_, world, float(self.inference_tolerance))
        return part_policy.spend(world, rule, limit, self.reader_.tiers.costs, keep_all=keep_all)

    def _bought(self, world: Parts, budget: float) -> tuple[float, float, np.ndarray]:
        """(cost, share of wrong labels, share of positions at each tier) of what a budget buys."""
        course, n = self._course(world, budget), max(world.shape[0], 1)
        lifted = np.bincount(course.tiers, minlength=world.shape[1]) / n
        return float(course.cost.sum()), world.lost(course.labels) / n, lifted

    def _lazily(self, X: Sequence, lengths: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray, float]:
        reader, filled = self.reader_, np.flatnonzero(lengths)
        features = reader.free_features(X)
        world = self._read(features, lengths[filled])

        def compute(w: int, part: int, tier: int) -> np.ndarray:
            row = world.starts[w] + part
            reader.fill(features[row], int(filled[w]), X[filled[w]], tier, part)
            return tier_scores(self.model_, features[row : row + 1])[0, tier]

        rule = rule_of(self.policy_, world, float(self.inference_tolerance))
        return spend_lazily(world, rule, limit, reader.tiers.costs, compute)

    def cost_of_everything(self, X: Sequence) -> float:
        """What all features of all positions of X cost."""
        check_is_fitted(self)
        return float(self.reader_.lengths(X).sum() * self.reader_.tiers.costs.sum())

    def curve(self, X: Sequence, y: Sequence, budgets: Sequence[float]) -> BudgetCurve:
        """What each of some budgets buys on labelled sequences.

        Parameters
        ----------
        X, y : as in `fit`
            A label that training did not have counts as wrong.
        budgets : sequence of float
            Each for all of X together.

        Returns
        -------
        BudgetCurve
        """
        check_is_fitted(self)
        budgets = [expansion.checked_budget(own) for own in checks.listed("budgets", budgets)]
        truth = labelled.numbers_of(
            labelled.listed_labels(y, self.reader_.lengths(X)), self.classes_.tolist()
        )
        world = self._world(X, truth)
        rows = spread(self._bought, [(world, budget) for budget in budgets], self.n_jobs)
        return curve_of(budgets, rows, world.shape[1])

    def course(self, x: Any, budget: float | None = None) -> list[Purchase]:
        """Step by step what is bought for one sequence, and what is predicted after each purchase."""
        check_is_fitted(self)
        limit = np.inf if budget is None else expansion.checked_budget(budget)
        found, names = self._course(self._world([x]), limit, keep_all=True), self.reader_.tiers.names
        steps = zip(found.part, found.tier, found.value, found.cost, found.all_labels)
        return [
            Purchase(int(part), names[tier], float(value), float(cost), self.classes_[labels])
            for part, tier, value, cost, labels in steps
        ]

    def show(self, x: Any, words: Sequence[str] | None = None) -> object:
        """What each purchase for one sequence changes, in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self, x, words)

    def score(self, X: Sequence, y: Sequence, budget: float | None = None) -> float:
        """Share of positions whose label is right."""
        limit = np.inf if budget is None else budget
        return 1.0 - float(self.curve(X, y, [limit]).error[0])

    def to_state(self) -> BudgetedTaggerState:
        """All that `spcviz.io.save` stores.

        Raises
        ------
        ArgumentError
            If a tier is a function, which is code: keep that beside the model.
        """
        check_is_fitted(self)
        seed = self.random_state
        return BudgetedTaggerState(
            stored_tiers(self.reader_.tiers),
            self.policy,
            float(self.inference_tolerance),
            int(self.passes),
            int(self.folds),
            int(seed) if isinstance(seed, int | np.integer) else None,
            tuple(self.classes_.tolist()),
            self.reader_.scales,
            self.model_,
            self.seen_,
            self.margin_,
            self.policy_,
        )

    @classmethod
    def from_state(cls, state: BudgetedTaggerState) -> Self:
        """The estimator that `to_state` was called on."""
        own = cls(
            state.tiers.given(),
            policy=checked_policy(state.policy),
            inference_tolerance=state.inference_tolerance,
            passes=state.passes,
            folds=state.folds,
            random_state=state.random_state,
        )
        model, n = state.model, len(state.classes)
        own.reader_ = Reader(checked(own.tiers), state.tiers.widths, state.scales)
        edges = own.reader_.edges
        if model.weights.shape != (edges.sum(), n) or model.pairwise.shape != (n, n):
            raise ShapeError(f"weights has shape {model.weights.shape}; it needs {(int(edges.sum()), n)}")
        if model.edges.tolist() != edges.tolist():
            raise ArgumentError(f"edges must be {edges.tolist()}, got {model.edges.tolist()}")
        size = len(state.seen)
        if state.seen.ndim != 1 or size & (size - 1) or not size:
            raise ShapeError(f"seen has shape {state.seen.shape}; it needs a power of two")
        own.classes_, own.model_, own.policy_ = named_array(state.classes), model, state.learned
        own.seen_, own.margin_ = state.seen, float(state.margin)
        return own


def _crossed(models: list[Tiered], features: np.ndarray, data: Labelled, fold: np.ndarray, n: int) -> Parts:
    """The training sequences, each read by the model of the other folds."""
    scores, pairwise = [], []
    order = np.empty(len(features), dtype=np.int64)
    first = 0
    for p, model in enumerate(models):
        held = labelled.rows_of(fold == p, data.lengths)
        scores.append(tier_scores(model, features[held]))
        pairwise.append(model.pairwise)
        order[held] = np.arange(first, first + len(scores[-1]))
        first += len(scores[-1])
    rows, tables = np.concatenate(scores)[order], np.stack(pairwise)
    seen = seen_in_other_parts(data.labels, data.starts, fold, n)
    margin = margin_of(rows, tables, fold, data.lengths)
    model_of = np.repeat(fold, data.lengths).astype(np.int64)
    return world_of(rows, tables, model_of, data.labels, data.starts, seen, margin)

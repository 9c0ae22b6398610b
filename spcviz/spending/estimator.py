"""Base class of the budgeted estimators, and its results: predictions, purchases, budget curves."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import expansion
from spcviz.learning.budgets.chains.ngram_sets import seen_grams
from spcviz.learning.budgets.chains.tiered import Table, Tiered
from spcviz.learning.estimators import Versioned, generator
from spcviz.scores.names import named_array
from spcviz.spending import label_folds, state_checks
from spcviz.spending.label_folds import Labelled, TierTraining, train_folds
from spcviz.spending.policies import MOST_LABELS
from spcviz.spending.read import TierReader
from spcviz.spending.tiers import Compute, FeatureTiers, Tiers, check_tiers


class Spent(NamedTuple):
    """Predictions, the tiers reached and the cost.

    Attributes
    ----------
    labels : list of ndarray, (L_i,) each
    tiers : list of ndarray, (L_i,) int64 each
        Tier to which each position was lifted, 0 to T - 1.
    cost : float
    """

    labels: list[np.ndarray]
    tiers: list[np.ndarray]
    cost: float


class Purchase(NamedTuple):
    """One purchase for one sequence, as listed by `course`.

    Attributes
    ----------
    position : int
        -1: the whole sequence.
    tier : str
        Name of the tier that was bought.
    value : float
        Its value in the queue.
    cost : float
    labels : ndarray, shape (L,)
        Prediction after it.
    """

    position: int
    tier: str
    value: float
    cost: float
    labels: np.ndarray


class BudgetCurve(NamedTuple):
    """The results of several budgets.

    Attributes
    ----------
    budget, cost : ndarray, shape (B,)
        The available and the spent amount.
    error : ndarray, shape (B,)
        Share of positions whose label is wrong.
    lifted : ndarray, shape (B, T)
        Share of positions at each tier.
    """

    budget: np.ndarray
    cost: np.ndarray
    error: np.ndarray
    lifted: np.ndarray

    def show(self) -> object:
        """Show the curves in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self)


def curve_of(budgets: list[float], rows: list[tuple[float, float, np.ndarray]], n_tiers: int) -> BudgetCurve:
    """A curve from the (cost, error, lifted) of each budget."""
    return BudgetCurve(
        np.array(budgets, dtype=float),
        np.array([cost for cost, _, _ in rows], dtype=float),
        np.array([error for _, error, _ in rows], dtype=float),
        np.array([lifted for _, _, lifted in rows]).reshape(len(rows), n_tiers),
    )


class Fitted(NamedTuple):
    """Training sequences, with models of all of them and of all but each fold."""

    reader: TierReader
    classes: tuple[str | int, ...]
    features: Table
    data: Labelled
    fold: np.ndarray
    models: tuple[Tiered, ...]
    without: list[tuple[Tiered, ...]]
    seen: np.ndarray
    rng: np.random.Generator


class Budgeted(Versioned):
    """Base of the estimators that label sequences with the features that a budget buys."""

    tiers: FeatureTiers
    reader_: TierReader

    def _fit_models(self, tiers: Tiers, X: Sequence[Any], y: Sequence[Any], *, is_one: bool) -> Fitted:
        """Train one model of all tiers, or one for each."""
        passes = checks.integer("max_iter", self.max_iter, 1, 10_000)
        reader, features, data, classes = TierReader.fit_tiers(tiers, X, y)
        checks.integer("number of labels in y", len(classes), 2, MOST_LABELS)
        rng = generator(self.random_state)
        fold = label_folds.drawn_folds(len(data.lengths), self.cv, rng)
        how = TierTraining(reader.edges, len(classes), passes, is_one)
        models, *without = train_folds(how, features, data, fold, rng, self.n_jobs)
        seen = seen_grams(data.labels, data.starts, len(classes))
        return Fitted(reader, classes, features, data, fold, models, without, seen, rng)

    def predict(
        self, X: Sequence[Any], budget: float | None = None, *, rate: float | None = None
    ) -> list[np.ndarray]:
        """Labels (L_i,) of each sequence, with the features that `budget` buys.

        A budget is for all of X together, in the unit of the tiers' costs; alternatively, `rate` is the
        average budget per position. With neither, everything is bought.
        """
        return self.spend(X, budget, rate=rate).labels

    def spend(self, X: Sequence[Any], budget: float | None = None, *, rate: float | None = None) -> Spent:
        """`predict`, with the tiers that were reached and the cost."""
        raise NotImplementedError

    def _limit(self, X: Sequence[Any], budget: float | None, rate: float | None = None) -> float:
        """The budget for all of X; checks that the estimator is fitted."""
        check_is_fitted(self)
        if budget is not None and rate is not None:
            raise ArgumentError("budget, of all of X, and rate, of each position, must not be given both")
        if rate is not None:
            return checks.number("rate", rate, 0) * float(self.reader_.lengths(X).sum())
        return np.inf if budget is None else expansion.checked_budget(budget)

    def cost_of_everything(self, X: Sequence[Any]) -> float:
        """The cost of all features at all positions of X."""
        check_is_fitted(self)
        return float(self.reader_.lengths(X).sum() * self.reader_.tiers.costs.sum())

    def curve(self, X: Sequence[Any], y: Sequence[Any], budgets: Sequence[float]) -> BudgetCurve:
        """The result of each of some budgets, each for all of X, on labelled sequences.

        A label that training did not have counts as wrong.
        """
        check_is_fitted(self)
        if isinstance(budgets, str | bytes | dict):
            raise ArgumentError(f"budgets must be a list of numbers, got {budgets!r:.60}")
        budgets = [
            expansion.checked_budget(budget, f"budgets[{i}]")
            for i, budget in enumerate(checks.as_tuple("budgets", budgets))
        ]
        labels = label_folds.listed_labels(y, self.reader_.lengths(X))
        rows = self._points(X, label_folds.numbers_of(labels, self.classes_.tolist()), budgets)
        return curve_of(budgets, rows, len(self.reader_.widths))

    def _points(
        self, X: Sequence[Any], truth: np.ndarray, budgets: list[float]
    ) -> list[tuple[float, float, np.ndarray]]:
        """(cost, share of wrong labels, share of positions at each tier) for each budget."""
        raise NotImplementedError

    def score(
        self, X: Sequence[Any], y: Sequence[Any], budget: float | None = None, *, rate: float | None = None
    ) -> float:
        """Share of positions whose label is right."""
        return 1.0 - float(self.curve(X, y, [self._limit(X, budget, rate)]).error[0])

    def attach(self, tier: str, function: Compute) -> Self:
        """Give a tier its function again, or another one, after `spcviz.load`; it is not called yet.

        Parameters
        ----------
        tier : str
            Name of a tier that a function computes.
        function : callable
            As in `FeatureTiers`, with as many features as in training; this is checked when they are bought.

        Raises
        ------
        ArgumentError
            If there is no such tier, it has columns of X, or `function` cannot be called.
        """
        check_is_fitted(self)
        self.reader_ = self.reader_.attach(tier, function)
        names, columns = list(self.tiers.names), list(self.tiers.columns)
        columns[names.index(tier)] = function
        self.tiers = FeatureTiers(
            tuple(names), tuple(columns), tuple(self.tiers.costs), self.reader_.tiers.batch
        )
        return self

    def _state(self) -> dict[str, Any]:
        """The fields that both kinds of estimator store."""
        check_is_fitted(self)
        seed = self.random_state
        return {
            "tiers": self.reader_.to_stored(),
            "policy": self.policy,
            "passes": int(self.max_iter),
            "folds": int(self.cv),
            "random_state": int(seed) if isinstance(seed, int | np.integer) else None,
            "classes": tuple(self.classes_.tolist()),
            "scales": self.reader_.scales,
            "seen": self.seen_,
        }

    @classmethod
    def _from_state(cls, state: Any, **settings: Any) -> Self:
        """The estimator with the fields of `_state`, checked."""
        state_checks.check_common(state)
        about = {"policy": state.policy, "max_iter": state.passes, "cv": state.folds}
        estimator = cls(state.tiers.to_tiers(), random_state=state.random_state, **about, **settings)
        tiers, widths = check_tiers(estimator.tiers, is_stored=True), state.tiers.widths
        estimator.reader_ = TierReader(tiers, widths, state.scales, state.tiers.vocabularies())
        estimator.classes_, estimator.seen_ = named_array(state.classes), state.seen
        return estimator

r"""`EnvelopeTagger`: at each budget, the way of spending that was best on held-out sequences.

.. math:: e(r) = \min_{w,\, r' \le r} e_w(r')

A single model that reads each position at its current tier is ahead while little is spent; a separate model
per tier is ahead once most positions have been lifted. Neither wins everywhere, and some purchases make
predictions worse. So both are trained, all ways of spending are run on sequences set aside, and `predict`
uses the way that was best there, spending less where more does not help. The best fixed tier is chosen on all
sequences, read by models of the other folds: a few sequences set aside separate two tiers hardly better than
a coin toss. A way that beats it on those by no more than twice the standard error does not count as better,
because many ways at many rates are compared.

Legend: w a way of spending, r a rate: the average cost per position, in the unit of costs.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.estimators import generator, rename_parameters
from spcviz.sequences.labels import rows_of
from spcviz.spending import label_folds
from spcviz.spending.estimator import Budgeted, Spent
from spcviz.spending.selector import ModelSelector, ModelSelectorState
from spcviz.spending.tagger import BudgetedTagger, BudgetedTaggerState
from spcviz.spending.tiers import Compute, FeatureTiers, check_tiers, lengths_of

WAYS = ("positions", "sequences", "fixed")
"""By position with one model (`BudgetedTagger`); by sequence with a model per tier (`ModelSelector`, "dms");
all sequences in turn to the same tier, with its own model."""

STEPS = 4
"""Rates that are tried between one tier for all positions and the next."""


class Choice(NamedTuple):
    """The choice from a rate on, and shares of wrong labels on the sequences set aside."""

    rate: float
    way: str  # one of WAYS
    spend: float  # rate at which that way was best; at most `rate`
    error: float
    fixed: float  # error of the best fixed tier that this rate pays for
    standard_error: float  # of the difference between the two errors


class EnvelopeTaggerState(NamedTuple):
    """The state of a fitted `EnvelopeTagger`."""

    hold_out: int
    random_state: int | None
    positions: BudgetedTaggerState
    sequences: ModelSelectorState
    plan: tuple[Choice, ...]


@rename_parameters(passes="max_iter", folds="cv")
class EnvelopeTagger(Budgeted):
    """Label sequences with features that cost, by whichever way of spending was best held out.

    It trains a `BudgetedTagger` (``dms_pi``) and a `ModelSelector` (``dms``), and chooses one of them, or a
    fixed tier, for each rate: never knowingly worse than the best fixed tier of the same cost. On five draws
    of 300 tagged sentences from a corpus's training part, judged on 300 others, its error was at none of the
    rates tried above that tier's, nor above that of the tier's unmixed model (`spcviz.spending.mixing`), and
    0.3 to 1.3 points below the latter where everything is bought. Elsewhere chance may put it above.
    ``python -m spcviz bench envelope`` repeats such draws, also on chunks and handwritten words.

    Parameters
    ----------
    tiers : FeatureTiers
    hold_out : int
        One in `hold_out` sequences is set aside to choose the way; both models are then trained on all.
    max_iter, cv, random_state, n_jobs
        As in `BudgetedTagger`.

    Attributes
    ----------
    classes_ : ndarray
    plan_ : tuple of Choice
        By rising rate: the way used from this rate on, and its result on the sequences set aside.
    positions_, sequences_ : BudgetedTagger, ModelSelector
        Trained on all sequences.
    """

    State: ClassVar[type] = EnvelopeTaggerState

    def __init__(
        self,
        tiers: FeatureTiers,
        *,
        hold_out: int = 4,
        max_iter: int = 8,
        cv: int = 5,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tiers = tiers
        self.hold_out = hold_out
        self.max_iter = max_iter
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Choose the way on sequences set aside, then train on all; arguments as in `BudgetedTagger.fit`.

        At least 3 sequences with positions must remain when one in `hold_out` is set aside.
        """
        tiers, every = check_tiers(self.tiers), checks.integer("hold_out", self.hold_out, 2, 1000)
        lengths = lengths_of(X)
        y = rows_of(y, lengths, "positions")
        label_folds.listed_labels(y, lengths)
        rng, filled = generator(self.random_state), np.flatnonzero(lengths)
        if len(filled) < label_folds.LEAST + 1:
            raise ArgumentError(
                f"X must have at least {label_folds.LEAST + 1} sequences with positions, got {len(filled)}"
            )
        order = rng.permutation(filled)
        n_aside = min(max(len(order) // every, 1), len(order) - label_folds.LEAST)
        aside, rest = np.sort(order[:n_aside]), np.sort(order[n_aside:])
        seeds = rng.integers(2**31, size=4).tolist()
        parts = [[given[i] for i in rest] for given in (X, y)]
        trained = self._both(seeds[:2], *parts)
        positions, sequences = self._both(seeds[2:], X, y)
        by_tier = sequences.held_out_errors_.sum(axis=0)
        plan = plan_ways(trained, [X[i] for i in aside], [y[i] for i in aside], tiers.costs, by_tier)
        return _set_learned(self, plan, positions, sequences)

    def _both(
        self, seeds: list[int], X: Sequence[Any], y: Sequence[Any]
    ) -> tuple[BudgetedTagger, ModelSelector]:
        more: dict[str, Any] = {"max_iter": self.max_iter, "cv": self.cv, "n_jobs": self.n_jobs}
        first = BudgetedTagger(self.tiers, random_state=seeds[0], **more).fit(X, y)
        return first, ModelSelector(self.tiers, random_state=seeds[1], **more).fit(X, y)

    def choice(self, rate: float) -> Choice:
        """The choice at a rate, the average budget per position; inf: no limit."""
        check_is_fitted(self)
        if rate != np.inf:
            checks.number("rate", rate, 0)
        return self.plan_[int(np.searchsorted([one.rate for one in self.plan_], rate, side="right")) - 1]

    def spend(self, X: Sequence[Any], budget: float | None = None, *, rate: float | None = None) -> Spent:
        """`predict`, with the tiers that were reached and the cost, by the way that was best held out."""
        limit = self._limit(X, budget, rate)
        n = int(self.reader_.lengths(X).sum())
        chosen = self.choice(limit / n if n else 0.0)
        # If the highest rate tried is the best one, the rest of the budget is spent the same way.
        most = limit if chosen.spend == chosen.rate else _price_of(chosen.spend, n)
        return _way(chosen.way, self.positions_, self.sequences_).spend(X, min(limit, most))

    def attach(self, tier: str, function: Compute) -> Self:
        super().attach(tier, function)
        for each in (self.positions_, self.sequences_):
            each.attach(tier, function)
        return self

    attach.__doc__ = Budgeted.attach.__doc__

    def _points(
        self, X: Sequence[Any], truth: np.ndarray, budgets: list[float]
    ) -> list[tuple[float, float, np.ndarray]]:
        n, number = max(len(truth), 1), {label: k for k, label in enumerate(self.classes_.tolist())}
        points = []
        for budget in budgets:
            spent = self.spend(X, budget)
            read = [number[label] for labels in spent.labels for label in labels.tolist()]
            tiers = np.concatenate([np.zeros(0, np.int64), *spent.tiers])
            lifted = np.bincount(tiers, minlength=len(self.reader_.widths)) / n
            points.append((spent.cost, float((np.array(read, np.int64) != truth).sum() / n), lifted))
        return points

    def to_state(self) -> EnvelopeTaggerState:
        """The state that `spcviz.io.save` stores; without tiers' functions, which are code: see `attach`."""
        check_is_fitted(self)
        states, seed = (self.positions_.to_state(), self.sequences_.to_state()), self.random_state
        seed = int(seed) if isinstance(seed, int | np.integer) else None
        return EnvelopeTaggerState(int(self.hold_out), seed, *states, self.plan_)

    @classmethod
    def from_state(cls, state: EnvelopeTaggerState) -> Self:
        """The estimator that `to_state` was called on."""
        positions = BudgetedTagger.from_state(state.positions)
        sequences = ModelSelector.from_state(state.sequences)
        for name in ("names", "costs", "widths"):
            one, other = (
                np.asarray(getattr(each.tiers, name)) for each in (state.positions, state.sequences)
            )
            if not np.array_equal(one, other):
                raise ShapeError(f"sequences.tiers.{name} must be those of positions, got {other!r:.60}")
        if positions.reader_.vocabularies != sequences.reader_.vocabularies:
            raise ShapeError("sequences.tiers.features must be those of positions")
        if state.positions.tiers.keys != state.sequences.tiers.keys:
            raise ShapeError("sequences.tiers.keys must be those of positions")
        if state.positions.classes != state.sequences.classes:
            raise ShapeError("sequences.classes must be those of positions")
        _check_plan(state.plan)
        hold_out = checks.integer("hold_out", state.hold_out, 2, 1000)
        if state.random_state is not None:
            checks.integer("random_state", state.random_state, 0, 2**128)
        tagger = cls(
            positions.tiers,
            hold_out=hold_out,
            max_iter=positions.max_iter,
            cv=positions.cv,
            random_state=state.random_state,
        )
        return _set_learned(tagger, state.plan, positions, sequences)


def _set_learned(
    tagger: EnvelopeTagger, plan: Sequence[Any], positions: BudgetedTagger, sequences: ModelSelector
) -> EnvelopeTagger:
    tagger.plan_, tagger.positions_, tagger.sequences_ = plan, positions, sequences
    tagger.classes_, tagger.reader_ = positions.classes_, positions.reader_
    return tagger


def _way(way: str, positions: BudgetedTagger, sequences: ModelSelector) -> BudgetedTagger | ModelSelector:
    return positions if way == "positions" else sequences if way == "sequences" else sequences.as_fixed()


def _price_of(rate: float, n: int) -> float:
    """The budget of n positions at a rate, with slack for sums of costs that round above it."""
    return rate * n * (1 + 1e-12)


def rates_of(costs: np.ndarray) -> np.ndarray:
    """The rates tried, rising: each tier for all positions, and `STEPS` up to the next; costs (T - 1,).

    >>> rates_of(np.array([1.0, 4.0])).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 4.0, 5.0]
    """
    whole = np.concatenate([[0.0], np.cumsum(costs)])
    between = [np.linspace(a, b, STEPS, endpoint=False) for a, b in pairwise(whole)]
    return np.unique(np.concatenate([*between, whole[-1:]]))


def plan_ways(
    trained: tuple[BudgetedTagger, ModelSelector],
    X: Sequence[Any],
    y: Sequence[Any],
    costs: np.ndarray,
    by_tier: np.ndarray,
) -> tuple[Choice, ...]:
    """Choose a way of spending from each rate on, by the errors of each way on sequences it has not seen.

    by_tier : (T,) wrong labels over all training sequences at each fixed tier, by models of other folds.
    """
    lengths = np.array([len(labels) for labels in y])
    rates, n = rates_of(costs), int(lengths.sum())
    wrong = {}
    for way in WAYS:
        spender = _way(way, *trained)
        for r, rate in enumerate(rates.tolist()):
            answers = spender.spend(X, _price_of(rate, n)).labels
            wrong[way, r] = np.array([sum(a != b for a, b in zip(*both)) for both in zip(answers, y)])
    until = np.concatenate([[0.0], np.cumsum(costs)])
    # A tier followed by a free one is never the last one reached.
    tiers = np.flatnonzero(np.append(until[1:] > until[:-1], True))
    plan = []
    for r, rate in enumerate(rates.tolist()):
        paid = tiers[until[tiers] <= rate]
        fixed = "fixed", int(np.searchsorted(rates, until[paid[np.argmin(by_tier[paid])]]))
        best = min(
            (_least(wrong, way, np.arange(r + 1)) for way in WAYS), key=lambda at: int(wrong[at].sum())
        )
        less = wrong[fixed] - wrong[best]
        error = float(np.sqrt(spread_of(less, lengths)))
        if less.sum() / n <= 2 * error:  # twice: it is the best of many candidates
            best, less, error = fixed, less * 0, 0.0
        mean, other = (float(wrong[at].sum() / n) for at in (best, fixed))
        plan.append(Choice(rate, best[0], float(rates[best[1]]), mean, other, error))
    return tuple(plan)


def _least(wrong: dict[tuple[str, int], np.ndarray], way: str, at: np.ndarray) -> tuple[str, int]:
    """The lowest rate at which a way has the fewest wrong labels."""
    return way, int(at[np.argmin([wrong[way, int(r)].sum() for r in at])])


def spread_of(differences: np.ndarray, lengths: np.ndarray) -> float:
    """Variance, across sequences, of the sum of differences over the sum of lengths; inf for one sequence."""
    n, total = len(lengths), int(lengths.sum())
    if n < 2:
        return np.inf
    rest = differences - differences.sum() / total * lengths
    return float(np.square(rest).sum() * n / (n - 1) / total**2)


def _check_plan(plan: Any) -> None:
    """Refuse a plan that training cannot produce."""
    if not isinstance(plan, tuple) or not plan or not all(isinstance(one, Choice) for one in plan):
        raise ArgumentError(f"plan must be Choices, at least one, got {plan!r:.60}")
    for i, one in enumerate(plan):
        checks.number(f"plan[{i}].rate", one.rate, 0)
        checks.number(f"plan[{i}].spend", one.spend, 0)
        if one.way not in WAYS:
            raise ArgumentError(f"plan[{i}].way must be one of {', '.join(WAYS)}, got {one.way!r:.60}")
        for name in ("error", "fixed"):
            checks.fraction(f"plan[{i}].{name}", getattr(one, name))
        if not one.standard_error >= 0:
            raise ArgumentError(
                f"plan[{i}].standard_error must be at least 0, got {one.standard_error!r:.60}"
            )
        if one.spend > one.rate:
            raise ArgumentError(f"plan[{i}].spend must be at most its rate, {one.rate}, got {one.spend}")
    rates = [one.rate for one in plan]
    if rates[0] != 0 or rates != sorted(set(rates)):
        raise ArgumentError(f"plan must have rates that rise from 0, got {rates!r:.60}")

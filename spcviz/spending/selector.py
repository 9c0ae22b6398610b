"""`ModelSelector`, DMS as an estimator (thesis chapter 6): it lifts whole sequences to larger models."""

import copy
import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.learning.budgets import batch_selection, expansion, part_policy
from spcviz.learning.budgets import selector as dms
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.budgets.chains.meta import chain_meta
from spcviz.learning.budgets.chains.ngram_sets import seen_in_other_parts
from spcviz.learning.budgets.chains.tiered import Table, Tiered, tier_scores
from spcviz.learning.budgets.selector import Selector
from spcviz.learning.estimators import is_alone, rename_parameters, spread
from spcviz.scores.names import named_array
from spcviz.sequences import states
from spcviz.spending import label_folds, state_checks
from spcviz.spending.estimator import Budgeted, Fitted, Purchase, Spent
from spcviz.spending.features import beside
from spcviz.spending.lazy import Offer, spend_in_turns
from spcviz.spending.mixing import mix_models
from spcviz.spending.read import StoredTiers
from spcviz.spending.tiers import FeatureTiers, check_tiers

SELECTORS = ("dms", "dms_by_value", "dms_per_cost", "fixed", "uniform")
"""Policies of a `ModelSelector`. ``dms``: the queue, by value or by value per cost, that wastes less on
training sequences; ``fixed``: all sequences to the next model in turn; ``uniform``: at random."""


class ModelSelectorState(NamedTuple):
    """The state of a fitted `ModelSelector`."""

    tiers: StoredTiers
    policy: str
    passes: int
    folds: int
    random_state: int | None
    classes: tuple[str | int, ...]
    scales: np.ndarray
    models: tuple[Tiered, ...]
    seen: np.ndarray
    selector: Selector
    per_cost: bool
    seed: int


@rename_parameters(passes="max_iter", folds="cv")
class ModelSelector(Budgeted):
    """Label each sequence with one of several models, a more expensive one where it is expected to help.

    Model t is a linear chain on the features of tiers 0 to t, mixed with model t - 1 by the share that is
    best on sequences that neither has seen (`spcviz.spending.mixing`). Whole sequences are lifted from model
    to model; a selector predicts from the results so far how many labels the next model would correct.

    Parameters
    ----------
    tiers : FeatureTiers
        Costs are per position; a purchase for a sequence costs the sum over its positions.
    policy : {"dms", "dms_by_value", "dms_per_cost", "fixed", "uniform"}
        See `SELECTORS`.
    max_iter, cv, random_state, n_jobs
        As in `spcviz.spending.BudgetedTagger`.

    Attributes
    ----------
    classes_ : ndarray
    models_ : tuple of Tiered
    selector_ : Selector
    held_out_errors_ : ndarray, shape (S, T)
        Wrong labels of each training sequence that has positions, under each tier's model trained on the
        other folds. Not stored by `spcviz.io.save`.

    References
    ----------
    Weiss (2013), thesis, chapter 6 and Algorithm 3.
    """

    State: ClassVar[type] = ModelSelectorState

    def __init__(
        self,
        tiers: FeatureTiers,
        *,
        policy: str = "dms",
        max_iter: int = 8,
        cv: int = 5,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tiers = tiers
        self.policy = policy
        self.max_iter = max_iter
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Train a model for each tier, and the selector; arguments and errors as in `BudgetedTagger.fit`."""
        tiers = check_tiers(self.tiers)
        _check_policy(self.policy)
        fitted = mix_models(self._fit_models(tiers, X, y, is_one=False))
        looked = _read_across_folds(fitted)
        self.held_out_errors_ = looked.losses
        costs = fitted.data.lengths[:, None] * tiers.costs
        self.selector_, self.per_cost_ = _selector(self.policy, looked, costs, fitted.rng)
        self.reader_, self.classes_, self.models_ = fitted.reader, named_array(fitted.classes), fitted.models
        self.seen_, self.seed_ = fitted.seen, int(fitted.rng.integers(2**32))
        return self

    def spend(self, X: Sequence[Any], budget: float | None = None, *, rate: float | None = None) -> Spent:
        """`predict`, with the tiers that were reached and the cost.

        A tier's function is called only for the sequences that are lifted to it, when they are lifted.
        """
        limit, reading = self._limit(X, budget, rate), _Reading(self, X)
        bought = reading.spend(limit)
        labels, lengths = reading.labels, reading.lengths
        tiers = [np.full(length, tier) for length, tier in zip(lengths, reading.tiers)]
        return Spent([self.classes_[row] for row in labels], tiers, float(sum(step[3] for step in bought)))

    def as_fixed(self) -> "ModelSelector":
        """The same models, lifting all sequences in turn: one tier for all, as far as the budget allows."""
        fixed = copy.copy(self)
        fixed.policy = "fixed"
        return fixed

    def _points(
        self, X: Sequence[Any], truth: np.ndarray, budgets: list[float]
    ) -> list[tuple[float, float, np.ndarray]]:
        runs = [budgets] if is_alone(self.n_jobs) else [[budget] for budget in budgets]
        points = spread(_spend_budgets, [(self, X, truth, run) for run in runs], self.n_jobs)
        return list(itertools.chain.from_iterable(points))

    def course(self, x: Any, budget: float | None = None) -> list[Purchase]:
        """The models to which one sequence is lifted, step by step, with the prediction after each step."""
        limit, reading, names = self._limit([x], budget), _Reading(self, [x]), self.reader_.tiers.names
        return [
            Purchase(-1, names[tier], value, cost, self.classes_[labels])
            for _, tier, value, cost, labels in reading.spend(limit)
        ]

    def to_state(self) -> ModelSelectorState:
        """The state that `spcviz.io.save` stores; without tiers' functions, which are code: see `attach`."""
        state = self._state() | {"models": self.models_, "selector": self.selector_}
        return ModelSelectorState(**state, per_cost=self.per_cost_, seed=self.seed_)

    @classmethod
    def from_state(cls, state: ModelSelectorState) -> Self:
        """The estimator that `to_state` was called on."""
        selector, n = cls._from_state(state), len(state.classes)
        _check_policy(selector.policy)
        if len(state.models) != len(selector.reader_.widths):
            raise ShapeError(
                f"models has {len(state.models)} tiers; tiers has {len(selector.reader_.widths)}"
            )
        for t, (model, edge) in enumerate(zip(state.models, selector.reader_.edges)):
            state_checks.check_tiered(f"models[{t}]", model, np.array([edge]), n)
        state_checks.check_selector(state.selector, len(selector.reader_.widths))
        states.check_flag("per_cost", state.per_cost)
        checks.integer("seed", state.seed, 0, 2**32 - 1)
        selector.models_, selector.selector_ = state.models, state.selector
        selector.per_cost_, selector.seed_ = state.per_cost, state.seed
        return selector


def _check_policy(policy: str) -> None:
    checks.one_of("policy", policy, SELECTORS)


class _Reading:
    """Sequences being lifted from model to model: the reading of each, and the value of its next model.

    Algorithm 3 as in `spcviz.learning.budgets.expansion.expand`, except that a value is computed only once
    the previous model has been paid for.
    """

    def __init__(self, selector: ModelSelector, X: Sequence[Any]) -> None:
        self.own, self.X = selector, X
        self.lengths = selector.reader_.lengths(X)
        self.filled = np.flatnonzero(self.lengths)
        self.costs = selector.reader_.tiers.costs
        n_more = len(self.costs)
        drawn = np.random.default_rng(selector.seed_).random((len(X), n_more))
        self.random = drawn - np.arange(n_more)  # models in order, one after another
        self.free = selector.reader_.free(X)
        self.known: dict[tuple[int, int], Table] = {}
        self.first = np.concatenate([[0], np.cumsum(self.lengths)])
        self.read: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}
        self.restart()
        if len(self.filled):  # read everything with the free model at once
            lengths = self.lengths[self.filled]
            labels, meta = _read_by(selector.models_[0], self.free, lengths, selector.seen_)
            split = np.split(labels, np.cumsum(lengths)[:-1])
            self.read = {(int(i), 0): (read, row) for i, read, row in zip(self.filled, split, meta)}

    def restart(self) -> None:
        """Return all sequences to the free model."""
        self.tiers = np.zeros(len(self.X), dtype=np.int64)

    @property
    def labels(self) -> list[np.ndarray]:
        """States of each sequence, as predicted by the model that it was lifted to."""
        none = np.zeros(0, dtype=np.int64)
        return [self.read[i, t][0] if self.lengths[i] else none for i, t in enumerate(self.tiers.tolist())]

    def spend(self, budget: float) -> list[tuple[int, int, float, float, np.ndarray]]:
        """(sequence, tier, value, cost, labels after it) of each purchase, in order."""
        lines = [_Line(self, int(i)) for i in self.filled]
        is_together = self.own.reader_.tiers.batch
        order, _ = spend_in_turns(
            lines, budget, lambda some: self.lift([lines[w] for w in some]), is_together=is_together
        )
        out, n_bought = [], [0] * len(lines)
        for w in order:
            value, cost = lines[w].bought[n_bought[w]]
            n_bought[w] += 1
            i, tier = lines[w].number, n_bought[w]
            out.append((i, tier, value, cost, self.read[i, tier][0]))
        return out

    def lift(self, lines: list["_Line"]) -> None:
        """Compute the features of some sequences' next models, and read each sequence with its model."""
        selector = self.own
        for line in lines:
            if line.offer is not None:  # a line that is lifted has one
                line.bought.append(line.offer)
        self.tiers[[line.number for line in lines]] += 1
        fresh = [(line.number, tier) for line in lines if (line.number, tier := line.tier) not in self.read]
        for tier in sorted({tier for _, tier in fresh}):
            numbers = [i for i, t in fresh if t == tier]
            got = selector.reader_.buy(self.X, [(i, None) for i in numbers], tier)
            stops = np.cumsum(self.lengths[numbers])
            for i, stop in zip(numbers, stops.tolist()):
                self.known[i, tier] = got[stop - self.lengths[i] : stop]
                free = self.free[self.first[i] : self.first[i + 1]]
                features = beside([free, *(self.known[i, t] for t in range(1, tier + 1))])
                labels, meta = _read_by(
                    selector.models_[tier], features, self.lengths[i : i + 1], selector.seen_
                )
                self.read[i, tier] = labels, meta[0]
        for line in lines:
            line.look()

    def value(self, i: int) -> float:
        """The value of a sequence's next model, by which it is queued."""
        tier, policy = int(self.tiers[i]), self.own.policy
        if policy == "uniform":
            return float(self.random[i, tier])
        if policy == "fixed":
            return -float(tier)
        meta = self.read[i, tier][1]
        before = meta - self.read[i, tier - 1][1] if tier else np.zeros_like(meta)
        whole = np.zeros((1, len(self.costs), 2 * len(meta)))
        whole[0, tier] = np.concatenate([meta, before])
        value = float(dms.predict_values(self.own.selector_, whole)[0, tier] * self.lengths[i])
        if not self.own.per_cost_:
            return value
        cost = np.array([[self.lengths[i] * self.costs[tier]]])
        return float(batch_selection.per_cost(np.array([[value]]), cost)[0, 0])


class _Line:
    """A sequence in the queue of a reading."""

    def __init__(self, reading: _Reading, number: int) -> None:
        self.reading, self.number = reading, number
        self.costs = reading.lengths[number] * reading.costs
        self.bought: list[Offer] = []
        self.offer: Offer | None = None
        self.look()

    @property
    def tier(self) -> int:
        return int(self.reading.tiers[self.number])

    @property
    def rest(self) -> float:
        """Cost of everything that it could still buy."""
        return float(self.costs[self.tier :].sum())

    def look(self) -> None:
        """Update the offer: its next purchase, if any."""
        is_open = self.tier < len(self.costs)
        self.offer = (self.reading.value(self.number), float(self.costs[self.tier])) if is_open else None

    def drop(self) -> None:
        """Drop the offer and all later ones: a model cannot be skipped."""
        self.offer = None


def _spend_budgets(
    selector: ModelSelector, X: Sequence[Any], truth: np.ndarray, budgets: list[float]
) -> list[tuple[float, float, np.ndarray]]:
    """(cost, share of wrong labels, share of positions at each tier) for each budget."""
    reading, n, rows = _Reading(selector, X), max(len(truth), 1), []
    for budget in budgets:
        reading.restart()
        cost = float(sum(step[3] for step in reading.spend(budget)))
        read = np.concatenate([np.zeros(0, dtype=np.int64), *reading.labels])
        counts = np.bincount(reading.tiers, weights=reading.lengths, minlength=len(selector.models_))
        rows.append((cost, float((read != truth).sum() / n), counts / n))
    return rows


def _read_across_folds(fitted: Fitted) -> Looked:
    """Read each training sequence with models of the other folds."""
    data, fold = fitted.data, fitted.fold
    seen = seen_in_other_parts(data.labels, data.starts, fold, len(fitted.classes))
    metas, losses, labels = [], [], []
    order = np.argsort(fold, kind="stable")  # sequences fold by fold, in reading order
    for p, models in enumerate(fitted.without):
        held, fold_data = np.repeat(fold == p, data.lengths), label_folds.some(data, fold == p)
        looks = [_read_by(model, fitted.features[held], fold_data.lengths, seen) for model in models]
        wrong = np.array([read != fold_data.labels for read, _ in looks])
        losses.append(np.add.reduceat(wrong, fold_data.starts[:-1], axis=1, dtype=np.int64).T)
        metas.append(np.stack([meta for _, meta in looks], axis=1))
        labels.append(np.array([read for read, _ in looks]))
    back = np.argsort(order)
    rows = np.argsort(np.argsort(np.repeat(fold, data.lengths), kind="stable"))
    meta = np.concatenate(metas)[back]
    read = np.concatenate(labels, axis=1)[:, rows]
    return Looked(dms.with_differences(meta[:, :-1]), np.concatenate(losses)[back], read, sizes=data.lengths)


def _read_by(
    model: Tiered, features: Table, lengths: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(labels, meta-features) of sequences under a model of one tier."""
    return _look(tier_scores(model, features[:, : model.edges[0]])[:, 0], lengths, model.pairwise, seen)


def _look(
    unary: np.ndarray, lengths: np.ndarray, pairwise: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(labels, meta-features) of sequences, given their scores."""
    unary = np.ascontiguousarray(unary, dtype=np.float64)
    labels, meta = chain_meta(unary, lengths, pairwise, seen)
    return labels, np.concatenate([meta, meta[:, state_checks.N_GRAMS :] > 0], axis=1)


def _selector(
    policy: str, looked: Looked, costs: np.ndarray, rng: np.random.Generator
) -> tuple[Selector, bool]:
    """(selector, whether its queue is ordered by value per cost)."""
    sizes = np.asarray(looked.sizes)[:, None]
    values, folds = batch_selection.values_of(looked.losses) / sizes, batch_selection.draw_folds(looked, rng)
    fitted = dms.fit_selector(looked.meta, values, folds)
    if policy != "dms":
        return fitted, policy == "dms_per_cost"
    crossed = dms.cross_values(looked.meta, values, folds, fitted.penalty) * sizes
    bad = []
    for queue in (crossed, batch_selection.per_cost(crossed, costs)):
        curve = expansion.curve_of(expansion.expand(queue, costs), looked.losses)
        share = curve._replace(cost=curve.cost / max(costs.sum(), 1e-12))
        bad.append(part_policy.badness(share))
    return fitted, bad[1] < bad[0]

"""`BudgetedTagger`, DMS-pi as an estimator (thesis chapter 7): it buys features position by position."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.ngram_sets import seen_in_other_parts
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.chains.tiered import Table, Tiered, tier_scores
from spcviz.learning.budgets.world import Trajectory
from spcviz.learning.estimators import rename_parameters, spread
from spcviz.scores.names import named_array
from spcviz.spending import state_checks
from spcviz.spending.estimator import Budgeted, Fitted, Purchase, Spent
from spcviz.spending.features import below
from spcviz.spending.lazy import spend_lazily
from spcviz.spending.policies import (
    Policy,
    checked_policy,
    fit_policy,
    margin_of,
    rule_of,
    world_of,
)
from spcviz.spending.read import StoredTiers, TierReader
from spcviz.spending.tiers import FeatureTiers, check_tiers


class BudgetedTaggerState(NamedTuple):
    """The state of a fitted `BudgetedTagger`."""

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


@rename_parameters(passes="max_iter", folds="cv")
class BudgetedTagger(Budgeted):
    """Label sequences with features that cost, bought where they are expected to pay off.

    One linear chain model reads each position at its current tier; a policy decides what to buy next. The
    policy is learned from predictions on the training sequences by models that have not seen them.

    Parameters
    ----------
    tiers : FeatureTiers
    policy : str
        One of `spcviz.spending.POLICIES`: ``dms_pi`` (values learned from whole trajectories;
        ``dms_pi_by_value`` and ``dms_pi_per_cost`` fix the order of its queue), ``greedy``, ``one_shot``,
        ``anytime``, ``imitation_parts``; as baselines: ``uniform``, ``random`` and ``myopic``,
        which buys where the best label leads by the smallest margin, learns nothing about the effect of a
        purchase, and so is often worse than ``uniform``.
    inference_tolerance : float
        q of quiescent inference, 0 to 1: messages that change less than this share are not passed on. 0 is
        exact.
    max_iter : int
        Passes of the averaged perceptron.
    cv : int
        Number of folds for predictions by models that have not seen the sequences.
    random_state : int, numpy.random.Generator or None
    n_jobs : int or None
        How many models of folds are trained, and budgets of a curve evaluated, in parallel, by threads (or
        wherever joblib's ``parallel_config`` says: ``"dask"`` for a cluster); -1: one per processor. The
        result is the same.

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
        max_iter: int = 8,
        cv: int = 5,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tiers = tiers
        self.policy = policy
        self.inference_tolerance = inference_tolerance
        self.max_iter = max_iter
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> Self:
        """Train the model and the policy.

        Parameters
        ----------
        X : list of array_like (L_i, F), of scipy.sparse, of lists of tokens (dicts or lists of texts)
            Or of anything that the tiers' functions accept; see `FeatureTiers.columns`.
        y : list of sequences of str or int
            A label for each position.

        Returns
        -------
        BudgetedTagger

        Raises
        ------
        ArgumentError, ShapeError, ScoreError
            If an item is ragged, has NaN, or differs in length from its labels: the message names it. Also if
            there are fewer than 3 sequences with positions, or fewer than 2 labels.
        """
        return self.take(*self._learn_policies(X, y, (self.policy,))[0])

    def fit_each(self, X: Sequence[Any], y: Sequence[Any], policies: Sequence[str]) -> dict[str, Self]:
        """Train one tagger per policy on the same model and the same predictions, to compare policies.

        They are returned in the order of `policies`, which are names from `spcviz.spending.POLICIES`; this
        estimator itself does not change.
        """
        taggers = {}
        for key, learned in zip(policies, self._learn_policies(X, y, policies)):
            params = self.get_params(deep=False) | {"policy": key}
            taggers[key] = type(self)(**params).take(*learned)
        return taggers

    def _learn_policies(
        self, X: Sequence[Any], y: Sequence[Any], policies: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """The arguments of `take` for each policy; the model is trained once."""
        tiers, keys = check_tiers(self.tiers), [checked_policy(key) for key in policies]
        if "anytime" in keys and tiers.has_functions:
            raise ArgumentError(
                "policy must not be 'anytime' where features are computed when they are bought: it orders "
                "purchases by readings of all of them"
            )
        checks.fraction("inference_tolerance", self.inference_tolerance)
        fitted = self._fit_models(tiers, X, y, is_one=True)
        world = _read_across_folds(fitted)
        learned = [fit_policy(key, world, tiers.costs, fitted.rng) for key in keys]
        common = fitted.reader, fitted.classes, fitted.models[0], fitted.seen, float(world.scale)
        return [(*common, policy) for policy in learned]

    def take(
        self,
        reader: TierReader,
        classes: tuple[Any, ...],
        model: Tiered,
        seen: np.ndarray,
        margin: float,
        policy: Policy,
    ) -> Self:
        self.reader_, self.classes_, self.model_ = reader, named_array(classes), model
        self.seen_, self.margin_, self.policy_ = seen, margin, policy
        return self

    def _world(self, X: Sequence[Any], labels: np.ndarray | None = None) -> Parts:
        """Sequences with the scores of all tiers computed."""
        lengths = self.reader_.lengths(X)
        return self._read(self.reader_.features(X), lengths[lengths > 0], labels)

    def _read(self, features: Table, lengths: np.ndarray, labels: np.ndarray | None = None) -> Parts:
        starts = np.concatenate([[0], np.cumsum(lengths)])
        n = features.shape[0]
        if labels is None:
            labels = np.full(n, -1)
        model = np.zeros(n, dtype=np.int64)
        scores = tier_scores(self.model_, features)
        pairwise = self.model_.pairwise[None]
        return world_of(scores, pairwise, model, labels, starts, self.seen_, self.margin_)

    def spend(self, X: Sequence[Any], budget: float | None = None, *, rate: float | None = None) -> Spent:
        """`predict`, with the tiers that were reached and the cost.

        A tier's function is called only for purchases, when they are made.
        """
        limit = self._limit(X, budget, rate)
        lengths = self.reader_.lengths(X)
        if self.reader_.tiers.has_functions:
            labels, tiers, cost = self._lazily(X, lengths, limit)
        else:
            world = self._world(X)
            trajectory = self._course(world, limit)
            labels, tiers, cost = trajectory.labels, trajectory.tiers, float(trajectory.cost.sum())
        stops = np.cumsum(lengths)[:-1]
        named = np.split(self.classes_[labels], stops) if len(lengths) else []
        return Spent(named, np.split(tiers, stops) if len(lengths) else [], cost)

    def _course(self, world: Parts, limit: float, *, keep_all: bool = False) -> Trajectory:
        rule = rule_of(self.policy_, world, float(self.inference_tolerance))
        return part_policy.spend(world, rule, limit, self.reader_.tiers.costs, keep_all=keep_all)

    def _spend_budget(self, world: Parts, budget: float) -> tuple[float, float, np.ndarray]:
        """(cost, share of wrong labels, share of positions at each tier) for one budget."""
        trajectory, n = self._course(world, budget), max(world.shape[0], 1)
        lifted = np.bincount(trajectory.tiers, minlength=world.shape[1]) / n
        return float(trajectory.cost.sum()), world.loss_of(trajectory.labels) / n, lifted

    def _lazily(
        self, X: Sequence[Any], lengths: np.ndarray, limit: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        reader, filled = self.reader_, np.flatnonzero(lengths)
        free, last = reader.free(X), len(reader.widths) - 1
        world = self._read(reader.up_to([free]), lengths[filled])
        known: dict[tuple[int, int], Table] = {}

        def compute(bought: list[tuple[int, int, int]]) -> np.ndarray:
            at = np.array([int(world.starts[w]) + part for w, part, _ in bought])
            tier_of = np.array([tier for *_, tier in bought])
            scores = np.empty((len(at), len(self.classes_)))
            for tier in np.unique(tier_of).tolist():  # each has its own function
                some = np.flatnonzero(tier_of == tier)
                wanted = [(int(filled[bought[k][0]]), np.array([bought[k][1]])) for k in some]
                got, rows = reader.buy(X, wanted, tier), at[some].tolist()
                before = [below([known[row, t] for row in rows]) for t in range(1, tier)]
                if tier < last:
                    known.update(((row, tier), got[n : n + 1]) for n, row in enumerate(rows))
                table = reader.up_to([free[rows], *before, got])
                scores[some] = tier_scores(self.model_, table)[:, tier]
            return scores

        rule = rule_of(self.policy_, world, float(self.inference_tolerance))
        return spend_lazily(world, rule, limit, reader.tiers.costs, compute, is_together=reader.tiers.batch)

    def _points(
        self, X: Sequence[Any], truth: np.ndarray, budgets: list[float]
    ) -> list[tuple[float, float, np.ndarray]]:
        world = self._world(X, truth)
        return spread(self._spend_budget, [(world, budget) for budget in budgets], self.n_jobs)

    def course(self, x: Any, budget: float | None = None) -> list[Purchase]:
        """The purchases for one sequence, step by step, with the prediction after each."""
        limit = self._limit([x], budget)
        trajectory, names = self._course(self._world([x]), limit, keep_all=True), self.reader_.tiers.names
        steps = zip(
            trajectory.part, trajectory.tier, trajectory.value, trajectory.cost, trajectory.all_labels
        )
        return [
            Purchase(int(part), names[tier], float(value), float(cost), self.classes_[labels])
            for part, tier, value, cost, labels in steps
        ]

    def show(self, x: Any, words: Sequence[str] | None = None) -> object:
        """Show in a notebook what each purchase for one sequence changes; see `spcviz.show`."""
        return import_module("spcviz").show(self, x, words)

    def to_state(self) -> BudgetedTaggerState:
        """The state that `spcviz.io.save` stores; without tiers' functions, which are code: see `attach`."""
        state = self._state() | {"model": self.model_, "margin": self.margin_, "learned": self.policy_}
        return BudgetedTaggerState(**state, inference_tolerance=float(self.inference_tolerance))

    @classmethod
    def from_state(cls, state: BudgetedTaggerState) -> Self:
        """The estimator that `to_state` was called on."""
        tagger = cls._from_state(state, inference_tolerance=state.inference_tolerance)
        checked_policy(tagger.policy)
        checks.fraction("inference_tolerance", state.inference_tolerance)
        model, n, edges = state.model, len(state.classes), tagger.reader_.edges
        state_checks.check_tiered("model", model, edges, n)
        state_checks.check_policy(state.learned, tagger.policy, len(edges), n)
        margin = checks.number("margin", state.margin, 1e-12)
        tagger.model_, tagger.policy_, tagger.margin_ = model, state.learned, margin
        return tagger


def _read_across_folds(fitted: Fitted) -> Parts:
    """The training sequences, each read with the model of the other folds."""
    data, fold, features = fitted.data, fitted.fold, fitted.features
    scores, pairwise = [], []
    order = np.empty(features.shape[0], dtype=np.int64)
    first = 0
    for p, (model,) in enumerate(fitted.without):
        held = np.repeat(fold == p, data.lengths)
        scores.append(tier_scores(model, features[held]))
        pairwise.append(model.pairwise)
        order[held] = np.arange(first, first + len(scores[-1]))
        first += len(scores[-1])
    rows, tables = np.concatenate(scores)[order], np.stack(pairwise)
    seen = seen_in_other_parts(data.labels, data.starts, fold, len(fitted.classes))
    margin = margin_of(rows, tables, fold, data.lengths)
    model_of = np.repeat(fold, data.lengths).astype(np.int64)
    return world_of(rows, tables, model_of, data.labels, data.starts, seen, margin)

r"""Train a cascade from a prior instead of from zero: it learns corrections on words new to the prior.

A prior is a complete n-gram model for each order, e.g. counted from words (`counting`). It looks better on
the words that it was counted on than on others, so corrections learned on those words would be too small.
Therefore everything is split into parts (words, and whatever else the prior knows): the prior of part p
was made without p, and

- the correction :math:`\Delta_p` is learned on part p's examples only, starting from p's prior
- part p is pruned by its prior and the other parts' corrections, so that the next level meets lattices as
  sparse, and as often wrong, as unseen examples will have
- the level that is kept is the prior made from everything, plus the mean of all corrections

Thresholds are tuned on development examples that no part holds, by the rule of the settings. Filters are
trained for the hinge (4.8) at each candidate alpha, or for the structured SVM's, and the candidate that
leaves the fewest n-grams of the development examples is kept; predictors are averaged perceptrons, as in
`cascade`. Small steps and few passes are the regulariser: they bound how far weights move from the prior.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import decode, extend, score_arcs, score_labels, unigrams
from spcviz.engine.ngrams.prune import Pruned, prune, truth_points
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.cascade import (
    Cascade,
    CascadeConfig,
    HeldOut,
    Level,
    accuracies,
    held_out_curves,
)
from spcviz.learning.cascade.decoding import all_kept
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.level import hinges_of
from spcviz.learning.cascade.losses import FilterHinge, Loss, MarginHinge, Perceptron
from spcviz.learning.cascade.online import Model, Rates, fit
from spcviz.learning.cascade.problem import LevelProblem, prepare


class PriorPart(NamedTuple):
    """Examples, and priors made without them."""

    features: Features
    labels: np.ndarray  # (R,) int
    lengths: np.ndarray  # (W,) int
    priors: tuple[Model, ...]  # for orders 1, 2, ...


class CascadeFromPrior(NamedTuple):
    """What `train_from_prior` returns."""

    cascade: Cascade
    # by level: corrections added to the filter's prior, and to the predictor's
    corrections: tuple[tuple[Model, Model], ...]
    # by level, on development examples: ``order``, ``train_alpha`` or ``train_margin`` (the hinge that was
    # kept), ``alpha``, ``filter_loss`` and ``efficiency_loss`` (shares; cumulative, and of this level's valid
    # n-grams), ``char_accuracy``, ``word_accuracy``
    reports: tuple[dict[Any, Any], ...]
    held_out: tuple[HeldOut, ...]  # by level, on development examples


def combine_models(models: Sequence[Model], shares: Sequence[float]) -> Model:
    """Sum of models, each times its share; n-grams that a model does not have weigh 0 in it.

    Examples
    --------
    >>> one = Model(np.ones((1, 2)), np.array([33, 34]), np.array([1.0, 2.0]))
    >>> two = Model(np.ones((1, 2)), np.array([34]), np.array([4.0]))
    >>> combine_models([one, two], [1.0, 0.5]).values
    array([1., 4.])
    """
    if len(models) != len(shares) or not len(models):
        raise ArgumentError(f"shares must be one for each of {len(models)} models, got {len(shares)}")
    weights = sum(
        (share * model.weights for model, share in zip(models, shares)),
        start=np.zeros_like(models[0].weights),
    )
    keys, at = np.unique(np.concatenate([model.keys for model in models]), return_inverse=True)
    values = np.concatenate([share * model.values for model, share in zip(models, shares)])
    return Model(weights, keys, np.bincount(at, values, len(keys)))


def correction(learned: Model, start: Model, known: np.ndarray) -> Model:
    """The change that learning made to a model; n-grams whose codes are not ``known`` have not moved."""
    is_known = np.isin(start.keys, known)
    begin = Model(start.weights, start.keys[is_known], start.values[is_known])
    return combine_models([learned, begin], [1.0, -1.0])


def train_from_prior(
    parts: Sequence[PriorPart],
    dev: PriorPart,
    n_states: int,
    config: CascadeConfig,
    rng: np.random.Generator,
    *,
    predict_orders: Sequence[int] | None = None,
    tick: Callable[[str], object] | None = None,
) -> CascadeFromPrior:
    """Train every level of a cascade, starting from its priors.

    Parameters
    ----------
    parts : sequence of PriorPart
        At least two.
    dev : PriorPart
        Development examples, with the priors that were made from all parts.
    config : CascadeConfig
        Its `rule`, candidates (`hinges`, or `train_alphas` and `train_margins`), `margin`, `has_end`,
        `has_begin`, `max_arcs`, tolerances per example, passes and rates are read; a rate is relative to
        scores in the prior's own unit.
    predict_orders : sequence of int, optional
        Orders whose predictors are learned too; other orders predict with the prior. All by default.
    tick : callable, optional
        Called with a short text at the end of each pass over a part.

    Raises
    ------
    ArgumentError
        If there are fewer than two parts, or a part has too few priors.
    """
    checks.integer("parts", len(parts), 2, 1000)
    n_levels = len(config.tolerances)
    if any(len(part.priors) < n_levels for part in (*parts, dev)):
        raise ArgumentError(f"priors must be of orders 1 to {n_levels} in every part")
    spaces = [unigrams(part.lengths, n_states) for part in (*parts, dev)]
    levels, corrections, reports, held_out = [], [], [], []
    before = None
    first_gaps: list[np.ndarray | None] = [None] * len(spaces)  # the last: of development examples
    for t, tolerance in enumerate(config.tolerances):
        problems = [
            prepare(space, part.features, part.labels, has_end=config.has_end, has_begin=config.has_begin)
            for space, part in zip(spaces, (*parts, dev))
        ]
        learn = _CorrectionLearner(
            problems[:-1], [part.priors[t] for part in parts], config, rng, tick, t + 1
        )
        rule = rules.at_first(config.rule) if t == 0 else config.rule
        threshold = _Threshold(rule, tolerance, config.max_arcs)
        trials = []
        for loss in hinges_of(config, t):
            filters = learn.corrections(loss, "filter", before)
            kept = combine_models([dev.priors[t], _mean(filters)], [1.0, 1.0])
            tuned = threshold.tune(problems[-1], kept, dev, first_gaps[-1])
            trials.append(_Trial(loss, filters, kept, *tuned))
        trial = min(trials, key=lambda one: int(one.pruned.keep.sum()))  # the first of equals
        filters, mean = trial.filters, _mean(trial.filters)
        predicts = Model(np.zeros_like(mean.weights), mean.keys[:0], mean.values[:0])
        if predict_orders is None or t + 1 in predict_orders:
            predicts = _mean(learn.corrections(Perceptron(), "predictor", None))
        predictor = combine_models([dev.priors[t], predicts], [1.0, 1.0])
        levels.append(Level(trial.kept, trial.alpha, predictor))
        corrections.append((mean, predicts))
        held_out.append(held_out_curves(trial.pruned, trial.alpha, *trial.points))
        reports.append(_report(problems[-1], levels[-1], trial, dev, t + 1))
        cuts = []
        for p, problem in enumerate(problems[:-1]):
            others = [other for q, other in enumerate(filters) if q != p]
            unseen = combine_models([parts[p].priors[t], *others], [1.0] + [1 / len(others)] * len(others))
            cuts.append(threshold.prune(problem, unseen, trial.alpha, first_gaps[p]))
        cuts.append(trial.pruned)
        if t == 0:
            first_gaps = [cut.limits.best - cut.limits.mean for cut in cuts]
        spaces = [extend(space, cut.keep) for space, cut in zip(spaces, cuts)]
        before = filters
    cascade = Cascade(n_states, tuple(levels), False, config.max_arcs, rule=config.rule)
    return CascadeFromPrior(cascade, tuple(corrections), tuple(reports), tuple(held_out))


class _Trial(NamedTuple):
    """A candidate of one level: its hinge, a correction per part, and its results on development examples."""

    loss: Loss
    filters: list[Model]
    kept: Model  # the prior with the mean correction
    alpha: float  # the rule's setting
    pruned: Pruned
    points: tuple[np.ndarray, np.ndarray]  # the settings at which each example is lost


class _Threshold(NamedTuple):
    """How a level's threshold is tuned and applied."""

    rule: str
    tolerance: float
    max_arcs: int

    def tune(
        self, problem: LevelProblem, model: Model, dev: PriorPart, first_gap: np.ndarray | None
    ) -> tuple[float, Pruned, tuple[np.ndarray, np.ndarray]]:
        """(setting, the result of pruning at it, the settings at which each example is lost)."""
        lattice, unary = problem.lattice, unary_scores(problem.features, model.weights)
        truth_scores = score_labels(lattice, unary, model.table, dev.labels)
        begun = prune(lattice, _scores(problem, model), 0.0, rule=self.rule, first_gap=first_gap)
        points = truth_points(lattice, begun, problem.truth, truth_scores)
        alpha = rules.tune_setting(self.rule, points[1][problem.has_truth], self.tolerance)
        return alpha, self.prune(problem, model, alpha, first_gap), points

    def prune(
        self, problem: LevelProblem, model: Model, alpha: float, first_gap: np.ndarray | None
    ) -> Pruned:
        scores = _scores(problem, model)
        return prune(
            problem.lattice, scores, alpha, max_arcs=self.max_arcs, rule=self.rule, first_gap=first_gap
        )


class _CorrectionLearner(NamedTuple):
    """A level's problems, one per part, with the parts' priors."""

    problems: list[LevelProblem]
    priors: list[Model]
    config: CascadeConfig
    rng: np.random.Generator
    tick: Callable[[str], object] | None
    order: int

    def corrections(self, loss: Loss, what: str, before: Sequence[Model] | None) -> list[Model]:
        """One correction per part; `before`: those to start from."""
        config = self.config
        epochs, rate = getattr(config, f"{what}_epochs"), getattr(config, f"{what}_rate")
        out = []
        for p, (problem, prior) in enumerate(zip(self.problems, self.priors)):
            start = prior if before is None else combine_models([prior, before[p]], [1.0, 1.0])
            model = fit(
                problem,
                loss,
                np.arange(len(problem.has_truth)),
                self.rng,
                epochs=epochs,
                rates=Rates(rate, config.gram_rate),
                initial=start,
                tick=self._ticker(what, p),
            ).model
            out.append(correction(model, prior, problem.keys))
        return out

    def _ticker(self, what: str, p: int) -> Callable[[], object] | None:
        tick = self.tick
        return None if tick is None else lambda: tick(f"order {self.order}: {what} {p + 1}")


def _mean(models: Sequence[Model]) -> Model:
    return combine_models(models, [1 / len(models)] * len(models))


def _scores(problem: LevelProblem, model: Model) -> np.ndarray:
    return score_arcs(problem.lattice, unary_scores(problem.features, model.weights), model.table)


def _report(problem: LevelProblem, level: Level, trial: _Trial, dev: PriorPart, order: int) -> dict[Any, Any]:
    lattice, pruned = problem.lattice, trial.pruned
    predicted = decode(lattice, _scores(problem, level.predictor)).labels
    by_char, by_word = accuracies(predicted, np.asarray(dev.labels), lattice.row_start)
    is_lost = ~problem.has_truth | ~all_kept(lattice, problem.truth, pruned.keep)
    return {
        "order": order,
        "train_alpha": trial.loss.alpha if isinstance(trial.loss, FilterHinge) else None,
        "train_margin": trial.loss.delta if isinstance(trial.loss, MarginHinge) else None,
        "alpha": float(level.alpha),
        "filter_loss": float(is_lost.mean()),
        "efficiency_loss": float(pruned.keep.mean()),
        "arcs_in": lattice.n_arcs / int(lattice.col_start[-1]),
        "char_accuracy": by_char,
        "word_accuracy": by_word,
    }

"""Learn one level of a cascade: filters for each held-out part and for all, alpha, the predictor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.ngrams.lattice import (
    Lattice,
    score_arcs,
    score_labels,
)
from spcviz.engine.ngrams.prune import Pruned, points_of, prune, truth_points
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.config import CascadeConfig
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams, prune_states
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Loss, MarginHinge, Perceptron
from spcviz.learning.cascade.online import Fit, Model, Rates, fit, passes
from spcviz.learning.cascade.problem import LevelProblem, prepare


@dataclass
class TrainingProgress:
    """A callback after each model and each pass; a copy that is sent to another process is silent."""

    tick: Callable[[str], object] | None = None
    label: str = field(default="")

    def __call__(self) -> None:
        if self.tick is not None:
            self.tick(self.label)

    def __reduce__(self) -> tuple[type, tuple[None, str]]:
        return TrainingProgress, (None, self.label)


class FilterStage(NamedTuple):
    """A level's problem, and the space its filter scores: the same, or all pairs at the first level."""

    problem: LevelProblem
    space: LevelProblem
    by_pairs: bool
    labels: np.ndarray  # (R,) true states
    part: np.ndarray  # (W,) the held-out part of each example
    first_gap: np.ndarray | None = None  # (W,) of the first space, held out; see `rules`


class CascadeTrainer(NamedTuple):
    """How the models of a cascade are trained."""

    config: CascadeConfig
    rng: np.random.Generator
    progress: TrainingProgress


def stage_of(
    lattice: Lattice,
    features: Features,
    labels: np.ndarray,
    part: np.ndarray,
    config: CascadeConfig,
    is_first: bool,
    first_gap: np.ndarray | None = None,
) -> FilterStage:
    problem = prepare(lattice, features, labels, has_end=config.has_end, has_begin=config.has_begin)
    if not (is_first and config.first_order == 2):
        return FilterStage(problem, problem, False, labels, part, first_gap)
    pairs = all_bigrams(np.diff(lattice.row_start), lattice.n_states)
    return FilterStage(problem, prepare(pairs, features, labels, has_end=config.has_end), True, labels, part)


class AlphaTrial(NamedTuple):
    alpha: float
    excess: float
    size: int
    pruned: Pruned
    by_definition: np.ndarray
    event: np.ndarray

    @property
    def rank(self) -> tuple[float, int]:
        """Least truth lost beyond the tolerance, then fewest n-grams left."""
        return self.excess, self.size


def trials_of(
    stage: FilterStage,
    trainer: CascadeTrainer,
    tolerance: float,
    before: Sequence[Model | None],
    known: list[Sequence[Fit]] | None,
    level: int = 0,
) -> list[tuple[AlphaTrial, Sequence[Fit], Loss]]:
    """(trial, fits, loss) of each candidate at a level, from 0; `known`: their fits, if learned before."""
    config = trainer.config
    losses = _losses(config, stage, level)
    if config.patience is not None:
        return [(*_stop_early(stage, trainer, loss, tolerance, before), loss) for loss in losses]
    parts = [*range(config.parts), -1]  # one filter without each part, then one on everything
    candidates = known or [
        [fit_filter(stage, trainer, loss, model, part=p) for p, model in zip(parts, before)]
        for loss in losses
    ]
    return [(tune(stage, config, fits, tolerance), fits, loss) for fits, loss in zip(candidates, losses)]


def _epochs(problem: LevelProblem, config: CascadeConfig) -> int:
    is_first = problem.lattice.order.max(initial=1) == 1
    return config.first_epochs if is_first and config.first_epochs else config.filter_epochs


def fit_predictor(
    problem: LevelProblem, examples: np.ndarray, trainer: CascadeTrainer, initial: Model | None
) -> Fit:
    config, rng, progress = trainer
    return fit(
        problem,
        Perceptron(),
        examples,
        rng,
        epochs=config.predictor_epochs,
        rates=Rates(config.predictor_rate, config.gram_rate),
        initial=initial if config.warm_predictor else None,
        tick=progress,
    )


def _filter_settings(
    problem: LevelProblem, examples: np.ndarray, trainer: CascadeTrainer, initial: Model | None
) -> dict[str, Any]:
    """Arguments of `passes` for a filter.

    Training starts from the level before, or from passes over the log loss that start there: gradients of the
    log loss are at most 1 in size, so that is a model of probabilities, whatever it prunes.
    """
    config, rng, progress = trainer
    if config.method == "spc" and config.crf_epochs:
        rates, dropout = Rates(config.crf_rate, config.gram_rate), config.dropout
        how: dict[str, Any] = {"epochs": config.crf_epochs, "rates": rates, "dropout": dropout}
        initial = fit(problem, LogLoss(), examples, rng, initial=initial, tick=progress, **how).model
    rates = Rates(config.filter_rate, config.gram_rate, config.decay, config.falling)
    return {"rates": rates, "dropout": config.dropout, "initial": initial}


def fit_filter(
    stage: FilterStage,
    trainer: CascadeTrainer,
    loss: Loss,
    initial: Model | None,
    *,
    part: int = -1,
    epochs: int | None = None,
) -> Fit:
    """Train a filter on all examples except a part's; on all by default."""
    problem, examples = stage.space, np.flatnonzero(stage.part != part)
    more = _filter_settings(problem, examples, trainer, initial)
    more |= {"epochs": epochs or _epochs(problem, trainer.config), "tick": trainer.progress}
    return fit(problem, loss, examples, trainer.rng, **more)


def _stop_early(
    stage: FilterStage, trainer: CascadeTrainer, loss: Loss, tolerance: float, before: Sequence[Model | None]
) -> tuple[AlphaTrial, Sequence[Fit]]:
    """Train one filter without each part, in step, until they stop leaving fewer n-grams: (trial, fits)."""
    problem, config, runs = stage.space, trainer.config, []
    epochs = _epochs(problem, config)
    for p, initial in enumerate(before[:-1]):
        examples = np.flatnonzero(stage.part != p)
        more = _filter_settings(problem, examples, trainer, initial)
        runs.append(passes(problem, loss, examples, trainer.rng, epochs=epochs, **more))
    for run in runs:
        next(run)  # before the first pass there is nothing to choose
    best: list[tuple[AlphaTrial, Sequence[Fit]]] = []  # the one so far
    for fits in zip(*runs):
        trainer.progress()
        trial = tune(stage, config, fits, tolerance)
        if not best or trial.rank < best[0][0].rank:
            best = [(trial, fits)]
        n_idle = len(fits[0].losses) - len(best[0][1][0].losses)
        if config.patience is not None and n_idle >= config.patience:
            break
    return best[0]


def _losses(config: CascadeConfig, stage: FilterStage, level: int) -> list[Loss]:
    """Losses to try for a level's filters, one per candidate; the best filter is kept."""
    if config.method != "spc":
        loss: Loss = Perceptron() if config.method == "perceptron" else LogLoss()
        return [loss] * max(len(config.train_alphas), 1)
    return hinges_of(config, level, config.on_nodes or stage.by_pairs)


def hinges_of(config: CascadeConfig, level: int, on_nodes: bool = False) -> list[Loss]:
    """Hinges to try for an SPC's filter at a level, from 0: one per candidate of the settings."""
    if config.hinges:
        kind, value = config.hinges[level]
        is_margin = kind == "margin"
        return [
            MarginHinge(value, config.margin) if is_margin else FilterHinge(value, config.margin, on_nodes)
        ]
    hinges: list[Loss] = [FilterHinge(alpha, config.margin, on_nodes) for alpha in config.train_alphas]
    return hinges + [MarginHinge(delta, config.margin) for delta in config.train_margins]


def held_out_scores(
    problem: LevelProblem, part: np.ndarray, models: Sequence[Model]
) -> tuple[np.ndarray, np.ndarray]:
    """Arc scores and truth scores of every example under the model that did not see it."""
    lattice = problem.lattice
    owner = np.repeat(part, np.diff(lattice.example_start))
    row_owner = np.repeat(part, np.diff(lattice.row_start))
    scores = np.empty(lattice.n_arcs)
    unary = np.empty((int(lattice.row_start[-1]), lattice.n_states))
    for p, model in enumerate(models):
        whole = unary_scores(problem.features, model.weights)
        unary[row_owner == p] = whole[row_owner == p]
        scores[owner == p] = score_arcs(lattice, whole, model.table)[owner == p]
    return scores, unary


def tune(stage: FilterStage, config: CascadeConfig, fits: Sequence[Fit], tolerance: float) -> AlphaTrial:
    """Score held out, find the largest alpha within the tolerance, prune at it."""
    problem, space, part = stage.problem, stage.space.lattice, stage.part
    models = [f.model for f in fits[: config.parts]]
    scores, unary = held_out_scores(stage.space, part, models)
    truth_scores = np.empty(len(part))
    for p, model in enumerate(models):
        truth_scores[part == p] = score_labels(space, unary, model.table, stage.labels)[part == p]
    at_zero = prune_at(config, stage, scores, 0.0)
    points = truth_points(problem.lattice, at_zero, problem.truth, truth_scores)
    tuned_on = _tuned_on(config, problem, points, at_zero)
    alpha = rules.tune_setting(config.pruned_by, tuned_on, tolerance)
    excess = max(float((tuned_on <= alpha).mean()) - tolerance, 0.0)  # a CRF may lose too much even at 0
    pruned = prune_at(config, stage, scores, alpha, config.max_arcs)
    return AlphaTrial(alpha, excess, int(pruned.keep.sum()), pruned, *points)


def _tuned_on(
    config: CascadeConfig, problem: LevelProblem, points: tuple[np.ndarray, np.ndarray], pruned: Pruned
) -> np.ndarray:
    """The alphas from which each example or position counted is lost, without those lost before."""
    if config.tolerance_kind == "position":
        return points_of(pruned)[problem.truth[problem.truth >= 0]]
    return points[0 if config.by_definition else 1][problem.has_truth]


def prune_at(
    config: CascadeConfig, stage: FilterStage, scores: np.ndarray, alpha: float, max_arcs: int | None = None
) -> Pruned:
    how: dict[str, Any] = {
        "rule": config.pruned_by if stage.first_gap is not None else rules.at_first(config.pruned_by)
    }
    if stage.by_pairs:
        return prune_states(stage.space.lattice, scores, alpha, **how)
    lattice = stage.problem.lattice
    more: dict[str, Any] = {"on_nodes": config.on_nodes, "first_gap": stage.first_gap}
    return prune(lattice, scores, alpha, max_arcs=max_arcs, **more, **how)

r"""Structured prediction cascades: train level by level, prune, run (thesis chapter 4).

Level t filters n-grams of order t + 1: its weights minimise the hinge of (4.8) on the space that
the levels before it left; its alpha is then the largest whose filter loss on held-out examples
stays within a tolerance (B14: the loss rises and the size falls with alpha, so the largest
feasible alpha is the optimum of (4.7)). At every order an averaged structured perceptron predicts
within the same space.

Held-out throughout: the training examples are dealt into `parts`; for each part a filter is
trained on the others and prunes that part. So alphas are tuned on the pooled parts, and the next
level trains on lattices as sparse, and as often wrong, as unseen examples will have. The filter
that is kept is trained on all of them.
"""

from collections.abc import Callable, Sequence

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import (
    decode,
    extend,
    score_arcs,
    unigrams,
)
from spcviz.engine.ngrams.prune import Pruned, points_of
from spcviz.engine.thresholds import results, rules
from spcviz.learning.cascade.config import (
    METHODS,
    TOLERANCE_KINDS,
    Cascade,
    CascadeConfig,
    First,
    HeldOut,
    Level,
    LevelReport,
    TrainedCascade,
)
from spcviz.learning.cascade.decoding import (
    LevelRun,
    all_kept,
    decode_examples,
    filter_examples,
    kept_truth,
    positions_kept,
    predict,
    survives,
)
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.level import (
    AlphaTrial,
    CascadeTrainer,
    FilterStage,
    TrainingProgress,
    fit_filter,
    fit_predictor,
    held_out_scores,
    prune_at,
    stage_of,
    trials_of,
)
from spcviz.learning.cascade.losses import Loss, MarginHinge
from spcviz.learning.cascade.online import Fit, Model

__all__ = [
    "METHODS",
    "TOLERANCE_KINDS",
    "Cascade",
    "CascadeConfig",
    "First",
    "HeldOut",
    "Level",
    "LevelReport",
    "LevelRun",
    "TrainedCascade",
    "accuracies",
    "decode_examples",
    "filter_examples",
    "held_out_scores",
    "positions_kept",
    "predict",
    "survives",
    "train_cascade",
]


def train_cascade(
    features: Features,
    labels: np.ndarray,
    lengths: np.ndarray,
    n_states: int,
    config: CascadeConfig,
    rng: np.random.Generator,
    *,
    tick: Callable[[str], object] | None = None,
    held_out_accuracy: bool = False,
    first: First | None = None,
) -> TrainedCascade:
    """Train every level of a cascade.

    Parameters
    ----------
    features : DenseRows or SparseRows
        One row per position, examples one after the other.
    labels : ndarray of int, shape (rows,)
    lengths : ndarray of int, shape (W,)
    tick : callable, optional
        Called with a short text at the end of each pass over the data.
    held_out_accuracy : bool
        Also train predictors on all but each part and report their accuracy on it.
    first : First, optional
        The first level's filters, reused from an earlier call with the same arguments except tolerances; the
        result is the same as if they were learned again.

    Raises
    ------
    ArgumentError
        If there are fewer examples than parts, or a setting is out of range.

    References
    ----------
    Weiss (2013), thesis, Algorithm 2 and section 4.3; Luo, summary of SPC, Algorithm 2.
    """
    lattice = unigrams(lengths, n_states)
    if len(lengths) < config.parts:
        raise ArgumentError(f"parts must be from 2 to {len(lengths)} (the examples), got {config.parts}")
    part = rng.permutation(np.arange(len(lengths)) % config.parts)
    progress = TrainingProgress(tick)
    trainer = CascadeTrainer(config, rng, progress)
    levels: list[Level] = []
    reports: list[LevelReport] = []
    held_out: list[HeldOut] = []
    before: Sequence[Model | None] = [None] * (config.parts + 1)
    first_gap: np.ndarray | None = None
    for tolerance in config.tolerances:
        stage = stage_of(lattice, features, labels, part, config, not levels, first_gap)
        problem = stage.problem
        progress.label = f"order {len(levels) + 1}: filter"
        given = None if levels else first
        known = None if given is None else given.candidates
        trials = trials_of(stage, trainer, tolerance, before, known, len(levels))
        if given is not None:
            rng.bit_generator.state = given.rng_state
        elif not levels and config.patience is None:
            first = First([fits for _, fits, _ in trials], rng.bit_generator.state)
        trial, fits, loss = min(trials, key=lambda candidate: candidate[0].rank)
        if not levels:
            first_gap = trial.pruned.limits.best - trial.pruned.limits.mean
        if config.patience is not None:
            n_passes = len(fits[0].losses)  # as many over all examples as over the parts
            fits = [*fits, fit_filter(stage, trainer, loss, before[-1], epochs=n_passes)]
        progress.label = f"order {len(levels) + 1}: predictor"
        predictor = fit_predictor(problem, np.arange(len(lengths)), trainer, fits[-1].model)
        accuracy: tuple[float | None, float | None] = (None, None)
        if held_out_accuracy:
            accuracy = _held_out_accuracy(stage, trainer, fits)
        levels.append(Level(fits[-1].model, trial.alpha, predictor.model))
        held_out.append(held_out_curves(trial.pruned, trial.alpha, trial.by_definition, trial.event))
        reports.append(_report(config, stage, trial, loss, fits, predictor, accuracy, len(levels)))
        before = [f.model for f in fits] if config.warm_start else before
        lattice = extend(lattice, trial.pruned.keep)
    cascade = Cascade(
        n_states,
        tuple(levels),
        config.on_nodes,
        config.max_arcs,
        config.method == "crf",
        config.first_order,
        config.rule,
    )
    return TrainedCascade(cascade, tuple(reports), tuple(held_out), first)


def held_out_curves(pruned: Pruned, alpha: float, by_definition: np.ndarray, event: np.ndarray) -> HeldOut:
    """Truth that a filter loses on examples it has not seen, and the share it leaves, at every alpha."""
    lowest = rules.drawn_from(pruned.rule, alpha)
    whole = results.efficiency_curve(points_of(pruned), pruned.starts, lowest)
    steps = results.thin_curve(whole, 500)
    return HeldOut(by_definition, event, steps.alpha, steps.value)


def _held_out_accuracy(
    stage: FilterStage, trainer: CascadeTrainer, fits: Sequence[Fit]
) -> tuple[float, float]:
    problem, part = stage.problem, stage.part
    models = [
        fit_predictor(problem, np.flatnonzero(part != p), trainer, begin.model).model
        for p, begin in enumerate(fits[:-1])
    ]
    predicted = decode(problem.lattice, held_out_scores(problem, part, models)[0]).labels
    return accuracies(predicted, stage.labels, problem.lattice.row_start)


def accuracies(predicted: np.ndarray, labels: np.ndarray, row_start: np.ndarray) -> tuple[float, float]:
    """(share of right positions, share of examples with all positions right)."""
    right = predicted == labels
    return float(right.mean()), float(np.logical_and.reduceat(right, row_start[:-1]).mean())


def _report(
    config: CascadeConfig,
    stage: FilterStage,
    trial: AlphaTrial,
    loss: Loss,
    fits: Sequence[Fit],
    predictor: Fit,
    accuracy: tuple[float | None, float | None],
    order: int,
) -> LevelReport:
    problem, model = stage.problem, fits[-1].model
    lattice = problem.lattice
    columns = max(int(lattice.col_start[-1]), 1)
    seen = score_arcs(stage.space.lattice, unary_scores(problem.features, model.weights), model.table)
    kept = prune_at(config, stage, seen, trial.alpha).keep
    lost = ~problem.has_truth | ~all_kept(lattice, problem.truth, kept)
    was_pruned = ~problem.has_truth | ~all_kept(lattice, problem.truth, trial.pruned.keep)
    return LevelReport(
        order=order,
        train_alpha=getattr(loss, "alpha", None if isinstance(loss, MarginHinge) else config.train_alphas[0]),
        alpha=trial.alpha,
        filter_loss=float((trial.by_definition <= trial.alpha).mean()),
        was_pruned=float(was_pruned.mean()),
        efficiency_loss=float(trial.pruned.keep.sum() / max(lattice.n_arcs, 1)),
        arcs_in=lattice.n_arcs / columns,
        arcs_kept=trial.size / columns,
        n_capped=int((trial.pruned.alpha > trial.alpha).sum()),
        optimism=float(lost.mean() - was_pruned.mean()),
        filter_hinge=float(fits[-1].losses[-1]),
        predictor_loss=float(predictor.losses[-1]),
        n_passes=len(fits[-1].losses),
        accuracy=accuracy[0],
        example_accuracy=accuracy[1],
        position_loss=float(1 - kept_truth(problem.truth, trial.pruned.keep).mean()),
        train_margin=getattr(loss, "delta", None),
    )

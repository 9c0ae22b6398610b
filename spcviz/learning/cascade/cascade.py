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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.chain import BatchDecoded
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.lattice import (
    Lattice,
    Paths,
    bigrams,
    decode,
    extend,
    path_of,
    score_arcs,
    score_labels,
    states_left,
    unigrams,
)
from spcviz.engine.ngrams.prune import Pruned, keep_states, keep_unaries, points_of, prune, truth_points
from spcviz.engine.ngrams.row_compressed import advance, finish, first_fan
from spcviz.engine.thresholds import filtering
from spcviz.learning.cascade.features import Features, SparseRows, checked, scores_where, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams, keep_by_bigrams, prune_states
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Loss, Perceptron
from spcviz.learning.cascade.online import Fit, Model, Problem, fit, passes, prepare

METHODS = ("spc", "perceptron", "crf")
TOLERANCE_KINDS = ("example", "position")


@dataclass(frozen=True)
class CascadeConfig:
    """How a cascade is trained.

    Attributes
    ----------
    tolerances : tuple of float
        Allowed share of examples that lose their truth at each level, or of positions (see
        `tolerance_kind`); its length is the number of levels.
    tolerance_kind : {"example", "position"}
        What tolerances count: examples of which some true n-gram fell, or true n-grams that fell, each
        among those that had not fallen before.
    by_definition : bool
        Tune alpha on Definition 1's filter loss; False: on the event that it bounds (some
        n-gram of the truth pruned), which prunes more at the same true loss.
    train_alphas : tuple of float
        Candidates for alpha in the hinge; the filter that ends up smallest is kept (B14).
    margin : float
        Margin of the hinge per position.
    filter_epochs, predictor_epochs : int
        Passes over the data.
    first_epochs : int or None
        Passes for the first level's filter, if more: it is cheap, and what it loses is lost to all.
    filter_rate, predictor_rate : float
        Step sizes; see `online.fit`. A perceptron's matters only against the weights it starts from.
    gram_rate : float
        Step of n-gram weights relative to the unary ones; see `online`.
    decay : float
        lambda in (4.8).
    has_end : bool
        N-grams that end the word have weights of their own.
    parts : int
        Number of held-out parts, at least 2.
    max_arcs : int
        Cap on the arcs of one example at any level.
    on_nodes : bool
        Filter (n-1)-grams rather than n-grams.
    first_order : int
        What filters single states at the first level: 1, each position by itself; 2, a bigram model over
        all pairs (`letters_first`).
    warm_start : bool
        Begin each level's filter at the weights of the one before.
    warm_predictor : bool
        Begin each predictor at its level's filter rather than at zero.
    method : {"spc", "perceptron", "crf"}
        What filters are trained for: the hinge (4.8), a perceptron's zero loss, or the log loss; a CRF
        prunes by sum-product marginals, the others by max-marginals.
    crf_epochs : int
        SPC only: so many passes over the log loss first, and the hinge begins where they end.
    crf_rate : float
        Their step size.
    dropout : float
        Share of indicator features hidden from filters in each pass; see `online.fit`.
    falling : bool
        Steps of filters fall as the regulariser says; see `online.passes`.
    patience : int or None
        Filters stop early: after so many passes without one that leaves fewer n-grams at the tolerance
        (held out), `filter_epochs` at most, and the best pass is kept. None: `filter_epochs` passes.
    """

    tolerances: tuple[float, ...] = (0.01, 0.01, 0.01, 0.01, 0.005, 0.0025)
    tolerance_kind: str = "example"
    by_definition: bool = False
    train_alphas: tuple[float, ...] = (0.8,)
    margin: float = 1.0
    filter_epochs: int = 10
    predictor_epochs: int = 10
    first_epochs: int | None = None
    filter_rate: float = 4.0
    predictor_rate: float = 40.0
    gram_rate: float = 0.3
    decay: float = 0.0
    has_end: bool = False
    parts: int = 3
    max_arcs: int = 100_000
    on_nodes: bool = False
    first_order: int = 1
    warm_start: bool = True
    warm_predictor: bool = True
    method: str = "spc"
    crf_epochs: int = 0
    crf_rate: float = 4.0
    dropout: float = 0.0
    falling: bool = False
    patience: int | None = None

    def __post_init__(self) -> None:
        for name in ("tolerances", "train_alphas"):  # a stored model has them as lists
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.method not in METHODS:
            raise ArgumentError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        if self.tolerance_kind not in TOLERANCE_KINDS:
            kinds = " or ".join(TOLERANCE_KINDS)
            raise ArgumentError(f"tolerance_kind must be {kinds}, got {self.tolerance_kind!r}")
        if self.tolerance_kind == "position" and (self.by_definition or self.on_nodes):
            raise ArgumentError("tolerance_kind must be example where by_definition or on_nodes is set")
        checks.integer("first_order", self.first_order, 1, 2)
        checks.fraction("dropout", self.dropout, below_one=True)
        checks.integer("crf_epochs", self.crf_epochs, 0, 2**40)
        if not self.tolerances or not self.train_alphas:
            raise ArgumentError(
                f"tolerances and train_alphas must not be empty, got {self.tolerances}, {self.train_alphas}"
            )
        for value in self.tolerances:
            checks.fraction("tolerances", value)
        for value in self.train_alphas:
            checks.fraction("train_alphas", value, below_one=True)
        if self.first_order == 2 and (self.on_nodes or self.method == "crf"):
            raise ArgumentError("first_order must be 1 with on_nodes or a CRF's filters, got 2")
        for name in ("filter_epochs", "predictor_epochs", "max_arcs"):
            checks.integer(name, getattr(self, name), 1, 2**40)
        for name in ("margin", "filter_rate", "predictor_rate", "gram_rate", "decay", "crf_rate"):
            checks.number(name, getattr(self, name), 0)
        if self.first_epochs is not None:
            checks.integer("first_epochs", self.first_epochs, 1, 2**40)
        if self.patience is not None:
            checks.integer("patience", self.patience, 1, 2**40)
        checks.integer("parts", self.parts, 2, 1000)


class Level(NamedTuple):
    """One level of a trained cascade.

    Attributes
    ----------
    filter : Model
    alpha : float
    predictor : Model
        Averaged perceptron for the level's own order on the level's own space.
    """

    filter: Model
    alpha: float
    predictor: Model


class Cascade(NamedTuple):
    """A trained cascade.

    Attributes
    ----------
    n_states : int
    levels : tuple of Level
        Orders 1, 2, ...
    on_nodes : bool
    max_arcs : int
    by_marginals : bool
        Pruned as a CRF prunes; see `spcviz.engine.ngrams.prune`.
    first_order : int
        See `CascadeConfig`.
    """

    n_states: int
    levels: tuple[Level, ...]
    on_nodes: bool
    max_arcs: int
    by_marginals: bool = False
    first_order: int = 1


class LevelReport(NamedTuple):
    """Held-out figures of one level, on the pooled parts.

    Attributes
    ----------
    order : int
    train_alpha, alpha : float
    filter_loss, was_pruned : float
        Share of examples, cumulative over levels: by Definition 1 at this level or lost before,
        and in fact.
    efficiency_loss : float
        Share of this level's valid assignments that survive.
    arcs_in, arcs_kept : float
        Mean per column.
    n_capped : int
    optimism : float
        Share of examples lost when each is pruned by a filter that saw it, minus held out;
        negative means the training figure flatters.
    filter_hinge, predictor_loss : float
        Mean loss in the last pass.
    n_passes : int
        Of the filter over the data.
    accuracy, example_accuracy : float
        Held-out accuracy of predictors trained without the part, per position and per example;
        None if not asked for.
    position_loss : float
        Share of the true n-grams that are pruned, at this level or before.
    """

    order: int
    train_alpha: float
    alpha: float
    filter_loss: float
    was_pruned: float
    efficiency_loss: float
    arcs_in: float
    arcs_kept: float
    n_capped: int
    optimism: float
    filter_hinge: float
    predictor_loss: float
    n_passes: int
    accuracy: float | None
    example_accuracy: float | None
    position_loss: float


class HeldOut(NamedTuple):
    """One level's filter on the pooled held-out parts, at every alpha.

    Attributes
    ----------
    by_definition, event : ndarray, shape (W,)
        The alpha from which each example loses its truth, by Definition 1 and in fact; -inf where
        an earlier level had lost it.
    alpha, efficiency : ndarray, shape (S,)
        Efficiency loss as a step function of alpha, thinned to about 500 steps.
    """

    by_definition: np.ndarray
    event: np.ndarray
    alpha: np.ndarray
    efficiency: np.ndarray


class First(NamedTuple):
    """What was learned at the first level: filters of each candidate alpha, and where the dice stood then."""

    candidates: list[Sequence[Fit]]
    rng_state: Mapping[str, Any]


class Trained(NamedTuple):
    """What `train_cascade` returns: cascade, a `LevelReport` and a `HeldOut` per level, and the `First`.

    With early stopping there is no `First` (None): what is learned depends on the tolerance.
    """

    cascade: Cascade
    reports: tuple[LevelReport, ...]
    held_out: tuple[HeldOut, ...]
    first: First | None


@dataclass
class _Progress:
    tick: Callable[[str], object] | None = None
    label: str = field(default="")

    def __call__(self) -> None:
        if self.tick is not None:
            self.tick(self.label)


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
) -> Trained:
    """Train every level of a cascade.

    Parameters
    ----------
    features : DenseRows or SparseRows
        One row per position, examples one after the other.
    labels : ndarray of int, shape (rows,)
    lengths : ndarray of int, shape (W,)
    n_states : int
    config : CascadeConfig
    rng : numpy.random.Generator
    tick : callable, optional
        Called with a short text at the end of each pass over the data.
    held_out_accuracy : bool
        Also train predictors on all but each part and report their accuracy on it.
    first : First, optional
        The first level's filters as an earlier call has learned them, which had all arguments alike but
        tolerances: taken over, and the result is the same as if learned again.

    Returns
    -------
    Trained

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
    progress = _Progress(tick)
    levels: list[Level] = []
    reports: list[LevelReport] = []
    held_out: list[HeldOut] = []
    before: Sequence[Model | None] = [None] * (config.parts + 1)
    for tolerance in config.tolerances:
        stage = _stage(lattice, features, labels, config, is_first=not levels)
        problem = stage.problem
        progress.label = f"order {len(levels) + 1}: filter"
        given = None if levels else first
        known = None if given is None else given.candidates
        trials = _trials(stage, labels, part, config, tolerance, before, known, rng, progress)
        if given is not None:
            rng.bit_generator.state = given.rng_state
        elif not levels and config.patience is None:
            first = First([fits for _, fits, _ in trials], rng.bit_generator.state)
        trial, fits, train_alpha = min(trials, key=lambda found: found[0].rank)
        if config.patience is not None:
            whole = _on_everything(stage, config, train_alpha, fits, before[-1], rng, progress)
            fits = [*fits, whole]
        progress.label = f"order {len(levels) + 1}: predictor"
        predictor = _fit_predictor(problem, np.arange(len(lengths)), config, fits[-1].model, rng, progress)
        accuracy: tuple[float | None, float | None] = (None, None)
        if held_out_accuracy:
            accuracy = _held_out_accuracy(problem, labels, part, config, fits, rng, progress)
        levels.append(Level(fits[-1].model, trial.alpha, predictor.model))
        held_out.append(_held_out_curves(trial))
        reports.append(_report(config, stage, trial, train_alpha, fits, predictor, accuracy, len(levels)))
        before = [f.model for f in fits] if config.warm_start else before
        lattice = extend(lattice, trial.pruned.keep)
    cascade = Cascade(
        n_states,
        tuple(levels),
        config.on_nodes,
        config.max_arcs,
        config.method == "crf",
        config.first_order,
    )
    return Trained(cascade, tuple(reports), tuple(held_out), first)


class _Stage(NamedTuple):
    """A level's problem and the space its filter scores: the same, or all pairs at the first level."""

    problem: Problem
    space: Problem
    by_pairs: bool


def _stage(
    lattice: Lattice, features: Features, labels: np.ndarray, config: CascadeConfig, is_first: bool
) -> _Stage:
    problem = prepare(lattice, features, labels, has_end=config.has_end)
    if not (is_first and config.first_order == 2):
        return _Stage(problem, problem, False)
    pairs = all_bigrams(np.diff(lattice.row_start), lattice.n_states)
    return _Stage(problem, prepare(pairs, features, labels, has_end=config.has_end), True)


class _Trial(NamedTuple):
    alpha: float
    excess: float
    size: int
    pruned: Pruned
    by_definition: np.ndarray
    event: np.ndarray

    @property
    def rank(self) -> tuple[float, int]:
        """Least truth lost beyond what is allowed, then fewest n-grams left."""
        return self.excess, self.size


def _trials(
    stage: _Stage,
    labels: np.ndarray,
    part: np.ndarray,
    config: CascadeConfig,
    tolerance: float,
    before: Sequence[Model | None],
    known: list[Sequence[Fit]] | None,
    rng: np.random.Generator,
    progress: _Progress,
) -> list[tuple[_Trial, Sequence[Fit], float]]:
    """(trial, fits, alpha of the hinge) of each candidate; `known`: their fits, where learned before."""
    if config.patience is not None:
        return [
            (*_stop_early(stage, labels, part, config, alpha, tolerance, before, rng, progress), alpha)
            for alpha in config.train_alphas
        ]
    candidates = known or [
        _train_filters(stage, part, config, alpha, before, rng, progress) for alpha in config.train_alphas
    ]
    return [
        (_tune(stage, labels, part, config, fits, tolerance), fits, alpha)
        for fits, alpha in zip(candidates, config.train_alphas)
    ]


def _epochs(problem: Problem, config: CascadeConfig) -> int:
    is_first = problem.lattice.order.max(initial=1) == 1
    return config.first_epochs if is_first and config.first_epochs else config.filter_epochs


def _fit_predictor(
    problem: Problem,
    examples: np.ndarray,
    config: CascadeConfig,
    initial: Model | None,
    rng: np.random.Generator,
    progress: _Progress,
) -> Fit:
    return fit(
        problem,
        Perceptron(),
        examples,
        rng,
        epochs=config.predictor_epochs,
        rate=config.predictor_rate,
        gram_rate=config.gram_rate,
        initial=initial if config.warm_predictor else None,
        tick=progress,
    )


def _filter_settings(config: CascadeConfig) -> dict[str, Any]:
    """What `passes` takes of a filter's settings."""
    names = ("gram_rate", "decay", "falling", "dropout")
    return {"rate": config.filter_rate} | {name: getattr(config, name) for name in names}


def _start(
    problem: Problem,
    examples: np.ndarray,
    config: CascadeConfig,
    initial: Model | None,
    rng: np.random.Generator,
    progress: _Progress,
) -> Model | None:
    """Where a filter begins: at the level before, or at passes over the log loss from there."""
    if config.method != "spc" or not config.crf_epochs:
        return initial
    # gradients of the log loss are at most 1 in size: a model of probabilities, whatever it prunes
    return fit(
        problem,
        LogLoss(),
        examples,
        rng,
        epochs=config.crf_epochs,
        rate=config.crf_rate,
        gram_rate=config.gram_rate,
        dropout=config.dropout,
        initial=initial,
        tick=progress,
    ).model


def _train_filters(
    stage: _Stage,
    part: np.ndarray,
    config: CascadeConfig,
    train_alpha: float,
    before: Sequence[Model | None],
    rng: np.random.Generator,
    progress: _Progress,
) -> list[Fit]:
    """One filter without each part, then one on everything."""
    problem, loss = stage.space, _loss(config, train_alpha, stage)
    chosen = [np.flatnonzero(part != p) for p in range(config.parts)] + [np.arange(len(part))]
    epochs, fits = _epochs(problem, config), []
    for examples, initial in zip(chosen, before):
        begin = _start(problem, examples, config, initial, rng, progress)
        more = _filter_settings(config) | {"epochs": epochs, "initial": begin, "tick": progress}
        fits.append(fit(problem, loss, examples, rng, **more))
    return fits


def _stop_early(
    stage: _Stage,
    labels: np.ndarray,
    part: np.ndarray,
    config: CascadeConfig,
    train_alpha: float,
    tolerance: float,
    before: Sequence[Model | None],
    rng: np.random.Generator,
    progress: _Progress,
) -> tuple[_Trial, Sequence[Fit]]:
    """One filter without each part, pass by pass together, until they no longer leave less: (trial, fits)."""
    problem, loss, runs = stage.space, _loss(config, train_alpha, stage), []
    for p, initial in enumerate(before[:-1]):
        examples = np.flatnonzero(part != p)
        begin = _start(problem, examples, config, initial, rng, progress)
        more = _filter_settings(config) | {"epochs": _epochs(problem, config), "initial": begin}
        runs.append(passes(problem, loss, examples, rng, **more))
    for run in runs:
        next(run)  # before the first pass there is nothing to choose
    best: list[tuple[_Trial, Sequence[Fit]]] = []  # the one so far
    for fits in zip(*runs):
        progress()
        trial = _tune(stage, labels, part, config, fits, tolerance)
        if not best or trial.rank < best[0][0].rank:
            best = [(trial, fits)]
        n_idle = len(fits[0].losses) - len(best[0][1][0].losses)
        if config.patience is not None and n_idle >= config.patience:
            break
    return best[0]


def _on_everything(
    stage: _Stage,
    config: CascadeConfig,
    train_alpha: float,
    fits: Sequence[Fit],
    initial: Model | None,
    rng: np.random.Generator,
    progress: _Progress,
) -> Fit:
    """The filter that is kept: of as many passes over all examples as the parts' filters."""
    problem, examples = stage.space, np.arange(len(stage.problem.has_truth))
    begin = _start(problem, examples, config, initial, rng, progress)
    more = _filter_settings(config) | {"epochs": len(fits[0].losses), "initial": begin, "tick": progress}
    return fit(problem, _loss(config, train_alpha, stage), examples, rng, **more)


def _loss(config: CascadeConfig, train_alpha: float, stage: _Stage) -> Loss:
    hinge = FilterHinge(train_alpha, config.margin, config.on_nodes or stage.by_pairs)
    losses: dict[str, Loss] = {"spc": hinge, "perceptron": Perceptron(), "crf": LogLoss()}
    return losses[config.method]


def held_out_scores(
    problem: Problem, part: np.ndarray, models: Sequence[Model]
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


def _tune(
    stage: _Stage,
    labels: np.ndarray,
    part: np.ndarray,
    config: CascadeConfig,
    fits: Sequence[Fit],
    tolerance: float,
) -> _Trial:
    """Score held out, find the largest alpha within the tolerance, prune at it."""
    problem, space = stage.problem, stage.space.lattice
    models = [f.model for f in fits[: config.parts]]
    scores, unary = held_out_scores(stage.space, part, models)
    truth_scores = np.empty(len(part))
    for p, model in enumerate(models):
        truth_scores[part == p] = score_labels(space, unary, model.table, labels)[part == p]
    at_zero = _prune(config, stage, scores, 0.0)
    points = truth_points(problem.lattice, at_zero, problem.truth, truth_scores)
    tuned_on = _tuned_on(config, problem, points, at_zero)
    alpha = filtering.largest_alpha(tuned_on, tolerance)
    excess = max(float((tuned_on <= alpha).mean()) - tolerance, 0.0)  # even alpha = 0 may lose too much
    pruned = _prune(config, stage, scores, alpha, config.max_arcs)
    return _Trial(alpha, excess, int(pruned.keep.sum()), pruned, *points)


def _tuned_on(
    config: CascadeConfig, problem: Problem, points: tuple[np.ndarray, np.ndarray], pruned: Pruned
) -> np.ndarray:
    """The alphas from which what a tolerance counts is lost, without what had been lost before."""
    if config.tolerance_kind == "position":
        return points_of(pruned)[problem.truth[problem.truth >= 0]]
    return points[0 if config.by_definition else 1][problem.has_truth]


def _prune(
    config: CascadeConfig, stage: _Stage, scores: np.ndarray, alpha: float, max_arcs: int | None = None
) -> Pruned:
    if stage.by_pairs:
        return prune_states(stage.space.lattice, scores, alpha)
    lattice, on_nodes, by_marginals = stage.problem.lattice, config.on_nodes, config.method == "crf"
    return prune(lattice, scores, alpha, on_nodes=on_nodes, max_arcs=max_arcs, by_marginals=by_marginals)


def _held_out_curves(trial: _Trial) -> HeldOut:
    points = points_of(trial.pruned)
    steps = filtering.thinned(filtering.efficiency_curve(points, trial.pruned.starts), 500)
    return HeldOut(trial.by_definition, trial.event, steps.alpha, steps.value)


def _held_out_accuracy(
    problem: Problem,
    labels: np.ndarray,
    part: np.ndarray,
    config: CascadeConfig,
    fits: Sequence[Fit],
    rng: np.random.Generator,
    progress: _Progress,
) -> tuple[float, float]:
    models = [
        _fit_predictor(problem, np.flatnonzero(part != p), config, begin.model, rng, progress).model
        for p, begin in enumerate(fits[:-1])
    ]
    found = decode(problem.lattice, held_out_scores(problem, part, models)[0]).labels
    return accuracies(found, labels, problem.lattice.row_start)


def accuracies(found: np.ndarray, labels: np.ndarray, row_start: np.ndarray) -> tuple[float, float]:
    """(share of right positions, share of examples with all positions right)."""
    right = found == labels
    return float(right.mean()), float(np.logical_and.reduceat(right, row_start[:-1]).mean())


def _report(
    config: CascadeConfig,
    stage: _Stage,
    trial: _Trial,
    train_alpha: float,
    fits: Sequence[Fit],
    predictor: Fit,
    accuracy: tuple[float | None, float | None],
    order: int,
) -> LevelReport:
    problem, model = stage.problem, fits[-1].model
    lattice = problem.lattice
    columns = max(int(lattice.col_start[-1]), 1)
    seen = score_arcs(stage.space.lattice, unary_scores(problem.features, model.weights), model.table)
    kept = _prune(config, stage, seen, trial.alpha).keep
    lost = ~problem.has_truth | ~_all_kept(lattice, problem.truth, kept)
    was_pruned = ~problem.has_truth | ~_all_kept(lattice, problem.truth, trial.pruned.keep)
    return LevelReport(
        order=order,
        train_alpha=train_alpha,
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
        position_loss=float(1 - _kept_truth(problem.truth, trial.pruned.keep).mean()),
    )


def _all_kept(lattice: Lattice, truth: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.logical_and.reduceat(_kept_truth(truth, keep), lattice.col_start[:-1])


def _kept_truth(truth: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return (truth >= 0) & keep[truth]


class Step(NamedTuple):
    """One level of a run.

    Attributes
    ----------
    lattice : Lattice
        Before this level's pruning.
    arc_score : ndarray, shape (A,)
        Under the filter; at a first level by pairs of states the states' max-marginals.
    pruned : Pruned
    """

    lattice: Lattice
    arc_score: np.ndarray
    pruned: Pruned


def filter_examples(
    cascade: Cascade,
    features: Features,
    lengths: np.ndarray,
    n_levels: int | None = None,
    alphas: Sequence[float] | None = None,
    *,
    allowed: np.ndarray | None = None,
) -> Iterator[Step]:
    """Run the filters: yields a `Step` per level, then the lattice that is left for the predictor.

    Parameters
    ----------
    cascade : Cascade
    features : DenseRows or SparseRows
    lengths : ndarray of int, shape (W,)
    n_levels : int, optional
        Levels that filter; all by default.
    alphas : sequence of float, optional
        Instead of the tuned ones.

    Yields
    ------
    Step

    References
    ----------
    Weiss (2013), thesis, Algorithm 1.
    """
    most = len(cascade.levels)
    n_levels = most if n_levels is None else checks.integer("n_levels", n_levels, 0, most)
    if alphas is not None and len(alphas) < n_levels:
        raise ArgumentError(f"alphas must hold one number for each of {n_levels} levels, got {alphas!r:.60}")
    if allowed is not None and cascade.first_order == 2:
        raise ArgumentError("allowed must be None where a bigram model filters states first")
    lattice = unigrams(lengths, cascade.n_states, allowed)
    for t, level in enumerate(cascade.levels[:n_levels]):
        unary = unary_scores(features, level.filter.weights)
        alpha = level.alpha if alphas is None else alphas[t]
        if t == 0 and cascade.first_order == 2:
            pairs = all_bigrams(lengths, cascade.n_states)
            arc_score = score_arcs(pairs, unary, level.filter.table)
            pruned = prune_states(pairs, arc_score, alpha)
            arc_score = pruned.values
        else:
            arc_score = score_arcs(lattice, unary, level.filter.table)
            pruned = _prune_as(cascade, lattice, arc_score, alpha)
        yield Step(lattice, arc_score, pruned)
        lattice = extend(lattice, pruned.keep)


def _prune_as(cascade: Cascade, lattice: Lattice, arc_score: np.ndarray, alpha: float) -> Pruned:
    return prune(
        lattice,
        arc_score,
        alpha,
        on_nodes=cascade.on_nodes,
        max_arcs=cascade.max_arcs,
        by_marginals=cascade.by_marginals,
    )


def predict(level: Level, lattice: Lattice, features: Features) -> Paths:
    """Best path under a level's predictor within a lattice of its order; see `Paths`."""
    unary = unary_scores(features, level.predictor.weights)
    return decode(lattice, score_arcs(lattice, unary, level.predictor.table))


def decode_examples(
    cascade: Cascade,
    features: Features | None,
    lengths: np.ndarray,
    *,
    unaries: Sequence[np.ndarray] | None = None,
) -> BatchDecoded:
    """Filter and predict, keeping nothing on the way: the same labels as the last level of `filter_examples`.

    The first filter reads a table of all states; every later model scores the states that are left.

    Parameters
    ----------
    cascade : Cascade
        Of at least two levels; the last one only predicts.
    features : DenseRows or SparseRows
    lengths : ndarray of int, shape (W,)
    unaries : sequence of ndarray, shape (R, K), optional
        One table a level, of its filter (the last: its predictor), instead of scoring features.

    Returns
    -------
    BatchDecoded

    Raises
    ------
    ArgumentError
        If the cascade has a single level, or the tables are not one a level.
    ShapeError
        If a table does not fit.
    """
    levels = cascade.levels
    if len(levels) < 2:
        raise ArgumentError(f"cascade must have at least 2 levels, got {len(levels)}")
    if unaries is not None and len(unaries) != len(levels):
        raise ArgumentError(f"unaries must hold {len(levels)} tables, one a level, got {len(unaries)}")
    lengths = checks.lengths(lengths, 2**31 - 1)
    row_start = np.concatenate([[0], np.cumsum(lengths)])

    if unaries is None:
        rows = checked(features)

        def scores(t: int, model: Model, allowed: np.ndarray | None) -> np.ndarray:
            return scores_where(rows, model.packed_weights, allowed)
    else:

        def scores(t: int, model: Model, allowed: np.ndarray | None) -> np.ndarray:
            return unaries[t]

    left = _first_left(cascade, scores(0, levels[0].filter, None), row_start)
    if not (cascade.on_nodes or cascade.by_marginals):

        def checked_scores(t: int, model: Model, allowed: np.ndarray | None) -> np.ndarray:
            return _fitting(scores(t, model, allowed), left.shape)

        decoded = _decode_fans(
            cascade, checked_scores, row_start, left, unaries is None and isinstance(features, SparseRows)
        )
        if decoded is not None:
            return decoded
    lattice = bigrams(lengths, cascade.n_states, left)
    for t, level in enumerate(levels[1:-1], start=1):
        arc_score = score_arcs(lattice, scores(t, level.filter, left), level.filter.table)
        if t == 1 and cascade.on_nodes:
            left = keep_states(lattice, arc_score, level.alpha, left, by_marginals=cascade.by_marginals)
            lattice = bigrams(lengths, cascade.n_states, left)
            lattice = extend(lattice, np.ones(lattice.n_arcs, dtype=bool))
            continue
        lattice = extend(lattice, _prune_as(cascade, lattice, arc_score, level.alpha).keep)
        left = states_left(lattice)
    predictor = levels[-1].predictor
    unary = scores(len(levels) - 1, predictor, left)
    found = decode(lattice, score_arcs(lattice, unary, predictor.table))
    return BatchDecoded(found.scores, found.labels)


def _decode_fans(
    cascade: Cascade,
    scores: Callable[[int, Model, np.ndarray | None], np.ndarray],
    row_start: np.ndarray,
    left: np.ndarray,
    by_state: bool,
) -> BatchDecoded | None:
    """`decode_examples` behind the first filter without lattices; None where `prune` has to decide.

    `by_state`: scoring some states costs less than scoring all of them.
    """
    levels = cascade.levels
    fan = first_fan(row_start, left)
    for t, level in enumerate(levels[1:-1], start=1):
        unary = scores(t, level.filter, left if by_state else None)
        left = np.zeros_like(left) if by_state else left[:0]
        next_fan = advance(fan, unary, level.filter.rows, level.alpha, cascade.max_arcs, left)
        if next_fan is None:
            return None
        fan = next_fan
    predictor = levels[-1].predictor
    unary = scores(len(levels) - 1, predictor, left if by_state else None)
    return BatchDecoded(*finish(fan, unary, predictor.rows))


def _fitting(unary: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    unary = checks.scores("unary", unary, 2)
    if unary.shape != shape:
        raise ShapeError(f"unary has shape {unary.shape}; the cascade's examples need {shape}")
    return unary


def _first_left(cascade: Cascade, unary: np.ndarray, row_start: np.ndarray) -> np.ndarray:
    """What the first level leaves, as a mask of states, shape (R, K)."""
    level = cascade.levels[0]
    if cascade.first_order == 2:
        return keep_by_bigrams(unary, row_start, level.filter.pairs, level.alpha)
    if level.filter.table.has_end:
        unary = unary.copy()  # it may be the caller's
        unary[row_start[1:] - 1] += level.filter.pairs.single
    return keep_unaries(unary, row_start, level.alpha, by_marginals=cascade.by_marginals)


def positions_kept(lattice: Lattice, keep: np.ndarray, labels: np.ndarray) -> float:
    """Share of the true n-grams, over all positions, that are in the lattice and kept."""
    return float(_kept_truth(path_of(lattice, labels), keep).mean())


def survives(lattice: Lattice, keep: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each example's truth is in the lattice and kept, shape (W,) bool."""
    return _all_kept(lattice, path_of(lattice, labels), keep)

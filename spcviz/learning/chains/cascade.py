"""Train a cascade whose first level is a chain model: it filters states; n-grams grow among the survivors.

Level 0 is a CRF (or an averaged perceptron) on all pairs of states; it filters states by their
max-marginals (thesis 4.5.1), and then pairs, on lattices of the states that are left. Each level of order
n >= 3 is a perceptron on the n-grams that are left, started from the pair model. Nothing of size R K^2 is
stored. As in `spcviz.learning.cascade.cascade`, every alpha is tuned, and every lattice to train on is
pruned, with models that have not seen the example: one for each of `parts` parts, learned on the others.

The result is a `Cascade` with ``first_order=2``, as `decode_examples` runs it.

Filters are tuned by whether the truth survives, so every label must exist. `with_all_labels` predicts missing
ones by a chain CRF that was trained on the other parts (all labellings that agree with the known labels
count, as in `spcviz.learning.chains.crf`): the best labelling among those that agree with the sequence's own
labels.
"""

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.ngrams.lattice import unigrams
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.config import Cascade, CascadeConfig, Level
from spcviz.learning.cascade.features import Features
from spcviz.learning.cascade.level import CascadeTrainer, TrainingProgress
from spcviz.learning.cascade.online import Model
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights, agreeing, blocks_of, forbid, take_examples
from spcviz.learning.chains.crf_training import Which, fit_crf
from spcviz.learning.chains.longer import (
    Worth,
    fit_longer,
    level_of,
    right_by_chain,
    right_by_grams,
    tune_level,
    worth_of,
)
from spcviz.learning.chains.perceptron import fit_perceptron
from spcviz.learning.chains.survivors import Space, StateValues, state_values, states_left

PAIR_MODELS = ("crf", "perceptron")

CRF_ITERATIONS = 30
"""Iterations of the pair models: filters gain nothing from the last digits."""

ITERATIONS = 50
"""Iterations of the models that predict missing labels."""

Run = Callable[[Callable[..., Any], list[tuple[Any, ...]]], list[Any]]
"""Runs ``function(*job)`` for every job and returns the results in order."""


def one_by_one(function: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> list[Any]:
    """Run one job after another, in this process.

    Examples
    --------
    >>> one_by_one(max, [(1, 2), (3, 0)])
    [2, 3]
    """
    return [function(*job) for job in jobs]


class PairModel(NamedTuple):
    """The model of the first level."""

    # {"crf", "perceptron"}: a CRF's max-marginals separate true states from hopeless ones far better: at the
    # same loss it leaves half as many states; a perceptron trains faster
    kind: str = "crf"
    c2: float = 0.3  # of the CRF; see `spcviz.learning.chains.crf_training.fit_crf`
    # (3, K, K) bool: steps that no labelling takes, at any level; see
    # `spcviz.learning.chains.crf.loss_and_gradient`
    forbidden: np.ndarray | None = None
    n_edges: int = 0  # number of edge features, the last; see `spcviz.learning.chains.crf_training.Which`


CRF = PairModel()


class LevelFigures(NamedTuple):
    """Held-out figures of one filter, from training."""

    order: int  # of what is filtered: 1 states, 2 pairs, ...
    alpha: float  # the rule's setting: an alpha, a probability, or minus a margin
    lost: float  # share of examples that have lost their truth, at this level or before
    kept: float  # states or n-grams left for each position


class ChainCascade(NamedTuple):
    """What `train_chain_cascade` returns: the cascade, figures of its filters, the last level's gain."""

    cascade: Cascade
    figures: tuple[LevelFigures, ...]
    worth: Worth | None = None


def train_chain_cascade(
    examples: Examples,
    features: Features,
    rng: np.random.Generator,
    *,
    tolerances: tuple[float, ...],
    config: CascadeConfig,
    pair_model: PairModel = CRF,
    groups: np.ndarray | None = None,
    weighs: bool = False,
    run: Run = one_by_one,
    tick: Callable[[str], object] | None = None,
) -> ChainCascade:
    """Train a cascade whose first level is a chain model.

    Parameters
    ----------
    examples : Examples
        Every label known, no example empty.
    features : DenseRows or SparseRows
        The same rows in the form that the lattices' learners read.
    tolerances : tuple of float
        Share of examples that may lose their truth to each filter: of states, of pairs, ...; what counts is
        ``config.tolerance_kind``. The last level, which predicts, has an order one above their number.
    config : CascadeConfig
        ``parts``, ``predictor_epochs``, ``predictor_rate``, ``gram_rate``, ``max_arcs`` and
        ``tolerance_kind`` are read. ``max_arcs`` applies to pairs, too.
    groups : ndarray of int, shape (W,), optional
        Examples of one group fall into the same part; 0, 1, ...
    weighs : bool
        Train the last level without the first part, too, and measure its gain there (`Worth`).
    run : callable
        Runs a function on many independent jobs; `one_by_one` by default.
    tick : callable, optional
        Called with a short text after each model and each pass.

    Raises
    ------
    ArgumentError
        If there are fewer examples than parts, or a setting is out of range.

    References
    ----------
    Weiss (2013), thesis, Algorithm 2 and section 4.5.1.
    """
    order = checks.integer("the number of tolerances", len(tolerances), 1, 11) + 1
    checks.one_of("pair_model", pair_model.kind, PAIR_MODELS)
    n, n_examples = examples.n_states, len(examples.weights)
    if n_examples < config.parts:
        raise ArgumentError(f"parts must be from 2 to {n_examples} (the examples), got {config.parts}")
    kinship = np.arange(n_examples) if groups is None else groups
    part = rng.permutation(np.arange(kinship.max() + 1) % config.parts)[kinship]
    progress = TrainingProgress(tick, "states")
    pairs = _pair_models(examples, part, pair_model, CascadeTrainer(config, rng, progress), run)
    alpha, left, lost, first_gap = _filter_states(
        examples, part, pairs[:-1], tolerances[0], config, pair_model.forbidden
    )
    worth = None
    figures = [LevelFigures(1, alpha, lost, float(left.sum() / max(len(left), 1)))]
    models = [model_of(weights) for weights in pairs]
    levels = [Level(models[-1], alpha, models[-1])]
    survivors = unigrams(np.diff(examples.row_start), n, left)
    steps = None if pair_model.forbidden is None else pair_model.forbidden[1]
    aside = np.flatnonzero(part == 0)
    by_first = right_by_chain(examples, aside, pairs[0], pair_model.forbidden) if weighs else None
    del pairs, left
    for level in range(2, order + 1):
        progress.label = f"order {level}"
        space = Space(survivors, features, examples.labels, steps if level == 2 else None)
        if level > 2:
            parts = range(config.parts if level < order else 1 if weighs else 0)
            chosen = [*(np.flatnonzero(part != p) for p in parts), np.arange(n_examples)]
            begun = [*models[: len(parts)], models[-1]]
            dice = rng.spawn(len(chosen) if level < order else 1)
            if len(dice) < len(chosen):  # so that the model of all examples stays the same
                dice = rng.spawn(1) + dice
            trainers = [CascadeTrainer(config, child, progress) for child in dice]
            models = run(fit_longer, list(zip(repeat(level_of(space)), chosen, trainers, begun)))
        if level == order:
            if by_first is not None:
                by_last = right_by_grams(space, aside, models[0])
                worth = worth_of(order, by_first, by_last, np.diff(examples.row_start)[aside])
            levels.append(Level(models[-1], 0.0, models[-1]))
            break
        filtered = tune_level(space, part, config, models[:-1], tolerances[level - 1], first_gap)
        levels.append(Level(models[-1], filtered.alpha, models[-1]))
        figures.append(LevelFigures(level, filtered.alpha, float(filtered.is_lost.mean()), filtered.kept))
        survivors = filtered.survivors
    cascade = Cascade(n, tuple(levels), False, config.max_arcs, False, 2, config.rule)
    return ChainCascade(cascade, tuple(figures), worth)


def with_all_labels(examples: Examples, part: np.ndarray, *, c2: float, which: Which) -> np.ndarray:
    """Labels (R,), known ones unchanged; sequences of each part (W,) are read by a model of the other parts.

    Raises
    ------
    ArgumentError
        If the sequences of all other parts have no known label.
    InfeasibleError
        If the forbidden steps leave a sequence no labelling that agrees with its labels.
    """
    labels = examples.labels.copy()
    is_open = np.add.reduceat(labels < 0, examples.row_start[:-1]) > 0
    shapes = (layouts.n_features(examples.rows), examples.n_states), (examples.n_states,) * 2
    # What leaves no labelling is refused before training.
    _read(examples, np.flatnonzero(is_open), Weights(*map(np.zeros, shapes)), which)
    for p in np.unique(part[is_open]):
        others = take_examples(examples, np.flatnonzero(part != p))
        if (others.labels < 0).all():
            raise ArgumentError("y must have known labels in more than one part of cv, got them in one")
        weights = fit_crf(others, c2=c2, max_iterations=ITERATIONS, which=which).weights
        chosen = np.flatnonzero(is_open & (part == p))
        rows = layouts.ranges(examples.row_start[chosen], np.diff(examples.row_start)[chosen])
        labels[rows] = _read(examples, chosen, weights, which)
    return labels


def _pair_models(
    examples: Examples, part: np.ndarray, how: PairModel, trainer: CascadeTrainer, run: Run
) -> list[Weights]:
    """A chain model without each part, then one of all examples."""
    chosen = [np.flatnonzero(part != p) for p in range(trainer.config.parts + 1)]
    trainers = [trainer._replace(rng=child) for child in trainer.rng.spawn(len(chosen))]
    return run(_pair_model, list(zip(repeat(examples), chosen, repeat(how), trainers)))


def _pair_model(examples: Examples, chosen: np.ndarray, how: PairModel, trainer: CascadeTrainer) -> Weights:
    """A chain model of some examples."""
    subset = examples if len(chosen) == len(examples.weights) else take_examples(examples, chosen)

    def tick(_n: int, _loss: float) -> None:
        trainer.progress()

    if how.kind == "crf":
        which = Which(forbidden=how.forbidden, n_edges=how.n_edges)
        course = fit_crf(subset, c2=how.c2, max_iterations=CRF_ITERATIONS, which=which, tick=tick)
        weights, was_interrupted = course.weights, course.was_interrupted
    else:
        epochs = trainer.config.predictor_epochs
        walked = fit_perceptron(subset, trainer.rng, epochs=epochs, forbidden=how.forbidden, tick=tick)
        weights, was_interrupted = walked.running.average, walked.was_interrupted
    if was_interrupted:
        raise KeyboardInterrupt
    return weights


def _filter_states(
    examples: Examples,
    part: np.ndarray,
    models: list[Weights],
    tolerance: float,
    config: CascadeConfig,
    forbidden: np.ndarray | None,
) -> tuple[float, np.ndarray, float, np.ndarray]:
    """(setting, states left (R, K) bool, share of examples that lose their truth, gaps (W,)), held out.

    Max-marginals are computed twice, a few examples at a time: no table of them is stored.
    """
    left = np.empty((len(examples.labels), examples.n_states), dtype=bool)
    of_truth, row_start = np.empty(len(left)), examples.row_start
    gaps = np.empty(len(row_start) - 1)
    for marginals, rows, some in _held_out(examples, part, models, forbidden, config.rule):
        of_truth[rows] = marginals.points()[np.arange(len(rows)), examples.labels[rows]]
        gaps[some] = marginals.gaps()
    event = np.minimum.reduceat(of_truth, row_start[:-1])
    counted = of_truth if config.tolerance_kind == "position" else event
    alpha = rules.tune_setting(config.rule, counted, tolerance)
    for marginals, rows, _ in _held_out(examples, part, models, forbidden, config.rule):
        left[rows] = states_left(marginals, alpha, config.max_arcs)
    stays = left[np.arange(len(left)), examples.labels]
    return alpha, left, float((~np.logical_and.reduceat(stays, row_start[:-1])).mean()), gaps


def _held_out(
    examples: Examples,
    part: np.ndarray,
    models: list[Weights],
    forbidden: np.ndarray | None,
    rule: str,
) -> Iterator[tuple[StateValues, np.ndarray, np.ndarray]]:
    """(max-marginals, their rows, indices of the examples), one block of examples after another."""
    for p, weights in enumerate(models):
        chosen = np.flatnonzero(part == p)
        for first, last in blocks_of(
            np.concatenate([[0], np.cumsum(np.diff(examples.row_start)[chosen])]), examples.n_states
        ):
            some = chosen[first:last]
            block = take_examples(examples, some)
            unary = layouts.emissions(block.rows, weights.unary)
            rows = layouts.ranges(examples.row_start[some], np.diff(block.row_start))
            yield state_values(unary, block.row_start, weights.pairwise, forbidden, rule), rows, some


def _read(examples: Examples, chosen: np.ndarray, weights: Weights, which: Which) -> np.ndarray:
    """The best labels of some chains among those that agree with the known ones, chain after chain."""
    some, read, steps = take_examples(examples, chosen), [], weights.pairwise
    if which.forbidden is not None:
        steps = np.where(which.forbidden[1], -np.inf, steps)
    for first, last in blocks_of(some.row_start, some.n_states):
        a, b = some.row_start[first], some.row_start[last]
        unary = layouts.emissions(layouts.part(some.rows, a, b), weights.unary)
        if which.forbidden is not None:
            forbid(unary, some.row_start[first : last + 1] - a, which.forbidden)
        agreed = agreeing(some, slice(a, b), unary)
        lengths = np.diff(some.row_start[first : last + 1])
        best = chain.decode_batch(unary if agreed is None else agreed, lengths, steps)
        if best.scores.min() == -np.inf:
            w = chosen[first + int(best.scores.argmin())]
            raise InfeasibleError(f"no labelling of sequence {w} agrees with its labels and the constraints")
        read.append(best.labels)
    return np.concatenate([np.zeros(0, np.int64), *read])


def model_of(weights: Weights) -> Model:
    """A chain's weights as an n-gram model.

    Examples
    --------
    >>> model = model_of(Weights(np.ones((1, 2)), np.array([[0.0, 0.5], [0.0, 0.0]])))
    >>> model.keys.tolist(), model.values.tolist()
    ([6], [0.5])
    """
    n = weights.pairwise.shape[0]
    codes = (np.arange(1, n + 1)[:, None] << symbol_bits(n)) + np.arange(1, n + 1)
    used = np.flatnonzero(weights.pairwise)
    return Model(weights.unary, codes.reshape(-1)[used], weights.pairwise.reshape(-1)[used])

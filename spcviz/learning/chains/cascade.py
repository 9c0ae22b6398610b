r"""A cascade that begins without a lattice: a chain model filters states, n-grams grow among the rest.

Level 0 is a CRF (or an averaged perceptron) on all pairs of states; it filters states by their
max-marginals (thesis 4.5.1), and then pairs, on lattices of the states that are left. Each level of order
n >= 3 is a perceptron on the n-grams that are left, begun at the pair model. Nothing of size R K^2 is laid
out. As in `spcviz.learning.cascade.cascade`, every alpha is tuned, and every lattice to train on is pruned,
with models that have not seen the example: one for each of `parts` parts, learned on the others.

The result is a `Cascade` with ``first_order=2``, as `decode_examples` runs it.
"""

from collections.abc import Callable
from itertools import repeat
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import bigrams, extend
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.engine.thresholds import filtering, rule
from spcviz.learning.cascade.config import Cascade, CascadeConfig, Level
from spcviz.learning.cascade.features import Features
from spcviz.learning.cascade.level import Progress, Stage, fit_predictor, tune
from spcviz.learning.cascade.online import Fit, Model, Problem, prepare
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.batch import fit_crf
from spcviz.learning.chains.crf import Examples, Weights, taken
from spcviz.learning.chains.perceptron import fit_perceptron

PAIR_MODELS = ("crf", "perceptron")

CRF_ITERATIONS = 30
"""Of the pair models: filters gain nothing from the last digits."""


Run = Callable[[Callable, list[tuple]], list]
"""Runs ``function(*job)`` for every job and returns the results in order."""


def one_by_one(function: Callable, jobs: list[tuple]) -> list:
    """One job after the other, here.

    Examples
    --------
    >>> one_by_one(max, [(1, 2), (3, 0)])
    [2, 3]
    """
    return [function(*job) for job in jobs]


class LevelFigures(NamedTuple):
    """What training found out about one filter, held out.

    Attributes
    ----------
    order : int
        Of what is filtered: 1 states, 2 pairs, ...
    alpha : float
    lost : float
        Share of examples that have lost their truth, at this level or before.
    kept : float
        States or n-grams left for each position.
    """

    order: int
    alpha: float
    lost: float
    kept: float


class ChainCascade(NamedTuple):
    """What `train_chain_cascade` returns: the cascade, and the figures of its filters."""

    cascade: Cascade
    figures: tuple[LevelFigures, ...]


def train_chain_cascade(
    examples: Examples,
    features: Features,
    rng: np.random.Generator,
    *,
    order: int,
    tolerances: tuple[float, ...],
    config: CascadeConfig,
    pair_model: str = "crf",
    c2: float = 0.3,
    groups: np.ndarray | None = None,
    run: Run = one_by_one,
    tick: Callable[[str], object] | None = None,
) -> ChainCascade:
    """Train a cascade whose first level is a chain model.

    Parameters
    ----------
    examples : Examples
        Every label known, no example empty.
    features : DenseRows or SparseRows
        The same rows as the lattices' learners read them.
    rng : numpy.random.Generator
    order : int
        Of the last level, which predicts; at least 2.
    tolerances : tuple of float, length `order` - 1
        Share of examples that may lose their truth to each filter: of states, of pairs, ...; what counts is
        ``config.tolerance_kind``.
    config : CascadeConfig
        ``parts``, ``predictor_epochs``, ``predictor_rate``, ``gram_rate``, ``max_arcs`` and
        ``tolerance_kind`` are read.
    pair_model : {"crf", "perceptron"}
        What the pair model is trained as. Max-marginals of a CRF part true states from hopeless ones far
        better: at the same loss it leaves half as many states; a perceptron trains faster.
    c2 : float
        Of the CRF; see `spcviz.learning.chains.batch.fit_crf`.
    groups : ndarray of int, shape (W,), optional
        Examples of one group fall into the same part; 0, 1, ...
    run : callable
        Runs a function of many jobs, which know nothing of each other; `one_by_one` by default.
    tick : callable, optional
        Called with a short text after each model and each pass.

    Returns
    -------
    ChainCascade

    Raises
    ------
    ArgumentError
        If there are fewer examples than parts, or a setting is out of range.

    References
    ----------
    Weiss (2013), thesis, Algorithm 2 and section 4.5.1.
    """
    order = checks.integer("order", order, 2, 12)
    if pair_model not in PAIR_MODELS:
        raise ArgumentError(f"pair_model must be one of {', '.join(PAIR_MODELS)}, got {pair_model!r}")
    if len(tolerances) != order - 1:
        raise ArgumentError(f"tolerances must hold {order - 1} numbers, one a filter, got {tolerances!r:.60}")
    n, n_examples = examples.n_states, len(examples.weights)
    if n_examples < config.parts:
        raise ArgumentError(f"parts must be from 2 to {n_examples} (the examples), got {config.parts}")
    kinship = np.arange(n_examples) if groups is None else groups
    part = rng.permutation(np.arange(kinship.max() + 1) % config.parts)[kinship]
    progress = Progress(tick, "states")
    pairs = _pair_models(examples, part, config, pair_model, c2, rng, progress, run)
    lengths = np.diff(examples.row_start)
    alpha, left, lost = _filter_states(examples, part, pairs[:-1], tolerances[0], config.tolerance_kind)
    figures = [LevelFigures(1, alpha, lost, float(left.sum() / max(len(left), 1)))]
    fits = [_as_fit(own) for own in pairs]
    levels = [Level(fits[-1].model, alpha, fits[-1].model)]
    lattice = bigrams(lengths, n, left)
    for level in range(2, order + 1):
        progress.label = f"order {level}"
        problem = prepare(lattice, features, examples.labels)
        if level > 2:
            chosen = [np.flatnonzero(part != p) for p in range(config.parts)] if level < order else []
            chosen.append(np.arange(n_examples))
            begin = fits[-len(chosen) :]
            own = chosen, repeat(config), begin, rng.spawn(len(chosen)), repeat(progress)
            fits = run(_grown, list(zip(repeat(problem), *own)))
        if level == order:
            levels.append(Level(fits[-1].model, 0.0, fits[-1].model))
            break
        stage = Stage(problem, problem, False)
        trial = tune(stage, examples.labels, part, config, fits, tolerances[level - 1])
        levels.append(Level(fits[-1].model, trial.alpha, fits[-1].model))
        is_lost = ~problem.has_truth | (trial.event <= trial.alpha)
        kept = trial.size / max(int(lattice.col_start[-1]), 1)
        figures.append(LevelFigures(level, trial.alpha, float(is_lost.mean()), kept))
        lattice = extend(lattice, trial.pruned.keep)
    return ChainCascade(Cascade(n, tuple(levels), False, config.max_arcs, False, 2), tuple(figures))


def _grown(
    problem: Problem,
    chosen: np.ndarray,
    config: CascadeConfig,
    begin: Fit,
    rng: np.random.Generator,
    progress: Progress,
) -> Fit:
    """A perceptron on longer n-grams, begun at a model of shorter ones."""
    return fit_predictor(problem, chosen, config, begin.model, rng, progress)


def _pair_models(
    examples: Examples,
    part: np.ndarray,
    config: CascadeConfig,
    kind: str,
    c2: float,
    rng: np.random.Generator,
    progress: Progress,
    run: Run,
) -> list[Weights]:
    """A chain model without each part, then one of all examples."""
    chosen = [np.flatnonzero(part != p) for p in range(config.parts + 1)]
    how = repeat(kind), repeat(c2), repeat(config.predictor_epochs)
    jobs = zip(repeat(examples), chosen, *how, rng.spawn(len(chosen)), repeat(progress))
    return run(_pair_model, list(jobs))


def _pair_model(
    examples: Examples,
    chosen: np.ndarray,
    kind: str,
    c2: float,
    epochs: int,
    rng: np.random.Generator,
    progress: Progress,
) -> Weights:
    """A chain model of some examples."""
    own = examples if len(chosen) == len(examples.weights) else taken(examples, chosen)
    if kind == "crf":
        course = fit_crf(own, c2=c2, max_iterations=CRF_ITERATIONS, tick=lambda _n, _loss: progress())
        weights, was_interrupted = course.weights, course.was_interrupted
    else:
        walked = fit_perceptron(own, rng, epochs=epochs, tick=lambda _epoch, _wrong: progress())
        weights, was_interrupted = walked.running.average, walked.was_interrupted
    if was_interrupted:
        raise KeyboardInterrupt
    return weights


def _filter_states(
    examples: Examples, part: np.ndarray, models: list[Weights], tolerance: float, kind: str
) -> tuple[float, np.ndarray, float]:
    """(alpha, mask of the states left (R, K), share of examples that lose their truth), held out."""
    n = examples.n_states
    values, best = np.empty((len(examples.labels), n)), np.empty(len(examples.labels), dtype=np.int64)
    owner = np.repeat(part, np.diff(examples.row_start))
    for p, weights in enumerate(models):
        own = taken(examples, np.flatnonzero(part == p))
        lengths = np.diff(own.row_start)
        unary = layouts.emissions(own.rows, weights.unary)
        values[owner == p] = chain.max_marginals_batch(unary, lengths, weights.pairwise).unary
        best[owner == p] = chain.decode_batch(unary, lengths, weights.pairwise).labels
    starts, rows = examples.row_start * n, np.arange(len(best))
    points = filtering.break_points_batch(values.reshape(-1), starts).reshape(values.shape)
    of_truth = points[rows, examples.labels]
    event = np.minimum.reduceat(of_truth, examples.row_start[:-1])
    alpha = filtering.largest_alpha(of_truth if kind == "position" else event, tolerance)
    limits = filtering.threshold_batch(values.reshape(-1), starts, np.full(len(event), alpha))
    left = rule.survives(values, np.repeat(limits.tau, np.diff(examples.row_start))[:, None])
    left[rows, best] = True
    return alpha, left, float((event <= alpha).mean())


def model_of(weights: Weights) -> Model:
    """A chain's weights as an n-gram model.

    Examples
    --------
    >>> found = model_of(Weights(np.ones((1, 2)), np.array([[0.0, 0.5], [0.0, 0.0]])))
    >>> found.keys.tolist(), found.values.tolist()
    ([6], [0.5])
    """
    n = weights.pairwise.shape[0]
    codes = (np.arange(1, n + 1)[:, None] << symbol_bits(n)) + np.arange(1, n + 1)
    used = np.flatnonzero(weights.pairwise)
    return Model(weights.unary, codes.reshape(-1)[used], weights.pairwise.reshape(-1)[used])


def _as_fit(weights: Weights) -> Fit:
    return Fit(model_of(weights), np.zeros(1))

r"""The model of SPC-pi, to filter and predict in any state of a controller (thesis (7.9), (4.8), 8.1).

A state of a word is an order and a tier for each position. Weights of a position depend on both,
(a, b, c) of tier t and order n: how much to trust the image, the counted letters before, and the images'
own frequencies in each. States are drawn anew at every visit: a number of actions, then that many actions
in random order, filtered as in use. One step descends on the sum of

- the filter's hinge :math:`\max(0, l + \tau_\alpha(x) - \psi(x, y))`, with the mean over all surviving arcs
- the predictor's, the perceptron's :math:`\max_{y'} \psi(x, y') - \psi(x, y)` over what survives

or, for two separate models, on one of the two. The average over all steps is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.thresholds import rule
from spcviz.engine.variable_order.start import NO_FILTER, begin, pair_tables
from spcviz.engine.variable_order.weights import VariableOrderWeights, gram_of, score_of
from spcviz.engine.variable_order.word import (
    MAX_ARCS,
    Word,
    decode_as,
    new_word,
    new_workspace,
    part_of,
    values_of,
)
from spcviz.learning.hybrid.courses import break_point, n_blocks, random_rollout
from spcviz.learning.hybrid.records import AdaptiveModel, WordBatch

N_LEAST = 40
"""Least number of true assignments from which an alpha is chosen."""


class AdaptivePart(NamedTuple):
    """Words, and weights to start from that were made without them."""

    batch: WordBatch
    weights: VariableOrderWeights


@dataclass(frozen=True)
class AdaptiveSettings:
    """How a model is trained."""

    epochs: int = 2
    rate: float = 0.002  # step size, on the loss per letter
    margin: float = 0.5  # a letter's share of the filter's margin l
    train_alpha: float = 0.2  # of the filter's hinge
    tolerance: float = 5e-3  # share of true assignments that one filter may lose
    rounds: int = 2  # number of times that alphas are tuned, each time with filters at the last ones
    visits: int = 1  # random courses per word that they are tuned on


def start_model(weights: VariableOrderWeights, predicts: VariableOrderWeights | None = None) -> AdaptiveModel:
    """A model that filters nothing yet."""
    n_tiers, n_orders = weights.ink.shape
    alphas = np.full(n_blocks(n_orders, n_tiers), NO_FILTER)
    return AdaptiveModel(
        weights, weights if predicts is None else predicts, predicts is None, alphas, NO_FILTER
    )


def with_weights(
    model: AdaptiveModel, ink: np.ndarray, text: np.ndarray, letter: np.ndarray
) -> AdaptiveModel:
    """The same model with other weights, both to filter and to predict."""
    weights = model.filters._replace(ink=ink, text=text, letter=letter)
    return model._replace(filters=weights, predicts=weights, is_one=True)


def fit(
    parts: Sequence[AdaptivePart],
    model: AdaptiveModel,
    settings: AdaptiveSettings,
    rng: np.random.Generator,
    *,
    share: tuple[float, float] = (1.0, 1.0),
) -> np.ndarray:
    """Learn the weights of all states: ink, text and letter, shape (3, T, N).

    Parameters
    ----------
    model : AdaptiveModel
        Weights to start from, and alphas of the filters that states come from. `predicts` is learned;
        `filters` filters throughout if the filter's share is 0, else the learned weights do.
    share : (float, float)
        Factors of the filter's hinge and of the predictor's: (1, 1) for one model, (1, 0) and (0, 1) for two.
    """
    theta = np.stack([model.predicts.ink, model.predicts.text, model.predicts.letter])
    total, seen = np.zeros_like(theta), 0
    for _ in range(checks.integer("epochs", settings.epochs, 1, 1000)):
        for part in parts:
            starts = part.batch.starts
            order = rng.permutation(len(starts) - 1)
            noise = rng.random((len(part.batch.labels), len(model.alphas)))
            n_actions = (rng.random(len(starts) - 1) * (np.diff(starts) * model.alphas.shape[0] + 1)).astype(
                int
            )
            part_model = model._replace(
                filters=weights_for(part.weights, model.filters), predicts=part.weights
            )
            hinge = np.array([*share, settings.margin, settings.train_alpha, settings.rate])
            _pass(part.batch, part_model, noise, order, n_actions, hinge, theta, total)
            seen += len(order)
    return total / seen


def weights_for(counted: VariableOrderWeights, weights: VariableOrderWeights) -> VariableOrderWeights:
    """One part's counts with another model's weights of states."""
    return counted._replace(ink=weights.ink, text=weights.text, letter=weights.letter)


def of_part(part: AdaptivePart, model: AdaptiveModel) -> AdaptiveModel:
    """The model as it reads a part: with n-grams counted without its words."""
    filters = weights_for(part.weights, model.filters)
    return model._replace(filters=filters, predicts=weights_for(part.weights, model.predicts))


def tune(
    parts: Sequence[AdaptivePart], model: AdaptiveModel, settings: AdaptiveSettings, rng: np.random.Generator
) -> AdaptiveModel:
    """Tune every block's alpha: the largest that loses at most the tolerated share of unseen truths."""
    first = [first_points(part.batch, weights_for(part.weights, model.filters)) for part in parts]
    model = model._replace(first_alpha=_largest(np.concatenate(first), settings.tolerance))
    for _ in range(settings.rounds):
        every = [_wander_points(part, model, rng) for part in parts for _ in range(settings.visits)]
        points, alphas = np.concatenate(every), np.full_like(model.alphas, NO_FILTER)
        for b in range(len(alphas)):
            here = points[(points[:, 0] == b) & (points[:, 1] > -np.inf), 1]
            alphas[b] = _largest(here, settings.tolerance)
        model = model._replace(alphas=alphas)
    return model


def _largest(points: np.ndarray, tolerance: float) -> float:
    """The largest alpha that at most a share of points lie at or below; no filter if there are few points.

    Examples
    --------
    >>> bool(0.29 < _largest(np.array([0.1, 0.3, 0.5, 0.7] * 10), 0.25) < 0.3)
    True
    >>> _largest(np.array([0.1, 0.3]), 0.0)
    -inf
    """
    if len(points) < N_LEAST:
        return NO_FILTER
    limit = float(np.sort(points)[min(int(tolerance * len(points)), len(points) - 1)])
    return min(np.nextafter(limit, -np.inf), 1.0)


def _wander_points(part: AdaptivePart, model: AdaptiveModel, rng: np.random.Generator) -> np.ndarray:
    noise = rng.random((len(part.batch.labels), len(model.alphas)))
    part_model = model._replace(filters=weights_for(part.weights, model.filters))
    return _points(part.batch, part_model, noise)


@kernel
def _points(batch: WordBatch, model: AdaptiveModel, noise: np.ndarray) -> np.ndarray:
    """Break points of true assignments along random courses; rows of `random_rollout`."""
    unary, truth, starts = batch
    longest, width = (starts[1:] - starts[:-1]).max(), noise.shape[1]
    every, space, pairs = new_word(longest, MAX_ARCS), new_workspace(MAX_ARCS), pair_tables(model.filters)
    out, n = np.empty((len(truth) * width, 2)), 0
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        word, points = part_of(every, b - a), out[n : n + (b - a) * width]
        n += random_rollout(
            word, unary[a:b], model, pairs, noise[a:b], len(points), truth[a:b], space, points
        )
    return out[:n]


@kernel
def first_points(batch: WordBatch, weights: VariableOrderWeights) -> np.ndarray:
    """The alpha from which each true pair of letters is lost by the first filter, shape (R - W,)."""
    unary, truth, starts = batch
    space, out, n, pairs = new_workspace(MAX_ARCS), np.empty(len(truth)), 0, pair_tables(weights)
    every, bits = new_word((starts[1:] - starts[:-1]).max(), MAX_ARCS), weights.table.bits
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        word = part_of(every, b - a)
        gap = begin(word, unary[a:b], weights, pairs, NO_FILTER, space)
        for i in range(1, b - a):
            values_of(word, i, bits, space)
            out[n] = break_point(word, i, truth[a:b], gap, bits, space)
            n += 1
    return out[:n]


@kernel
def _pass(
    batch: WordBatch,
    model: AdaptiveModel,
    noise: np.ndarray,
    order: np.ndarray,
    n_actions: np.ndarray,
    hinge: np.ndarray,
    theta: np.ndarray,
    total: np.ndarray,
) -> None:
    """One pass; changes theta in place and adds it to total after every word."""
    unary, truth, starts = batch
    for_filter, for_reading, margin, alpha, rate = hinge
    given, counted = model.filters, model.predicts
    moving = VariableOrderWeights(
        theta[0], theta[1], theta[2], counted.single, counted.first, counted.frequency, counted.table
    )
    filters = moving if for_filter > 0.0 else given  # a predictor alone learns after a fixed filter
    model = AdaptiveModel(filters, moving, False, model.alphas, model.first_alpha)
    longest = (starts[1:] - starts[:-1]).max()
    every, space, nothing = new_word(longest, MAX_ARCS), new_workspace(MAX_ARCS), np.empty((0, 2))
    pairs = pair_tables(filters)
    counts, through = np.empty((longest, MAX_ARCS)), np.empty((longest + 1, MAX_ARCS))
    labels, grad, mean = np.empty(longest, np.int64), np.zeros(theta.shape), np.zeros(theta.shape)
    for w in order:
        a, b = starts[w], starts[w + 1]
        word_unary, word, true = unary[a:b], part_of(every, b - a), truth[a:b]
        random_rollout(word, word_unary, model, pairs, noise[a:b], n_actions[w], true, space, nothing)
        grad[:] = 0.0
        best = decode_as(word, word_unary, moving, labels)
        right = add_labels(word, word_unary, moving, true, 0.0, grad)
        if for_reading > 0.0 and best > right:
            add_labels(word, word_unary, moving, true, for_reading, grad)
            add_labels(word, word_unary, moving, labels, -for_reading, grad)
        if for_filter > 0.0:
            mean[:] = 0.0
            middle = best + mean_of_witnesses(word, word_unary, moving, counts, through, mean)
            if margin * (b - a) + rule.mixture(best, middle, alpha) > right:
                add_labels(word, word_unary, moving, true, for_filter, grad)
                add_labels(word, word_unary, moving, labels, -for_filter * alpha, grad)
                grad -= for_filter * rule.mixture(0.0, 1.0, alpha) * mean
        theta += rate / (b - a) * grad
        total += theta


@kernel
def add_labels(
    word: Word,
    unary: np.ndarray,
    weights: VariableOrderWeights,
    labels: np.ndarray,
    share: float,
    grad: np.ndarray,
) -> float:
    """Add a share of a labelling's features in a word's state to grad (3, T, N); returns its score."""
    bits, total = weights.table.bits, 0.0
    for i in range(len(unary)):
        tier, order = word.tier[i], word.order[i]
        code = np.int64(0)
        for j in range(i - order + 1, i + 1):
            code = (code << bits) + labels[j] + 1
        gram = gram_of(weights, code, order, i == 0, i == len(unary) - 1)
        _add(grad, share, unary[i, tier, labels[i]], gram, weights.frequency[labels[i]], tier, order)
        total += score_of(weights, unary[i, tier, labels[i]], gram, labels[i], tier, order)
    return total


@kernel
def _add(
    grad: np.ndarray, share: float, seen: float, gram: float, frequency: float, tier: int, order: int
) -> None:
    grad[0, tier, order - 1] += share * seen
    grad[1, tier, order - 1] += share * gram
    grad[2, tier, order - 1] += share * frequency


@kernel
def mean_of_witnesses(
    word: Word,
    unary: np.ndarray,
    weights: VariableOrderWeights,
    counts: np.ndarray,
    through: np.ndarray,
    mean: np.ndarray,
) -> float:
    """Mean features of the best words through every surviving arc, added to mean (3, T, N).

    Returns the mean max-marginal of the arcs, less the best. Each arc counts once; a node passes the count
    through it on along its best arc to the left, and along that to the right. counts, through: buffers.
    """
    length, mask = len(unary), (np.int64(1) << weights.table.bits) - 1
    below, n_arcs = 0.0, 0
    for i in range(length):
        best = -np.inf
        for a in range(word.n_arcs[i]):
            counts[i, a] = word.forward[i, word.tail[i, a]] + word.score[i, a]
            counts[i, a] += word.backward[i + 1, word.head[i, a]]
            best = max(best, counts[i, a])
        for a in range(word.n_arcs[i]):
            below += counts[i, a] - best
        n_arcs += word.n_arcs[i]
        counts[i, : word.n_arcs[i]] = 1.0
    for way in (-1, 1):
        for b in range(length + 1):
            through[b, : word.n_nodes[b]] = 0.0
        for step in range(length):
            i = length - 1 - step if way < 0 else step
            near, far = (word.head, word.tail) if way < 0 else (word.tail, word.head)
            behind = word.forward[i] if way < 0 else word.backward[i + 1]
            at, to = (i + 1, i) if way < 0 else (i, i + 1)
            _send(near[i], far[i], word.score[i], word.n_arcs[i], behind, through[at], through[to], counts[i])
    for i in range(length):
        for a in range(word.n_arcs[i]):
            k, share = (word.code[i, a] & mask) - 1, counts[i, a] / n_arcs
            seen = unary[i, word.tier[i], k]
            _add(mean, share, seen, word.gram[i, a], weights.frequency[k], word.tier[i], word.order[i])
    return below / n_arcs


@kernel
def _send(
    near: np.ndarray,
    far: np.ndarray,
    score: np.ndarray,
    n_arcs: int,
    behind: np.ndarray,
    through: np.ndarray,
    beyond: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Pass the count through each near node on along its best arc; every arc adds 1 at its far node."""
    n = 0
    for a in range(n_arcs):
        n = max(n, near[a] + 1)
    best, chosen = np.full(n, -np.inf), np.zeros(n, np.int64)
    for a in range(n_arcs):
        value = behind[far[a]] + score[a]
        if value > best[near[a]]:
            best[near[a]], chosen[near[a]] = value, a
        beyond[far[a]] += 1.0
    for v in range(n):
        counts[chosen[v]] += through[v]
        beyond[far[chosen[v]]] += through[v]

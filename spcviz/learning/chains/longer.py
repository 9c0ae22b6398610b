r"""The later levels of a cascade on chains: perceptrons on n-grams, their filters, and whether they pay.

`fit_longer` and `tune_level` do what `cascade.level` does for a lattice that is built in full, with the same
results; only n-grams whose weights have moved are stored.

The last level pays if its gain over the first model, g, is above its standard error, s:

.. math:: g = \frac{\sum_w d_w}{\sum_w L_w}, \qquad
          s^2 = \frac{n}{n - 1} \, \frac{\sum_w (d_w - g L_w)^2}{(\sum_w L_w)^2}

with :math:`d_w` the number of additional positions of example w that the last level gets right. A gain of
less than a standard error may as well be a loss elsewhere. Legend: n examples of lengths L_w, all from one
part, which neither the models compared nor the filters before them have seen.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.chains.chain import decode_batch
from spcviz.engine.ngrams.lattice import Lattice, decode, extend, path_of, score_arcs
from spcviz.engine.ngrams.prune import points_of, prune, truth_points
from spcviz.engine.thresholds import rules
from spcviz.learning.cascade.config import CascadeConfig
from spcviz.learning.cascade.decoding import all_kept
from spcviz.learning.cascade.features import mean_squared_norm, unary_scores
from spcviz.learning.cascade.level import CascadeTrainer, fit_predictor
from spcviz.learning.cascade.losses import Perceptron, scratch
from spcviz.learning.cascade.online import Model, Rates, add_to_sum, carried_over, checked_step
from spcviz.learning.cascade.problem import LevelProblem, Moving, run_epoch
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights, forbid, take_examples
from spcviz.learning.chains.survivors import Space, join_lattices, take_lattices


class OrderLevel(NamedTuple):
    """One order's space, and the data that all its models share."""

    space: Space
    whole: LevelProblem | None  # of all examples, where that may be built at once
    # (S,) int64: else codes of the n-grams of lower orders in the space, rising: the only ones that a model
    # takes over from the one it starts from
    shorter: np.ndarray


def level_of(space: Space) -> OrderLevel:
    """A level on which models are to be trained."""
    batches = space.batches(np.arange(space.n_examples))
    if len(batches) == 1:
        return OrderLevel(space, space.problem(batches[0]), np.zeros(0, np.int64))
    shorter = np.zeros(0, np.int64)
    limit = 1 << space.survivors.bits * int(space.survivors.order.max())
    for chosen in batches:
        keys = space.problem(chosen).keys
        shorter = np.union1d(shorter, keys[keys < limit])
    return OrderLevel(space, None, shorter)


def fit_longer(level: OrderLevel, chosen: np.ndarray, trainer: CascadeTrainer, begin: Model) -> Model:
    """A perceptron on the chosen examples, started from a model of shorter n-grams."""
    if level.whole is not None:
        return fit_predictor(level.whole, chosen, trainer, begin).model
    config, rng, progress = trainer
    space, rates = level.space, Rates(config.predictor_rate, config.gram_rate)
    step = checked_step(rates, mean_squared_norm(space.features) or 1.0)
    chosen = chosen[space.has_truth()[chosen]]
    initial = begin if config.warm_predictor else None
    shape = begin.weights.shape
    weights = np.zeros(shape) if initial is None else begin.weights.copy()
    total, n_seen = np.zeros(shape), 0
    grams = _Grams.start(initial, level.shorter)
    for _ in range(config.predictor_epochs):
        late = np.zeros(shape)
        for some in space.batches(rng.permutation(chosen)):
            problem = space.problem(some)
            touched = grams.of(problem.keys)
            moving, room = Moving(weights, late, touched.now, touched.late), np.empty(problem.lattice.n_arcs)
            order, work = np.arange(len(some)), scratch(problem.lattice)
            _, _, done = run_epoch(Perceptron(), problem, order, step, moving, room, work)
            step = step._replace(taken=step.taken + len(some), scale_sum=done)
            grams = grams.with_those(touched)
        add_to_sum(total, step.scale_sum, weights, late)
        add_to_sum(grams.total, step.scale_sum, grams.now, grams.late)
        grams.late[:] = 0.0
        n_seen, step = n_seen + len(chosen), step._replace(scale_sum=0.0)
        progress()
    if not n_seen:
        return Model(weights, grams.keys, grams.now)
    total /= n_seen
    used = np.flatnonzero(grams.total)
    return Model(total, grams.keys[used], grams.total[used] / n_seen)


class _Grams(NamedTuple):
    """Weights of some n-grams, by rising code: now, what averaging subtracts, and their sum so far."""

    keys: np.ndarray
    now: np.ndarray
    late: np.ndarray
    total: np.ndarray

    @classmethod
    def start(cls, model: Model | None, known: np.ndarray) -> "_Grams":
        if model is None:
            return cls(known[:0], *np.zeros((3, 0)))
        is_known = np.isin(model.keys, known)
        keys = model.keys[is_known]
        return cls(keys, model.values[is_known], *np.zeros((2, len(keys))))

    def of(self, keys: np.ndarray) -> "_Grams":
        """The weights of these n-grams, 0 for new ones."""
        return _Grams(keys, *(carried_over(keys, self.keys, values) for values in self[1:]))

    def with_those(self, others: "_Grams") -> "_Grams":
        """These weights updated by the others'; n-grams whose values in the others are all 0 are dropped."""
        is_used = np.flatnonzero((others.now != 0) | (others.late != 0) | (others.total != 0))
        is_mine = np.flatnonzero(~np.isin(self.keys, others.keys))
        both = [np.concatenate([a[is_mine], b[is_used]]) for a, b in zip(self, others)]
        order = np.argsort(both[0])
        return _Grams(*(array[order] for array in both))


class FilteredSpace(NamedTuple):
    """The part of a space that a filter leaves, held out."""

    alpha: float
    survivors: Lattice
    is_lost: np.ndarray  # (W,) bool: examples that have lost their truth, here or before
    kept: float  # n-grams left for each column


def tune_level(
    space: Space,
    part: np.ndarray,
    config: CascadeConfig,
    models: list[Model],
    tolerance: float,
    first_gap: np.ndarray,
) -> FilteredSpace:
    """Score each example with the model that has not seen it, find the largest alpha, prune at it.

    `first_gap` (W,): the unit of "mean_max_first".
    """
    batches = space.batches(np.arange(space.n_examples))
    events, positions, has_truth = [], [], []
    for chosen in batches:
        seen = _Scored.of(space, chosen, part, models)
        how: Any = {"rule": config.rule, "first_gap": first_gap[chosen]}
        at_zero = prune(seen.lattice, seen.scores, 0.0, **how)
        truth = seen.truth
        _, event = truth_points(seen.lattice, at_zero, truth, np.zeros(len(chosen)))
        events.append(event)
        positions.append(points_of(at_zero)[truth[truth >= 0]])
        has_truth.append(np.logical_and.reduceat(truth >= 0, seen.lattice.col_start[:-1]))
    event, survives = np.concatenate(events), np.concatenate(has_truth)
    counted = np.concatenate(positions) if config.tolerance_kind == "position" else event[survives]
    alpha = rules.tune_setting(config.rule, counted, tolerance)
    left, is_lost, n_kept, n_columns = [], [], 0, 0
    for chosen in batches:
        if len(batches) > 1:
            seen = _Scored.of(space, chosen, part, models)
        how = {"rule": config.rule, "first_gap": first_gap[chosen]}
        pruned = prune(seen.lattice, seen.scores, alpha, max_arcs=config.max_arcs, **how)
        left.append(extend(seen.lattice, pruned.keep, grow=False))
        is_lost.append(~all_kept(seen.lattice, seen.truth, pruned.keep))
        n_kept, n_columns = n_kept + int(pruned.keep.sum()), n_columns + int(seen.lattice.col_start[-1])
    return FilteredSpace(alpha, join_lattices(left), np.concatenate(is_lost), n_kept / max(n_columns, 1))


class _Scored(NamedTuple):
    """Some examples' n-grams, the truth among them, and scores of models that have not seen them."""

    lattice: Lattice
    truth: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, space: Space, chosen: np.ndarray, part: np.ndarray, models: list[Model]) -> "_Scored":
        lattice = space.lattice(chosen)
        scores = np.empty(lattice.n_arcs)
        owner = np.repeat(part[chosen], np.diff(lattice.example_start))
        for p, model in enumerate(models):
            in_part = part[chosen] == p
            part_lattice = take_lattices(lattice, np.flatnonzero(in_part))
            features = layouts.take_rows(space.features, space.rows(chosen[in_part]))
            scores[owner == p] = score_arcs(part_lattice, unary_scores(features, model.weights), model.table)
        return cls(lattice, path_of(lattice, space.labels[space.rows(chosen)]), scores)


class Worth(NamedTuple):
    """Shares of right positions of a cascade's first model and last level; `standard_error` of the gain."""

    order: int  # of the last level
    n_examples: int
    first: float
    last: float
    standard_error: float

    @property
    def gain(self) -> float:
        """Share of positions that the last level gets right beyond the first model's."""
        return self.last - self.first

    @property
    def pays(self) -> bool:
        """Whether the gain is above its standard error."""
        return self.gain > self.standard_error


def worth_of(order: int, first: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> Worth:
    """`Worth` from the numbers of right positions in each example, (n,) for each of the two models.

    >>> worth_of(3, np.array([1, 2, 3]), np.array([2, 2, 3]), np.array([4, 4, 4]))._asdict()["last"]
    0.5833333333333334
    >>> worth_of(3, np.array([1, 2]), np.array([2, 3]), np.array([4, 4])).pays
    True
    """
    total, n = max(int(lengths.sum()), 1), len(lengths)
    more = last - first
    gain = more.sum() / total
    spread = np.square(more - gain * lengths).sum() * n / (n - 1) if n > 1 else np.inf
    return Worth(
        order, n, float(first.sum() / total), float(last.sum() / total), float(np.sqrt(spread)) / total
    )


def right_by_chain(
    examples: Examples, chosen: np.ndarray, weights: Weights, forbidden: np.ndarray | None
) -> np.ndarray:
    """Number of positions of each chosen example that a chain model gets right; no example may be empty."""
    block = take_examples(examples, chosen)
    unary, pairwise = layouts.emissions(block.rows, weights.unary), weights.pairwise
    if forbidden is not None:
        forbid(unary, block.row_start, forbidden)
        pairwise = np.where(forbidden[1], -np.inf, pairwise)
    labels = decode_batch(unary, np.diff(block.row_start), pairwise).labels
    return np.add.reduceat((labels == block.labels).astype(np.int64), block.row_start[:-1])


def right_by_grams(space: Space, chosen: np.ndarray, model: Model) -> np.ndarray:
    """Number of positions of each chosen example that the best labelling of n-grams gets right."""
    right, lengths = [], np.diff(space.survivors.row_start)
    for some in space.batches(chosen):
        lattice, rows = space.lattice(some), space.rows(some)
        unary = unary_scores(layouts.take_rows(space.features, rows), model.weights)
        labels = decode(lattice, score_arcs(lattice, unary, model.table)).labels
        starts = np.cumsum(lengths[some]) - lengths[some]
        right.append(np.add.reduceat((labels == space.labels[rows]).astype(np.int64), starts))
    return np.concatenate(right)

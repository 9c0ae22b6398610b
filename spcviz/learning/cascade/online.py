r"""One online learner for every structured model here: a pass over examples, a step on each loss.

A model scores an arc by its unary terms (weights W, shape (F, K), on features of positions) plus
one weight for each n-gram it completes. All losses step along arc gradients g (see `losses`):

.. math:: W_{fk} \mathrel{+}= \eta \sum_a g_a x_{f}(a) \qquad
          v_j \mathrel{+}= \eta \rho \sum_{a \ni j} g_a

where rho rescales the n-gram step against the mean squared norm of the unary features: an n-gram
indicator has norm 1, sixteen by eight pixels have several times that. Returned weights are the
average over all steps (averaged perceptron), which for the hinge is averaged sub-gradient descent.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.ngrams.lattice import Lattice, path_of
from spcviz.engine.ngrams.row_compressed import GramRows, gram_rows
from spcviz.engine.ngrams.table import NgramTable, begin_code, ngram_table, slot_of
from spcviz.learning.cascade.epoch import Moving, Step, run_epoch
from spcviz.learning.cascade.features import (
    Features,
    SparseRows,
    checked,
    mean_squared_norm,
    n_features,
    n_rows,
)
from spcviz.learning.cascade.letters_first import PairWeights, pair_weights
from spcviz.learning.cascade.losses import Loss, checked_loss, scratch


@dataclass(frozen=True, eq=False)
class Model:
    """A linear n-gram model.

    Attributes
    ----------
    weights : ndarray, shape (F, K)
        Of unary features.
    keys : ndarray, shape (G,), int64
        Codes of n-grams, rising; see `spcviz.engine.ngrams.table`.
    values : ndarray, shape (G,)
        Their weights.
    table : NgramTable
        The same weights for look-up; built when first asked for.
    """

    weights: np.ndarray
    keys: np.ndarray
    values: np.ndarray

    @cached_property
    def table(self) -> NgramTable:
        return ngram_table(self.weights.shape[1], self.keys, self.values)

    @cached_property
    def pairs(self) -> PairWeights:
        """Weights of pairs of states as arrays; see `letters_first.PairWeights`."""
        return pair_weights(self.table)

    @cached_property
    def rows(self) -> GramRows:
        """Weights of n-grams, one row for all with the same beginning (`row_compressed.GramRows`)."""
        return gram_rows(self.table)

    @cached_property
    def packed_weights(self) -> np.ndarray:
        """`weights`, looked through once, in 32 bits where those hold every one of them exactly."""
        if self.weights.dtype == np.float32:
            return checks.scores("weights", self.weights, 2, np.float32)
        weights = checks.scores("weights", self.weights, 2)
        packed = weights.astype(np.float32)
        return packed if np.array_equal(packed, weights) else weights


class Problem(NamedTuple):
    """One level's training problem, prepared once for any number of passes.

    Attributes
    ----------
    lattice : Lattice
    features : DenseRows or SparseRows
        Rows in the lattice's order.
    truth : ndarray, shape (arc columns,), int64
    has_truth : ndarray of bool, shape (W,)
        False where the truth is not in the lattice.
    gram_start : ndarray, shape (A + 1,), int64
    gram_index : ndarray, int32
        N-grams completed by each arc, as indices into `keys`.
    keys : ndarray, shape (G,), int64
    """

    lattice: Lattice
    features: Features
    truth: np.ndarray
    has_truth: np.ndarray
    gram_start: np.ndarray
    gram_index: np.ndarray
    keys: np.ndarray


class Fit(NamedTuple):
    """A trained model and its course.

    Attributes
    ----------
    model : Model
        Averaged weights.
    losses : ndarray, shape (epochs,)
        Mean loss per example in each pass, before its step.
    """

    model: Model
    losses: np.ndarray


def prepare(
    lattice: Lattice,
    features: Features,
    labels: np.ndarray,
    *,
    has_end: bool = False,
    has_begin: bool = False,
) -> Problem:
    """Look up the truth and number the n-grams of a lattice.

    Parameters
    ----------
    lattice : Lattice
    features : DenseRows or SparseRows
    labels : ndarray of int, shape (rows,)
        True states.
    has_end : bool
        Add n-grams that end in the end mark.
    has_begin : bool
        Add those of two states and more that begin with the begin mark.

    Returns
    -------
    Problem

    Raises
    ------
    ShapeError, ScoreError, ArgumentError
        If features or labels do not fit the lattice.
    """
    rows = int(lattice.row_start[-1])
    features = checked(features)
    if n_rows(features) != rows:
        raise ShapeError(f"features has {n_rows(features)} rows; the lattice needs {rows}")
    truth = path_of(lattice, labels)
    survives = (
        np.logical_and.reduceat(truth >= 0, lattice.col_start[:-1]) if len(truth) else np.zeros(0, bool)
    )
    if has_begin and lattice.n_states + 2 >= 1 << lattice.bits:
        raise ArgumentError(
            f"has_begin must be False: {lattice.n_states} states leave no symbol for ^, got True"
        )
    start = _gram_counts(lattice, has_end, has_begin)
    index, keys = _gram_index(lattice, has_end, has_begin, start)
    return Problem(lattice, features, truth, survives, start, index, keys)


def fit(
    problem: Problem,
    loss: Loss,
    examples: np.ndarray,
    rng: np.random.Generator,
    *,
    epochs: int,
    tick: Callable[[], object] | None = None,
    **settings: Any,
) -> Fit:
    """Train on some of a problem's examples.

    Parameters
    ----------
    problem, loss, examples, rng, epochs
        See `passes`.
    tick : callable, optional
        Called after each epoch.
    **settings
        Of `passes`.

    Returns
    -------
    Fit
    """
    epochs = checks.integer("epochs", epochs, 0, 1_000_000)
    for n, found in enumerate(passes(problem, loss, examples, rng, epochs=epochs, **settings)):
        last = found
        if n and tick is not None:
            tick()
    return last


def passes(
    problem: Problem,
    loss: Loss,
    examples: np.ndarray,
    rng: np.random.Generator,
    *,
    epochs: int,
    rate: float = 1.0,
    gram_rate: float = 1.0,
    decay: float = 0.0,
    falling: bool = False,
    dropout: float = 0.0,
    initial: Model | None = None,
) -> Iterator[Fit]:
    r"""Train pass by pass: yields a `Fit` before the first pass and after each.

    Parameters
    ----------
    problem : Problem
    loss : Perceptron, FilterHinge or LogLoss
    examples : ndarray of int
        Those without truth in the lattice are left out.
    rng : numpy.random.Generator
        Orders each pass.
    epochs : int
    rate : float
        Step size eta, divided by the mean squared norm of the unary features: a unit step on a
        position changes its score by about `rate`, whatever the features.
    gram_rate : float
        rho as a multiple of the mean squared norm of the unary features.
    decay : float
        lambda of the quadratic regulariser: weights shrink by (1 - eta * decay) at each example.
    falling : bool
        Step t = 0, 1, ... is eta / (1 + eta * decay * t): it begins at eta and comes to the
        1 / (decay * t) of Pegasos. Its projection is left out: that step alone converges too.
    dropout : float
        Share of indicator features hidden at random in each pass (`SparseRows` only), so that no word is
        known by its rarest feature alone.
    initial : Model, optional
        Where to start; n-grams it does not know start at 0.

    Yields
    ------
    Fit

    Raises
    ------
    ArgumentError
        If the loss is unknown, an example does not exist or a setting is out of range.
    ShapeError
        If `initial` has another number of features or states.

    References
    ----------
    Weiss (2013), thesis, equation (4.9) and section 4.3: step sizes 1 / (lambda t).
    """
    lattice = problem.lattice
    loss = checked_loss(loss)
    examples = checks.whole_numbers("examples", examples, 0, len(lattice.order) - 1)
    dropout = checks.fraction("dropout", dropout, below_one=True)
    examples = examples[problem.has_truth[examples]]
    weights, grams = _begin(problem, initial)
    weight_total, gram_total = np.zeros_like(weights), np.zeros_like(grams)
    norm = mean_squared_norm(problem.features) or 1.0
    step = _checked_step(rate, gram_rate, decay, falling, norm)
    work, arc_score = scratch(lattice), np.empty(lattice.n_arcs)
    losses = np.zeros(0)
    yield _averaged(problem, weights, grams, 1, losses)
    # Decay shrinks a scale within a stretch; short stretches keep that from eating the digits.
    stretches = 1 + int(len(examples) * -np.log(1.0 - step.rate * step.decay) / np.log(1e3))
    for _ in range(epochs):
        losses = np.append(losses, 0.0)
        seen_problem = problem._replace(features=_thinned(problem.features, dropout, rng))
        for order in np.array_split(rng.permutation(examples), stretches):
            # Averaging without touching every weight at every step: v moves by d at a step where the
            # scales so far sum to S, so the sum of all v is S_end * v_end minus the sum of S * d.
            weight_late, gram_late = np.zeros_like(weights), np.zeros_like(grams)
            moving = Moving(weights, weight_late, grams, gram_late)
            loss_sum, scale, scale_sum = run_epoch(loss, seen_problem, order, step, moving, arc_score, work)
            weight_total += scale_sum * weights - weight_late
            gram_total += scale_sum * grams - gram_late
            weights *= scale
            grams *= scale
            losses[-1] += loss_sum / max(len(examples), 1)
            step = step._replace(taken=step.taken + len(order))
        if len(examples):
            yield _averaged(problem, weight_total, gram_total, len(losses) * len(examples), losses)
        else:
            yield _averaged(problem, weights, grams, 1, losses)


def _begin(problem: Problem, initial: Model | None) -> tuple[np.ndarray, np.ndarray]:
    """Weights (F, K) and n-gram weights (G,) to start from."""
    weights = np.zeros((n_features(problem.features), problem.lattice.n_states))
    grams = np.zeros(len(problem.keys))
    if initial is not None:
        if initial.weights.shape != weights.shape:
            raise ShapeError(
                f"initial has weights {initial.weights.shape}; the problem needs {weights.shape}"
            )
        weights += initial.weights
        grams += _carried_over(problem.keys, initial)
    return weights, grams


def _averaged(problem: Problem, weights: np.ndarray, grams: np.ndarray, n: int, losses: np.ndarray) -> Fit:
    """A `Fit` of weights that are sums of n; n-grams that never moved are left out."""
    used = np.flatnonzero(grams)
    used = used[np.argsort(problem.keys[used])]
    return Fit(Model(weights / n, problem.keys[used], grams[used] / n), losses)


def _thinned(features: Features, dropout: float, rng: np.random.Generator) -> Features:
    """Indicator features with some hidden; anything else as it is."""
    if not dropout or not isinstance(features, SparseRows):
        return features
    hidden = rng.random(len(features.index), dtype=np.float32) < dropout
    return features._replace(index=np.where(hidden, np.int32(-1), features.index))


def _checked_step(rate: float, gram_rate: float, decay: float, falling: bool, norm: float) -> "Step":
    rate = checks.number("rate", rate, 0) / norm
    gram_rate, decay = checks.number("gram_rate", gram_rate, 0) * norm, checks.number("decay", decay, 0)
    if not rate * decay < 1:
        raise ArgumentError(f"decay must be below {1 / rate:g} (1 / eta), got {decay}")
    return Step(rate, gram_rate, decay, rate * decay if falling else 0.0, 0)


def _carried_over(keys: np.ndarray, model: Model) -> np.ndarray:
    if len(model.keys) == 0:
        return np.zeros(len(keys))
    at = np.minimum(np.searchsorted(model.keys, keys), len(model.keys) - 1)
    return np.where(model.keys[at] == keys, model.values[at], 0.0)


@kernel
def _gram_counts(lattice: Lattice, has_end: bool, has_begin: bool) -> np.ndarray:
    """Where each arc's n-grams begin: shape (A + 1,)."""
    start = np.zeros(lattice.arc_start[-1] + 1, dtype=np.int64)
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            count = n - 1
            if c == first:
                count += (n - 1) * (n - 2) // 2  # what the prefixes complete
                count += n - 1 if has_begin else 0
            if c == last - 1 and has_end:
                count += n
            for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
                start[a + 1] = start[a] + count
    return start


@kernel
def _gram_index(
    lattice: Lattice, has_end: bool, has_begin: bool, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(index of each arc's n-grams into keys, keys), numbered in order of appearance."""
    bits = lattice.bits
    index = np.empty(start[-1], dtype=np.int32)
    slots = np.zeros(1 << 12, dtype=np.int64)
    ids = np.zeros(len(slots), dtype=np.int32)
    keys = np.empty(1 << 11, dtype=np.int64)
    size = 0
    for w in range(len(lattice.order)):
        n = lattice.order[w]
        first, last = lattice.col_start[w], lattice.col_start[w + 1]
        for c in range(first, last):
            for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
                at = start[a]
                if 2 * (size + n * n) >= len(keys):  # more than one arc can add
                    keys, slots, ids = _grown(keys, slots, ids, size)
                shortest = 1 if c == first else n  # shortest prefix whose n-grams this arc completes
                key = lattice.arc_key[a]
                for m in range(n, shortest - 1, -1):
                    front = begin_code(has_begin and c == first, lattice.n_states, bits, m)
                    with_mark = m + (front > 0)
                    at, size = _number_suffixes(
                        front + key, with_mark, bits, index, at, keys, slots, ids, size
                    )
                    key >>= bits
                if c == last - 1 and has_end:
                    key = (lattice.arc_key[a] << bits) + lattice.n_states + 1
                    at, size = _number_suffixes(key, n + 1, bits, index, at, keys, slots, ids, size)
    return index, keys[:size].copy()


@kernel
def _number_suffixes(
    key: int | np.int64,
    n: int | np.signedinteger,
    bits: int,
    index: np.ndarray,
    at: int,
    keys: np.ndarray,
    slots: np.ndarray,
    ids: np.ndarray,
    size: int,
) -> tuple[int, int]:
    """Number the suffixes of 2 .. n symbols; returns where the index goes on, and how many keys."""
    for m in range(2, n + 1):
        index[at], size = _number(key & ((np.int64(1) << (bits * m)) - 1), keys, slots, ids, size)
        at += 1
    return at, size


@kernel
def _number(
    key: int | np.int64, keys: np.ndarray, slots: np.ndarray, ids: np.ndarray, size: int
) -> tuple[np.int32, int]:
    """(number of the key, how many there are now); new keys get the next number."""
    slot = slot_of(key, len(slots))
    while slots[slot] != 0:
        if slots[slot] == key:
            return ids[slot], size
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot], ids[slot], keys[size] = key, size, key
    return np.int32(size), size + 1


@kernel
def _grown(
    keys: np.ndarray, slots: np.ndarray, ids: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same numbering in tables of four times the room."""
    more_keys = np.empty(4 * len(keys), dtype=np.int64)
    more_slots = np.zeros(4 * len(slots), dtype=np.int64)
    more_ids = np.zeros(len(more_slots), dtype=np.int32)
    more_keys[:size] = keys[:size]
    for i in range(size):
        slot = slot_of(keys[i], len(more_slots))
        while more_slots[slot] != 0:
            slot = (slot + 1) & (len(more_slots) - 1)
        more_slots[slot], more_ids[slot] = keys[i], i
    return more_keys, more_slots, more_ids

r"""The online learner of all structured models: passes over examples, one step for each loss.

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
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.computed_once import computed_once
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.row_compressed import gram_rows
from spcviz.engine.ngrams.row_compressed_paths import GramRows
from spcviz.engine.ngrams.table import NgramTable, ngram_table
from spcviz.learning.cascade.features import (
    Features,
    SparseRows,
    mean_squared_norm,
    n_features,
)
from spcviz.learning.cascade.letters_first import PairWeights, pair_weights
from spcviz.learning.cascade.losses import Loss, checked_loss, scratch
from spcviz.learning.cascade.problem import LearningStep, LevelProblem, Moving, run_epoch


@dataclass(frozen=True, eq=False)
class Model:
    """A linear n-gram model.

    Attributes
    ----------
    table : NgramTable
        The same weights for look-up; built on first access.
    """

    weights: np.ndarray  # (F, K) of unary features
    keys: np.ndarray  # (G,) int64: codes of n-grams, rising; see `spcviz.engine.ngrams.table`
    values: np.ndarray  # (G,) their weights

    @computed_once
    def table(self) -> NgramTable:
        return ngram_table(self.weights.shape[1], self.keys, self.values)

    @computed_once
    def pairs(self) -> PairWeights:
        """Weights of pairs of states as arrays; see `letters_first.PairWeights`."""
        return pair_weights(self.table)

    @computed_once
    def rows(self) -> GramRows:
        """Weights of n-grams, one row for all with the same beginning (`row_compressed.GramRows`)."""
        return gram_rows(self.table)

    def with_weights(self, weights: np.ndarray) -> "Model":
        """The same n-grams, and their table, with other weights of unary features."""
        return self._with_table(Model(weights, self.keys, self.values))

    def without_codes(self) -> "Model":
        """The same model for prediction only, not training: its table, no `keys`, and 32-bit `values`."""
        return self._with_table(Model(self.weights, self.keys[:0].copy(), self.values.astype(np.float32)))

    def _with_table(self, other: "Model") -> "Model":
        vars(other)["table"] = self.table
        return other

    @computed_once
    def packed_weights(self) -> np.ndarray:
        """`weights`, checked once, in 32 bits if that represents every one of them exactly."""
        if self.weights.dtype == np.float32:
            return checks.scores("weights", self.weights, 2, np.float32)
        weights = checks.scores("weights", self.weights, 2)
        packed = weights.astype(np.float32)
        return packed if np.array_equal(packed, weights) else weights


class Rates(NamedTuple):
    """Step sizes."""

    # step size eta, divided by the mean squared norm of the unary features: a unit step on a position changes
    # its score by about `rate`, whatever the features
    rate: float = 1.0
    gram_rate: float = 1.0  # rho as a multiple of the mean squared norm of the unary features
    # lambda of the quadratic regulariser: weights shrink by (1 - eta * decay) at each example
    decay: float = 0.0
    # step t = 0, 1, ... is eta / (1 + eta * decay * t): it starts at eta and approaches the 1 / (decay * t)
    # of Pegasos, without its projection: that step alone converges too
    falling: bool = False


USUAL = Rates()


class _Sums(NamedTuple):
    """Weights (F, K) and n-gram weights (G,) in training, as sums of n; mean losses of the passes so far."""

    weights: np.ndarray
    grams: np.ndarray
    n: int
    losses: np.ndarray


class Fit(NamedTuple):
    """A trained model and the losses of its passes."""

    model: Model  # averaged weights
    losses: np.ndarray  # (epochs,) mean loss per example in each pass, before its step


def fit(
    problem: LevelProblem,
    loss: Loss,
    examples: np.ndarray,
    rng: np.random.Generator,
    *,
    epochs: int,
    tick: Callable[[], object] | None = None,
    **settings: Any,
) -> Fit:
    """Train on some of a problem's examples; arguments as in `passes`; calls ``tick()`` after each pass."""
    epochs = checks.integer("epochs", epochs, 0, 1_000_000)
    for n, sums in enumerate(_course(problem, loss, examples, rng, epochs, **settings)):
        last = sums
        if n and tick is not None:
            tick()
    return _average_fit(problem, last)


def passes(
    problem: LevelProblem,
    loss: Loss,
    examples: np.ndarray,
    rng: np.random.Generator,
    *,
    epochs: int,
    rates: Rates = USUAL,
    dropout: float = 0.0,
    initial: Model | None = None,
) -> Iterator[Fit]:
    r"""Train pass by pass: yields a `Fit` before the first pass and after each.

    Parameters
    ----------
    loss : Perceptron, FilterHinge, MarginHinge or LogLoss
    examples : ndarray of int
        Those whose truth is not in the lattice are left out.
    rng : numpy.random.Generator
        Shuffles the examples of each pass.
    dropout : float
        Share of indicator features hidden at random in each pass (`SparseRows` only), so that no word is
        known by its rarest feature alone.
    initial : Model, optional
        Where to start; n-grams it does not know start at 0.

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
    for sums in _course(problem, loss, examples, rng, epochs, rates, dropout, initial):
        yield _average_fit(problem, sums)


def _course(
    problem: LevelProblem,
    loss: Loss,
    examples: np.ndarray,
    rng: np.random.Generator,
    epochs: int,
    rates: Rates = USUAL,
    dropout: float = 0.0,
    initial: Model | None = None,
) -> Iterator[_Sums]:
    """`passes` before averaging: the yielded arrays keep changing."""
    lattice = problem.lattice
    loss = checked_loss(loss)
    examples = checks.whole_numbers("examples", examples, 0, len(lattice.order) - 1)
    dropout = checks.fraction("dropout", dropout, below_one=True)
    examples = examples[problem.has_truth[examples]]
    weights, grams = _begin(problem, initial)
    weight_total, gram_total = np.zeros_like(weights), np.zeros_like(grams)
    step = checked_step(rates, mean_squared_norm(problem.features) or 1.0)
    work, arc_score = scratch(lattice), np.empty(lattice.n_arcs)
    losses = np.zeros(0)
    yield _Sums(weights, grams, 1, losses)
    # Decay shrinks a scale within a stretch; short stretches keep that from losing digits.
    stretches = 1 + int(len(examples) * -np.log(1.0 - step.rate * step.decay) / np.log(1e3))
    for _ in range(epochs):
        losses = np.append(losses, 0.0)
        seen_problem = problem._replace(features=_hide_features(problem.features, dropout, rng))
        for order in np.array_split(rng.permutation(examples), stretches):
            # Averaging without touching every weight at every step: v moves by d at a step where the
            # scales so far sum to S, so the sum of all v is S_end * v_end minus the sum of S * d.
            weight_late, gram_late = np.zeros_like(weights), np.zeros_like(grams)
            moving = Moving(weights, weight_late, grams, gram_late)
            loss_sum, scale, scale_sum = run_epoch(loss, seen_problem, order, step, moving, arc_score, work)
            add_to_sum(weight_total, scale_sum, weights, weight_late)
            add_to_sum(gram_total, scale_sum, grams, gram_late)
            weights *= scale
            grams *= scale
            losses[-1] += loss_sum / max(len(examples), 1)
            step = step._replace(taken=step.taken + len(order))
        if len(examples):
            yield _Sums(weight_total, gram_total, len(losses) * len(examples), losses)
        else:
            yield _Sums(weights, grams, 1, losses)


def add_to_sum(total: np.ndarray, scale_sum: float, now: np.ndarray, late: np.ndarray) -> None:
    """``total += scale_sum * now - late``, a few rows at a time, without more tables of that size."""
    for at in range(0, len(total), 4096):
        rows = slice(at, at + 4096)
        total[rows] += scale_sum * now[rows] - late[rows]


def _begin(problem: LevelProblem, initial: Model | None) -> tuple[np.ndarray, np.ndarray]:
    """Weights (F, K) and n-gram weights (G,) to start from."""
    weights = np.zeros((n_features(problem.features), problem.lattice.n_states))
    grams = np.zeros(len(problem.keys))
    if initial is not None:
        if initial.weights.shape != weights.shape:
            raise ShapeError(
                f"initial has weights {initial.weights.shape}; the problem needs {weights.shape}"
            )
        weights += initial.weights
        grams += carried_over(problem.keys, initial.keys, initial.values)
    return weights, grams


def _average_fit(problem: LevelProblem, sums: _Sums) -> Fit:
    """A `Fit`; n-grams that never moved are left out."""
    used = np.flatnonzero(sums.grams)
    used = used[np.argsort(problem.keys[used])]
    return Fit(Model(sums.weights / sums.n, problem.keys[used], sums.grams[used] / sums.n), sums.losses)


def _hide_features(features: Features, dropout: float, rng: np.random.Generator) -> Features:
    """Indicator features with some hidden; anything else as it is."""
    if not dropout or not isinstance(features, SparseRows):
        return features
    hidden = rng.random(len(features.index), dtype=np.float32) < dropout
    return features._replace(index=np.where(hidden, np.int32(-1), features.index))


def checked_step(rates: Rates, norm: float) -> LearningStep:
    """The first step; `norm`: mean squared norm of the unary features.

    Raises
    ------
    ArgumentError
        If a rate is out of range.
    """
    rate = checks.strength("rate", rates.rate) / norm
    gram_rate = checks.strength("gram_rate", rates.gram_rate) * norm
    decay = checks.strength("decay", rates.decay)
    if not rate * decay < 1:
        raise ArgumentError(f"decay must be below {1 / rate:g} (1 / eta), got {decay}")
    return LearningStep(rate, gram_rate, decay, rate * decay if rates.falling else 0.0, 0)


def carried_over(keys: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The value of each key that is among the known ones (rising), 0 for others."""
    if len(known) == 0:
        return np.zeros(len(keys))
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[at] == keys, values[at], 0.0)

r"""Train a CRF on all examples at once, by L-BFGS(-B), or on a few at a time, by AdaGrad.

For all at once (`fit_crf`) the weights are by default those of features with states they were seen with, and
of steps; `Which` selects others. Without c_1 the optimiser is L-BFGS; with it L-BFGS-B on positive and
negative parts, w = p - q with p, q >= 0, whose sum is the absolute value wherever the loss is smallest.

A weight of a frequent feature moves the loss a thousand times as much as one of a rare feature. Where every
weight is bounded, the optimiser learns so little of that from step to step that it needs hundreds of steps.
So with c_1 it sees each weight in its own unit,

.. math:: w_i = u_i s_i, \qquad s_i = \Bigl(2 c_2 + \tfrac12 + \sum_r x_{ri}^2 \, p_i (1 - p_i)\Bigr)^{-1/2},

the inverse root of the loss's curvature where each feature has the labels that it was seen with
(:math:`p_i` their shares, smoothed). The function and its minimum stay the same.

A few at a time (`fit_stochastic`) suit endless data, or data that come in parts. With g the gradient of one
step, h the sum of all squared gradients so far and :math:`\eta` the step size, each weight moves by

.. math:: h \leftarrow h + g^2, \qquad w \leftarrow w - \eta\, g / \sqrt{h}
"""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import optimize
from threadpoolctl import threadpool_limits

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights, loss_and_gradient, take_examples
from spcviz.learning.chains.rows import widen_table


class Optimisation(NamedTuple):
    """Result of a batch optimisation."""

    weights: Weights  # the best ones
    loss: float  # of them, with the regularisers
    n_iterations: int
    has_converged: bool
    was_interrupted: bool


class Which(NamedTuple):
    """Which weights are learned."""

    # all_states, all_steps: also those of features with states, and of steps, that examples do not contain
    all_states: bool = False
    all_steps: bool = True
    # (3, K, K) bool: steps that no labelling takes; see `loss_and_gradient`
    forbidden: np.ndarray | None = None
    n_edges: int = 0  # `all_steps` holds for the last `n_edges` features; see `spcviz.learning.chains.rows`


USUAL = Which()


def fit_crf(
    examples: Examples,
    *,
    c1: float = 0.0,
    c2: float = 1.0,
    max_iterations: int = 100,
    tolerance: float = 1e-5,
    initial: Weights | None = None,
    which: Which = USUAL,
    tick: Callable[[int, float], object] | None = None,
    watch: Callable[[int, Weights], bool] | None = None,
) -> Optimisation:
    """Minimise the regularised negative log-likelihood.

    Parameters
    ----------
    c1, c2 : float
        Factors of the sums of absolute values and of squares of the weights; at least 0.
    tolerance : float
        Stop once an iteration improves the loss by less than this share of it.
    initial : Weights, optional
        Where to start; zeros by default.
    tick : callable, optional
        Called with (iteration, loss) after each; a KeyboardInterrupt ends training with the best so far.
    watch : callable, optional
        Called with (iteration, weights) after each; True ends training.

    Raises
    ------
    ArgumentError, ShapeError
        If a setting is out of range, or `initial` does not fit.

    References
    ----------
    Sha and Pereira (2003), Shallow parsing with conditional random fields; Byrd, Lu, Nocedal and Zhu (1995),
    A limited memory algorithm for bound constrained optimization.
    """
    c1, c2 = checks.strength("c1", c1), checks.strength("c2", c2)
    max_iterations = checks.integer("max_iterations", max_iterations, 0, 1_000_000)
    tolerance = checks.strength("tolerance", tolerance)
    if not examples.weights.all():  # examples of weight 0 add no feature weights either
        examples = take_examples(examples, np.flatnonzero(examples.weights))
    packing = _packing(examples, which, initial)
    search = _Search(examples, packing, c1, c2, which.forbidden, tick)
    search.watch = watch
    start = packing.pack(packing.initial)
    if c1 > 0:
        search.units = np.tile(_units(examples, packing, c2), 2)
        start = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)]) / search.units
    result = None
    # The optimiser's sums are short: threads would spend as much time again waiting for each other.
    is_sparse = isinstance(examples.rows, layouts.CsrRows)
    try:
        with threadpool_limits(1, "blas") if is_sparse else contextlib.nullcontext():
            result = optimize.minimize(
                search.split if c1 > 0 else search.smooth,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=optimize.Bounds(0.0, np.inf) if c1 > 0 else None,
                callback=search.after,
                options={
                    "maxiter": max_iterations,
                    "ftol": tolerance,
                    "gtol": 1e-8,
                    "maxcor": 6,
                    "maxfun": 10**9,
                },
            )
    except KeyboardInterrupt:
        if search.best is None:
            raise
    best = start * search.units if search.best is None else search.best
    theta = best[: packing.size] - best[packing.size :] if c1 > 0 else best
    done = result is not None and bool(result.success)
    return Optimisation(packing.unpack(theta), search.loss, search.n, done, result is None)


class _Packing(NamedTuple):
    """The learned weights and their places in one vector; the others keep their initial values."""

    unary: np.ndarray
    pairwise: np.ndarray
    initial: Weights

    @property
    def size(self) -> int:
        return len(self.unary) + len(self.pairwise)

    def pack(self, weights: Weights) -> np.ndarray:
        return np.concatenate(
            [weights.unary.reshape(-1)[self.unary], weights.pairwise.reshape(-1)[self.pairwise]]
        )

    def unpack(self, theta: np.ndarray) -> Weights:
        weights = Weights(*(array.copy() for array in self.initial))
        weights.unary.reshape(-1)[self.unary] = theta[: len(self.unary)]
        weights.pairwise.reshape(-1)[self.pairwise] = theta[len(self.unary) :]
        return weights


def _packing(examples: Examples, which: Which, initial: Weights | None) -> _Packing:
    shapes = (layouts.n_features(examples.rows), examples.n_states), (examples.n_states,) * 2
    begin = Weights(*map(np.zeros, shapes)) if initial is None else initial
    if (begin.unary.shape, begin.pairwise.shape) != shapes:
        raise ShapeError(f"initial has shapes {begin.unary.shape}, {begin.pairwise.shape}; it needs {shapes}")
    is_unary, is_step = begin.unary != 0, begin.pairwise != 0
    if which.all_states:
        is_unary[:] = True
    else:
        is_unary.reshape(-1)[layouts.observed_pairs(examples.rows, examples.labels, examples.n_states)] = True
    if which.n_edges and which.all_steps:
        is_unary[-which.n_edges :] = True
    is_step |= which.all_steps | _seen_steps(examples)
    if which.forbidden is not None:
        is_step &= ~which.forbidden[1]
    return _Packing(np.flatnonzero(is_unary), np.flatnonzero(is_step), begin)


def _units(examples: Examples, packing: _Packing, c2: float) -> np.ndarray:
    """The unit of each weight, s in the module docstring, scaled so that the largest is 1."""
    n, labels, lengths = examples.n_states, examples.labels, np.diff(examples.row_start)
    known = np.flatnonzero(labels >= 0)
    shown = np.zeros((len(labels), n))
    shown[known, labels[known]] = np.repeat(examples.weights, lengths)[known]
    seen = np.zeros_like(packing.initial.unary)
    layouts.add_gradient(layouts.square_rows(examples.rows), shown, seen)
    steps = np.zeros((n, n))
    to = known[~np.isin(known, examples.row_start)]
    to = to[labels[to - 1] >= 0]
    np.add.at(steps, (labels[to - 1], labels[to]), 1.0)
    curvature = packing.pack(
        Weights(_spread(seen, seen.sum(axis=1, keepdims=True)), _spread(steps, steps.sum()))
    )
    units = 1 / np.sqrt(2 * c2 + 0.5 + curvature)
    return units / units.max(initial=1e-300)


def _spread(seen: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Occurrences times p (1 - p), the variance of a label's indicator."""
    n = seen.shape[1] if total.ndim else seen.size
    share = (seen + 1) / (total + n)
    return total * share * (1 - share)


def _seen_steps(examples: Examples) -> np.ndarray:
    """Steps between known labels, (K, K) bool; all steps if any label is not known."""
    n, labels = examples.n_states, examples.labels
    if (labels < 0).any():
        return np.ones((n, n), dtype=bool)
    is_first = np.zeros(len(labels) + 1, dtype=bool)
    is_first[examples.row_start] = True
    to = np.flatnonzero(~is_first[:-1])
    return np.bincount(labels[to - 1] * n + labels[to], minlength=n * n).reshape(n, n) > 0


class _Search:
    """The function that the optimiser calls, and the best point of all calls."""

    def __init__(
        self,
        examples: Examples,
        packing: _Packing,
        c1: float,
        c2: float,
        forbidden: np.ndarray | None,
        tick: Callable[[int, float], object] | None,
    ) -> None:
        self.examples, self.packing, self.c1, self.c2 = examples, packing, c1, c2
        self.forbidden, self.tick = forbidden, tick
        self.best: np.ndarray | None = None
        self.loss, self.n = np.inf, 0
        self.units: np.ndarray | float = 1.0  # of the argument of `split`
        self.watch: Callable[[int, Weights], bool] | None = None

    def smooth(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient with the squared penalty."""
        loss, gradient = self._without_l1(theta)
        self._note(loss, theta)
        return loss, gradient

    def split(self, scaled: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss and gradient by positive and negative parts, each in its unit."""
        halves = scaled * self.units
        positive, negative = np.split(halves, 2)
        loss, gradient = self._without_l1(positive - negative)
        loss += self.c1 * float(halves.sum())
        self._note(loss, halves)
        return loss, np.concatenate([gradient + self.c1, self.c1 - gradient]) * self.units

    def _without_l1(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        weights = self.packing.unpack(theta)
        loss, slopes = loss_and_gradient(self.examples, weights, forbidden=self.forbidden)
        gradient = self.packing.pack(slopes)
        gradient += 2 * self.c2 * theta
        return loss + self.c2 * float(theta @ theta), gradient

    def _note(self, loss: float, theta: np.ndarray) -> None:
        if loss < self.loss:
            self.loss, self.best = loss, theta.copy()

    def after(self, intermediate_result: optimize.OptimizeResult) -> None:
        """The optimiser's callback after each iteration; the name of the argument is scipy's."""
        self.n += 1
        if self.tick is not None:
            self.tick(self.n, float(intermediate_result.fun))
        if self.watch is not None and self.watch(
            self.n, self.packing.unpack(self.weights_at(intermediate_result.x))
        ):
            raise StopIteration  # tells scipy to stop

    def weights_at(self, point: np.ndarray) -> np.ndarray:
        """The weights at a point of the optimiser: positive less negative parts, if it has both."""
        theta = point * self.units
        return theta[: self.packing.size] - theta[self.packing.size :] if self.c1 > 0 else theta


AT_A_TIME = 64
"""Examples per step of `fit_stochastic`."""


class Adapting(NamedTuple):
    """Weights in stochastic training, and the sums of their squared gradients."""

    weights: Weights
    squares: Weights

    def widen(self, weights: Weights, n_edges: int = 0) -> "Adapting":
        """The state with other weights, of more features perhaps; the last `n_edges` rows stay the last."""
        squares = widen_table(self.squares.unary, len(weights.unary), n_edges)
        return Adapting(weights, self.squares._replace(unary=squares))


def begin(weights: Weights) -> Adapting:
    """The state at the start of stochastic training: given weights, no gradients yet.

    Examples
    --------
    >>> begin(Weights(np.ones((1, 2)), np.zeros((2, 2)))).squares.unary
    array([[0., 0.]])
    """
    return Adapting(weights, Weights(*map(np.zeros_like, weights)))


def fit_stochastic(
    examples: Examples,
    rng: np.random.Generator,
    start: Adapting,
    *,
    rate: float,
    c2: float,
    forbidden: np.ndarray | None = None,
) -> Adapting:
    """One pass over the examples, in a random order, `AT_A_TIME` per step; `start` is not changed.

    Parameters
    ----------
    rate : float
        The step size, eta.
    c2 : float
        Factor of the squared weights, as in `fit_crf`; each step has its share.
    forbidden : ndarray of bool, shape (3, K, K), optional
        See `spcviz.learning.chains.crf.loss_and_gradient`.

    Raises
    ------
    ShapeError, ArgumentError
        If the weights are for other examples, or a setting is out of range.

    References
    ----------
    Duchi, Hazan and Singer (2011), Adaptive subgradient methods.
    """
    rate, c2 = checks.strength("rate", rate), checks.strength("c2", c2)
    if start.weights.unary.shape[1] != examples.n_states:
        raise ShapeError(f"start has {start.weights.unary.shape[1]} states; it needs {examples.n_states}")
    now = Adapting(*(Weights(*(array.copy() for array in pair)) for pair in start))
    turn = rng.permutation(np.flatnonzero(np.diff(examples.row_start)))
    for first in range(0, len(turn), AT_A_TIME):
        some = turn[first : first + AT_A_TIME]
        _, gradient = loss_and_gradient(take_examples(examples, some), now.weights, forbidden=forbidden)
        for weights, squares, slope in zip(now.weights, now.squares, gradient):
            slope += (2 * c2 * len(some) / len(turn)) * weights
            squares += slope * slope
            weights -= rate * slope / np.sqrt(np.maximum(squares, 1e-12))
    return now

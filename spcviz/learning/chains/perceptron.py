r"""Averaged structured perceptron on chains: exact Viterbi, one step per example, features with values.

.. math:: W \mathrel{+}= \omega_s \sum_i x_i (e_{y_i} - e_{\hat y_i})^T, \qquad
          t(j, k) \mathrel{+}= \omega_s (n_{jk}(y) - n_{jk}(\hat y))

The average over all steps comes from the weights and from `late`, the sum of the changes times the number of
steps that had gone before each: W - late / steps. `learning.cascade.dense_perceptron` has n-grams of any
order; this one takes values, weights of examples and forbidden steps, and can be continued.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.chains.inputs import align_rows
from spcviz.engine.chains.peaked import Tops, tops_of_many
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import largest
from spcviz.learning.cascade.features import add_row, score_row
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights
from spcviz.learning.chains.rows import Rows, widen_table


class Running(NamedTuple):
    """A perceptron in training."""

    weights: Weights  # after the last step
    late: Weights  # sums of changes times the steps before them
    n_steps: int

    @property
    def average(self) -> Weights:
        """The weights averaged over all steps."""
        n = max(self.n_steps, 1)
        return Weights(*(now - late / n for now, late in zip(self.weights, self.late)))

    def widen(self, n_rows: int, n_edges: int = 0) -> "Running":
        """Add zeros for new features; the last `n_edges` rows stay the last."""
        weights, late = (
            pair._replace(unary=widen_table(pair.unary, n_rows, n_edges))
            for pair in (self.weights, self.late)
        )
        return self._replace(weights=weights, late=late)


class Walked(NamedTuple):
    """What `fit_perceptron` returns: its state, and whether it was interrupted."""

    running: Running
    was_interrupted: bool


def begin(weights: Weights) -> Running:
    """A perceptron that starts from given weights.

    Examples
    --------
    >>> begin(Weights(np.ones((1, 2)), np.zeros((2, 2)))).average.unary
    array([[1., 1.]])
    """
    return Running(
        Weights(*(array.astype(np.float64) for array in weights)), Weights(*map(np.zeros_like, weights)), 0
    )


def fit_perceptron(
    examples: Examples,
    rng: np.random.Generator,
    *,
    epochs: int,
    running: Running | None = None,
    forbidden: np.ndarray | None = None,
    tick: Callable[[int, float], object] | None = None,
) -> Walked:
    """Passes over the examples, each in a random order.

    Parameters
    ----------
    examples : Examples
        Every label known.
    running : Running, optional
        State to continue from; it is not changed.
    forbidden : ndarray of bool, shape (3, K, K), optional
        As in `spcviz.learning.chains.crf.loss_and_gradient`; no example may take such a step.
    tick : callable, optional
        Called with (pass, wrong positions) after each; a KeyboardInterrupt ends training with the weights
        learned so far.

    Raises
    ------
    ArgumentError, ShapeError
        If a label is not known, a setting is out of range, or `running` has another shape.

    References
    ----------
    Collins (2002), Discriminative training methods for hidden Markov models.
    """
    epochs = checks.integer("epochs", epochs, 0, 1_000_000)
    if (examples.labels < 0).any():
        raise ArgumentError(f"labels[{(examples.labels < 0).argmax()}] must be known to a perceptron, got -1")
    n = examples.n_states
    shapes = (layouts.n_features(examples.rows), n), (n, n)
    begun = begin(Weights(*map(np.zeros, shapes))) if running is None else running
    if tuple(array.shape for array in begun.weights) != shapes:
        raise ShapeError(f"running has shapes {[o.shape for o in begun.weights]}; it needs {shapes}")
    unary, late_unary = begun.weights.unary.copy(), begun.late.unary.copy()
    table, late_table = align_rows((n, n), unary), begun.late.pairwise.copy()
    table[:], table[:, :n] = -np.inf, begun.weights.pairwise
    edges = np.zeros((2, n))
    if forbidden is not None:
        table[:, :n][forbidden[1]] = -np.inf
        edges[0, forbidden[0].diagonal()] = edges[1, forbidden[2].diagonal()] = -np.inf
    is_used = np.flatnonzero((np.diff(examples.row_start) > 0) & (examples.weights > 0))
    each = examples.position_weights
    if each is None:
        each = np.repeat(examples.weights, np.diff(examples.row_start))
    chains = examples.labels, examples.row_start, each
    steps = np.array([begun.n_steps])  # counted by the kernel, which ends before Ctrl-C takes effect
    was_interrupted = False
    try:
        for epoch in range(epochs):
            turn = rng.permutation(is_used)
            step_table, late = table.reshape((1, *table.shape)), Weights(late_unary, late_table)
            wrong = _epoch(
                examples.rows, chains, turn, steps, unary, step_table, tops_of_many(table), late, edges
            )
            if tick is not None:
                tick(epoch + 1, float(wrong))
    except KeyboardInterrupt:
        was_interrupted = True
    pairwise = table[:, :n].copy()
    if forbidden is not None:
        pairwise[forbidden[1]] = begun.weights.pairwise[forbidden[1]]
    running = Running(Weights(unary, pairwise), Weights(late_unary, late_table), int(steps[0]))
    return Walked(running, was_interrupted)


@kernel
def _epoch(
    rows: Rows,
    chains: tuple[np.ndarray, np.ndarray, np.ndarray],
    turn: np.ndarray,
    steps: np.ndarray,
    unary: np.ndarray,
    table: np.ndarray,
    tops: Tops,
    late: Weights,
    edges: np.ndarray,
) -> int:
    """One pass over the examples in `turn`; returns the number of wrong positions.

    `chains`: labels, first rows and positions' weights of all examples; `late`: sums of updates times steps.
    """
    labels, row_start, each = chains
    k = unary.shape[1]
    longest, wrong, step = 0, 0, steps[0]
    for w in turn:
        length = row_start[w + 1] - row_start[w]
        longest = length if length > longest else longest
    scores = np.empty(longest * k, np.float64).reshape((longest, k))
    predicted = np.empty(longest, np.int64)
    toward = fill_new(k, np.float64, 0.0)
    left = align_rows((longest + 1, k), scores)
    for w in turn:
        first, length = row_start[w], row_start[w + 1] - row_start[w]
        for i in range(length):
            score_row(rows, first + i, unary, scores[i])
        for j in range(k):
            scores[0, j] += edges[0, j]
            scores[length - 1, j] += edges[1, j]
        decode_into(scores[:length], table, tops, left, predicted[:length])
        n_wrong = 0
        for i in range(length):
            truth = labels[first + i]
            if predicted[i] != truth:
                n_wrong += 1
                amount = each[first + i]
                toward[truth], toward[predicted[i]] = amount, -amount
                add_row(rows, first + i, toward, unary)
                toward[truth], toward[predicted[i]] = amount * step, -amount * step
                add_row(rows, first + i, toward, late.unary)
                toward[truth] = toward[predicted[i]] = 0.0
        if n_wrong > 0:
            wrong += n_wrong
            for i in range(1, length):
                amount = each[first + i]
                _step(table[0], late.pairwise, labels[first + i - 1], labels[first + i], amount, step)
                _step(table[0], late.pairwise, predicted[i - 1], predicted[i], -amount, step)
            if tops is not None:
                for i in range(length - 1):
                    for state in (labels[first + i], predicted[i]):
                        tops[state] = largest(table[0, state])
        step += 1
    steps[0] = step
    return wrong


@spliced_kernel
def _step(table: np.ndarray, late: np.ndarray, before: int, after: int, amount: float, step: int) -> None:
    table[before, after] += amount
    late[before, after] += amount * step

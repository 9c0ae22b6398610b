r"""The structured support vector machine on chains: averaged sub-gradient steps with loss-augmented Viterbi.

.. math:: \min_w \; c_2 \|w\|^2 + \sum_s \omega_s \max_{y'} \big[ \psi(x_s, y') + m\,d(y_s, y')
   - \psi(x_s, y_s) \big]

with :math:`d` the number of wrong positions (thesis (3.4), (3.5), Hamming loss). Adding m to the score of
every wrong label makes the maximum one run of Viterbi. Per example the regulariser is
:math:`\lambda / 2 \|w\|^2` with :math:`\lambda = 2 c_2 / n`; step t is :math:`\eta / (1 + \eta \lambda t)`,
which approaches Pegasos' :math:`1 / (\lambda t)`.

Weights are kept as :math:`w = \sigma v`, so that shrinking is one product, and averaged as in
`spcviz.learning.cascade.online`: v moves by d where the scales so far sum to S, so the sum of all w is
:math:`S_T v_T` less the sum of S d.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.chains.inputs import align_rows
from spcviz.engine.chains.peaked import Tops, tops_of_many
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.kernels.vectors import largest
from spcviz.learning.cascade.features import DenseRows, add_row, score_row
from spcviz.learning.cascade.features import mean_squared_norm as dense_norm
from spcviz.learning.chains import rows as layouts
from spcviz.learning.chains.crf import Examples, Weights
from spcviz.learning.chains.rows import Rows


class Margined(NamedTuple):
    """What `fit_margin` returns."""

    weights: Weights  # averaged over the second half of the passes
    objectives: np.ndarray  # (passes,) mean hinge met in each pass, before its steps
    was_interrupted: bool


def fit_margin(
    examples: Examples,
    rng: np.random.Generator,
    *,
    epochs: int,
    c2: float = 0.1,
    margin: float = 1.0,
    learning_rate: float = 0.5,
    forbidden: np.ndarray | None = None,
    tick: Callable[[int, float], object] | None = None,
) -> Margined:
    """Passes over the examples, each in a random order.

    Parameters
    ----------
    examples : Examples
        Every label known.
    c2 : float
        Factor of the squared norm of all weights; see the module docstring.
    margin : float
        m: how far below the truth a labelling should score for each wrong position.
    learning_rate : float
        Approximate change of a label's score in the first step.
    forbidden : ndarray of bool, shape (3, K, K), optional
        As in `spcviz.learning.chains.crf.loss_and_gradient`; no example may take such a step.
    tick : callable, optional
        Called with (pass, mean hinge) after each; a KeyboardInterrupt ends training with the weights learned
        so far.

    Raises
    ------
    ArgumentError
        If a label is not known or a setting is out of range.
    """
    epochs = checks.integer("epochs", epochs, 1, 1_000_000)
    c2, margin = checks.strength("c2", c2), checks.strength("margin", margin)
    rate = checks.strength("learning_rate", learning_rate) / (_mean_squared_norm(examples.rows) or 1.0)
    if (examples.labels < 0).any():
        raise ArgumentError(f"labels[{(examples.labels < 0).argmax()}] must be known to an SVM, got -1")
    n, is_used = examples.n_states, np.flatnonzero((np.diff(examples.row_start) > 0) & (examples.weights > 0))
    decay = 2 * c2 / max(len(is_used), 1)
    if not rate * decay < 1:
        most = max(len(is_used), 1) / (2 * rate)
        raise ArgumentError(f"c2 must be below {most:g} at learning_rate={learning_rate:g}, got {c2:g}")
    unary, pairwise = np.zeros((layouts.n_features(examples.rows), n)), align_rows((n, n), np.zeros(1))
    pairwise[:], pairwise[:, :n] = -np.inf, 0.0
    edges = np.zeros((2, n))
    if forbidden is not None:
        pairwise[:, :n][forbidden[1]] = -np.inf
        edges[0, forbidden[0].diagonal()] = edges[1, forbidden[2].diagonal()] = -np.inf
    chains = examples.labels, examples.row_start, examples.weights
    state = np.array([1.0, 0.0, 0.0])  # scale, sum of scales, steps
    totals, n_averaged = Weights(np.zeros_like(unary), np.zeros((n, n))), 0
    hinges, was_interrupted = [], False
    for epoch in range(epochs):
        late = Weights(np.zeros_like(unary), np.zeros((n, n)))
        state[1] = 0.0
        table = pairwise.reshape(1, n, -1)
        steps = np.array([rate, decay, margin])
        try:
            turn, tops = rng.permutation(is_used), tops_of_many(pairwise)
            total = _epoch(examples.rows, chains, turn, state, steps, unary, table, tops, late, edges)
            hinges.append(total / max(len(is_used), 1))
            if tick is not None:
                tick(epoch + 1, hinges[-1])
        except KeyboardInterrupt:
            was_interrupted = True
        if epoch >= epochs // 2 or was_interrupted:
            known = np.where(pairwise[:, :n] > -np.inf, pairwise[:, :n], 0.0)
            totals.unary[:] += state[1] * unary - late.unary
            totals.pairwise[:] += state[1] * known - late.pairwise
            n_averaged += len(is_used)
        unary *= state[0]
        pairwise[:, :n] *= state[0]
        state[0] = 1.0
        if was_interrupted:
            break
    weights = Weights(*(total / max(n_averaged, 1) for total in totals))
    return Margined(weights, np.array(hinges), was_interrupted)


def _mean_squared_norm(rows: Rows) -> float:
    if isinstance(rows, DenseRows):
        return dense_norm(rows)
    return float(np.square(rows.values, dtype=np.float64).sum() / max(len(rows.start) - 1, 1))


@kernel
def _epoch(
    rows: Rows,
    chains: tuple[np.ndarray, np.ndarray, np.ndarray],
    turn: np.ndarray,
    state: np.ndarray,
    steps: np.ndarray,
    unary: np.ndarray,
    table: np.ndarray,
    tops: Tops,
    late: Weights,
    edges: np.ndarray,
) -> float:
    """One pass over the examples in `turn`; returns the sum of their weighted hinges.

    `state`: scale, sum of scales, steps taken, all updated in place; `steps`: first rate, decay, margin.
    Weights and `table` are unscaled; so are scores, and the margin is divided by the scale instead.
    """
    labels, row_start, each = chains
    k = unary.shape[1]
    longest, total = 0, 0.0
    for w in turn:
        length = row_start[w + 1] - row_start[w]
        longest = length if length > longest else longest
    scores = np.empty(longest * k, np.float64).reshape((longest, k))
    predicted = np.empty(longest, np.int64)
    toward = fill_new(k, np.float64, 0.0)
    left = align_rows((longest + 1, k), scores)
    for w in turn:
        first, length = row_start[w], row_start[w + 1] - row_start[w]
        rate, margin = steps[0] / (1.0 + steps[0] * steps[1] * state[2]), steps[2] / state[0]
        truth_score = 0.0
        for i in range(length):
            score_row(rows, first + i, unary, scores[i])
            truth = labels[first + i]
            truth_score += scores[i, truth]
            if i > 0:
                truth_score += table[0, labels[first + i - 1], truth]
            for j in range(k):
                scores[i, j] += margin
            scores[i, truth] -= margin
        for j in range(k):
            scores[0, j] += edges[0, j]
            scores[length - 1, j] += edges[1, j]
        decode_into(scores[:length], table, tops, left, predicted[:length])
        best = 0.0
        for i in range(length):
            best += scores[i, predicted[i]]
            if i > 0:
                best += table[0, predicted[i - 1], predicted[i]]
        hinge = (best - truth_score) * state[0]
        state[0] *= 1.0 - rate * steps[1]
        if hinge > 0.0:
            total += each[w] * hinge
            amount, so_far = each[w] * rate / state[0], state[1]
            for i in range(length):
                truth = labels[first + i]
                if predicted[i] != truth:
                    toward[truth], toward[predicted[i]] = amount, -amount
                    add_row(rows, first + i, toward, unary)
                    # The mean over all steps does not include an update for the steps before it: that share
                    # is `so_far`.
                    toward[truth], toward[predicted[i]] = amount * so_far, -amount * so_far
                    add_row(rows, first + i, toward, late.unary)
                    toward[truth] = toward[predicted[i]] = 0.0
            for i in range(1, length):
                before, after = labels[first + i - 1], labels[first + i]
                table[0, before, after] += amount
                late.pairwise[before, after] += amount * so_far
                before, after = predicted[i - 1], predicted[i]
                table[0, before, after] -= amount
                late.pairwise[before, after] -= amount * so_far
            # The decoder skips states by these maxima: one that is too low would hide the best labelling.
            if tops is not None:
                for i in range(length - 1):
                    for one in (labels[first + i], predicted[i]):
                        tops[one] = largest(table[0, one])
        state[1] += state[0]
        state[2] += 1.0
    return total

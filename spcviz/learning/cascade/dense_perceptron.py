r"""Averaged structured perceptron over the whole space: the baseline for a cascade's predictor.

The same model and the same steps as `online.fit` with `Perceptron`, but each best labelling is found by
exact Viterbi over all K^n n-grams (`spcviz.engine.ngrams.dense`), so no lattice of K^n arcs per position
is ever built. N-gram weights are stored in dense tables w_m (K^(m-1), K); the decoder reads their sums

.. math:: v(y_{i-n+1} .. y_i) = \sum_{m=2}^{n} w_m(y_{i-m+1} .. y_i)

A step on w_m changes them at the K^(n-m) n-grams that end in its n-gram.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.ngrams.dense import decode_kernel
from spcviz.engine.ngrams.table import symbol_bits
from spcviz.learning.cascade.features import Features, add_row, check_features, n_features, n_rows, score_row
from spcviz.learning.cascade.online import Fit, Model

MAX_ENTRIES = 10_000_000


class _DenseWeights(NamedTuple):
    """Weights in training; the average is ``weights - late / seen``, table by table."""

    weights: np.ndarray  # (F, K)
    late: np.ndarray  # (F, K)
    # (K^(m-1), K) for m = 1 .. n: w_m, their ``late`` tables, the sums that the decoder reads
    grams: tuple[np.ndarray, ...]
    gram_late: tuple[np.ndarray, ...]
    sums: tuple[np.ndarray, ...]


def fit_dense(
    features: Features,
    labels: np.ndarray,
    lengths: np.ndarray,
    n_states: int,
    order: int,
    rng: np.random.Generator,
    *,
    epochs: int,
    gram_rate: float = 1.0,
    tick: Callable[[], object] | None = None,
) -> Fit:
    """Train an averaged perceptron with exact inference; losses are errors per example.

    Parameters
    ----------
    features : DenseRows or SparseRows
        One row per position, examples one after the other.
    labels : array_like of int, shape (R,)
    lengths : array_like of int, shape (W,)
    n_states, order : int
        K and n; K^n at most 10 million.
    rng : numpy.random.Generator
        Shuffles the examples of each pass.
    gram_rate : float
        Step of n-gram weights relative to a unary feature's.
    tick : callable, optional
        Called after each epoch.

    Raises
    ------
    ShapeError, ArgumentError
        If arguments do not fit each other, or K^n is too large.

    References
    ----------
    Collins (2002), Discriminative training methods for hidden Markov models; thesis section 4.5.1.
    """
    features = check_features(features)
    lengths = checks.lengths(lengths, 2**31 - 1)
    n_states = checks.integer("n_states", n_states, 1, 200)
    order = checks.integer("order", order, 1, 12)
    checks.integer("K^n", n_states**order, 1, MAX_ENTRIES)
    epochs = checks.integer("epochs", epochs, 0, 1_000_000)
    gram_rate = checks.strength("gram_rate", gram_rate)
    rows = int(lengths.sum())
    if n_rows(features) != rows:
        raise ShapeError(f"features has {n_rows(features)} rows; lengths needs {rows}")
    labels = checks.states("labels", labels, rows, n_states)
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    weights, late = (np.zeros((n_features(features), n_states)) for _ in range(2))
    grams, gram_late, sums = (
        tuple(np.zeros((n_states ** (m - 1), n_states)) for m in range(1, order + 1)) for _ in range(3)
    )
    learned = _DenseWeights(weights, late, grams, gram_late, sums)
    losses, seen = np.zeros(epochs), 0
    for epoch in range(epochs):
        turn = rng.permutation(len(lengths))
        wrong = _epoch(features, labels, row_start, turn, order, seen, gram_rate, learned)
        losses[epoch], seen = wrong / max(len(lengths), 1), seen + len(lengths)
        if tick is not None:
            tick()
    if seen:
        weights -= late / seen
        for table, table_late in zip(grams, gram_late):
            table -= table_late / seen
    keys, values = _codes(grams, n_states)
    return Fit(Model(weights, keys, values), losses)


def _codes(grams: tuple[np.ndarray, ...], n_states: int) -> tuple[np.ndarray, np.ndarray]:
    """(codes, weights) of all n-grams whose weight is not zero, codes rising."""
    keys, values = [], []
    for m, table in enumerate(grams[1:], start=2):
        used = np.flatnonzero(table)
        key, rest = np.zeros(len(used), dtype=np.int64), used.copy()
        for j in range(m):
            key += (rest % n_states + 1) << (symbol_bits(n_states) * j)
            rest //= n_states
        keys.append(key)
        values.append(table.reshape(-1)[used])
    if not keys:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    codes = np.concatenate(keys)
    by_code = np.argsort(codes)
    return codes[by_code], np.concatenate(values)[by_code]


@kernel
def _epoch(
    features: Features,
    labels: np.ndarray,
    row_start: np.ndarray,
    turn: np.ndarray,
    order: int,
    seen: int,
    gram_rate: float,
    learned: _DenseWeights,
) -> int:
    """One pass over the examples in `turn`; returns the number of wrong positions."""
    weights, late, grams, gram_late, sums = learned
    k = weights.shape[1]
    longest, wrong, step = 0, 0, seen
    for w in turn:
        longest = larger_of(longest, row_start[w + 1] - row_start[w])
    unary, predicted = np.empty((longest, k), np.float64), np.empty(longest, np.int64)
    toward = fill_new(k, np.float64, 0.0)
    nothing = fill_new((k ** (order - 1), k), np.float64, 0.0)  # score added for ending in an n-gram
    for w in turn:
        first, length = row_start[w], row_start[w + 1] - row_start[w]
        for i in range(length):
            score_row(features, first + i, weights, unary[i])
        n = smaller_of(order, length)
        decode_kernel(sums, sums, nothing[: k ** (n - 1)], unary[:length], n, predicted[:length])
        n_wrong = 0
        for i in range(length):
            truth = labels[first + i]
            if predicted[i] != truth:
                n_wrong += 1
                toward[truth], toward[predicted[i]] = 1.0, -1.0
                add_row(features, first + i, toward, weights)
                toward[truth], toward[predicted[i]] = step, -step
                add_row(features, first + i, toward, late)
                toward[truth] = toward[predicted[i]] = 0.0
        if n_wrong > 0:
            wrong += n_wrong
            _step_grams(labels[first : first + length], gram_rate, step, grams, gram_late, sums)
            _step_grams(predicted[:length], -gram_rate, step, grams, gram_late, sums)
        step += 1
    return wrong


@kernel
def _step_grams(
    labels: np.ndarray,
    amount: float,
    step: int,
    grams: tuple[np.ndarray, ...],
    gram_late: tuple[np.ndarray, ...],
    sums: tuple[np.ndarray, ...],
) -> None:
    k, order = grams[0].shape[1], len(grams)
    for m in range(2, order + 1):
        table, late = grams[m - 1], gram_late[m - 1]
        contexts = k ** (m - 1)
        for i in range(m - 1, len(labels)):
            context = 0
            for j in range(m - 1):
                context = context * k + labels[i - m + 1 + j]
            table[context, labels[i]] += amount
            late[context, labels[i]] += amount * step
            for n in range(m, order + 1):  # every longer sum that ends in this n-gram
                longer = sums[n - 1]
                for c in range(context, len(longer), contexts):
                    longer[c, labels[i]] += amount

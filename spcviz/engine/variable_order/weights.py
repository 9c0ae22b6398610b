r"""Weights of a variable-order model: unary ones of every state, n-grams of each order.

.. math:: \psi_i(y) = \big[a_{tn} u_i^t(y_i) + c_{tn} f(y_i)\big] + \big[b_{tn} g(y_{i-n+1} .. y_i)\big]

at tier t and order n; see `spcviz.engine.variable_order.actions`. Each bracket is rounded to a multiple of
2^-20: sums of such numbers are exact in 64 bits, whatever their order.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import bare_inlined_kernel
from spcviz.engine.ngrams.table import Code, NgramTable, find

GRID = 2.0**20
"""Scores are multiples of 1 / GRID."""

MAX_STATES = 44
"""Largest number of letters whose pairs fit at one position (`word.MAX_ARCS`)."""


class VariableOrderWeights(NamedTuple):
    """The model: `ink`, `text`, `letter` have one row per tier and one column per order, shape (T, N).

    - `ink`, `text`, `letter` (T, N): a, b, c of the module's formula
    - `single`, `first`, `frequency` (K,): log p of a letter anywhere, and as the first of a word; f
    - `table`: terms that longer contexts add to `single`; those of the end mark too
    """

    ink: np.ndarray
    text: np.ndarray
    letter: np.ndarray
    single: np.ndarray
    first: np.ndarray
    frequency: np.ndarray
    table: NgramTable


@bare_inlined_kernel
def on_grid(x: float) -> float:
    """The nearest multiple of 1 / GRID."""
    return np.floor(x * GRID + 0.5) / GRID


@bare_inlined_kernel
def gram_of(weights: VariableOrderWeights, code: Code, order: int, is_first: bool, is_last: bool) -> float:
    """g of an n-gram: log p of its last letter given the others, and of the end mark where a word ends."""
    table = weights.table
    k = (code & ((np.int64(1) << table.bits) - 1)) - 1
    value = weights.first[k] if is_first else weights.single[k]
    if order > 1:
        value += _sum_of(table, code, order)
    if is_last and table.has_end:
        ended = (code << table.bits) + table.n_states + 1
        value += _sum_of(table, ended, order + 1)
    return value


@bare_inlined_kernel
def _sum_of(table: NgramTable, code: Code, n: int) -> float:
    return find(table.dense, table.first, table.keys, table.values, table.bits, table.n_dense, code, n)


@bare_inlined_kernel
def ink_of(weights: VariableOrderWeights, seen: float, k: int, tier: int, order: int) -> float:
    """Score of the image for letter k at a tier, with the letter's frequency."""
    return on_grid(
        weights.ink[tier, order - 1] * seen + weights.letter[tier, order - 1] * weights.frequency[k]
    )


@bare_inlined_kernel
def text_of(weights: VariableOrderWeights, gram: float, tier: int, order: int) -> float:
    """Score of an n-gram."""
    return on_grid(weights.text[tier, order - 1] * gram)


@bare_inlined_kernel
def score_of(weights: VariableOrderWeights, seen: float, gram: float, k: int, tier: int, order: int) -> float:
    """Score of a position: the image's score of letter k at its tier, its n-gram, its frequency."""
    return ink_of(weights, seen, k, tier, order) + text_of(weights, gram, tier, order)


def checked_weights(weights: VariableOrderWeights, n_states: int) -> VariableOrderWeights:
    """Weights in the form kernels need; parts that do not fit, or are not finite, raise a typed error."""
    checks.of_own_type("weights", weights, VariableOrderWeights)
    checks.of_own_type("table", weights.table, NgramTable)
    checks.integer("n_states", n_states, 1, MAX_STATES)
    if weights.table.has_begin:
        raise ArgumentError("table must be without n-grams that begin with ^")
    if weights.table.n_states != n_states:
        raise ShapeError(f"table has {weights.table.n_states} states; unary needs {n_states}")
    parts: list[Any] = []
    for name in ("ink", "text", "letter"):
        value = checks.scores(name, getattr(weights, name), 2)
        if parts and value.shape != parts[0].shape:
            raise ShapeError(f"{name} has shape {value.shape}; ink needs {parts[0].shape}")
        parts.append(value)
    for name in ("single", "first", "frequency"):
        value = checks.scores(name, getattr(weights, name), 1)
        if value.shape != (n_states,):
            raise ShapeError(f"{name} has shape {value.shape}; it needs {(n_states,)}")
        parts.append(value)
    for name, value in zip(VariableOrderWeights._fields, parts):
        if not np.isfinite(value).all():
            raise ArgumentError(f"{name} must be finite, got -inf: nothing is forbidden here")
    return VariableOrderWeights(*[*parts, weights.table])

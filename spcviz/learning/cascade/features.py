r"""Layouts of position features: dense or sparse rows, in which unary scores are linear.

Row r of a feature table describes one position (one letter image, one word of a sentence);
weights have shape (F, K) and the unary score is :math:`u_r(k) = \sum_f x_{rf} W_{fk}`. Two
layouts share the same two operations, chosen by type when a kernel compiles:

- `DenseRows`: an (R, F) array; a single row skips zeros, many rows share one pass over the weights
- `SparseRows`: lists of feature indices with value 1, for words and affixes
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.kernels import vectors
from spcviz.engine.kernels.jit import bare_kernel, by_type, inlined_kernel, kernel
from spcviz.engine.kernels.once import smaller_of

_EIGHT, _SIXTEEN = (0,) * 8, (0,) * 16

_lanes: Any = vectors  # type checkers see a numba intrinsic as a function with one more argument


class DenseRows(NamedTuple):
    """values : ndarray, shape (R, F), float32."""

    values: np.ndarray


class SparseRows(NamedTuple):
    """Indicator features of each row."""

    start: np.ndarray  # (R + 1,) int64
    # (start[-1],) int32: features of row r: ``index[start[r] : start[r + 1]]``; negative ones are ignored
    index: np.ndarray  # type: ignore[assignment]  # `tuple.index` is never called here
    n_features: int  # F


Features = DenseRows | SparseRows


def n_features(features: Any) -> int:
    """F of any layout."""
    return features.values.shape[1] if isinstance(features, DenseRows) else features.n_features


def n_rows(features: Any) -> int:
    """R of any layout."""
    return len(features.values) if isinstance(features, DenseRows) else len(features.start) - 1


def mean_squared_norm(features: Features) -> float:
    """Mean over rows of the squared length of the feature vector."""
    rows = max(n_rows(features), 1)
    if isinstance(features, DenseRows):
        return float(np.einsum("rf,rf->", features.values, features.values, dtype=np.float64) / rows)
    return float((features.index >= 0).sum() / rows)


def check_features(features: Features | None) -> Features:
    """`features` as arrays that kernels can read.

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If they have neither layout, an index is F or more, arrays disagree, or a value is not finite.
    """
    if isinstance(features, DenseRows):
        values = checks.typed_array("features", features.values, "biuf", "numbers")
        if values.ndim != 2:
            raise ShapeError(f"features has shape {values.shape}; it needs 2 dimensions")
        if values.dtype.kind == "f":
            flat = values.reshape(-1)
            with np.errstate(invalid="ignore", over="ignore"):
                is_fine = np.isfinite(flat @ flat)  # quick, and one bad value spoils it
            if not is_fine and not np.isfinite(values).all():  # not only large ones
                raise ScoreError(f"features must be finite, got {values[~np.isfinite(values)][0]}")
        return DenseRows(values)
    if not isinstance(features, SparseRows):
        raise ArgumentError(f"features must be DenseRows or SparseRows, got {features!r:.60}")
    count = checks.integer("n_features", features.n_features, 0, 2**31 - 1)
    index = checks.typed_array("index", features.index, "iu", "whole numbers")
    if index.ndim != 1:
        raise ShapeError(f"index has shape {index.shape}; it needs 1 dimension")
    start = checks.offsets("start", features.start, len(index))
    if index.size and index.max() >= count:
        raise ArgumentError(f"index[{index.argmax()}] must be below {count}, got {index.max()}")
    return SparseRows(start, index.astype(np.int32, copy=False), count)


def unary_scores(features: Features, weights: np.ndarray) -> np.ndarray:
    """Unary scores (R, K) of every row, with weights (F, K).

    Raises
    ------
    ShapeError, ScoreError
        If shapes disagree or a weight that is used is NaN or +inf.

    Examples
    --------
    >>> unary_scores(DenseRows(np.eye(2, dtype=np.float32)), [[1.0, 2.0], [3.0, 4.0]])
    array([[1., 2.],
           [3., 4.]])
    """
    is_ready = _is_table(weights)
    if not is_ready:
        weights = checks.scores("weights", weights, 2)
    features = check_features(features)
    if len(weights) != n_features(features):
        raise ShapeError(f"weights has shape {weights.shape}; the features need {n_features(features)} rows")
    out = np.empty((n_rows(features), weights.shape[1]))
    _all_scores(features, weights, out)
    if is_ready and checks.first_bad(out.reshape(-1)) >= 0:  # a word's scores, not a model's million weights
        checks.scores("weights", weights, 2)
    return out


def _is_table(weights: np.ndarray) -> bool:
    """Whether kernels can read weights as they are; those of 32 bits too, since sums have 64."""
    if not isinstance(weights, np.ndarray) or weights.dtype not in (np.float64, np.float32):
        return False
    return weights.ndim == 2 and weights.flags.c_contiguous


def scores_where(features: Features, weights: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """`unary_scores` of the ``allowed`` states (R, K) only, -inf elsewhere; None: all. Without checks."""
    if allowed is None:
        out = np.empty((n_rows(features), weights.shape[1]))
        _all_scores(features, weights, out)
        return out
    out = np.full(allowed.shape, -np.inf)
    if isinstance(features, SparseRows):
        _scores_where(features, weights, allowed, out)
    else:
        _all_scores(features, weights, out)
        out[~allowed] = -np.inf
    return out


def score_row(features: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    """out[k] = sum over features of value times weights[feature, k]; called by kernels."""
    SCORE[type(features)](features, row, weights, out)


def add_row(features: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    """weights[feature, k] += value * amount[k] for the row's features; called by kernels."""
    ADD[type(features)](features, row, amount, weights)


def _score_dense(features: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0.0
    for f in range(features.values.shape[1]):
        x = np.float64(features.values[row, f])
        if x != 0.0:
            for k in range(len(out)):
                out[k] += x * weights[f, k]


def _score_sparse(features: Any, row: int, weights: np.ndarray, out: np.ndarray) -> None:
    out[:] = 0.0
    for i in range(features.start[row], features.start[row + 1]):
        f = features.index[i]
        if f >= 0:
            for k in range(len(out)):
                out[k] += weights[f, k]


def _add_dense(features: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    for f in range(features.values.shape[1]):
        x = np.float64(features.values[row, f])
        if x != 0.0:
            for k in range(len(amount)):
                weights[f, k] += x * amount[k]


def _add_sparse(features: Any, row: int, amount: np.ndarray, weights: np.ndarray) -> None:
    for i in range(features.start[row], features.start[row + 1]):
        f = features.index[i]
        if f >= 0:
            for k in range(len(amount)):
                weights[f, k] += amount[k]


# By layout; the module that defines a layout registers its kernels here.
SCORE: dict[type, Callable[..., None]] = {DenseRows: _score_dense, SparseRows: _score_sparse}
ADD: dict[type, Callable[..., None]] = {DenseRows: _add_dense, SparseRows: _add_sparse}


_kernel_of = functools.cache(bare_kernel)
by_type(score_row, lambda features, *more: _kernel_of(SCORE[features.instance_class]))
by_type(add_row, lambda features, *more: _kernel_of(ADD[features.instance_class]))


def _all_scores(features: Features, weights: np.ndarray, out: np.ndarray) -> None:
    """`score_row` of every row; for dense features, many rows at a time."""
    by_blocks = weights.shape[1] >= 8 and vectors.ARE_COMPILED
    if not (
        isinstance(features, DenseRows) and by_blocks and _scores_by_blocks(features.values, weights, out)
    ):
        scores_by_rows(features, weights, out)


@kernel
def scores_by_rows(features: Any, weights: np.ndarray, out: np.ndarray) -> None:
    """`score_row` of every row of any layout."""
    for r in range(len(out)):
        score_row(features, r, weights, out[r])


@inlined_kernel
def _score_block(
    width: tuple[int, ...], values: np.ndarray, r: int, weights: np.ndarray, k: int, out: np.ndarray
) -> None:
    """Four rows' scores of states k .. k + W - 1: sixteen or more sums in registers, one pass over weights.

    Each sum adds its features in the same order as `score_row`, and so rounds the same way.
    """
    last = len(values) - 1
    q, s, t = smaller_of(r + 1, last), smaller_of(r + 2, last), smaller_of(r + 3, last)
    a = b = c = d = _lanes.splat(width, 0.0)
    for f in range(values.shape[1]):
        w = _lanes.widen(_lanes.load(width, weights, (f, k)))
        a = _lanes.add(a, _lanes.mul(_lanes.splat(width, np.float64(values[r, f])), w))
        b = _lanes.add(b, _lanes.mul(_lanes.splat(width, np.float64(values[q, f])), w))
        c = _lanes.add(c, _lanes.mul(_lanes.splat(width, np.float64(values[s, f])), w))
        d = _lanes.add(d, _lanes.mul(_lanes.splat(width, np.float64(values[t, f])), w))
    _lanes.store(out, (t, k), d)
    _lanes.store(out, (s, k), c)
    _lanes.store(out, (q, k), b)
    _lanes.store(out, (r, k), a)


@kernel
def _scores_by_blocks(values: np.ndarray, weights: np.ndarray, out: np.ndarray) -> bool:
    """Fill out (R, K), K at least 8; False, with nothing filled, if a weight is -inf: times 0 it is NaN."""
    if not vectors.smallest(weights.reshape(-1)) > -np.inf:
        return False
    n = weights.shape[1]
    for r in range(0, len(out), 4):
        if n >= 16:
            for k in range(0, n, 16):
                _score_block(_SIXTEEN, values, r, weights, smaller_of(k, n - 16), out)
        else:
            for k in range(0, n, 8):
                _score_block(_EIGHT, values, r, weights, smaller_of(k, n - 8), out)
    return True


@kernel
def _scores_where(features: SparseRows, weights: np.ndarray, allowed: np.ndarray, out: np.ndarray) -> None:
    """Visit each feature's row of weights once, for the few states that are left."""
    start, index = features.start, features.index
    n_states = allowed.shape[1]
    states = np.empty(n_states, np.int64)
    for r in range(len(out)):
        n = 0
        # Each state is written, only an allowed one is counted: no branch.
        for k in range(n_states):
            states[n] = k
            n += allowed[r, k]
        here = out[r]
        for j in range(n):
            here[states[j]] = 0.0
        for i in range(start[r], start[r + 1]):
            f = index[i]
            if f >= 0:
                row = weights[f]
                for j in range(n):
                    here[states[j]] += row[states[j]]

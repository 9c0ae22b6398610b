r"""A chain predictor that works with whatever features have been bought so far.

Features of a position come in tiers 1 .. T (tier 1 free, each later one an addition), and a position
may be at any tier. Each tier a has its own copy of the blocks 1 .. a, T (T + 1) / 2 blocks in all:

.. math:: u_i(k) = \sum_{b \le a_i} f^b_i \cdot W^{a_i, b}_k, \qquad p(j, k) = V_{jk}

(thesis 7.3.2: the re-weighting that it calls crucial). Training draws tiers at random at every visit,
so that one model predicts well from any state a policy may stop in (thesis (7.9)). Fixing the tiers
trains a plain model of one tier.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import larger_of

Table: TypeAlias = Any
"""Features of rows, (R, F) float32: an array, or a `scipy.sparse.csr_array` of the entries that are not 0."""


class Tiered(NamedTuple):
    """Weights for positions at any tier."""

    edges: np.ndarray  # (T,) int64: tier a (0-based) uses features 0 .. edges[a] - 1
    # (edges.sum(), K) tier a's copy is rows ``offsets[a] : offsets[a] + edges[a]``
    weights: np.ndarray
    pairwise: np.ndarray  # (K, K) transition scores

    @property
    def offsets(self) -> np.ndarray:
        """First row of each tier's copy, shape (T + 1,)."""
        return np.concatenate([[0], np.cumsum(self.edges)])


class _Entries(NamedTuple):
    """A `Table` as the kernel walks over it, row by row, columns rising."""

    values: np.ndarray  # (n,) float32
    start: np.ndarray  # (R + 1,) int64: entries of row r are ``start[r] .. start[r + 1] - 1``
    columns: np.ndarray  # int32: (n,) column of each entry, or (F,) where all rows have all columns
    own: int  # 1 where each row has its own columns, else 0


class _TieredWeights(NamedTuple):
    """`Tiered.edges` and `offsets`, and the weights in training: the average is weights - late / seen."""

    edges: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray
    late: np.ndarray
    pairwise: np.ndarray
    pair_late: np.ndarray


def draw_tiers(
    starts: np.ndarray, n_tiers: int, rng: np.random.Generator, *, by_example: bool = False
) -> np.ndarray:
    """Extraction states as thesis 7.3.1 draws them: a budget, then feature sets at random while they fit.

    Every set costs 1, so a budget B buys floor(B) of the sets; only the next tier of a position can be
    bought, and each draw is uniform over the positions that have one left. With `by_example`, one tier for
    all positions of an example.

    Parameters
    ----------
    starts : ndarray of int, shape (W + 1,)
        Example w has positions starts[w] .. starts[w + 1] - 1.

    Returns
    -------
    ndarray, shape (positions,), int64
        0 .. n_tiers - 1.
    """
    starts = checks.whole_numbers("starts", starts, 0, 2**40)
    n_tiers = checks.integer("n_tiers", n_tiers, 1, 100)
    lengths = np.diff(starts)
    if by_example:
        return np.repeat(rng.integers(0, n_tiers, len(lengths)), lengths)
    owner = np.repeat(np.arange(len(lengths)), lengths * (n_tiers - 1))
    row = np.repeat(np.arange(starts[-1]), n_tiers - 1)
    # A random order within each example, of which the first `n_bought` are bought.
    order = np.lexsort((rng.random(len(row)), owner))
    rank = np.arange(len(row)) - starts[owner] * (n_tiers - 1)
    n_bought = (rng.random(len(lengths)) * (lengths * (n_tiers - 1) + 1)).astype(np.int64)
    tiers = np.bincount(row[order][rank < n_bought[owner]], minlength=starts[-1])
    return tiers


def fit_tiered(
    features: Table,
    labels: np.ndarray,
    starts: np.ndarray,
    edges: np.ndarray,
    n_states: int,
    draw: Callable[[np.random.Generator], np.ndarray],
    rng: np.random.Generator,
    *,
    epochs: int,
) -> Tiered:
    """Averaged structured perceptron over extraction states.

    Parameters
    ----------
    features : array_like or scipy.sparse, shape (R, F), float32
        All tiers' features side by side. Storing zeros or not does not change a bit of the result.
    labels : array_like of int, shape (R,)
    starts : array_like of int, shape (W + 1,)
    edges : array_like of int, shape (T,)
        Rising; the last is F or less.
    draw : callable
        draw(rng) -> tiers of all rows, called once per pass.

    Raises
    ------
    ShapeError, ArgumentError
        If arrays disagree or a label is out of range.
    """
    features = _table(features)
    labels, starts = np.asarray(labels, dtype=np.int64), np.asarray(starts, dtype=np.int64)
    edges = checks.whole_numbers("edges", edges, 1, features.shape[1])
    n_rows = features.shape[0]
    if len(labels) != n_rows or starts[-1] != n_rows:
        raise ShapeError(f"labels has shape {labels.shape}; features {features.shape} needs as many rows")
    entries, squares = _entries(features), squared_length(features)
    if not np.isfinite(squares):  # 32 bits squared fit 64
        raise ArgumentError("features must be finite")
    checks.states("labels", labels, len(labels), n_states)
    epochs = checks.integer("epochs", epochs, 1, 10_000)
    offsets = np.concatenate([[0], np.cumsum(edges)])
    weights, pairwise = np.zeros((offsets[-1], n_states)), np.zeros((n_states, n_states))
    late, pair_late = np.zeros_like(weights), np.zeros_like(pairwise)
    learned = _TieredWeights(edges, offsets, weights, late, pairwise, pair_late)
    # A transition indicator has norm 1, a feature row more: scaled, both kinds of steps move scores alike.
    norm = squares / max(n_rows, 1) or 1.0
    seen = 0
    for _ in range(epochs):
        tiers = checks.whole_numbers("tiers", draw(rng), 0, len(edges) - 1)
        order = rng.permutation(len(starts) - 1)
        seen = _pass(entries, labels, starts, tiers, order, 1.0 / norm, seen, learned)
    return Tiered(edges, weights - late / seen, pairwise - pair_late / seen)


def squared_length(features: Table) -> float:
    """Sum of all squares to 24 bits: the same whether or not zeros are stored, in any order of summation."""
    if sparse.issparse(features):
        total = np.einsum("i,i->", features.data, features.data, dtype=np.float64)
    else:
        total = np.einsum("rf,rf->", features, features, dtype=np.float64)
    mantissa, exponent = math.frexp(total)
    return math.ldexp(float(np.float32(mantissa)), exponent)


def tier_scores(model: Tiered, features: Table) -> np.ndarray:
    """Unary scores of every row of features (R, F) at every tier, shape (R, T, K).

    Rounded to four decimals: the last bits of a matrix product depend on the number of threads and on whether
    zeros are stored, and the same features should give the same bits. They are rounded to ten first: averages
    often end in a 5 after the fourth decimal, and the last bit would decide which way it is rounded.
    """
    features = _table(features)
    offsets, n_rows = model.offsets, features.shape[0]
    out = np.empty((n_rows, len(model.edges), model.weights.shape[1]))
    for a, edge in enumerate(model.edges):
        weights = model.weights[offsets[a] : offsets[a] + edge].astype(np.float64)
        for first in range(0, n_rows, 4096):
            rows = slice(first, first + 4096)
            scores = features[rows, :edge].astype(np.float64) @ weights
            out[rows, a] = np.round(np.round(scores, 10), 4)
    return out


def _table(features: Any) -> Table:
    """Features in 32 bits; each row's entries have rising columns, each column once."""
    if not sparse.issparse(features):
        return np.ascontiguousarray(features, dtype=np.float32)
    table = sparse.csr_array(features)
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table.astype(np.float32, copy=False)


def _entries(features: Table) -> _Entries:
    n_rows, n_columns = features.shape
    if sparse.issparse(features):
        start, columns = features.indptr.astype(np.int64), features.indices.astype(np.int32)
        return _Entries(features.data, start, columns, 1)
    start = np.arange(n_rows + 1, dtype=np.int64) * n_columns
    return _Entries(features.reshape(-1), start, np.arange(n_columns, dtype=np.int32), 0)


@kernel
def _pass(
    entries: _Entries,
    labels: np.ndarray,
    starts: np.ndarray,
    tiers: np.ndarray,
    order: np.ndarray,
    rate: float,
    seen: int,
    learned: _TieredWeights,
) -> int:
    """One pass of the averaged perceptron; returns how many examples it has seen."""
    edges, offsets, weights, late, pairwise, pair_late = learned
    values, start, columns, own = entries
    n = weights.shape[1]
    longest = 0
    for w in order:
        longest = larger_of(longest, starts[w + 1] - starts[w])
    unary, left = np.empty((longest, n), np.float64), np.empty((longest + 1, n), np.float64)
    predicted = np.empty(longest, np.int64)
    table = pairwise.reshape((1, n, n))
    for w in order:
        first, length = starts[w], starts[w + 1] - starts[w]
        for i in range(length):
            row, tier = first + i, tiers[first + i]
            unary[i] = 0.0
            shift = (1 - own) * start[row]
            for e in range(start[row], start[row + 1]):
                f, x = columns[e - shift], np.float64(values[e])
                # Columns rise and a tier's come first: the more expensive ones are not even read.
                if f >= edges[tier]:
                    break
                if x != 0.0:
                    for k in range(n):
                        unary[i, k] += x * weights[offsets[tier] + f, k]
        decode_into(unary[:length], table, None, left, predicted[:length])
        for i in range(length):
            row, tier = first + i, tiers[first + i]
            right, wrong = labels[row], predicted[i]
            if right != wrong:
                shift = (1 - own) * start[row]
                for e in range(start[row], start[row + 1]):
                    f, x = columns[e - shift], rate * np.float64(values[e])
                    if f >= edges[tier]:
                        break
                    if x != 0.0:
                        at = offsets[tier] + f
                        weights[at, right] += x
                        weights[at, wrong] -= x
                        late[at, right] += seen * x
                        late[at, wrong] -= seen * x
            if i > 0 and (right != wrong or labels[row - 1] != predicted[i - 1]):
                pairwise[labels[row - 1], right] += 1.0
                pairwise[predicted[i - 1], wrong] -= 1.0
                pair_late[labels[row - 1], right] += seen
                pair_late[predicted[i - 1], wrong] -= seen
        seen += 1
    return seen

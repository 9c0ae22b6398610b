r"""A chain predictor that works with whatever features have been bought so far.

Features of a position come in tiers 1 .. T (tier 1 free, each later one an addition), and a position
may stand at any tier. Each tier a has its own copy of the blocks 1 .. a, T (T + 1) / 2 blocks in all:

.. math:: u_i(k) = \sum_{b \le a_i} f^b_i \cdot W^{a_i, b}_k, \qquad p(j, k) = V_{jk}

(thesis 7.3.2: the re-weighting that it calls crucial). Training draws tiers at random at every visit,
so that one model predicts well from any state a policy may stop in (thesis (7.9)). Fixing the tiers
trains a plain model of one tier.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel


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


class _Learned(NamedTuple):
    """`Tiered.edges` and `offsets`, and weights on their way: the average is weights - late / seen."""

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
    # A random order within each example, of which the first so many are bought.
    order = np.lexsort((rng.random(len(row)), owner))
    rank = np.arange(len(row)) - starts[owner] * (n_tiers - 1)
    n_bought = (rng.random(len(lengths)) * (lengths * (n_tiers - 1) + 1)).astype(np.int64)
    tiers = np.bincount(row[order][rank < n_bought[owner]], minlength=starts[-1])
    return tiers


def fit_tiered(
    features: np.ndarray,
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
    features : array_like, shape (R, F), float32
        All tiers' features side by side.
    labels : array_like of int, shape (R,)
    starts : array_like of int, shape (W + 1,)
    edges : array_like of int, shape (T,)
        Rising; the last is F or less.
    draw : callable
        draw(rng) -> tiers of all rows, called once a pass.

    Raises
    ------
    ShapeError, ArgumentError
        If arrays disagree or a label is out of range.
    """
    features = np.ascontiguousarray(features, dtype=np.float32)
    labels, starts = np.asarray(labels, dtype=np.int64), np.asarray(starts, dtype=np.int64)
    edges = checks.whole_numbers("edges", edges, 1, features.shape[1])
    if len(labels) != len(features) or starts[-1] != len(features):
        raise ShapeError(f"labels has shape {labels.shape}; features {features.shape} needs as many rows")
    if not np.isfinite(features.sum(dtype=np.float64)):
        raise ArgumentError("features must be finite")
    checks.states("labels", labels, len(labels), n_states)
    epochs = checks.integer("epochs", epochs, 1, 10_000)
    offsets = np.concatenate([[0], np.cumsum(edges)])
    weights, pairwise = np.zeros((offsets[-1], n_states)), np.zeros((n_states, n_states))
    late, pair_late = np.zeros_like(weights), np.zeros_like(pairwise)
    learned = _Learned(edges, offsets, weights, late, pairwise, pair_late)
    # A transition indicator has norm 1, a feature row more: steps on either move scores alike.
    norm = float(np.einsum("rf,rf->", features, features, dtype=np.float64)) / max(len(features), 1) or 1.0
    seen = 0
    for _ in range(epochs):
        tiers = checks.whole_numbers("tiers", draw(rng), 0, len(edges) - 1)
        order = rng.permutation(len(starts) - 1)
        seen = _pass(features, labels, starts, tiers, order, 1.0 / norm, seen, learned)
    return Tiered(edges, weights - late / seen, pairwise - pair_late / seen)


def tier_scores(model: Tiered, features: np.ndarray) -> np.ndarray:
    """Unary scores of every row of features (R, F) at every tier, shape (R, T, K).

    Four decimals: how a matrix product rounds depends on the number of threads, and the same command should
    give the same bits.
    """
    features = np.asarray(features, dtype=np.float32)
    offsets = model.offsets
    out = np.empty((len(features), len(model.edges), model.weights.shape[1]))
    for a, edge in enumerate(model.edges):
        weights = model.weights[offsets[a] : offsets[a] + edge].astype(np.float64)
        for first in range(0, len(features), 4096):
            rows = slice(first, first + 4096)
            out[rows, a] = np.round(features[rows, :edge].astype(np.float64) @ weights, 4)
    return out


@kernel
def _pass(
    features: np.ndarray,
    labels: np.ndarray,
    starts: np.ndarray,
    tiers: np.ndarray,
    order: np.ndarray,
    rate: float,
    seen: int,
    learned: _Learned,
) -> int:
    """One pass of the averaged perceptron; returns how many examples it has seen."""
    edges, offsets, weights, late, pairwise, pair_late = learned
    n = weights.shape[1]
    longest = 0
    for w in order:
        longest = max(longest, starts[w + 1] - starts[w])
    unary, left = np.empty((longest, n)), np.empty((longest + 1, n))
    predicted = np.empty(longest, dtype=np.int64)
    table = pairwise.reshape((1, n, n))
    for w in order:
        first, length = starts[w], starts[w + 1] - starts[w]
        for i in range(length):
            row, tier = first + i, tiers[first + i]
            unary[i] = 0.0
            for f in range(edges[tier]):
                x = np.float64(features[row, f])
                if x != 0.0:
                    for k in range(n):
                        unary[i, k] += x * weights[offsets[tier] + f, k]
        decode_into(unary[:length], table, None, left, predicted[:length])
        for i in range(length):
            row, tier = first + i, tiers[first + i]
            right, wrong = labels[row], predicted[i]
            if right != wrong:
                for f in range(edges[tier]):
                    x = rate * np.float64(features[row, f])
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

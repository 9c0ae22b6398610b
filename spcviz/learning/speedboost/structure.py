"""Regions of elements at several levels, and the context of each that predictors read.

E elements (of all examples, one after another), K classes, L levels with R_l regions each; every element
lies in one region of every level.

Context of a region is a row of K (3 + C) shares, in 64 steps, linear in the square root:

    inside   mean prediction of its elements
    C kinds  mean prediction of its neighbours, weighted by how much of each kind of border they share
    wide     mean prediction of the region two levels up in which it lies
    all      mean prediction of its example
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import inlined_kernel, kernel

N_STEPS = 64
_UP = 2


class RegionLevel(NamedTuple):
    """Regions of one level."""

    member: np.ndarray  # (E,) int32: region of each element, 0 .. R - 1
    # (R, F) uint8: features in at most 64 steps; may have no rows where they are computed on demand
    steps: np.ndarray
    # first, second (B,) int32: pairs of neighbours, each pair both ways
    first: np.ndarray
    second: np.ndarray
    length: np.ndarray  # (B, C) float32: amount of border they share, by kind


class Structure(NamedTuple):
    """Elements and levels."""

    example: np.ndarray  # (E,) int32: example of each element, rising from 0
    size: np.ndarray  # (E,) float32: weight of an element in means, positive
    # from small regions to large ones; regions of one level are unions of regions of the one before, or at
    # least the last element of each represents where it lies
    levels: tuple[RegionLevel, ...]
    n_classes: int

    def n_context(self) -> int:
        """Number of columns of context."""
        return self.n_classes * (3 + self.levels[0].length.shape[1])

    def n_regions(self, level: int) -> int:
        """Number of regions of a level, in all examples."""
        return int(self.levels[level].member.max(initial=-1)) + 1


def check_structure(structure: Structure) -> Structure:
    """Return a structure that can be learned from; else an ArgumentError or ShapeError names the problem."""
    n = len(structure.example)
    if n == 0 or not structure.levels:
        raise ArgumentError("structure must have elements and levels, got none")
    if structure.size.shape != (n,) or not np.isfinite(structure.size).all() or structure.size.min() <= 0:
        raise ArgumentError("size must be positive and finite for every element")
    for at, level in enumerate(structure.levels):
        if level.member.shape != (n,):
            raise ShapeError(f"member of level {at} has shape {level.member.shape}; it needs ({n},)")
        if level.member.min() < 0:
            raise ArgumentError(f"member of level {at} must not be negative, got {level.member.min()}")
        if len(level.first) != len(level.second) or len(level.first) != len(level.length):
            raise ShapeError(f"first, second and length of level {at} must have as many rows")
    return structure


def folds(structure: Structure, n: int, origin: np.ndarray | None = None) -> np.ndarray:
    """Fold of each element, int32 (E,): ``n`` contiguous stretches of examples.

    ``origin`` is the original of each example, from 0 on, if some are changed copies of others: copies of
    one original lie in one fold. Default: each its own. Raises `ArgumentError`.
    """
    n_examples = int(structure.example[-1]) + 1
    origin = np.arange(n_examples) if origin is None else np.asarray(origin)
    if origin.shape != (n_examples,) or origin.min() < 0:
        raise ArgumentError(f"origin must name an example for each of {n_examples}, got {origin!r}")
    n_originals = int(origin.max()) + 1
    if not 2 <= n <= n_originals:
        raise ArgumentError(f"n_folds must be from 2 to the number of examples {n_originals}, got {n}")
    return (origin.astype(np.int64) * n // n_originals)[structure.example].astype(np.int32)


@kernel
def region_sums(
    values: np.ndarray, weight: np.ndarray, member: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of weighted rows by region and of weights: (n, K) and (n,), float32."""
    out = np.zeros((n, values.shape[1]), dtype=np.float32)
    total = np.zeros(n, dtype=np.float32)
    for e in range(len(member)):
        r = member[e]
        total[r] += weight[e]
        for k in range(values.shape[1]):
            out[r, k] += weight[e] * values[e, k]
    return out, total


@kernel
def region_means(values: np.ndarray, weight: np.ndarray, member: np.ndarray, n: int) -> np.ndarray:
    """Weighted means of rows by region: (n, K)."""
    out, total = region_sums(values, weight, member, n)
    for r in range(n):
        for k in range(values.shape[1]):
            out[r, k] /= max(total[r], np.float32(1e-12))
    return out


@inlined_kernel
def share_of(scores: np.ndarray, share: np.ndarray, e: int) -> float:
    """Softmax of row e of scores, written to row e of share; returns its entropy, nats.

    H = log sum_k exp(d_k) - sum_k q_k d_k with d_k = s_k - max s: one logarithm per row.
    """
    n, top = scores.shape[1], scores[e, 0]
    for k in range(1, n):
        top = max(top, scores[e, k])
    total, mean = np.float32(0), np.float32(0)
    for k in range(n):
        below = scores[e, k] - top
        mass = np.exp(below)
        share[e, k] = mass
        total += mass
        mean += mass * below
    for k in range(n):
        share[e, k] /= total
    return np.log(total) - mean / total


@kernel
def chances(scores: np.ndarray) -> np.ndarray:
    """Softmax of every row."""
    out = np.empty_like(scores)
    for e in range(len(scores)):
        share_of(scores, out, e)
    return out


@kernel
def entropies(share: np.ndarray) -> np.ndarray:
    """Entropy of every row, natural logarithm."""
    out = np.zeros(len(share), dtype=np.float32)
    for e in range(len(share)):
        for k in range(share.shape[1]):
            if share[e, k] > 1e-12:
                out[e] -= share[e, k] * np.log(share[e, k])
    return out


@kernel
def _context(
    inside: np.ndarray,
    wide: np.ndarray,
    everywhere: np.ndarray,
    over: tuple[np.ndarray, np.ndarray],
    pairs: tuple[np.ndarray, np.ndarray],
    length: np.ndarray,
    wanted: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Context as shares: some rows and columns; others are 0.

    `over` are (region two levels up, example) of each region, `pairs` (first, second) of neighbours,
    `wanted` which rows (bool), and which columns (rising).
    """
    n, k_all = len(over[0]), inside.shape[1]  # `inside` has one row where no column needs it
    kinds = length.shape[1]
    rows, columns = wanted
    near = columns[(columns >= k_all) & (columns < (1 + kinds) * k_all)]
    kind, class_ = near // k_all - 1, near % k_all
    out = np.zeros((n, k_all * (3 + kinds)), dtype=np.float32)
    total = np.zeros((n, kinds), dtype=np.float32)
    if len(near):
        for b in range(len(length)):
            i, j = pairs[0][b], pairs[1][b]
            if rows[i]:
                for c in range(kinds):
                    total[i, c] += length[b, c]
                for q in range(len(near)):
                    out[i, near[q]] += length[b, kind[q]] * inside[j, class_[q]]
    for r in range(n):
        if rows[r]:
            for column in columns:
                block, k = column // k_all, column % k_all
                if block == 0:
                    out[r, column] = inside[r, k]
                elif block <= kinds:
                    if total[r, block - 1] > 0:
                        out[r, column] /= total[r, block - 1]
                elif block == 1 + kinds:
                    out[r, column] = wide[over[0][r], k]
                else:
                    out[r, column] = everywhere[over[1][r], k]
    return out


@kernel
def in_steps(shares: np.ndarray, wanted: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Shares in steps, linear in the square root: `wanted` (rows as bool, columns), the others are 0."""
    out = np.zeros(shares.shape, dtype=np.uint8)
    rows, columns = wanted
    for r in range(len(shares)):
        if rows[r]:
            for c in columns:
                root = np.sqrt(min(max(shares[r, c], np.float32(0)), np.float32(1)))
                out[r, c] = np.uint8(root * np.float32(N_STEPS - 0.001))
    return out


def context(
    structure: Structure,
    share: np.ndarray,
    level: int,
    wanted: np.ndarray | None = None,
    columns: np.ndarray | None = None,
) -> np.ndarray:
    """Predictions in and around the regions of a level: uint8, shape (R, K (3 + C)).

    ``share`` (E, K) are predicted probabilities. The regions ``wanted`` (R,) and the ``columns`` (rising) are
    computed, all by default; others are 0.
    """
    if wanted is None:
        wanted = np.ones(structure.n_regions(level), dtype=np.bool_)
    if columns is None:
        columns = np.arange(structure.n_context())
    return in_steps(context_shares(structure, share, level, wanted, columns), (wanted, columns))


def context_shares(
    structure: Structure, share: np.ndarray, level: int, wanted: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """`context` before it is rounded to steps: ndarray of float32."""
    regions, size = structure.levels[level], structure.size
    n = structure.n_regions(level)
    up = min(level + _UP, len(structure.levels) - 1)
    inside = wide = everywhere = np.zeros((1, structure.n_classes), dtype=np.float32)  # if not needed
    some = np.zeros(n, dtype=np.int64)
    block = (
        columns // structure.n_classes
    )  # the last is that of the example, the one before of the wide region
    last = regions.length.shape[1] + 2
    if (block < last - 1).any():
        inside = region_means(share, size, regions.member, n)
    if (block >= last - 1).any():
        some[regions.member] = np.arange(len(regions.member))
        wide = region_means(share, size, structure.levels[up].member, structure.n_regions(up))
        everywhere = region_means(share, size, structure.example, int(structure.example[-1]) + 1)
    over = (structure.levels[up].member[some], structure.example[some])
    pairs = (regions.first, regions.second)
    return _context(inside, wide, everywhere, over, pairs, regions.length, (wanted, columns))

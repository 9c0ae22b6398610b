"""Regression trees of vectors that pay for the features they use (Grubb et al. 2013, eq. 27; Xu et al. 2012).

    minimise  sum_i w_i ||y_i - h(x_i)||^2 / sum_i w_i  +  lambda (c_groups(h) + c_columns(h))

greedily: the value of a split is its decrease of the first term less lambda times the current cost of its
feature. A column costs its group's price, unless the group was bought, and its own, unless the column was;
features that one split buys are free for all later splits, in this tree and in later ones. The first new
column of a group in a tree also costs a call, however many follow. Splits are chosen one depth at a time,
from left to right. A tree is a heap: the children of node i are 2 i + 1 and 2 i + 2.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import inlined_kernel, kernel
from spcviz.learning.speedboost.structure import N_STEPS

MAX_DEPTH = 10
_N_CUTS = N_STEPS // 2
"""Cuts lie after every second step."""


class Prices(NamedTuple):
    """Prices of features, milliseconds."""

    group: np.ndarray  # (F,) int32: group of each column; -1 for columns that cost nothing
    group_ms: np.ndarray  # (G,) once, with the first column of a group
    column_ms: np.ndarray  # (F,) once for each column
    call_ms: np.ndarray  # (G,) once per tree, with its first new column of a group


class PaidFeatures(NamedTuple):
    """Features that have been paid for."""

    groups: np.ndarray  # (G,) bool
    columns: np.ndarray  # (F,) bool

    def copy(self) -> "PaidFeatures":
        """A copy that can be changed separately."""
        return PaidFeatures(self.groups.copy(), self.columns.copy())

    def price(self, prices: Prices, columns: Sequence[int] | np.ndarray) -> float:
        """Milliseconds that some columns cost beyond what was bought."""
        new = np.array([c for c in columns if prices.group[c] >= 0 and not self.columns[c]], dtype=np.int64)
        called = np.unique(prices.group[new])
        begun = called[~self.groups[called]]
        column_ms, group_ms, call_ms = prices.column_ms[new], prices.group_ms[begun], prices.call_ms[called]
        return float(column_ms.sum() + group_ms.sum() + call_ms.sum())

    def add(self, prices: Prices, columns: np.ndarray) -> None:
        """Pay for some columns."""
        self.columns[columns] = True
        self.groups[[g for g in prices.group[columns] if g >= 0]] = True


def nothing_bought(prices: Prices) -> PaidFeatures:
    """`PaidFeatures` at the start."""
    return PaidFeatures(np.zeros(len(prices.group_ms), dtype=bool), np.zeros(len(prices.group), dtype=bool))


class Tree(NamedTuple):
    """A tree of N = 2^(depth + 1) - 1 nodes."""

    feature: np.ndarray  # (N,) int32: column that a node tests; -1 for a leaf
    threshold: np.ndarray  # (N,) uint8: rows with at most this many steps go left
    value: np.ndarray  # (N, K) float32: the answer

    def columns(self) -> np.ndarray:
        """Columns that its nodes test, rising."""
        return np.unique(self.feature[self.feature >= 0])


class Rows(NamedTuple):
    """Training data of a tree."""

    columns: np.ndarray  # (F', n) uint8: steps below 64, one column after another, C order
    names: np.ndarray  # (F',) int: which of the F columns they are
    target: np.ndarray  # (n, K)
    weight: np.ndarray  # (n,)


def rows_of(
    features: tuple[np.ndarray, np.ndarray], context: tuple[np.ndarray, np.ndarray], target: np.ndarray
) -> Rows:
    """Equally weighted rows of features and context, each given as (steps, columns that may be used)."""
    (steps, asked), (around, near) = features, context
    both = np.concatenate([steps[:, asked], around[:, near]], axis=1)
    names = np.concatenate([asked, steps.shape[1] + near])
    return Rows(np.ascontiguousarray(both.T), names, target, np.ones(len(target)))


def draw_rows(rows: np.ndarray, mass: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw n of some rows by their masses, with replacement."""
    bounds = np.cumsum(mass[rows], dtype=float)
    places = np.searchsorted(bounds, rng.random(n) * bounds[-1], side="right")
    return rows[np.minimum(places, len(rows) - 1)]


def fit(
    rows: Rows, prices: Prices, bought: PaidFeatures, price_weight: float, depth: int, least: float = 0.0
) -> Tree:
    """Fit a tree.

    Parameters
    ----------
    bought : PaidFeatures
        Features bought before; not changed.
    price_weight : float
        Lambda, per millisecond; 0 or more.
    depth : int
        1 .. 10.
    least : float
        Least share of all weight on either side of a split.

    Raises
    ------
    ArgumentError, ShapeError

    Examples
    --------
    >>> rows = Rows(np.uint8([[0, 0, 5, 5]]), np.array([0]), np.array([[0.0], [0], [1], [1]]), np.ones(4))
    >>> free = Prices(np.array([-1]), np.zeros(0), np.zeros(1), np.zeros(0))
    >>> tree = fit(rows, free, nothing_bought(free), 0.0, 1)
    >>> tree.feature.tolist(), int(tree.threshold[0]), tree.value[1:].ravel().tolist()
    ([0, -1, -1], 1, [0.0, 1.0])
    """
    _check(rows, depth, price_weight)
    n, k_all = rows.target.shape
    n_nodes = 2 ** (depth + 1) - 1
    masses = np.zeros((n, -(-(k_all + 1) // 4) * 4), dtype=np.float32)
    masses[:, :k_all] = rows.target * (rows.weight / rows.weight.sum())[:, None]
    masses[:, -1] = rows.weight / rows.weight.sum()
    feature, threshold = np.full(n_nodes, -1, dtype=np.int32), np.zeros(n_nodes, dtype=np.uint8)
    node, paid = np.zeros(n, dtype=np.int32), bought.copy()
    called = np.zeros(len(prices.group_ms), dtype=bool)  # groups of which the tree uses new columns
    for level in range(depth):
        first, count = 2**level - 1, 2**level
        gain, cut = _gains(rows.columns, node, first, count, masses, least, (0,) * masses.shape[1])
        for i in np.flatnonzero(gain.max(axis=1) > 0):
            asked = _cheapest(gain[i], rows.names, prices, paid, called, price_weight)
            if asked >= 0:
                feature[first + i], threshold[first + i] = asked, cut[i, asked]
                name = rows.names[asked]
                if prices.group[name] >= 0 and not paid.columns[name]:
                    called[prices.group[name]] = True
                paid.add(prices, np.array([name]))
        _descend(rows.columns, node, feature, threshold, first)
    value = _answers(node, masses, n_nodes)[:, :k_all]
    named = np.where(feature >= 0, rows.names[feature], -1).astype(np.int32)
    return Tree(named, threshold, value)


def _check(rows: Rows, depth: int, price_weight: float) -> None:
    if rows.target.ndim != 2 or rows.columns.shape != (len(rows.names), len(rows.target)):
        raise ShapeError(
            f"columns has shape {rows.columns.shape}; names and target need "
            f"{(len(rows.names), len(rows.target))}"
        )
    if not len(rows.target) or not np.isfinite(rows.target).all():
        raise ArgumentError("target must have rows, all finite")
    if not (np.isfinite(rows.weight).all() and rows.weight.min() >= 0 and rows.weight.sum() > 0):
        raise ArgumentError("weight must be finite, not negative, and positive somewhere")
    if rows.columns.size and rows.columns.max() >= N_STEPS:
        raise ArgumentError(f"columns must hold steps below {N_STEPS}, got {rows.columns.max()}")
    if not 1 <= depth <= MAX_DEPTH:
        raise ArgumentError(f"depth must be from 1 to {MAX_DEPTH}, got {depth}")
    if not price_weight >= 0:
        raise ArgumentError(f"price_weight must be 0 or more, got {price_weight}")


def _cheapest(
    gain: np.ndarray,
    names: np.ndarray,
    prices: Prices,
    paid: PaidFeatures,
    called: np.ndarray,
    price_weight: float,
) -> int:
    """The column whose split is worth most after its price, -1 if none is worth anything."""
    group = prices.group[names]
    price = prices.column_ms[names]
    if len(prices.group_ms):
        price = price + np.where(paid.groups, 0.0, prices.group_ms)[group]
        price = price + np.where(called, 0.0, prices.call_ms)[group]
    price = np.where(paid.columns[names], 0.0, price)
    net = gain - price_weight * np.where(group < 0, 0.0, price)
    best = int(net.argmax())
    return best if net[best] > 0 and gain[best] > 0 else -1


@kernel
def _gains(
    columns: np.ndarray,
    node: np.ndarray,
    first: int,
    count: int,
    masses: np.ndarray,
    least: float,
    lanes: tuple[int, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Best gain of every column in every node of a depth, and where it is cut: (count, F) each.

    `masses` are padded to a multiple of 4 columns, the last of which is the weight; `lanes` has as many
    entries, so that numba knows their number: loops over them take half the time.
    """
    n_columns, n = columns.shape
    wide = len(lanes)
    gain = np.zeros((count, n_columns))
    cut = np.zeros((count, n_columns), dtype=np.uint8)
    sums = np.zeros((count * _N_CUTS, wide), dtype=np.float32)
    flat, flat_masses = sums.ravel(), masses.ravel()
    total, left = np.zeros(wide, dtype=np.float32), np.zeros(wide, dtype=np.float32)
    for f in range(n_columns):
        sums[:] = 0
        for i in range(n):
            if node[i] >= first:  # flat: a view of a row costs more than adding it up
                to, from_ = ((node[i] - first) * _N_CUTS + columns[f, i] // 2) * wide, i * wide
                for k in range(0, wide, 4):
                    flat[to + k] += flat_masses[from_ + k]
                    flat[to + k + 1] += flat_masses[from_ + k + 1]
                    flat[to + k + 2] += flat_masses[from_ + k + 2]
                    flat[to + k + 3] += flat_masses[from_ + k + 3]
        for c in range(count):
            total[:] = 0
            left[:] = 0
            for s in range(c * _N_CUTS, (c + 1) * _N_CUTS):
                if sums[s, wide - 1] > 0:
                    for k in range(wide):
                        total[k] += sums[s, k]
            if total[wide - 1] <= 0:
                continue
            whole = np.float32(0.0)
            for k in range(wide - 1):
                whole += total[k] * total[k]
            whole /= total[wide - 1]
            for s in range(_N_CUTS - 1):
                row = (c * _N_CUTS + s) * wide
                if flat[row + wide - 1] <= 0:
                    continue
                for k in range(wide):
                    left[k] += flat[row + k]
                right = total[wide - 1] - left[wide - 1]
                if left[wide - 1] < least or right < least or right <= 1e-6:
                    continue
                a, b = np.float32(0.0), np.float32(0.0)
                for k in range(wide - 1):
                    rest = total[k] - left[k]
                    a += left[k] * left[k]
                    b += rest * rest
                won = a / left[wide - 1] + b / right - whole
                if won > gain[c, f] + 1e-9:
                    gain[c, f], cut[c, f] = won, 2 * s + 1
    return gain, cut


@kernel
def _descend(
    columns: np.ndarray, node: np.ndarray, feature: np.ndarray, threshold: np.ndarray, first: int
) -> None:
    """Move the rows in nodes of one depth to the next; feature indexes rows of `columns`."""
    for i in range(len(node)):
        at = node[i]
        if at >= first and feature[at] >= 0:
            node[i] = 2 * at + (1 if columns[feature[at], i] <= threshold[at] else 2)


@kernel
def _answers(node: np.ndarray, masses: np.ndarray, n_nodes: int) -> np.ndarray:
    """Mean target of the rows that end in each node; 0 where none does; the last column is the weight."""
    wide = masses.shape[1]
    sums = np.zeros((n_nodes, wide))
    for i in range(len(node)):
        for k in range(wide):
            sums[node[i], k] += masses[i, k]
    out = np.zeros((n_nodes, wide - 1), dtype=np.float32)
    for c in range(n_nodes):
        if sums[c, wide - 1] > 0:
            for k in range(wide - 1):
                out[c, k] = sums[c, k] / sums[c, wide - 1]
    return out


def answering(tree: Tree, leaf: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Tree:
    """The tree with the mean targets of other rows, whose leaves are known.

    leaf (n,), target (n, K) and weight (n,) are of these rows.
    """
    masses = np.concatenate([target * weight[:, None], weight[:, None]], axis=1)
    return tree._replace(value=_answers(leaf, masses, len(tree.feature)))


@inlined_kernel
def leaf_of(
    feature: np.ndarray, threshold: np.ndarray, steps: np.ndarray, context: np.ndarray, r: int
) -> int:
    """Node in which row r ends: columns below F are in `steps` (R, F), others in `context` (R, C)."""
    n_steps, at = steps.shape[1], 0
    while feature[at] >= 0:
        f = feature[at]
        asked = steps[r, f] if f < n_steps else context[r, f - n_steps]
        at = 2 * at + (1 if asked <= threshold[at] else 2)
    return at


@kernel
def leaves(
    feature: np.ndarray, threshold: np.ndarray, steps: np.ndarray, context: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Node in which some rows end; columns as in `leaf_of`."""
    out = np.empty(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        out[i] = leaf_of(feature, threshold, steps, context, rows[i])
    return out


@kernel
def add_answers(
    out: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    value: np.ndarray,
    steps: np.ndarray,
    context: np.ndarray,
    rows: np.ndarray,
) -> None:
    """Add a tree's answer for `rows[i]` to row i of `out`; columns as in `leaf_of`."""
    for i in range(len(rows)):
        at = leaf_of(feature, threshold, steps, context, rows[i])
        for k in range(value.shape[1]):
            out[i, k] += value[at, k]

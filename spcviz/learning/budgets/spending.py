"""Algorithm 5 (thesis chapter 7), for every world: the most valuable purchase that fits, again and again.

The queue holds the best purchase of each example; a purchase that no longer fits is dropped for good, and
ties go to the first part. After a purchase its example is read again, and the purchases that this may have
changed are valued again.

What differs between worlds is a `Kind` of kernels, chosen by the world's type when `spend` compiles:

- ``begin(world, rule, keep_features)`` -> scratch, a NamedTuple with ``tiers`` (R,) and ``labels`` (of parts
  or of what they are made of), all examples read at tier 0, ``phi``, a buffer for features (.., D), and
  anything else that the other kernels need
- ``value(world, scratch, rule, i, j, a, b, values)``: write the values of the next purchases of parts
  i .. j - 1 of example a .. b - 1 into values (R,), where they are not -inf
- ``describe(world, scratch, r, a, b, out)``: write the features of part r's next purchase into out (D,)
- ``buy(world, scratch, rule, w, r, tier)`` -> (first, last, reach, messages, gain): lift part r of example w
  and read the example again. Returns the first and last position whose reading may have changed, r among
  them, how far beyond them values change, columns of messages passed, and the decrease of the loss

The queue is a tree (`new_tree`) with a leaf for each example: ``tree[1]`` is the largest leaf, ``tree[i]``
the larger of ``tree[2 i]`` and ``tree[2 i + 1]``; leaves start at `width`, a power of two. One change costs
log2 of the width.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import by_type, inlined_kernel, kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.kernels.vectors import copy
from spcviz.learning.budgets.world import Rule, Trajectory


class Kind(NamedTuple):
    """The kernels that `spend` needs from a world; see the module docstring."""

    begin: Callable[..., Any]
    value: Callable[..., None]
    describe: Callable[..., None]
    buy: Callable[..., tuple[int, int, int, int, int]]


KINDS: dict[type, Kind] = {}
"""Kernels by class of the world; the module that defines a world registers them here."""


def begin(world: Any, rule: Any, keep_features: bool) -> Any:
    """The world's own kernel, to be called by kernels; likewise the three below."""
    return KINDS[type(world)].begin(world, rule, keep_features)


def value(world: Any, scratch: Any, rule: Any, i: int, j: int, a: int, b: int, values: np.ndarray) -> None:
    KINDS[type(world)].value(world, scratch, rule, i, j, a, b, values)


def describe(world: Any, scratch: Any, r: int, a: int, b: int, out: np.ndarray) -> None:
    KINDS[type(world)].describe(world, scratch, r, a, b, out)


def buy(world: Any, scratch: Any, rule: Any, w: int, r: int, tier: int) -> tuple[int, int, int, int, int]:
    return KINDS[type(world)].buy(world, scratch, rule, w, r, tier)


by_type(begin, lambda world, *more: KINDS[world.instance_class].begin)
by_type(value, lambda world, *more: KINDS[world.instance_class].value)
by_type(describe, lambda world, *more: KINDS[world.instance_class].describe)
by_type(buy, lambda world, *more: KINDS[world.instance_class].buy)


def trajectory_of(
    world: Any,
    rule: Rule,
    costs: np.ndarray,
    budget: float,
    keep_features: bool = False,
    keep_all: bool = False,
) -> Trajectory:
    """Algorithm 5 as a `Trajectory`: the method ``spend`` of a world whose kernels are in `KINDS`.

    costs (R, T - 1): of lifting part r from tier t to t + 1.
    """
    return Trajectory(*spend(world, rule, costs, budget, keep_features, keep_all))


@kernel
def spend(
    world: Any, rule: Rule, costs: np.ndarray, budget: float, keep_features: bool, keep_all: bool
) -> tuple[np.ndarray, ...]:
    """Algorithm 5 on a batch: the fields of a `spcviz.learning.budgets.world.Trajectory`.

    costs (R, T - 1): of lifting part r from tier t to t + 1.
    """
    scratch, starts = begin(world, rule, keep_features), world.starts
    tiers, labels = scratch.tiers, scratch.labels
    n_rows, n_more = costs.shape
    most = n_rows * n_more
    whole, real = np.empty((6, most), np.int64), np.empty((2, most), np.float64)
    part, tier, gain, messages, first, last = whole
    paid_for, paid = real
    features = np.empty((most if keep_features else 0, scratch.phi.shape[-1]), np.float64)
    all_values = np.empty((most if keep_all else 0, n_rows), np.float64)
    all_labels = np.empty((most if keep_all else 0, len(labels)), np.int64)
    values = fill_new(n_rows, np.float64, 0.0 if n_more > 0 else -np.inf)
    tree, width = new_tree(len(starts) - 1)
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        _revalue(world, scratch, rule, costs, a, b, a, b, values)
        set_leaf(tree, width, w, best_of(values, a, b))
    before, spent, s = labels.copy(), 0.0, 0
    while spent < budget and tree[1] > -np.inf:
        w = leaf_of(tree, width)
        a, b = starts[w], starts[w + 1]
        r = a
        while values[r] != tree[1]:
            r += 1
        cost = cost_of(rule, costs, r, tiers[r])
        if cost > budget - spent:  # what no longer fits is dropped for good
            values[r] = -np.inf
            set_leaf(tree, width, w, best_of(values, a, b))
            continue
        if keep_all:
            copy(values, all_values[s])
        if keep_features:
            describe(world, scratch, r, a, b, features[s])
        part[s], tier[s] = r, n_more if rule.all_at_once else tiers[r] + 1
        paid_for[s], paid[s] = values[r], cost
        spent += cost
        first[s], last[s], reach, messages[s], gain[s] = buy(world, scratch, rule, w, r, tier[s])
        if tiers[r] == n_more:
            values[r] = -np.inf
        i, j = r, r + 1
        if rule.refreshed:
            i, j = larger_of(a, first[s] - reach), smaller_of(b, last[s] + reach + 1)
        _revalue(world, scratch, rule, costs, i, j, a, b, values)
        set_leaf(tree, width, w, best_of(values, a, b))
        if keep_all:
            copy(labels, all_labels[s])
        s += 1
    return (
        part[:s], tier[:s], paid_for[:s], paid[:s], gain[:s], messages[:s], first[:s], last[:s],
        features[: s if keep_features else 0], before, labels, tiers,
        all_values[: s if keep_all else 0], all_labels[: s if keep_all else 0],
    )  # fmt: skip


@inlined_kernel
def _revalue(
    world: Any,
    scratch: Any,
    rule: Rule,
    costs: np.ndarray,
    i: int,
    j: int,
    a: int,
    b: int,
    values: np.ndarray,
) -> None:
    """Set the queue values of the next purchases of parts i .. j - 1 of example a .. b - 1; -inf stays."""
    if len(rule.fixed):
        for r in range(i, j):
            if values[r] > -np.inf:
                values[r] = rule.fixed[r, scratch.tiers[r]]
        return
    value(world, scratch, rule, i, j, a, b, values)
    if rule.per_cost:
        for r in range(i, j):
            if values[r] > -np.inf:
                # Gains are queued by gain per cost; losses come last, cheap ones first.
                cost = larger_of(cost_of(rule, costs, r, scratch.tiers[r]), 1e-12)
                values[r] = values[r] / cost if values[r] > 0.0 else values[r] * cost


@spliced_kernel
def cost_of(rule: Rule, costs: np.ndarray, r: int, tier: int) -> float:
    """Cost of part r's next action from a tier."""
    if not rule.all_at_once:
        return costs[r, tier]
    cost = 0.0
    for t in range(tier, costs.shape[1]):
        cost += costs[r, t]
    return cost


@spliced_kernel
def new_tree(n_leaves: int) -> tuple[np.ndarray, int]:
    """(tree, width) with all leaves -inf."""
    width = 1
    while width < n_leaves:
        width *= 2
    return fill_new(2 * width, np.float64, -np.inf), width


@spliced_kernel
def best_of(values: np.ndarray, a: int, b: int) -> float:
    """Largest of values[a:b]."""
    best = -np.inf
    for i in range(a, b):
        best = larger_of(best, values[i])
    return best


@spliced_kernel
def set_leaf(tree: np.ndarray, width: int, leaf: int, value: float) -> None:
    """Change one leaf."""
    at = width + leaf
    tree[at] = value
    at //= 2
    while at >= 1:
        tree[at] = larger_of(tree[2 * at], tree[2 * at + 1])
        at //= 2


@spliced_kernel
def leaf_of(tree: np.ndarray, width: int) -> int:
    """The first leaf that holds the largest value."""
    at = 1
    while at < width:
        at = 2 * at if tree[2 * at] == tree[at] else 2 * at + 1
    return at - width

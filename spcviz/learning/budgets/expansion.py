"""Spend one budget on a batch of examples: Algorithm 3 of the thesis, and the record of its purchases."""

import heapq
import sys
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError


class Expansion(NamedTuple):
    """Purchases in order."""

    example: np.ndarray  # (S,) int64
    tier: np.ndarray  # (S,) int64: the tier the example was lifted to, 1 .. T - 1
    value: np.ndarray  # (S,)
    cost: np.ndarray  # (S,)


class SpendingCurve(NamedTuple):
    """Points (cost so far, loss so far), the first before any purchase."""

    # cost, loss (S + 1,): `loss` has a second axis for several kinds of loss
    cost: np.ndarray
    loss: np.ndarray


def checked_budget(budget: float, name: str = "budget") -> float:
    """A budget as a float; infinity buys everything.

    An ArgumentError, which calls it `name`, if it is negative, NaN or not a number: no spending could respect
    it.

    Examples
    --------
    >>> checked_budget(3), checked_budget(float("inf"))
    (3.0, inf)
    """
    is_number = isinstance(budget, int | float | np.integer | np.floating) and not isinstance(budget, bool)
    if not is_number or not (0 <= budget <= sys.float_info.max or budget == np.inf):
        raise ArgumentError(f"{name} must be a number from 0 to inf, got {budget!r:.60}")
    return float(budget)


def checked_costs(costs: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Incremental costs of lifting each example (or part) from tier t to t + 1, as an (n, T - 1) array.

    A ShapeError, ScoreError or ArgumentError if they cannot be broadcast to `shape`, are not finite, or are
    negative.
    """
    costs = checks.scores("costs", costs, (1, 2))
    try:
        costs = np.ascontiguousarray(np.broadcast_to(costs, shape))
    except ValueError:
        raise ShapeError(f"costs has shape {costs.shape}; it needs {shape} or {shape[1:]}") from None
    if costs.size and not costs.min() >= 0:
        raise ArgumentError(f"costs must not be negative, got {costs.min()}")
    return costs


def expand(values: np.ndarray, costs: np.ndarray, budget: float = np.inf) -> Expansion:
    """Algorithm 3 (Weiss 2013): lift the example of the largest value that still fits, until nothing does.

    An example that does not fit is dropped for good, so a larger budget may spend less when costs differ.
    Ties go to the smallest index. A budget of 0 buys nothing, not even what is free.

    Parameters
    ----------
    values : array_like, shape (n, T - 1)
        Predicted value of each example's tiers 1 .. T - 1; one is read only when the tier below it has
        been bought. Tiers of negative value are bought too while budget is left.
    costs : array_like, shape (n, T - 1) or (T - 1,)
        Incremental.

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If the budget is negative or NaN, or values and costs disagree or are not finite.

    Examples
    --------
    >>> bought = expand([[1.0, 5.0], [2.0, 0.0]], [1.0, 1.0], 3)
    >>> list(zip(bought.example.tolist(), bought.tier.tolist()))
    [(1, 1), (0, 1), (0, 2)]
    """
    values = checks.scores("values", values, 2)
    if np.isneginf(values).any():
        raise ScoreError("values must be finite, got -inf")
    costs, budget = checked_costs(costs, values.shape), checked_budget(budget)
    n, n_more = values.shape
    queue = [(-values[j, 0], j, 0) for j in range(n)] if n_more else []
    heapq.heapify(queue)
    example, tier, value, paid, spent = [], [], [], [], 0.0
    while spent < budget and queue:
        negative, j, t = heapq.heappop(queue)
        cost = costs[j, t]
        if cost > budget - spent:
            continue
        spent += cost
        example.append(j)
        tier.append(t + 1)
        value.append(-negative)
        paid.append(cost)
        if t + 1 < n_more:
            heapq.heappush(queue, (-values[j, t + 1], j, t + 1))
    return Expansion(
        np.array(example, dtype=np.int64), np.array(tier, dtype=np.int64), np.array(value), np.array(paid)
    )


def curve_of(expansion: Expansion, losses: np.ndarray) -> SpendingCurve:
    """Total loss of the batch after each purchase; losses (n, T) or, of several kinds, (n, T, J)."""
    gains = losses[expansion.example, expansion.tier] - losses[expansion.example, expansion.tier - 1]
    cost = np.concatenate([[0.0], np.cumsum(expansion.cost)])
    saved = np.concatenate([np.zeros((1, *losses.shape[2:])), np.cumsum(gains, axis=0)])
    return SpendingCurve(cost, losses[:, 0].sum(axis=0) + saved)


def last_within(cost: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Index of the last of rising costs within each limit, up to rounding; the first index if none is.

    Examples
    --------
    >>> last_within(np.array([0.0, 1.0, 2.0]), np.array([0.5, 2.0, 9.0])).tolist()
    [0, 2, 2]
    """
    limits = np.asarray(limits, dtype=np.float64)
    return np.maximum(np.searchsorted(cost, limits * (1 + 1e-9) + 1e-9, side="right") - 1, 0)


def at_cost(curve: SpendingCurve, costs: np.ndarray) -> np.ndarray:
    """Loss of the last point of a curve that costs no more than each of the given amounts.

    Examples
    --------
    >>> at_cost(SpendingCurve(np.array([0.0, 1.0, 2.0]), np.array([9.0, 5.0, 4.0])), [0.5, 2.0]).tolist()
    [9.0, 4.0]
    """
    return curve.loss[last_within(curve.cost, costs)]


def least_cost(curve: SpendingCurve, loss: float) -> float:
    """Cost of the first point whose loss is at most `loss`; infinity if there is none."""
    reached = np.flatnonzero(curve.loss <= loss)
    return float(curve.cost[reached[0]]) if len(reached) else np.inf

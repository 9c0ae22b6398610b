"""Whole examples under one budget: training a selector, orders to compare, their curves (thesis ch. 6).

Costs are those of an example's next model alone, shape (n, T - 1) or (T - 1,), in the unit of the budget.
`sizes` are the numbers of parts (letters, frames) of the examples: errors and shares count parts.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.learning.budgets import expansion, q_policy, selector
from spcviz.learning.budgets.methods import METHODS


class Looked(NamedTuple):
    """A batch of examples as the selector sees it, and what the selector is judged by."""

    meta: np.ndarray  # (n, T - 1, 2 d) meta-features after each model but the last, with their changes
    losses: np.ndarray  # (n, T) int64: of each example under each model
    labels: np.ndarray  # (T, R) int64: predictions of each model for all parts
    # (n,) int: examples of one group stay together in cross-validation: what they share must not be learned
    group: np.ndarray | None = None
    sizes: np.ndarray | None = None  # (n,) numbers of parts to average values over; if None, values are sums


class Chooser(NamedTuple):
    """A selector and the budgets found for it on training examples."""

    selector: selector.Selector
    # least cost per example at which training examples reach the last model's loss, read by models and valued
    # by selectors that have not seen them; infinity if they never do
    budget: float
    best_budget: float  # cost per example at the least loss on training examples


class Variant(NamedTuple):
    """One way to train a selector."""

    name: str
    # train, test: ``test.losses`` is not read
    train: Looked
    test: Looked
    # what a value is divided by in the queue, for training and test examples, both (n, T - 1)
    per: tuple[np.ndarray, np.ndarray] | None = None


def values_of(losses: np.ndarray) -> np.ndarray:
    """V of every next model, shape (n, T - 1): losses saved (thesis (6.1))."""
    return (losses[:, :-1] - losses[:, 1:]).astype(np.float64)


def draw_folds(looked: Looked, rng: np.random.Generator) -> np.ndarray:
    """Cross-validation fold of each example, 0 to 4."""
    if looked.group is None:
        return rng.integers(0, 5, len(looked.losses))
    _, group = np.unique(looked.group, return_inverse=True)
    return rng.integers(0, 5, group.max() + 1)[group]


def predict_values(fitted: selector.Selector, looked: Looked) -> np.ndarray:
    """A selector's values of examples, shape (n, T - 1)."""
    return selector.predict_values(fitted, looked.meta) * _sizes(looked)


def _sizes(looked: Looked) -> float | np.ndarray:
    return 1.0 if looked.sizes is None else looked.sizes[:, None]


def choose(
    looked: Looked, costs: np.ndarray, rng: np.random.Generator, per: np.ndarray | None = None
) -> Chooser:
    """Train the selector and find its budgets on training examples; for ``per`` (n, T - 1) see `per_cost`."""
    values, folds = values_of(looked.losses) / _sizes(looked), draw_folds(looked, rng)
    fitted = selector.fit_selector(looked.meta, values, folds)
    crossed = selector.cross_values(looked.meta, values, folds, fitted.penalty) * _sizes(looked)
    if per is not None:
        crossed = per_cost(crossed, per)
    curve = expansion.curve_of(expansion.expand(crossed, costs), looked.losses)
    n = len(looked.losses)
    budget = expansion.least_cost(curve, looked.losses[:, -1].sum()) / n
    return Chooser(fitted, budget, float(curve.cost[np.argmin(curve.loss)] / n))


def per_cost(values: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Values per cost, for an order that spends well; losing purchases come last, cheap ones first."""
    costs = np.maximum(costs, 1e-12)  # free purchases come first
    return np.where(values > 0, values / costs, values * costs)


def learned_row(
    variant: Variant,
    train_costs: np.ndarray,
    test_costs: np.ndarray,
    losses: np.ndarray,
    sizes: np.ndarray,
    rng: np.random.Generator,
) -> dict[Any, Any]:
    """Train a selector and spend by it on test examples: a row of `curves` with ``chosen`` budgets."""
    chooser = choose(variant.train, train_costs, rng, variant.per and variant.per[0])
    values = predict_values(chooser.selector, variant.test)
    if variant.per is not None:
        values = per_cost(values, variant.per[1])
    row = row_of(variant.name, expansion.expand(values, test_costs), losses, sizes)
    return row | {"chosen": {"final_error": chooser.budget, "least_error": chooser.best_budget}}


def curves(
    variants: Sequence[Variant],
    costs: tuple[np.ndarray, np.ndarray],
    losses: np.ndarray,
    sizes: np.ndarray,
    rng: np.random.Generator,
    *,
    etas: Sequence[float],
    n_random: int = 5,
) -> list[dict[Any, Any]]:
    """Curves of all methods that lift whole examples, on test examples.

    Parameters
    ----------
    variants : sequence of Variant
        Learned orders; the first one's training half also trains the imitation baseline, and its test
        half holds the oracle's losses.
    costs : (array_like, array_like)
        Of training and of test examples.
    losses : ndarray, shape (n, T) or (n, T, J)
        Of test examples: the one or several kinds of loss that all curves show.
    sizes : ndarray of int, shape (n,)
        Parts of each test example.
    etas : sequence of float
        Prices of a unit for which the imitation baseline is trained.
    n_random : int
        Number of random orders to average.

    Returns
    -------
    list of dict
        ``method``, ``share`` (S + 1, T - 1) of parts and ``words`` of examples lifted to each tier,
        ``cost`` per example, ``error`` (S + 1,) or (S + 1, J) in percent of parts; ``chosen`` if learned:
        budgets per example found on training examples.
    """
    train, test = variants[0].train, variants[0].test
    train_costs, test_costs = costs
    n, n_more = len(losses), losses.shape[1] - 1
    out = [learned_row(v, train_costs, test_costs, losses, sizes, rng) for v in variants]

    def row(key: str, values: np.ndarray) -> dict[Any, Any]:
        return row_of(METHODS[key].name, expansion.expand(values, test_costs), losses, sizes)

    out.append(row("oracle", values_of(test.losses)))
    for key, together in (("uniform_arms", True), ("uniform_loose", False)):
        drawn = [selector.uniform_values(n, n_more, rng, synchronised=together) for _ in range(n_random)]
        out.append(mean_row([row(key, values) for values in drawn]))
    # The least sure examples first, all tiers at once; only the gap of the best two is used.
    unsure = np.repeat(-test.meta[:, :1, 0], n_more, axis=1) + np.arange(n_more) * 1e-9
    out.append(row("least_sure", np.maximum(unsure, unsure[:, :1])))
    stops = imitate(train, test, train_costs, etas)
    out.append(stops_row(METHODS["imitation"].name, stops, test_costs, losses, sizes))
    fixed = [np.full(n, t) for t in range(n_more + 1)]
    out.append(stops_row(METHODS["fixed"].name, fixed, test_costs, losses, sizes))
    return out


def imitate(train: Looked, test: Looked, costs: np.ndarray, etas: Sequence[float]) -> list[np.ndarray]:
    """Where the imitation baseline stops every test example, for each price of a unit (thesis (6.5))."""
    stops = []
    for eta in etas:
        oracle = selector.oracle_stops(train.losses, costs, eta)
        stops.append(selector.imitate(selector.fit_imitator(train.meta, oracle), test.meta))
    return stops


def whole_orders(
    train: Looked, test: Looked, costs: np.ndarray, rng: np.random.Generator, per: np.ndarray | None = None
) -> dict[str, expansion.Expansion]:
    """Whole examples, read by the policies' own predictor: by the next step's value, or with later steps.

    Returns the purchases on test examples by key of the method; ``per`` (n, T - 1) are the costs by which
    values of test examples are divided, see `per_cost`.
    """
    folds, gains = draw_folds(train, rng), values_of(train.losses) / _sizes(train)
    out = {}
    for key, target in (("greedy_whole", gains), ("dms_pi_whole", with_later(gains))):
        fitted = selector.fit_selector(train.meta, target, folds)
        values = predict_values(fitted, test)
        out[key] = expansion.expand(values if per is None else per_cost(values, per), costs)
    return out


def with_later(gains: np.ndarray) -> np.ndarray:
    """Gains (n, T - 1) of next models plus those of later models, as far as these are worth it.

    Examples
    --------
    >>> with_later(np.array([[-1.0, 3.0], [2.0, -1.0]])).tolist()
    [[2.0, 3.0], [2.0, -1.0]]
    """
    starts = np.arange(len(gains) + 1) * gains.shape[1]
    return q_policy.q_values(gains.ravel(), starts, 1.0).reshape(gains.shape)


def cross_values(looked: Looked, targets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Values (n, T - 1) of examples by selectors that have not seen their groups; targets are per part."""
    folds = draw_folds(looked, rng)
    penalty = selector.fit_selector(looked.meta, targets, folds).penalty
    return selector.cross_values(looked.meta, targets, folds, penalty) * _sizes(looked)


def share_stopping(reached: np.ndarray) -> np.ndarray:
    """Share of examples that stop at each tier, (..., T), from the shares that reached tier 1 .. T - 1.

    Examples
    --------
    >>> share_stopping(np.array([[0.5, 0.25]])).tolist()
    [[0.5, 0.25, 0.25]]
    """
    ends = [(0, 0)] * (reached.ndim - 1)
    reached = np.pad(reached, (*ends, (1, 1)), constant_values=((*ends, (1, 0))))
    return reached[..., :-1] - reached[..., 1:]


def row_of(method: str, bought: expansion.Expansion, losses: np.ndarray, sizes: np.ndarray) -> dict[Any, Any]:
    """An expansion as a row of `curves`."""
    curve, n_more = expansion.curve_of(bought, losses), losses.shape[1] - 1
    share, count = np.zeros((2, len(bought.example) + 1, n_more))
    at = np.arange(1, len(share)), bought.tier - 1
    share[at], count[at] = sizes[bought.example] / sizes.sum(), 1.0
    return {
        "method": method,
        "cost": curve.cost / len(sizes),
        "share": np.cumsum(share, axis=0),
        "error": 100 * curve.loss / sizes.sum(),
        "words": np.cumsum(count, axis=0) / len(sizes),
    }


def mean_row(rows: Sequence[dict[Any, Any]]) -> dict[Any, Any]:
    """Mean of rows of one method with the same number of steps."""
    keys = ("cost", "share", "error", "words")
    return {"method": rows[0]["method"]} | {key: np.mean([row[key] for row in rows], axis=0) for key in keys}


def stops_row(
    method: str, stops: Sequence[np.ndarray], costs: np.ndarray, losses: np.ndarray, sizes: np.ndarray
) -> dict[Any, Any]:
    """One point for each choice of stops, by rising cost: a row of `curves`."""
    n, n_more = len(sizes), losses.shape[1] - 1
    every, costs = np.arange(n), expansion.checked_costs(costs, (n, n_more))
    total = np.concatenate([np.zeros((n, 1)), np.cumsum(costs, axis=1)], axis=1)
    stops = sorted(stops, key=lambda s: total[every, s].sum())
    share = [[(sizes * (s >= t)).sum() / sizes.sum() for t in range(1, n_more + 1)] for s in stops]
    return {
        "method": method,
        "cost": np.array([total[every, s].mean() for s in stops]),
        "share": np.array(share),
        "error": np.array([100 * losses[every, s].sum(axis=0) / sizes.sum() for s in stops]),
        "words": np.array([[(s >= t).mean() for t in range(1, n_more + 1)] for s in stops]),
    }

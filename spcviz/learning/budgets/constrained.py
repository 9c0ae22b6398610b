"""Resource-constrained prediction on any world: labels to learn, settings, and priorities of purchases.

One-shot policies are fitted at several prices, and the one that wastes least on development examples is
kept. Anytime policies and "least sure" become fixed priorities, so that Algorithm 5 spends every budget by
them (Bolukbasi et al. 2017, Fig. 2 to 4).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spcviz.learning.budgets import classifiers, part_policy
from spcviz.learning.budgets.world import World

PRICES = (0.05, 0.3)
"""lambda: loss that one tier of one part must save."""

N_THRESHOLDS = 25
"""Number of thresholds besides 0 for the log odds above which a policy may buy, example by example."""


def labels_of(search: str, world: World, trajectory: classifiers.GreedyPurchases, price: float) -> np.ndarray:
    """Pseudo-labels at a price, shape (R,), by a "trajectory" (of this world) or a "parsimonious" search."""
    n_parts, n_tiers = world.shape
    if search == "trajectory":
        return classifiers.trajectory_labels(trajectory, n_parts, price)
    return classifiers.parsimonious_labels(world.losses_if, n_parts, n_tiers, price, world.starts)


def fit(
    world: World, inputs: np.ndarray, labels: np.ndarray, price: float, is_weighted: bool = True
) -> classifiers.OneShot:
    """A one-shot policy that learns the given pseudo-labels, weighted by the cost of a mistake or not."""
    weights = None
    if is_weighted:
        weights = classifiers.importance(world.losses_if, labels, world.shape[1], price, world.starts) + 0.05
    return classifiers.fit_one_shot(inputs, labels, world.shape[1], weights=weights)


def best_one_shot(
    labels_at: Callable[[float], np.ndarray],
    worlds: tuple[World, World],
    inputs: tuple[np.ndarray, np.ndarray],
) -> tuple[classifiers.OneShot, dict[Any, Any]]:
    """(policy, settings) that waste least on development examples.

    ``labels_at(price)`` returns the pseudo-labels (R,) of the learning examples. ``worlds`` and ``inputs``
    (what the policy sees of them) are those of learning and of development examples.
    """
    candidates = []
    for price in PRICES:
        labels = labels_at(price)
        for is_weighted in (True, False):
            policy = fit(worlds[0], inputs[0], labels, price, is_weighted)
            how = part_policy.rule(fixed=classifiers.odds(policy, inputs[1]))
            bad = part_policy.badness(part_policy.curve(worlds[1], part_policy.spend(worlds[1], how)))
            candidates.append((bad, policy, {"price": price, "importance weights": is_weighted}))
    return min(candidates, key=lambda candidate: candidate[0])[1:]


def anytime_values(policy: classifiers.Anytime, world: World) -> np.ndarray:
    """Priorities (R, T - 1): earlier steps before later ones, within a step the higher score first."""
    n_parts, n_tiers = world.shape
    out, at = np.zeros((n_parts, n_tiers - 1)), np.zeros(n_parts, dtype=np.int64)
    rank = 0.0
    for bought, _ in classifiers.roll_out(policy, world.describe, world.starts, n_tiers):
        out[bought, at[bought]] = rank - np.arange(len(bought))
        at[bought] += 1
        rank -= len(bought)
    return out


def unsure_first(close: np.ndarray, starts: np.ndarray, n_tiers: int) -> np.ndarray:
    """Priorities (R, T - 1): least confident examples first, with every tier of all their parts.

    ``close`` (R,): how undecided each part is.
    """
    lengths = np.diff(starts)
    unsure = np.add.reduceat(close, starts[:-1]) / lengths
    # Rank examples so that no value of one lies between another's.
    rank = np.argsort(np.argsort(unsure, kind="stable"), kind="stable").astype(float)
    return np.repeat(rank[:, None], n_tiers - 1, axis=1).repeat(lengths, axis=0)


def buy_streaming(
    policies: dict[float, classifiers.OneShot],
    worlds: tuple[World, World],
    inputs: tuple[np.ndarray, np.ndarray],
) -> tuple[dict[Any, Any], list[dict[Any, Any]]]:
    """Buy example by example: every tier whose log odds exceed a threshold, regardless of other examples.

    The price and threshold for a budget are chosen on development examples: a pair is kept if no other one
    beats it in both share and loss.

    Parameters
    ----------
    policies : dict of float to OneShot
        By price.
    worlds, inputs : (World, World), (ndarray, ndarray)
        Development and test examples, and what the policies see of them.

    Returns
    -------
    row : dict
        ``share``, ``error``, ``tiers`` (as in `part_policy.points`) and ``chosen``; points are the results of
        the kept pairs on test examples, by rising share.
    alone : list of dict
        ``price``, and at threshold 0 ``share`` and ``error`` on test examples: the price alone, as in the
        paper.
    """
    dev, test = worlds
    values = {
        price: [classifiers.odds(policy, seen) for seen in inputs] for price, policy in policies.items()
    }
    pairs, bought = [], []
    for price, (on_dev, _) in values.items():
        levels = np.quantile(on_dev, np.linspace(0, 1, N_THRESHOLDS))
        for threshold in (0.0, *levels):
            pairs.append((price, threshold))
            bought.append(_measure_purchase(dev, on_dev > threshold))
    (_, least, _), (_, final, _) = _ends(dev)
    order = np.lexsort(([loss for _, loss, _ in bought], [share for share, _, _ in bought]))
    kept = []
    for i in order:
        if bought[i][1] < least:
            kept.append(i)
            least = bought[i][1]
    chosen = {
        "final_error": next((i for i in kept if bought[i][1] <= final), None),
        "least_error": kept[-1] if kept else None,
    }
    n_parts = test.shape[0]
    on_test = {i: _measure_purchase(test, values[pairs[i][0]][1] > pairs[i][1]) for i in kept}
    points = sorted([*_ends(test), *on_test.values()], key=lambda point: (point[0], -point[1]))
    row = {
        "share": np.array([share for share, _, _ in points]),
        "error": 100 * np.array([loss for _, loss, _ in points]) / n_parts,
        "tiers": np.array([tiers for _, _, tiers in points]),
        "chosen": {key: 1.0 if i is None else on_test[i][0] for key, i in chosen.items()},
    }
    alone = []
    for price, (_, odds) in values.items():
        share, loss, _ = _measure_purchase(test, odds > 0)
        alone.append({"price": price, "share": 100 * share, "error": 100 * float(loss) / n_parts})
    return row, alone


def _ends(world: World) -> list[tuple[float, int, np.ndarray]]:
    """`_measure_purchase` of nothing and of everything."""
    n_parts, n_tiers = world.shape
    return [
        _measure_purchase(world, np.full((n_parts, n_tiers - 1), is_bought)) for is_bought in (False, True)
    ]


def _measure_purchase(world: World, is_bought: np.ndarray) -> tuple[float, int, np.ndarray]:
    """(share of all features, summed loss, share of parts at each tier) for is_bought (R, T - 1)."""
    tiers = is_bought.sum(axis=1)
    loss = world.losses_if(tiers, tiers)[0].sum()
    return float(is_bought.mean()), int(loss), is_bought.mean(axis=0)

r"""One-shot and anytime policies: weighted linear classifiers that choose which features to buy.

A state S gives the tier of each part of an example; :math:`C(S) = \mathrm{Loss}(S) + \lambda
c(S)`. The caller supplies the losses of states.

A one-shot policy decides all of an example's features before any is computed. Pseudo-labels, the S it should
have chosen, come from a search over states; a weighted linear classifier learns to choose them part by part
(Bolukbasi et al., resource-constrained structured prediction, one-shot policy).

An anytime policy is one classifier per step, each of which chooses the next purchase of every example.
Classifier t is trained on the states that classifiers 1 .. t - 1 lead to. Among the successors s of a state,
the one of least C is right. Choosing another costs the difference in C, which weights the examples of the
classifier (Bolukbasi et al., Theorem 2.3).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError

LossesIf = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""(tiers, targets) -> (loss of each example, loss with part r alone moved to targets[r])."""


class GreedyPurchases(NamedTuple):
    """Greedy purchases of every example, until it has everything."""

    part: np.ndarray  # (S,) int64: part lifted by one tier; steps in order, one example after another
    loss: np.ndarray  # (S,) loss of the example after the step
    first_loss: np.ndarray  # (W,) before the first
    starts: np.ndarray  # (W + 1,) int64: steps of example w: starts[w] .. starts[w + 1] - 1


class OneShot(NamedTuple):
    """Log odds of "this part should reach tier t", one linear function per tier."""

    weights: np.ndarray  # (T - 1, d)
    constant: np.ndarray  # (T - 1,)
    mean: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)


class Anytime(NamedTuple):
    """Linear scores of purchases, one function per step; the last serves all later steps."""

    weights: np.ndarray  # (steps, d)


def greedy_trajectories(
    losses_if: LossesIf,
    starts: np.ndarray,
    n_tiers: int,
) -> GreedyPurchases:
    """Trajectory search: from nothing to everything, each step the purchase of least loss, first of equals.

    Every step costs one unit, so the step of least loss is the step of least C for every lambda, and one
    search serves all of them. ``starts`` (W + 1,): parts of each example.
    """
    lengths = np.diff(starts)
    n_parts, n_more = int(starts[-1]), n_tiers - 1
    tiers = np.zeros(n_parts, dtype=np.int64)
    step_starts = starts * n_more
    part, loss = np.zeros(n_parts * n_more, dtype=np.int64), np.zeros(n_parts * n_more)
    first_loss = losses_if(tiers, tiers)[0].astype(float)
    for s in range(int(lengths.max(initial=0)) * n_more):
        _, moved = losses_if(tiers, np.minimum(tiers + 1, n_more))
        moved = np.where(tiers < n_more, moved.astype(float), np.inf)
        least = np.minimum.reduceat(moved, starts[:-1])
        goes_on = np.flatnonzero(s < lengths * n_more)
        is_best = moved == np.repeat(least, lengths)
        # The first best part of each example: positions of the best, cut at each example's start.
        best = np.flatnonzero(is_best)
        chosen = best[np.searchsorted(best, starts[:-1])[goes_on]]
        tiers[chosen] += 1
        part[step_starts[goes_on] + s] = chosen
        loss[step_starts[goes_on] + s] = least[goes_on]
    return GreedyPurchases(part, loss, first_loss, step_starts)


def trajectory_labels(trajectory: GreedyPurchases, n_parts: int, price: float) -> np.ndarray:
    """Pseudo-labels: tiers in the state of least C on each trajectory, the cheapest of equals, shape (R,)."""
    tiers = np.zeros(n_parts, dtype=np.int64)
    price = checks.strength("price", price)
    for w, first_loss in enumerate(trajectory.first_loss):
        a, b = trajectory.starts[w], trajectory.starts[w + 1]
        costs = np.concatenate([[first_loss], trajectory.loss[a:b]]) + price * np.arange(b - a + 1)
        np.add.at(tiers, trajectory.part[a : a + int(np.argmin(costs))], 1)
    return tiers


def parsimonious_labels(
    losses_if: LossesIf,
    n_parts: int,
    n_tiers: int,
    price: float,
    starts: np.ndarray,
) -> np.ndarray:
    """Pseudo-labels: each part's tier is the first that alone lowers C from the empty state, shape (R,).

    It must lower C strictly: where nothing is gained, nothing is bought.
    """
    empty = np.zeros(n_parts, dtype=np.int64)
    tiers = empty.copy()
    for t in range(1, n_tiers):
        base, moved = losses_if(empty, np.full(n_parts, t))
        gain = np.repeat(base, np.diff(starts)) - moved - price * t
        tiers = np.where((tiers == 0) & (gain > 0), t, tiers)
    return tiers


def importance(
    losses_if: LossesIf,
    tiers: np.ndarray,
    n_tiers: int,
    price: float,
    starts: np.ndarray,
) -> np.ndarray:
    """|C with part r's label flipped - C at the pseudo-label|, shape (R,): the cost of a mistake."""
    turned = np.where(tiers > 0, 0, 1)
    base, moved = losses_if(tiers, turned)
    return np.abs(moved - np.repeat(base, np.diff(starts)) + price * (turned - tiers))


def fit_one_shot(
    inputs: np.ndarray,
    tiers: np.ndarray,
    n_tiers: int,
    *,
    weights: np.ndarray | None = None,
    positive_weight: float = 1.0,
) -> OneShot:
    """Weighted logistic regression of "reaches tier t" for each t.

    Inputs (R, d), pseudo-labels `tiers` (R,), `weights` (R,) by importance; a larger `positive_weight`, the
    class weight of buying, buys more. An ArgumentError if inputs and labels disagree.
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to import, only fitting needs it

    if len(inputs) != len(tiers):
        raise ArgumentError(f"tiers must have {len(inputs)} entries, got {len(tiers)}")
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    normal = ((inputs - mean) / scale).astype(np.float32)
    out, constant = np.zeros((n_tiers - 1, inputs.shape[1])), np.full(n_tiers - 1, -20.0)
    weights = np.ones(len(tiers)) if weights is None else weights
    for t in range(1, n_tiers):
        reaches = tiers >= t
        if reaches.any() and not reaches.all():
            sample = np.where(reaches, positive_weight, 1.0) * weights
            fitted = LogisticRegression(C=0.1, max_iter=60, tol=1e-3).fit(
                normal, reaches, sample_weight=sample
            )
            out[t - 1], constant[t - 1] = fitted.coef_[0], fitted.intercept_[0]
        elif reaches.any():
            constant[t - 1] = 20.0
    return OneShot(out, constant, mean, scale)


def odds(policy: OneShot, inputs: np.ndarray) -> np.ndarray:
    """Log odds of every part for every tier, shape (R, T - 1), never rising with the tier."""
    raw = ((inputs - policy.mean) / policy.scale) @ policy.weights.T + policy.constant
    return np.minimum.accumulate(raw, axis=1)


def fit_anytime(
    losses_if: LossesIf,
    describe: Callable[[np.ndarray], np.ndarray],
    starts: np.ndarray,
    n_tiers: int,
    n_steps: int,
) -> Anytime:
    """Train one classifier per step, on the examples that begin at ``starts`` (W + 1,).

    ``describe(tiers)`` returns the features of lifting each part, shape (R, d).
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to import, only fitting needs it

    tiers = np.zeros(starts[-1], dtype=np.int64)
    weights = []
    for _ in range(n_steps):
        features, can = describe(tiers), tiers < n_tiers - 1
        _, moved = losses_if(tiers, np.minimum(tiers + 1, n_tiers - 1))
        moved = moved.astype(float)
        lengths = np.diff(starts)
        least = np.repeat(np.minimum.reduceat(np.where(can, moved, np.inf), starts[:-1]), lengths)
        most = np.repeat(np.maximum.reduceat(np.where(can, moved, -np.inf), starts[:-1]), lengths)
        is_best = moved == least
        # A best part weighs by how much worse the worst one is; any other by how much worse it is itself.
        importance = np.where(can, np.where(is_best, most - moved, moved - least), 0.0)
        used = importance > 0
        if used.any() and is_best[used].any() and not is_best[used].all():
            fitted = LogisticRegression(C=1.0, max_iter=200, fit_intercept=False)
            weights.append(fitted.fit(features[used], is_best[used], sample_weight=importance[used]).coef_[0])
        else:
            weights.append(weights[-1] if weights else np.zeros(features.shape[1]))
        bought = first_of_best(np.where(can, features @ weights[-1], -np.inf), starts)
        tiers[bought] += 1
    return Anytime(np.array(weights))


def roll_out(
    policy: Anytime, describe: Callable[[np.ndarray], np.ndarray], starts: np.ndarray, n_tiers: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Let every example buy step by step until it has everything.

    For each step: the parts lifted and their scores, best score first; ties in order of the parts.
    """
    tiers = np.zeros(starts[-1], dtype=np.int64)
    steps: list[tuple[np.ndarray, np.ndarray]] = []
    while (tiers < n_tiers - 1).any():
        beta = policy.weights[min(len(steps), len(policy.weights) - 1)]
        scores = np.where(tiers < n_tiers - 1, describe(tiers) @ beta, -np.inf)
        bought = first_of_best(scores, starts)
        bought = bought[np.argsort(-scores[bought], kind="stable")]
        steps.append((bought, scores[bought]))
        tiers[bought] += 1
    return steps


def first_of_best(scores: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The first part with the largest score in each example that has a finite score."""
    best = np.maximum.reduceat(scores, starts[:-1])
    hits = np.flatnonzero(scores == np.repeat(best, np.diff(starts)))
    return hits[np.searchsorted(hits, starts[:-1])][best > -np.inf]

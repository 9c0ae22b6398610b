r"""Anytime policies: one per step, each choosing the next purchase of every example.

Policy t is trained on the states that policies 1 .. t - 1 lead to. Among the successors s of a state,
the one of least C is right. Choosing another costs the difference in C, which weights the examples of a
linear classifier (Bolukbasi et al., resource-constrained structured prediction, Theorem 2.3).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.one_shot import LossesIf


class Anytime(NamedTuple):
    """Linear scores of purchases, one function per step; the last serves all later steps."""

    weights: np.ndarray  # (steps, d)


def fit_anytime(
    losses_if: LossesIf,
    describe: Callable[[np.ndarray], np.ndarray],
    starts: np.ndarray,
    n_tiers: int,
    n_steps: int,
) -> Anytime:
    """Train one policy per step, on the examples that begin at ``starts`` (W + 1,).

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

"""Line search for StructuredSpeedBoost: the step along a weak predictor, and the risk it saves."""

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.learning.speedboost import structure as structures

MOST_ALPHA = 30.0


def risk(scores: np.ndarray, target: np.ndarray) -> float:
    """Mean cross entropy of scores, weighted by the target's mass.

    Examples
    --------
    >>> round(risk(np.zeros((1, 2), np.float32), np.float32([[1, 0]])), 4)
    0.6931
    """
    logs = np.log(np.maximum(structures.chances(scores), 1e-12))
    return float(-(target * logs).sum(dtype=float) / target.sum(dtype=float))


@kernel
def region_gradient(
    share: np.ndarray, target: np.ndarray, member: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    n_classes = share.shape[1]
    out = np.zeros((n, n_classes), dtype=np.float32)
    mass = np.zeros(n, dtype=np.float32)
    for e in range(len(member)):
        weight = np.float32(0)
        for k in range(n_classes):
            weight += target[e, k]
        if weight > 0:
            r = member[e]
            mass[r] += weight
            for k in range(n_classes):
                out[r, k] += target[e, k] - weight * share[e, k]
    for r in range(n):
        if mass[r] > 0:
            for k in range(n_classes):
                out[r, k] /= mass[r]
    return out, mass


@kernel
def _along(
    scores: np.ndarray,
    target: np.ndarray,
    elements: np.ndarray,
    member: np.ndarray,
    values: np.ndarray,
    alpha: float,
) -> tuple[float, float, float]:
    """Risk (sum), its slope and its curvature at scores + alpha values."""
    n_classes = scores.shape[1]
    moved = np.empty(n_classes)
    total, slope, curve = 0.0, 0.0, 0.0
    for e in elements:
        step, mass = values[member[e]], 0.0
        top = -np.inf
        for k in range(n_classes):
            moved[k] = scores[e, k] + alpha * step[k]
            top = max(top, moved[k])
            mass += target[e, k]
        if mass <= 0:
            continue
        norm, mean, square, wanted, hit = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(n_classes):
            q = np.exp(moved[k] - top)
            norm += q
            mean += q * step[k]
            square += q * step[k] * step[k]
            wanted += target[e, k] * step[k]
            hit += target[e, k] * (moved[k] - top)
        mean /= norm
        total += mass * np.log(norm) - hit
        slope += mass * mean - wanted
        curve += mass * (square / norm - mean * mean)
    return total, slope, curve


def step_length(
    scores: np.ndarray, target: np.ndarray, elements: np.ndarray, member: np.ndarray, values: np.ndarray
) -> tuple[float, float]:
    """(alpha, gain): the step along `values`, by Newton's method on the risk, which is convex there.

    Scores and targets are (E, K), `elements` those that are used, `member` (E,) their regions, `values`
    (R, K) the direction of each region. alpha is from 0, where the risk only rises, to `MOST_ALPHA`; gain is
    the decrease of the mean risk.
    """
    mass = float(target[elements].sum(dtype=float))
    before, slope, curve = _along(scores, target, elements, member, values, 0.0)
    if slope >= 0 or mass <= 0:
        return 0.0, 0.0
    alpha, low, high, after = 0.0, 0.0, MOST_ALPHA, before
    for _ in range(12):
        trial = alpha - slope / max(curve, 1e-12)
        if not low < trial <= high:
            trial = (low + high) / 2 if alpha > 0 else min(high, 1.0)
        alpha = trial
        after, slope, curve = _along(scores, target, elements, member, values, alpha)
        low, high = (alpha, high) if slope < 0 else (low, alpha)
        if abs(slope) < 1e-4 * mass or high - low < 1e-3:
            break
    gain = (before - after) / mass
    return (alpha, gain) if gain > 0 else (0.0, 0.0)

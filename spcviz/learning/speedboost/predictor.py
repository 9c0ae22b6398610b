"""The predictor that StructuredSpeedBoost learns: its steps in order, and the line search along each.

f_t = f_{t-1} + alpha_t h_t,    h_t(j) = mean of trees(psi_S) for all j of a region S of level_t
                                         whose mean entropy is above theta_t, else 0

`course` applies the steps to a structure; `step_length` finds alpha_t.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine.computed_once import computed_once
from spcviz.engine.kernels.jit import kernel
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost.structure import Structure
from spcviz.learning.speedboost.trees import Tree, leaf_of


@dataclass(frozen=True, eq=False)
class WeakPredictor:
    """One weak predictor."""

    level: int
    theta: float  # regions above this mean entropy are chosen (strictly)
    alpha: float
    trees: tuple[Tree, ...]  # their mean answers. Columns from F on are context

    @computed_once
    def columns(self) -> np.ndarray:
        """Columns that its trees test, rising: computed once, not for every picture."""
        return np.unique(np.concatenate([tree.columns() for tree in self.trees]))

    @computed_once
    def forest(self) -> tuple[np.ndarray, ...]:
        """Arrays of its trees, one tree after another, and where each begins."""
        parts = [np.concatenate(arrays) for arrays in zip(*self.trees)]
        ends = np.cumsum([len(tree.feature) for tree in self.trees])
        return (*parts, np.concatenate([[0], ends[:-1]]))


_NONE = np.zeros((1, 1), dtype=np.uint8)


class Predictions(NamedTuple):
    """The predictions so far; its arrays change in place."""

    # scores, share (E, K) float32: f, and its softmax
    scores: np.ndarray
    share: np.ndarray
    entropy: np.ndarray  # (E,) float32: of each row of `share`, nats


class Update(NamedTuple):
    """The result of a step."""

    step: WeakPredictor
    regions: np.ndarray  # int: chosen regions of the step's level, rising
    state: Predictions  # afterwards; the same arrays each time


def start(structure: Structure) -> Predictions:
    """`Predictions` before the first step: all classes are equally likely."""
    n = len(structure.example)
    share = structures.chances(np.zeros((1, structure.n_classes), dtype=np.float32))
    entropy = np.repeat(structures.entropies(share), n)
    return Predictions(
        np.zeros((n, structure.n_classes), dtype=np.float32), np.repeat(share, n, axis=0), entropy
    )


def course(
    steps: Sequence[WeakPredictor],
    structure: Structure,
    n_features: int,
    steps_of: Callable[[int, np.ndarray], np.ndarray],
) -> Iterator[Update]:
    """Apply steps to a structure, requesting features only where a tree needs them.

    Columns from ``n_features`` (F) on are context; ``steps_of(level, columns)`` -> uint8 (R, F), features of
    a level's regions of which at least these columns are computed.
    """
    state = start(structure)
    for step in steps:
        chosen = select_regions(structure, state.entropy, step.level, step.theta)
        yield add(step, structure, n_features, steps_of, state, chosen)


def add(
    step: WeakPredictor,
    structure: Structure,
    n_features: int,
    steps_of: Callable[[int, np.ndarray], np.ndarray],
    state: Predictions,
    chosen: np.ndarray,
) -> Update:
    """Add a step's values for the chosen regions to the state: `Update`."""
    regions = np.flatnonzero(chosen)
    if len(regions):
        first_context = np.searchsorted(step.columns, n_features)
        steps, context = steps_of(step.level, step.columns[:first_context]), _NONE
        if first_context < len(step.columns):
            asked = step.columns[first_context:] - n_features
            context = structures.context(structure, state.share, step.level, chosen, asked)
        rate = np.float32(step.alpha / len(step.trees))
        value = _sum_trees(step.forest, rate, steps, context, chosen)
        _move_scores(*state, structure.levels[step.level].member, chosen, value)
    return Update(step, regions, state)


@kernel
def _sum_trees(
    forest: tuple[np.ndarray, ...],
    rate: float | np.floating,
    steps: np.ndarray,
    context: np.ndarray,
    chosen: np.ndarray,
) -> np.ndarray:
    """Sum of the trees' answers for each chosen region, times a rate; rows of the others are 0."""
    feature, threshold, value, begin = forest
    out = np.zeros((len(chosen), value.shape[1]), dtype=np.float32)
    for first in begin:
        asked, cut, answer = feature[first:], threshold[first:], value[first:]
        for r in range(len(chosen)):
            if chosen[r]:
                at = leaf_of(asked, cut, steps, context, r)
                for k in range(value.shape[1]):
                    out[r, k] += answer[at, k]
    return out * rate


@kernel
def _move_scores(
    scores: np.ndarray,
    share: np.ndarray,
    entropy: np.ndarray,
    member: np.ndarray,
    chosen: np.ndarray,
    value: np.ndarray,
) -> None:
    """Add the values of chosen regions to the scores of their elements; update share and entropy."""
    for e in range(len(member)):
        r = member[e]
        if chosen[r]:
            for k in range(scores.shape[1]):
                scores[e, k] += value[r, k]
            entropy[e] = structures.share_of(scores, share, e)


def select_regions(structure: Structure, entropy: np.ndarray, level: int, theta: float) -> np.ndarray:
    """Which regions of a level have a mean entropy above theta: ndarray of bool, shape (R,)."""
    n, member = structure.n_regions(level), structure.levels[level].member
    mean = structures.region_means(entropy[:, None], structure.size, member, n)[:, 0]
    return mean > theta


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


MOST_ALPHA = 30.0
"""Largest alpha that the line search tries."""


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

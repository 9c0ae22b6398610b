"""The predictor that StructuredSpeedBoost learns: steps in order, each applied to uncertain regions.

f_t = f_{t-1} + alpha_t h_t,    h_t(j) = mean of trees(psi_S) for all j of a region S of level_t
                                         whose mean entropy is above theta_t, else 0
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
class Step:
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


class State(NamedTuple):
    """The predictions so far; its arrays change in place."""

    # scores, share (E, K) float32: f, and its softmax
    scores: np.ndarray
    share: np.ndarray
    entropy: np.ndarray  # (E,) float32: of each row of `share`, nats


class Update(NamedTuple):
    """The result of a step."""

    step: Step
    regions: np.ndarray  # int: chosen regions of the step's level, rising
    state: State  # afterwards; the same arrays each time


def start(structure: Structure) -> State:
    """`State` before the first step: all classes are equally likely."""
    n = len(structure.example)
    share = structures.chances(np.zeros((1, structure.n_classes), dtype=np.float32))
    entropy = np.repeat(structures.entropies(share), n)
    return State(np.zeros((n, structure.n_classes), dtype=np.float32), np.repeat(share, n, axis=0), entropy)


def course(
    steps: Sequence[Step],
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
    step: Step,
    structure: Structure,
    n_features: int,
    steps_of: Callable[[int, np.ndarray], np.ndarray],
    state: State,
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

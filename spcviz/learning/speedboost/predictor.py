"""What StructuredSpeedBoost has learned: steps, applied one after the other, each to uncertain regions.

f_t = f_{t-1} + alpha_t h_t,    h_t(j) = mean of trees(psi_S) for all j of a region S of level_t
                                         whose mean entropy is above theta_t, else 0
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.jit import kernel
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost.trees import add_answers


class Step(NamedTuple):
    """One weak predictor.

    Attributes
    ----------
    level : int
    theta : float
        Regions above this mean entropy are chosen (strictly).
    alpha : float
    trees : tuple of Tree
        Their mean answers. Columns from F on are context.
    """

    level: int
    theta: float
    alpha: float
    trees: tuple

    def columns(self):
        """Columns that its trees ask about, rising."""
        return np.unique(np.concatenate([tree.columns() for tree in self.trees]))


class State(NamedTuple):
    """What is predicted so far; its arrays change in place.

    Attributes
    ----------
    scores, share : ndarray of float32, shape (E, K)
        f, and its softmax.
    entropy : ndarray of float32, shape (E,)
        Of each row of `share`, nats.
    """

    scores: np.ndarray
    share: np.ndarray
    entropy: np.ndarray


class Update(NamedTuple):
    """What a step did.

    Attributes
    ----------
    step : Step
    regions : ndarray of int
        Chosen regions of the step's level, rising.
    state : State
        Afterwards; the same arrays each time.
    """

    step: Step
    regions: np.ndarray
    state: State


def start(structure):
    """`State` before the first step: all classes are as likely."""
    scores = np.zeros((len(structure.example), structure.n_classes), dtype=np.float32)
    share = structures.chances(scores)
    return State(scores, share, structures.entropies(share))


def course(steps, structure, n_features, steps_of):
    """Apply steps to a structure, asking for features only where a tree needs them.

    Parameters
    ----------
    steps : sequence of Step
    structure : Structure
    n_features : int
        F: columns from there on are context.
    steps_of : callable
        steps_of(level, columns) -> uint8 (R, F), features of a level's regions of which at least these
        columns are computed.

    Yields
    ------
    Update
    """
    state = start(structure)
    for step in steps:
        chosen = selected(structure, state.entropy, step.level, step.theta)
        yield add(step, structure, n_features, steps_of, state, chosen)


def add(step, structure, n_features, steps_of, state, chosen):
    """What a step says of the chosen regions, added to the state: `Update`."""
    regions = np.flatnonzero(chosen)
    if len(regions):
        columns = step.columns()
        steps = steps_of(step.level, columns[columns < n_features])
        context = np.zeros((1, 1), dtype=np.uint8)
        if columns[-1:] >= n_features:
            context = structures.context(structure, state.share, step.level, chosen)
        value = np.zeros((len(regions), structure.n_classes), dtype=np.float32)
        for tree in step.trees:
            add_answers(value, *tree, steps, context, regions)
        value *= np.float32(step.alpha / len(step.trees))
        row = np.full(len(chosen), -1, dtype=np.int32)
        row[regions] = np.arange(len(regions))
        _moved(*state, structure.levels[step.level].member, row, value)
    return Update(step, regions, state)


@kernel
def _moved(scores, share, entropy, member, row, value):
    """Scores of the elements of regions with a row go up by its value; share and entropy follow."""
    for e in range(len(member)):
        r = row[member[e]]
        if r >= 0:
            for k in range(scores.shape[1]):
                scores[e, k] += value[r, k]
            entropy[e] = structures.share_of(scores, share, e)


def selected(structure, entropy, level, theta):
    """Which regions of a level have a mean entropy above theta: ndarray of bool, shape (R,)."""
    n, member = structure.n_regions(level), structure.levels[level].member
    mean = structures.region_means(entropy[:, None], structure.size, member, n)[:, 0]
    return mean > theta

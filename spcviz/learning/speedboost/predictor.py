"""What StructuredSpeedBoost has learned: steps, applied one after the other, each to uncertain regions.

f_t = f_{t-1} + alpha_t h_t,    h_t(j) = tree(psi_S) for all j of a region S of level_t
                                         whose mean entropy is above theta_t, else 0
"""

from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost.trees import Tree, leaves, renamed


class Step(NamedTuple):
    """One weak predictor.

    Attributes
    ----------
    level : int
    theta : float
        Regions above this mean entropy are chosen (strictly).
    alpha : float
    tree : Tree
        Columns from F on are context.
    """

    level: int
    theta: float
    alpha: float
    tree: Tree


class Update(NamedTuple):
    """What a step did.

    Attributes
    ----------
    step : Step
    regions : ndarray of int
        Chosen regions of the step's level, rising.
    leaf : ndarray of int32, shape (len(regions),)
    scores : ndarray of float32, shape (E, K)
        Afterwards; the same array each time.
    """

    step: Step
    regions: np.ndarray
    leaf: np.ndarray
    scores: np.ndarray


def course(steps, structure, n_features, steps_of):
    """Apply steps to a structure, asking for features only where a tree needs them.

    Parameters
    ----------
    steps : sequence of Step
    structure : Structure
    n_features : int
        F: columns from there on are context.
    steps_of : callable
        steps_of(level, columns) -> uint8 (n, R), features of a level's regions.

    Yields
    ------
    Update
    """
    scores = np.zeros((len(structure.example), structure.n_classes), dtype=np.float32)
    for step in steps:
        share, chosen = choose(step, structure, scores)
        yield add(step, structure, n_features, steps_of, share, chosen, scores)


def choose(step, structure, scores):
    """(chances of every element, which regions a step chooses) from scores."""
    share = structures.chances(scores)
    return share, selected(structure, structures.entropies(share), step.level, step.theta)


def add(step, structure, n_features, steps_of, share, chosen, scores):
    """What a step says of the chosen regions, added to the scores: `Update`."""
    regions = np.flatnonzero(chosen)
    leaf = np.zeros(0, dtype=np.int32)
    if len(regions):
        leaf = _leaves_of(step, structure, n_features, steps_of, share, regions)
        added = np.zeros((len(chosen), structure.n_classes), dtype=np.float32)
        added[regions] = np.float32(step.alpha) * step.tree.value[leaf]
        scores += added[structure.levels[step.level].member]
    return Update(step, regions, leaf, scores)


def selected(structure, entropy, level, theta):
    """Which regions of a level have a mean entropy above theta: ndarray of bool, shape (R,)."""
    n, member = structure.n_regions(level), structure.levels[level].member
    mean = structures.region_means(entropy[:, None], structure.size, member, n)[:, 0]
    return mean > theta


def _leaves_of(step, structure, n_features, steps_of, share, regions):
    """Node of some regions of the step's level."""
    tree = step.tree
    columns = tree.columns()
    wanted = columns[columns < n_features]
    own = steps_of(step.level, wanted)
    context = np.zeros((structure.n_regions(step.level), 1), dtype=np.uint8)
    if len(wanted) < len(columns):
        context = structures.context(structure, share, step.level)
    feature = renamed(tree, wanted, n_features)
    return leaves(feature, tree.threshold, np.ascontiguousarray(own.T), context, regions)

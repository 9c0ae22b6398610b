"""Hierarchical inference machine (Munoz et al. 2010, as Grubb et al. 2013, 4.2, review it): the fixed course.

A predictor for each level in a fixed order, from large regions to small ones, up again and down again. Each
sees all features of its regions and what the one before it predicted in and around them, and says a
distribution over classes for every region. It cannot be interrupted: the answer is the last predictor's.

Predictors are gradient-boosted trees of vectors on the cross entropy of regions, of the same kind as
`boost`'s, without prices. Stacked: what a predictor sees of an example comes from predictors that were
learned without it (contiguous folds).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.jit import kernel
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost import trees

_MOST = 4.0
"""Largest answer of a tree, before its rate."""
_LEAST_CURVE = 1e-6


@dataclass(frozen=True)
class Settings:
    """How to learn.

    Attributes
    ----------
    levels : tuple of int
        In the order in which they predict.
    n_trees, depth : int
        Of each predictor.
    rate : float
        Share of a tree's answer that counts.
    n_folds : int
        At least 2.
    n_rows : int
        Regions, drawn by weight, that a tree's splits are chosen by.
    column_share, context_share : float
        Of the features, and of what was predicted before, that a tree may ask for.
    least : float
        Least share of the weight on either side of a split.
    """

    levels: tuple = (4, 3, 2, 1, 2)
    n_trees: int = 50
    depth: int = 5
    rate: float = 0.15
    n_folds: int = 5
    n_rows: int = 5000
    column_share: float = 0.15
    context_share: float = 0.4
    least: float = 0.001


class Stage(NamedTuple):
    """One level's predictor.

    Attributes
    ----------
    level : int
    trees : tuple of Tree
        Columns from F on are context; answers are added up.
    """

    level: int
    trees: tuple


def learn(structure, target, columns, settings, rng, tick=None):
    """All predictors.

    Parameters
    ----------
    structure : Structure
    target : ndarray, shape (E, K)
        How much each class weighs in an element.
    columns : ndarray of int
        Features that may be asked for.
    settings : Settings
    rng : numpy.random.Generator
    tick : callable, optional
        Called with a few words after each predictor.

    Returns
    -------
    list of Stage

    Raises
    ------
    ArgumentError
    """
    n_examples = int(structures.checked(structure).example[-1]) + 1
    if not 2 <= settings.n_folds <= n_examples:
        raise ArgumentError(f"n_folds must be from 2 to {n_examples}, got {settings.n_folds}")
    fold = (structure.example.astype(np.int64) * settings.n_folds // n_examples).astype(np.int32)
    share = np.full((len(fold), structure.n_classes), 1 / structure.n_classes, dtype=np.float32)
    stages = []
    for number, level in enumerate(settings.levels):
        context = structures.context(structure, share, level)
        rows = _rows(structure, target, level, fold, context)
        last = number == len(settings.levels) - 1
        share = np.empty_like(share)
        member = structure.levels[level].member
        for k in range(settings.n_folds if not last else 0):
            chances = structures.chances(_boosted(rows, rows.fold != k, columns, settings, rng)[1])
            own = fold == k
            share[own] = chances[member[own]]
        stages.append(Stage(level, _boosted(rows, rows.fold >= 0, columns, settings, rng)[0]))
        if tick is not None:
            tick(f"level {level}")
    return stages


class _Rows(NamedTuple):
    steps: np.ndarray
    context: np.ndarray
    target: np.ndarray
    mass: np.ndarray
    fold: np.ndarray


def _rows(structure, target, level, fold, context):
    own = structure.levels[level]
    n = structure.n_regions(level)
    ones = np.ones(len(fold), dtype=np.float32)
    sums, _ = structures.region_sums(target.astype(np.float32), ones, own.member, n)
    of_region = np.zeros(n, dtype=np.int32)
    of_region[own.member] = fold
    return _Rows(own.steps, context, sums, sums.sum(axis=1), of_region)


def _boosted(rows, is_own, columns, settings, rng):
    """(trees, scores of all regions) of a predictor that learns from some regions."""
    n_features, n_context = rows.steps.shape[1], rows.context.shape[1]
    free = trees.Prices(
        np.full(n_features + n_context, -1, np.int32), np.zeros(0), np.zeros(n_features + n_context)
    )
    nothing = trees.nothing_bought(free)
    scores, out, every = np.zeros_like(rows.target), [], np.arange(len(rows.target))
    learning = np.flatnonzero(is_own & (rows.mass > 0))
    bounds = np.cumsum(rows.mass[learning], dtype=float)
    for _ in range(settings.n_trees):
        drawn = np.searchsorted(bounds, rng.random(settings.n_rows) * bounds[-1], side="right")
        some = learning[np.minimum(drawn, len(learning) - 1)]
        asked = _some(columns, settings.column_share, rng)
        near = _some(np.arange(n_context), settings.context_share, rng)
        target = rows.target[some] / rows.mass[some, None] - structures.chances(scores[some])
        both = np.concatenate([rows.steps[some][:, asked], rows.context[some][:, near]], axis=1)
        names = np.concatenate([asked, n_features + near])
        fitted = trees.Rows(np.ascontiguousarray(both.T), names, target, np.ones(len(some)))
        tree = trees.fit(fitted, free, nothing, 0.0, settings.depth, settings.least)
        leaf = trees.leaves(tree.feature, tree.threshold, rows.steps, rows.context, every)
        value = _newton(leaf, rows.target, scores, learning, len(tree.feature))
        tree = tree._replace(value=(settings.rate * value).astype(np.float32))
        scores += tree.value[leaf]
        out.append(tree)
    return tuple(out), scores


def _some(columns, share, rng):
    n = max(1, round(share * len(columns)))
    return np.sort(rng.choice(columns, n, replace=False))


@kernel
def _newton(leaf, target, scores, rows, n_nodes):
    """Newton's step of every leaf and class on the cross entropy: (N, K)."""
    n_classes = scores.shape[1]
    slope, curve = np.zeros((n_nodes, n_classes)), np.zeros((n_nodes, n_classes))
    q, total = np.zeros(n_classes), 0.0
    for r in rows:
        top, norm, mass = -np.inf, 0.0, 0.0
        for k in range(n_classes):
            top = max(top, scores[r, k])
            mass += target[r, k]
        for k in range(n_classes):
            q[k] = np.exp(scores[r, k] - top)
            norm += q[k]
        total += mass
        for k in range(n_classes):
            share = q[k] / norm
            slope[leaf[r], k] += target[r, k] - mass * share
            curve[leaf[r], k] += mass * share * (1 - share)
    for c in range(n_nodes):
        for k in range(n_classes):
            step = slope[c, k] / (curve[c, k] + 1e-4 * total + _LEAST_CURVE)
            slope[c, k] = min(max(step, -_MOST), _MOST)
    return slope


def course(stages, structure, n_features, steps_of):
    """Apply predictors one after the other.

    Parameters
    ----------
    stages : sequence of Stage
    structure : Structure
    n_features : int
        F.
    steps_of : callable
        steps_of(level, columns) -> uint8 (R, F), as in `spcviz.learning.speedboost.predictor.course`.

    Yields
    ------
    ndarray of float32, shape (E, K)
        Predicted chances after each.
    """
    share = np.full((len(structure.example), structure.n_classes), 1 / structure.n_classes, dtype=np.float32)
    for stage in stages:
        wanted = np.unique(np.concatenate([tree.columns() for tree in stage.trees]))
        wanted = wanted[wanted < n_features]
        steps = steps_of(stage.level, wanted)
        context = structures.context(structure, share, stage.level)
        every = np.arange(len(context))
        scores = np.zeros((len(every), structure.n_classes), dtype=np.float32)
        for tree in stage.trees:
            trees.add_answers(scores, *tree, steps, context, every)
        share = structures.chances(scores)[structure.levels[stage.level].member]
        yield share

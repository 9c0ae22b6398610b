"""Hierarchical inference machine (Munoz et al. 2010; Grubb et al. 2013, 4.2): a fixed order of predictors.

A predictor for each level in a fixed order, from large regions to small ones, up again and down again. Each
sees all features of its regions and the earlier predictions in and around them, and predicts a distribution
over classes for every region. The sequence cannot be interrupted: its answer exists only when the last
predictor is done. Unlike in the paper, the answer of an element is not the last predictor's alone but the
normalised geometric mean of all, each for the region in which the element lies, so a cut that is wrong at one
level is outvoted by the others.

A predictor is two learners whose answers are combined by the same mean: gradient-boosted trees of
vectors on the cross entropy of regions, of the same kind as `boost`'s, without prices; and a forest of
extremely randomised trees (scikit-learn's), which answers with the mean of its trees. The paper's predictor
is one regression; adding a forest to boosted trees lowers errors on examples unlike those learned from.
Predictors are stacked: the predictions that one sees for an example come from predictors that were learned
without it (contiguous folds).

The predictions so far enter a predictor as a row of K (5 + 2 C) shares, in 64 steps:

    inside   mean prediction of its elements
    C kinds  mean prediction of its neighbours, weighted by how much of each kind of border they share
    C kinds  the same of the neighbours' neighbours
    up       mean prediction of the regions one and two levels up in which it lies
    all      mean prediction of its example
    answer   mean answer of its elements: that of all predictors before together
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.learning.speedboost import forests, trees
from spcviz.learning.speedboost import structure as structures
from spcviz.learning.speedboost.structure import Structure

_MOST = 4.0
"""Largest answer of a tree, before its rate."""
_LEAST_CURVE = 1e-6
_LEAST_SHARE = np.float32(1e-6)
"""Lower limit of probabilities whose logarithm is taken."""
_UNSEEN = np.float32(2e-3)
"""Added to a forest's mean for each class: a class that no tree has seen is not impossible."""


@dataclass(frozen=True)
class HierarchySettings:
    """Settings of the learner."""

    levels: tuple[int, ...] = (4, 3, 2, 1, 2)  # in the order in which they predict
    # n_trees, depth: of each predictor
    n_trees: int = 80
    depth: int = 6
    rate: float = 0.12  # share of a tree's answer that counts
    n_folds: int = 5  # at least 2
    n_pool: int = 40_000  # regions, drawn by weight, that a predictor learns from
    n_rows: int = 6000  # number of these, drawn anew, that choose a tree's splits
    # column_share, context_share: of the features, and of the earlier predictions, that a tree may use
    column_share: float = 0.2
    context_share: float = 0.4
    least: float = 0.001  # least share of the weight on either side of a split
    # n_forest, n_forest_fold: trees of the forest, and of one learned without a fold
    n_forest: int = 20
    n_forest_fold: int = 12
    n_forest_pool: int = 15_000  # regions, drawn by weight, that a forest learns from
    forest_share: float = 0.25  # of all columns, that each node of a forest's tree may test
    forest_leaves: int = 800  # at most, of each of its trees


class Stage(NamedTuple):
    """One level's predictor."""

    level: int
    trees: tuple[trees.Tree, ...]  # columns from F on are context; answers are added up
    forest: forests.Forest | None = None  # likewise, answers are averaged

    def columns(self) -> np.ndarray:
        """Columns that its trees test, rising."""
        asked = [tree.columns() for tree in self.trees]
        return np.unique(np.concatenate([*asked, self.forest.columns()] if self.forest else asked))


class _Said(NamedTuple):
    """Predictions for every element: the last predictor's, and the sum of logarithms over all so far."""

    share: np.ndarray
    logs: np.ndarray


def _nothing_said(structure: Structure) -> _Said:
    shape = (len(structure.example), structure.n_classes)
    return _Said(np.full(shape, 1 / structure.n_classes, dtype=np.float32), np.zeros(shape, np.float32))


def _next_said(predicted: _Said, share: np.ndarray) -> _Said:
    return _Said(share, predicted.logs + np.log(np.maximum(share, _LEAST_SHARE)))


def _answer(predicted: _Said, n: int) -> np.ndarray:
    """Normalised geometric mean of the predictions of n predictors."""
    return structures.chances(predicted.logs / np.float32(max(n, 1)))


def learn(
    structure: Structure,
    target: np.ndarray,
    columns: np.ndarray,
    settings: HierarchySettings,
    rng: np.random.Generator,
    tick: Callable[[str], object] | None = None,
    origin: np.ndarray | None = None,
) -> list[Stage]:
    """Learn all predictors.

    Parameters
    ----------
    target : ndarray, shape (E, K)
        Weight of each class in an element.
    columns : ndarray of int
        Features that may be used.
    tick : callable, optional
        Called with a few words after each predictor.
    origin : ndarray of int, optional
        The original of each example, if some are changed copies of others (`structure.folds`).

    Returns
    -------
    list of Stage

    Raises
    ------
    ArgumentError
    """
    fold = structures.folds(structures.check_structure(structure), settings.n_folds, origin)
    predicted, stages, how = _nothing_said(structure), [], (columns, settings, rng)
    for number, level in enumerate(settings.levels):
        seen = _surroundings(structure, predicted, number, level)
        rows = _rows(structure, target, level, fold, seen)
        if number < len(settings.levels) - 1:
            chances = np.empty((len(rows.fold), structure.n_classes), dtype=np.float32)
            for k in range(settings.n_folds):
                held_out = np.flatnonzero(rows.fold == k)
                without = _stage(level, rows, rows.fold != k, how, settings.n_forest_fold)
                chances[held_out] = _chances(without, rows.steps, seen, held_out, structure.n_classes)
            predicted = _next_said(predicted, chances[structure.levels[level].member])
        stages.append(_stage(level, rows, rows.fold >= 0, how, settings.n_forest))
        if tick is not None:
            tick(f"level {level}")
    return stages


def _surroundings(structure: Structure, predicted: _Said, n: int, level: int) -> np.ndarray:
    """Predictions of n predictors in and around the regions of a level: uint8 (R, K (5 + 2 C))."""
    shares = _shares_around(structure, predicted, n, level)
    return structures.in_steps(shares, (np.ones(len(shares), dtype=np.bool_), np.arange(shares.shape[1])))


def _shares_around(structure: Structure, predicted: _Said, n: int, level: int) -> np.ndarray:
    """`_surroundings` before they are rounded to steps."""
    regions, levels = structure.levels[level], structure.levels
    n_regions, n_examples = structure.n_regions(level), int(structure.example[-1]) + 1

    def mean(share: np.ndarray, member: np.ndarray, n_groups: int) -> np.ndarray:
        return structures.region_means(share, structure.size, member, n_groups)

    inside = mean(predicted.share, regions.member, n_regions)
    some = np.zeros(n_regions, dtype=np.int64)
    some[regions.member] = np.arange(len(regions.member))
    border = (regions.first, regions.second, regions.length)
    near = _around(np.repeat(inside[:, None], regions.length.shape[1], axis=1), *border)
    parts = [inside, near.reshape(n_regions, -1), _around(near, *border).reshape(n_regions, -1)]
    for up in (1, 2):
        above = min(level + up, len(levels) - 1)
        over = levels[above].member
        parts.append(mean(predicted.share, over, structure.n_regions(above))[over[some]])
    parts.append(mean(predicted.share, structure.example, n_examples)[structure.example[some]])
    parts.append(mean(_answer(predicted, n), regions.member, n_regions))
    return np.concatenate(parts, axis=1)


@kernel
def _around(values: np.ndarray, first: np.ndarray, second: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Means of neighbours' values, (R, C, K): for kind c of their values for c, weighted by such border."""
    n, kinds, k_all = values.shape
    out = np.zeros((n, kinds, k_all), dtype=np.float32)
    total = np.zeros((n, kinds), dtype=np.float32)
    for b in range(len(first)):
        i, j = first[b], second[b]
        for c in range(kinds):
            if length[b, c] > 0:
                total[i, c] += length[b, c]
                for k in range(k_all):
                    out[i, c, k] += length[b, c] * values[j, c, k]
    for r in range(n):
        for c in range(kinds):
            if total[r, c] > 0:
                for k in range(k_all):
                    out[r, c, k] /= total[r, c]
    return out


class _Rows(NamedTuple):
    steps: np.ndarray
    context: np.ndarray
    target: np.ndarray
    mass: np.ndarray
    fold: np.ndarray


def _rows(
    structure: Structure, target: np.ndarray, level: int, fold: np.ndarray, context: np.ndarray
) -> _Rows:
    regions = structure.levels[level]
    n = structure.n_regions(level)
    ones = np.ones(len(fold), dtype=np.float32)
    sums, _ = structures.region_sums(target.astype(np.float32), ones, regions.member, n)
    of_region = np.zeros(n, dtype=np.int32)
    of_region[regions.member] = fold
    return _Rows(regions.steps, context, sums, sums.sum(axis=1), of_region)


def _pool(
    rows: _Rows, chosen: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw regions by weight from the chosen ones, each then counting equally: (steps, context, target)."""
    learning = np.flatnonzero(chosen & (rows.mass > 0))
    some = np.sort(trees.draw_rows(learning, rows.mass, n, rng))
    return rows.steps[some], rows.context[some], rows.target[some] / rows.mass[some, None]


def _stage(
    level: int,
    rows: _Rows,
    chosen: np.ndarray,
    how: tuple[np.ndarray, HierarchySettings, np.random.Generator],
    n_forest: int,
) -> Stage:
    """Learn the predictor of a level from some regions."""
    boosted = _boost_trees(rows, chosen, *how)
    return Stage(level, boosted, _forest(rows, chosen, *how, n_forest))


def _forest(
    rows: _Rows,
    chosen: np.ndarray,
    columns: np.ndarray,
    settings: HierarchySettings,
    rng: np.random.Generator,
    n: int,
) -> forests.Forest:
    """Learn a forest from some regions."""
    steps, context, target = _pool(rows, chosen, settings.n_forest_pool, rng)
    names = np.concatenate([columns, steps.shape[1] + np.arange(context.shape[1])])
    return forests.fit(
        np.concatenate([steps[:, columns], context], axis=1),
        names,
        target,
        n,
        max_leaf_nodes=settings.forest_leaves,
        min_samples_leaf=3,
        max_features=settings.forest_share,
        random_state=int(rng.integers(2**31)),
    )


def _boost_trees(
    rows: _Rows,
    chosen: np.ndarray,
    columns: np.ndarray,
    settings: HierarchySettings,
    rng: np.random.Generator,
) -> tuple[trees.Tree, ...]:
    """Learn the boosted trees of a predictor from some regions."""
    steps, context, target = _pool(rows, chosen, settings.n_pool, rng)
    n_features, n_context = steps.shape[1], context.shape[1]
    free = trees.Prices(
        np.full(n_features + n_context, -1, np.int32),
        np.zeros(0),
        np.zeros(n_features + n_context),
        np.zeros(0),
    )
    nothing = trees.nothing_bought(free)
    scores, out, every = np.zeros_like(target), [], np.arange(len(target))
    for _ in range(settings.n_trees):
        some = rng.integers(len(target), size=settings.n_rows)
        asked = _some(columns, settings.column_share, rng)
        near = _some(np.arange(n_context), settings.context_share, rng)
        slope = target[some] - structures.chances(scores[some])
        fitted = trees.rows_of((steps[some], asked), (context[some], near), slope)
        tree = trees.fit(fitted, free, nothing, 0.0, settings.depth, settings.least)
        leaf = trees.leaves(tree.feature, tree.threshold, steps, context, every)
        value = _newton(leaf, target, scores, every, len(tree.feature))
        tree = tree._replace(value=(settings.rate * value).astype(np.float32))
        scores += tree.value[leaf]
        out.append(tree)
    return tuple(out)


def _chances(
    stage: Stage, steps: np.ndarray, context: np.ndarray, rows: np.ndarray, n_classes: int
) -> np.ndarray:
    """A predictor's distributions for some regions: (n, K)."""
    scores = np.zeros((len(rows), n_classes), dtype=np.float32)
    for tree in stage.trees:
        trees.add_answers(scores, *tree, steps, context, rows)
    if stage.forest is None:
        return structures.chances(scores)
    shares = forests.means(*stage.forest, steps, context, rows) + _UNSEEN
    boosted = np.log(np.maximum(structures.chances(scores), _LEAST_SHARE))
    return structures.chances((boosted + np.log(shares)) / 2)


def _some(columns: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    n = max(1, round(share * len(columns)))
    return np.sort(rng.choice(columns, n, replace=False))


@kernel
def _newton(
    leaf: np.ndarray, target: np.ndarray, scores: np.ndarray, rows: np.ndarray, n_nodes: int
) -> np.ndarray:
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


def course(
    stages: Sequence[Stage],
    structure: Structure,
    n_features: int,
    steps_of: Callable[[int, np.ndarray], np.ndarray],
) -> Iterator[np.ndarray]:
    """Apply predictors one after another: after each, yields the answer (E, K) of all so far together.

    ``steps_of(level, columns)`` -> uint8 (R, F), as in `spcviz.learning.speedboost.predictor.course`.
    """
    predicted = _nothing_said(structure)
    for number, stage in enumerate(stages):
        wanted = stage.columns()
        steps = steps_of(stage.level, wanted[wanted < n_features])
        seen = _surroundings(structure, predicted, number, stage.level)
        chances = _chances(stage, steps, seen, np.arange(len(seen)), structure.n_classes)
        predicted = _next_said(predicted, chances[structure.levels[stage.level].member])
        yield _answer(predicted, number + 1)

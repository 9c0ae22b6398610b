"""Pack trained predictors into few arrays and bytes: concatenated trees with their numbers of nodes."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost.forests import Forest
from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.predictor import Step
from spcviz.learning.speedboost.trees import Tree

_SMALL = {"feature": np.int16, "left": np.int16, "value": np.uint8}  # of a forest; answers in 1 / `_MOST`
_MOST = 255


class Trees(NamedTuple):
    """Concatenated trees."""

    n_nodes: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    value: np.ndarray
    n_trees: np.ndarray


_OF_TREES = [(name, np.ndarray) for name in Trees._fields]
Steps = NamedTuple("Steps", [*_OF_TREES, *((name, np.ndarray) for name in ("level", "theta", "alpha"))])
"""Steps of an anytime predictor: their trees, and one level, theta and alpha per step."""
Stages = NamedTuple("Stages", [*_OF_TREES, ("stage_level", np.ndarray), ("forest", dict[int, Forest])])
"""Stages of an inference machine: their trees, their levels, and forests by number where a stage has one."""


def _of_trees(groups):
    trees = [tree for group in groups for tree in group]
    values = np.concatenate([np.where(tree.feature[:, None] < 0, tree.value, 0) for tree in trees])
    return Trees(
        np.array([len(tree.feature) for tree in trees], dtype=np.int32),
        np.concatenate([tree.feature for tree in trees]).astype(np.int16),
        np.concatenate([tree.threshold for tree in trees]),
        values.astype(np.float32),
        np.array([len(group) for group in groups], dtype=np.int32),
    )


def _to_trees(packed):
    ends, last = np.cumsum(packed.n_nodes), np.cumsum(packed.n_trees)
    slices = [slice(end - n, end) for n, end in zip(packed.n_nodes, ends)]
    feature, value = packed.feature.astype(np.int32), packed.value.astype(np.float32)
    trees = [Tree(feature[at].copy(), np.array(packed.threshold[at]), value[at].copy()) for at in slices]
    return [tuple(trees[end - n : end]) for n, end in zip(packed.n_trees, last)]


def of_steps(steps):
    """Pack steps: `Steps`."""
    return Steps(
        *_of_trees([step.trees for step in steps]),
        level=np.array([step.level for step in steps], dtype=np.int32),
        theta=np.array([step.theta for step in steps]),
        alpha=np.array([step.alpha for step in steps]),
    )


def to_steps(packed):
    """Unpack what `of_steps` returns: list of Step."""
    rows = zip(packed.level, packed.theta, packed.alpha, _to_trees(packed))
    return [Step(int(level), float(theta), float(alpha), trees) for level, theta, alpha, trees in rows]


def of_stages(stages):
    """Pack the stages of an inference machine: `Stages`."""
    return Stages(
        *_of_trees([stage.trees for stage in stages]),
        stage_level=np.array([stage.level for stage in stages], dtype=np.int32),
        forest={number: _small(stage.forest) for number, stage in enumerate(stages) if stage.forest},
    )


def to_stages(packed):
    """Unpack what `of_stages` returns: list of Stage."""
    rows = enumerate(zip(packed.stage_level, _to_trees(packed)))
    return [
        Stage(int(level), trees, _wide(packed.forest[number]) if number in packed.forest else None)
        for number, (level, trees) in rows
    ]


def _small(forest):
    arrays = forest._replace(value=np.round(_MOST * forest.value))._asdict()
    return Forest(**{name: array.astype(_SMALL.get(name, array.dtype)) for name, array in arrays.items()})


def _wide(forest):
    whole = {name: getattr(forest, name).astype(np.int32) for name in ("feature", "left")}
    return forest._replace(value=forest.value.astype(np.float32) / _MOST, **whole)

"""Predictors as plain arrays: trees one after the other, their nodes counted."""

import numpy as np

from spcviz.learning.speedboost.forests import Forest
from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.predictor import Step
from spcviz.learning.speedboost.trees import Tree

_SMALL = {"feature": np.int16, "left": np.int16, "value": np.uint8}
"""How a forest's arrays are stored; its answers, shares of classes, in steps of 1 / `_MOST`."""
_MOST = 255


def _of_trees(trees):
    return {
        "n_nodes": np.array([len(tree.feature) for tree in trees], dtype=np.int32),
        "feature": np.concatenate([tree.feature for tree in trees]).astype(np.int16),
        "threshold": np.concatenate([tree.threshold for tree in trees]),
        "value": np.concatenate([_answers(tree) for tree in trees]).astype(np.float32),
    }


def _answers(tree):
    """Values of the nodes that answer; zeros elsewhere."""
    return np.where(tree.feature[:, None] < 0, tree.value, 0)


def _to_trees(arrays):
    ends = np.cumsum(arrays["n_nodes"])
    own = [slice(end - n, end) for n, end in zip(arrays["n_nodes"], ends)]
    return [
        Tree(
            arrays["feature"][at].astype(np.int32),
            np.array(arrays["threshold"][at]),
            arrays["value"][at].astype(np.float32),
        )
        for at in own
    ]


def of_steps(steps):
    """Arrays of steps: dict of str to ndarray."""
    return _of_trees([tree for step in steps for tree in step.trees]) | {
        "n_trees": np.array([len(step.trees) for step in steps], dtype=np.int32),
        "level": np.array([step.level for step in steps], dtype=np.int32),
        "theta": np.array([step.theta for step in steps]),
        "alpha": np.array([step.alpha for step in steps]),
    }


def to_steps(arrays):
    """Steps of what `of_steps` returns: list of Step."""
    rows = zip(arrays["level"], arrays["theta"], arrays["alpha"], _grouped(arrays))
    return [Step(int(level), float(theta), float(alpha), trees) for level, theta, alpha, trees in rows]


def of_stages(stages):
    """Arrays of an inference machine: dict of str to ndarray."""
    return _of_trees([tree for stage in stages for tree in stage.trees]) | {
        "stage_level": np.array([stage.level for stage in stages], dtype=np.int32),
        "n_trees": np.array([len(stage.trees) for stage in stages], dtype=np.int32),
        **{
            f"forest_{number}_{name}": array
            for number, stage in enumerate(stages)
            if stage.forest
            for name, array in _small(stage.forest).items()
        },
    }


def to_stages(arrays):
    """Stages of what `of_stages` returns: list of Stage."""
    rows = enumerate(zip(arrays["stage_level"], _grouped(arrays)))
    return [Stage(int(level), trees, _forest_of(arrays, number)) for number, (level, trees) in rows]


def _small(forest):
    steps = np.round(_MOST * forest.value)
    return {n: a.astype(_SMALL.get(n, a.dtype)) for n, a in forest._replace(value=steps)._asdict().items()}


def _forest_of(arrays, number):
    """The forest of a stage, None if it has none."""
    if f"forest_{number}_root" not in arrays:
        return None
    own = {name: arrays[f"forest_{number}_{name}"] for name in Forest._fields}
    wide = {name: own[name].astype(np.int32) for name in ("feature", "left")}
    wide["value"] = own["value"].astype(np.float32) / _MOST
    return Forest(**own | wide)


def _grouped(arrays):
    """Trees in tuples of ``n_trees``."""
    trees, ends = _to_trees(arrays), np.cumsum(arrays["n_trees"])
    return [tuple(trees[end - n : end]) for n, end in zip(arrays["n_trees"], ends)]

"""Predictors as plain arrays: trees one after the other, their nodes counted."""

import numpy as np

from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.predictor import Step
from spcviz.learning.speedboost.trees import Tree


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
    }


def to_stages(arrays):
    """Stages of what `of_stages` returns: list of Stage."""
    return [Stage(int(level), trees) for level, trees in zip(arrays["stage_level"], _grouped(arrays))]


def _grouped(arrays):
    """Trees in tuples of ``n_trees``."""
    trees, ends = _to_trees(arrays), np.cumsum(arrays["n_trees"])
    return [tuple(trees[end - n : end]) for n, end in zip(arrays["n_trees"], ends)]

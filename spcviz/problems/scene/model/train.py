"""Train on CamVid the anytime predictor (SIM), inference machines (HIM) and a forest, and pack them small.

Settings were chosen on the validation pictures. A pixel of class k has weight f_k^-power, where f_k is the
class's share of training pixels: with power 0 rare classes vanish, with 1 fewer pixels are right.

Packed predictors are few arrays: concatenated trees with their numbers of nodes.
"""

from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from spcviz.learning.speedboost import boost, hierarchy, trees
from spcviz.learning.speedboost.forests import Forest
from spcviz.learning.speedboost.hierarchy import Stage
from spcviz.learning.speedboost.predictor import WeakPredictor
from spcviz.learning.speedboost.trees import Tree
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import descriptors, extract, features
from spcviz.shared.work.disk_cache import load_or_compute, tree_of

RANDOM_STATE = 0
LIMITED = {  # groups that the inference machines may use, as in the paper's Fig. 2
    "him": features.GROUPS,
    "him-txt": ("SHAPE", "TXT"),
    "him-txt-isift": ("SHAPE", "TXT", "I-SIFT"),
}


@dataclass(frozen=True)
class SceneSettings:
    """The settings of all training."""

    every: int = 1  # learn from every `every`-th training picture and its changed copy (`mirror_scene`)
    power: float = 0.5  # power, sim_power: of the class weights (`class_weights`)
    sim_power: float = 0.3
    sim: boost.BoostSettings = field(default_factory=lambda: boost.BoostSettings(n_turns=225, patience=40))
    him: hierarchy.HierarchySettings = field(default_factory=hierarchy.HierarchySettings)
    # HIM stops after this many predictors: later ones lower the accuracy on the validation pictures (the
    # results show what each adds)
    him_stop: int = 5
    forest_rows: int = 60_000
    forest_trees: int = 40


def settings_for(quick):
    """`SceneSettings`; small ones for a trial run if `quick`."""
    if not quick:
        return SceneSettings()
    sim = boost.BoostSettings(n_turns=6, n_candidates=3, n_rows=600)
    him = hierarchy.HierarchySettings(
        (4, 2, 0), 4, 3, n_pool=5000, n_forest=4, n_forest_fold=2, n_forest_pool=2000
    )
    return SceneSettings(40, 0.4, 0.3, sim, him, 3, 2000, 8)


def prices():
    """SIM's costs, as ``scene-costs`` stores them, so that every machine learns the same predictor."""
    known = features.load_costs()
    groups = features.GROUPS[1:]
    group_ms = [known["SHAPE"]["ms"], *(known[f"{g} (B)"]["ms"] for g in groups)]
    every = [known[f"{g} (D)"] for g in groups]
    centre_ms = np.array([0.0, *(row["ms"] / descriptors.N_CENTRES for row in every)])
    call_ms = np.array([0.0, *(row["centre_ms"] - row["ms"] / descriptors.N_CENTRES for row in every)])
    columns = features.GROUP_OF.astype(np.int32)
    feature_prices = trees.Prices(columns, np.array(group_ms), centre_ms[columns], call_ms)
    return boost.PredictorCosts(feature_prices, known["select"]["ms"], known["predict"]["ms"])


def class_weights(counts, power):
    """Weight of each class, 1 on average over pixels.

    >>> class_weights(np.array([[9.0, 1.0]]), 0.5).round(3).tolist()
    [0.833, 2.5]
    """
    share = counts.sum(axis=0) / counts.sum()
    weight = np.where(share > 0, np.maximum(share, 1e-12) ** -power, 0.0)
    return weight / (weight * share).sum()


class Lab:
    """Everything that is learned, computed on request and cached for the next run."""

    def __init__(self, quick, work, tick):
        self.settings, self.work, self.tick = settings_for(quick), work, tick
        self.vocabulary = extract.vocabulary(camvid.names_of("train"), work)
        self.sim, self.him = cache(self._sim), cache(self._him)
        self._read = cache(self._read_once)

    def _read_once(self):
        names = camvid.names_of("train")[:: self.settings.every]
        return extract.scenes("train", names, self.vocabulary, self.work, self.tick, with_mirrored=True)

    def scenes(self, power=0.0):
        """(`Scenes`, target, each one's original picture): training pictures and changed copies."""
        scenes = self._read()
        n = int(scenes.structure.example[-1]) + 1
        weight = class_weights(scenes.counts, power).astype(np.float32)
        return scenes, scenes.counts * weight, np.arange(n) % (n // 2)

    def _sim(self):
        """(list of WeakPredictor, risk after each, modelled milliseconds of each)."""
        settings = self.settings
        key = {"sim": asdict(settings.sim), "every": settings.every, "power": settings.sim_power}
        key |= {"costs": list(features.load_costs().values()), "random_state": RANDOM_STATE}

        def make():
            scenes, target, origin = self.scenes(settings.sim_power)
            rng = np.random.default_rng(RANDOM_STATE)
            turns = boost.boost(scenes.structure, target, prices(), settings.sim, rng, self.tick, origin)
            steps = of_steps([turn.step for turn in turns])
            return steps, np.array([turn.risk for turn in turns]), np.array([turn.ms for turn in turns])

        code = ("spcviz.learning.speedboost.boost", "spcviz.problems.scene.model.extract")
        steps, risk, ms = load_or_compute(self.work, "scene-sim", key, code, make, tree_of(Steps))
        return to_steps(steps), risk, ms

    def _him(self, name):
        """Stages of an inference machine, a key of `LIMITED`, up to where it stops."""
        return self.all_stages(name)[: self.settings.him_stop]

    def all_stages(self, name):
        """All stages of an inference machine; of those with few features, only the ones that answer."""
        settings = self.settings
        if name != "him":
            few = settings.him.levels[: settings.him_stop]
            settings = replace(settings, him=replace(settings.him, levels=few))
        key = {
            "him": asdict(settings.him),
            "every": settings.every,
            "power": settings.power,
            "groups": list(LIMITED[name]),
        }
        key["random_state"] = RANDOM_STATE

        def make():
            scenes, target, origin = self.scenes(settings.power)
            groups = [features.GROUPS.index(g) for g in LIMITED[name]]
            columns = np.flatnonzero(np.isin(features.GROUP_OF, groups))
            rng = np.random.default_rng(RANDOM_STATE)
            stages = hierarchy.learn(scenes.structure, target, columns, settings.him, rng, self.tick, origin)
            return of_stages(stages)

        code = ("spcviz.learning.speedboost.hierarchy", "spcviz.problems.scene.model.extract")
        form = tree_of(Stages)
        return to_stages(load_or_compute(self.work, f"scene-{name}", key, code, make, form))

    def forest(self):
        """A forest that sees the atoms alone: scikit-learn's extremely randomised trees."""
        from sklearn.ensemble import ExtraTreesClassifier

        scenes, target, _ = self.scenes(self.settings.power)
        rng = np.random.default_rng(RANDOM_STATE)
        known = np.flatnonzero(target.sum(axis=1) > 0)
        rows = rng.choice(known, min(self.settings.forest_rows, len(known)), replace=False)
        how = {"min_samples_leaf": 4, "random_state": RANDOM_STATE, "n_jobs": 1}
        forest, row_target = ExtraTreesClassifier(self.settings.forest_trees, **how), target[rows]
        steps = scenes.structure.levels[0].steps[rows]
        return forest.fit(steps, row_target.argmax(axis=1), sample_weight=row_target.sum(axis=1))


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


def of_steps(steps):
    """Pack steps: `Steps`."""
    return Steps(
        *_of_trees([step.trees for step in steps]),
        level=np.array([step.level for step in steps], dtype=np.int32),
        theta=np.array([step.theta for step in steps]),
        alpha=np.array([step.alpha for step in steps]),
    )


def to_steps(packed):
    """Unpack what `of_steps` returns: list of WeakPredictor."""
    rows = zip(packed.level, packed.theta, packed.alpha, _to_trees(packed))
    return [
        WeakPredictor(int(level), float(theta), float(alpha), trees) for level, theta, alpha, trees in rows
    ]


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


def _small(forest):
    arrays = forest._replace(value=np.round(_MOST * forest.value))._asdict()
    return Forest(**{name: array.astype(_SMALL.get(name, array.dtype)) for name, array in arrays.items()})


def _wide(forest):
    whole = {name: getattr(forest, name).astype(np.int32) for name in ("feature", "left")}
    return forest._replace(value=forest.value.astype(np.float32) / _MOST, **whole)

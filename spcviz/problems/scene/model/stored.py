"""The shipped predictors, written to the store and read from it.

Trained on CamVid, whose terms allow personal and research use only: see `LICENCE`, in the manifest.
"""

import collections
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.selector import Selector
from spcviz.problems.scene.data.camvid import LICENCE as TERMS
from spcviz.problems.scene.data.camvid import ORIGIN
from spcviz.problems.scene.model import descriptors, features, train
from spcviz.store import arrays_of, load_model, save_model, stored_as

NAME, KIND, VERSION = "scene-camvid", "scene-predictors", 3
LICENCE = f"Trained on CamVid, {ORIGIN}. {TERMS}; so may these weights be used."


class SceneModel(NamedTuple):
    """The predictors that label a picture."""

    vocabulary: features.PictureVocabulary
    steps: list  # of the anytime predictor
    ms: np.ndarray  # (T,): modelled cost of each step
    stages: list  # of the inference machine
    limited: dict  # inference machines over fewer features, by name
    selector: Selector  # of the percentage of pixels that each next machine corrects (`page.trade`)

    @property
    def machines(self):
        """All inference machines by name."""
        return self.limited | {"him": self.stages}


class Plain(NamedTuple):
    """The arrays outside the groups; the name of an array in a group begins with the group's and a dot."""

    low: np.ndarray
    span: np.ndarray
    ms: np.ndarray


def to_arrays(model):
    """Arrays of a model; the machines' answers are half floats."""
    books, scales = model.vocabulary
    groups = {f"{name}.": train.of_stages(stages) for name, stages in model.machines.items()}
    groups = {name: stages._replace(value=stages.value.astype(np.float16)) for name, stages in groups.items()}
    groups |= {"sim.": train.of_steps(model.steps), "selector.": model.selector}
    groups[""] = Plain(*scales, np.asarray(model.ms, dtype=np.float32))
    out = {
        f"{start}{name}": array for start, group in groups.items() for name, array in arrays_of(group).items()
    }
    out |= {f"centres.{group}": book.centres for group, book in books.items()}
    return out | {f"scale.{group}": book.scale for group, book in books.items()}


def _model_of(stored):
    groups = collections.defaultdict(dict)
    for name, array in stored.arrays.items():
        group, _, field = name.rpartition(".")
        groups[group][field] = array

    def of(group, kind):
        return stored_as(kind, stored._replace(arrays=groups[group]))

    plain = of("", Plain)
    books = {g: descriptors.Codebook(groups["centres"][g], groups["scale"][g]) for g in descriptors.GROUPS}
    return SceneModel(
        features.PictureVocabulary(books, features.Scales(plain.low, plain.span)),
        train.to_steps(of("sim", train.Steps)),
        plain.ms,
        train.to_stages(of("him", train.Stages)),
        {name: train.to_stages(of(name, train.Stages)) for name in train.LIMITED if name != "him"},
        of("selector", Selector),
    )


def save(folder, model, *, settings, metrics, data_digest):
    """Write a model; see `spcviz.store.save_model`."""
    return save_model(
        folder,
        NAME,
        to_arrays(model),
        kind=KIND,
        version=VERSION,
        settings=settings | {"licence": LICENCE},
        data_digest=data_digest,
        random_state=train.RANDOM_STATE,
        metrics=metrics,
    )


def load(folder):
    """Read the model; the `StoreError` of a missing or damaged one ends with the command that trains it."""
    return _model_of(load_model(folder, NAME, kind=KIND, version=VERSION))

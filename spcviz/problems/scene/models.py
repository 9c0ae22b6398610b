"""The shipped predictors to and from the store's plain arrays.

Trained on CamVid, whose terms allow personal and research use only: see `LICENCE`, in the manifest.
"""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.selector import Selector
from spcviz.problems.scene import codes, extract, features, packed, train
from spcviz.problems.scene.data import LICENCE as TERMS
from spcviz.problems.scene.data import ORIGIN
from spcviz.store import load_model, save_model

NAME, KIND, VERSION = "scene-camvid", "scene-predictors", 3
LICENCE = f"Trained on CamVid, {ORIGIN}. {TERMS}; so may these weights be used."


class SceneModel(NamedTuple):
    """What labels a picture.

    Attributes
    ----------
    vocabulary : Vocabulary
    steps : list of Step
        Of the anytime predictor.
    ms : ndarray, shape (T,)
        Modelled cost of each step.
    stages : list of Stage
        Of the inference machine.
    limited : dict of str to list of Stage
        Inference machines over fewer features, by name.
    selector : Selector
        Predicts how many pixels in a hundred each next machine mends; see `spcviz.problems.scene.trade`.
    """

    vocabulary: features.Vocabulary
    steps: list
    ms: np.ndarray
    stages: list
    limited: dict
    selector: Selector

    @property
    def machines(self):
        """All inference machines by name."""
        return self.limited | {"him": self.stages}


def to_arrays(model):
    """Arrays of a model."""
    books, scales = model.vocabulary
    arrays = {"low": scales.low, "span": scales.span, "ms": np.asarray(model.ms, dtype=np.float32)}
    for group in codes.GROUPS:
        arrays |= {f"centres {group}": books[group].centres, f"scale {group}": books[group].scale}
    arrays |= {f"sim {name}": array for name, array in packed.of_steps(model.steps).items()}
    for machine, stages in model.machines.items():
        own = packed.of_stages(stages)
        own["value"] = own["value"].astype(np.float16)
        arrays |= {f"{machine} {name}": array for name, array in own.items()}
    arrays |= {f"selector {name}": np.asarray(own) for name, own in model.selector._asdict().items()}
    return {name.replace(" ", "."): array for name, array in arrays.items()}


def from_arrays(arrays):
    """The model of what `to_arrays` returns."""
    arrays = {name.replace(".", " "): array for name, array in arrays.items()}

    def of(who):
        return {name[len(who) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{who} ")}

    return SceneModel(
        extract.vocabulary_of(arrays),
        packed.to_steps(of("sim")),
        arrays["ms"],
        packed.to_stages(of("him")),
        {name: packed.to_stages(of(name)) for name in train.LIMITED if name != "him"},
        Selector(**of("selector")),
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
    """Read the model; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    return from_arrays(load_model(folder, NAME, kind=KIND, version=VERSION).arrays)

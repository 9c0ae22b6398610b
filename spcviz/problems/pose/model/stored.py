"""Pose models written to the store and read from it.

Weights are rounded to float32 before they are measured, so a stored model is the measured one.
"""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs.placed import Joints
from spcviz.problems.pose.data import buffy, pictures
from spcviz.problems.pose.model import cascade as pose_cascade
from spcviz.shared import folders
from spcviz.store import arrays_of, digest_of_arrays, load_model, record_of, save_model, stored_as

KIND, VERSION, NAME, HAND_SET = "pose-cascade", 2, "pose-buffy", "pose-hand-set"
ARMS = "pose-arms"
RANDOM_STATE = 0


class Shape(NamedTuple):
    """A `spcviz.problems.pose.model.cascade.Geometry` without its joints, which are stored next to it."""

    place_mean: np.ndarray
    place_var: np.ndarray
    angle: np.ndarray


class Stored(NamedTuple):
    """A `PoseModel` as it is stored, all in 32 bits."""

    detector: dict[int, np.ndarray]
    centre: np.ndarray
    spread: np.ndarray
    geometry: Shape
    joints: Joints
    weights: dict[str, np.ndarray]
    alphas: dict[str, np.ndarray]


def data_folder():
    """The folder with Buffy Stickmen; without it an `ArgumentError` names the command that brings it."""
    folder = folders.data_folder()
    if folder is None or not (folder / buffy.FOLDER).is_dir():
        raise ArgumentError(
            f"the pose data are needed: {folders.state_of_data(buffy.FOLDER)}; "
            f"bring them with: python -m spcviz data get {buffy.FOLDER}"
        )
    return folder


def save_pose(folder, model, settings, *, metrics, name=NAME, random_state=RANDOM_STATE):
    """Write a model; see `spcviz.store.save_model`."""
    sets = {"": buffy.load_buffy(data_folder(), "train")}
    sets |= {f"{extra} ": pictures.load_pictures(data_folder(), extra) for extra, _ in settings.extra}
    names = ("limbs", "images")
    seen = {f"{key}{name}": getattr(clips, name) for key, clips in sets.items() for name in names}
    origins = [buffy.ORIGIN, *pictures.ORIGINS.values()]
    return save_model(
        folder, name, arrays_of_model(model), kind=KIND, version=VERSION,
        settings={**settings_given(settings), "data_origin": origins}, random_state=random_state,
        data_digest=digest_of_arrays(seen), metrics=metrics,
    )  # fmt: skip


def settings_given(settings):
    """Settings as a dict, without those that are None: the tolerance, where thresholds hold a size."""
    return {key: value for key, value in asdict(settings).items() if value is not None}


def digest_of(model):
    """Digest of a model's numbers."""
    return digest_of_arrays(arrays_of_model(model))


def load_pose(folder, name=NAME):
    """Read a model; the `StoreError` of a missing or damaged one ends with the command that trains it."""
    return _model_of(stored_as(Stored, load_model(folder, name, kind=KIND, version=VERSION)))


def round_weights(model):
    """The model with its numbers rounded to float32: what the store will return."""
    return _model_of(record_of(Stored, arrays_of_model(model)))


def arrays_of_model(model):
    """The arrays of a model that the store holds, by name."""
    *shape, joints = model.geometry
    detectors, centre, spread, _, *tuned = model
    stored = Stored(detectors, centre, spread, Shape(*shape), joints, *tuned)
    return {name: array.astype(np.float32) for name, array in arrays_of(stored).items()}


def _model_of(stored):
    wide = {name: array.astype(np.float64) for name, array in arrays_of(stored).items()}
    record = record_of(Stored, wide)
    geometry = pose_cascade.Geometry(*record.geometry, record.joints)
    return pose_cascade.PoseModel(
        record.detector, record.centre, record.spread, geometry, record.weights, record.alphas
    )

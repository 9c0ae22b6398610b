"""The pose models to and from the store.

Weights are rounded to float32 before they are measured, so a stored model is the measured one.
"""

from dataclasses import asdict

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.engine.placed import Joints
from spcviz.problems.common import folders
from spcviz.problems.pose import cascade, data, pictures
from spcviz.problems.pose import geometry as pose_geometry
from spcviz.store import digest_of_arrays, load_model, save_model

KIND, VERSION, NAME, HAND_SET = "pose-cascade", 2, "pose-buffy", "pose-hand-set"
ARMS = "pose-arms"
RANDOM_STATE = 0


def data_folder():
    """The folder with Buffy Stickmen, or ArgumentError with what to do."""
    folder = folders.data_folder()
    if folder is None or not (folder / data.FOLDER).is_dir():
        raise ArgumentError(
            f"the pose data are needed: {folders.state_of_data(data.FOLDER)}; "
            f"bring them with: python -m spcviz data get {data.FOLDER}"
        )
    return folder


def save_pose(folder, model, settings, *, metrics, name=NAME, random_state=RANDOM_STATE):
    """Write a model; see `spcviz.store.save_model`."""
    sets = {"": data.load_buffy(data_folder(), "train")}
    sets |= {f"{extra} ": pictures.load_pictures(data_folder(), extra) for extra, _ in settings.extra}
    seen = {
        f"{key}{what}": getattr(clips, what) for key, clips in sets.items() for what in ("limbs", "images")
    }
    origins = [data.ORIGIN, *pictures.ORIGINS.values()]
    return save_model(
        folder, name, arrays_of(model), kind=KIND, version=VERSION,
        settings={**chosen(settings), "data_origin": origins}, random_state=random_state,
        data_digest=digest_of_arrays(seen), metrics=metrics,
    )  # fmt: skip


def chosen(settings):
    """Settings as a dict, without those that are None: tolerance or size, whichever thresholds go by."""
    return {key: value for key, value in asdict(settings).items() if value is not None}


def digest_of(model):
    """Digest of a model's numbers."""
    return digest_of_arrays(arrays_of(model))


def load_pose(folder, name=NAME):
    """Read a model; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    return _from_arrays(load_model(folder, name, kind=KIND, version=VERSION).arrays)


def rounded(model):
    """The model with its numbers rounded to float32: what the store will return."""
    return _from_arrays(arrays_of(model))


def arrays_of(model):
    """What the store holds of a model."""
    geometry = model.geometry._asdict()
    joints = geometry.pop("joints")._asdict()
    arrays = {f"detector_{part}": weights for part, weights in model.detectors.items()}
    arrays |= {"centre": model.centre, "spread": model.spread}
    arrays |= {f"geometry_{key}": value for key, value in geometry.items()}
    arrays |= {f"joints_{key}": value for key, value in joints.items()}
    arrays |= {f"weights_{method}": weights for method, weights in model.weights.items()}
    arrays |= {f"alphas_{method}": alphas for method, alphas in model.alphas.items()}
    return {key: np.asarray(value, dtype=np.float32) for key, value in arrays.items()}


def _from_arrays(arrays):
    arrays = {key: np.asarray(value, dtype=np.float64) for key, value in arrays.items()}

    def named(start):
        return {key.removeprefix(start): value for key, value in arrays.items() if key.startswith(start)}

    joints = Joints(**named("joints_"))
    geometry = pose_geometry.Geometry(joints=joints, **named("geometry_"))
    detectors = {int(part): weights for part, weights in named("detector_").items()}
    return cascade.PoseModel(
        detectors, arrays["centre"], arrays["spread"], geometry, named("weights_"), named("alphas_")
    )

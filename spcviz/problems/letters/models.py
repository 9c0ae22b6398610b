"""Handwriting models to and from the store's plain arrays.

Weights are kept as float32 (they are rounded before they are measured, so a stored model is the
measured model); n-gram codes as differences, which compress well.
"""

from dataclasses import asdict

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, HeldOut, Level
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import cascade as experiment
from spcviz.problems.letters import data
from spcviz.problems.letters.cascade import OcrModel, OcrSettings
from spcviz.store import digest_of_arrays, load_model, save_model

KIND, VERSION = "ocr-cascade", 1


def model_name(features):
    """Name of a feature set's model in the store."""
    return f"ocr-{features}"


def rounded(model):
    """The model with its weights rounded to float32: what the store will return."""
    return _from_arrays(_to_arrays(model), _about(model), model.settings)


def train_rounded(settings, fold, random_state, first=None):
    """Train on all folds but one (`cascade.train`), with the weights that the store will return."""
    trained = experiment.train(settings, fold, random_state, first=first)
    return trained._replace(model=rounded(trained.model))


def save_ocr(folder, model, *, random_state, metrics):
    """Write a model; see `spcviz.store.save_model`."""
    words = data.load_words()
    return save_model(
        folder,
        model_name(model.settings.features),
        _to_arrays(model),
        kind=KIND,
        version=VERSION,
        settings=_about(model),
        data_digest=digest_of_arrays(words._asdict()),
        random_state=random_state,
        metrics=metrics,
    )


def load_ocr(folder, features):
    """Read a model; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    stored = load_model(folder, model_name(features), kind=KIND, version=VERSION)
    about = stored.manifest["settings"]
    settings = OcrSettings(
        about["features"], CascadeConfig(**about["config"]), about["n_fourier"], about["width"]
    )
    return _from_arrays(stored.arrays, about, settings)


def _about(model):
    return {
        **asdict(model.settings),
        "alphas": [level.alpha for level in model.cascade.levels],
        "test_fold": model.test_fold,
        "data_origin": data.ORIGIN,
    }


def _to_arrays(model):
    arrays = {}
    for i, level in enumerate(model.cascade.levels):
        for part, linear in (("filter", level.filter), ("predictor", level.predictor)):
            arrays[f"{part}{i}_weights"] = linear.weights.astype(np.float32)
            arrays[f"{part}{i}_keys"] = np.diff(linear.keys, prepend=0)
            arrays[f"{part}{i}_values"] = linear.values.astype(np.float32)
        for field, curve in model.held_out[i]._asdict().items():
            arrays[f"held_out{i}_{field}"] = curve
    if model.fourier is not None:
        arrays |= model.fourier._asdict()
    return arrays


def _from_arrays(arrays, about, settings):
    levels, held_out = [], []
    for i, alpha in enumerate(about["alphas"]):
        linear = [
            Model(
                arrays[f"{part}{i}_weights"].astype(np.float64),
                np.cumsum(arrays[f"{part}{i}_keys"], dtype=np.int64),
                arrays[f"{part}{i}_values"].astype(np.float64),
            )
            for part in ("filter", "predictor")
        ]
        levels.append(Level(linear[0], alpha, linear[1]))
        held_out.append(HeldOut(*(arrays[f"held_out{i}_{field}"] for field in HeldOut._fields)))
    config = settings.config
    shape = {"on_nodes": config.on_nodes, "max_arcs": config.max_arcs, "first_order": config.first_order}
    cascade = Cascade(data.N_STATES, tuple(levels), **shape)
    fourier = data.Fourier(arrays["frequencies"], arrays["phases"]) if "frequencies" in arrays else None
    return OcrModel(settings, cascade, fourier, about["test_fold"], tuple(held_out))

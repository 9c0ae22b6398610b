"""Save and load handwriting models, rounded before they are measured."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, HeldOut, Level
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.cascade import OcrModel, OcrSettings
from spcviz.registry.problem import Run
from spcviz.shared.linear import narrow, wide, with_models
from spcviz.shared.work.jobs import label_ticks
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

KIND, VERSION = "ocr-cascade", 1


class Stored(NamedTuple):
    """The stored form of a model: filters and predictors as from `narrow`, and any Fourier features."""

    filter: tuple[Model, ...]
    predictor: tuple[Model, ...]
    held_out: tuple[HeldOut, ...]
    frequencies: np.ndarray | None
    phases: np.ndarray | None


def model_name(features):
    """Name of a feature set's model in the store."""
    return f"ocr-{features}"


def round_weights(model):
    """The model with its weights rounded to float32: what the store will return."""
    return _model_of(_to_stored(model), _about(model), model.settings)


def train(run: Run) -> Iterator[str]:
    """Train a model for each set of features on folds 1 to 9; yields a line for each that is stored."""
    chosen = run.features or experiment.SETTINGS
    every = {features: experiment.settings_for(features, quick=run.quick) for features in chosen}
    for features, settings in every.items():
        tick = label_ticks(run.tick, features)
        trained = experiment.train(settings, 0, experiment.RANDOM_STATE, tick=tick)
        figures = experiment.fold_figures(trained._replace(model=(model := round_weights(trained.model))), 0)
        metrics = {"test_fold": figures["rows"], "held_out": figures["reports"]}
        path = save_ocr(run.models, model, random_state=experiment.RANDOM_STATE, metrics=metrics)
        last = metrics["test_fold"][-1]
        yield f"{path}: letters {last['char_accuracy']:.2f} %, words {last['word_accuracy']:.2f} % on fold 0"


def train_rounded(settings, fold, random_state, first=None):
    """Train on all folds but one (`cascade.train`), with the weights that the store will return."""
    trained = experiment.train(settings, fold, random_state, first=first)
    return trained._replace(model=round_weights(trained.model))


def save_ocr(folder, model, *, random_state, metrics):
    """Write a model; see `spcviz.store.save_model`."""
    name, digest = model_name(model.settings.features), digest_of_arrays(handwriting.load_words()._asdict())
    about = {"settings": _about(model), "data_digest": digest, "random_state": random_state}
    arrays = arrays_of_model(model)
    return save_model(folder, name, arrays, kind=KIND, version=VERSION, metrics=metrics, **about)


def load_ocr(folder, features):
    """Read a model; `StoreError` ends with the command that trains it again."""
    stored = load_model(folder, model_name(features), kind=KIND, version=VERSION)
    about = stored.manifest["settings"]
    config = CascadeConfig(**about["config"])
    settings = OcrSettings(about["features"], config, about["n_fourier"], about["width"])
    return _model_of(stored_as(Stored, stored), about, settings)


def arrays_of_model(model):
    """A model's arrays in the store, by name."""
    return arrays_of(_to_stored(model))


def _about(model):
    return {
        **asdict(model.settings),
        "alphas": [level.alpha for level in model.cascade.levels],
        "test_fold": model.test_fold,
        "data_origin": handwriting.ORIGIN,
    }


def _to_stored(model):
    filters, _, predictors = zip(*with_models(model.cascade, narrow).levels, strict=True)
    return Stored(filters, predictors, model.held_out, *(model.fourier or (None, None)))


def _model_of(stored, about, settings):
    rows = zip(stored.filter, about["alphas"], stored.predictor, strict=True)
    levels, config = tuple(Level(*row) for row in rows), settings.config
    shape = {"on_nodes": config.on_nodes, "max_arcs": config.max_arcs, "first_order": config.first_order}
    cascade = with_models(Cascade(handwriting.N_STATES, levels, **shape, rule=config.rule), wide)
    fourier = None if stored.phases is None else handwriting.Fourier(stored.frequencies, stored.phases)
    return OcrModel(settings, cascade, fourier, about["test_fold"], stored.held_out)

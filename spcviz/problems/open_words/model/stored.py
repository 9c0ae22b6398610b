"""Save and load cascades on composed words, rounded before they are measured.

Waves and counted prior follow from a seed and the shipped words. The store has the letter model, thresholds
and, in 32 bits, corrections to the prior of at least `LEAST`.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, HeldOut, Level
from spcviz.learning.cascade.from_prior import combine_models
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images
from spcviz.problems.open_words.model import cascade
from spcviz.problems.open_words.model.cascade import OpenModel, OpenSettings, priors
from spcviz.problems.open_words.model.ink import Ink, InkSettings
from spcviz.registry.problem import Run
from spcviz.shared.linear import narrow, wide
from spcviz.shared.work.jobs import label_ticks
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

KIND, VERSION = "open-cascade", 2
LEAST = 0.005
"""Smaller corrections of an n-gram are dropped."""


class Stored(NamedTuple):
    """The stored form of a model: its letter model, and corrections to the prior as from `narrow`."""

    ink: np.ndarray
    filter: tuple[Model, ...]
    predictor: tuple[Model, ...]
    held_out: tuple[HeldOut, ...]


def model_name(features):
    """Name of a feature set's model in the store."""
    return f"open-{features}"


def round_weights(model):
    """The model with its learned weights rounded: what the store will return."""
    return _model_of(_to_stored(model), _about(model), model.settings)


def train(run: Run) -> Iterator[str]:
    """Train a cascade for each set of features; yields a line for each that is stored."""
    for features in run.features or cascade.SETTINGS:
        settings = cascade.settings_for(features, quick=run.quick)
        trained = cascade.train(settings, tick=label_ticks(run.tick, features))
        model = round_weights(trained.model)
        dev = word_images.load_set("dev").words
        rows = cascade.evaluate(model, model.features(dev.pixels, dev.lengths), dev)
        metrics = {"development": rows}
        path = save_open(run.models, model, random_state=cascade.RANDOM_STATE, metrics=metrics)
        by_letter, by_word = (rows[-1][f"{what}_accuracy"] for what in ("char", "word"))
        yield f"{path}: letters {by_letter:.2f} %, words {by_word:.2f} % of development words"


def save_open(folder, model, *, random_state, metrics):
    """Write a model; see `spcviz.store.save_model`."""
    name, arrays = model_name(model.settings.features), arrays_of(_to_stored(model))
    about = {"settings": _about(model), "data_digest": data_digest(), "random_state": random_state}
    return save_model(folder, name, arrays, kind=KIND, version=VERSION, metrics=metrics, **about)


def load_open(folder, features):
    """Read a model; `StoreError` ends with the command that trains it again."""
    stored = load_model(folder, model_name(features), kind=KIND, version=VERSION)
    about = stored.manifest["settings"]
    fields = {name: about[name] for name in OpenSettings.__dataclass_fields__}
    fields |= {"ink": InkSettings(*about["ink"]), "config": CascadeConfig(**about["config"])}
    settings = OpenSettings(**fields)
    return _model_of(stored_as(Stored, stored), about, settings)


def data_digest():
    """Digest of the composed words and of the letters that they consist of."""
    return digest_of_arrays(
        word_images.arrays_of(word_images.load_composed()) | letters.load_words()._asdict()
    )


def _about(model):
    return {
        **asdict(model.settings),
        "ink": list(model.settings.ink),
        "alphas": [level.alpha for level in model.cascade.levels],
        "data_origin": word_images.ORIGIN,
    }


def _to_stored(model):
    filters, predictors = (tuple(map(_large, models)) for models in zip(*model.corrections))
    return Stored(model.ink.weights.astype(np.float32), filters, predictors, model.held_out)


def _large(model):
    """A correction without values under `LEAST`, in its stored form."""
    is_large = np.abs(model.values) >= LEAST
    return narrow(Model(model.weights, model.keys[is_large], model.values[is_large]))


def _model_of(stored, about, settings):
    corrections = tuple((wide(one), wide(other)) for one, other in zip(stored.filter, stored.predictor))
    levels = []
    for pair, alpha, begin in zip(corrections, about["alphas"], priors(settings)):
        kept, predictor = (combine_models([begin, correction], [1.0, 1.0]) for correction in pair)
        levels.append(Level(kept, alpha, predictor))
    config = settings.config
    made = Cascade(letters.N_STATES, tuple(levels), False, config.max_arcs, rule=config.rule)
    return OpenModel(settings, Ink(settings.ink, stored.ink), made, corrections, stored.held_out)

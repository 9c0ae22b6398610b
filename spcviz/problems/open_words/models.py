"""Cascades on composed words to and from the store's plain arrays.

Neither waves nor counted prior are stored: they follow from a seed and the shipped list of words. What is
stored is the letter model, the corrections to the prior and the thresholds, in 32 bits; corrections
of n-grams under `LEAST` are left out. Models are rounded before they are measured, so a stored model is the
measured one.
"""

from dataclasses import asdict

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, HeldOut, Level
from spcviz.learning.cascade.from_prior import combined
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import data as letters
from spcviz.problems.open_words import data
from spcviz.problems.open_words.cascade import OpenModel, OpenSettings, priors
from spcviz.problems.open_words.ink import Ink, InkSettings
from spcviz.store import digest_of_arrays, load_model, save_model

KIND, VERSION = "open-cascade", 1
LEAST = 0.005
"""A correction of an n-gram by less is none."""


def model_name(features):
    """Name of a feature set's model in the store."""
    return f"open-{features}"


def rounded(model):
    """The model with what is learned rounded: what the store will return."""
    return _from_arrays(_to_arrays(model), _about(model), model.settings)


def save_open(folder, model, *, random_state, metrics):
    """Write a model; see `spcviz.store.save_model`."""
    return save_model(
        folder,
        model_name(model.settings.features),
        _to_arrays(model),
        kind=KIND,
        version=VERSION,
        settings=_about(model),
        data_digest=data_digest(),
        random_state=random_state,
        metrics=metrics,
    )


def load_open(folder, features):
    """Read a model; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    stored = load_model(folder, model_name(features), kind=KIND, version=VERSION)
    about = stored.manifest["settings"]
    plain = {name: about[name] for name in ("text_share", "letter_share", "discount", "least", "n_words")}
    settings = OpenSettings(InkSettings(*about["ink"]), CascadeConfig(**about["config"]), **plain)
    return _from_arrays(stored.arrays, about, settings)


def data_digest():
    """Digest of the composed words and of the letters that they are made of."""
    return digest_of_arrays(data.arrays_of(data.load_composed()) | letters.load_words()._asdict())


def _about(model):
    return {
        **asdict(model.settings),
        "ink": list(model.settings.ink),
        "alphas": [level.alpha for level in model.cascade.levels],
        "data_origin": data.ORIGIN,
    }


def _to_arrays(model):
    arrays = {"ink": model.ink.weights.astype(np.float32)}
    for i, pair in enumerate(model.corrections):
        for part, linear in zip(("filter", "predictor"), pair):
            is_large = np.abs(linear.values) >= LEAST
            arrays[f"{part}{i}_weights"] = linear.weights.astype(np.float32)
            arrays[f"{part}{i}_keys"] = np.diff(linear.keys[is_large], prepend=0)
            arrays[f"{part}{i}_values"] = linear.values[is_large].astype(np.float32)
        for field, curve in model.held_out[i]._asdict().items():
            arrays[f"held_out{i}_{field}"] = curve
    return arrays


def _from_arrays(arrays, about, settings):
    levels, corrections, held_out = [], [], []
    for i, (alpha, begin) in enumerate(zip(about["alphas"], priors(settings))):
        pair = tuple(
            Model(
                arrays[f"{part}{i}_weights"].astype(np.float64),
                np.cumsum(arrays[f"{part}{i}_keys"], dtype=np.int64),
                arrays[f"{part}{i}_values"].astype(np.float64),
            )
            for part in ("filter", "predictor")
        )
        kept, predictor = (combined([begin, own], [1.0, 1.0]) for own in pair)
        levels.append(Level(kept, alpha, predictor))
        corrections.append(pair)
        held_out.append(HeldOut(*(arrays[f"held_out{i}_{field}"] for field in HeldOut._fields)))
    cascade = Cascade(letters.N_STATES, tuple(levels), False, settings.config.max_arcs)
    ink = Ink(settings.ink, arrays["ink"])
    return OpenModel(settings, ink, cascade, tuple(corrections), tuple(held_out))

"""The shipped tagger to and from the store, in 8 bits before it is measured, with its attribution."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, Level
from spcviz.learning.cascade.online import Model
from spcviz.problems.problem import Run
from spcviz.problems.tagging.data.corpora import EWT_ORIGIN
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen
from spcviz.problems.tagging.model.cascade import ORDER, first_orders
from spcviz.problems.tagging.model.features import vocabulary_of
from spcviz.problems.tagging.model.settings import TagSettings
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

KIND, VERSION = "tagging-cascade", 1
NAME = "tagging-ewt"
LICENCE = (
    f"Trained on {EWT_ORIGIN} (Silveira et al. 2014, A Gold Standard Dependency Corpus for English); "
    "weights shared under CC BY-SA 4.0."
)


FIRST_TOLERANCE = 0.005
"""Of the shipped tagger, which is trained on all of EWT: 63 sentences."""


class TagModel(NamedTuple):
    """A tagger with what the page compares it with."""

    settings: TagSettings
    tag_set: tuple[str, ...]
    vocabulary: object  # Vocabulary
    cascade: Cascade  # three levels
    crf: Model  # a CRF's bigram filter on the same first level's survivors
    crf_alpha: float


class Small(NamedTuple):
    """A linear model in 8 bits per weight, n-grams without weight left out, codes as differences."""

    weights: np.ndarray
    step: np.ndarray
    keys: np.ndarray
    values: np.ndarray


class Stored(NamedTuple):
    """What is stored: all that filters, and the last predictor; the others are the same objects."""

    codes: np.ndarray
    filter: tuple[Small, ...]
    predictor: Small
    crf: Small


def train(run: Run) -> Iterator[str]:
    """Train the tagger on the English Web Treebank; yields a line when it is stored."""
    # It begins with the log loss: on development sentences it gets more words right than the thesis'
    # learning, and leaves fewer bigrams (``orders`` of the result).
    settings = chosen.settings_for("ewt", "full", quick=run.quick)
    tolerances = FIRST_TOLERANCE, *settings.config.tolerances[1:]
    settings = replace(settings, config=replace(settings.config, tolerances=tolerances))
    data = experiment.prepared("ewt", "full", settings.least)  # all of it
    spc = experiment.train(settings.config, data, tick=run.tick)
    # only its bigram filter is compared
    crf = experiment.train(chosen.crf_beside(settings.config), data, tick=run.tick, n_orders=2)
    model = shrunk(settings, data, spc.cascade, crf.cascade)
    metrics = {
        "test": experiment.evaluate(model.cascade, data, "test"),
        "held_out": [report._asdict() for report in spc.reports],
    }
    path = save_tagger(run.models, model, random_state=experiment.RANDOM_STATE, metrics=metrics, data=data)
    yield f"{path}: {metrics['test'][-1]['accuracy']:.2f} % of test words right"


def shrunk(settings, data, spc, crf):
    """A trained cascade and CRF as the store will return them."""
    tag_set, (bigrams, alpha, _) = data.corpus["train"].tag_set, crf.levels[1]
    model = TagModel(settings, tag_set, data.vocabulary, first_orders(spc, ORDER), bigrams, float(alpha))
    return _model_of(_stored(model), _about(model))


def save_tagger(folder, model, *, random_state, metrics, data):
    """Write a model; see `spcviz.store.save_model`."""
    train, arrays = data.corpus["train"], arrays_of(_stored(model))
    digest = digest_of_arrays({"tags": train.tags, "lengths": train.lengths})
    about = {"settings": _about(model), "data_digest": digest, "random_state": random_state}
    return save_model(folder, NAME, arrays, kind=KIND, version=VERSION, metrics=metrics, **about)


def load_tagger(folder):
    """Read the tagger; `StoreError` ends with the command that trains it anew."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    return _model_of(stored_as(Stored, stored), stored.manifest["settings"])


def _about(model):
    return {
        **asdict(model.settings),
        "alphas": [level.alpha for level in model.cascade.levels],
        "crf_alpha": model.crf_alpha,
        "tag_set": list(model.tag_set),
        "licence": LICENCE,
    }


def _stored(model):
    levels = model.cascade.levels
    filters = tuple(_small(level.filter) for level in levels)
    return Stored(model.vocabulary.codes, filters, _small(levels[-1].predictor), _small(model.crf))


def _small(linear):
    step = max(float(np.abs(linear.weights).max()), 1e-9) / 127
    weights, values = np.rint(linear.weights / step).astype(np.int8), linear.values.astype(np.float16)
    keys = np.diff(linear.keys[values != 0], prepend=0)
    return Small(weights, np.array([step], dtype=np.float32), keys, values[values != 0])


def _linear(small):
    weights, keys = small.weights.astype(np.float32) * small.step[0], np.cumsum(small.keys, dtype=np.int64)
    return Model(weights, keys, small.values.astype(np.float64))


def _model_of(stored, about):
    own = {name: about[name] for name in TagSettings.__dataclass_fields__}
    settings = TagSettings(**own | {"config": CascadeConfig(**about["config"])})
    filters = [_linear(own) for own in stored.filter]
    predictors = [*filters[:-1], _linear(stored.predictor)]
    rows = zip(filters, about["alphas"], predictors, strict=True)
    levels = tuple(Level(keeps, float(alpha), predicts) for keeps, alpha, predicts in rows)
    tag_set = tuple(about["tag_set"])
    cascade = Cascade(len(tag_set), levels, settings.config.on_nodes, settings.config.max_arcs)
    vocabulary = vocabulary_of(about["features"], stored.codes)
    return TagModel(settings, tag_set, vocabulary, cascade, _linear(stored.crf), float(about["crf_alpha"]))

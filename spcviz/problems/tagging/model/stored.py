"""Save and load the shipped tagger, rounded to 8 bits before it is measured, with its attribution."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, Level
from spcviz.learning.cascade.config import LevelReport
from spcviz.learning.cascade.features import SparseRows
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.data.corpora import EWT_ORIGIN
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen
from spcviz.problems.tagging.model.cascade import ORDER, first_orders, rows_of
from spcviz.problems.tagging.model.features import WordVocabulary, feature_numbers, vocabulary_of
from spcviz.problems.tagging.model.settings import TagSettings
from spcviz.registry.problem import Run
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

KIND, VERSION = "tagging-cascade", 1
NAME = "tagging-ewt"
LICENCE = (
    f"Trained on {EWT_ORIGIN} (Silveira et al. 2014, A Gold Standard Dependency Corpus for English); "
    "weights shared under CC BY-SA 4.0."
)


FIRST_TOLERANCE = 0.005
"""Of the shipped tagger's first level; it is trained on all of EWT, of which this is 63 sentences."""


class TagModel(NamedTuple):
    """A tagger with what the page compares it with."""

    settings: TagSettings
    tag_set: tuple[str, ...]
    vocabulary: WordVocabulary
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
    """Stored parts: all filters and the last predictor; the other predictors are the filters themselves."""

    codes: np.ndarray
    filter: tuple[Small, ...]
    predictor: Small
    crf: Small


class Rounded(NamedTuple):
    """A linear model whose weights stay in 8 bits; a sentence has few of all features."""

    weights: np.ndarray
    step: np.float32
    grams: Model  # without features

    def of_features(self, numbers: np.ndarray) -> Model:
        """The model of these features alone."""
        return self.grams.with_weights(self.weights[numbers].astype(np.float32) * self.step)


class StoredTagger(NamedTuple):
    """The stored tagger as pages keep it, in the bytes of its file; it makes a `TagModel` for one text."""

    about: dict
    vocabulary: WordVocabulary
    models: dict[str, Rounded]

    @property
    def tag_set(self) -> tuple[str, ...]:
        """Names of the tags."""
        return tuple(self.about["tag_set"])

    def of_words(
        self, words: Sequence[str], lengths: Sequence[int] | None = None
    ) -> tuple[TagModel, SparseRows]:
        """(the model of the features that a text's words have, the words as its rows).

        `lengths`: those of consecutive sentences; by default all words are one sentence.
        """
        numbers = feature_numbers(self.vocabulary, words, [len(words)] if lengths is None else lengths)
        known = np.unique(numbers[numbers >= 0])
        places = np.where(numbers >= 0, np.searchsorted(known, numbers), -1).astype(np.int32)
        return _model_of(self, known), rows_of(places, len(known))

    def whole(self) -> TagModel:
        """The model of all features."""
        return _model_of(self, np.arange(len(self.vocabulary.codes)))


def train(run: Run) -> Iterator[str]:
    """Train the tagger on the English Web Treebank; yields a line when it is stored."""
    model, data, reports = train_on_all("ewt", quick=run.quick, tick=run.tick)
    metrics = {
        "test": experiment.evaluate(model.cascade, data, "test"),
        "held_out": [report._asdict() for report in reports],
    }
    path = save_tagger(run.models, model, random_state=experiment.RANDOM_STATE, metrics=metrics, data=data)
    yield f"{path}: {metrics['test'][-1]['accuracy']:.2f} % of test words right"


def train_on_all(
    corpus: str, *, quick: bool = False, tick: Callable | None = None
) -> tuple[TagModel, experiment.Prepared, tuple[LevelReport, ...]]:
    """The tagger's recipe on all training sentences of a corpus: (model as it is stored, data, reports)."""
    settings = settings_on_all(corpus, quick)
    data = experiment.prepare_corpus(corpus, "full", settings.least)
    spc = experiment.train(settings.config, data, tick=tick)
    # only its bigram filter is compared
    crf = experiment.train(chosen.crf_beside(settings.config), data, tick=tick, n_orders=2)
    return shrunk(settings, data, spc.cascade, crf.cascade), data, spc.reports


def settings_on_all(corpus: str, quick: bool = False) -> TagSettings:
    """Settings of the shipped tagger, for its own corpus or another.

    It begins with the log loss: on development sentences it gets more words right than the thesis' learning,
    and leaves fewer bigrams (``orders`` of the result).
    """
    settings = chosen.settings_for(corpus, "full", quick=quick)
    tolerances = FIRST_TOLERANCE, *settings.config.tolerances[1:]
    return replace(settings, config=replace(settings.config, tolerances=tolerances))


def shrunk(settings, data, spc, crf):
    """A trained cascade and CRF as the store will return them."""
    tag_set, (bigrams, alpha, _) = data.corpus["train"].tag_set, crf.levels[1]
    model = TagModel(settings, tag_set, data.vocabulary, first_orders(spc, ORDER), bigrams, float(alpha))
    return _tagger(_to_stored(model), _about(model)).whole()


def save_tagger(folder, model, *, random_state, metrics, data):
    """Write a model; see `spcviz.store.save_model`."""
    train, arrays = data.corpus["train"], arrays_of(_to_stored(model))
    digest = digest_of_arrays({"tags": train.tags, "lengths": train.lengths})
    about = {"settings": _about(model), "data_digest": digest, "random_state": random_state}
    return save_model(folder, NAME, arrays, kind=KIND, version=VERSION, metrics=metrics, **about)


def load_tagger(folder):
    """Read the tagger; `StoreError` ends with the command that retrains it."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    return _tagger(stored_as(Stored, stored), stored.manifest["settings"])


def _about(model):
    return {
        **asdict(model.settings),
        "alphas": [level.alpha for level in model.cascade.levels],
        "crf_alpha": model.crf_alpha,
        "tag_set": list(model.tag_set),
        "licence": LICENCE,
    }


def _to_stored(model):
    levels = model.cascade.levels
    filters = tuple(_small(level.filter) for level in levels)
    return Stored(model.vocabulary.codes, filters, _small(levels[-1].predictor), _small(model.crf))


def _small(linear):
    step = max(float(np.abs(linear.weights).max()), 1e-9) / 127
    weights, values = np.rint(linear.weights / step).astype(np.int8), linear.values.astype(np.float16)
    keys = np.diff(linear.keys[values != 0], prepend=0)
    return Small(weights, np.array([step], dtype=np.float32), keys, values[values != 0])


def _from_stored(small):
    weightless = np.zeros((0, small.weights.shape[1]), dtype=np.float32)
    keys = np.cumsum(small.keys, dtype=np.int64)
    return Rounded(small.weights, small.step[0], Model(weightless, keys, small.values.astype(np.float64)))


def _tagger(stored, about):
    models = {f"filter {t}": small for t, small in enumerate(stored.filter)}
    models |= {"predictor": stored.predictor, "crf": stored.crf}
    vocabulary = vocabulary_of(about["features"], stored.codes)
    return StoredTagger(about, vocabulary, {name: _from_stored(small) for name, small in models.items()})


def _model_of(tagger, numbers):
    about, models = tagger.about, {name: model.of_features(numbers) for name, model in tagger.models.items()}
    fields = {name: about[name] for name in TagSettings.__dataclass_fields__}
    settings = TagSettings(**fields | {"config": CascadeConfig(**about["config"])})
    filters = [models[f"filter {t}"] for t in range(len(about["alphas"]))]
    rows = zip(filters, about["alphas"], [*filters[:-1], models["predictor"]], strict=True)
    levels = tuple(Level(keeps, float(alpha), predicts) for keeps, alpha, predicts in rows)
    config, crf_alpha = settings.config, float(about["crf_alpha"])
    cascade = Cascade(len(tagger.tag_set), levels, config.on_nodes, config.max_arcs)
    return TagModel(settings, tagger.tag_set, tagger.vocabulary, cascade, models["crf"], crf_alpha)

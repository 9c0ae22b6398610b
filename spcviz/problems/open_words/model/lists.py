"""Stored readings of all test words, for Letters' list of words; dropped once a model has changed."""

from spcviz.problems.letters import handwriting as letters
from spcviz.problems.letters.model import cascade
from spcviz.problems.letters.model import stored as given
from spcviz.problems.letters.page import live
from spcviz.problems.open_words.data import word_images
from spcviz.problems.open_words.model import stored as models
from spcviz.store import list_models, load_value, save_value
from spcviz.store.manifest import made_with

NAME = "open-lists"


_OPEN = {models.model_name(features): features for features in ("fourier", "raw")}
"""{name in the store: features} of the open vocabulary."""
_GIVEN = {given.model_name(features): features for features in cascade.FEATURE_NAMES}
"""The same for words as given."""


def test_words(name):
    """Test words of a stored model: composed ones, or those of the shipped fold that it has not seen."""
    return word_images.load_set("unseen").words if name in _OPEN else None


def train(run):
    """Read all test words with every stored model; a command of `PROBLEM.trains`, yields a line."""
    stored = {status.name for status in list_models(run.models) if not status.problem}
    readings = {}
    for name in sorted(stored & {*_OPEN, *_GIVEN}):
        run.tick(name)
        readings[name] = live.word_readings(_load_model(run.models, name), test_words(name))
    about = {"made_from": made_with(run.models, *readings), "data_digest": letters.SHIPPED_SHA256}
    path = save_value(run.models, NAME, readings, (), **about)
    yield f"{path}: {', '.join(readings)}"


def load(folder, name):
    """A stored model's readings of its test words, as from `live.word_readings`; or `StoreError`."""
    return load_value(folder, NAME, (), made_from=made_with(folder, name))[name]


def _load_model(folder, name):
    """A stored model by its name."""
    if name in _OPEN:
        return models.load_open(folder, _OPEN[name])
    return given.load_ocr(folder, _GIVEN[name])

"""What the stored models read of every test word, worked out beforehand: the list that Letters opens with.

`python -m spcviz train open-lists` writes it; the manifest names the models that read, and with another in
place of one its list counts as missing.
"""

from spcviz.problems.common.derived import check_made_with, model_digest
from spcviz.problems.letters import cascade, live
from spcviz.problems.letters import data as letters
from spcviz.problems.letters import models as given
from spcviz.problems.open_words import data, models
from spcviz.store import StoreError, list_models, load_model, save_model

NAME, KIND, VERSION = "open-lists", "word-lists", 1


def test_words(name):
    """Test words of a stored model: composed ones, or those of the shipped fold that it has not seen."""
    return data.load_set("unseen").words if name in _open_names() else None


def train(run):
    """Read all test words with every stored model; a command of `PROBLEM.trains`, yields a line."""
    stored = {status.name for status in list_models(run.models) if not status.problem}
    arrays, digests = {}, {}
    for name in sorted(stored & {*_open_names(), *_given_names()}):
        run.tick(name)
        arrays[name] = live.word_readings(_loaded(run.models, name), test_words(name))
        digests[name] = model_digest(run.models, name)
    path = save_model(
        run.models, NAME, arrays, kind=KIND, version=VERSION, settings={"models": digests}, random_state=0,
        data_digest=letters.SHIPPED_SHA256, metrics={},
    )  # fmt: skip
    yield f"{path}: {', '.join(arrays)}"


def load(folder, name):
    """What the stored model of a name reads of its test words.

    Returns
    -------
    ndarray, shape (orders, letters), int8
        As `live.word_readings`.

    Raises
    ------
    StoreError
        It is missing, damaged, or of another model than the one stored.
    """
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    digests = stored.manifest["settings"]["models"]
    check_made_with(folder, NAME, digests.get(name, ""), name)
    if name not in stored.arrays:
        raise StoreError(f"{NAME} has no list of {name}; run: python -m spcviz train {NAME}")
    return stored.arrays[name]


def _loaded(folder, name):
    """A stored model by its name."""
    is_open = name in _open_names()
    if is_open:
        return models.load_open(folder, _open_names()[name])
    return given.load_ocr(folder, _given_names()[name])


def _open_names():
    """{name in the store: features} of the open vocabulary."""
    return {models.model_name(features): features for features in ("fourier", "raw")}


def _given_names():
    """{name in the store: features} of words as they are given."""
    return {given.model_name(features): features for features in cascade.FEATURE_NAMES}

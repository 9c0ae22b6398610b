"""A small world: 120 real words, settings for them, and one cascade trained on them."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from spcviz.learning.cascade.cascade import CascadeConfig
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from tests.problems.home import running
from tests.web.figures.conftest import checked_figures  # noqa: F401

TINY = CascadeConfig(
    tolerances=(0.2, 0.1, 0.1, 0.1, 0.1, 0.1),
    train_alphas=(0.5,),
    filter_rate=40.0,
    predictor_rate=400.0,
    filter_epochs=2,
    predictor_epochs=2,
    parts=2,
    max_arcs=1500,
)
SETTINGS = {
    "raw": experiment.OcrSettings("raw", TINY),
    "hog": experiment.OcrSettings("hog", replace(TINY, has_end=True)),
    "fourier": experiment.OcrSettings("fourier", replace(TINY, has_end=True), 60, 8.0),
}


@cache
def few_words():
    """Twelve real words of each fold."""
    words, rng = handwriting.load_words(), np.random.default_rng(0)
    by_fold = [rng.permutation(np.flatnonzero(words.folds == k))[:12] for k in range(handwriting.N_FOLDS)]
    chosen = np.sort(np.concatenate(by_fold))
    rows, lengths = handwriting.rows_of(words, chosen)
    return handwriting.Words(words.pixels[rows], words.labels[rows], lengths, words.folds[chosen])


@contextlib.contextmanager
def small_world(words=None):
    """Within it the shipped words are only a few and the settings are tiny; yields the words."""
    words = few_words() if words is None else words
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handwriting, "load_words", lambda: words)
        patch.setattr(experiment, "SETTINGS", SETTINGS)
        experiment._all_features.cache_clear()
        try:
            yield words
        finally:
            experiment._all_features.cache_clear()


@pytest.fixture
def words():
    with small_world() as few:
        yield few


@pytest.fixture(scope="session")
def trained():
    """Three orders on raw pixels, fold 0 left out: a `TrainedOcr`."""
    with small_world():
        return experiment.train(experiment.settings_for("raw", 3), 0, 7)


@pytest.fixture
def executor():
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def home(monkeypatch):
    """A download server of data sets on this machine; see `tests.problems.home.Home`."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as server:
        yield server

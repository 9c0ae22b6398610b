"""Store and load what the Orders and features page needs: fold 0, and the open vocabulary.

N-grams are counted again from the shipped words; times of actions vary, so they are stored in the metrics.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.learning.hybrid.policy import ActionPrices
from spcviz.problems.hybrid.model import fold as folds
from spcviz.problems.hybrid.model import worlds
from spcviz.problems.hybrid.model.times import ActionTimes, clock_of
from spcviz.problems.hybrid.shown import DATA
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.words.model.folds import N_TIERS, data_digest, tier_edges
from spcviz.registry.problem import Run
from spcviz.store import arrays_of, load_model, save_model, stored_as

NAME, KIND, VERSION = "hybrid-words", "hybrid", 1


class HybridModel(NamedTuple):
    """Everything needed to read the test words of a data set."""

    learned: folds.LearnedFold
    prices: ActionPrices
    clock: ActionTimes
    ink: tuple  # letter models of all tiers


class Stored(NamedTuple):
    """The stored form: letter models of all tiers, and what is learned on each of `DATA`."""

    ink: tuple[np.ndarray, ...]
    ocr: folds.StoredFold
    open: folds.StoredFold


def train(run: Run) -> Iterator[str]:
    """Train the page's models on fold 0 and on the open vocabulary; yields a line when they are stored."""
    settings = folds.settings_for(run.quick)
    path = save(run.models, *train_model(settings, run.work, run.tick), settings)
    yield f"{path}: orders and features, fold 0 and the open vocabulary"


def train_model(settings, folder=None, tick=None):
    """(Stored, metrics) of fold 0 and the open vocabulary; the first is the same for the same settings."""
    scored = worlds.scores_of_fold(0, settings.tiers, folder, tick)
    by_data, clock = {}, {}
    for data in DATA:
        world = folds.world_of(data, 0, settings, folder, tick)
        by_data[data] = folds.stored_of(data, 0, settings, world, folder, tick)
        clock[data] = clock_of(data, settings, folder)["clock"]
    return Stored(tuple(scored[f"weights{t}"] for t in range(N_TIERS)), **by_data), {"clock": clock}


def save(folder, stored, metrics, settings):
    """Write what `train_model` returns; see `spcviz.store.save_model`."""
    about = {"settings": asdict(settings) | {"data_origin": letters.ORIGIN}}
    about |= {"data_digest": data_digest("ocr"), "random_state": folds.RANDOM_STATE}
    return save_model(folder, NAME, arrays_of(stored), kind=KIND, version=VERSION, metrics=metrics, **about)


def load(folder, data):
    """The stored model that reads a data set; `StoreError` ends with the command that trains it."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    contents = stored_as(Stored, stored)
    prices = stored.manifest["settings"]["prices"]
    prices = ActionPrices(**prices | {"tiers": tuple(prices["tiers"])})
    clock = ActionTimes(**stored.manifest["metrics"]["clock"][data])
    learned = folds.learned_of(getattr(contents, data), counted_weights(data))
    return HybridModel(learned, prices, clock, contents.ink)


@lru_cache(maxsize=2)
def counted_weights(data):
    """The n-grams of fold 0's training words, or of the open vocabulary's."""
    empty = np.zeros((len(letters.load_words().labels), N_TIERS, letters.N_STATES), dtype=np.float32)
    return (worlds.ocr(0, empty) if data == "ocr" else worlds.open_words(empty, n_train=30)).weights


def scores_of(model, pixels):
    """log p(letter | image) of letters at every tier, (R, T, 26)."""
    features, tiers = worlds.tier_features(pixels), zip(tier_edges(), model.ink, strict=True)
    return np.stack([worlds.log_scores(features[:, :edge], weights) for edge, weights in tiers], axis=1)

"""Two data sets for orders and features bought together, and models that score letters they have not seen.

Letters are scored by models that have not seen their images. Each tier has its own weights for its features
and those of earlier tiers (thesis 7.3.2), trained as in `spcviz.problems.open_words.model.ink`. N-grams are
counted from training words; in the open vocabulary, training words are also read with n-grams that were
counted without them.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.ngrams.table import ngram_table
from spcviz.engine.variable_order.weights import VariableOrderWeights, checked_weights
from spcviz.learning.cascade.counting import count
from spcviz.learning.hybrid.adaptive import AdaptivePart
from spcviz.learning.hybrid.records import WordBatch
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_data
from spcviz.problems.open_words.data.word_images import DEV_FOLD, N_PARTS, TEST_FOLD, part_of_fold
from spcviz.problems.open_words.model.cascade import counted_words
from spcviz.problems.open_words.model.ink import FLOOR, InkSettings, log_softmax, train_ink
from spcviz.problems.words.model.folds import N_TIERS, data_digest, scaled_tiers, tier_edges
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute

N_ORDERS = 6
DISCOUNT, LEAST = 0.9, 2.0
"""For counting words: plain counts, without n-grams that begin words."""

BEGIN = (1.0, 0.7, -0.8)
"""Initial ink, text and letter weights in every state: those of the open vocabulary's cascade."""

N_OPEN = 4500
"""Training words of the open vocabulary to learn from: the first `N_OPEN`. N-grams are counted on all."""

RANDOM_STATE = 23
CODE = ("spcviz.problems.hybrid.model.worlds",)


class WordSplits(NamedTuple):
    """Words to learn from, to choose settings on and to test on."""

    parts: tuple  # training words, read by models that have not seen them
    dev: WordBatch
    test: WordBatch
    weights: VariableOrderWeights  # counted from all training words; where learning begins
    counted: object  # the counts that they come from
    # test_words, dev_words: their places in the data set
    test_words: np.ndarray
    dev_words: np.ndarray
    rows: dict  # "dev", "test": each letter's place among the shipped letter images


def dev_fold(fold):
    """The fold on whose words settings are chosen when `fold` is the test fold: the next one.

    >>> dev_fold(0), dev_fold(9)
    (1, 0)
    """
    return (fold + 1) % letters.N_FOLDS


def weights_of(counted, frequency):
    """The weights that learning begins with, from counted n-grams and log frequencies of images."""
    table = ngram_table(letters.N_STATES, counted.keys, counted.values)
    shape = (N_TIERS, N_ORDERS)
    flat = (np.full(shape, value) for value in BEGIN)
    return checked_weights(
        VariableOrderWeights(*flat, counted.single, counted.first, frequency, table), letters.N_STATES
    )


def ocr(fold: int, scores: np.ndarray) -> WordSplits:
    """Handwritten words as given, one fold to test on, one for development; `scores` of `scores_of_fold`."""
    words = letters.load_words()
    is_held = np.isin(words.folds, [fold, dev_fold(fold)])
    train = np.flatnonzero(~is_held)
    rows, lengths = letters.rows_of(words, train)
    counted = count(
        letters.N_STATES, words.labels[rows], lengths, np.ones(len(lengths)), N_ORDERS + 1,
        discount=DISCOUNT, least=LEAST,
    )  # fmt: skip
    weights = weights_of(counted, _log_frequency(words.labels[rows]))
    of_parts = [train[part_of_fold(words.folds[train]) == part] for part in range(N_PARTS)]
    parts = tuple(AdaptivePart(_batch(words, chosen, scores)[0], weights) for chosen in of_parts)
    dev, test = (np.flatnonzero(words.folds == held_fold) for held_fold in (dev_fold(fold), fold))
    (of_dev, dev_rows), (of_test, test_rows) = (_batch(words, chosen, scores) for chosen in (dev, test))
    places = {"dev": dev_rows, "test": test_rows}
    return WordSplits(parts, of_dev, of_test, weights, counted, test, dev, places)


def open_words(scores: np.ndarray, test: str = "unseen", n_train: int = N_OPEN):
    """Composed words, tested on "unseen" types or "natural" words; `scores` are of fold 0, split alike."""
    words = letters.load_words()
    folds = np.repeat(words.folds, words.lengths)
    frequency = _log_frequency(words.labels[~np.isin(folds, [TEST_FOLD, DEV_FOLD])])

    def counted(without=None):
        how = {"discount": DISCOUNT, "least": LEAST}
        return counted_words(open_data.load_composed(), N_ORDERS + 1, without, **how)

    whole, sets, places, parts = open_data.load_set("train"), {}, {}, []
    is_used = np.arange(len(whole.types)) < n_train
    for part in range(N_PARTS):
        chosen = np.flatnonzero(is_used & (whole.words.folds == part))
        rows, lengths = letters.rows_of(whole.words, chosen)
        batch = _rows_batch(scores, whole.rows[rows], whole.words.labels[rows], lengths)
        parts.append(AdaptivePart(batch, weights_of(counted(part), frequency)))
    for name, key in (("dev", "dev"), ("test", test)):
        held = open_data.load_set(key)
        sets[name] = _rows_batch(scores, held.rows, held.words.labels, held.words.lengths)
        places[name] = held.rows
    everything = counted()
    about = sets["dev"], sets["test"], weights_of(everything, frequency), everything
    n_test, n_dev = (len(sets[name].starts) - 1 for name in ("test", "dev"))
    return WordSplits(tuple(parts), *about, np.arange(n_test), np.arange(n_dev), places)


def _batch(words, chosen, scores):
    rows, lengths = letters.rows_of(words, chosen)
    return _rows_batch(scores, rows, words.labels[rows], lengths), rows


def _rows_batch(scores, rows, labels, lengths):
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return WordBatch(np.ascontiguousarray(scores[rows], dtype=np.float64), np.array(labels), starts)


def _log_frequency(labels):
    return np.log(np.bincount(labels, minlength=letters.N_STATES) / len(labels))


@dataclass(frozen=True)
class TierSettings:
    """Settings of the letter models, as in the open vocabulary; not tuned here."""

    epochs: int = 6
    # rate, decay: as in `spcviz.problems.open_words.model.ink.InkSettings`
    rate: float = 20.0
    decay: float = 1e-6


def tier_features(pixels):
    """Features of all tiers side by side, (R, 1245), float32: those of `words.folds.features`, faster."""
    border = np.pad(pixels, ((0, 0), (1, 1), (1, 1)))
    hog = letters.batch_hog(border, 3), letters.batch_hog(pixels, 2)
    return scaled_tiers([letters.raw_features(pixels), *hog])


def scores_of_fold(
    fold: int, settings: TierSettings, folder: Path | None = None, tick: Callable | None = None
) -> dict[str, np.ndarray]:
    """log p(letter | image) of every shipped letter at every tier, and the weights that read unseen letters.

    The test fold and its `dev_fold` are read by the models of the other eight; each part of these by models
    of the other two parts. ``scores`` is (R, T, 26), each ``weights<tier>`` (F, 26).
    """
    fold = checks.integer("fold", fold, 0, letters.N_FOLDS - 1)
    key = {"fold": fold, "settings": asdict(settings), "random_state": RANDOM_STATE}
    key["data"] = data_digest("ocr")
    return load_or_compute(
        folder, f"hybrid-ink{fold}", key, CODE, lambda: _train(fold, settings, tick), ARRAYS
    )


def _train(fold, settings, tick):
    words = letters.load_words()
    features, edges = tier_features(words.pixels), tier_edges()
    folds = np.repeat(words.folds, words.lengths)
    is_training = ~np.isin(folds, [fold, dev_fold(fold)])
    rng = np.random.default_rng([RANDOM_STATE, fold])
    scores, weights = np.empty((len(folds), N_TIERS, letters.N_STATES), dtype=np.float32), {}
    for part in [*range(N_PARTS), None]:
        is_read = is_training & (part_of_fold(folds) == part) if part is not None else ~is_training
        seen = np.flatnonzero(is_training & ~is_read)
        for t, edge in enumerate(edges):
            config = InkSettings("raw", epochs=settings.epochs, rate=settings.rate, decay=settings.decay)
            ink = train_ink(config, np.ascontiguousarray(features[seen, :edge]), words.labels[seen], rng)
            scores[is_read, t] = log_scores(features[is_read, :edge], ink.weights)
            weights[f"weights{t}"] = ink.weights
        if tick is not None:
            tick(f"letters, fold {fold}, {'all parts' if part is None else f'without part {part}'}")
    return {"scores": scores, **weights}


def log_scores(features, weights):
    """log p(letter | image), at least `FLOOR`; to four decimals, so that reruns give the same bits."""
    logs = log_softmax(features.astype(np.float64) @ weights.astype(np.float64))
    return np.round(np.maximum(logs, FLOOR), 4)

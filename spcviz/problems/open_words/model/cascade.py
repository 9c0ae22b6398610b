"""Cascades on composed words: their n-gram prior, training and evaluation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, HeldOut
from spcviz.learning.cascade.counting import Counted, count
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.from_prior import PriorPart, train_from_prior
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.letters.model.cascade import evaluate_cascade
from spcviz.problems.open_words.data import word_images as data
from spcviz.problems.open_words.data.word_images import DEV_FOLD, N_PARTS, TEST_FOLD, Composed, part_of_fold
from spcviz.problems.open_words.model.ink import SETTINGS as INK
from spcviz.problems.open_words.model.ink import (
    Ink,
    InkSettings,
    image_features,
    ink_scores,
    rows_for_cascade,
    train_ink,
)

RANDOM_STATE = 7
N_ORDERS = 6


@dataclass(frozen=True)
class OpenSettings:
    """Settings of a cascade on composed words."""

    ink: InkSettings
    config: CascadeConfig
    # how the prior is counted: "kneser_ney", or "counted" for plain counts; with begin marks if the config
    # has them
    prior: str = "kneser_ney"
    text_share: float = 0.9  # weight of log p(word) relative to log p(letter | image)
    letter_share: float = 0.8  # how much of the letters' log frequency among the images is subtracted again
    # discount, least: see `spcviz.learning.cascade.counting.count`
    discount: float = 0.9
    least: float = 1.0
    # n-grams of smaller weight (before `text_share`) are left out of the prior: two thirds, of little effect
    smallest: float = 0.2
    # corrections are learned from the first `n_words` composed training words. The prior is counted from all
    # training types.
    n_words: int = 20_000

    @property
    def features(self):
        """Name of the ink's features."""
        return self.ink.features


_RATES = {"filter_rate": 0.1, "predictor_rate": 0.02, "gram_rate": 0.3}
_CONFIG = CascadeConfig(
    train_alphas=(0.2,),
    margin=1.0,
    filter_epochs=2,
    predictor_epochs=2,
    has_end=True,
    has_begin=True,
    **_RATES,
)
_TOLERANCES = {"fourier": 0.01, "raw": 0.03}
SETTINGS = {
    name: OpenSettings(ink, replace(_CONFIG, tolerances=(_TOLERANCES[name],) * N_ORDERS))
    for name, ink in INK.items()
}
"""Chosen on development words: types and letter images (fold 1) that training does not have.

The prior was chosen by the accuracy of a beam of order 5 or 6 with it, nothing learned, among 133 settings:
of smoothing, marks, 4 discounts (0.75 to 0.97), 3 values of `least`, 6 weights of the text (0.6 to 1.1), 5 of
the letters (0.4 to 1.2) and 5 of `smallest`; neighbours differ by half a percent of words. Tolerances were
chosen by whole cascades, in words per level: 0.01, 0.02 and 0.003 to 0.005 (Fourier), 0.02, 0.03 and 0.05
(raw); of those that read most words, the faster one."""


class OpenModel(NamedTuple):
    """A trained cascade on composed words with what its features need."""

    settings: OpenSettings
    ink: Ink
    cascade: Cascade
    corrections: tuple[tuple[Model, Model], ...]  # see `spcviz.learning.cascade.from_prior.CascadeFromPrior`
    held_out: tuple[HeldOut, ...]  # each level's filter on the development words

    def features(self, pixels, lengths):
        """The cascade's input for words' letter images; see `rows_for_cascade`."""
        return self.inputs_of(self.read(pixels), lengths)

    def read(self, pixels):
        """Scores of single letter images, (R, 26): the expensive part; a row depends on its image alone."""
        return ink_scores(self.ink, image_features(self.settings.ink, pixels))

    def inputs_of(self, rows, lengths):
        """The cascade's input for words, given their letters' rows of `read`."""
        return DenseRows(rows_for_cascade(rows, lengths))


class TrainedOpen(NamedTuple):
    """A model, its reports on development words, and the ink of every shipped letter image."""

    model: OpenModel
    reports: tuple[dict, ...]
    scores: np.ndarray  # (all shipped letters, 26) float32: by a letter model that did not see the image


def settings_for(features, n_orders=None, quick=False):
    """The chosen settings of a feature set, cut to some orders; `quick`: one pass each, few waves."""
    if features not in SETTINGS:
        raise ArgumentError(f"features must be one of {', '.join(SETTINGS)}, got {features!r}")
    n_orders = checks.integer("n_orders", N_ORDERS if n_orders is None else n_orders, 1, N_ORDERS)
    chosen = SETTINGS[features]
    config = replace(chosen.config, tolerances=chosen.config.tolerances[:n_orders])
    if not quick:
        return replace(chosen, config=config)
    config = replace(config, filter_epochs=1, predictor_epochs=1)
    return replace(chosen, config=config, ink=chosen.ink._replace(n_waves=300, epochs=2))


def counted_words(composed: Composed, longest: int, without: int | None = None, **how: Any) -> Counted:
    """Count the letter n-grams of the training types, each type once, except those of a part."""
    chosen = (composed.share == 0) & (composed.part != (-1 if without is None else without))
    labels, lengths = data.encode_words(composed.types[chosen])
    return count(letters.N_STATES, labels, lengths, np.ones(len(lengths)), longest, **how)


def image_frequencies():
    """Log share of each letter among the training images, shape (26,)."""
    words = letters.load_words()
    is_training = ~np.isin(np.repeat(words.folds, words.lengths), [TEST_FOLD, DEV_FOLD])
    return np.log(np.bincount(words.labels[is_training], minlength=letters.N_STATES) / is_training.sum())


def prior_counts(settings: OpenSettings, order: int, without: int | None = None) -> Counted:
    """The counts behind a level's prior; `without`: a part whose types are left out."""
    smoothing = "kneser_ney" if settings.prior == "kneser_ney" else "absolute"
    return counted_words(
        data.load_composed(), order + 1, without, discount=settings.discount, least=settings.least,
        smoothing=smoothing, plain_from=max(order, 2), has_begin=settings.config.has_begin,
    )  # fmt: skip


def prior(counted: Counted, order: int, settings: OpenSettings, frequencies: np.ndarray) -> Model:
    r"""A noisy channel of one order, as an initial model.

    .. math:: \sum_i \log p(y_i \mid x_i) - \lambda \log f(y_i) + \beta \log p(y_i \mid y_{i-n+1} .. y_{i-1})

    Of `settings`, beta is `text_share` and lambda `letter_share`. `frequencies` (26,): log f.
    """
    beta, single = settings.text_share, counted.single
    begins, always = beta * (counted.first - single), beta * single - settings.letter_share * frequencies
    weights = np.vstack([np.eye(letters.N_STATES), begins, always])
    is_read = counted.size <= order + (counted.is_end | counted.is_begin)
    is_read &= np.abs(counted.values) >= settings.smallest
    return Model(weights, counted.keys[is_read], beta * counted.values[is_read])


def priors(settings, without=None):
    """Priors of all orders from the shipped list of words; see `prior_counts`."""
    frequencies, orders = image_frequencies(), range(1, len(settings.config.tolerances) + 1)
    return tuple(
        prior(prior_counts(settings, order, without), order, settings, frequencies) for order in orders
    )


def cross_scored(
    settings: InkSettings, rng: np.random.Generator, tick: Callable | None = None
) -> tuple[Ink, np.ndarray]:
    """The letter model of all training folds, and cross-validated scores (R, 26) of every shipped letter."""
    words = letters.load_words()
    features = image_features(settings, words.pixels)
    folds = np.repeat(words.folds, words.lengths)
    is_training = ~np.isin(folds, [TEST_FOLD, DEV_FOLD])
    scores = np.empty((len(folds), letters.N_STATES), dtype=np.float32)
    for part in range(N_PARTS):
        is_part = is_training & (part_of_fold(folds) == part)
        seen = np.flatnonzero(is_training & ~is_part)
        ink = train_ink(settings, features[seen], words.labels[seen], rng)
        scores[is_part] = ink_scores(ink, features[is_part])
        if tick is not None:
            tick(f"letters without part {part}")
    seen = np.flatnonzero(is_training)
    ink = train_ink(settings, features[seen], words.labels[seen], rng)
    scores[~is_training] = ink_scores(ink, features[~is_training])
    return ink, scores


def train(
    settings: OpenSettings,
    *,
    random_state: int = RANDOM_STATE,
    tick: Callable | None = None,
    predict_orders: Sequence[int] | None = None,
    scored: tuple | None = None,
) -> TrainedOpen:
    """Train a cascade on the composed training words; `scored` is what `cross_scored` returned."""
    if scored is None:
        scored = cross_scored(settings.ink, np.random.default_rng(random_state), tick)
    ink, scores = scored
    rng = np.random.default_rng(random_state)
    whole, dev = data.load_set("train"), data.load_set("dev")
    is_used = np.arange(len(whole.types)) < settings.n_words
    parts = []
    for part in range(N_PARTS):
        chosen = np.flatnonzero(is_used & (whole.words.folds == part))
        rows, lengths = letters.rows_of(whole.words, chosen)
        seen = DenseRows(rows_for_cascade(scores[whole.rows[rows]], lengths))
        parts.append(PriorPart(seen, whole.words.labels[rows], lengths, priors(settings, part)))
    seen = DenseRows(rows_for_cascade(scores[dev.rows], dev.words.lengths))
    held = PriorPart(seen, dev.words.labels, dev.words.lengths, priors(settings))
    learned = train_from_prior(
        parts, held, letters.N_STATES, settings.config, rng, predict_orders=predict_orders, tick=tick
    )
    model = OpenModel(settings, ink, learned.cascade, learned.corrections, learned.held_out)
    return TrainedOpen(model, learned.reports, scores)


def evaluate(model: OpenModel, features: DenseRows, words: letters.Words) -> list[dict]:
    """Accuracy, filter losses and sizes of every order on some words; see the letters' `evaluate_cascade`."""
    return evaluate_cascade(model.cascade, features, words.labels, words.lengths)

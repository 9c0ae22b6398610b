"""Scores of letter images at every tier of features, by models that have not seen the image.

Each tier has its own weights for its features and those of earlier tiers (thesis 7.3.2), as in `open_words`'
`ink`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from spcviz.engine import checks
from spcviz.problems.hybrid.data.worlds import dev_fold
from spcviz.problems.letters.data import handwriting as letters
from spcviz.problems.letters.data.hog import batch_hog
from spcviz.problems.open_words.data.compose import N_PARTS, part_of_fold
from spcviz.problems.open_words.model.ink import FLOOR, InkSettings, log_softmax, train_ink
from spcviz.problems.words.model.folds import N_TIERS, data_digest, scaled_tiers, tier_edges
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute

RANDOM_STATE = 23
CODE = ("spcviz.problems.hybrid.model.ink",)


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
    return scaled_tiers([letters.raw_features(pixels), batch_hog(border, 3), batch_hog(pixels, 2)])


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

"""Handwriting experiments: train cascades, Table 4.3; committed models are tested on fold 0."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz import engine
from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.lattice import unigrams
from spcviz.learning.cascade.cascade import (
    Cascade,
    CascadeConfig,
    First,
    HeldOut,
    accuracies,
    filter_examples,
    positions_kept,
    predict,
    survives,
    train_cascade,
)
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.losses import Perceptron
from spcviz.learning.cascade.online import fit
from spcviz.learning.cascade.problem import prepare
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.handwriting import batch_hog

RANDOM_STATE = 7

_PAPER = {
    "char_accuracy": (77.35, 85.02, 96.20, 97.21, 98.27, 98.54),
    "word_accuracy": (26.74, 45.67, 88.25, 91.35, 93.74, 96.16),
    "filter_loss": (None, 0.50, 0.73, 1.00, 0.75, 0.57),
    "n_grams": (26.0, 127.97, 101.84, 18.80, 82.12, 73.36),
    "tolerance": (1.0, 1.0, 1.0, 1.0, 0.5, 0.25),
}
PAPER_ORDERS = {n: {name: column[n - 1] for name, column in _PAPER.items()} for n in range(1, 7)}
"""Thesis Table 4.3, by order."""

KINDS = {"word": "example", "position": "position"}
"""What a tolerance may count: name in rows -> name in settings."""

TABLE_RUNS = {"word": None} | {f"{kind} {n:g}": n / 100 for kind in KINDS for n in (1, 0.5, 0.25)}
"""The cascades behind the table, by what the tolerance of every level counts and its percent: the tolerance
as a share. None: the paper's tolerances by level with the paper's features, the chosen ones with others.

The thesis trains a cascade for each row, with the row's own tolerance at all of its levels. Here, rows of the
same tolerance are read off one cascade, because their first levels are the same to the last bit. Features
other than the paper's have only the first cascade."""

TABLE_PASSES = 8, 6
"""Passes over the data for every filter and every predictor behind the table: few enough for ten folds."""

DENSE_ORDERS = 4
"""Largest order for which exact dense inference is run for comparison with the cascade."""


@dataclass(frozen=True)
class OcrSettings:
    """Features and settings of a handwriting cascade."""

    # "raw" (pixels + bias, the paper's), "hog" (raw + HoG at two cell sizes), "fourier" (random Fourier
    # features of those)
    features: str
    config: CascadeConfig
    n_fourier: int = 0  # number of random features
    width: float = 0.0  # width of the Gaussian kernel they approximate


_BASE = CascadeConfig(train_alphas=(0.5,), filter_rate=40.0, predictor_rate=400.0)
_RICH = replace(_BASE, tolerances=(0.003,) * 6, has_end=True)
SETTINGS = {
    "raw": OcrSettings(
        "raw", replace(_BASE, tolerances=(0.005, 0.005, 0.005, 0.005, 0.0025, 0.0025), first_epochs=30)
    ),
    "hog": OcrSettings("hog", _RICH),
    "fourier": OcrSettings("fourier", _RICH, 1500, 8.0),
}
"""Chosen on fold 1 with folds 2 to 9 as training data; the raw tolerances and `first_epochs` were revised
once after a first run over all ten test folds, so raw figures are slightly optimistic."""


FEATURE_NAMES = {
    "raw": "raw pixels",
    "hog": "pixels and edge directions (HoG)",
    "fourier": "random waves over both (Fourier)",
}
"""Names of the feature sets in a menu."""


class OcrModel(NamedTuple):
    """A trained handwriting cascade with what its features need."""

    settings: OcrSettings
    cascade: Cascade
    fourier: handwriting.Fourier | None
    test_fold: int  # the fold it was not trained on
    held_out: tuple[HeldOut, ...]  # each level's filter on the pooled held-out parts of the other folds

    def features(self, pixels, lengths):
        """The cascade's input for words' letter images."""
        return self.inputs_of(self.read(pixels), lengths)

    def read(self, pixels):
        """Features of single letter images, shape (R, F): a letter's row depends on its image alone."""
        return letter_features(self.settings, self.fourier, pixels)

    def inputs_of(self, rows, _lengths):
        """The cascade's input for rows of `read`; it does not depend on where a word begins."""
        return DenseRows(rows)


class TrainedOcr(NamedTuple):
    """A model, its held-out reports, one per level, and what was learned at the first level."""

    model: OcrModel
    reports: tuple
    first: object


def settings_for(features, n_orders=None, quick=False):
    """The chosen settings of a feature set, cut to some orders; `quick` halves the passes."""
    if features not in SETTINGS:
        raise ArgumentError(f"features must be one of {', '.join(SETTINGS)}, got {features!r}")
    settings = SETTINGS[features]
    n_orders = checks.integer("n_orders", 6 if n_orders is None else n_orders, 1, 6)
    config = replace(settings.config, tolerances=settings.config.tolerances[:n_orders])
    if quick:
        config = replace(config, filter_epochs=3, predictor_epochs=3)
    return replace(settings, config=config)


def table_settings(features, n_orders=None, quick=False):
    """Settings of `TABLE_RUNS`; a bigram model filters letters first, so no further passes there."""
    chosen = settings_for(features, n_orders, quick)
    filters, predictors = TABLE_PASSES
    config = replace(
        chosen.config,
        first_order=2,
        first_epochs=None,
        filter_epochs=min(chosen.config.filter_epochs, filters),
        predictor_epochs=min(chosen.config.predictor_epochs, predictors),
    )
    if features == "raw":
        percent = [PAPER_ORDERS[order]["tolerance"] for order in range(1, 1 + len(config.tolerances))]
        config = replace(config, tolerances=tuple(each / 100 for each in percent))
    runs = {}
    for name, tolerance in list(TABLE_RUNS.items())[: None if features == "raw" else 1]:
        tolerances = config.tolerances if tolerance is None else (tolerance,) * len(config.tolerances)
        kind = KINDS[name.split()[0]]
        runs[name] = replace(chosen, config=replace(config, tolerance_kind=kind, tolerances=tolerances))
    return runs


def table_rows(features: str, n_orders: int) -> list[tuple[str, int, str]]:
    """The table's rows: which of `TABLE_RUNS`, its order, and whose cascade: its "own", or "shared"."""
    each = range(1, n_orders + 1)
    if features != "raw":
        return [("word", order, "own") for order in each]
    rows = [
        (f"{kind} {PAPER_ORDERS[order]['tolerance']:g}", order, "own") for kind in KINDS for order in each
    ]
    return rows + [("word", order, "shared") for order in each]


@lru_cache(maxsize=1)
def _all_features():
    rows = handwriting.all_features(handwriting.load_words().pixels)
    rows.flags.writeable = False
    return rows


def hand_made_features(features):
    """Pixels, or pixels and HoG, of all shipped letters; HoG takes half a minute, once per process."""
    return handwriting.raw_features(handwriting.load_words().pixels) if features == "raw" else _all_features()


def draw_features(settings, rng):
    """The random part of a feature set: frequencies and phases, or None."""
    if settings.features != "fourier":
        return None
    n_inputs = handwriting.all_features(np.zeros((1, *handwriting.SHAPE))).shape[1]
    return handwriting.draw_fourier(n_inputs, settings.n_fourier, settings.width, rng)


def letter_features(settings, fourier, pixels):
    """Features (R, F) of letters: as in training except for HoG's last bits, in a tenth of the time."""
    raw = handwriting.raw_features(pixels)
    if settings.features == "raw":
        return raw
    inputs = np.concatenate([raw, batch_hog(pixels, 3), batch_hog(pixels, 2)], axis=1)
    return inputs if fourier is None else handwriting.fourier_features(inputs, fourier)


def shipped_features(settings, fourier):
    """Features of all shipped letters, computed once per process where they are costly."""
    inputs = hand_made_features(settings.features)
    return inputs if fourier is None else handwriting.fourier_features(inputs, fourier)


def train(
    settings: OcrSettings,
    test_fold: int,
    random_state: int,
    *,
    tick: Callable | None = None,
    held_out_accuracy: bool = False,
    skip_folds: Sequence[int] = (),
    first: First | None = None,
) -> TrainedOcr:
    """Train on all folds but the test fold and `skip_folds` (development)."""
    words = handwriting.load_words()
    test_fold = checks.integer("test_fold", test_fold, 0, handwriting.N_FOLDS - 1)
    rng = np.random.default_rng([random_state, test_fold])
    fourier = draw_features(settings, rng)
    chosen = np.flatnonzero(~np.isin(words.folds, [test_fold, *skip_folds]))
    rows, lengths = handwriting.rows_of(words, chosen)
    features = DenseRows(shipped_features(settings, fourier)[rows])
    how = {"tick": tick, "held_out_accuracy": held_out_accuracy, "first": first}
    trained = train_cascade(
        features, words.labels[rows], lengths, handwriting.N_STATES, settings.config, rng, **how
    )
    model = OcrModel(settings, trained.cascade, fourier, test_fold, trained.held_out)
    return TrainedOcr(model, trained.reports, trained.first)


def evaluate(model: OcrModel, fold: int) -> list[dict]:
    """Accuracy, filter loss and sizes of every order on one fold: rows of ocr-orders, without times."""
    words = handwriting.load_words()
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(words.folds == fold))
    features = DenseRows(shipped_features(model.settings, model.fourier)[rows])
    order_rows = evaluate_cascade(model.cascade, features, words.labels[rows], lengths)
    return [{"features": model.settings.features} | row for row in order_rows]


def evaluate_cascade(
    cascade: Cascade, features: DenseRows, labels: np.ndarray, lengths: np.ndarray
) -> list[dict]:
    """Accuracy, filter losses and sizes of every order on some words; percentages 0 to 100.

    ``filter_loss``: words without their truth in the order's lattice; ``filter_loss_position``: true n-grams
    missing from it; the same ``_after`` its own filter; ``n_grams_in``, ``n_grams_kept`` per position.
    """
    out = []
    for level, step in zip(cascade.levels, filter_examples(cascade, features, lengths)):
        lattice, columns = step.lattice, int(step.lattice.col_start[-1])
        by_letter, by_word = accuracies(predict(level, lattice, features).labels, labels, lattice.row_start)
        row = {"order": len(out) + 1, "char_accuracy": 100 * by_letter, "word_accuracy": 100 * by_word}
        for when, keep in (("", np.ones_like(step.pruned.keep)), ("_after", step.pruned.keep)):
            row[f"filter_loss{when}"] = 100 * (1 - float(survives(lattice, keep, labels).mean()))
            row[f"filter_loss_position{when}"] = 100 * (1 - positions_kept(lattice, keep, labels))
        row["n_grams_in"] = lattice.n_arcs / columns
        row["n_grams_kept"] = float(step.pruned.keep.sum()) / columns
        out.append(row | {"alpha": float(level.alpha)})
    return out


def fold_figures(trained: TrainedOcr, fold: int) -> dict:
    """A result's figures of one cascade on a fold that it has not seen."""
    reports = [report._asdict() for report in trained.reports]
    return {"rows": evaluate(trained.model, fold), "reports": reports}


def warmup(_models):
    """Compile, or load from the disk cache, every kernel that the handwriting pages call."""
    engine.warmup()
    rows = DenseRows(np.ones((2, 3), dtype=np.float32))
    unary_scores(rows, np.zeros((3, handwriting.N_STATES)))


def dictionary_accuracy(settings, test_fold, random_state, skip_folds=(), evaluate_fold=None) -> dict:
    """Accuracy of a dictionary of training words: the best of the right length by a perceptron of order 1."""
    words = handwriting.load_words()
    rng = np.random.default_rng([random_state, test_fold, 1])
    fourier = draw_features(settings, rng)
    every = shipped_features(settings, fourier)
    seen = np.flatnonzero(~np.isin(words.folds, [test_fold, *skip_folds]))
    rows, lengths = handwriting.rows_of(words, seen)
    problem = prepare(unigrams(lengths, handwriting.N_STATES), DenseRows(every[rows]), words.labels[rows])
    epochs = settings.config.predictor_epochs
    model = fit(problem, Perceptron(), np.arange(len(seen)), rng, epochs=epochs).model
    entries = sorted({words.text(w) for w in seen})
    spelled = [np.array([ord(c) - ord("a") for c in text]) for text in entries]
    right_letters = right_words = letters = 0
    test = np.flatnonzero(words.folds == (test_fold if evaluate_fold is None else evaluate_fold))
    for w in test:
        start, stop = words.starts[w : w + 2]
        unary = unary_scores(DenseRows(every[start:stop]), model.weights)
        fitting = [s for s in spelled if len(s) == stop - start]
        best = max(fitting, key=lambda s: unary[np.arange(len(s)), s].sum(), default=-1)  # of no known length
        right = np.equal(best, words.labels[start:stop])
        right_letters, right_words = right_letters + right.sum(), right_words + right.all()
        letters += len(right)
    return {
        "char_accuracy": 100 * right_letters / letters,
        "word_accuracy": 100 * right_words / len(test),
        "size": len(entries),
    }

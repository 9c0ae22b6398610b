"""Threshold rules on the handwriting cascades: the same training, tuning and test by every rule.

Every rule has the same candidates at every level: hinges at four training alphas and the structured SVM's.
The filter that leaves fewest n-grams at the level's tolerance, on the held-out parts of the nine training
folds, is kept; test words play no part in it. First filters do not depend on the rule and are learned once.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, accuracies, filter_examples, predict, survives
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.paths import settings_at
from spcviz.problems.letters.data import handwriting
from spcviz.problems.letters.model import cascade as experiment

RULES = ("mean_max", "margin")
TRAIN_ALPHAS = (0.2, 0.5, 0.8, 0.95)
TRAIN_MARGINS = (0.0,)
BLOCK = 64
"""Test words that are run at a time along a path: far from the tuned thresholds lattices are large."""

FACTORS = tuple(float(2.0 ** (j / 4)) for j in range(-6, 6))
"""Along the cascade's path: see `spcviz.learning.cascade.paths`; 1 are the tuned thresholds."""


class Ruled(NamedTuple):
    """A fold's cascade under one rule: rows of its orders, its reports, and its path on test words."""

    rows: list[dict]
    reports: list[dict]
    path: list[dict]


def rule_settings(features: str, rule: str, n_orders: int | None = None, quick: bool = False):
    """Settings of the table's cascade (tolerances count words), with every candidate, under a rule."""
    settings = experiment.table_settings(features, n_orders, quick)["word"]
    more = {"rule": rule, "train_alphas": TRAIN_ALPHAS, "train_margins": TRAIN_MARGINS}
    return replace(settings, config=replace(settings.config, **more))


def path_rows(cascade: Cascade, features: DenseRows, labels: np.ndarray, lengths: np.ndarray) -> list[dict]:
    """What each order has to score at each factor, and what was lost before it; percentages 0 to 100.

    ``words``: number of words of the fold; ``lost``: of these, without their truth in the order's lattice;
    ``n_grams_worst``: of the word that has most a position.
    """
    tuned = [level.alpha for level in cascade.levels]
    row_start = np.concatenate([[0], np.cumsum(lengths)])
    blocks = [(a, min(a + BLOCK, len(lengths))) for a in range(0, len(lengths), BLOCK)]
    out = []
    for factor in FACTORS:
        settings = settings_at(cascade.pruned_by, tuned, factor)
        sums = np.zeros((len(tuned), 4))
        worst = np.zeros(len(tuned))
        for a, b in blocks:
            rows = slice(row_start[a], row_start[b])
            part = DenseRows(features.values[rows])
            steps = filter_examples(cascade, part, lengths[a:b], alphas=settings)
            for t, (level, step) in enumerate(zip(cascade.levels, steps)):
                lattice = step.lattice
                is_there = survives(lattice, np.ones(lattice.n_arcs, dtype=bool), labels[rows])
                read = predict(level, lattice, part).labels
                right = accuracies(read, labels[rows], lattice.row_start)[1] * (b - a)
                each = np.diff(lattice.example_start) / np.diff(lattice.col_start)
                sums[t] += lattice.n_arcs, lattice.col_start[-1], (~is_there).sum(), right
                worst[t] = max(worst[t], each.max())
        n_grams = sums[:, 0] / sums[:, 1]
        for t in range(len(tuned)):
            out.append(
                {
                    "factor": factor,
                    "order": t + 1,
                    "words": len(lengths),
                    "lost": int(sums[t, 2]),
                    "n_grams_in": float(n_grams[t]),
                    "n_grams_all": float(n_grams[: t + 1].sum()),
                    "n_grams_worst": float(worst[t]),
                    "word_accuracy": 100 * float(sums[t, 3]) / len(lengths),
                }
            )
    return out


def ruled_fold(trained: experiment.TrainedOcr, fold: int) -> dict:
    """What a result reports of one rule's cascade on a fold that it has not seen: a `Ruled` as a dict."""
    figures = experiment.fold_figures(trained, fold)
    words, model = handwriting.load_words(), trained.model
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(words.folds == fold))
    features = DenseRows(experiment.shipped_features(model.settings, model.fourier)[rows])
    path = path_rows(model.cascade, features, words.labels[rows], lengths)
    return Ruled(figures["rows"], figures["reports"], path)._asdict()

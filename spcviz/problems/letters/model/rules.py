"""Handwriting cascades by every threshold rule: the same training, tuning and test for each.

Every rule has the same candidates at every level: hinges at four training alphas and the structured SVM's.
The filter that leaves fewest n-grams at the level's tolerance, on held-out parts of the training folds, is
kept; test words play no part in it. That choice was made once, with raw pixels on folds 1 to 9 (`HINGES`),
and every fold learns with it, whatever its features: choosing again takes five times the training. First
filters do not depend on the rule and are learned once per fold.

Predictors of orders 4 and more learn on wider lattices than filters leave (`widen_predictors`), under either
rule: there is little to learn from lattices of one or two n-grams per position. On fold 1, trained on folds 2
to 9, the margin's order 6 reads 98.0 % of the words right with predictors trained on its own lattices, 98.4
and 99.0 with those trained at thresholds twice and three times as far below the best, on lattices of at most
64 and 465 n-grams per position.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, accuracies, filter_examples, predict, survives
from spcviz.learning.cascade.config import Level
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.level import CascadeTrainer, TrainingProgress, fit_predictor
from spcviz.learning.cascade.problem import prepare
from spcviz.learning.cascade.retuning import settings_at
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.stored import round_weights

RULES = ("mean_max", "margin")
TABLE_RUN = {"raw": "word 0.25"}
"""Which of the table's cascades (`cascade.TABLE_RUNS`); features other than the paper's have only one."""

TRAIN_ALPHAS = (0.2, 0.5, 0.8, 0.95)
TRAIN_MARGINS = (0.0,)
"""Candidates; with margin 0 the hinge is the structured SVM's."""

_SVM = ("margin", 0.0)
_FIRST = (("alpha", 0.5), ("alpha", 0.8), _SVM)
HINGES = {
    "mean_max": (*_FIRST, ("alpha", 0.8), ("alpha", 0.5), ("alpha", 0.95)),
    "margin": (*_FIRST, ("alpha", 0.95), ("alpha", 0.8), ("alpha", 0.95)),
}
"""The choices of `chosen_hinges` with raw pixels at the paper's tolerances, by rule; the first level's, which
does not depend on the rule, is that of the thesis' rule for both."""

BLOCK = 64
"""Number of test words run at a time along a path: far from the tuned thresholds lattices are large."""

WIDEST = 500
"""The most n-grams per position, at any order, in the lattices that `widen_predictors` learns on."""

N_NARROW = 2
"""Number of filters that stay as tuned there: the lattices they leave are large enough."""

N_SIZED = 400
"""Number of training words on which such lattices are sized."""

FACTORS = tuple(float(2.0 ** (j / 4)) for j in range(-8, 3))
"""Factors along the cascade's path: see `spcviz.learning.cascade.retuning`; 1 gives the tuned thresholds."""


class Ruled(NamedTuple):
    """A fold's cascade under one rule: rows of its orders, its reports, and its path on test words."""

    rows: list[dict]
    reports: list[dict]
    path: list[dict]
    wide_factor: float


def rule_settings(features: str, rule: str, n_orders: int | None = None, quick: bool = False):
    """Settings of the cascade behind the table's row of order 6 under a rule, with its `HINGES`.

    Its tolerance holds at every level, as in the thesis, and counts words.
    """
    settings = experiment.table_settings(features, n_orders, quick)[TABLE_RUN.get(features, "word")]
    hinges = HINGES[rule][: len(settings.config.tolerances)]
    return _with(settings, rule, hinges=hinges)


def chosen_hinges(features: str, rule: str, quick: bool = False) -> tuple[tuple[str, float], ...]:
    """The hinge of every level that leaves fewest n-grams on held-out parts of folds 1 to 9."""
    settings = _with(experiment.table_settings(features, quick=quick)["word"], rule)
    reports = experiment.train(settings, 0, experiment.RANDOM_STATE).reports
    return tuple(
        ("margin", report.train_margin) if report.train_alpha is None else ("alpha", report.train_alpha)
        for report in reports
    )


def _with(settings, rule, **more):
    more |= {"rule": rule, "train_alphas": TRAIN_ALPHAS, "train_margins": TRAIN_MARGINS}
    return replace(settings, config=replace(settings.config, **more))


def wide_factor(cascade: Cascade, features: DenseRows, lengths: np.ndarray) -> float:
    """The largest power of the fourth root of two, 1 to 8, at which wider lattices are within `WIDEST`."""
    wide, tuned = 1.0, [level.alpha for level in cascade.levels]
    for factor in (2.0 ** (j / 4) for j in range(1, 13)):
        settings = _wide_settings(cascade, tuned, factor)
        for t, step in enumerate(filter_examples(cascade, features, lengths, alphas=settings)):
            if t > N_NARROW and step.lattice.n_arcs > WIDEST * step.lattice.col_start[-1]:
                return wide
        wide = factor
    return wide


def _wide_settings(cascade, tuned, factor):
    """The tuned settings up to `N_NARROW`, then `factor` times as far below the best."""
    return [*tuned[:N_NARROW], *settings_at(cascade.pruned_by, tuned[N_NARROW:], factor)]


def widen_predictors(trained: experiment.TrainedOcr, fold: int) -> tuple[experiment.TrainedOcr, float]:
    """(the cascade with predictors trained on wider lattices, the factor).

    They begin at their level's filter, as in training, and learn on the same words: all but a test fold's.
    If no wider lattice is small enough, the cascade stays as it is.
    """
    words, model = handwriting.load_words(), trained.model
    every = experiment.shipped_features(model.settings, model.fourier)
    cascade, config = model.cascade, model.settings.config
    chosen = np.flatnonzero(words.folds != fold)
    some = chosen[:: max(len(chosen) // N_SIZED, 1)]  # words are stored text by text
    rows, lengths = handwriting.rows_of(words, some)
    factor = wide_factor(cascade, DenseRows(every[rows]), lengths)
    if factor == 1.0:
        return trained, factor
    rows, lengths = handwriting.rows_of(words, chosen)
    features = DenseRows(every[rows])
    trainer = CascadeTrainer(
        config, np.random.default_rng([experiment.RANDOM_STATE, fold]), TrainingProgress()
    )
    settings = _wide_settings(cascade, [level.alpha for level in cascade.levels], factor)
    levels: list[Level] = []
    for level, step in zip(cascade.levels, filter_examples(cascade, features, lengths, alphas=settings)):
        if len(levels) > N_NARROW:
            problem = prepare(step.lattice, features, words.labels[rows], has_end=config.has_end)
            learned = fit_predictor(problem, np.arange(len(lengths)), trainer, level.filter)
            level = level._replace(predictor=learned.model)
        levels.append(level)
    wide = round_weights(model._replace(cascade=cascade._replace(levels=tuple(levels))))
    return trained._replace(model=wide), factor


def path_rows(cascade: Cascade, features: DenseRows, labels: np.ndarray, lengths: np.ndarray) -> list[dict]:
    """The n-grams that each order scores at each factor, and losses before it; percentages 0 to 100.

    ``words``: number of words of the fold; ``lost``: those without their truth in the order's lattice;
    ``n_grams_worst``: of the word with the most per position.
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
    """A result's figures of one rule's cascade on a fold that it has not seen: a `Ruled` as a dict."""
    trained, factor = widen_predictors(trained, fold)
    figures = experiment.fold_figures(trained, fold)
    words, model = handwriting.load_words(), trained.model
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(words.folds == fold))
    features = DenseRows(experiment.shipped_features(model.settings, model.fourier)[rows])
    path = path_rows(model.cascade, features, words.labels[rows], lengths)
    return Ruled(figures["rows"], figures["reports"], path, factor)._asdict()

"""Run one of a visitor's sentences through a model, level by level, and sweep its thresholds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.engine.ngrams.lattice import score_arcs
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.thresholds import filtering
from spcviz.engine.thresholds import results as curve_of
from spcviz.io.zipped import of_zip
from spcviz.learning.cascade.cascade import HeldOut, LevelRun, filter_examples, predict
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.learning.cascade.letters_first import all_bigrams
from spcviz.problems.letters.model.sweep import N_DRAWN, Sample, Sweep, choose, curves_of
from spcviz.problems.letters.shown import StepCurve, SweepChoice, SweepLevel
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.budget import spend
from spcviz.problems.own_data.model.training import METHODS, Settings, train
from spcviz.problems.own_data.shown import LEVEL_NAMES, Points, Report, RuleChoice, Swept
from spcviz.shared.trace import WordTrace, arc_level, node_level, timed_run
from spcviz.shared.verdict.filter_verdict import Promise, Times, check_guarantees
from spcviz.shared.verdict.sequences import MOST_DENSE, timed_groups

MAX_WORDS = 40
"""Most words of a sentence that are drawn; a longer sentence is cut after them."""

_TURNS = 2
_TOY = [["the", "old", "man", "sleeps"], ["a", "dog", "barks"], ["the", "dog"], ["a", "man", "barks"]]
_TAGS = {"the": "D", "a": "D", "old": "A", "man": "N", "dog": "N", "sleeps": "V", "barks": "V"}


def warmup(models: Path) -> None:
    """Compile what training, the lattice and the verdict call, on a few words."""
    tags = [[_TAGS[word] for word in words] for words in _TOY]
    for method in METHODS:
        trained = train(Settings(method=method, passes=2), 6 * _TOY, 6 * tags)
        reader = reader_in(trained.model)
        trace(reader.cascade, cascades.rows_of(reader, [_TOY[0]]), _TOY[0], reader.labels)
        time_groups(reader.cascade, [cascades.rows_of(reader, [_TOY[0]])], [[len(_TOY[0])]])
    spend(Settings(), 6 * _TOY, 6 * tags)


def reader_in(model: bytes, alphas: tuple[float, ...] = ()) -> cascades.SentenceReader:
    """The reader in a model's zip file."""
    return cascades.reader_of(of_zip(model, "model"), alphas)


def read(reader: cascades.SentenceReader, words: list[str]) -> list[str]:
    """The labels that a model gives to some words."""
    levels = reader.cascade.levels
    rows = cascades.rows_of(reader, [words])
    _, readings, _ = timed_run(
        reader.cascade, rows, len(words), len(levels), [level.alpha for level in levels]
    )
    return [reader.labels[k] for k in readings[-1].tolist()]


def trace(
    cascade: Cascade,
    features: Features,
    words: Sequence[str],
    labels: Sequence[str],
    *,
    truth: Sequence[int] = (),
    alphas: Sequence[float | None] = (),
) -> WordTrace:
    """Run a cascade on one sentence of 1 to `MAX_WORDS` words and keep everything a picture needs.

    `alphas`: one per level, None or missing for the tuned one. `truth`: indices of labels, or empty.
    """
    n_levels = len(cascade.levels)
    given = list(alphas)[:n_levels] + [None] * (n_levels - len(alphas))
    used = [level.alpha if a is None else float(a) for level, a in zip(cascade.levels, given)]
    known = np.asarray(truth, dtype=np.int64) if len(truth) and min(truth) >= 0 else None
    runs = [timed_run(cascade, features, len(words), n_levels, used) for _ in range(_TURNS)]
    steps, read, _ = runs[-1]
    us = np.min([times for _, _, times in runs], axis=0)
    levels = []
    for t, (level, step, alpha, time_us) in enumerate(zip(cascade.levels, steps, used, us[:, 0])):
        draw = arc_level
        if t == 0 and cascade.first_order == 2 and len(words) > 1:  # labels are the nodes of all pairs
            pairs = all_bigrams(np.array([len(words)]), cascade.n_states)
            arc_score = score_arcs(pairs, unary_scores(features, level.filter.weights), level.filter.table)
            step, draw = LevelRun(pairs, arc_score, prune(pairs, arc_score, alpha, on_nodes=True)), node_level
        levels.append(draw(level, step, known, features, alpha, time_us))
    return WordTrace(
        word_id=-1,
        truth=np.zeros(0, dtype=np.int32) if known is None else known.astype(np.int32),
        pixels=np.zeros((0, 16, 8), dtype=np.uint8),
        alphabet=tuple(labels),
        levels=tuple(levels),
        predictions=np.array(read, dtype=np.int32),
        microseconds=float(us[:-1, 0].sum() + us[-1, 1]),
        microseconds_dense=np.nan,
        words=tuple(words),
        meanings=tuple(labels),
        level_names=LEVEL_NAMES[:n_levels],
    )


def time_groups(
    cascade: Cascade, features: Sequence[Features], lengths: Sequence[Sequence[int]]
) -> Times | None:
    """Time groups of sentences: each through all levels and the last predictor, and densely one by one.

    Returns None if the dense tables would be too large.
    """
    order = len(cascade.levels)
    if float(cascade.n_states) ** order > MOST_DENSE or not len(features):
        return None
    last = cascade.levels[-1].predictor
    dense = dense_model(last.table, order)
    alphas = [level.alpha for level in cascade.levels]

    def by_cascade(rows: Features, each: Sequence[int]) -> None:
        *_, step = filter_examples(cascade, rows, each, order, alphas)
        predict(cascade.levels[-1], step.lattice, rows)

    def by_dense(rows: Features, each: Sequence[int]) -> None:
        unary = unary_scores(rows, last.weights)
        for one in np.split(unary, np.cumsum(each)[:-1]):
            dense_decode(dense, one)

    return timed_groups(by_cascade, by_dense, list(zip(features, lengths)), order, sum(map(len, lengths)))


def sweep(report: Report, level: int, tolerance: float) -> Sweep:
    """A level (from 1) over all thresholds, as the Sweep page takes it."""
    measured = report.levels[level - 1]
    lowest = filtering.lowest_alpha(np.concatenate([*measured.dev[:2], *measured.test[:2]]))
    kept = [curve_of.efficiency_curve(half.points, half.starts, lowest) for half in measured[1:]]
    drawn = [StepCurve(*curve_of.thin_curve(curve, N_DRAWN)) for curve in kept]
    curves = [curves_of(*of, lowest) for of in zip(("dev", "test"), measured[1:], drawn)]
    dev = HeldOut(measured.dev.by_definition, measured.dev.event, *kept[0])
    return Sweep(
        SweepLevel(level, measured.tuned_alpha, tolerance, "event", *curves), dev, _sample(measured.test)
    )


def _sample(points: Points) -> Sample:
    nothing = np.full(len(points.event), np.nan)  # needed for a bound only
    about = (points.points, points.starts, nothing, nothing, points.n_columns, np.nan, np.nan)
    return Sample(points.by_definition, points.event, *about)


def sweep_level(
    report: Report, level: int, tolerance: float, by_definition: bool, alpha: float | None
) -> tuple[SweepLevel, SweepChoice]:
    """(curves, the given alpha or else the tolerance's, with its losses) of a level, counted from 1."""
    level_sweep = sweep(report, level, tolerance)
    return level_sweep.curves, choose(level_sweep, tolerance, by_definition=by_definition, alpha=alpha)


def promises(report: Report, level: int, tolerance: float) -> tuple[Promise, ...]:
    """Guarantees for sentences like the visitor's at a level, counted from 1; see `check_guarantees`."""
    dev, test = report.levels[level - 1][1:]
    return check_guarantees(dev.event, test.event, test.points, int(test.n_columns.sum()), tolerance)


def compare_rules(report: Report, tolerance: float) -> tuple[list[dict], list[RuleChoice]]:
    """(rows of `filter_curves`, the choice of each rule): one model's labels filtered by two rules."""
    rows, choices = [], []
    for key, measured in (("spc", report.levels[0]), ("crf", report.by_marginals)):
        choices.append(_choice(key, measured, tolerance))
        lowest = min(0.0, choices[-1].threshold)
        for split, points in (("dev", measured.dev), ("test", measured.test)):
            at = np.unique(np.quantile(np.clip(points.event, lowest, 1), np.linspace(0, 1, 60)))
            thresholds = np.unique(np.concatenate([[lowest], at, np.linspace(0, 1, 40)[:-1]]))
            each = np.sort(points.points)
            alive = np.sort(points.event)
            kept = 1 - np.searchsorted(each, thresholds, side="right") / len(each)
            lost = np.searchsorted(alive, thresholds, side="right") / len(alive)
            rows.append(
                {"level": 1, "fold": 0, "split": split, "method": key, "alpha": thresholds.tolist()}
                | {"efficiency_loss": (100 * kept).tolist(), "filter_loss": (100 * lost).tolist()}
            )
    return rows, choices


def _choice(key: str, measured: Swept, tolerance: float) -> RuleChoice:
    at = cascades.tune_alpha(measured.dev, tolerance)
    kept = measured.test.points > at
    lost = [float((half.event <= at).mean()) for half in measured[1:]]
    return RuleChoice(key, at, *lost, float(kept.sum() / measured.test.n_columns.sum()), float(kept.mean()))

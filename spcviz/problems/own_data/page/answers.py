"""Diagnostics of a trained model: whether a threshold pays, how good the labels are, what was learned.

The verdict's rule and wording are those of `spcviz.shared.verdict`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.problems.own_data.model import cascades, evaluation
from spcviz.problems.own_data.model.cascades import SentenceReader
from spcviz.problems.own_data.model.training import Settings, deal
from spcviz.problems.own_data.page import live
from spcviz.problems.own_data.shown import Report
from spcviz.shared.verdict.filter_verdict import Times, Verdict, exact_interval, is_worth
from spcviz.shared.verdict.sequences import GROUP, N_TIMED


class Judged(NamedTuple):
    """Answers for the held-out sentences, as names of labels, and their scores."""

    numbers: np.ndarray  # of the sentences in the file
    gold: list[list[str]]
    said: list[list[str]]
    scores: list[evaluation.Score]  # the first is over all kinds
    right: tuple[float, float, float]  # share of tokens, and its interval
    baseline: list[evaluation.Score]  # of the most frequent tag; empty where nothing was trained here
    baseline_right: float


def answers_of(report: Report) -> list[list[str]]:
    """Answers for the held-out sentences, development first, as names of labels."""
    names = [report.labels[k] for k in report.guess.tolist()]
    return [names[a:b] for a, b in zip(report.starts[:-1].tolist(), report.starts[1:].tolist())]


def judge(
    report: Report,
    sentences: Sequence[list[str]],
    labels: Sequence[list[str]],
    settings: Settings,
    *,
    is_trained: bool,
) -> Judged:
    """Judge a model on held-out sentences; `is_trained`: it was trained on the others, by `settings`."""
    numbers = np.concatenate([report.dev, report.test])
    gold, said = [labels[n] for n in numbers.tolist()], answers_of(report)
    usual: list[list[str]] = []
    if is_trained:
        train = deal([len(words) for words in sentences], settings).train.tolist()
        learned = [sentences[n] for n in train], [labels[n] for n in train]
        usual = evaluation.most_frequent(*learned, [sentences[n] for n in numbers.tolist()])
    flat = np.array([a == b for row, other in zip(gold, said) for a, b in zip(row, other)])
    n_usual = sum(a == b for row, other in zip(gold, usual) for a, b in zip(row, other))
    return Judged(
        numbers,
        gold,
        said,
        evaluation.scores_of(evaluation.counts_of(gold, said)),
        evaluation.share_interval(flat, report.starts),
        evaluation.scores_of(evaluation.counts_of(gold, usual)) if usual else [],
        n_usual / max(len(flat), 1),
    )


def times_of(model: bytes, report: Report, sentences: Sequence[list[str]]) -> Times | None:
    """Times of a trained model on the first test sentences."""
    reader = live.reader_in(model, tuple(level.tuned_alpha for level in report.levels))
    chosen = [sentences[n] for n in report.test.tolist() if len(sentences[n]) <= live.MAX_WORDS][:N_TIMED]
    groups = [chosen[a : a + GROUP] for a in range(0, len(chosen), GROUP)]
    rows = [cascades.rows_of(reader, group) for group in groups]
    return live.time_groups(reader.cascade, rows, [[len(words) for words in group] for group in groups])


HERE, BEFORE = "on this server", "on the server that made the app's first scenes"


def verdict_of(
    report: Report, tolerance: float, choices: Sequence[Any], times: Times | None, timed: str = HERE
) -> Verdict:
    """The verdict by the rule of `is_worth`; `choices` are those of `live.compare_rules`."""
    by = {choice.key: choice for choice in choices}
    spc, crf = by["spc"], by["crf"]
    n_test = len(report.test)
    n_lost = round(spc.lost_test * n_test)
    low, high = exact_interval(n_lost, n_test)
    n = len(report.labels)
    order = len(report.levels) + 1
    shares = spc.kept, crf.kept, n_lost, n_test, (low, high), tolerance
    promises = live.promises(report, 1, tolerance)
    n_unknown = len(report.dev) - promises[0].n
    worth = is_worth(spc.kept, n, low, tolerance)
    return Verdict(worth, n, *shares, report.n_grown, order, times, timed, promises, n_unknown)


N_TOP = 12


class Weighed(NamedTuple):
    """A feature and its weight for a label."""

    feature: str
    weight: float


def top_features(reader: SentenceReader, label: str, n: int = N_TOP) -> tuple[list[Weighed], list[Weighed]]:
    """(strongest features for a label, strongest against it) by the weights of the last predictor."""
    names = list(reader.vocabulary)
    weights = np.asarray(reader.cascade.levels[-1].predictor.weights)[
        : len(names), reader.labels.index(label)
    ]
    order = np.lexsort((np.arange(len(weights)), -weights))
    best = [Weighed(names[k], float(weights[k])) for k in order[:n].tolist() if weights[k] > 0]
    worst = [Weighed(names[k], float(weights[k])) for k in order[::-1][:n].tolist() if weights[k] < 0]
    return best, worst


def step_weights(reader: SentenceReader, most: int = 16) -> tuple[Sequence[str], np.ndarray]:
    """(labels, weights of the transitions between them) of the first filter, for at most `most` labels."""
    labels = reader.labels[:most]
    return labels, np.asarray(reader.cascade.levels[0].filter.pairs.inner)[: len(labels), : len(labels)]

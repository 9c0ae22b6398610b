"""What a researcher asks of a model: is a threshold worth it, how good are its answers, and by which words.

The verdict follows a rule that is fixed here. A filter is worth it if it leaves at most half of the labels,
and does not lose more test sentences than is allowed by more than chance (the lower end of the 95 % interval
of its loss is at most the tolerance). A search of the last order is faster if the whole 95 % interval of the
ratio of times, over the groups that were timed, lies above 1.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.ngrams.dense import dense_decode, dense_model
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import Features, unary_scores
from spcviz.problems.letters.model.sweep import exact_interval
from spcviz.problems.own_data.model import cascades, judged
from spcviz.problems.own_data.model.settings import Settings, deal
from spcviz.problems.own_data.page import live
from spcviz.problems.own_data.page.promise_text import promise
from spcviz.problems.own_data.page.shown import Promise, Report

MOST_LEFT = 0.5
"""Share of labels: a filter that leaves more is not worth it."""
N_TIMED, GROUP, _TURNS = 60, 6, 3
"""Test sentences that are timed, in groups of so many, and how often; of each group the best time counts."""
MOST_DENSE = 3_000_000
"""Entries of the dense tables, K to the order, beyond which no dense search is run."""


class Judged(NamedTuple):
    """Answers of the held-out sentences, as names, and what they are worth."""

    numbers: np.ndarray  # of the sentences in the file
    gold: list[list[str]]
    said: list[list[str]]
    scores: list[judged.Score]  # the first of all kinds together
    right: tuple[float, float, float]  # share of tokens, and its interval
    baseline: list[judged.Score]  # of the most frequent tag; empty where nothing was trained here
    baseline_right: float


class Times(NamedTuple):
    """Microseconds of groups of sentences: through the cascade, and dense at the same order."""

    cascade: np.ndarray
    dense: np.ndarray
    order: int
    n: int  # sentences

    def ratio(self, seed: int = 0) -> tuple[float, float, float]:
        """(dense over cascade, ends of its 95 % interval over groups)."""
        draws = np.random.default_rng(seed).integers(0, len(self.dense), (judged.N_DRAWS, len(self.dense)))
        drawn = self.dense[draws].sum(axis=1) / self.cascade[draws].sum(axis=1)
        low, high = np.percentile(drawn, [2.5, 97.5])
        return float(self.dense.sum() / self.cascade.sum()), float(low), float(high)


def answers_of(report: Report) -> list[list[str]]:
    """Answers of the held-out sentences, those of development first, as names."""
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
    """Judge a model by the sentences that it has not seen; `is_trained` on the others, by these settings."""
    numbers = np.concatenate([report.dev, report.test])
    gold, said = [labels[n] for n in numbers.tolist()], answers_of(report)
    usual: list[list[str]] = []
    if is_trained:
        train = deal([len(words) for words in sentences], settings).train.tolist()
        learned = [sentences[n] for n in train], [labels[n] for n in train]
        usual = judged.most_frequent(*learned, [sentences[n] for n in numbers.tolist()])
    flat = np.array([a == b for row, other in zip(gold, said) for a, b in zip(row, other)])
    n_usual = sum(a == b for row, other in zip(gold, usual) for a, b in zip(row, other))
    return Judged(
        numbers,
        gold,
        said,
        judged.scores_of(judged.counts_of(gold, said)),
        judged.share_interval(flat, report.starts),
        judged.scores_of(judged.counts_of(gold, usual)) if usual else [],
        n_usual / max(len(flat), 1),
    )


def timed(cascade: Cascade, features: Sequence[Features], lengths: Sequence[Sequence[int]]) -> Times | None:
    """Time groups of sentences, each in all levels and the last predictor, and dense one by one.

    None if the dense tables would be too large.
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

    times = [
        [_best_us(run, rows, each) for rows, each in zip(features, lengths)] for run in (by_cascade, by_dense)
    ]
    return Times(np.array(times[0]), np.array(times[1]), order, sum(map(len, lengths)))


def _best_us(run: Callable[[Features, Sequence[int]], None], rows: Features, lengths: Sequence[int]) -> float:
    """Microseconds of a run, the best of some turns, by this thread's own time where that is told."""
    times = []
    for _ in range(_TURNS):
        start = time.perf_counter(), time.thread_time()
        run(rows, lengths)
        wall, cpu = time.perf_counter() - start[0], time.thread_time() - start[1]
        times.append(1e6 * (min(wall, cpu) if cpu > 0 else wall))
    return min(times)


def times_of(model: bytes, report: Report, sentences: Sequence[list[str]]) -> Times | None:
    """Times of the first test sentences of a trained model."""
    reader = live.reader_in(model, tuple(level.tuned_alpha for level in report.levels))
    chosen = [sentences[n] for n in report.test.tolist() if len(sentences[n]) <= live.MAX_WORDS][:N_TIMED]
    groups = [chosen[a : a + GROUP] for a in range(0, len(chosen), GROUP)]
    rows = [cascades.rows_of(reader, group) for group in groups]
    return timed(reader.cascade, rows, [[len(words) for words in group] for group in groups])


class Verdict(NamedTuple):
    """Whether a filter is worth it, with its numbers."""

    is_worth: bool
    n_labels: int
    kept: float  # labels a token, by max-marginals
    kept_by_crf: float  # by marginals, at the same tolerance
    n_lost: int  # test sentences
    n_test: int
    lost: tuple[float, float]  # 95 %
    tolerance: float
    left: float  # n-grams of the next order a token
    order: int
    times: Times | None
    timed: str  # where, to follow "timed"
    promises: tuple[Promise, ...]  # of `live.promises` for this filter
    n_unknown: int  # sentences that chose thresholds but for a label that training has not seen


HERE, BEFORE = "on this server", "on the server that made the app's first scenes"


def verdict_of(
    report: Report, tolerance: float, choices: Sequence[Any], times: Times | None, timed: str = HERE
) -> Verdict:
    """The verdict by the rule above; `choices` are those of `live.compared`."""
    by = {choice.key: choice for choice in choices}
    spc, crf = by["spc"], by["crf"]
    n_test = len(report.test)
    n_lost = round(spc.lost_test * n_test)
    low, high = exact_interval(n_lost, n_test)
    n = len(report.labels)
    is_worth = spc.kept <= MOST_LEFT * n and low <= tolerance
    order = len(report.levels) + 1
    shares = spc.kept, crf.kept, n_lost, n_test, (low, high), tolerance
    promises = live.promises(report, 1, tolerance)
    n_unknown = len(report.dev) - promises[0].n
    return Verdict(is_worth, n, *shares, report.n_grown, order, times, timed, promises, n_unknown)


_NAMES = {2: "pairs", 3: "triples", 4: "4-grams", 5: "5-grams", 6: "6-grams"}


def said(verdict: Verdict) -> str:
    """The verdict, first in a word, then its numbers and what they do not say."""
    v = verdict
    lost = f"{v.n_lost} of {v.n_test} test sentences ({100 * v.lost[0]:.1f} to {100 * v.lost[1]:.1f} %, 95 %)"
    allowed = f"{100 * v.tolerance:.3g} % allowed"
    filters = (
        f"the filter leaves **{v.kept:.1f} of {v.n_labels} labels** a token (a CRF's marginals: "
        f"{v.kept_by_crf:.1f}) "
        f"and loses {lost}, {allowed}"
    )
    head = "**A threshold is worth it here:** " if v.is_worth else "**A threshold is hardly worth it here:** "
    why = ""
    if v.kept > MOST_LEFT * v.n_labels:
        why = " More than half of the labels stay: there is little to save."
    elif not v.is_worth:
        why = " It loses more than is allowed: choose a smaller tolerance, or bring more sentences."
    grown = f" Of {v.n_labels**v.order:,} {_NAMES[v.order]} a token {v.left:,.0f} are left to score."
    return f"{head}{filters}.{why}{grown}{_said_of_times(v)}\n\n{_guaranteed(v)}"


def _guaranteed(verdict: Verdict) -> str:
    """What holds of sentences that are not in the file, and at which threshold."""
    told = " ".join(promise(each) for each in verdict.promises if each.key != "tuned")
    text = f"**Guaranteed beyond this file:** nothing by the tuned threshold. {told}"
    if not verdict.n_unknown:
        return text
    n = verdict.n_unknown + verdict.promises[0].n
    return (
        f"{text} Of the {n} sentences for choosing, {verdict.n_unknown} hold a label that training has not "
        "seen: those are lost at any threshold, and nothing is promised of their like."
    )


def _said_of_times(verdict: Verdict) -> str:
    name = _NAMES[verdict.order - 1]
    if verdict.times is None:
        return f" A dense search over {name} is too large to be run beside it."
    ratio, low, high = verdict.times.ratio()
    span = f"({low:.2f} to {high:.2f}, 95 %, {verdict.times.n} test sentences timed {verdict.timed})"
    if low > 1:
        return f" **A cascade is worth it:** {ratio:.2f} times as fast as a dense search over {name} {span}."
    if high < 1:
        share = f"a dense search over {name} takes {ratio:.2f} of it {span}"
        return f" **A cascade is not worth its time here:** {share}."
    return f" **A cascade makes no difference in time:** {ratio:.2f} times as fast as dense {name} {span}."

"""Prune the scores of another tool's model: what would be left, at what loss, under which transitions.

Nothing is trained here. The seed deals the sequences into two halves: thresholds are chosen on the first
(and transitions estimated, if requested), and everything is checked on the second.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import marginals_batch
from spcviz.engine.errors import ArgumentError
from spcviz.io.scores import ScoreFile
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import SparseRows
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.training import Half, measure_model
from spcviz.problems.own_data.shown import Report
from spcviz.scores.schemes import bio_transitions, is_chunked
from spcviz.shared.verdict.filter_verdict import deal_halves

STEPS = {"given": "as the file has them", "bio": "rules of BIO", "gold": "estimated on half of the gold",
         "none": "none"}  # fmt: skip
MOST_ARCS = 6_000_000
"""Most tokens times labels squared that are measured; of a larger file, the sequences that fit."""


class Scored(NamedTuple):
    """Scores as they are measured: those of all tokens, with transitions, and the report."""

    emissions: np.ndarray
    transitions: np.ndarray
    starts: np.ndarray  # (S + 1,)
    report: Report


def steps_of(scores: ScoreFile, has_gold: bool) -> list[str]:
    """The available sources of transitions, keys of `STEPS`."""
    sources = ["given"] if scores.transitions is not None else []
    sources += ["bio"] if is_chunked(scores.label_names or ()) else []
    return sources + (["gold"] if has_gold else []) + ["none"]


def look_at(scores: ScoreFile, steps: str, seed: int, tolerance: float) -> Scored:
    """Measure scores with the transitions of a source, a key of `STEPS`."""
    emissions = np.array(scores.emissions, dtype=float)
    n, lengths = emissions.shape[1], scores.lengths
    starts = np.concatenate([[0], np.cumsum(lengths)])
    halves = deal_halves(np.where(_is_known(scores), lengths, 0), seed, MOST_ARCS // n**2)
    if not len(halves[0]):
        got = len(halves[1])
        raise ArgumentError(f"Scores must be of at least 2 sequences that can be measured, got {got}.")
    truth = np.full(len(emissions), -1) if scores.labels is None else np.asarray(scores.labels)
    transitions = np.zeros((n, n))
    if steps == "given" and scores.transitions is not None:
        transitions = np.array(scores.transitions, dtype=float)
        _add(emissions, starts, scores.start, scores.end)
    elif steps == "bio":
        rules = bio_transitions(scores.label_names or ())
        transitions = rules.transitions
        _add(emissions, starts, rules.start, rules.end)
    elif steps == "gold":
        transitions = _estimate_steps([truth[starts[i] : starts[i + 1]] for i in halves[0].tolist()], n)
    penalty = penalty_of(scores.emissions)
    emissions, transitions = (
        np.where(np.isneginf(table), -penalty, table) for table in (emissions, transitions)
    )
    report = _report(emissions, transitions, starts, truth, halves, scores.label_names or (), tolerance)
    return Scored(emissions, transitions, starts, report)


def _is_known(scores: ScoreFile) -> np.ndarray:
    """(S,) bool: whether the labels of a sequence are all known, or the file has no labels at all."""
    if scores.labels is None or not (scores.labels >= 0).any():
        return np.ones(len(scores.lengths), dtype=bool)
    owner = np.repeat(np.arange(len(scores.lengths)), scores.lengths)
    return np.bincount(owner[scores.labels < 0], minlength=len(scores.lengths)) == 0


def penalty_of(emissions: np.ndarray) -> float:
    """The finite cost of what is forbidden, higher than what any label in its place could gain.

    It is finite because weights must be. A labelling with a forbidden step is never the best one where three
    other labels can avoid it; forbidden pairs lower the mean of the second level, so its alphas are higher.
    """
    finite = emissions[np.isfinite(emissions)]
    return 1.0 + 3.0 * float(finite.max() - finite.min()) if len(finite) else 1.0


def _add(
    emissions: np.ndarray, starts: np.ndarray, first: np.ndarray | None, last: np.ndarray | None
) -> None:
    """Add the scores of beginning and ending to the first and last positions."""
    filled = np.diff(starts) > 0
    if first is not None:
        emissions[starts[:-1][filled]] += first
    if last is not None:
        emissions[starts[1:][filled] - 1] += last


def _estimate_steps(sequences: list[np.ndarray], n: int) -> np.ndarray:
    """Log-probabilities of the next label, from counts with one added to each."""
    counts = np.ones((n, n))
    for labels in sequences:
        np.add.at(counts, (labels[:-1], labels[1:]), 1)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


def _report(emissions, transitions, starts, truth, halves, names, tolerance) -> Report:
    held = np.concatenate(halves)
    rows = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in held.tolist()])
    lengths = np.diff(starts)[held]
    table, gold = emissions[rows], truth[rows]
    decoded = chain.decode_batch(table, lengths, transitions)
    dead = np.flatnonzero(np.isneginf(decoded.scores))
    if len(dead):
        number = held[dead[0]] + 1
        raise ArgumentError(f"Sequence {number} has no labelling that scores and transitions allow.")
    shares = marginals_batch(table, lengths, transitions).unary
    n_dev = len(halves[0])
    at = int(lengths[:n_dev].sum())
    cascade, features = cascades.of_scores(table, transitions)
    parts = tuple(
        Half(cascades.rows_between(features, a, b), counts, gold[a:b])
        for a, b, counts in ((0, at, lengths[:n_dev]), (at, len(rows), lengths[n_dev:]))
    )
    return measure_model(
        cascade,
        parts,
        tolerance,
        labels=tuple(names),
        dev=halves[0],
        test=halves[1],
        starts=np.concatenate([[0], np.cumsum(lengths)]),
        truth=gold,
        guess=decoded.labels,
        shares=shares,
        has_probabilities=True,
    )


def of_sequence(scored: Scored, number: int, most: int) -> tuple[Cascade, SparseRows]:
    """One sequence as its own cascade, with its features."""
    first = int(scored.starts[number])
    last = min(int(scored.starts[number + 1]), first + most)
    alphas = tuple(level.tuned_alpha for level in scored.report.levels)
    return cascades.of_scores(scored.emissions[first:last], scored.transitions, alphas)

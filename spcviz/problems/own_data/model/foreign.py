"""Models and scores that visitors bring, trained elsewhere: checked, run on their sentences, pruned.

Anybody may have written a model's file. `spcviz.io.zipped` reads only numbers and texts from it; here their
values are checked before any kernel runs on them.

Nothing is trained. The seed deals the sequences into two halves: thresholds are chosen on the first (and the
transitions of scores estimated, if requested), and everything is checked on the second.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import marginals_batch
from spcviz.engine.errors import ArgumentError
from spcviz.io.scores import ScoreFile
from spcviz.io.zipped import of_zip, to_zip
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import SparseRows
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model.training import (
    MOST_HELD,
    MOST_LABELS,
    Dealt,
    HeldHalf,
    features_in,
    measure_model,
    report_on,
)
from spcviz.problems.own_data.shown import LEVEL_NAMES, Report, Trained
from spcviz.scores.schemes import bio_transitions, is_chunked
from spcviz.sequences import CascadeTagger, ChainCRF, StructuredPerceptron, StructuredSVM
from spcviz.shared.verdict.filter_verdict import deal_halves

KINDS = {
    StructuredPerceptron: "perceptron",
    StructuredSVM: "SVM",
    ChainCRF: "CRF",
    CascadeTagger: "cascade",
}


def model_of(data: bytes, name: str) -> Any:
    """The tagger in a zip file that reads this page's features; else an `ArgumentError` that says why."""
    tagger = of_zip(data, name)
    if type(tagger) not in KINDS:
        known = ", ".join(kind.__name__ for kind in KINDS)
        raise ArgumentError(f"{name}: holds a {type(tagger).__name__}; this page takes {known}")
    n_labels = np.size(getattr(tagger, "classes_", ()))
    if not 2 <= n_labels <= MOST_LABELS:  # before a table of all pairs of them is made
        raise ArgumentError(f"{name}: must have from 2 to {MOST_LABELS} different labels, got {n_labels}")
    try:
        reader = cascades.reader_of(tagger)
    except ValueError as error:
        why = f"so it can tag nothing here. {error}"
        raise ArgumentError(f"{name}: reads other features than this page makes of words, {why}") from None
    _check(name, reader)
    if isinstance(tagger, CascadeTagger):
        if tagger.cascade_.rule != "mean_max":
            raise ArgumentError(
                f"{name}: prunes by the rule {tagger.cascade_.rule}; this page draws thresholds between mean "
                'and best: fit it with rule="mean_max"'
            )
        most = min(tagger.cascade_.max_arcs, cascades.MAX_ARCS)
        tagger.cascade_ = tagger.cascade_._replace(max_arcs=most)
    return tagger


def _check(name: str, reader: cascades.SentenceReader) -> None:
    """Raise `ArgumentError` unless all parts of a model are consistent and small enough to draw."""
    n, cascade, labels = len(reader.vocabulary), reader.cascade, reader.labels
    if not 2 <= len(labels) <= MOST_LABELS or len(set(labels)) < len(labels):
        raise ArgumentError(f"{name}: must have from 2 to {MOST_LABELS} different labels, got {len(labels)}")
    if not 2 <= len(cascade.levels) <= (most := len(LEVEL_NAMES)):
        raise ArgumentError(f"{name}: must have from 2 to {most} levels, got {len(cascade.levels)}")
    try:
        _check_cascade(cascade, n, len(labels))
    except ArgumentError as error:
        raise ArgumentError(f"{name}: is damaged: {error}; write it again with spcviz.save") from None


def _check_cascade(cascade: Cascade, n_features: int, n_labels: int) -> None:
    kinds = cascade.n_states, cascade.on_nodes, cascade.by_marginals, cascade.first_order
    if kinds != (n_labels, False, False, 2):
        raise ArgumentError(f"a tagger's cascade is no {kinds}")
    checks.integer("max_arcs", cascade.max_arcs, 1, 2**40)
    for t, level in enumerate(cascade.levels):
        checks.alpha("alpha", level.alpha)
        for model in (level.filter, level.predictor):
            weights = checks.scores("weights", model.weights, 2)
            if weights.shape != (n_features, n_labels) or not np.isfinite(weights).all():
                raise ArgumentError(f"weights of level {t + 1} have shape {weights.shape}, or are not finite")
            if model.table.has_begin or model.table.has_end:
                raise ArgumentError(f"level {t + 1} has weights of beginnings or ends")


def read_with(
    data: bytes, sentences: Sequence[list[str]], labels: Sequence[list[str]], *, seed: int, tolerance: float
) -> Trained:
    """Read at most `MOST_HELD` tokens of some sentences with an uploaded model, in two halves.

    If the model knows none of the gold labels, they count as missing.
    """
    tagger = model_of(data, "model")
    template = cascades.reader_of(tagger).template
    dev, test = deal_halves([len(words) for words in sentences], seed, MOST_HELD)
    if not len(test):
        raise ArgumentError(f"No sentence has from 1 to {MOST_HELD:,} words: the model has nothing to read.")
    dealt = Dealt(np.zeros(0, dtype=np.int64), dev, test)
    features = features_in(sentences, dealt, template)
    # Written again, so that outside this process only what the library wrote is opened.
    return Trained(to_zip(tagger), report_on(tagger, dealt, features, labels, tolerance))


def describe_tagger(tagger: Any) -> str:
    """A tagger in a few words.

    >>> from spcviz.sequences import StructuredPerceptron
    >>> X, y = [[["lower[0]=a"], ["lower[0]=b"]]], [["X", "Y"]]
    >>> describe_tagger(StructuredPerceptron(max_iter=1, random_state=0).fit(X, y))
    'a perceptron, 2 labels, 2 features of lower[0]'
    """
    kind = KINDS[type(tagger)]
    if isinstance(tagger, CascadeTagger):
        kind += f" of order {len(tagger.cascade_.levels)}"
    names = " ".join(dict.fromkeys(name.partition("=")[0] for name in tagger.vocabulary_))
    return f"a {kind}, {len(tagger.classes_)} labels, {len(tagger.vocabulary_):,} features of {names}"


STEPS = {"given": "as the file has them", "bio": "rules of BIO", "gold": "estimated on half of the gold",
         "none": "none"}  # fmt: skip
MOST_ARCS = 6_000_000
"""Most tokens times labels squared that are measured; of a larger file, the sequences that fit."""


class MeasuredScores(NamedTuple):
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


def look_at(scores: ScoreFile, steps: str, seed: int, tolerance: float) -> MeasuredScores:
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
    return MeasuredScores(emissions, transitions, starts, report)


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
        HeldHalf(cascades.rows_between(features, a, b), counts, gold[a:b])
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


def of_sequence(scored: MeasuredScores, number: int, most: int) -> tuple[Cascade, SparseRows]:
    """One sequence as its own cascade, with its features."""
    first = int(scored.starts[number])
    last = min(int(scored.starts[number + 1]), first + most)
    alphas = tuple(level.tuned_alpha for level in scored.report.levels)
    return cascades.of_scores(scored.emissions[first:last], scored.transitions, alphas)

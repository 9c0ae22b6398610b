"""Judge answers: precision, recall and F1 of chunks or labels, intervals, paired tests, the learning curve.

Chunks are counted as by CoNLL's own script and seqeval: one is right if its kind, first and last token are. A
chunk that begins with I starts there. Intervals resample sentences, not tokens, because the errors of a
sentence are not independent.

====  =========================================================================
P     right / answered
R     right / gold
F1    2 right / (answered + gold); over all kinds, of the sums (micro-average)
====  =========================================================================

The learning curve trains on nested parts of the training sentences: a larger part contains all sentences of a
smaller one. The last part is the whole, so its point is the model that the page trains. A paired test on the
last doubling shows whether more data would help.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import permutation_test

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.training import (
    MOST_LABELS,
    Settings,
    deal,
    estimator_of,
    features_in,
    rules_of,
)
from spcviz.problems.own_data.shown import Compared, LearningCurve, Point
from spcviz.scores.schemes import form_of, parts_of

N_DRAWS = 1000
"""Draws of sentences with replacement for an interval, and of exchanges for a test."""
LEVEL = 95.0
"""Confidence level of intervals, in per cent."""
PARTS = (0.125, 0.25, 0.5, 1.0)
"""Shares of the training sentences that the learning curve trains on."""

Chunk = tuple[str, int, int]


class Score(NamedTuple):
    """Precision, recall and F1 of one kind, or of all, with the ends of F1's interval."""

    kind: str
    precision: float
    recall: float
    f1: float
    low: float
    high: float
    n_gold: int
    n_answered: int
    n_right: int


def chunks_of(labels: Sequence[str], form: str = "prefix") -> set[Chunk]:
    """Chunks (kind, first token, one past the last) of one sentence's labels.

    >>> sorted(chunks_of(["B-PER", "I-PER", "O", "I-LOC"]))
    [('LOC', 3, 4), ('PER', 0, 2)]
    """
    out, first, before = set(), 0, ("O", "")
    for at, now in enumerate([*(parts_of(label, form) for label in labels), ("O", "")]):
        if _ends(before, now):
            out.add((before[1], first, at))
        if _begins(before, now):
            first = at
        before = now
    return out


def _ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
    (role, kind), (then, other) = before, now
    return role != "O" and (role in "ES" or then in "BSO" or kind != other)


def _begins(before: tuple[str, str], now: tuple[str, str]) -> bool:
    (role, kind), (then, other) = before, now
    return then != "O" and (then in "BS" or role in "ESO" or kind != other)


class Counts(NamedTuple):
    """How often each kind is right, answered and gold in each sentence: (S, K) each."""

    kinds: tuple[str, ...]
    right: np.ndarray
    answered: np.ndarray
    gold: np.ndarray


def counts_of(gold: Sequence[Sequence[str]], answers: Sequence[Sequence[str]]) -> Counts:
    """Counts of chunks where all gold labels encode them, else of labels; gold None is not counted."""
    form = form_of({label for row in gold for label in row if label is not None})
    answered = {label for row in answers for label in row} - {"O", ""}
    if form and answered and form_of(answered | {"O"}) != form:
        form = ""  # their schemes of chunks differ: labels are counted
    pairs = [
        (_found(truth, form, truth), _found(said, form, truth))
        for truth, said in zip(gold, answers, strict=True)
    ]
    kinds = sorted({one[0] for pair in pairs for found in pair for one in found})
    number = {kind: k for k, kind in enumerate(kinds)}
    tables = np.zeros((3, len(pairs), len(kinds)), dtype=np.int64)
    for s, (truth, said) in enumerate(pairs):
        for table, found in zip(tables, (truth & said, said, truth)):
            for kind, n in Counter(number[one[0]] for one in found).items():
                table[s, kind] = n
    return Counts(tuple(kinds), *tables)


def _found(labels: Sequence[str], form: str, gold: Sequence[str | None]) -> set[Chunk]:
    if form:
        known = [label if truth is not None else "O" for label, truth in zip(labels, gold)]
        return chunks_of(["O" if label is None else label for label in known], form)
    return {(label, at, at + 1) for at, (label, truth) in enumerate(zip(labels, gold)) if truth is not None}


def scores_of(counts: Counts, seed: int = 0) -> list[Score]:
    """The score of all kinds together, named "", then of each kind, with intervals over sentences."""
    right, answered, gold = counts.right, counts.answered, counts.gold
    n = len(right)
    draws = np.random.default_rng(seed).integers(0, max(n, 1), (N_DRAWS, n)) if n else np.zeros((0, 0), int)
    weight = np.zeros((N_DRAWS, n), dtype=np.float32)
    for row, drawn in zip(weight, draws):
        row += np.bincount(drawn, minlength=n)
    columns = [("", slice(None)), *((kind, [k]) for k, kind in enumerate(counts.kinds))]
    out = []
    for kind, at in columns:
        sums = [table[:, at].sum(axis=1) for table in (right, answered, gold)]
        r, a, g = (int(part.sum()) for part in sums)
        drawn = [weight @ part.astype(np.float32) for part in sums]
        with np.errstate(invalid="ignore"):
            f1 = 2 * drawn[0] / (drawn[1] + drawn[2])
        f1 = f1[np.isfinite(f1)]
        low, high = np.percentile(f1, [(100 - LEVEL) / 2, (100 + LEVEL) / 2]) if len(f1) else (np.nan, np.nan)
        out.append(
            Score(kind, _share(r, a), _share(r, g), _share(2 * r, a + g), float(low), float(high), g, a, r)
        )
    return out


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def most_frequent(
    sentences: Iterable[Sequence[str]], labels: Iterable[Sequence[str]], asked: Iterable[Sequence[str]]
) -> list[list[str]]:
    """Each word's most frequent tag in some sentences; for other words the most frequent tag of all.

    >>> most_frequent([["a", "b", "a"]], [["X", "Y", "X"]], [["a", "b", "c"]])
    [['X', 'Y', 'X']]
    """
    tags: dict[str, Counter[str]] = {}
    every: Counter[str] = Counter()
    for words, row in zip(sentences, labels):
        for word, label in zip(words, row):
            tags.setdefault(word, Counter())[label] += 1
            every[label] += 1
    best = {word: min(count, key=lambda tag: (-count[tag], tag)) for word, count in tags.items()}
    usual = min(every, key=lambda tag: (-every[tag], tag), default="O")
    return [[best.get(word, usual) for word in words] for words in asked]


def share_interval(right: np.ndarray, starts: np.ndarray, seed: int = 0) -> tuple[float, float, float]:
    """(share of tokens that are right, ends of its interval over sentences); `right` (N,)."""
    n_right = np.add.reduceat(right.astype(float), starts[:-1])
    n = np.diff(starts)
    draws = np.random.default_rng(seed).integers(0, len(n), (N_DRAWS, len(n)))
    shares = n_right[draws].sum(axis=1) / n[draws].sum(axis=1)
    low, high = np.percentile(shares, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return float(right.mean()), float(low), float(high)


def compare(
    gold: Sequence[Sequence[str]],
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    seed: int = 0,
) -> list[Compared]:
    """Tokens right, and F1 where labels write chunks, of two models on the same sentences.

    The interval resamples sentences, with both models' answers together. The p-value is that of a test that
    exchanges the two models' answers at random, sentence by sentence.
    """
    out = []
    right = [
        np.array([[a == b for a, b in zip(g, s)].count(True) for g, s in zip(gold, said)])
        for said in (first, second)
    ]
    lengths = np.array([len(row) for row in gold])
    ones = [np.stack([r, lengths, lengths]).astype(float) for r in right]
    out.append(_compare_counts("tokens right", ones[0], ones[1], seed))
    if form_of({label for row in gold for label in row}):
        sums = []
        for said in (first, second):
            counts = counts_of(gold, said)
            sums.append(np.stack([table.sum(axis=1) for table in counts[1:]]).astype(float))
        out.append(_compare_counts("F1", *sums, seed))
    return out


def _compare_counts(measure: str, first: np.ndarray, second: np.ndarray, seed: int) -> Compared:
    """Compare two models by their (3, S) counts of right, answered, gold."""

    def ratio(counts: np.ndarray) -> np.ndarray:
        whole = counts[..., 1, :].sum(axis=-1) + counts[..., 2, :].sum(axis=-1)
        return 2 * counts[..., 0, :].sum(axis=-1) / np.maximum(whole, 1)

    rng = np.random.default_rng(seed)
    n = first.shape[1]
    draws = rng.integers(0, n, (N_DRAWS, n))
    gap = np.array([ratio(second[:, row]) - ratio(first[:, row]) for row in draws])
    low, high = np.percentile(gap, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])

    def statistic(places: np.ndarray, others: np.ndarray) -> float:
        both = np.stack([first, second])
        at = np.arange(n)
        swapped = both[places.astype(int), :, at].T, both[others.astype(int), :, at].T
        return float(ratio(swapped[1]) - ratio(swapped[0]))

    if np.array_equal(first, second):
        p = 1.0
    else:
        zeros, ones = np.zeros(n), np.ones(n)
        p = permutation_test(
            (zeros, ones),
            statistic,
            permutation_type="samples",
            n_resamples=N_DRAWS,
            rng=rng,
            vectorized=False,
        ).pvalue
    return Compared(measure, float(ratio(first)), float(ratio(second)), float(low), float(high), float(p))


def differences(
    gold: Sequence[Sequence[str]], first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]
) -> list[tuple[int, int]]:
    """(tokens that the first model gets right, that the second gets right) of each sentence."""
    return [
        tuple(sum(a == b for a, b in zip(truth, said)) for said in pair)  # type: ignore[misc]
        for truth, pair in zip(gold, zip(first, second))
    ]


def learn_curve(
    settings: Settings, sentences: Sequence[list[str]], labels: Sequence[list[str]], *, verbose: int = 0
) -> LearningCurve:
    """Train on each part and judge it; `ArgumentError` where there is too little or too much to learn."""
    n_labels = len({label for row in labels for label in row})
    if not 2 <= n_labels <= MOST_LABELS:
        raise ArgumentError(
            f"Training needs from 2 to {MOST_LABELS} different labels; the file has {n_labels}."
        )
    dealt = deal([len(words) for words in sentences], settings)
    features = features_in(sentences, dealt, templates.read_template(settings.template))
    held = [*dealt.dev.tolist(), *dealt.test.tolist()]
    X, gold = [features[i] for i in held], [list(labels[i]) for i in held]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in gold])])
    rules, order = rules_of(labels), np.random.default_rng(settings.seed).permutation(dealt.train)
    points, said = [], []
    for part in PARTS:
        chosen = np.sort(order[: max(2, round(part * len(order)))]).tolist()
        tagger = estimator_of(settings, rules).set_params(verbose=verbose)
        tagger.fit([features[i] for i in chosen], [list(labels[i]) for i in chosen])
        said.append([[str(label) for label in row] for row in tagger.predict(X)])
        flat = np.array([a == b for row, other in zip(gold, said[-1]) for a, b in zip(row, other)])
        whole = scores_of(counts_of(gold, said[-1]))[0]
        points.append(
            Point(
                len(chosen),
                sum(len(labels[i]) for i in chosen),
                int(tagger.n_features_in_),
                share_interval(flat, starts),
                (whole.f1, whole.low, whole.high),
            )
        )
    doubled = tuple(compare(gold, said[-2], said[-1]))
    return LearningCurve(tuple(points), doubled, int(starts[-1]))

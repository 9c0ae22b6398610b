"""Train on Your data: the settings, the split of the sentences, the model, the report on those held out."""

import time
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.io.zipped import to_zip
from spcviz.learning.cascade.config import Cascade
from spcviz.learning.cascade.features import Features
from spcviz.problems.own_data.model import cascades
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.shown import Report, Swept, Trained
from spcviz.scores.schemes import find_broken as broken
from spcviz.scores.schemes import scheme_of
from spcviz.sequences import CascadeTagger, ChainCRF, StructuredPerceptron

METHODS = {"perceptron": "Perceptron", "crf": "CRF", "cascade": "Cascade"}
MOST_TOKENS = 20_000
"""Most tokens that are learned from."""
MOST_HELD = 10_000
"""Most tokens that are held out."""
LEAST_SENTENCES = 12
"""Fewest sentences to train on, choose a threshold with and check it on."""
MOST_LABELS = 100


class Settings(NamedTuple):
    """How a model is trained, and on what."""

    method: str = "cascade"  # one of `METHODS`
    order: int = 3  # of a cascade's last level
    template: str = templates.DEFAULT
    held: int = 30  # percent of the sentences that training does not see
    seed: int = 0
    tolerance: float = 0.05  # share of sentences that a cascade's filter may lose
    passes: int = 10  # of a perceptron over the sentences


class Dealt(NamedTuple):
    """Indices of sentences: to learn from, to choose thresholds with, and to check them on."""

    train: np.ndarray
    dev: np.ndarray
    test: np.ndarray


def deal(lengths: Sequence[int], settings: Settings) -> Dealt:
    """Deal sentences at random by the seed; at most `MOST_TOKENS` tokens are learned from.

    >>> [len(part) for part in deal([5] * 100, Settings(held=20))]
    [80, 10, 10]
    """
    counts = np.asarray(lengths, dtype=np.int64)
    order = np.random.default_rng(settings.seed).permutation(np.flatnonzero(counts))
    n_held = max(2, round(len(order) * settings.held / 100))
    if len(order) < LEAST_SENTENCES:
        raise ArgumentError(
            f"Training needs at least {LEAST_SENTENCES} sentences that are not empty; the file has "
            f"{len(order)}."
        )
    held, rest = order[:n_held], order[n_held:]
    train = rest[np.cumsum(counts[rest]) <= MOST_TOKENS]
    held = held[np.cumsum(counts[held]) <= MOST_HELD]
    if len(train) < LEAST_SENTENCES // 2 or len(held) < 2:
        raise ArgumentError(
            f"The sentences are too long: at most {MOST_TOKENS:,} tokens are learned from, and these hold "
            f"{len(train)} sentences to train on and {len(held)} to check with."
        )
    return Dealt(np.sort(train), np.sort(held[: len(held) // 2]), np.sort(held[len(held) // 2 :]))


def rules_of(labels: Sequence[Sequence[str]]) -> str:
    """Rules that a model of these labels can obey: those of chunks, if all gold labels obey them.

    >>> rules_of([["B-X", "I-X"]]), rules_of([["DT", "NN"]]), rules_of([["O", "I-X"]])
    ('bio', '', '')
    """
    scheme = scheme_of(labels)
    return scheme.lower() if scheme in ("BIO", "BIOES") and not broken(labels, scheme) else ""


_ESTIMATORS = {"perceptron": StructuredPerceptron, "crf": ChainCRF, "cascade": CascadeTagger}


def estimator_of(settings: Settings, rules: str = "") -> Any:
    """The library's estimator to be trained; the page's script writes the same call."""
    return _ESTIMATORS[settings.method](**arguments_of(settings, rules))


def arguments_of(settings: Settings, rules: str = "") -> dict[str, Any]:
    """Arguments of the estimator; `rules` of chunks go to those that can obey them."""
    takes_rules = "constraints" in signature(_ESTIMATORS[settings.method]).parameters
    more = {"constraints": rules} if rules and takes_rules else {}
    if settings.method == "crf":
        return {"c2": 0.3, "max_iter": 50} | more
    if settings.method == "perceptron":
        return {"max_iter": settings.passes, "random_state": settings.seed} | more
    usual = {"max_iter": settings.passes, "max_arcs": 20_000, "random_state": settings.seed}
    usual["fall_back"] = False  # the page shows the cascade, and reports its gain separately
    return {"order": settings.order, "tolerance": settings.tolerance} | usual | more


def train(
    settings: Settings, sentences: Sequence[list[str]], labels: Sequence[list[str]], *, verbose: int = 0
) -> Trained:
    """Deal the sentences, train on one part, measure on the others; `verbose` 1 writes progress to stderr."""
    begun = time.process_time()
    n_labels = len({label for row in labels for label in row})
    if not 2 <= n_labels <= MOST_LABELS:
        wanted = f"from 2 to {MOST_LABELS} different labels"
        raise ArgumentError(f"Training needs {wanted}; the file has {n_labels}.")
    dealt = deal([len(words) for words in sentences], settings)
    template = templates.read_template(settings.template)
    features = features_in(sentences, dealt, template)
    tagger = estimator_of(settings, rules_of(labels)).set_params(verbose=verbose)
    tagger.fit([features[i] for i in dealt.train.tolist()], [list(labels[i]) for i in dealt.train.tolist()])
    tagger.set_params(verbose=0)
    report = report_on(tagger, dealt, features, labels, settings.tolerance)
    n_tokens = sum(len(labels[i]) for i in dealt.train.tolist())
    used = {"n_train": len(dealt.train), "n_train_tokens": n_tokens}
    return Trained(to_zip(tagger), report._replace(**used, cpu_seconds=time.process_time() - begun))


def features_in(
    sentences: Sequence[list[str]], dealt: Dealt, template: templates.Template
) -> dict[int, list[list[str]]]:
    """Named features of the sentences that were dealt, by their numbers."""
    return {i: templates.features_of(list(sentences[i]), template) for part in dealt for i in part.tolist()}


def report_on(
    tagger: Any,
    dealt: Dealt,
    features: Mapping[int, list[list[str]]],
    labels: Mapping[int, list[str]] | Sequence[list[str]],
    tolerance: float,
) -> Report:
    """The report of a fitted tagger on the two held-out halves; without `labels`, none is known."""
    held = [*dealt.dev.tolist(), *dealt.test.tolist()]
    X, lengths = [features[i] for i in held], np.array([len(features[i]) for i in held])
    names = [str(label) for label in tagger.classes_.tolist()]
    number = {name: k for k, name in enumerate(names)}
    truth = np.full(lengths.sum(), -1)
    if len(labels):
        truth[:] = [number.get(label, -1) for i in held for label in labels[i]]
    guess = np.array([number[str(label)] for answers in tagger.predict(X) for label in answers])
    shares = np.concatenate(tagger.predict_marginals(X))
    n, vocabulary = len(dealt.dev), cascades.vocabulary_of(tagger)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    halves = tuple(
        HeldHalf(cascades.encode_features(X[a:b], vocabulary), lengths[a:b], truth[ends[a] : ends[b]])
        for a, b in ((0, n or len(held)), (n, len(held)))
    )
    return measure_model(
        cascades.cascade_of(tagger),
        halves,
        tolerance,
        labels=tuple(names),
        n_features=int(tagger.n_features_in_),
        dev=dealt.dev,
        test=dealt.test,
        starts=ends,
        truth=truth,
        guess=guess,
        shares=shares,
        has_probabilities=isinstance(tagger, ChainCRF),
    )


class HeldHalf(NamedTuple):
    """One half of the held-out sentences: features, lengths (W,), numbers of the gold labels (N,)."""

    features: Features
    lengths: np.ndarray
    truth: np.ndarray


def measure_model(
    cascade: Cascade, halves: tuple[HeldHalf, ...], tolerance: float, *, truth: np.ndarray, guess: np.ndarray,
    shares: np.ndarray, n_features: int = 0, **about: Any,
) -> Report:  # fmt: skip
    """The report on a model from gold and answers (N,) and marginals (N, K): its levels over all thresholds.

    A cascade chose the thresholds of its filters in training; the last level's, and those of other models,
    lose at most `tolerance` of the first half.
    """
    levels = swept_levels(cascade, halves, tolerance)
    tuned = tuple(level._replace(alpha=swept.tuned_alpha) for level, swept in zip(cascade.levels, levels))
    dev, test = (cascades.by_marginals(cascade, *half) for half in halves)
    marginal = Swept(cascades.tune_alpha(dev, tolerance), dev, test)
    left = cascades.count_grown(cascade._replace(levels=tuned), *halves[1][:2])
    return Report(
        levels=levels, by_marginals=marginal, n_grown=left, n_train=0, n_train_tokens=0,
        n_features=n_features, cpu_seconds=0.0, truth=truth.astype(np.int16), guess=guess.astype(np.int16),
        sure=shares[np.arange(len(guess)), guess].astype(np.float32), **about,
    )  # fmt: skip


def swept_levels(cascade, halves, tolerance: float) -> tuple[Swept, ...]:
    """`Swept` of each level; missing thresholds are chosen level by level."""
    is_tuned = any(level.alpha for level in cascade.levels)
    n_levels = len(cascade.levels)
    for t in range(n_levels):
        if is_tuned and t + 1 < n_levels:
            continue
        points = cascades.sweep_levels(cascade, *halves[0])[t]
        level = cascade.levels[t]._replace(alpha=cascades.tune_alpha(points, tolerance))
        cascade = cascade._replace(levels=(*cascade.levels[:t], level, *cascade.levels[t + 1 :]))
    dev, test = (cascades.sweep_levels(cascade, *half) for half in halves)
    return tuple(
        Swept(float(level.alpha), a, b) for level, a, b in zip(cascade.levels, dev, test, strict=True)
    )

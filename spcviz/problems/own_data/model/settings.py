"""Settings of training on Your data, and the split of sentences into parts."""

from collections.abc import Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.problems.own_data.model import template as templates
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

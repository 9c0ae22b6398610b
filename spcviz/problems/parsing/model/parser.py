r"""The dependency parser, a perceptron over cheap and full features, and its scores of unseen folds.

Arc scores :math:`s(d, h) = w_0 \cdot f_0(h, d) + z_d\, w_1 \cdot f_1(h, d)`, where z_d is 1 if the
dependent has the full template, f_0 are features by tags and f_1 those that the full template adds; the
best tree is a maximum spanning arborescence. The averaged perceptron draws z anew for every word whenever it
sees a sentence, so that the weights serve whatever a policy buys (Bolukbasi et al. 2017, section 3: training
over random states). Arcs that are wrong get a head start of `margin` in training: the truth must win by it,
arc by arc.

A parser is surer on its training sentences, and policies that learn from these would buy too little
(Bolukbasi et al. 2017, 4.3): they learn from folds that their parsers have not seen (`folds_of`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.dependency.arborescence import decode_into
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.problems.parsing.data.treebank import TreebankSentences
from spcviz.problems.parsing.model.features import (
    CHEAP,
    FULL,
    N_FEATURES,
    N_WEIGHTS,
    TAG,
    TEMPLATES,
    codes_of_row,
)

RANDOM_STATE = 11
LEAST_WEIGHT = 0.5
"""Smaller averaged weights are 0 in the parser: most are, and their effect is lost in noise."""


@dataclass(frozen=True)
class ParserSettings:
    """What is trained."""

    data: str  # {"ewt", "wsj"}
    epochs: int = 10
    margin: float = 8.0  # head start of wrong arcs in training; steps are of size 1
    # arcs longer than any in training with the same tags and direction are left out, unscored
    has_lengths: bool = False


def settings_for(data, quick=False):
    """The chosen settings; quick: two passes. Raises `ArgumentError` for an unknown corpus."""
    if data not in ("ewt", "wsj"):
        raise ArgumentError(f"data must be one of ewt, wsj, got {data!r}")
    settings = ParserSettings(data)
    return replace(settings, epochs=2) if quick else settings


class Parser(NamedTuple):
    """A trained parser."""

    # (2, N_WEIGHTS), int8: of the features by tags, and of those that the full template adds, in steps: a
    # byte each, so that the tables stay in the processor's cache
    weights: np.ndarray
    steps: np.ndarray  # (2,): what one step is worth
    # (64, 64, 2), int64: ``[tag code of dependent, of head, whether the head comes after]``: longest arc
    # that is scored
    longest: np.ndarray
    tag_set: tuple


class Scored(NamedTuple):
    """Arc scores of sentences with each template, one square after the other."""

    # (2, S): sentence w: ``[t, at[w] : at[w + 1]]`` is (N + 1, N + 1), ``[dependent, head]``
    squares: np.ndarray
    at: np.ndarray  # (W + 1,), int64


def train(
    sentences,
    tag_set: tuple[str, ...],
    settings: ParserSettings,
    rng: np.random.Generator,
    tick: Callable | None = None,
) -> Parser:
    """Averaged perceptron over random states of bought features."""
    epochs = checks.integer("epochs", settings.epochs, 1, 1000)
    weights, summed = np.zeros((2, N_WEIGHTS), dtype=np.float32), np.zeros((2, N_WEIGHTS))
    longest = longest_arcs(sentences) if settings.has_lengths else no_limits()
    count, n_sentences = 0, len(sentences.starts) - 1
    text, model = (sentences.codes, sentences.heads, sentences.starts), (weights, summed, longest)
    for epoch in range(epochs):
        states = rng.integers(0, 2, len(sentences.words))
        order = rng.permutation(n_sentences)
        _pass_over(*text, order, states, model, (count, float(settings.margin)))
        count += n_sentences
        if tick is not None:
            tick(f"{settings.data} pass {epoch + 1}")
    return Parser(*round_weights(weights - summed / count), longest, tag_set)


def round_weights(weights):
    """Weights (2, N) as bytes, and what one step of them is worth; small ones become 0.

    >>> weights, steps = round_weights(np.array([[127.0, 0.4, -63.6], [0.0, 1.0, 0.6]]))
    >>> weights, steps.round(4)
    (array([[127,   0, -64],
           [  0, 127,  76]], dtype=int8), array([1.    , 0.0079]))
    """
    steps = np.maximum(np.abs(weights).max(axis=1), 1e-9) / 127
    kept = np.where(np.abs(weights) >= LEAST_WEIGHT, weights, 0.0)
    return np.rint(kept / steps[:, None]).astype(np.int8), steps


def no_limits():
    """A length dictionary that leaves out nothing."""
    return np.full((64, 64, 2), 2**31)


def longest_arcs(sentences):
    """The length dictionary; arcs from the root and to neighbours are always kept, so that a tree exists."""
    out = np.ones((64, 64, 2), dtype=np.int64)
    out[:, 0] = 2**31  # the root's code is 0
    place = np.arange(len(sentences.words)) - np.repeat(sentences.starts[:-1], np.diff(sentences.starts))
    is_word = sentences.heads >= 0
    d, h = place[is_word], sentences.heads[is_word]
    words = np.flatnonzero(is_word)
    tags = sentences.codes[:, TAG].astype(np.int64)
    np.maximum.at(out, (tags[words], tags[words - d + h], (h > d).astype(np.int64)), np.abs(h - d))
    return out


def score(parser, sentences):
    """Scores of all arcs with both templates: a `Scored`."""
    at = np.concatenate([[0], np.cumsum(np.diff(sentences.starts) ** 2)])
    squares = np.zeros((len(TEMPLATES), at[-1]))
    scored, words = Scored(squares, at), len(sentences.words) - len(sentences.starts) + 1
    score_states(parser, sentences, np.ones(words, dtype=np.int64), scored, both=True)
    return scored


def score_states(parser: Parser, sentences, tiers: np.ndarray, out: Scored, *, both: bool):
    """Compute rows of `out` with words at some tiers; `both`: those at tier 1 by tags as well."""
    model = parser.weights, parser.steps, parser.longest
    _score_states(sentences.codes, sentences.starts, model, tiers, (out.at, out.squares), both)


N_FOLDS = 2
N_LEARN = 1500
"""Training sentences that searches are run on."""
LONGEST = 40
"""Most words of a sentence that a search is run on: trajectories cost the cube of its length."""


def folds_of(sentences, tag_set, settings, rng, tick=None):
    """Training sentences fold by fold, each scored by a parser (of half the passes) that has not seen it."""
    n, settings = len(sentences.starts) - 1, replace(settings, epochs=max(2, settings.epochs // 2))
    fold = rng.permutation(n) % N_FOLDS
    parts = []
    for k in range(N_FOLDS):
        rest, held = (sentences.some(np.flatnonzero(mine)) for mine in (fold != k, fold == k))
        some = rng.permutation(np.flatnonzero(np.diff(held.starts) - 1 <= LONGEST))
        held = held.some(np.sort(some[: N_LEARN // N_FOLDS]))
        parts.append((held, score(train(rest, tag_set, settings, rng, tick), held)))
    return _join_sentences([part for part, _ in parts]), _joined_scores([scored for _, scored in parts])


def _join_sentences(parts):
    starts = np.cumsum([0, *(n for part in parts for n in np.diff(part.starts))])
    arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in ("tags", "heads", "codes"))
    return TreebankSentences(tuple(word for part in parts for word in part.words), *arrays, starts)


def _joined_scores(parts):
    at = np.cumsum([0, *(n for part in parts for n in np.diff(part.at))])
    return Scored(np.concatenate([part.squares for part in parts], axis=1), at)


@kernel
def _pass_over(codes, heads, starts, order, states, model, about):
    """One pass of the perceptron; ``model``: weights, their sums over time, longest arcs."""
    weights, summed, longest = model
    count, margin = about
    for w in order:
        a, b = starts[w], starts[w + 1]
        n = b - a
        tags, counts = np.empty((n, n, N_FEATURES[0]), dtype=np.int32), np.zeros((n, n), dtype=np.int64)
        rest, more = np.empty((n, n, N_FEATURES[1]), dtype=np.int32), np.zeros((n, n), dtype=np.int64)
        scores = np.full((n, n), -np.inf)
        for d in range(1, n):
            codes_of_row(codes[a:b], d, CHEAP, longest, tags[d], counts[d])
            _score_row(weights[0], (0.0, 1.0), tags[d], counts[d], scores[d])
            if states[a + d] > 0:
                codes_of_row(codes[a:b], d, FULL, longest, rest[d], more[d])
                _add_row(weights[1], (0.0, 1.0), rest[d], more[d], scores[d], scores[d])
            for h in range(n):
                scores[d, h] += margin if h != heads[a + d] else 0.0
        parsed = np.empty(n - 1, dtype=np.int64)
        best_tree(scores, parsed)
        count += 1
        for d in range(1, n):
            wrong, right = parsed[d - 1], heads[a + d]
            if wrong == right or counts[d, right] == 0:
                continue
            for h, size in ((right, 1.0), (wrong, -1.0)):
                _step(weights[0], summed[0], tags[d, h, : counts[d, h]], size, count)
                _step(weights[1], summed[1], rest[d, h, : more[d, h]], size, count)


@kernel
def best_tree(scores, heads):
    """Heads of the best tree with one word below the root; its score."""
    n = len(scores)
    gain, origin = np.empty((n, n)), np.empty((n, n), dtype=np.int32)
    return decode_into(scores, True, heads, gain, origin, np.empty((9, 2 * n), dtype=np.int64))


@kernel
def _step(weights, summed, features, size, count):
    for k in features:
        weights[k] += size
        summed[k] += size * count


@kernel
def _score_row(weights, scale, features, counts, out):
    """Arc scores into one word; `scale`: start value of the sums (an integer for bytes) and their factor."""
    zero, step = scale
    for h in range(len(counts)):
        if counts[h] > 0:
            total = zero
            for k in range(counts[h]):
                total += weights[features[h, k]]
            out[h] = total * step


@kernel
def _add_row(weights, scale, features, counts, before, out):
    """Scores with more features: ``before`` of each arc plus what these add; arcs without stay unchanged."""
    zero, step = scale
    for h in range(len(counts)):
        if counts[h] > 0:
            total = zero
            for k in range(counts[h]):
                total += weights[features[h, k]]
            out[h] = before[h] + total * step


@kernel
def _score_states(codes, starts, model, tiers, out, both):
    weights, steps, longest = model
    at, squares = out
    zero = np.int64(0)
    for w in range(len(starts) - 1):
        a, b = starts[w], starts[w + 1]
        n = b - a
        features, counts = np.empty((n, N_FEATURES[1]), dtype=np.int32), np.zeros(n, dtype=np.int64)
        for d in range(1, n):
            tier, row = tiers[a - w + d - 1], slice(at[w] + d * n, at[w] + (d + 1) * n)
            by_tier, by_tags = squares[tier, row], squares[0 if both else tier, row]
            by_tags[:] = -np.inf
            codes_of_row(codes[a:b], d, CHEAP, longest, features, counts)
            _score_row(weights[0], (zero, steps[0]), features, counts, by_tags)
            if tier > 0:
                by_tier[:] = by_tags
                codes_of_row(codes[a:b], d, FULL, longest, features, counts)
                _add_row(weights[1], (zero, steps[1]), features, counts, by_tags, by_tier)

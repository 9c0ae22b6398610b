"""A world of sentences with full features to buy for their words (`spcviz.learning.budgets.world`).

A part is a word; roots are no parts. Each purchase parses the sentence again and revalues all its words.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.vectors import copy
from spcviz.learning.budgets import spending
from spcviz.learning.budgets.spending import KINDS, Kind
from spcviz.problems.parsing.data.treebank import some_parts
from spcviz.problems.parsing.model.features import TAG
from spcviz.problems.parsing.model.parser import Scored, best_tree

PLAIN_FEATURES = ("constant", "margin small", "own best head", "head is the root", "arc length", "depth",
                  "sentence length", "share bought", "neighbours bought", "head bought")  # fmt: skip
"""Features of an action before the tags of the word and of its head."""

N_PLAIN = len(PLAIN_FEATURES)
N_FEATURES = N_PLAIN + 2 * 64
"""D: after the plain ones an indicator of each tag code of the word, then of its head."""


class Sentences(NamedTuple):
    """A batch of scored sentences."""

    squares: np.ndarray  # (2, S): arc scores of each tier, see `spcviz.problems.parsing.model.parser.Scored`
    at: np.ndarray  # (W + 1,), int64
    starts: np.ndarray  # (W + 1,), int64: first word of each sentence; roots are not counted
    heads: np.ndarray  # (R,), int64: true heads, as places in the sentence
    tags: np.ndarray  # (R,), int64: codes, see `spcviz.problems.parsing.model.features`
    scale: float  # what margins are divided by

    @property
    def shape(self):
        """(R, T)."""
        return len(self.heads), len(self.squares)

    def some(self, chosen):
        """Some sentences, in the order chosen, and which words these were."""
        starts, rows = some_parts(self.starts, chosen)
        at, cells = some_parts(self.at, chosen)
        some = self._replace(
            squares=np.ascontiguousarray(self.squares[:, cells]),
            at=at, starts=starts, heads=self.heads[rows], tags=self.tags[rows],
        )  # fmt: skip
        return some, rows

    def loss_of(self, labels):
        """Words with a wrong head if the heads are ``labels``, shape (R,)."""
        return int((self.heads != labels).sum())

    def read(self, tiers):
        """Heads of all words with each at its tier, shape (R,)."""
        labels = np.empty(len(self.heads), dtype=np.int64)
        _read(self.squares, self.at, self.starts, tiers, labels, 0)
        return labels

    def read_again(self, tiers, labels):
        """`read` into ``labels``, shape (R,), only for sentences with a word above tier 0."""
        _read(self.squares, self.at, self.starts, tiers, labels, 1)

    def wrong(self, labels):
        """Wrong heads of each sentence, shape (W,)."""
        return np.add.reduceat(self.heads != labels, self.starts[:-1])

    def closeness(self):
        """How close the best two arcs into each word are at tier 0, shape (R,): 0 .. 1."""
        margins = np.empty(len(self.heads))
        _margins(self.squares[0], self.at, self.starts, margins)
        return np.exp(-margins / self.scale)

    def first_odds(self, weights, constant, labels):
        """A linear function (R,) of every word's features at tier 0; the first parse goes into ``labels``."""
        out = np.empty(len(self.heads))
        _first_odds(self, weights, constant, labels, out)
        return out

    def spend(self, rule, costs, budget, keep_features=False, keep_all=False):
        """Algorithm 5: a `Trajectory`; arguments as in `spcviz.learning.budgets.spending.trajectory_of`."""
        return spending.trajectory_of(self, rule, costs, budget, keep_features, keep_all)

    def describe(self, tiers):
        """Features of every word's purchase with words at some tiers, shape (R, D)."""
        out = np.zeros((len(self.heads), N_FEATURES))
        _describe(self, np.asarray(tiers), out)
        return out

    def losses_if(self, tiers, targets):
        """Wrong heads of each sentence at some tiers, (W,), and with one word moved to its target, (R,)."""
        base, moved = np.zeros(len(self.starts) - 1), np.zeros(len(self.heads))
        _losses_if(self.squares, self.at, self.starts, self.heads, tiers, targets, base, moved)
        return base, moved


def sentences_of(scored: Scored, sentences, scale: float | None = None):
    """A world from scores of all words; `scale` is by default the median margin of these words at tier 0."""
    is_word = np.ones(len(sentences.words), dtype=bool)
    is_word[sentences.starts[:-1]] = False
    starts = sentences.starts - np.arange(len(sentences.starts))
    tags = sentences.codes[is_word, TAG].astype(np.int64)
    world = Sentences(scored.squares, scored.at, starts, sentences.heads[is_word], tags, 1.0)
    return world._replace(scale=typical_margin(world) if scale is None else scale)


def typical_margin(world):
    """Median difference of the best two arcs into a word at tier 0, at least 1e-9."""
    margins = np.empty(len(world.heads))
    _margins(world.squares[0], world.at, world.starts, margins)
    finite = margins[np.isfinite(margins)]
    return max(float(np.median(finite)), 1e-9) if len(finite) else 1.0


@kernel
def _margins(scores, at, starts, margins):
    for w in range(len(starts) - 1):
        n = starts[w + 1] - starts[w] + 1
        square = scores[at[w] : at[w + 1]].reshape(n, n)
        for d in range(1, n):
            margins[starts[w] + d - 1] = _margin(square[d])


@kernel
def _margin(row):
    """Best minus second best; inf if there is one arc."""
    first, second = -np.inf, -np.inf
    for value in row:
        second = max(second, min(first, value))
        first = max(first, value)
    return first - second if second > -np.inf else np.inf


@kernel
def _gather(squares, a, tiers, out):
    """Arc scores of a sentence, every word's row from its tier; the square begins at a."""
    n = len(out)
    out[0] = -np.inf
    for d in range(1, n):
        t = tiers[d - 1]
        for h in range(n):
            out[d, h] = squares[t, a + d * n + h]


@kernel
def _read(squares, at, starts, tiers, labels, least):
    """Heads of the sentences with at least `least` words above tier 0."""
    for w in range(len(starts) - 1):
        i, j = starts[w], starts[w + 1]
        if np.sum(tiers[i:j]) >= least:
            scores = np.empty((j - i + 1, j - i + 1))
            _gather(squares, at[w], tiers[i:j], scores)
            best_tree(scores, labels[i:j])


@kernel
def _first_odds(world, weights, constant, labels, out):
    for w in range(len(world.starts) - 1):
        i, j = world.starts[w], world.starts[w + 1]
        scores, tiers = np.empty((j - i + 1, j - i + 1)), np.zeros(j - i, dtype=np.int64)
        phi = np.empty((j - i, N_FEATURES))
        _gather(world.squares, world.at[w], tiers, scores)
        best_tree(scores, labels[i:j])
        _describe_sentence(scores, labels[i:j], tiers, world.tags[i:j], world.scale, phi)
        for r in range(i, j):
            total = constant
            for k in range(N_PLAIN):
                total += weights[k] * phi[r - i, k]
            above = world.tags[i + labels[r] - 1] if labels[r] > 0 else 0
            out[r] = total + weights[N_PLAIN + world.tags[r]] + weights[N_PLAIN + 64 + above]


@kernel
def _losses_if(squares, at, starts, heads, tiers, targets, base, moved):
    for w in range(len(starts) - 1):
        i, j = starts[w], starts[w + 1]
        scores, changed = np.empty((j - i + 1, j - i + 1)), tiers[i:j].copy()
        parsed = np.empty(j - i, dtype=np.int64)
        _gather(squares, at[w], changed, scores)
        best_tree(scores, parsed)
        base[w] = np.sum(parsed != heads[i:j])
        for r in range(i, j):
            if targets[r] == tiers[r]:
                moved[r] = base[w]
                continue
            changed[r - i] = targets[r]
            _gather(squares, at[w], changed, scores)
            best_tree(scores, parsed)
            moved[r] = np.sum(parsed != heads[i:j])
            changed[r - i] = tiers[r]


@kernel
def _describe(world, tiers, out):
    for w in range(len(world.starts) - 1):
        i, j = world.starts[w], world.starts[w + 1]
        scores, parsed = np.empty((j - i + 1, j - i + 1)), np.empty(j - i, dtype=np.int64)
        _gather(world.squares, world.at[w], tiers[i:j], scores)
        best_tree(scores, parsed)
        _describe_sentence(scores, parsed, tiers[i:j], world.tags[i:j], world.scale, out[i:j])


@kernel
def _describe_sentence(scores, heads, tiers, tags, scale, out):
    """Features of the purchase of each word of one sentence, (N, D)."""
    n = len(heads)
    bought = np.sum(tiers)
    for d in range(n):
        row, h = out[d], heads[d]
        row[:] = 0.0
        row[0] = 1.0
        row[1] = np.exp(-_margin(scores[d + 1]) / scale)
        row[2] = 1.0 if scores[d + 1, h] == np.max(scores[d + 1]) else 0.0
        row[3] = 1.0 if h == 0 else 0.0
        row[4] = 0.0 if h == 0 else np.log(abs(h - d - 1))
        depth, above = 0, h
        while above > 0 and depth < n:
            depth, above = depth + 1, heads[above - 1]
        row[5] = min(depth, 7) / 7.0
        row[6] = np.log(n) / 4.0
        row[7] = bought / n
        row[8] = 0.5 * ((tiers[d - 1] if d > 0 else 0) + (tiers[d + 1] if d + 1 < n else 0))
        row[9] = tiers[h - 1] if h > 0 else 0
        row[N_PLAIN + tags[d]] = 1.0
        row[N_PLAIN + 64 + (tags[h - 1] if h > 0 else 0)] = 1.0


class ParsingScratch(NamedTuple):
    """State of a batch while a budget is spent; phi (R, D) has no columns if features are not needed."""

    tiers: np.ndarray
    labels: np.ndarray
    phi: np.ndarray


@kernel
def _parse(world, scratch, w, is_described):
    """Parse a sentence with its words at their tiers; describe its purchases then if `is_described`."""
    i, j = world.starts[w], world.starts[w + 1]
    scores = np.empty((j - i + 1, j - i + 1))
    _gather(world.squares, world.at[w], scratch.tiers[i:j], scores)
    best_tree(scores, scratch.labels[i:j])
    if is_described and scratch.phi.shape[1] > 0:
        labels, tiers, tags = scratch.labels[i:j], scratch.tiers[i:j], world.tags[i:j]
        _describe_sentence(scores, labels, tiers, tags, world.scale, scratch.phi[i:j])


@kernel
def _begin(world, rule, keep_features):
    n_words = len(world.heads)
    width = N_FEATURES if keep_features or len(rule.fixed) == 0 else 0
    tiers, labels = np.zeros(n_words, dtype=np.int64), np.empty(n_words, dtype=np.int64)
    scratch = ParsingScratch(tiers, labels, np.zeros((n_words, width)))
    for w in range(len(world.starts) - 1):
        _parse(world, scratch, w, True)
    return scratch


@kernel
def _value(world, scratch, rule, i, j, a, b, values):
    for r in range(i, j):
        if values[r] > -np.inf:
            values[r] = np.sum(rule.beta[0] * scratch.phi[r])


@kernel
def _look(world, scratch, r, a, b, out):
    """Copy the features of the word as it was last described."""
    copy(scratch.phi[r], out)


@kernel
def _buy(world, scratch, rule, w, r, tier):
    """Lift a word to a tier and parse its whole sentence again."""
    i, j = world.starts[w], world.starts[w + 1]
    wrong = np.sum(scratch.labels[i:j] != world.heads[i:j])
    scratch.tiers[r] = tier
    _parse(world, scratch, w, rule.refreshed)  # else its features stay as they were described before
    return i, j - 1, 0, 0, wrong - np.sum(scratch.labels[i:j] != world.heads[i:j])


KINDS[Sentences] = Kind(_begin, _value, _look, _buy)

r"""SPC-pi on chains: the actions that a controller buys for words, one after another (thesis 8.1.1).

Every word begins with a cheap model, pairs of letters read from tier 0, filtered once. Then, as long as
there is an action, the most valuable one is done, the changed factor is filtered, messages are passed
outward, and actions that they may have changed are valued again. Words affect each other only through the
budget, so each word's *course* runs to its end, and `merge_queues` makes the queue from all courses.

As printed an action is done alone. In *rounds* the actions of a word whose value is positive and at least a
share of the best one's are done together: one sweep and one reading of the word for all of them.

Actions are distinguished by their *block*: raise to order 2 .. N, then buy tier 1 .. T - 1. Each block has
its own weights, price and alpha.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, kernel
from spcviz.engine.kernels.vectors import copy
from spcviz.engine.thresholds import rule as rules
from spcviz.engine.variable_order.actions import BUY, RAISE, act, act_together, can_act, filter_factor
from spcviz.engine.variable_order.start import NO_FILTER, PairTables, begin, pair_tables
from spcviz.engine.variable_order.word import (
    MAX_ARCS,
    Word,
    Workspace,
    decode_as,
    decode_word,
    new_word,
    new_workspace,
    part_of,
    values_of,
)
from spcviz.learning.hybrid.records import ALONE, N_FEATURES, ODD_AT, ActionRule, AdaptiveModel, WordBatch


class LatticeReading(NamedTuple):
    """Values read off a word's lattice, position by position; `read` fills it."""

    label: np.ndarray
    doubt: np.ndarray
    undecided: np.ndarray
    overruled: np.ndarray
    odd: np.ndarray
    n_left: np.ndarray
    size: np.ndarray
    phi: np.ndarray


def n_blocks(n_orders: int, n_tiers: int) -> int:
    """Number of blocks, the kinds of actions.

    Examples
    --------
    >>> n_blocks(6, 3)
    7
    """
    return n_orders - 1 + n_tiers - 1


@bare_inlined_kernel
def block_of(word: Word, kind: int, i: int, n_orders: int) -> int:
    """Block of an action."""
    return word.order[i] - 1 if kind == RAISE else n_orders - 1 + word.tier[i]


@kernel
def new_reading(length: int) -> LatticeReading:
    """Workspace for `read`."""
    return LatticeReading(
        np.zeros(length, np.int64), np.zeros(length), np.zeros(length), np.zeros(length), np.zeros(length),
        np.zeros(length, np.int64), np.zeros(length), np.empty(N_FEATURES),
    )  # fmt: skip


@bare_kernel
def read(
    word: Word,
    unary: np.ndarray,
    bits: int,
    first: int,
    last: int,
    reading: LatticeReading,
    values: np.ndarray,
) -> None:
    """Read positions first .. last off a word's lattice; values (K,) is a buffer."""
    mask = (np.int64(1) << bits) - 1
    for i in range(first, last + 1):
        for k in range(len(values)):
            values[k] = -np.inf
        most, gram, ahead, behind = -np.inf, 0.0, word.forward[i], word.backward[i + 1]
        for a in range(word.n_arcs[i]):
            value = ahead[word.tail[i, a]] + word.score[i, a] + behind[word.head[i, a]]
            k = (word.code[i, a] & mask) - 1
            values[k] = value if value > values[k] else values[k]
            if value > most:
                most, gram = value, word.gram[i, a]
        best, mass, left, top = 0, 0.0, 0, 0
        scores = unary[i, word.tier[i]]
        for k in range(len(values)):
            if values[k] > -np.inf:
                left += 1
                mass += np.exp(values[k] - most)
                best = k if values[k] > values[best] else best
            top = k if scores[k] > scores[top] else top
        reading.label[i], reading.doubt[i], reading.n_left[i] = best, 1.0 - 1.0 / mass, left
        reading.undecided[i] = 1.0 - np.exp(min(scores[best], 0.0))
        reading.overruled[i] = 1.0 if top != best else 0.0
        reading.odd[i] = min(-gram / ODD_AT, 1.0)
        reading.size[i] = np.log2(word.n_arcs[i]) / 12.0


@bare_inlined_kernel
def describe(
    word: Word, reading: LatticeReading, i: int, n_orders: int, n_tiers: int, phi: np.ndarray
) -> None:
    """Features of the actions at a position into phi; see `FEATURES`."""
    last = len(word.order) - 1
    doubt, undecided, odd = reading.doubt[i], reading.undecided[i], reading.odd[i]
    tier, order = word.tier[i] / max(n_tiers - 1, 1), word.order[i] / n_orders
    before = 0.0
    for j in range(max(i - word.order[i], 0), i):
        before += reading.doubt[j]
    phi[0], phi[1], phi[2] = 1.0, doubt, np.sqrt(doubt)
    phi[3] = reading.doubt[i - 1] if i > 0 else 0.0
    phi[4] = reading.doubt[i + 1] if i < last else 0.0
    phi[5], phi[6], phi[7], phi[8] = before, undecided, reading.overruled[i], odd
    phi[9] = reading.odd[i + 1] if i < last else 0.0
    phi[10], phi[11], phi[12], phi[13] = doubt * undecided, doubt * odd, tier, order
    phi[14], phi[15] = doubt * tier, doubt * order
    phi[16] = word.tier[i - 1] / max(n_tiers - 1, 1) if i > 0 else 0.0
    phi[17] = word.tier[i + 1] / max(n_tiers - 1, 1) if i < last else 0.0
    phi[18] = reading.size[i]
    phi[19] = 1.0 if i == last else 0.0


@bare_inlined_kernel
def _values(
    word: Word,
    reading: LatticeReading,
    rule: ActionRule,
    row: int,
    i: int,
    n_orders: int,
    n_tiers: int,
    out: np.ndarray,
) -> int:
    """Write the values of both actions at position i into out (2,); returns the number of actions.

    -inf where there is none, or where nothing is left to decide. n_orders, n_tiers: of the model; the rule's
    own are its limits.
    """
    n, phi = 0, reading.phi
    for kind in range(2):
        out[kind] = -np.inf
        if not can_act(word, kind, i, rule.n_orders, rule.n_tiers):
            continue
        more = word.n_arcs[i]
        if kind == RAISE:
            more *= reading.n_left[i - word.order[i]]
        if (reading.n_left[i] if kind == BUY else more) == 1:
            continue
        block = block_of(word, kind, i, n_orders)
        n += 1
        if len(rule.fixed):
            out[kind] = rule.fixed[row, block]
            continue
        if n == 1:
            describe(word, reading, i, n_orders, n_tiers, phi)
        value, beta = 0.0, rule.beta[block]
        for d in range(N_FEATURES):
            value += beta[d] * phi[d]
        price = rule.prices[block] + (rule.arc_price * more if kind == RAISE else 0.0)
        out[kind] = value / price if value > 0.0 else value * price
    return n


@kernel
def values(word: Word, reading: LatticeReading, rule: ActionRule, n_orders: int, n_tiers: int) -> np.ndarray:
    """Values of all actions of a word by a learned rule, (L, 2)."""
    out = np.empty((len(word.order), 2))
    for i in range(len(out)):
        _values(word, reading, rule, i, i, n_orders, n_tiers, out[i])
    return out


@bare_inlined_kernel
def _best(scored: np.ndarray, length: int) -> tuple[int, int]:
    """(position, kind) of the most valuable action; ties go to the first."""
    i, kind = 0, 0
    for j in range(length):
        for k in range(2):
            if scored[j, k] > scored[i, kind]:
                i, kind = j, k
    return i, kind


@bare_kernel
def mark(scored: np.ndarray, together: float, length: int, marks: np.ndarray) -> None:
    """Set in marks (L, 2) the actions of a round: the best, and all that reach a share of its value."""
    i, kind = _best(scored, length)
    limit = scored[i, kind] * together
    for j in range(length):
        for k in range(2):
            marks[j, k] = scored[j, k] >= limit and scored[j, k] > 0.0
    marks[i, kind] = True


@bare_inlined_kernel
def _wrong(labels: np.ndarray, truth: np.ndarray) -> int:
    n = 0
    for i in range(len(labels)):
        n += labels[i] != truth[i]
    return n


@kernel
def run(
    batch: WordBatch,
    model: AdaptiveModel,
    rule: ActionRule,
    most: int,
    keep_features: bool,
    keep_labels: bool,
) -> tuple[np.ndarray, ...]:
    """Run the courses of a batch of words, at most `most` actions per word: the fields of an `ActionCourse`.

    keep_labels: False leaves out the work that only a record needs, so that the rest can be timed.
    """
    unary, truth, starts = batch
    n_words, n_rows = len(starts) - 1, len(unary)
    n_tiers, n_orders = model.filters.ink.shape
    size = 0
    for w in range(n_words):
        length = starts[w + 1] - starts[w]
        size += min(most, length * (n_orders + n_tiers)) + (2 * length if rule.together < ALONE else 0)
    row, block = np.empty(size, np.int64), np.empty(size, np.int64)
    value, gain = np.empty(size), np.zeros(size, np.int64)
    work = np.zeros((size, 5), np.int64)
    features = np.empty((size if keep_features else 0, N_FEATURES))
    begun, firsts = np.zeros((n_words, 2), np.int64), np.zeros(n_words + 1, np.int64)
    before, after = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    longest = (starts[1:] - starts[:-1]).max() if n_words else 1
    space, bits, pairs = new_workspace(MAX_ARCS), model.filters.table.bits, pair_tables(model.filters)
    every, table, reading = new_word(longest, MAX_ARCS), np.empty(unary.shape[2]), new_reading(longest)
    scored, marks, alphas = np.empty((longest, 2)), np.zeros((longest, 2), np.bool_), np.empty((longest, 2))
    s = 0
    beginning: Any = np.int64(0)  # not 0: see `jit`
    for w in range(n_words):
        a, length = starts[w], starts[w + 1] - starts[w]
        word, word_unary = part_of(every, length), unary[a : a + length]
        gap = begin(word, word_unary, model.filters, pairs, model.first_alpha, space)
        begun[w, 0] = word.n_arcs.sum()
        read(word, word_unary, bits, beginning, length - 1, reading, table)
        for i in range(length):
            begun[w, 1] += _values(word, reading, rule, a + i, i, n_orders, n_tiers, scored[i])
        lost = 0
        if keep_labels:
            lost = _predict_word(word, word_unary, model, bits, after[a : a + length], truth[a : a + length])
            copy(after[a : a + length], before[a : a + length])
        end = s + min(most, length * (n_orders + n_tiers))
        while s < end:
            i, kind = _best(scored, length)
            if scored[i, kind] == -np.inf:
                break
            first, n_left = s, 0
            if rule.together < ALONE:
                mark(scored, rule.together, length, marks)
                for j in range(length):
                    for k in range(2):
                        if marks[j, k]:
                            alphas[j, k] = model.alphas[block_of(word, k, j, n_orders)]
                            n_left += reading.n_left[j] if k == BUY else 0
                done = act_together(word, word_unary, model.filters, marks[:length], alphas, gap, space)
                for j in range(length):
                    for k in range(2):
                        if marks[j, k]:
                            row[s], block[s], value[s] = a + j, block_of(word, k, j, n_orders) - 1, np.inf
                            s += 1
                value[first] = scored[i, kind]
            else:
                if keep_features:
                    describe(word, reading, i, n_orders, n_tiers, features[s])
                row[s], block[s], value[s] = a + i, block_of(word, kind, i, n_orders), scored[i, kind]
                n_left = reading.n_left[i] if kind == BUY else 0
                done = act(word, word_unary, model.filters, kind, i, model.alphas[block[s]], gap, space)
                s += 1
            if not done.is_done:
                scored[i, kind], s = -np.inf, first
                continue
            counts = work[first]
            counts[0], counts[1], counts[3], counts[4] = done.n_made, done.n_passed, n_left, 1
            read(word, word_unary, bits, done.first, done.last, reading, table)
            for j in range(max(done.first - 1, 0), min(done.last + n_orders, length)):
                counts[2] += _values(word, reading, rule, a + j, j, n_orders, n_tiers, scored[j])
            if keep_labels:
                now = _predict_word(
                    word, word_unary, model, bits, after[a : a + length], truth[a : a + length]
                )
                gain[s - 1], lost = lost - now, now
        if not keep_labels:
            decode_word(word, bits, after[a : a + length])
        firsts[w + 1] = s
    return (
        firsts, row[:s], block[:s], value[:s], gain[:s], work[:s], features[: s if keep_features else 0],
        begun, before, after,
    )  # fmt: skip


@kernel
def _predict_word(
    word: Word, unary: np.ndarray, model: AdaptiveModel, bits: int, labels: np.ndarray, truth: np.ndarray
) -> int:
    """Read a word into labels; returns the number of wrong letters."""
    if model.is_one:
        decode_word(word, bits, labels)
    else:
        decode_as(word, unary, model.predicts, labels)
    return _wrong(labels, truth)


@kernel
def random_rollout(
    word: Word,
    unary: np.ndarray,
    model: AdaptiveModel,
    pairs: PairTables,
    noise: np.ndarray,
    n_actions: int,
    truth: np.ndarray,
    space: Workspace,
    points: np.ndarray,
) -> int:
    """From the start, do `n_actions` in random order: by rising noise (L, blocks); changes the word.

    points : (S, 2), for each action its block, and the alpha from which the true assignment is lost (-inf: it
    was lost before); S may be 0: then nothing is recorded. Returns the number of actions done.
    """
    bits, (n_tiers, n_orders) = model.filters.table.bits, model.filters.ink.shape
    gap = begin(word, unary, model.filters, pairs, model.first_alpha, space)
    refused, s = np.zeros((len(unary), 2), np.bool_), 0
    while s < n_actions:
        least: float = np.inf
        kind: Any = np.int64(0)  # not 0: see `jit`
        i: Any = np.int64(0)
        for j in range(len(unary)):
            for k in range(2):
                if can_act(word, k, j, n_orders, n_tiers) and not refused[j, k]:
                    value = noise[j, block_of(word, k, j, n_orders)]
                    if value < least:
                        least, kind, i = value, k, j
        if least == np.inf:
            return s
        block = block_of(word, kind, i, n_orders)
        alpha = NO_FILTER if len(points) else model.alphas[block]
        done = act(word, unary, model.filters, kind, i, alpha, gap, space)
        refused[i, kind] = True
        if done.is_done:
            refused[:] = False
            if len(points):
                values_of(word, i, bits, space)
                points[s, 0], points[s, 1] = block, break_point(word, i, truth, gap, bits, space)
                filter_factor(word, i, model.alphas[block], gap, bits, space)
            s += 1
    return s


@bare_kernel
def break_point(word: Word, i: int, truth: np.ndarray, gap: float, bits: int, space: Workspace) -> float:
    """The alpha from which the true assignment of the factor at i is lost; call `values_of` first."""
    code, order = np.int64(0), word.order[i]
    for j in range(i - order + 1, i + 1):
        code = (code << bits) + truth[j] + 1
    mask, value = (np.int64(1) << (bits * order)) - 1, -np.inf
    for a in range(word.n_arcs[i]):
        if word.code[i, a] & mask == code:
            value = space.value[space.group[a]]
    return rules.break_point(value, 0.0, -gap, rules.has_spread(0.0, gap))

"""Trace SPC-pi on one word: every step of `courses.run`, with all that the controller saw.

The caller may choose the first actions; the controller then continues from the state they led to.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.variable_order.actions import act, can_act
from spcviz.engine.variable_order.start import begin, pair_tables
from spcviz.engine.variable_order.word import (
    MAX_ARCS,
    Word,
    Workspace,
    decode_as,
    decode_word,
    new_word,
    new_workspace,
    values_of,
)
from spcviz.learning.hybrid import courses, records


class Factor(NamedTuple):
    """The surviving assignments of a factor, best first."""

    grams: tuple[tuple[int, ...], ...]  # assignments
    values: np.ndarray  # max-marginals, less the best
    # number of survivors in all
    count: int  # type: ignore[assignment]  # `tuple.count` is never called here


class WordState(NamedTuple):
    """A word between two actions, L letters."""

    order: np.ndarray  # (L,) int64
    tier: np.ndarray  # (L,) int64
    labels: np.ndarray  # (L,) int64
    factors: tuple[Factor, ...]  # one for each letter
    # (L, 2) the controller's, for raising and for buying; -inf where there is no such action
    values: np.ndarray
    doubt: np.ndarray  # (L,)
    done: tuple[int, int] | None  # (kind, position) of the action that led here
    # n_in, n_kept: assignments of the factor that it changed, before and after the filter
    n_in: int
    n_kept: int
    work: np.ndarray  # (5,) int64: as in an `ActionCourse`; at the beginning, the actions valued
    block: int  # of the action; -1 at the beginning


def trace(
    unary: np.ndarray,
    model: records.AdaptiveModel,
    rule: records.ActionRule,
    forced: Sequence[tuple[int, int]] = (),
    *,
    n_shown: int = 12,
) -> list[WordState]:
    """All states of a word.

    Parameters
    ----------
    unary : ndarray, shape (L, T, K)
    rule : Rule
        A learned one, without fixed values.
    forced : sequence of (int, int)
        The first actions: (kind, position). An ArgumentError if one of them is not available.
    n_shown : int
        Number of assignments stored for each factor.
    """
    n_tiers, n_orders = model.filters.ink.shape
    word, space = new_word(len(unary), MAX_ARCS), new_workspace(MAX_ARCS)
    reading, table = courses.new_reading(len(unary)), np.empty(unary.shape[2])
    gap = begin(word, unary, model.filters, pair_tables(model.filters), model.first_alpha, space)
    n_kept, everything = int(word.n_arcs[1:].sum()), (len(unary) - 1) * unary.shape[2] ** 2
    bits, last = model.filters.table.bits, len(unary) - 1
    courses.read(word, unary, bits, 0, last, reading, table)
    scored = courses.values(word, reading, rule, n_orders, n_tiers)
    work = np.array([0, 0, int((scored > -np.inf).sum()), 0, 0])
    step: tuple[tuple[int, int] | None, int, int, np.ndarray, int] = (None, everything, n_kept, work, -1)
    states = [_state(word, unary, model, reading, scored, space, n_shown, step)]
    forced = [_check_forced(pair, len(unary)) for pair in checks.as_tuple("forced", forced)]
    refused = np.zeros(scored.shape, dtype=bool)
    while True:
        s = len(states) - 1
        if s < len(forced):
            kind, i = forced[s]
        else:
            i, kind = divmod(int(np.argmax(np.where(refused, -np.inf, scored))), scored.shape[1])
            if scored[i, kind] == -np.inf or refused[i, kind]:
                return states
        if not can_act(word, kind, i, n_orders, n_tiers):
            raise ArgumentError(f"forced must be actions that are left, got {(kind, i)}")
        block = courses.block_of(word, kind, i, n_orders)
        n_left = reading.n_left[i] if kind == 1 else 0
        done = act(word, unary, model.filters, kind, i, model.alphas[block], gap, space)
        if not done.is_done:
            if s < len(forced):
                raise ArgumentError(f"forced must not need too many arcs, got {(kind, i)}")
            refused[i, kind] = True
            continue
        courses.read(word, unary, bits, done.first, done.last, reading, table)
        fresh = slice(max(done.first - 1, 0), min(done.last + n_orders, len(unary)))
        scored[fresh] = courses.values(word, reading, rule, n_orders, n_tiers)[fresh]
        refused[fresh] = False
        work = np.array([done.n_made, done.n_passed, int((scored[fresh] > -np.inf).sum()), n_left, 1])
        step = (kind, i), int(done.n_in), int(done.n_kept), work, int(block)
        states.append(_state(word, unary, model, reading, scored, space, n_shown, step))


def _check_forced(pair: Any, length: int) -> tuple[int, int]:
    pair = checks.as_tuple("forced", pair)
    if len(pair) != 2:
        raise ArgumentError(f"forced must hold a kind and a position each, got {pair!r:.40}")
    kind, i = pair
    return checks.integer("forced", kind, 0, 1), checks.integer("forced", i, 0, length - 1)


def _state(
    word: Word,
    unary: np.ndarray,
    model: records.AdaptiveModel,
    reading: courses.LatticeReading,
    scored: np.ndarray,
    space: Workspace,
    n_shown: int,
    step: tuple[tuple[int, int] | None, int, int, np.ndarray, int],
) -> WordState:
    """The word as it is now; `step` is the last five fields of a `WordState`."""
    bits, labels = model.filters.table.bits, np.empty(len(unary), np.int64)
    if model.is_one:
        decode_word(word, bits, labels)
    else:
        decode_as(word, unary, model.predicts, labels)
    factors = tuple(_factor(word, i, bits, space, n_shown) for i in range(len(unary)))
    doubt = reading.doubt.copy()
    return WordState(word.order.copy(), word.tier.copy(), labels, factors, scored.copy(), doubt, *step)


def _factor(word: Word, i: int, bits: int, space: Workspace, n_shown: int) -> Factor:
    n, order, mask = int(values_of(word, i, bits, space)), int(word.order[i]), (1 << bits) - 1
    first = np.zeros(n, dtype=np.int64)
    first[space.group[: word.n_arcs[i]]] = word.code[i, : word.n_arcs[i]]
    best = np.argsort(-space.value[:n], kind="stable")[:n_shown]
    grams = tuple(
        tuple(int(first[f] >> bits * j) % (mask + 1) - 1 for j in range(order - 1, -1, -1)) for f in best
    )
    return Factor(grams, space.value[best].copy(), n)

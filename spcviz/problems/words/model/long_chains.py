r"""Make long chains of real data, and time an update of their messages after one part changed.

Examples are joined into chains of any length; where two meet, the step between them is scored like any other.

An update may stop early (`spcviz.engine.chains.quiescent`). As printed, the rule measures how far a message
has moved. But a letter that becomes more certain raises the score of every path through it by one constant:
all messages behind it rise by that constant, at any distance, and no label depends on it. `Setting.is_level`
subtracts the constant before any message is passed; the new scores of position p become

.. math:: u'_p - (\max_k \mu'_p(k) - \max_k \mu_p(k)), \qquad \mu'_p = \mu_p - u_p + u'_p

with max-marginals mu. The best score of the chain does not change, every difference of max-marginals at a
position is that of exact messages, and messages come to rest where the best paths meet again.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.chains.quiescent import fill_messages, pass_on, steps_into, transposed_tables
from spcviz.engine.kernels.jit import kernel
from spcviz.shared.clock import times_us


class ChainExamples(NamedTuple):
    """Examples to join, and their scores before and after features are bought for a position."""

    scores: np.ndarray  # (R, 2, K): unary scores of every position of all examples: before, after
    pairwise: np.ndarray  # (K, K)
    starts: np.ndarray  # (W + 1,), int64: first position of each example


class Joined(NamedTuple):
    """N chains of L positions, and P positions of each that change one at a time."""

    scores: np.ndarray  # (N, L, 2, K)
    tables: np.ndarray  # (1, K, K)
    transposed: np.ndarray  # (1, K, K)
    step: np.ndarray  # (L,), int64: as in `spcviz.engine.chains.quiescent.fill_messages`
    changed: np.ndarray  # (N, P), int64


class Setting(NamedTuple):
    """The rule by which an update stops."""

    tolerance: float  # q
    by_margin: bool = False  # q is a fraction of the margin of the best two states, else of the range of all
    is_level: bool = False  # first subtract the constant from the change


class Updates(NamedTuple):
    """The effects of updates; arrays of shape (N, P)."""

    # first, last: positions whose max-marginals may have changed
    first: np.ndarray
    last: np.ndarray
    messages: np.ndarray  # columns computed; passing everything anew takes 2 L
    wrong: np.ndarray  # positions whose best state is not that of exact messages
    # largest error of a max-marginal less the best of its position, in units of the position's range
    off: np.ndarray


def rows_of_chain(starts, length, rng):
    """Examples in random order, repeated as often as needed and cut to a length.

    >>> rows_of_chain(np.array([0, 2]), 5, np.random.default_rng(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    rows = []
    while len(rows) < length:
        for w in rng.permutation(len(starts) - 1):
            rows.extend(range(starts[w], starts[w + 1]))
            if len(rows) >= length:
                break
    return np.array(rows[:length], dtype=np.int64)


def join_chains(
    source: ChainExamples, length: int, n_chains: int, n_changed: int, rng: np.random.Generator
) -> Joined:
    """Chains of real data of one length."""
    rows = np.stack([rows_of_chain(source.starts, length, rng) for _ in range(n_chains)])
    tables = np.ascontiguousarray(source.pairwise[None], dtype=np.float64)
    return Joined(
        np.ascontiguousarray(source.scores[rows], dtype=np.float64),
        tables,
        transposed_tables(tables),
        steps_into(length, 1),
        rng.integers(0, length, (n_chains, n_changed)),
    )


def compare_updates(chains, setting):
    """Compare the update after each single change with exact messages: `Updates`."""
    return Updates(*_compare(chains, setting))


def update_us(chains, setting, repeats=7):
    """Microseconds of an update in every repeat, shape (repeats,), without the time of undoing it."""
    updates = compare_updates(chains, setting)
    reached = np.stack([updates.first, updates.last], axis=-1)
    return (
        _time_messages(chains, reached, _UPDATE, setting, repeats)
        - _time_messages(chains, reached, _UNDO, setting, repeats)
    ) / chains.changed.size


def anew_us(chains, repeats=7):
    """Microseconds of passing all messages of a chain anew, in every repeat, shape (repeats,)."""
    nothing = np.stack([chains.changed, chains.changed - 1], axis=-1)
    return _time_messages(chains, nothing, _ANEW, Setting(0.0), repeats) / chains.changed.size


def _time_messages(chains, reached, what, setting, repeats):
    saved = fill_all(chains)
    copies = tuple(messages.copy() for messages in saved)
    return np.array(times_us(lambda: _repeat(chains, reached, what, setting, saved, copies), repeats))


_ANEW, _UPDATE, _UNDO = range(3)


@kernel
def _change(chains, c, p, forward, backward, is_level):
    """New scores of position p of chain c."""
    before, after = chains.scores[c, p]
    if not is_level:
        return after.copy()
    best, ours = -np.inf, -np.inf
    for k in range(len(after)):
        through = forward[p, k] + backward[p, k]
        best = max(best, through)
        ours = max(ours, through - before[k] + after[k])
    return after - (ours - best)


@kernel
def fill_all(chains):
    """Messages of all chains before any change, (N, L, K) each: forward, backward."""
    n_chains, length, _, n_states = chains.scores.shape
    forward = np.empty((n_chains, length, n_states))
    backward = np.empty((n_chains, length, n_states))
    for c in range(n_chains):
        unary = chains.scores[c, :, 0].copy()
        fill_messages(unary, chains.tables, chains.transposed, chains.step, forward[c], backward[c])
    return forward, backward


@kernel
def _repeat(chains, reached, what, setting, saved, copies):
    """The timed loop: after each change pass all anew, update, or undo; returns the number of messages."""
    passed = 0
    n_chains, length = chains.scores.shape[:2]
    tables, transposed, step = chains.tables, chains.transposed, chains.step
    for c in range(n_chains):
        unary = chains.scores[c, :, 0].copy()
        forward, backward, ahead, behind = saved[0][c], saved[1][c], copies[0][c], copies[1][c]
        for n in range(chains.changed.shape[1]):
            p = chains.changed[c, n]
            first, last = reached[c, n]
            if what == _UPDATE:
                unary[p] = _change(chains, c, p, forward, backward, setting.is_level)
                first, last, count = pass_on(
                    unary, tables, transposed, step, ahead, behind, p, setting.tolerance, setting.by_margin
                )
                passed += count
            elif what == _ANEW:
                unary[p] = chains.scores[c, p, 1]
                fill_messages(unary, tables, transposed, step, ahead, behind)
                passed += 2 * length
            for i in range(p, last + 1):
                ahead[i] = forward[i]
            for i in range(first, p):
                behind[i] = backward[i]
            unary[p] = chains.scores[c, p, 0]
    return passed


@kernel
def _compare(chains, setting):
    """See `Updates`."""
    n_chains, length, _, n_states = chains.scores.shape
    shape = chains.changed.shape
    first, last, messages = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, np.int64)
    wrong, off = np.zeros(shape, np.int64), np.zeros(shape)
    forward, backward = np.empty((length, n_states)), np.empty((length, n_states))
    right, left = np.empty((length, n_states)), np.empty((length, n_states))
    tables, transposed, step = chains.tables, chains.transposed, chains.step
    for c in range(n_chains):
        unary = chains.scores[c, :, 0].copy()
        fill_messages(unary, tables, transposed, step, forward, backward)
        for n in range(shape[1]):
            p = chains.changed[c, n]
            unary[p] = _change(chains, c, p, forward, backward, setting.is_level)
            ahead, behind = forward.copy(), backward.copy()
            first[c, n], last[c, n], messages[c, n] = pass_on(
                unary, tables, transposed, step, ahead, behind, p, setting.tolerance, setting.by_margin
            )
            unary[p] = chains.scores[c, p, 1]
            fill_messages(unary, tables, transposed, step, right, left)
            for i in range(length):
                exact, approx = right[i] + left[i], ahead[i] + behind[i]
                best, ours = exact.max(), approx.max()
                wrong[c, n] += np.argmax(exact) != np.argmax(approx)
                spread = max(best - exact.min(), 1e-12)
                off[c, n] = max(off[c, n], np.abs((approx - ours) - (exact - best)).max() / spread)
            unary[p] = chains.scores[c, p, 0]
    return first, last, messages, wrong, off

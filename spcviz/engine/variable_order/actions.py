r"""Words of variable orders: a junction tree that grows action by action, with exact inference after each.

Position i has an order :math:`n_i`; its factor covers positions :math:`i - n_i + 1 .. i` and holds the
assignments that survive there. With a tier :math:`t_i` of features,

.. math:: \psi(x, y) = \sum_i a_{t_i n_i} u_i^{t_i}(y_i) + b_{t_i n_i} g(y_{i-n_i+1} .. y_i)
   + c_{t_i n_i} f(y_i)

with u the score of the image, g the log probability of the last letter given the others (and of the word's
end, at the last position), f the log of a letter's frequency among images. All of a, b, c depend on the
state.

Between positions b - 1 and b lies *boundary* b, whose nodes are the last

.. math:: d_b = \max(0, \max_{i \ge b} (n_i - 1 - (i - b)))

letters: exactly as many as later factors read. An arc at position i leads from a node of boundary i to one of
boundary i + 1 and spells :math:`d_i + 1 \ge n_i` letters: the letters of a position's arcs are a clique of a
junction tree, those of a boundary a separator. So every factor lies inside one arc, and the lattice holds
exactly those words of which every factor's assignment survives, whatever the orders: max-marginals are exact
after every action.

An action raises an order by one (the new factor holds all concatenations of what survives in the factors that
it covers) or a tier by one. The changed factor is filtered once by its own alpha: assignments below

.. math:: \tau = \max - (1 - \alpha) \, \mathrm{gap}

are pruned, where gap is the average distance of the max-marginals of all letters below the best in the model
of pairs that the word began with (`start`; Algorithm 6 takes tau from the baseline model). Then messages are
passed outward, and no farther than they change.

Scores are sums of multiples of 2^-20 (`weights`). They are exact in 64 bits, whatever their order, so
messages relative to the best of their boundary really converge: passing outward reproduces a full pass bit
for bit.

Several actions may be done together, in one sweep from left to right: all factors that change are filtered by
the max-marginals that hold after all actions, each by its own alpha.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel
from spcviz.engine.thresholds import rule
from spcviz.engine.variable_order.growth import clean_left, clean_right, join, lowest, split, ways
from spcviz.engine.variable_order.start import NO_FILTER
from spcviz.engine.variable_order.weights import VariableOrderWeights, gram_of, score_of
from spcviz.engine.variable_order.word import (
    Word,
    Workspace,
    move_arc,
    outward,
    pass_forward,
    pass_fully,
    values_of,
)

RAISE, BUY = 0, 1
"""Kinds of actions: raise the order by one, buy the next tier."""


class Done(NamedTuple):
    """The result of an action.

    - `is_done`: False where it might have needed more than `MAX_ARCS` arcs; then nothing has changed
    - `n_made`: arcs made or scored
    - `n_passed`: arcs that messages were passed over
    - `n_in`, `n_kept`: assignments of the changed factor before and after its filter
    - `first`, `last`: positions whose max-marginals may have changed
    """

    is_done: bool
    n_made: int
    n_passed: int
    n_in: int
    n_kept: int
    first: int
    last: int


@bare_kernel
def can_act(word: Word, kind: int, i: int, n_orders: int, n_tiers: int) -> bool:
    """Whether such an action is possible."""
    if kind == RAISE:
        return word.order[i] < min(n_orders, i + 1)
    return word.tier[i] < n_tiers - 1


@bare_kernel
def act(
    word: Word,
    unary: np.ndarray,
    weights: VariableOrderWeights,
    kind: int,
    i: int,
    alpha: float,
    gap: float,
    space: Workspace,
) -> Done:
    """Raise the order, or buy the next tier, of position i, and filter the changed factor: a `Done`."""
    low, n_made = i + 1, 0
    if kind == RAISE:
        low, n_made = _raise(word, i, weights.table.bits, True, space)
        if low < 0:
            return Done(False, 0, 0, 0, 0, i, i)
    else:
        word.tier[i] += 1
    _score(word, unary, weights, i, kind == RAISE)
    n_made += word.n_arcs[i]
    return _filter_and_pass(word, i, low, n_made, alpha, gap, weights.table.bits, space)


@bare_kernel
def act_together(
    word: Word,
    unary: np.ndarray,
    weights: VariableOrderWeights,
    marks: np.ndarray,
    alphas: np.ndarray,
    gap: float,
    space: Workspace,
) -> Done:
    """Several actions in one sweep; a `Done`, whose `is_done` says whether any was done.

    marks : (L, 2) bool, the actions to do; those that would need too many arcs are unset.
    alphas : (L, 2), of the factor after each.
    """
    length, bits, n_made, n_in, n_kept = len(word.order), weights.table.bits, 0, 0, 0
    for i in range(length):
        if marks[i, RAISE]:
            low, more = _raise(word, i, bits, False, space)
            marks[i, RAISE], n_made = low >= 0, n_made + more
        if marks[i, BUY]:
            word.tier[i] += 1
        if marks[i, RAISE] or marks[i, BUY]:
            _score(word, unary, weights, i, marks[i, RAISE])
            n_made += word.n_arcs[i]
    # One sweep for all actions: a filter must see the max-marginals after every one of them.
    n_passed = pass_fully(word)
    is_done, is_less = False, False
    for i in range(length):
        if not (marks[i, RAISE] or marks[i, BUY]):
            continue
        is_done = True
        alpha = alphas[i, BUY] if marks[i, BUY] else alphas[i, RAISE]
        n_values = values_of(word, i, bits, space)
        left = n_values
        if alpha > NO_FILTER and rule.has_spread(0.0, gap):
            left = _filter(word, i, n_values, rule.threshold(0.0, gap, rule.cap_alpha(alpha)), space)
        n_in, n_kept, is_less = n_in + n_values, n_kept + left, is_less or left < n_values
    # Pruning leaves dead ends, and changes the messages behind them.
    if is_less:
        for i in range(length):
            if marks[i, RAISE] or marks[i, BUY]:
                clean_left(word, i, space)
                clean_right(word, i, space)
        n_passed += pass_fully(word)
    return Done(is_done, n_made, n_passed, n_in, n_kept, 0, length - 1)


@bare_inlined_kernel
def _raise(word: Word, i: int, bits: int, is_passing: bool, space: Workspace) -> tuple[int, int]:
    """(first boundary with new nodes or i + 1, arcs made): the lattice with position i's order raised by one.

    (-1, 0) where it might need too many arcs: then nothing has changed. is_passing: with messages to new
    nodes.
    """
    low, n_made = lowest(word, i), 0
    if ways(word, low, i, space) > word.code.shape[1]:
        return -1, 0
    for b in range(low, i + 1):
        split(word, b, bits, space)
        if is_passing:
            pass_forward(word, b)
        n_made += join(word, b, bits, space)
    word.order[i] += 1
    return low, n_made


@bare_inlined_kernel
def _score(word: Word, unary: np.ndarray, weights: VariableOrderWeights, i: int, is_new: bool) -> None:
    """Scores of the arcs at i in the state of its position; is_new: their n-grams too."""
    mask, is_last = (np.int64(1) << (weights.table.bits * word.order[i])) - 1, i == len(word.order) - 1
    if is_new:
        for a in range(word.n_arcs[i]):
            word.gram[i, a] = gram_of(weights, word.code[i, a] & mask, word.order[i], i == 0, is_last)
    mask, tier = (np.int64(1) << weights.table.bits) - 1, word.tier[i]
    for a in range(word.n_arcs[i]):
        k = (word.code[i, a] & mask) - 1
        word.score[i, a] = score_of(weights, unary[i, tier, k], word.gram[i, a], k, tier, word.order[i])


@bare_kernel
def filter_factor(word: Word, i: int, alpha: float, gap: float, bits: int, space: Workspace) -> Done:
    """Filter the factor at i as `act` does; a `Done`."""
    return _filter_and_pass(word, i, i + 1, 0, alpha, gap, bits, space)


@bare_inlined_kernel
def _filter_and_pass(
    word: Word, i: int, low: int, n_made: int, alpha: float, gap: float, bits: int, space: Workspace
) -> Done:
    """The last steps of every action; `low`: the first boundary with new nodes, i + 1 if there is none."""
    n_in = values_of(word, i, bits, space)
    n_kept, left, right = n_in, i + 1, i
    if alpha > NO_FILTER and rule.has_spread(0.0, gap):
        n_kept = _filter(word, i, n_in, rule.threshold(0.0, gap, rule.cap_alpha(alpha)), space)
        if n_kept < n_in:
            left, right = clean_left(word, i, space), clean_right(word, i, space)
    n_passed, first, last = outward(word, i, min(low, left) - 1, right + 1)
    return Done(True, n_made, n_passed, n_in, n_kept, first, last)


@bare_inlined_kernel
def _filter(word: Word, i: int, n_in: int, limit: float, space: Workspace) -> int:
    """Drop the arcs that the factor at i loses; returns how many of its assignments stay."""
    n_kept, n = 0, 0
    for f in range(n_in):
        if rule.survives(space.value[f], limit) or space.value[f] == 0.0:
            n_kept += 1
    for a in range(word.n_arcs[i]):
        value = space.value[space.group[a]]
        if rule.survives(value, limit) or value == 0.0:
            move_arc(word, i, a, n)
            n += 1
    word.n_arcs[i] = n
    return n_kept

"""Evaluate states that no trajectory has reached: losses of chains there, and features of their actions."""

import numpy as np

from spcviz.engine.chains.quiescent import fill_messages, pass_on
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.learning.budgets.chains.actions import (
    PartArrays,
    at_tiers,
    describe_action,
    n_features,
    read_off,
    state_at,
)


@kernel
def losses_if(parts: PartArrays, tiers: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Loss of every chain (W,), loss (R,) of part r's chain if r alone moves to ``targets[r]``), both int64.

    Where tiers and targets agree the loss stays the same.
    """
    unary, into = at_tiers(parts, tiers)
    n_rows, n_states = unary.shape
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    base, moved = fill_new(len(parts.starts) - 1, np.int64, 0), fill_new(n_rows, np.int64, 0)
    for w in range(len(base)):
        a, b = parts.starts[w], parts.starts[w + 1]
        fill_messages(unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b])
        lost = np.empty(b - a, np.int64)
        for i in range(a, b):
            lost[i - a] = parts.loss[i, _best_state(forward[i], backward[i])]
            base[w] += lost[i - a]
        ahead, behind = np.empty((b - a, n_states), np.float64), np.empty((b - a, n_states), np.float64)
        for r in range(a, b):
            moved[r] = base[w]
            if targets[r] == tiers[r]:
                continue
            # Messages are passed on from r exactly, as far as they change: a part costs the positions they
            # change, not its whole chain.
            ahead[:], behind[:] = forward[a:b], backward[a:b]
            unary[r], into[r] = parts.scores[r, targets[r]], parts.step[r, targets[r]]
            lo, hi, _ = pass_on(
                unary[a:b], parts.pairwise, parts.transposed, into[a:b], ahead, behind, r - a, 0.0, False
            )
            for i in range(lo, hi + 1):
                moved[r] += parts.loss[a + i, _best_state(ahead[i], behind[i])] - lost[i]
            # Each part is tried alone.
            unary[r], into[r] = parts.scores[r, tiers[r]], parts.step[r, tiers[r]]
    return base, moved


@kernel
def describe_parts(parts: PartArrays, tiers: np.ndarray) -> np.ndarray:
    """Features of lifting every part from its tier, see `actions`: shape (R, D)."""
    unary, into = at_tiers(parts, tiers)
    state = state_at(tiers, unary)
    forward, backward = state.forward, state.backward
    out = np.empty((len(unary), n_features(parts)), np.float64)
    for w in range(len(parts.starts) - 1):
        a, b = parts.starts[w], parts.starts[w + 1]
        fill_messages(unary[a:b], parts.pairwise, parts.transposed, into[a:b], forward[a:b], backward[a:b])
        read_off(parts, state, a, b, a, b - 1)
        for r in range(a, b):
            describe_action(parts, state, r, a, b, out[r])
    return out


@kernel
def _best_state(forward: np.ndarray, backward: np.ndarray) -> int:
    best, arg = -np.inf, 0
    for k in range(len(forward)):
        if forward[k] + backward[k] > best:
            best, arg = forward[k] + backward[k], k
    return arg

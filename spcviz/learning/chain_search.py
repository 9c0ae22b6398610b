"""Losses of chains in states nobody has reached yet, and what their parts look like there."""

import numpy as np

from spcviz.engine.jit import kernel
from spcviz.engine.quiescent import fill_messages, pass_on
from spcviz.learning.chain_parts import describe_action, read_off


@kernel
def losses_if(parts, tiers, targets):
    """Loss of every chain at some tiers, and with one part changed, for every part.

    Parameters
    ----------
    parts : Parts
    tiers : ndarray of int, shape (R,)
    targets : ndarray of int, shape (R,)
        Part r goes to targets[r], the others stay; where both agree the loss stays too.

    Returns
    -------
    base : ndarray, shape (W,), int64
        Wrong positions of each chain.
    moved : ndarray, shape (R,), int64
        Wrong positions of part r's chain after its change.
    """
    n_rows, _, n_states = parts.scores.shape
    unary = np.empty((n_rows, n_states))
    for r in range(n_rows):
        unary[r] = parts.scores[r, tiers[r]]
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    base, moved = np.zeros(len(parts.starts) - 1, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    for w in range(len(base)):
        a, b = parts.starts[w], parts.starts[w + 1]
        m = parts.model[w]
        pairwise, back = parts.pairwise[m : m + 1], parts.transposed[m : m + 1]
        fill_messages(unary[a:b], pairwise, back, forward[a:b], backward[a:b])
        right = np.empty(b - a, dtype=np.bool_)
        for i in range(a, b):
            right[i - a] = _best_state(forward[i], backward[i]) == parts.truth[i]
            base[w] += not right[i - a]
        ahead, behind = np.empty((b - a, n_states)), np.empty((b - a, n_states))
        for r in range(a, b):
            moved[r] = base[w]
            if targets[r] == tiers[r]:
                continue
            ahead[:], behind[:] = forward[a:b], backward[a:b]
            unary[r] = parts.scores[r, targets[r]]
            lo, hi, _ = pass_on(unary[a:b], pairwise, back, ahead, behind, r - a, 0.0, False)
            for i in range(lo, hi + 1):
                now = _best_state(ahead[i], behind[i]) == parts.truth[a + i]
                moved[r] += int(right[i]) - int(now)
            unary[r] = parts.scores[r, tiers[r]]
    return base, moved


@kernel
def describe_parts(parts, tiers, n_features):
    """Features of lifting every part from where it stands, `ACTION_FEATURES`: shape (R, D)."""
    n_rows, _, n_states = parts.scores.shape
    unary = np.empty((n_rows, n_states))
    for r in range(n_rows):
        unary[r] = parts.scores[r, tiers[r]]
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    labels, margin, own = np.zeros(n_rows, dtype=np.int64), np.empty(n_rows), np.empty(n_rows)
    new, out = np.zeros((n_rows, 4)), np.empty((n_rows, n_features))
    for w in range(len(parts.starts) - 1):
        a, b = parts.starts[w], parts.starts[w + 1]
        m = parts.model[w]
        pairwise, back = parts.pairwise[m : m + 1], parts.transposed[m : m + 1]
        fill_messages(unary[a:b], pairwise, back, forward[a:b], backward[a:b])
        read_off(parts, unary, forward, backward, a, b, a, b - 1, labels, margin, own, new)
        for r in range(a, b):
            describe_action(parts, r, a, b, tiers, labels, unary, margin, own, new, out[r])
    return out


@kernel
def _best_state(forward, backward):
    best, arg = -np.inf, 0
    for k in range(len(forward)):
        if forward[k] + backward[k] > best:
            best, arg = forward[k] + backward[k], k
    return arg

"""Chains whose positions are bought features for: states, the features an action is valued by, Algorithm 5.

A batch of chains (examples) has R positions (parts) in all, each at a tier 0 .. T - 1. An action lifts
one part by one tier. Algorithm 5 takes the most valuable action of the whole batch that still fits the
budget, again and again; messages are passed by quiescent inference, so most of an example stays as it
was, and so do the values of most of its actions.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.jit import kernel
from spcviz.engine.quiescent import fill_messages, pass_on
from spcviz.learning.seen import code_of, is_seen

ACTION_FEATURES = (
    "always 1",
    "margin small",
    "margin very small",
    "left margin small",
    "right margin small",
    "own scores undecided",
    "context overrules own scores",
    "tier on the left",
    "tier on the right",
    "share of new 2-grams around",
    "share of new 3-grams around",
    "share of new 4-grams around",
    "share of new 5-grams around",
    "a new 2-gram around",
    "a new 3-gram around",
    "a new 4-gram around",
    "a new 5-gram around",
    "at an end",
    "new 3-grams and small margin",
    "new 5-grams and small margin",
)
"""Columns of the features of an action; each tier has weights of its own (thesis 7.4.2)."""

_LONGEST = 5


class Parts(NamedTuple):
    """A batch of chains at all tiers.

    Attributes
    ----------
    scores : ndarray, shape (R, T, K)
        Unary scores of each part at each tier.
    pairwise, transposed : ndarray, shape (M, K, K)
        Transition tables of M models and their transposes.
    model : ndarray, shape (W,), int64
        Which table each chain uses.
    starts : ndarray, shape (W + 1,), int64
    truth : ndarray, shape (R,), int64
        -1 where unknown.
    seen : ndarray
        Known n-grams, of `spcviz.learning.seen.seen_grams`.
    scale : float
        What a margin is compared with: the median at tier 0 in training.
    bits : int
        Bits a symbol, of `spcviz.engine.ngrams.symbol_bits`.
    """

    scores: np.ndarray
    pairwise: np.ndarray
    transposed: np.ndarray
    model: np.ndarray
    starts: np.ndarray
    truth: np.ndarray
    seen: np.ndarray
    scale: float
    bits: int


class Rule(NamedTuple):
    """How actions are valued and inference is done.

    Attributes
    ----------
    beta : ndarray, shape (T - 1, D)
        Weights of the features of an action at each tier; not used if `fixed` has rows.
    fixed : ndarray, shape (R, T - 1) or (0, 0)
        Values that do not depend on the state.
    refreshed : bool
        Revalue all actions that a step may have changed; else only the part's own next one, as printed.
    all_at_once : bool
        An action lifts a part to the last tier.
    tolerance : float
        q of quiescent inference.
    by_margin : bool
        What q is a fraction of.
    """

    beta: np.ndarray
    fixed: np.ndarray
    refreshed: bool
    all_at_once: bool
    tolerance: float
    by_margin: bool


class Course(NamedTuple):
    """Steps of one run, in order.

    Attributes
    ----------
    part : ndarray, shape (S,), int64
    tier : ndarray, shape (S,), int64
        The tier the part was lifted to.
    value : ndarray, shape (S,)
    cost : ndarray, shape (S,)
    gain : ndarray, shape (S,), int64
        Fewer wrong positions than before; negative where it got worse.
    messages : ndarray, shape (S,), int64
        Columns of messages passed.
    first, last : ndarray, shape (S,), int64
        Positions of the batch whose max-marginals may have changed.
    features : ndarray, shape (S, D) or (0, D)
        Of the action, if asked for.
    labels_before, labels : ndarray, shape (R,), int64
        Prediction before the first step and after the last.
    tiers : ndarray, shape (R,), int64
        At the end.
    all_values, all_labels : ndarray, shape (S, R) or (0, R)
        Values of every part's next action when the step was chosen (-inf: none), and labels after it.
    """

    part: np.ndarray
    tier: np.ndarray
    value: np.ndarray
    cost: np.ndarray
    gain: np.ndarray
    messages: np.ndarray
    first: np.ndarray
    last: np.ndarray
    features: np.ndarray
    labels_before: np.ndarray
    labels: np.ndarray
    tiers: np.ndarray
    all_values: np.ndarray
    all_labels: np.ndarray


@kernel
def run(parts, rule, costs, budget, keep_features, keep_all):
    """Algorithm 5 (thesis) on a batch; ties go to the first part. See `Course`.

    costs (R, T - 1): of lifting part r from tier t to t + 1.
    """
    n_rows, n_tiers, _n_states = parts.scores.shape
    n_features = 20
    most = n_rows * (n_tiers - 1)
    part, tier = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    value, paid = np.empty(most), np.empty(most)
    gain, messages = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    first, last = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    features = np.empty((most if keep_features else 0, n_features))
    all_values = np.empty((most if keep_all else 0, n_rows))
    all_labels = np.empty((most if keep_all else 0, n_rows), dtype=np.int64)

    at = np.zeros(n_rows, dtype=np.int64)
    unary = np.ascontiguousarray(parts.scores[:, 0])
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    labels, margin, own = np.zeros(n_rows, dtype=np.int64), np.empty(n_rows), np.empty(n_rows)
    new = np.zeros((n_rows, _LONGEST - 1))
    values = np.full(n_rows, -np.inf)
    phi = np.empty(n_features)
    n_words = len(parts.starts) - 1
    width = 1
    while width < n_words:
        width *= 2
    tree = np.full(2 * width, -np.inf)
    for w in range(n_words):
        a, b = parts.starts[w], parts.starts[w + 1]
        m = parts.model[w]
        fill_messages(
            unary[a:b], parts.pairwise[m : m + 1], parts.transposed[m : m + 1], forward[a:b], backward[a:b]
        )
        read_off(parts, unary, forward, backward, a, b, a, b - 1, labels, margin, own, new)
        if n_tiers > 1:
            for r in range(a, b):
                values[r] = value_of(parts, rule, r, a, b, at, labels, unary, margin, own, new, phi)
        set_leaf(tree, width, w, best_of(values, a, b))
    labels_before = labels.copy()
    spent, s = 0.0, 0
    while spent < budget and tree[1] > -np.inf:
        w = leaf_of(tree, width)
        a, b = parts.starts[w], parts.starts[w + 1]
        r = a
        while values[r] != tree[1]:
            r += 1
        target = n_tiers - 1 if rule.all_at_once else at[r] + 1
        cost = 0.0
        for t in range(at[r], target):
            cost += costs[r, t]
        if cost > budget - spent:  # a misfit is dropped for good
            values[r] = -np.inf
            set_leaf(tree, width, w, best_of(values, a, b))
            continue
        if keep_all:
            all_values[s] = values
        if keep_features:
            describe_action(parts, r, a, b, at, labels, unary, margin, own, new, features[s])
        part[s], tier[s], value[s], paid[s] = r, target, values[r], cost
        spent += cost
        at[r] = target
        unary[r] = parts.scores[r, target]
        m = parts.model[w]
        lo, hi, count = pass_on(
            unary[a:b], parts.pairwise[m : m + 1], parts.transposed[m : m + 1], forward[a:b], backward[a:b],
            r - a, rule.tolerance, rule.by_margin,
        )  # fmt: skip
        lo, hi = a + lo, a + hi
        right = 0
        for i in range(lo, hi + 1):
            right -= labels[i] == parts.truth[i]
        read_off(parts, unary, forward, backward, a, b, lo, hi, labels, margin, own, new)
        for i in range(lo, hi + 1):
            right += labels[i] == parts.truth[i]
        gain[s], messages[s], first[s], last[s] = right, count, lo, hi
        if rule.refreshed:
            reach = _LONGEST - 1
            for i in range(max(a, lo - reach), min(b, hi + reach + 1)):
                if values[i] > -np.inf and at[i] < n_tiers - 1:
                    values[i] = value_of(parts, rule, i, a, b, at, labels, unary, margin, own, new, phi)
        if at[r] < n_tiers - 1:
            values[r] = value_of(parts, rule, r, a, b, at, labels, unary, margin, own, new, phi)
        else:
            values[r] = -np.inf
        set_leaf(tree, width, w, best_of(values, a, b))
        if keep_all:
            all_labels[s] = labels
        s += 1
    return (
        part[:s], tier[:s], value[:s], paid[:s], gain[:s], messages[:s], first[:s], last[:s],
        features[: s if keep_features else 0], labels_before, labels, at,
        all_values[: s if keep_all else 0], all_labels[: s if keep_all else 0],
    )  # fmt: skip


@kernel
def read_off(parts, unary, forward, backward, a, b, lo, hi, labels, margin, own, new):
    """Labels, margins and new n-grams of positions lo .. hi of chain a .. b - 1 from its messages."""
    n = unary.shape[1]
    for i in range(lo, hi + 1):
        best, second, arg = -np.inf, -np.inf, 0
        for k in range(n):
            v = forward[i, k] + backward[i, k]
            if v > best:
                best, second, arg = v, best, k
            elif v > second:
                second = v
        labels[i] = arg
        margin[i] = best - second
    for i in range(lo, hi + 1):
        rival = -np.inf
        for k in range(n):
            if k != labels[i] and unary[i, k] > rival:
                rival = unary[i, k]
        own[i] = unary[i, labels[i]] - rival
    for i in range(max(a, lo - _LONGEST + 1), hi + 1):
        for m in range(2, _LONGEST + 1):
            new[i, m - 2] = 0.0
            if i + m <= b and not is_seen(parts.seen, code_of(labels, i, m, parts.bits)):
                new[i, m - 2] = 1.0


@kernel
def describe_action(parts, r, a, b, at, labels, unary, margin, own, new, phi):
    """Features of lifting part r, `ACTION_FEATURES`, into phi."""
    top = max(parts.scores.shape[1] - 1, 1)
    close = np.exp(-margin[r] / parts.scale)
    phi[0] = 1.0
    phi[1] = close
    phi[2] = close**4
    phi[3] = np.exp(-margin[r - 1] / parts.scale) if r > a else 0.0
    phi[4] = np.exp(-margin[r + 1] / parts.scale) if r + 1 < b else 0.0
    phi[5] = 1.0 / (1.0 + np.exp(max(min(own[r] / parts.scale, 50.0), -50.0)))
    phi[6] = 1.0 if own[r] < 0 else 0.0
    phi[7] = at[r - 1] / top if r > a else 0.0
    phi[8] = at[r + 1] / top if r + 1 < b else 0.0
    for m in range(2, _LONGEST + 1):
        count, bad = 0, 0.0
        for i in range(max(a, r - m + 1), min(r, b - m) + 1):
            count += 1
            bad += new[i, m - 2]
        phi[7 + m] = bad / count if count else 0.0
        phi[11 + m] = 1.0 if bad > 0 else 0.0
    phi[17] = 1.0 if r == a or r == b - 1 else 0.0
    phi[18] = phi[10] * close
    phi[19] = phi[12] * close


@kernel
def value_of(parts, rule, r, a, b, at, labels, unary, margin, own, new, phi):
    """Value of part r's next action."""
    if len(rule.fixed):
        return rule.fixed[r, at[r]]
    describe_action(parts, r, a, b, at, labels, unary, margin, own, new, phi)
    value = 0.0
    for d in range(len(phi)):
        value += rule.beta[at[r], d] * phi[d]
    return value


@kernel
def best_of(values, a, b):
    """Largest of values[a:b]."""
    best = -np.inf
    for i in range(a, b):
        best = max(best, values[i])
    return best


@kernel
def set_leaf(tree, width, leaf, value):
    """Change one leaf of a tournament: tree[1] is the largest leaf, tree[i] the larger of 2 i and 2 i + 1."""
    at = width + leaf
    tree[at] = value
    at //= 2
    while at >= 1:
        tree[at] = max(tree[2 * at], tree[2 * at + 1])
        at //= 2


@kernel
def leaf_of(tree, width):
    """The first leaf that holds the largest value."""
    at = 1
    while at < width:
        at = 2 * at if tree[2 * at] == tree[at] else 2 * at + 1
    return at - width

r"""Features and values of the action "buy this part's next tier", from a chain's messages (thesis 7.4).

Features are read off the messages and the labels of the part's chain. The oddness of a window of m labels
comes from one of two sources (m = 2 .. 5):

- labels that mean the same everywhere (letters): 1 if the m-gram never occurred in training, else 0
- states with looks (arms in a picture): the largest distance from the first label's looks to another's,
  :math:`\chi^2(p, q) = \frac12 \sum_b (p_b - q_b)^2 / (p_b + q_b)`, from 0 to 1 for histograms

Either way more than 1/2 is odd. States with places add the distance they jump from frame to frame.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel, spliced_kernel
from spcviz.engine.kernels.once import fill_new, larger_of, smaller_of
from spcviz.engine.kernels.vectors import copy
from spcviz.learning.budgets.chains.ngram_sets import code_of, is_seen
from spcviz.learning.budgets.world import Rule

LONGEST = 5
"""Longest window."""

ODD = 0.5
"""A window that is odder than this counts as odd (thesis 6.3.2 and 7.4.1)."""

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
"""Columns of the features of an action; each tier has its own weights (thesis 7.4.2).

With looks, "share of new m-grams" is the mean oddness of the windows of m frames.
"""

PLACE_FEATURES = ("jump from the left", "jump to the right")
"""Further columns where states have places: the largest jump of a joint, d / (1 + d)."""

_N_ACTION, _N_PLACE = len(ACTION_FEATURES), len(PLACE_FEATURES)

_column = ACTION_FEATURES.index
_ONE = _column("always 1")
_SMALL, _VERY_SMALL = _column("margin small"), _column("margin very small")
_SMALL_LEFT, _SMALL_RIGHT = _column("left margin small"), _column("right margin small")
_UNDECIDED, _OVERRULED = _column("own scores undecided"), _column("context overrules own scores")
_TIER_LEFT, _TIER_RIGHT = _column("tier on the left"), _column("tier on the right")
_SHARE_2, _SHARE_3, _SHARE_5 = (_column(f"share of new {m}-grams around") for m in (2, 3, 5))
_ANY_2 = _column("a new 2-gram around")  # those of 3 .. 5 follow, as for shares
_END = _column("at an end")
_NEW_3_SMALL, _NEW_5_SMALL = (_column(f"new {m}-grams and small margin") for m in (3, 5))
_JUMP_LEFT = _N_ACTION + PLACE_FEATURES.index("jump from the left")
_JUMP_RIGHT = _N_ACTION + PLACE_FEATURES.index("jump to the right")


class PartArrays(NamedTuple):
    """The arrays of a batch of chains at all tiers, as kernels take them: see `parts.Parts`."""

    scores: np.ndarray  # (R, T, K) unary scores of each part at each tier
    # pairwise, transposed (M, K, K): transition tables [table, from, to] and their transposes
    pairwise: np.ndarray
    transposed: np.ndarray
    # (R, T) int64: table of the step into each part at each tier; not used for a chain's first part
    step: np.ndarray
    starts: np.ndarray  # (W + 1,) int64: first part of each chain
    loss: np.ndarray  # (R, K) int64: of each state of each part; letters: 1 for all but the true one
    # known n-grams, from `ngram_sets.seen_grams`. Not used where states have looks
    seen: np.ndarray
    # (R, K, B) float32: a histogram of each state that sums to 1; shape (R, 0, 0) if states have none
    looks: np.ndarray
    # (R, K, P) float32: x and y of each state's joints, 1 a notable distance; (R, 0, 0) if there are none
    places: np.ndarray
    scale: float  # what a margin is compared with: the median at tier 0 in training
    bits: int  # bits per symbol, from `spcviz.engine.ngrams.table.symbol_bits`


class State(NamedTuple):
    """The state of a batch of chains, row by row; `read_off` fills what is read off the messages."""

    at: np.ndarray  # (R,) int64: tiers
    unary: np.ndarray  # (R, K)
    forward: np.ndarray  # (R, K)
    backward: np.ndarray  # (R, K)
    labels: np.ndarray  # (R,) int64
    margin: np.ndarray  # (R,) best less second best max-marginal
    own: np.ndarray  # (R,) the label's unary score less its best rival's
    # (R, LONGEST - 1) oddness of the windows of 2 .. LONGEST labels that begin here; 0 where they do not fit
    new: np.ndarray


@spliced_kernel
def at_tiers(parts: PartArrays, tiers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unary scores of every part at its tier, and the table of the step into it."""
    unary, into = np.empty((len(tiers), parts.scores.shape[2]), np.float64), np.empty(len(tiers), np.int64)
    for r in range(len(tiers)):
        copy(parts.scores[r, tiers[r]], unary[r])
        into[r] = parts.step[r, tiers[r]]
    return unary, into


@spliced_kernel
def state_at(tiers: np.ndarray, unary: np.ndarray) -> State:
    """A `State` whose messages have not been passed yet."""
    n_rows = len(tiers)
    labels, new = fill_new(n_rows, np.int64, 0), fill_new((n_rows, LONGEST - 1), np.float64, 0.0)
    forth, back = np.empty(unary.shape, np.float64), np.empty(unary.shape, np.float64)
    margin, own = np.empty(n_rows, np.float64), np.empty(n_rows, np.float64)
    return State(tiers, unary, forth, back, labels, margin, own, new)


@spliced_kernel
def n_features(parts: PartArrays) -> int:
    """Number of features of an action."""
    return _N_ACTION + _N_PLACE if parts.places.shape[2] else _N_ACTION


@spliced_kernel
def chi_squared(p: np.ndarray, q: np.ndarray) -> float:
    """Half the sum of (p - q)^2 / (p + q); empty bins are left out."""
    total = 0.0
    for b in range(len(p)):
        both = np.float64(p[b]) + np.float64(q[b])
        if both > 0.0:
            apart = np.float64(p[b]) - np.float64(q[b])
            total += apart * apart / both
    return 0.5 * total


@kernel
def read_off(parts: PartArrays, state: State, a: int, b: int, lo: int, hi: int) -> None:
    """Labels, margins and oddness of windows at positions lo .. hi of chain a .. b - 1 from its messages."""
    _, unary, forward, backward, labels, margin, lead, new = state
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
        lead[i] = unary[i, labels[i]] - rival
    has_looks = parts.looks.shape[2] > 0
    # A window that begins earlier may reach into what changed.
    for i in range(larger_of(a, lo - LONGEST + 1), hi + 1):
        farthest = 0.0
        for m in range(2, LONGEST + 1):
            new[i, m - 2] = 0.0
            if i + m > b:
                continue
            if has_looks:
                last = i + m - 1
                apart = chi_squared(parts.looks[i, labels[i]], parts.looks[last, labels[last]])
                farthest = larger_of(farthest, apart)
                new[i, m - 2] = farthest
            elif not is_seen(parts.seen, code_of(labels, i, m, parts.bits)):
                new[i, m - 2] = 1.0


@kernel
def describe_action(parts: PartArrays, state: State, r: int, a: int, b: int, phi: np.ndarray) -> None:
    """Features of lifting part r of chain a .. b - 1, `ACTION_FEATURES` and `PLACE_FEATURES`, into phi."""
    at, labels, margin, lead, new = state.at, state.labels, state.margin, state.own, state.new
    top = larger_of(parts.scores.shape[1] - 1, 1)
    close = np.exp(-margin[r] / parts.scale)
    phi[_ONE] = 1.0
    phi[_SMALL] = close
    phi[_VERY_SMALL] = close**4
    phi[_SMALL_LEFT] = np.exp(-margin[r - 1] / parts.scale) if r > a else 0.0
    phi[_SMALL_RIGHT] = np.exp(-margin[r + 1] / parts.scale) if r + 1 < b else 0.0
    phi[_UNDECIDED] = 1.0 / (1.0 + np.exp(larger_of(smaller_of(lead[r] / parts.scale, 50.0), -50.0)))
    phi[_OVERRULED] = 1.0 if lead[r] < 0 else 0.0
    phi[_TIER_LEFT] = at[r - 1] / top if r > a else 0.0
    phi[_TIER_RIGHT] = at[r + 1] / top if r + 1 < b else 0.0
    for m in range(2, LONGEST + 1):
        count, bad, most = 0, 0.0, 0.0
        for i in range(larger_of(a, r - m + 1), smaller_of(r, b - m) + 1):
            count += 1
            bad += new[i, m - 2]
            most = larger_of(most, new[i, m - 2])
        phi[_SHARE_2 + m - 2] = bad / count if count else 0.0
        phi[_ANY_2 + m - 2] = 1.0 if most > ODD else 0.0
    phi[_END] = 1.0 if r == a or r == b - 1 else 0.0
    phi[_NEW_3_SMALL] = phi[_SHARE_3] * close
    phi[_NEW_5_SMALL] = phi[_SHARE_5] * close
    if len(phi) > _N_ACTION:
        phi[_JUMP_LEFT] = _jump(parts.places, labels, r - 1, r) if r > a else 0.0
        phi[_JUMP_RIGHT] = _jump(parts.places, labels, r, r + 1) if r + 1 < b else 0.0


@kernel
def _jump(places: np.ndarray, labels: np.ndarray, i: int, j: int) -> float:
    """d / (1 + d) of the farthest move of a joint from position i's label to j's."""
    most = 0.0
    here, there = places[i, labels[i]], places[j, labels[j]]
    for p in range(0, len(here), 2):
        x, y = np.float64(here[p]) - there[p], np.float64(here[p + 1]) - there[p + 1]
        most = larger_of(most, x * x + y * y)
    most = np.sqrt(most)
    return most / (1.0 + most)


@spliced_kernel
def value_of(parts: PartArrays, rule: Rule, state: State, r: int, a: int, b: int, phi: np.ndarray) -> float:
    """Value of the next action of part r of chain a .. b - 1; phi is a buffer for its features."""
    describe_action(parts, state, r, a, b, phi)
    value, tier = 0.0, state.at[r]
    for d in range(len(phi)):
        value += rule.beta[tier, d] * phi[d]
    return value

"""Records for the budget pages to draw: plain named tuples of numpy arrays."""

from typing import Any, NamedTuple

import numpy as np

ROLES = ("map", "threshold", "truth", "kept", "pruned", "lost", "muted", "text")
DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "star", "triangle-down")
"""Colours (roles of the palette), dashes and marks of many curves in one chart."""


class Purchases(NamedTuple):
    """One method's purchases on a batch of chains, in order; a budget takes as many as fit."""

    # name, label, help: key, name in a menu, one sentence on what it does
    name: str
    label: str
    help: str
    start_readings: tuple[str, ...]  # of every chain, before the first purchase
    # base_units, base_us: spent on the whole batch by then
    base_units: float
    base_us: float
    chain: np.ndarray  # (S,) int: index into the batch
    position: np.ndarray  # (S,) int: part of the chain, -1 = all of them
    tier: np.ndarray  # (S,) int: its tier after the purchase; 0 is free
    # units, us, each (S,): cost of the purchase: units, and measured microseconds with all overhead
    units: np.ndarray
    us: np.ndarray
    readings: tuple[str, ...]  # the chain after it


class TradeOff(NamedTuple):
    """What every method buys on a batch of W chains (words, pictures) of R parts in all (letters, frames,
    places).

    A reading is text: a symbol of the alphabet (a state) for every part.
    """

    task: str  # name of the problem
    # (W,) int: what a click on a chain opens: the word in the data set, the clip's seed
    chain_ids: np.ndarray
    truths: tuple[str, ...]  # the true readings
    alphabet: str  # symbols of the K states
    # (R, K) uint8: what is wrong if a part is read as a state, one bit per thing, the first being 1
    faults: np.ndarray
    # tier_names, tier_short: of tiers 0 .. T - 1, long and short
    tier_names: tuple[str, ...]
    tier_short: tuple[str, ...]
    # full_units, full_us: buying everything for every chain, without any policy
    full_units: float
    full_us: float
    # hand_base_units, hand_base_us: spent before the first purchase by hand
    hand_base_units: float
    hand_base_us: float
    # hand_units, hand_us, each (T, W): cost of raising a whole chain to each tier from the one below; row 0
    # is 0
    hand_units: np.ndarray
    hand_us: np.ndarray
    hand_readings: tuple[tuple[str, ...], ...]  # ``hand_readings[t][w]``: chain w read at tier t
    methods: tuple[Purchases, ...]
    drawn: Any = None  # what the problem's own ``trade_task.js`` draws: see `spcviz.problems.budgets.task`
    n_faults: int = 1  # how many things of a part can be wrong: bits of `faults`


class PolicyTrace(NamedTuple):
    """One method on one word of L letters, purchase by purchase: S purchases, S + 1 states."""

    name: str
    label: str
    help: str
    tiers: np.ndarray  # (S + 1, L) int
    readings: tuple[str, ...]  # of each state
    # (S + 1, L): predicted gain of the next purchase at each letter; NaN where nothing is for sale or nothing
    # is predicted
    values: np.ndarray
    position: np.ndarray  # (S,) int: letter bought for; -1 = several at once
    # units, us, each (S + 1,): spent so far; microseconds with features, inference and the policy's own time
    units: np.ndarray
    us: np.ndarray
    # forward, backward: (S + 1, 2) int: first and last letter whose messages the purchase changed, in the
    # direction of travel; -1 = none
    forward: np.ndarray
    backward: np.ndarray
    # messages, full_messages: (S + 1,) int: messages passed so far, and the number if all of them had been
    # recomputed each time
    messages: np.ndarray
    full_messages: np.ndarray


class PolicyWord(NamedTuple):
    """One word and how several methods spend on it."""

    word_id: int
    truth: str
    pixels: np.ndarray  # (L, 16, 8) uint8
    tier_names: tuple[str, ...]
    # full_units, full_us: buying everything without a policy
    full_units: float
    full_us: float
    traces: tuple[PolicyTrace, ...]

"""What the budget pages draw of whatever is bought for: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class Purchases(NamedTuple):
    """One method's purchases on a batch of chains, in order; a budget takes as many as fit.

    Attributes
    ----------
    name, label, help : str
        Key, what a menu calls it, one sentence on what it does.
    start_readings : tuple of str
        Of every chain, before the first purchase.
    base_units, base_us : float
        Spent on the whole batch by then.
    chain : ndarray of int, shape (S,)
        Index into the batch.
    position : ndarray of int, shape (S,)
        Part of the chain, -1 = all of them.
    tier : ndarray of int, shape (S,)
        Its tier after the purchase; 0 is free.
    units, us : ndarray, shape (S,)
        Cost of the purchase: units, and measured microseconds with all overhead.
    readings : tuple of str
        The chain after it.
    """

    name: str
    label: str
    help: str
    start_readings: tuple
    base_units: float
    base_us: float
    chain: np.ndarray
    position: np.ndarray
    tier: np.ndarray
    units: np.ndarray
    us: np.ndarray
    readings: tuple


class ArmPictures(NamedTuple):
    """What W chains of arms look like: R frames in all, of C clips.

    Attributes
    ----------
    clip : ndarray of int, shape (W,)
        Whose pictures, 0 .. C - 1.
    side : ndarray of int, shape (W,)
        0 = left arm, 1 = right.
    sheets : tuple of str, length C
        The frames of a clip side by side, squares: data URIs.
    joints : ndarray, shape (R, K, 3, 2)
        Shoulder, elbow, wrist of each state, pixels of a picture of 240 x 240.
    truth : ndarray, shape (R, 3, 2)
    """

    clip: np.ndarray
    side: np.ndarray
    sheets: tuple
    joints: np.ndarray
    truth: np.ndarray


class MarkedPictures(NamedTuple):
    """What W pictures look like whose places have classes: R places in all, K classes.

    Attributes
    ----------
    sources, titles : tuple of str, length W
        Data URIs, and what the pictures are called.
    places : ndarray of int, shape (R, 2)
        x and y, pixels.
    step : int
        Pixels between places.
    names, colours : tuple of str, length K
        Of the classes.
    """

    sources: tuple
    titles: tuple
    places: np.ndarray
    step: int
    names: tuple
    colours: tuple


class TradeOff(NamedTuple):
    """A batch of W chains (R parts in all), and what every method buys on it.

    Chains are words and their parts letters, or arms through a clip and their frames. A reading is text: a
    symbol of the alphabet (a state) for every part.

    Attributes
    ----------
    task : str
        Name of the problem.
    chain_ids : ndarray of int, shape (W,)
        The word in the data set; the seed of the clip.
    truths : tuple of str
        What is right.
    alphabet : str
        Symbols of the K states.
    faults : ndarray, shape (R, K), uint8
        What is wrong if a part is read as a state, a bit each: 1 the letter; 1 the elbow, 2 the wrist.
    pixels : ndarray, shape (R, 16, 8), uint8, or None
        Of words; 1 = ink.
    arms : ArmPictures or None
    tier_names, tier_short : tuple of str
        Of tiers 0 .. T - 1, long and short.
    full_units, full_us : float
        Buying everything for every chain, without any policy.
    hand_base_units, hand_base_us : float
        Spent before the first purchase by hand.
    hand_units, hand_us : ndarray, shape (T, W)
        Cost of raising a whole chain to each tier from the one below; row 0 is 0.
    hand_readings : tuple of tuple of str
        ``hand_readings[t][w]``: chain w read at tier t.
    methods : tuple of Purchases
    texts : tuple of (tuple of str), or None
        A text for each part of each chain, where it has one.
    pictures : MarkedPictures or None
    """

    task: str
    chain_ids: np.ndarray
    truths: tuple
    alphabet: str
    faults: np.ndarray
    pixels: np.ndarray | None
    arms: ArmPictures | None
    tier_names: tuple
    tier_short: tuple
    full_units: float
    full_us: float
    hand_base_units: float
    hand_base_us: float
    hand_units: np.ndarray
    hand_us: np.ndarray
    hand_readings: tuple
    methods: tuple
    texts: tuple | None = None
    pictures: MarkedPictures | None = None


class PolicyTrace(NamedTuple):
    """One method on one word of L letters, purchase by purchase: S purchases, S + 1 states.

    Attributes
    ----------
    name, label, help : str
    tiers : ndarray of int, shape (S + 1, L)
    readings : tuple of str
        Of each state.
    values : ndarray, shape (S + 1, L)
        What the policy predicts the next purchase at each letter to gain; NaN where nothing is for sale
        or nothing is predicted.
    position : ndarray of int, shape (S,)
        Letter bought for; -1 = several at once.
    units, us : ndarray, shape (S + 1,)
        Spent so far; microseconds with features, inference and the policy's own time.
    forward, backward : ndarray of int, shape (S + 1, 2)
        First and last letter whose messages the purchase changed, in the direction of travel; -1 = none.
    messages, full_messages : ndarray of int, shape (S + 1,)
        Messages passed so far, and what recomputing all of them each time would have passed.
    """

    name: str
    label: str
    help: str
    tiers: np.ndarray
    readings: tuple
    values: np.ndarray
    position: np.ndarray
    units: np.ndarray
    us: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    messages: np.ndarray
    full_messages: np.ndarray


class PolicyWord(NamedTuple):
    """One word and what several methods do with it.

    Attributes
    ----------
    word_id : int
    truth : str
    pixels : ndarray, shape (L, 16, 8), uint8
    tier_names : tuple of str
    full_units, full_us : float
        Buying everything without a policy.
    traces : tuple of PolicyTrace
    """

    word_id: int
    truth: str
    pixels: np.ndarray
    tier_names: tuple
    full_units: float
    full_us: float
    traces: tuple

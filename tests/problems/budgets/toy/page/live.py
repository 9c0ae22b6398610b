"""A random batch of chains of colours, and the purchases of every method on it."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.selector import uniform_values
from spcviz.problems.budgets.compare import Batch, spell_readings, trade_off
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.toy.shown import COLOURS, OFFERED, TERMS, TIERS

ALPHABET = "abcd"
NOISE = (0.9, 0.3)
"""Scale of the scores' noise at each tier."""
CLEAR_US = 40.0
"""Assumed cost of a clear look at one dot, in microseconds."""


class Whole(NamedTuple):
    """Chains for which features are only bought as a whole."""

    starts: np.ndarray  # (W + 1,): start of each chain's dots
    shape: tuple[int, int]  # numbers of dots and of tiers


def compare(n: int, seed: int) -> TradeOff:
    """`n` chains of 4 to 9 dots, drawn by `seed`; some are in thicker fog than others."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(4, 10, n)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    truth = rng.integers(0, len(COLOURS), starts[-1])
    fog = np.repeat(rng.uniform(0.3, 1.7, n), lengths)
    scores = np.array([np.eye(len(COLOURS))[truth] + _noise(rng, tier, fog) for tier in range(len(TIERS))])
    batch = Batch(
        world=Whole(starts, (len(truth), len(TIERS))),
        labels=scores.argmax(axis=2),
        values={"least_sure": -_sure(scores[0], starts)[:, None], "uniform_arms": uniform_values(n, 1, rng)},
        learned=None,
        feature_us=np.full((len(truth), 1), CLEAR_US),
        costs=None,
        read=lambda: _sure(scores[0], starts),
        alphabet=ALPHABET,
    )
    return trade_off(
        batch,
        OFFERED,
        TERMS,
        task="toy",
        chain_ids=np.arange(n),
        truths=spell_readings(truth, starts, ALPHABET),
        faults=(truth[:, None] != np.arange(len(COLOURS))).astype(np.uint8),
        tier_names=tuple(tier.name for tier in TIERS),
        tier_short=tuple(tier.short for tier in TIERS),
        drawn=COLOURS,
    )


def _noise(rng, tier, fog):
    return NOISE[tier] * fog[:, None] * rng.standard_normal((len(fog), len(COLOURS)))


def _sure(scores, starts):
    """Each chain's mean margin of the best colour over the second, (W,)."""
    best = np.sort(scores, axis=1)
    return np.add.reduceat(best[:, -1] - best[:, -2], starts[:-1]) / np.diff(starts)

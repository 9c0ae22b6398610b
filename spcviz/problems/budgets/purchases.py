"""The purchases of a method on a batch of chains, in the order in which the Trade-off page replays them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from spcviz.learning.budgets import expansion, part_policy
from spcviz.learning.budgets.world import Rule, World
from spcviz.problems.budgets.shown import Purchases
from spcviz.shared.clock import fastest_us


def spell_readings(labels, starts, alphabet):
    """Readings of all chains: a symbol for each label.

    >>> spell_readings([1, 0, 1], [0, 2, 3], "ab")
    ('ba', 'b')
    """
    text = "".join(alphabet[k] for k in labels)
    return tuple(text[a:b] for a, b in pairwise(starts))


def whole_chains(
    about: tuple[str, str, str],
    values: np.ndarray,
    feature_us: np.ndarray,
    starts: np.ndarray,
    labels: np.ndarray,
    read_us: float,
    alphabet: Sequence[str],
) -> Purchases:
    """Purchases of Algorithm 3, one whole chain each; its selector sees all that the first model read."""
    n, n_more = len(starts) - 1, labels.shape[0] - 1
    lengths = np.diff(starts)
    units = np.repeat(lengths[:, None].astype(float), n_more, axis=1)
    bought, choose_us = fastest_us(lambda: expansion.expand(values, units))
    step_us = (choose_us + read_us) / n  # after a purchase its chain is read, described and queued again
    us = np.add.reduceat(feature_us, starts[:-1], axis=0)
    readings = [spell_readings(row, starts, alphabet) for row in labels]
    at = bought.example, bought.tier - 1
    return Purchases(
        *about,
        start_readings=readings[0],
        base_units=0.0,
        base_us=choose_us + read_us,
        chain=bought.example,
        position=np.full(len(bought.tier), -1),
        tier=bought.tier,
        units=units[at],
        us=us[at] + step_us,
        readings=tuple(readings[t][w] for w, t in zip(bought.example, bought.tier)),
    )


def timed_course(world, how, costs=None):
    """(the whole trajectory, microseconds before the first purchase, microseconds per purchase)."""
    _, base_us = fastest_us(lambda: part_policy.spend(world, how, 0.0, costs))
    _, all_us = fastest_us(lambda: part_policy.spend(world, how, costs=costs))
    course = part_policy.spend(world, how, costs=costs, keep_all=True)
    return course, base_us, max(all_us - base_us, 0.0) / max(len(course.part), 1)


def single_parts(
    about: tuple[str, str, str],
    world: World,
    how: Rule,
    feature_us: np.ndarray,
    alphabet: Sequence[str],
    costs: np.ndarray | None = None,
) -> Purchases:
    """Purchases of Algorithm 5, one part each; the rule uses `costs`, one per tier if None."""
    course, base_us, step_us = timed_course(world, how, costs)
    chain = np.searchsorted(world.starts, course.part, side="right") - 1
    codes = np.array([ord(symbol) for symbol in alphabet], dtype="<u4")
    ends = zip(world.starts[chain], world.starts[chain + 1])
    readings = [
        codes[labels[a:b]].tobytes().decode("utf-32-le") for labels, (a, b) in zip(course.all_labels, ends)
    ]
    return Purchases(
        *about,
        start_readings=spell_readings(course.labels_before, world.starts, alphabet),
        base_units=0.0,
        base_us=base_us,
        chain=chain,
        position=course.part - world.starts[chain],
        tier=course.tier,
        units=np.ones(len(course.part)),
        us=feature_us[course.part, course.tier - 1] + step_us,
        readings=tuple(readings),
    )


def by_hand(queue, n_tiers, n_chains):
    """Cost in microseconds of raising a chain to each tier by hand, (T, W): what the queue would pay."""
    out = np.zeros((n_tiers, n_chains))
    out[queue.tier, queue.chain] = queue.us
    return out

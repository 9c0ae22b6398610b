"""Purchases of every method that spends a budget on one batch, in the order in which Trade-off replays them.

A smaller budget takes the first of each method's purchases. Costs are counted in units (one for a part's next
tier) and in microseconds: features as measured, inference and the method's own time as they run.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import expansion, part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.methods import EXAMPLE, METHODS, Terms
from spcviz.learning.budgets.part_policy import Learned, rule_of
from spcviz.learning.budgets.world import Rule, World
from spcviz.problems.budgets.shown import Purchases, TradeOff
from spcviz.shared.clock import fastest_us


class Batch(NamedTuple):
    """Some chains that a budget is spent on."""

    # all parts, read by the tiered model; only ``starts`` and ``shape`` count where whole chains are lifted
    world: Parts
    labels: np.ndarray  # (T, R) int64: states read by the plain model of each tier
    values: dict  # (W, T - 1): of each chain's next model, by the key of a method that lifts whole chains
    # for the rules of methods that lift single parts; None where only whole chains are lifted
    learned: Learned | None
    feature_us: np.ndarray  # (R, T - 1): microseconds of the features of each part's next tier
    costs: np.ndarray | None  # (R, T - 1): costs that rules use; one per tier if None
    read: Callable  # reads and describes the whole batch with the first model; it is timed
    alphabet: str  # a symbol for each state


def trade_off(batch: Batch, keys: Sequence[str], terms: Terms, **fields) -> TradeOff:
    """All methods on one batch; the first of `keys` lifts whole chains, as a purchase by hand does."""
    _, read_us = fastest_us(batch.read)  # the same for every method that needs it
    methods = tuple(purchases(batch, key, terms, read_us) for key in keys)
    queue, starts, n_tiers = methods[0], batch.world.starts, batch.world.shape[1]
    lengths = np.diff(starts)
    return TradeOff(
        alphabet="".join(batch.alphabet),
        full_units=float((n_tiers - 1) * starts[-1]),
        full_us=float(batch.feature_us.sum()) + queue.base_us,
        hand_base_units=0.0,
        hand_base_us=queue.base_us,
        hand_units=np.vstack([np.zeros(len(lengths)), np.tile(lengths, (n_tiers - 1, 1))]).astype(float),
        hand_us=by_hand(queue, n_tiers, len(lengths)),
        hand_readings=tuple(spell_readings(labels, starts, batch.alphabet) for labels in batch.labels),
        methods=methods,
        **fields,
    )


def purchases(batch: Batch, key: str, terms: Terms, read_us: float) -> Purchases:
    """Purchases of one method, a `key` of `METHODS`; `read_us` are the microseconds of ``batch.read``."""
    method = METHODS[key]
    about = (key, *method.describe(terms))
    if method.level == EXAMPLE:
        values = _in_turn(batch) if method.rule.by == "nothing" else batch.values[key]
        given = batch.feature_us, batch.world.starts, batch.labels, read_us, batch.alphabet
        return whole_chains(about, values, *given)
    how = rule_of(method, batch.learned)
    return single_parts(about, batch.world, how, batch.feature_us, batch.alphabet, batch.costs)


def _in_turn(batch):
    """Values that lift every chain to a tier before any to the next."""
    n_chains, n_more = len(batch.world.starts) - 1, batch.world.shape[1] - 1
    return np.broadcast_to(-np.arange(float(n_more)), (n_chains, n_more))


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


def timed_course(world, how, costs=None):
    """(the whole trajectory, microseconds before the first purchase, microseconds per purchase)."""
    _, base_us = fastest_us(lambda: part_policy.spend(world, how, 0.0, costs))
    _, all_us = fastest_us(lambda: part_policy.spend(world, how, costs=costs))
    course = part_policy.spend(world, how, costs=costs, keep_all=True)
    return course, base_us, max(all_us - base_us, 0.0) / max(len(course.part), 1)


def by_hand(queue, n_tiers, n_chains):
    """Cost in microseconds of raising a chain to each tier by hand, (T, W): what the queue would pay."""
    out = np.zeros((n_tiers, n_chains))
    out[queue.tier, queue.chain] = queue.us
    return out


def spell_readings(labels, starts, alphabet):
    """Readings of all chains: a symbol for each label.

    >>> spell_readings([1, 0, 1], [0, 2, 3], "ab")
    ('ba', 'b')
    """
    text = "".join(alphabet[k] for k in labels)
    return tuple(text[a:b] for a, b in pairwise(starts))

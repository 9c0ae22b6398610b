"""Run every method that spends a budget on one batch: the Trade-off page's data.

A smaller budget takes the first of each method's purchases. Costs are counted in units (one for a part's next
tier) and in microseconds: features as measured, inference and the method's own time as they run.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.methods import EXAMPLE, METHODS, Terms
from spcviz.learning.budgets.part_policy import Learned, rule_of
from spcviz.problems.budgets.purchases import by_hand, single_parts, spell_readings, whole_chains
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


def _in_turn(batch):
    """Values that lift every chain to a tier before any to the next."""
    n_chains, n_more = len(batch.world.starts) - 1, batch.world.shape[1] - 1
    return np.broadcast_to(-np.arange(float(n_more)), (n_chains, n_more))

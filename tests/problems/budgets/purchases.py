"""Checks of purchases that hold for every method and task: order, costs, budgets."""

import numpy as np


def assert_all_bought_in_order(batch, method):
    """Every part is lifted tier by tier to the last, at the total cost of buying everything."""
    starts = np.concatenate([[0], np.cumsum([len(t) for t in batch.truths])])
    tiers = np.zeros(starts[-1], dtype=int)
    for w, p, t in zip(method.chain, method.position, method.tier):
        here = slice(starts[w], starts[w + 1]) if p < 0 else slice(starts[w] + p, starts[w] + p + 1)
        assert (tiers[here] == t - 1).all()
        tiers[here] = t
    assert (tiers == len(batch.tier_names) - 1).all()
    assert method.units.sum() == batch.full_units

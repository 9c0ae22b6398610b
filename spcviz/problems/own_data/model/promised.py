"""What can be promised of a visitor's own file: the tolerance as tuned, on average, with 90 % certainty."""

import numpy as np

from spcviz.engine.errors import InfeasibleError
from spcviz.engine.thresholds import filtering, guarantees
from spcviz.problems.own_data.page.shown import Points, Promise, Swept

GUARANTEES = {"tuned": None, "mean": "mean", "certain": 0.9}
"""By the key of a `Promise`; see `spcviz.engine.thresholds.guarantees`."""


def promises_of(swept: Swept, tolerance: float) -> tuple[Promise, ...]:
    """One `Promise` for each of `GUARANTEES`, at one level.

    Of sentences that might have come in any order with those that thresholds were chosen on; on the other
    half it can be looked at.
    """
    return tuple(_promise(key, guarantee, swept, tolerance) for key, guarantee in GUARANTEES.items())


def _promise(key, guarantee, swept, tolerance):
    event = swept.dev.event[swept.dev.event > -np.inf]
    needed = guarantees.examples_needed(tolerance, guarantee)
    try:
        allowed = guarantees.allowed(len(event), tolerance, guarantee)
        alpha = filtering.largest_alpha(event, tolerance, guarantee=guarantee) if len(event) else 0.0
    except InfeasibleError:
        return Promise(key, tolerance, len(event), -1, needed, np.nan, np.nan, np.nan)
    return Promise(key, tolerance, len(event), allowed, needed, alpha, *_at(swept.test, alpha))


def _at(points: Points, alpha):
    """(share of sentences lost, n-grams kept a position) at an alpha."""
    alive = points.event[points.event > -np.inf]
    lost = float((alive <= alpha).mean()) if len(alive) else np.nan
    return lost, float((points.points > alpha).sum() / max(points.n_columns.sum(), 1))

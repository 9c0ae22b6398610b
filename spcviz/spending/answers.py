"""Result types of the budgeted estimators: predictions with costs, single purchases, budget curves."""

from importlib import import_module
from typing import NamedTuple

import numpy as np


class Spent(NamedTuple):
    """Predictions, the tiers reached and the cost.

    Attributes
    ----------
    labels : list of ndarray, (L_i,) each
    tiers : list of ndarray, (L_i,) int64 each
        Tier to which each position was lifted, 0 to T - 1.
    cost : float
    """

    labels: list[np.ndarray]
    tiers: list[np.ndarray]
    cost: float


class Purchase(NamedTuple):
    """One purchase for one sequence, as listed by `course`.

    Attributes
    ----------
    position : int
        -1: the whole sequence.
    tier : str
        Name of the tier that was bought.
    value : float
        Its value in the queue.
    cost : float
    labels : ndarray, shape (L,)
        Prediction after it.
    """

    position: int
    tier: str
    value: float
    cost: float
    labels: np.ndarray


class BudgetCurve(NamedTuple):
    """The results of several budgets.

    Attributes
    ----------
    budget, cost : ndarray, shape (B,)
        The available and the spent amount.
    error : ndarray, shape (B,)
        Share of positions whose label is wrong.
    lifted : ndarray, shape (B, T)
        Share of positions at each tier.
    """

    budget: np.ndarray
    cost: np.ndarray
    error: np.ndarray
    lifted: np.ndarray

    def show(self) -> object:
        """Show the curves in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self)


def curve_of(budgets: list[float], rows: list[tuple[float, float, np.ndarray]], n_tiers: int) -> BudgetCurve:
    """A curve from the (cost, error, lifted) of each budget."""
    return BudgetCurve(
        np.array(budgets, dtype=float),
        np.array([cost for cost, _, _ in rows], dtype=float),
        np.array([error for _, error, _ in rows], dtype=float),
        np.array([lifted for _, _, lifted in rows]).reshape(len(rows), n_tiers),
    )

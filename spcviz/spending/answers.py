"""Result types of the estimators under a budget."""

from importlib import import_module
from typing import NamedTuple

import numpy as np


class Spent(NamedTuple):
    """Predictions and what they took.

    Attributes
    ----------
    labels : list of ndarray, (L_i,) each
    tiers : list of ndarray, (L_i,) int64 each
        Tier that each position was lifted to, 0 to T - 1.
    cost : float
    """

    labels: list[np.ndarray]
    tiers: list[np.ndarray]
    cost: float


class Purchase(NamedTuple):
    """One step of a course on one sequence.

    Attributes
    ----------
    position : int
        -1: the whole sequence.
    tier : str
        Name of the tier that was bought.
    value : float
        What it was queued by.
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
    """What each of some budgets buys.

    Attributes
    ----------
    budget, cost : ndarray, shape (B,)
        What was there to spend, and what was spent.
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
        """The curves in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self)


def curve_of(budgets: list[float], rows: list[tuple[float, float, np.ndarray]], n_tiers: int) -> BudgetCurve:
    """A curve of (cost, error, lifted) of each budget."""
    return BudgetCurve(
        np.array(budgets, dtype=float),
        np.array([cost for cost, _, _ in rows], dtype=float),
        np.array([error for _, error, _ in rows], dtype=float),
        np.array([lifted for _, _, lifted in rows]).reshape(len(rows), n_tiers),
    )

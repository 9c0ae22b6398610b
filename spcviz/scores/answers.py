"""What questions about sequences are answered with."""

from importlib import import_module
from typing import NamedTuple

import numpy as np

from spcviz.engine.thresholds.results import Curve


class Ranked(NamedTuple):
    """The best labellings of one sequence, best first.

    Attributes
    ----------
    scores : ndarray, shape (m,)
        At most k; fewer if fewer labellings have a finite score, none of a sequence without positions.
    labels : ndarray, shape (m, L)
    """

    scores: np.ndarray
    labels: np.ndarray


class Witness(NamedTuple):
    """The best labelling of one sequence with one label fixed.

    Attributes
    ----------
    score : float
        The label's max-marginal.
    labels : ndarray, shape (L,)
    """

    score: float
    labels: np.ndarray


class Curves(NamedTuple):
    """What pruning at each alpha costs and saves, as step functions of alpha up to 1.

    Attributes
    ----------
    filter_loss : Curve
        Share of sequences whose truth scores at most the threshold (thesis, Definition 1).
    pruned : Curve
        Share of sequences that lose a true label: never more than `filter_loss`.
    efficiency_loss : Curve
        Mean share of the possible labels that is kept (Definition 2).
    """

    filter_loss: Curve
    pruned: Curve
    efficiency_loss: Curve

    def show(self) -> object:
        """The curves in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self)

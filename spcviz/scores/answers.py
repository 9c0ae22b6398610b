"""Result types of queries on sequences: the k best, witnesses, curves over thresholds."""

from importlib import import_module
from typing import NamedTuple

import numpy as np

from spcviz.engine.thresholds.results import Curve


class Ranked(NamedTuple):
    """The best labellings (m, L) of one sequence, best first, and their scores (m,).

    At most k; fewer if fewer labellings have a finite score, none for a sequence without positions.
    """

    scores: np.ndarray
    labels: np.ndarray


class Witness(NamedTuple):
    """The best labelling (L,) of one sequence with one label fixed; its score is the label's max-marginal."""

    score: float
    labels: np.ndarray


class Curves(NamedTuple):
    """Costs and savings of pruning at each alpha, as step functions of alpha up to 1.

    - `filter_loss`: share of sequences whose truth scores at most the threshold (thesis, Definition 1)
    - `pruned`: share of sequences that lose a true label: never more than `filter_loss`
    - `efficiency_loss`: mean share of the possible labels that is kept (Definition 2)
    """

    filter_loss: Curve
    pruned: Curve
    efficiency_loss: Curve

    def show(self) -> object:
        """Show the curves in a notebook; see `spcviz.show`."""
        return import_module("spcviz").show(self)

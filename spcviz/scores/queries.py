"""Queries on sequences: their threshold arguments, and the types of their results."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.thresholds import rules
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


BY_ALPHA = ("mean_max", "mean_max_first")
"""Rules whose setting is an alpha."""


def read_rule(
    alpha: ArrayLike | None,
    margin: ArrayLike | None,
    probability: ArrayLike | None,
    rule: str | None,
    n: int,
) -> tuple[str, np.ndarray]:
    """(rule, its settings: one, or one for each of n sequences).

    `ArgumentError` unless exactly one of the three is given, within its range and with a rule that fits it;
    `ShapeError` unless it is one number or n.
    """
    given: dict[str, Any] = {"alpha": alpha, "margin": margin, "probability": probability}
    named = [name for name, value in given.items() if value is not None]
    if len(named) != 1:
        got = " and ".join(named) or "none"
        raise ArgumentError(f"one of alpha, margin, probability must be given, got {got}")
    (name,) = named
    if rule is None:
        rule = "mean_max" if name == "alpha" else name
    fits = rule in BY_ALPHA if name == "alpha" else rule == name
    if rules.checked_rule(rule) and not fits:
        raise ArgumentError(f"rule must be one that {name} is a number of, got {rule!r}")
    values = checks.settings(name, given[name])
    if values.shape not in ((1,), (n,)) or np.ndim(given[name]) > 1:
        raise ShapeError(f"{name} has shape {values.shape}; it needs () or {(n,)}")
    settings = -values if name == "margin" else values
    for one in settings:
        rules.checked_setting(rule, float(one))
    return rule, settings[0] if np.ndim(given[name]) == 0 else settings


def write_rule(rule: str, setting: ArrayLike) -> np.ndarray:
    """A setting in the form that `read_rule` takes; margins become positive again."""
    return -np.asarray(setting) if rule == "margin" else np.asarray(setting)

"""Parse the threshold arguments of `prune` and `tune`: an alpha, a margin or a probability."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.thresholds import rules

BY_ALPHA = ("mean_max", "mean_max_first")


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

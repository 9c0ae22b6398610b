r"""Thresholds of a whole cascade by one number, with a guarantee for all of its levels together.

A cascade of T filters has T settings. Along its *path* one number sets them all: let :math:`\sigma_t` be the
setting tuned for level t, and :math:`r_t` how far below the best its threshold lies; at a factor c every
threshold lies :math:`c\,r_t` below the best (`rules.scale_setting`; for probabilities: in logs). Small
factors prune hard, large ones keep nearly everything.

Choosing c gives a guarantee for a whole cascade. Let the factors :math:`c_1 > c_2 > \dots > c_G` and the
settings :math:`\sigma_t` be fixed before the calibration examples are seen, and let an example's break point
be the first j at which *the cascade at* :math:`c_j` *loses its truth, whichever level does it*:

.. math:: s_i = \min \{ j : \text{the truth of } i \text{ is lost at } c_j \}, \qquad
   \mathrm{lost}_i(j) \le 1[s_i \le j]

The set lost at :math:`c_j` need not grow with j: after harder filters a best score may fall, and a later
threshold with it. But the set *lost at j or before* does grow, and contains it. So the :math:`s_i` are break
points of one filter, exchangeable if the examples are, since each is computed from its own example alone.
`guarantees` then says how many of n may have :math:`s_i \le j`, and its proofs hold word for word: with k
allowed losses, take the last j before more than k are lost at :math:`c_j` or before. All levels share these k
losses as they occur: nothing is allotted to levels beforehand, and there is no union bound over levels.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.thresholds import guarantees, rules
from spcviz.engine.thresholds.guarantees import Guarantee

FACTORS = tuple(float(2.0 ** (3 - j / 4)) for j in range(25))
"""From eight times as far below the best to an eighth, in steps of a fourth root of two."""


class Chosen(NamedTuple):
    """A cascade's thresholds, chosen together."""

    factor: float
    settings: tuple[float, ...]
    first_lost: np.ndarray  # (n,) int64: index of the first factor that loses each; number of factors: none
    allowed: int  # number of examples that might be lost


def settings_at(rule: str, settings: Sequence[float], factor: float) -> tuple[float, ...]:
    """The settings of all levels at a factor.

    >>> settings_at("margin", (-4.0, -2.0), 0.5)
    (-2.0, -1.0)
    """
    return tuple(rules.scale_setting(rule, setting, factor) for setting in settings)


def choose(
    rule: str,
    settings: Sequence[float],
    n_examples: int,
    lost_at: Callable[[tuple[float, ...], np.ndarray], np.ndarray],
    tolerance: float,
    guarantee: Guarantee,
    factors: Sequence[float] = FACTORS,
) -> Chosen:
    """The hardest thresholds on a cascade's path that keep a guarantee.

    Parameters
    ----------
    rule : str
        Of the cascade.
    settings : sequence of float
        Of its filters; they must not have been tuned on the calibration examples.
    n_examples : int
        Calibration examples.
    lost_at : callable
        ``lost_at(settings of all levels, indices of some examples)`` returns whether any level loses the
        truth of each, bool.
    tolerance : float
        Allowed share of examples, 0 to 1, over all levels together.
    guarantee : {None, "mean"} or float
        See `guarantees`.
    factors : sequence of float
        Falling.

    Raises
    ------
    InfeasibleError
        If the guarantee needs more examples than there are, or too many are already lost at the first factor.
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> scores = np.array([-1.0, -3.0, -0.2, -0.4])
    >>> chosen = choose("margin", (-1.0,), 4, lambda at, some: scores[some] <= at[0], 0.5, "mean")
    >>> round(chosen.factor, 3), chosen.allowed
    (1.189, 1)
    """
    factors = [checks.number("factors", factor, 0.0) for factor in factors]
    if not factors or (np.diff(factors) >= 0).any():
        raise ArgumentError(f"factors must fall, got {factors!r:.60}")
    allowed = guarantees.n_allowed(n_examples, tolerance, guarantee)
    first_lost = np.full(n_examples, len(factors))
    best = -1
    for j, factor in enumerate(factors):
        alive = np.flatnonzero(first_lost == len(factors))
        lost = lost_at(settings_at(rule, settings, factor), alive)
        first_lost[alive[lost]] = j
        if (first_lost <= j).sum() > allowed:
            break
        best = j
    if best < 0:
        raise InfeasibleError(
            f"{int((first_lost == 0).sum())} of {n_examples} calibration examples are lost at thresholds "
            f"{factors[0]:g} times as far below the best, and a loss of {100 * tolerance:g} % "
            f"{guarantees.describe_guarantee(guarantee)} allows {allowed}: raise the tolerance"
        )
    return Chosen(factors[best], settings_at(rule, settings, factors[best]), first_lost, allowed)

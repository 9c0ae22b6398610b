r"""The threshold rules by name: how far below the best score a level still keeps assignments.

=================  ==============================================  ===========================================
`rule`             keep a iff                                      setting
=================  ==============================================  ===========================================
"mean_max"         :math:`\psi^*_a > \max - (1 - \alpha) g`        alpha; g = max - mean in the level's space
                                                                   (Weiss 2013, thesis, equation (4.3))
"mean_max_first"   :math:`\psi^*_a > \max - (1 - \alpha) g_1`      alpha; :math:`g_1` = max - mean where the
                                                                   example had not been filtered at all
"margin"           :math:`\psi^*_a > \max - \delta`                minus the margin delta
"probability"      :math:`p(a) > \pi`                              the probability pi (sum-product marginals)
=================  ==============================================  ===========================================

A *setting* rises as more is pruned, whatever the rule: an alpha, a probability, or minus a margin. Break
points are settings, so code that sorts, tunes and draws break points of alphas works with those of any rule.

Why not the thesis' rule alone: after other filters the mean of (4.3) is taken over the remaining assignments.
With one rival left among N assignments it lies an N-th of the rival's distance under the best, whatever that
distance is: one alpha gives little slack to easy examples, where near rivals are left, and much to hard ones.
A margin is the same slack for all. As a separate alpha for each example it is
:math:`1 - \delta / (\max - \mathrm{mean})`, so Lemmas 1 and 2, which hold for any threshold below the best
score, hold for it: if :math:`\psi(y) > \tau`, then every max-marginal of y's assignments, which is never less
than :math:`\psi(y)`, is over :math:`\tau` too; and the best labelling is such a y, for :math:`\delta > 0`. A
threshold on probabilities becomes a margin as scores grow: :math:`p(a) > e^{-\delta}` is
:math:`\log Z_a > \log Z - \delta`, sums in place of maxima.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds import filtering, rule
from spcviz.engine.thresholds.guarantees import Guarantee

RULES = ("mean_max", "mean_max_first", "margin", "probability")

TINY = 1e-9
"""Share of a margin or probability by which a setting stays clear of a break point, however it rounds."""


class Way(NamedTuple):
    """A rule at a setting, as kernels take it."""

    alpha: np.ndarray | float
    yardstick: np.ndarray | float | None  # of `filtering`; None: the gap of the space itself
    by_marginals: bool  # probabilities are compared with alpha itself


def checked_rule(name: object) -> str:
    """`name` if it is one of `RULES`, else ArgumentError."""
    return checks.one_of("rule", name, RULES)


def checked_setting(name: str, setting: float) -> float:
    """A setting in a rule's range, else ArgumentError.

    >>> checked_setting("margin", -2.5), checked_setting("probability", 0.1)
    (-2.5, 0.1)
    """
    if checked_rule(name) == "probability":
        return checks.fraction("probability", setting)
    if name == "margin":
        return -checks.number("margin", -setting, 0.0)
    return checks.alpha("alpha", setting)


def way_of(name: str, setting: ArrayLike, first_gap: np.ndarray | None = None) -> Way:
    """The `Way` of a setting (or one per example), given the gaps of the unfiltered examples (W,).

    `ArgumentError` if a setting is out of range, or `first_gap` is missing where the rule needs it.

    >>> way_of("margin", -2.0)
    Way(alpha=0.0, yardstick=array(2.), by_marginals=False)
    """
    settings = np.asarray(setting, dtype=np.float64)
    for one in {float(settings.min()), float(settings.max())} if settings.size else ():
        checked_setting(name, one)
    if name == "margin":
        return Way(0.0, np.asarray(np.abs(settings)), False)
    if name == "mean_max_first":
        return Way(settings, checked_first_gap(first_gap), False)
    return Way(settings, None, name == "probability")


def at_first(name: str) -> str:
    """The rule where nothing has been filtered yet: there the first space's mean is this space's own."""
    return "mean_max" if checked_rule(name) == "mean_max_first" else name


def way_at_first(name: str, setting: float) -> tuple[float, float]:
    """(alpha, yardstick as kernels take it) of one setting where nothing has been filtered yet.

    >>> way_at_first("mean_max_first", 0.5), way_at_first("margin", -2.0)
    ((0.5, -1.0), (0.0, 2.0))
    """
    way = way_of(at_first(name), checked_setting(name, setting))
    return rule.cap_alpha(float(way.alpha)), rule.OWN_GAP if way.yardstick is None else float(way.yardstick)


def checked_first_gap(first_gap: np.ndarray | None) -> np.ndarray:
    """`first_gap` if there is one, else ArgumentError."""
    if first_gap is None:
        raise ArgumentError("first_gap must be given where the rule is mean_max_first, got None")
    return np.asarray(first_gap, dtype=np.float64)


def break_points(
    name: str, values: np.ndarray, starts: np.ndarray, first_gap: np.ndarray | None = None
) -> np.ndarray:
    """The setting from which each value falls, shape (A,), as in `filtering.break_points_batch`.

    For probabilities it is the probability itself.
    """
    if checked_rule(name) == "probability":
        return values
    if name == "margin":
        return filtering.margin_points_batch(values, starts)
    return filtering.break_points_batch(
        values, starts, None if name == "mean_max" else checked_first_gap(first_gap)
    )


def truth_points(
    name: str,
    truth_scores: ArrayLike,
    values: np.ndarray,
    starts: np.ndarray,
    first_gap: np.ndarray | None = None,
) -> np.ndarray:
    """The setting from which each truth counts as lost by Definition 1, shape (N,); not for probabilities."""
    if checked_rule(name) == "margin":
        return filtering.truth_margin_points(truth_scores, values, starts)
    if name == "probability":
        raise ArgumentError("rule must be one of max-marginals for Definition 1, got 'probability'")
    yardstick = None if name == "mean_max" else checked_first_gap(first_gap)
    return filtering.truth_break_points(truth_scores, values, starts, yardstick)


def just_below(name: str, point: float) -> float:
    """The largest setting sure to keep what falls at a break point; at inf, the hardest there is.

    >>> just_below("margin", -2.0) < -2.0, just_below("margin", np.inf), just_below("probability", 1e-12) > 0
    (True, 0.0, True)
    """
    if checked_rule(name) == "margin":
        return min(point * (1 + TINY), 0.0) if point < np.inf else 0.0
    if name == "probability":
        return max(min(point, 1.0) * (1 - TINY), 0.0)
    return rule.just_below(point)


def tune_setting(name: str, points: ArrayLike, tolerance: float, guarantee: Guarantee = None) -> float:
    """The hardest setting that loses no more than a tolerance, by `filtering.largest_alpha`.

    Probabilities are not below 0: where more have fallen than the tolerance allows, 0 is returned.

    >>> round(tune_setting("margin", np.array([-3.0, -1.0, np.inf]), 0.4), 6)
    -1.0
    """
    lowest = 0.0 if checked_rule(name) == "probability" else -np.inf
    return filtering.largest_alpha(
        points, tolerance, lowest, guarantee=guarantee, below=lambda point: just_below(name, point)
    )


def drawn_from(name: str, setting: float) -> float:
    """Start of a curve over settings that must show one of them: the mean, or four times the margin."""
    return 4.0 * setting if checked_rule(name) == "margin" else min(setting, 0.0)


def hardest(name: str) -> float:
    """The setting that keeps least: at the best score, no margin at all, certainty."""
    return 0.0 if checked_rule(name) == "margin" else 1.0


def lowest(name: str, points: ArrayLike) -> float:
    """The setting at which only forbidden assignments fall, as in `filtering.lowest_alpha`."""
    points = checks.points("points", points)
    return min(0.0, just_below(name, points[points > -np.inf].min(initial=np.inf)))


def scale_setting(name: str, setting: float, factor: float) -> float:
    """The setting whose threshold lies `factor` times as far below the best (of probabilities: in logs).

    >>> scale_setting("mean_max", 0.5, 2.0), scale_setting("margin", -3.0, 2.0)
    (0.0, -6.0)
    >>> scale_setting("probability", 0.1, 2.0)
    0.010000000000000002
    """
    factor = checks.number("factor", factor, 0.0)
    if checked_rule(name) == "margin":
        return setting * factor
    if name == "probability":
        return float(setting**factor) if setting > 0 else 0.0
    return min(1.0 - (1.0 - setting) * factor, 1.0)

r"""The threshold rule of a cascade and its only definition: which max-marginals a level keeps.

.. math:: \tau_\alpha = \alpha \max_a \psi^*_a + (1 - \alpha)\,\mathrm{mean}_a \psi^*_a
   = \max - (1 - \alpha) (\max - \mathrm{mean}), \qquad \text{keep } a \iff \psi^*_a > \tau_\alpha

over the finite max-marginals of one example (Weiss 2013, thesis, equation (4.3)). Throughout ``best`` is the
largest of them, ``mean`` their mean and ``gap`` = best - mean, which is never negative.

Alpha is at most 1. At 0 the threshold is the mean; below 0 it lies under the mean, down to where everything
is kept. Lemmas 1 and 2 hold for any threshold below the best, so tuning may go there; learning stays from 0
to below 1, where the threshold is convex in the scores.

Instead of this example's own gap, 1 - alpha may be a share of another quantity, a `yardstick`:

.. math:: \tau = \max - (1 - \alpha) \, \mathrm{yardstick}

A margin :math:`\delta` is the yardstick at alpha 0: keep what is less than delta below the best, whatever the
other values are. `rules` has these by name.

Kernels call these functions with numbers and compile them in under their own flags; Python may pass arrays.
Nothing here checks its arguments: see `filtering`, `prune` and `ensemble` for that.
"""

from typing import Any, TypeVar

import numpy as np

from spcviz.engine.kernels.jit import plain_kernel
from spcviz.engine.kernels.once import larger_of, smaller_of

Values = TypeVar("Values", float, np.ndarray)
"""Numbers in kernels, numbers or arrays in Python."""

ALPHA_CAP = 1 - 1e-9
"""Largest alpha used: at 1 the rule "greater than the maximum" would prune everything."""

ALPHA_MARGIN = 1e-9
"""Distance below a break point, in units of the mean's share, that keeps a score however an alpha rounds."""

NO_SPREAD = 1e-12
"""Gap, as a share of the best, up to which all values count as equal, whatever the unit of scores."""

OWN_GAP = -1.0
"""The yardstick of an example that is measured by its own gap."""


@plain_kernel
def cap_alpha(alpha: float) -> float:
    """The alpha that is used for a requested `alpha`.

    >>> cap_alpha(0.5), 1 - cap_alpha(1.0) > 0
    (0.5, True)
    """
    return smaller_of(alpha, ALPHA_CAP)


@plain_kernel
def has_spread(best: Values, gap: Values) -> Any:
    """Whether values differ by more than rounding; where they do not, nothing is pruned."""
    return gap > NO_SPREAD * np.abs(best)


@plain_kernel
def spread(values: np.ndarray, first: int, last: int) -> tuple[float, float, int]:
    """(best, gap, count) of the finite values among ``values[first:last]``; best is -inf if none is."""
    best, count = -np.inf, 0
    for a in range(first, last):
        if values[a] > -np.inf:
            count += 1
            best = values[a] if values[a] > best else best
    below = 0.0  # summing differences keeps the mean at or below the best
    for a in range(first, last):
        if values[a] > -np.inf:
            below += best - values[a]
    if below < np.inf:
        return best, below / larger_of(count, 1), count
    below = 0.0
    for a in range(first, last):  # the sum of these differences overflows, their mean does not
        if values[a] > -np.inf:
            below += (best - values[a]) / count
    return best, below, count


def mean_of(best: float, values: np.ndarray) -> float:
    """Mean of an array of finite values, as the best minus their mean distance from it.

    >>> mean_of(4.0, np.array([4.0, 2.0, 0.0]))
    2.0
    """
    return float(best + (values - best).mean())


@plain_kernel
def mean_share(alpha: float) -> float:
    """Weight of the mean in the threshold; the best has weight alpha."""
    return 1.0 - alpha


@plain_kernel
def reach(gap: Values, alpha: float) -> Values:
    """Distance of the threshold below the best."""
    return mean_share(alpha) * gap


@plain_kernel
def yardstick(best: float, gap: float, given: float) -> float:
    """The quantity that 1 - alpha is a share of: the gap if `given` < 0, else `given`, at least rounding.

    >>> yardstick(4.0, 2.0, OWN_GAP), yardstick(4.0, 2.0, 3.0), yardstick(4.0, 2.0, 0.0)
    (2.0, 3.0, 4e-12)
    """
    if given < 0.0:
        return gap
    return larger_of(given, NO_SPREAD * abs(best))


@plain_kernel
def threshold(best: Values, gap: Values, alpha: float) -> Values:
    """The score that a survivor must exceed. This form cannot round above the best.

    >>> threshold(4.0, 2.0, 0.5)
    3.0
    """
    return best - reach(gap, alpha)


@plain_kernel
def mixture(of_best: Values, of_mean: Values, alpha: float) -> Values:
    """The threshold as printed, linear in the best and in the mean.

    Learning needs this form: the threshold's gradient is the mixture of the gradients of the two.

    >>> mixture(4.0, 2.0, 0.5)
    3.0
    """
    return alpha * of_best + mean_share(alpha) * of_mean


@plain_kernel
def survives(score: float | np.ndarray, tau: float | np.ndarray) -> Any:
    """Keep iff above the threshold: a score equal to it is pruned."""
    return score > tau


@plain_kernel
def position(score: Values, best: float, mean: float) -> Values:
    """The alpha whose threshold is `score`: 0 at the mean, 1 at the best.

    >>> position(3.0, 4.0, 2.0)
    0.5
    """
    return (score - mean) / (best - mean)


@plain_kernel
def break_point(score: float, best: float, mean: float, is_spread: bool) -> float:
    """The alpha from which a score is pruned.

    As in `filtering.break_points`.

    >>> break_point(3.0, 4.0, 2.0, True), break_point(4.0, 4.0, 2.0, True)
    (0.5, inf)
    """
    if score == -np.inf:
        return -np.inf
    if not is_spread or score >= best:
        return np.inf
    return position(score, best, mean)


@plain_kernel
def break_point_by(score: float, best: float, unit: float, is_spread: bool) -> float:
    """`break_point` where 1 - alpha is a share of another yardstick than the gap.

    >>> break_point_by(3.0, 4.0, 4.0, True), break_point_by(3.0, 4.0, 0.5, True)
    (0.75, -1.0)
    """
    if score == -np.inf:
        return -np.inf
    if not is_spread or score >= best:
        return np.inf
    return 1.0 - (best - score) / unit


@plain_kernel
def margin_point(score: float, best: float, is_spread: bool) -> float:
    """Minus the margin down to which a score is kept: `break_point` of margins, negated to rise as alphas do.

    >>> margin_point(3.0, 4.0, True), margin_point(4.0, 4.0, True)
    (-1.0, inf)
    """
    if score == -np.inf:
        return -np.inf
    if not is_spread or score >= best:
        return np.inf
    return score - best


def just_below(point: float) -> float:
    """The largest alpha sure to keep what falls at a break point; a break point at the best is capped.

    >>> 0 < 0.5 - just_below(0.5) < 1e-8, just_below(-2.0) < -2.0
    (True, True)
    """
    return smaller_of(point - ALPHA_MARGIN * larger_of(1.0, mean_share(point)), ALPHA_CAP)


def lead(height: Values, gap: Values, alpha: float) -> Values:
    """Margin of a score over the threshold: score minus threshold, for a score `height` above the mean."""
    return height - alpha * gap


def lag(point: Values, gap: Values, alpha: float) -> Values:
    """Threshold minus score, for a score with break point `point`; that of the best is 1 here, not inf."""
    return (alpha - point) * gap

r"""Thresholds on max-marginals: the states that a filter keeps, its losses, and break points in alpha.

For one example with max-marginals :math:`\psi^*_a` of all filtered assignments a (pooled over
positions; -inf means forbidden and does not count):

.. math:: \tau_\alpha = \alpha \max_a \psi^*_a + (1 - \alpha)\,\mathrm{mean}_a \psi^*_a

keep iff ``max_marginal > tau``, as `spcviz.engine.thresholds.rule` defines it. Two guards make the lattice
safe in floating point (Lemma 2 needs ``max > tau``): the best path is kept explicitly, and where all values
are equal nothing is pruned. The kernels use IEEE rounding without contraction, so that a browser can repeat
them bit for bit.

Raising alpha prunes more. Assignment a falls at exactly :math:`\alpha_a = (\psi^*_a - mean)/(max - mean)`,
the truth at :math:`(\psi(y) - mean)/(max - mean)`: sorted, these give whole curves without a grid.
An alpha below 0 means a threshold under the mean.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import InfeasibleError, ShapeError
from spcviz.engine.kernels.jit import strict_kernel
from spcviz.engine.kernels.once import fill_new
from spcviz.engine.thresholds import guarantees, rule
from spcviz.engine.thresholds.guarantees import Guarantee
from spcviz.engine.thresholds.results import Losses, Threshold, Thresholds


def threshold(max_marginals: ArrayLike, alpha: float, yardstick: float | None = None) -> Threshold:
    """The max-mean-max threshold of one example. Weiss (2013), thesis, equation (4.3).

    Parameters
    ----------
    max_marginals : array_like, any shape
        Of all filtered assignments, pooled; -inf is ignored.
    alpha : float
        0 (the mean) to 1 (the maximum; used as 1 - 1e-9), or below 0 (under the mean).
    yardstick : float, optional
        The quantity that 1 - alpha is a share of, in the unit of scores, instead of best - mean: 0 or more.
        At alpha 0 it is a margin.

    Raises
    ------
    ArgumentError
        If alpha is over 1 or not finite, or the yardstick is negative or not finite.
    ScoreError
        If a max-marginal is NaN or +inf.
    InfeasibleError
        If none is finite.

    Examples
    --------
    >>> threshold([4.0, 2.0, 0.0], 0.5).tau
    3.0
    >>> threshold([4.0, 2.0, 0.0], 0.0, yardstick=0.5).tau
    3.5
    >>> threshold([1.0, 1.0], 0.5).has_spread
    False
    """
    values = checks.sums("max_marginals", max_marginals, tuple(range(1, 9))).reshape(-1)
    alpha = checks.alpha("alpha", alpha)
    given = checked_yardsticks(yardstick, 1)
    table = _thresholds(values, np.array([0, len(values)]), np.array([alpha]), given)
    if table[3][0] == 0:
        raise InfeasibleError(f"max_marginals of shape {values.shape} holds no finite value")
    tau, best, mean, n_valid, has_spread = (field[0] for field in table)
    return Threshold(float(tau), float(best), float(mean), int(n_valid), bool(has_spread))


def keep(max_marginals: ArrayLike, limit: Threshold, best_path: ArrayLike = ()) -> np.ndarray:
    """Mask of the assignments that survive, bool in the shape of `max_marginals`.

    `ScoreError`, `ArgumentError` if a value is NaN or +inf, or an index is out of range.

    Parameters
    ----------
    max_marginals : array_like, any shape
    limit : Threshold
        From `threshold` on the same values.
    best_path : array_like of int
        Flat indices kept whatever rounding does: the assignments of the best labelling.

    Examples
    --------
    >>> values = [4.0, 2.0, 0.0, -np.inf]
    >>> keep(values, threshold(values, 0.0))
    array([ True, False, False, False])
    """
    values = checks.sums("max_marginals", max_marginals, tuple(range(1, 9)))
    path = checks.whole_numbers("best_path", best_path, 0, values.size - 1)
    mask = rule.survives(values, checks.of_own_type("limit", limit, Threshold).tau) & (values > -np.inf)
    mask.reshape(-1)[path] = True
    return mask


def losses(
    max_marginals: ArrayLike, limit: Threshold, truth_score: float, truth: ArrayLike, mask: ArrayLike
) -> Losses:
    """Filter loss, the event it bounds, efficiency loss of one example; Weiss (2013), Definitions 1 and 2.

    Parameters
    ----------
    max_marginals : array_like, any shape
    truth_score : float
        Score of the true labelling; -inf if it is no longer in the space.
    truth : array_like of int
        Flat indices of the truth's assignments; empty if it is no longer in the space.
    mask : ndarray of bool
        From `keep`.

    Examples
    --------
    >>> values = [4.0, 2.0, 0.0]
    >>> limit = threshold(values, 0.5)
    >>> losses(values, limit, 2.0, [1], keep(values, limit))
    Losses(filter_loss=1.0, was_pruned=1.0, efficiency_loss=0.333...)
    """
    values = checks.sums("max_marginals", max_marginals, tuple(range(1, 9)))
    mask = checks.typed_array("mask", mask, "biuf", "yes and no")
    if mask.shape != values.shape or mask.dtype != bool:
        raise ShapeError(
            f"mask has shape {mask.shape}, dtype {mask.dtype}; max_marginals needs {values.shape} bool"
        )
    truth = checks.whole_numbers("truth", truth, 0, values.size - 1)
    truth_score = float(checks.sums("truth_score", truth_score, 0)[0])
    checks.of_own_type("limit", limit, Threshold)
    was_pruned = truth.size == 0 or not mask.reshape(-1)[truth].all()
    # Guards keep what the bare rule would prune (no spread, best path); Definition 1 follows the rule.
    is_loss = was_pruned if not limit.has_spread else not rule.survives(truth_score, limit.tau)
    return Losses(float(is_loss), float(was_pruned), float(mask.sum() / max(limit.n_valid, 1)))


def break_points(max_marginals: ArrayLike) -> np.ndarray:
    """The alpha from which each assignment of one example is pruned, in the shape of `max_marginals`.

    Below 0: under the mean. inf: never (the best path, or no spread). -inf: forbidden from the start.

    >>> break_points([4.0, 2.0, 3.0, -np.inf])
    array([ inf,  -1.,   0., -inf])
    """
    values = checks.sums("max_marginals", max_marginals, tuple(range(1, 9)))
    return break_points_batch(values.reshape(-1), [0, values.size]).reshape(values.shape)


def threshold_batch(
    max_marginals: ArrayLike, starts: ArrayLike, alpha: ArrayLike, yardstick: ArrayLike | None = None
) -> Thresholds:
    """`threshold` for many examples.

    Parameters
    ----------
    max_marginals : ndarray, shape (A,)
        All examples' values, one after the other.
    starts : ndarray of int64, shape (N + 1,)
        Example w owns ``starts[w] : starts[w + 1]``.
    alpha : float or ndarray of shape (N,)
    yardstick : float or ndarray of shape (N,), optional

    Examples
    --------
    >>> threshold_batch(np.array([4.0, 2.0, 0.0, 1.0]), np.array([0, 3, 4]), 0.5).tau
    array([  3., -inf])
    """
    values = checks.sums("max_marginals", max_marginals, 1)
    starts = checks.offsets("starts", starts, len(values))
    alphas = checked_alphas(alpha, len(starts) - 1)
    return Thresholds(*_thresholds(values, starts, alphas, checked_yardsticks(yardstick, len(starts) - 1)))


def checked_alphas(alpha: ArrayLike, n: int) -> np.ndarray:
    """One alpha per example, at most 1 and finite, shape (n,), from one number or from n."""
    alphas = checks.settings("alpha", alpha)
    if alphas.shape not in ((1,), (n,)):
        raise ShapeError(f"alpha has shape {alphas.shape}; it needs () or {(n,)}")
    for at in np.flatnonzero(~(np.isfinite(alphas) & (alphas <= 1)))[:1]:
        checks.alpha("alpha", float(alphas[at]))
    return np.broadcast_to(alphas, (n,)).copy()


def checked_yardsticks(yardstick: ArrayLike | None, n: int) -> np.ndarray:
    """One yardstick per example, shape (n,), from one number or from n; `rule.OWN_GAP` if there is none."""
    if yardstick is None:
        return np.full(n, rule.OWN_GAP)
    given = checks.settings("yardstick", yardstick)
    if given.shape not in ((1,), (n,)):
        raise ShapeError(f"yardstick has shape {given.shape}; it needs () or {(n,)}")
    for at in np.flatnonzero(~(given >= 0) | ~np.isfinite(given))[:1]:
        checks.number("yardstick", float(given[at]), 0.0)
    return np.broadcast_to(given, (n,)).copy()


def break_points_batch(
    max_marginals: ArrayLike, starts: ArrayLike, yardstick: ArrayLike | None = None
) -> np.ndarray:
    """`break_points` for many examples, each against its own best and mean (or yardstick); shape (A,)."""
    values = checks.sums("max_marginals", max_marginals, 1)
    starts = checks.offsets("starts", starts, len(values))
    return _break_points(
        values, starts, *_spread(values, starts), checked_yardsticks(yardstick, len(starts) - 1)
    )


def margin_points_batch(max_marginals: ArrayLike, starts: ArrayLike) -> np.ndarray:
    """Minus the margin down to which each assignment is kept, shape (A,): break points of margins.

    They rise as alphas do, so all code that reads break points can read them: a margin m prunes those at or
    below -m. inf and -inf as in `break_points`.

    >>> margin_points_batch(np.array([4.0, 1.5, -np.inf]), np.array([0, 3]))
    array([ inf, -2.5, -inf])
    """
    values = checks.sums("max_marginals", max_marginals, 1)
    starts = checks.offsets("starts", starts, len(values))
    best, _, _, has_spread = _spread(values, starts)
    return _margin_points(values, starts, best, has_spread)


def truth_break_points(
    truth_scores: ArrayLike, max_marginals: ArrayLike, starts: ArrayLike, yardstick: ArrayLike | None = None
) -> np.ndarray:
    """The alpha from which each example's truth counts as filtered (Definition 1), shape (N,).

    inf where there is no spread or the truth is the best labelling. `truth_scores` (N,) are -inf where the
    truth is no longer in the space; other arguments as in `threshold_batch`. Derived from thesis section 4.3
    (tuning of alpha): truth filtered iff alpha >= this value.

    >>> truth_break_points(np.array([3.0]), np.array([4.0, 2.0, 0.0]), np.array([0, 3]))
    array([0.5])
    """
    truth_scores, values, starts = _checked_truth(truth_scores, max_marginals, starts)
    order, given = np.arange(len(truth_scores) + 1), checked_yardsticks(yardstick, len(truth_scores))
    return _break_points(truth_scores, order, *_spread(values, starts), given)


def truth_margin_points(truth_scores: ArrayLike, max_marginals: ArrayLike, starts: ArrayLike) -> np.ndarray:
    """`truth_break_points` of margins, negated as in `margin_points_batch`; shape (N,).

    >>> truth_margin_points(np.array([3.0]), np.array([4.0, 2.0, 0.0]), np.array([0, 3]))
    array([-1.])
    """
    truth_scores, values, starts = _checked_truth(truth_scores, max_marginals, starts)
    best, _, _, has_spread = _spread(values, starts)
    return _margin_points(truth_scores, np.arange(len(truth_scores) + 1), best, has_spread)


def _checked_truth(
    truth_scores: ArrayLike, max_marginals: ArrayLike, starts: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    values = checks.sums("max_marginals", max_marginals, 1)
    truth_scores = checks.sums("truth_scores", truth_scores, 1)
    starts = checks.offsets("starts", starts, len(values))
    if len(truth_scores) != len(starts) - 1:
        raise ShapeError(f"truth_scores has shape {truth_scores.shape}; starts needs {(len(starts) - 1,)}")
    return truth_scores, values, starts


def lowest_alpha(points: ArrayLike) -> float:
    """The alpha at which only forbidden assignments fall; 0 if that is true of 0.

    >>> lowest_alpha([0.5, np.inf]), bool(lowest_alpha([-2.0, -np.inf]) < -2.0)
    (0.0, True)
    """
    points = checks.points("points", points)
    return min(0.0, rule.just_below(points[points > -np.inf].min(initial=np.inf)))


def largest_alpha(
    truth_points: ArrayLike,
    tolerance: float,
    lowest: float = -np.inf,
    *,
    guarantee: Guarantee = None,
    below: Callable[[float], float] = rule.just_below,
) -> float:
    """Largest alpha whose filter loss on these examples stays within a tolerance.

    Below 1, and below 0 where even the mean filters more than allowed. If more than that have already fallen
    (points of -inf), the largest at which no others fall. Weiss (2013), thesis, section 4.3: filter loss
    rises and efficiency loss falls with alpha, so the best feasible alpha is the largest.

    Parameters
    ----------
    truth_points : ndarray, shape (N,)
        From `truth_break_points`.
    tolerance : float
        Allowed share of examples filtered, 0 to 1.
    lowest : float
        Lower bound of the result: 0 where alphas are probabilities.
    guarantee : {None, "mean"} or float
        The promise about examples that are not among these; see `guarantees`.
    below : callable
        Maps a break point to the largest setting that keeps what falls at it; `rules.just_below` does so for
        margins and probabilities.

    Raises
    ------
    InfeasibleError
        If a guarantee needs more examples than there are, or more have already fallen than it allows.

    Examples
    --------
    >>> round(largest_alpha(np.array([0.2, 0.6, 0.9, np.inf]), 0.25), 6)
    0.6
    >>> round(largest_alpha(np.array([0.2, 0.6, 0.9, np.inf]), 0.25, guarantee="mean"), 6)
    0.2
    """
    tolerance = checks.fraction("tolerance", tolerance)
    truth_points = checks.points("truth_points", truth_points)
    may_fall = guarantees.n_allowed(len(truth_points), tolerance, guarantee)
    if may_fall >= len(truth_points):
        return below(np.inf)
    falling = np.sort(truth_points)
    fallen = int(np.searchsorted(falling, -np.inf, side="right"))
    if guarantee is not None and fallen > may_fall:
        raise InfeasibleError(
            f"{fallen} of {len(falling)} calibration examples are lost at any threshold, and a loss of "
            f"{100 * tolerance:g} % {guarantees.describe_guarantee(guarantee)} allows {may_fall}: "
            "raise the tolerance"
        )
    first = max(may_fall, fallen)  # the first that may not fall
    return float(max(below(falling[first]) if first < len(falling) else below(np.inf), lowest))


@strict_kernel
def _spread(values: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(best, mean, n_valid, has_spread) of each example's finite values."""
    n = len(starts) - 1
    best, mean = fill_new(n, np.float64, -np.inf), fill_new(n, np.float64, -np.inf)
    n_valid, has_spread = fill_new(n, np.int64, 0), fill_new(n, np.bool_, False)
    for w in range(n):
        top, gap, count = rule.spread(values, starts[w], starts[w + 1])
        if count > 0:
            best[w], mean[w], n_valid[w] = top, top - gap, count
            has_spread[w] = rule.has_spread(top, gap)
    return best, mean, n_valid, has_spread


@strict_kernel
def _thresholds(
    values: np.ndarray, starts: np.ndarray, alpha: np.ndarray, given: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    best, mean, n_valid, has_spread = _spread(values, starts)
    tau = fill_new(len(best), np.float64, -np.inf)
    for w in range(len(best)):
        if has_spread[w]:
            unit = rule.yardstick(best[w], best[w] - mean[w], given[w])
            tau[w] = rule.threshold(best[w], unit, rule.cap_alpha(alpha[w]))
    return tau, best, mean, n_valid, has_spread


@strict_kernel
def _break_points(
    values: np.ndarray,
    starts: np.ndarray,
    best: np.ndarray,
    mean: np.ndarray,
    n_valid: np.ndarray,
    has_spread: np.ndarray,
    given: np.ndarray,
) -> np.ndarray:
    out = np.empty(len(values), np.float64)
    for w in range(len(best)):
        unit = rule.yardstick(best[w], best[w] - mean[w], given[w])
        for a in range(starts[w], starts[w + 1]):
            if given[w] < 0.0:
                out[a] = rule.break_point(values[a], best[w], mean[w], has_spread[w])
            else:
                out[a] = rule.break_point_by(values[a], best[w], unit, has_spread[w])
    return out


@strict_kernel
def _margin_points(
    values: np.ndarray, starts: np.ndarray, best: np.ndarray, has_spread: np.ndarray
) -> np.ndarray:
    out = np.empty(len(values), np.float64)
    for w in range(len(best)):
        for a in range(starts[w], starts[w + 1]):
            out[a] = rule.margin_point(values[a], best[w], has_spread[w])
    return out

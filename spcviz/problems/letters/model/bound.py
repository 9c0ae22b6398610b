r"""Generalisation bounds (Theorems 1 and 2) of one level of a handwriting cascade, term by term.

The sample is the test words whose truth reached the level: the theorem needs one that the earlier
levels did not see, because these decide which n-grams exist. It requires factor features of norm at
most 1. Scores do not change when features are divided by R and weights multiplied by R, so

.. math:: B = R \, \|w\|, \qquad R = \max_{x, c} \|f_c(x, y_c)\|

with w all weights of the filter, of letters and of n-grams, and R over the sample's words, bounded from
above by the triangle inequality. m and \|F\| are the largest over these words.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.thresholds import rule
from spcviz.learning.cascade import bounds
from spcviz.problems.letters.model.sweep import Sweep, losses_at
from spcviz.problems.letters.shown import BoundTerms, SweepBound


def bound(sweep: Sweep, alpha: float, *, margin_share: float = 1.0, delta: float = 0.05) -> SweepBound:
    """Theorem 1, (4.10) to (4.14), for both losses; gamma is `margin_share` times the median spread."""
    sample = sweep.test
    alpha = rule.cap_alpha(checks.alpha("alpha", alpha))
    is_alive = sample.event > -np.inf
    spread = float(np.median(sample.spread))
    margin = checks.number("margin_share", margin_share, 1e-9) * max(spread, 1e-300)
    losses = losses_at(sweep, "test", alpha)
    lead = rule.lead(sample.truth_gap[is_alive], sample.spread[is_alive], alpha)
    # On the best path itself the break point is stored as inf (never pruned) and counts as 1.
    sizes = np.diff(sample.starts)
    points = np.where(sample.points == np.inf, 1.0, sample.points)
    lag = rule.lag(points, np.repeat(sample.spread, sizes), alpha)
    kept = np.where(sample.points > -np.inf, bounds.margin_loss(lag, margin), 0.0)
    valid = np.add.reduceat(sample.points > -np.inf, sample.starts[:-1])
    empirical = (
        float(np.mean(bounds.margin_loss(lead, margin))) if len(lead) else 0.0,
        float(np.mean(np.add.reduceat(kept, sample.starts[:-1]) / valid)),
    )
    n = max(int(is_alive.sum()), 1)
    given = {"n_samples": n, "n_assignments": int(valid.max()), "n_factors": int(sample.n_columns.max())}
    given |= {"norm": sample.weight_norm * sample.factor_norm, "margin": margin, "delta": delta}
    terms = [bounds.theorem_1(value, **given) for value in empirical]
    return SweepBound(
        alpha=alpha,
        spread=spread,
        weight_norm=sample.weight_norm,
        factor_norm=sample.factor_norm,
        filter_loss=BoundTerms(*terms[0], losses.by_definition),
        efficiency_loss=BoundTerms(*terms[1], losses.efficiency),
        held_out=float(losses.by_definition + np.sqrt(np.log(1 / delta) / (2 * n))),
        **given,
    )


class EnsembleBound(NamedTuple):
    """Theorem 2 on a filter's joint loss."""

    n_models: int  # P
    # printed, tight: with P, as in the thesis, and with its square root, as derived here
    printed: bounds.Bound
    tight: bounds.Bound


def ensemble_bound(one_model: SweepBound, n_models: int) -> EnsembleBound:
    r"""Theorem 2 (thesis, (5.8)) for a filter in P = `n_models` equal parts, from Theorem 1 for the filter.

    Let every sub-model be a P-th of the filter, :math:`w_p = w / P`. Scores, thresholds and so the joint loss
    are then those of the whole, and :math:`\|w_p\| \le B / P` holds, as the theorem requires. So nothing is
    measured again, and the theorem's price for an ensemble as such is isolated.
    """
    names = ("n_samples", "n_assignments", "n_factors", "norm", "margin", "delta")
    terms = {name: getattr(one_model, name) for name in names}
    printed, tight = (
        bounds.theorem_2(one_model.filter_loss.empirical, n_models=n_models, is_tight=is_tight, **terms)
        for is_tight in (False, True)
    )
    return EnsembleBound(n_models, printed, tight)

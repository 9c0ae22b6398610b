r"""Theorem 2 beside Theorem 1: the same filter, taken as an ensemble of P equal parts.

Let every sub-model be a P-th of the filter, :math:`w_p = w / P`. Scores, thresholds and so the joint loss are
then those of the whole, and :math:`\|w_p\| \le B / P` holds as the theorem asks. So nothing is measured anew,
and what the theorem pays for an ensemble as such stands alone.
"""

from typing import NamedTuple

from spcviz.learning.cascade import bounds
from spcviz.problems.letters.page.shown import SweepBound


class EnsembleBound(NamedTuple):
    """Theorem 2 on a filter's joint loss."""

    n_models: int  # P
    # printed, tight: with P, as in the thesis, and with its square root, as derived here
    printed: bounds.Bound
    tight: bounds.Bound


def ensemble_bound(one_model: SweepBound, n_models: int) -> EnsembleBound:
    """Theorem 2 (thesis, (5.8)) for a filter in P = `n_models` equal parts, from Theorem 1 for the filter."""
    names = ("n_samples", "n_assignments", "n_factors", "norm", "margin", "delta")
    terms = {name: getattr(one_model, name) for name in names}
    printed, tight = (
        bounds.theorem_2(one_model.filter_loss.empirical, n_models=n_models, is_tight=is_tight, **terms)
        for is_tight in (False, True)
    )
    return EnsembleBound(n_models, printed, tight)

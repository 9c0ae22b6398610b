"""Predict sequences under a budget for features: estimators over `spcviz.learning.budgets`.

======================  =======================================================================
`FeatureTiers`          levels of features that can be bought: columns, keys of dicts or functions; costs
`BudgetedTagger`        buys features position by position (DMS-pi, one shot, anytime, ...)
`ModelSelector`         lifts whole sequences to a larger model (DMS)
`EnvelopeTagger`        whichever of these, or of the fixed tiers, is best at a budget, held out
======================  =======================================================================

A policy has to learn from predictions of models that have not seen the sequences: the estimators cross-fit
automatically.
"""

from spcviz.spending.envelope import EnvelopeTagger
from spcviz.spending.estimator import BudgetCurve, Purchase, Spent
from spcviz.spending.policies import POLICIES
from spcviz.spending.selector import ModelSelector
from spcviz.spending.tagger import BudgetedTagger
from spcviz.spending.tiers import FeatureTiers

__all__ = [
    "POLICIES",
    "BudgetCurve",
    "BudgetedTagger",
    "EnvelopeTagger",
    "FeatureTiers",
    "ModelSelector",
    "Purchase",
    "Spent",
]

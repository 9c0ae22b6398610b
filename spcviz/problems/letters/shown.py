"""Records that the Sweep page draws, and the word that Letters opens with."""

from typing import NamedTuple

import numpy as np

FIRST_WORD = 3128
"""The word that Letters opens with: a development word (these follow the 2,000 test words). It has 8 to 10
letters; predictors of letters, pairs and triples misread it; 4-grams read it right (filter and predictor); no
level loses it. Of all such words, it is the one of which the last level keeps fewest 4-grams. A test repeats
the choice.
"""
FIRST_ORDER = 4
"""The number of levels that read it."""


class StepCurve(NamedTuple):
    """A right-continuous step function of alpha, up to 1."""

    alpha: np.ndarray  # (S,): where it steps, rising; the first entry is 0 or less
    value: np.ndarray  # (S,): its value from alpha[s] on, up to alpha[s + 1]


class LossCurves(NamedTuple):
    """One level's filter on one set of words, at every alpha; shares from 0 to 1."""

    split: str  # "dev" or "test"
    n_words: int  # all words of the set
    n_lost_before: int  # words that had lost their truth at earlier levels; loss curves are over the others
    # by_definition, event: share of those words whose truth scores at most tau (Definition 1), and of those
    # that do lose an n-gram of the truth. Every step up to a loss of 5 %, thinned for drawing after that.
    by_definition: StepCurve
    event: StepCurve
    efficiency: StepCurve  # share of n-grams kept (Definition 2), over all words; thinned for drawing


class SweepLevel(NamedTuple):
    """One level of a cascade over all alphas."""

    level: int  # 1, 2, ...; also the order of its n-grams
    tuned_alpha: float  # what training chose
    tolerance: float  # what training allowed, 0 to 1
    tuned_on: str  # "event" or "definition"
    dev: LossCurves
    test: LossCurves


class LossesAt(NamedTuple):
    """One set of words at one alpha."""

    split: str  # "dev" or "test"
    n_words: int  # words that still had their truth: the losses are shares of these
    # by_definition, event, efficiency: 0 to 1
    by_definition: float
    event: float
    efficiency: float
    n_event: int  # words that lose their truth here
    # 95 % interval of the event's probability from n_event of n_words (Clopper and Pearson)
    event_range: tuple[float, float]
    # cumulative_by_definition, cumulative_event: with the words lost at earlier levels, as a share of all
    # words
    cumulative_by_definition: float
    cumulative_event: float
    # n_grams_in, n_grams_kept: mean per column of the lattice; NaN where it was not stored
    n_grams_in: float
    n_grams_kept: float


class SweepChoice(NamedTuple):
    """An alpha, its losses, and the requested tolerance."""

    alpha: float
    tolerance: float
    dev: LossesAt
    test: LossesAt


class RuleCurve(NamedTuple):
    """One level's filter by one threshold rule, on test words, at each setting where another word is lost."""

    rule: str  # "mean_max" or "margin"
    setting: np.ndarray  # (S,): alpha or minus the margin, rising
    lost: np.ndarray  # (S,): share of the words that still had their truth
    kept: np.ndarray  # (S,): n-grams left per position


class SweepRules(NamedTuple):
    """Two rules on the same scores of the same words."""

    level: int
    n_words: int  # that still had their truth
    n_grams_in: float  # per position, before this level's filter
    mean_max: RuleCurve
    margin: RuleCurve


class BoundTerms(NamedTuple):
    """Theorem 1 for one loss: empirical + complexity + confidence = total; vacuous from 1 on."""

    empirical: float
    complexity: float
    confidence: float
    total: float
    is_vacuous: bool
    samples_needed: float  # n from which the total could fall below 1; inf if never
    measured: float  # the loss itself (no margin) on the same words


class SweepBound(NamedTuple):
    """Theorem 1 at one alpha with everything that enters it."""

    # alpha, margin, delta: margin gamma in units of score
    alpha: float
    margin: float
    delta: float
    spread: float  # median over words of best minus mean max-marginal: what makes a margin large or small
    n_samples: int  # test words whose truth reached this level
    n_assignments: int  # m, the most n-grams that the lattice of one of these words holds here
    n_factors: int  # |F|, the most columns
    # weight_norm, factor_norm, norm: norm of the filter's weights, largest norm of a factor's features, and
    # B, their product
    weight_norm: float
    factor_norm: float
    norm: float
    filter_loss: BoundTerms
    efficiency_loss: BoundTerms
    # upper end of Hoeffding's interval for the filter loss, which needs no complexity term because these
    # words took no part in training
    held_out: float

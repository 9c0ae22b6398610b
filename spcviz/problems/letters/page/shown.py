"""What the Sweep page draws of handwriting: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class StepCurve(NamedTuple):
    """A right-continuous step function of alpha on [0, 1].

    Attributes
    ----------
    alpha : ndarray, shape (S,)
        Where it steps, rising; the first entry is 0.
    value : ndarray, shape (S,)
        Its value from alpha[s] on, up to alpha[s + 1].
    """

    alpha: np.ndarray
    value: np.ndarray


class LossCurves(NamedTuple):
    """One level's filter on one set of words, at every alpha; shares from 0 to 1.

    Attributes
    ----------
    split : {"dev", "test"}
    n_words : int
        All words of the set.
    n_lost_before : int
        How many had lost their truth at earlier levels; the loss curves are over the others.
    by_definition, event : StepCurve
        Share of those words whose truth scores at most tau (Definition 1), and of those that do lose
        an n-gram of the truth. Every step up to a loss of 5 %, thinned for drawing after that.
    efficiency : StepCurve
        Share of n-grams kept (Definition 2), over all words; thinned for drawing.
    """

    split: str
    n_words: int
    n_lost_before: int
    by_definition: StepCurve
    event: StepCurve
    efficiency: StepCurve


class SweepLevel(NamedTuple):
    """One level of a cascade over all alphas.

    Attributes
    ----------
    features : str
    level : int
        1, 2, ...; also the order of its n-grams.
    tuned_alpha : float
        What training chose.
    tolerance : float
        What training allowed, 0 to 1.
    tuned_on : {"event", "definition"}
    dev, test : LossCurves
    """

    features: str
    level: int
    tuned_alpha: float
    tolerance: float
    tuned_on: str
    dev: LossCurves
    test: LossCurves


class LossesAt(NamedTuple):
    """One set of words at one alpha.

    Attributes
    ----------
    split : {"dev", "test"}
    n_words : int
        Words that still had their truth: what the losses are shares of.
    by_definition, event, efficiency : float
        0 to 1.
    n_event : int
        Words that lose their truth here.
    event_range : (float, float)
        95 % interval of the event's probability from n_event of n_words (Clopper and Pearson).
    cumulative_by_definition, cumulative_event : float
        With the words lost at earlier levels, as a share of all words.
    n_grams_in, n_grams_kept : float
        Mean per column of the lattice; NaN where it was not stored.
    """

    split: str
    n_words: int
    by_definition: float
    event: float
    efficiency: float
    n_event: int
    event_range: tuple
    cumulative_by_definition: float
    cumulative_event: float
    n_grams_in: float
    n_grams_kept: float


class SweepChoice(NamedTuple):
    """An alpha, what it costs, and what was asked for.

    Attributes
    ----------
    alpha : float
    tolerance : float
    is_feasible : bool
        False if development words lose more than the tolerance even at alpha = 0.
    dev, test : LossesAt
    """

    alpha: float
    tolerance: float
    is_feasible: bool
    dev: LossesAt
    test: LossesAt


class BoundTerms(NamedTuple):
    """Theorem 1 for one loss: empirical + complexity + confidence = total; vacuous from 1 on.

    Attributes
    ----------
    empirical, complexity, confidence, total : float
    is_vacuous : bool
    samples_needed : float
        n from which the total could fall below 1; inf if never.
    measured : float
        The loss itself (no margin) on the same words.
    """

    empirical: float
    complexity: float
    confidence: float
    total: float
    is_vacuous: bool
    samples_needed: float
    measured: float


class SweepBound(NamedTuple):
    """Theorem 1 at one alpha with everything that enters.

    Attributes
    ----------
    alpha, margin, delta : float
        Margin gamma in units of score.
    spread : float
        Median over words of best minus mean max-marginal: what makes a margin large or small.
    n_samples : int
        Test words whose truth reached this level.
    n_assignments : int
        m, the most n-grams that the lattice of one of these words holds here.
    n_factors : int
        |F|, the most columns.
    weight_norm, factor_norm, norm : float
        Norm of the filter's weights, largest norm of a factor's features, and B, their product.
    filter_loss, efficiency_loss : BoundTerms
    held_out : float
        Upper end of Hoeffding's interval for the filter loss, which needs no complexity term because
        these words took no part in training.
    """

    alpha: float
    margin: float
    delta: float
    spread: float
    n_samples: int
    n_assignments: int
    n_factors: int
    weight_norm: float
    factor_norm: float
    norm: float
    filter_loss: BoundTerms
    efficiency_loss: BoundTerms
    held_out: float

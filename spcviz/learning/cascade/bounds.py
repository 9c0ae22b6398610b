r"""Generalisation bounds of cascades: Theorem 1 and, for ensembles, Theorem 2, with every term visible.

With probability 1 - delta over n samples, for all w with :math:`\|w\| \le B` and factor features of
norm at most 1:

.. math:: E[L] \le \hat E[L^\gamma] + \frac{c\, m B \sqrt{|F|}}{\gamma \sqrt n}
          + \sqrt{\frac{8 \ln(2 / \delta)}{n}}

for L the filter loss or the efficiency loss at a fixed alpha. m is the number of factor
assignments, \|F\| the number of factors. The source leaves c open; following its proof with
Jensen's inequality between Rademacher and Gaussian averages gives :math:`c = 4 \sqrt\pi`.

Theorem 2 bounds the joint filter loss of P sub-models with :math:`\|w_p\| \le B / P`: the same with P times
the second term. Its proof adds up P Lipschitz constants; by Cauchy and Schwarz over all P score vectors
together :math:`\sqrt P` is enough, so the printed term is :math:`\sqrt P` times larger than necessary.
"""

from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks

CONSTANT = 4 * np.sqrt(np.pi)


class Bound(NamedTuple):
    """Theorem 1 or 2 term by term."""

    empirical: float  # margin-augmented loss on the sample
    complexity: float
    confidence: float
    total: float  # their sum
    is_vacuous: bool  # True if the total is 1 or more: then it says nothing, since the losses are at most 1
    # n from which the total could fall below 1 with the same empirical loss; inf if never
    samples_needed: float


def margin_loss(gap: np.ndarray, margin: float) -> np.ndarray:
    """r(z): 1 below 0, falling linearly to 0 at the margin, gamma > 0 (thesis (4.10)).

    The gap is truth minus threshold for the filter loss, and threshold minus max-marginal for the efficiency
    loss.

    Examples
    --------
    >>> margin_loss([-1.0, 0.0, 0.5, 2.0], 1.0)
    array([1. , 1. , 0.5, 0. ])
    """
    margin = checks.number("margin", margin, 1e-300)
    return np.clip(1.0 - np.asarray(gap, dtype=np.float64) / margin, 0.0, 1.0)


def theorem_1(
    empirical: float,
    *,
    n_samples: int,
    n_assignments: float,
    n_factors: float,
    norm: float = 1.0,
    margin: float = 1.0,
    delta: float = 0.05,
) -> Bound:
    """The bound on expected filter or efficiency loss.

    Parameters
    ----------
    empirical : float
        Mean margin-augmented loss on the sample, 0 to 1.
    n_assignments, n_factors : float
        m and |F|, e.g. 26 L + 26^2 (L - 1) and 2 L - 1 for a bigram chain.
    norm, margin : float
        B and gamma.
    delta : float
        Allowed failure probability, over 0 and below 1.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Weiss (2013), thesis, Theorem 1, equations (4.13) and (4.14), appendix A.

    Examples
    --------
    >>> bound = theorem_1(0.01, n_samples=6877, n_assignments=4940, n_factors=15)
    >>> bound.is_vacuous, round(bound.complexity)
    (True, 1636)
    """
    empirical = checks.fraction("empirical", empirical)
    n_samples = checks.integer("n_samples", n_samples, 1, 2**60)
    n_assignments = checks.number("n_assignments", n_assignments, 1)
    n_factors = checks.number("n_factors", n_factors, 1)
    norm, margin = checks.number("norm", norm, 0), checks.number("margin", margin, 1e-300)
    delta = checks.number("delta", delta, 1e-300)
    checks.fraction("delta", delta, below_one=True)
    complexity_scale = CONSTANT * n_assignments * norm * np.sqrt(n_factors) / margin
    confidence_scale = np.sqrt(8 * np.log(2 / delta))
    complexity = complexity_scale / np.sqrt(n_samples)
    confidence = confidence_scale / np.sqrt(n_samples)
    total = empirical + complexity + confidence
    room = 1.0 - empirical
    needed = ((complexity_scale + confidence_scale) / room) ** 2 if room > 0 else np.inf
    return Bound(
        empirical, float(complexity), float(confidence), float(total), bool(total >= 1), float(needed)
    )


def theorem_2(
    empirical: float, *, n_models: int, norm: float = 1.0, is_tight: bool = False, **terms: Any
) -> Bound:
    """The bound on expected joint filter loss of an ensemble of sub-models.

    Parameters
    ----------
    empirical : float
        Mean joint margin loss (thesis (5.7)) on the sample, 0 to 1.
    n_models : int
        P, at least 1; for 1 this is Theorem 1.
    norm : float
        B: each sub-model's weights have norm at most B / P.
    is_tight : bool
        Use the square root of P (derived in the module docstring) instead of P (as printed).
    **terms
        As in `theorem_1`, with the same errors.

    References
    ----------
    Weiss (2013), thesis, Theorem 2, equation (5.8), appendix A.

    Examples
    --------
    >>> sizes = {"n_samples": 6877, "n_assignments": 4940, "n_factors": 15}
    >>> [round(theorem_2(0.01, n_models=p, **sizes).complexity) for p in (1, 3)]
    [1636, 4907]
    """
    n_models = checks.integer("n_models", n_models, 1, 2**30)
    norm = checks.number("norm", norm, 0)
    return theorem_1(empirical, norm=norm * (np.sqrt(n_models) if is_tight else n_models), **terms)

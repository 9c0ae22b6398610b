r"""Guarantees of filters: how many of n calibration examples a threshold may lose to keep a promise.

Every example has a break point :math:`s_i`, the setting from which its truth is lost (-inf: lost from the
start). A threshold just below the (k + 1)-th smallest of n break points loses at most k of the n. For an
example that was not calibrated on, exchangeable with those that were, the following holds whatever the
weights, the features and the distribution are:

``None``
    :math:`k = \lfloor \epsilon n \rfloor`: the share lost of the calibration examples is at most the
    tolerance :math:`\epsilon`. Nothing is promised about others.
``"mean"``
    :math:`k = \lfloor \epsilon (n + 1) \rfloor - 1`. *The expected share lost is at most the tolerance.* A
    new example is lost only if its break point is strictly below the (k + 1)-th smallest of the n others. Of
    n + 1 numbers at most k + 1 are strictly below the (k + 1)-th smallest of the others, and each of the
    n + 1 examples is as likely as any to be the new one: the probability is at most
    :math:`(k + 1) / (n + 1) \le \epsilon`. This is split conformal prediction (Vovk et al. 2005) and, for
    losses of 0 and 1, conformal risk control (Angelopoulos et al. 2024).
``0 < c < 1``, such as 0.9
    The largest k with :math:`P(\mathrm{Binomial}(n, \epsilon) \le k) \le 1 - c`. *With probability c or more
    over the calibration examples, drawn independently, the share lost of all others is at most the
    tolerance.* Let F be the distribution of break points and :math:`q = \inf\{t : F(t) > \epsilon\}`. If the
    threshold loses more than the tolerance, it lies at or over q, so the (k + 1)-th smallest break point lies
    over q and at most k of the n are at or below q. Their number is binomial with a probability of
    :math:`F(q) \ge \epsilon`, so this happens with probability 1 - c at most.

A promise about the mean needs at least :math:`1 / \epsilon - 1` examples, one with certainty c
:math:`\ln(1 - c) / \ln(1 - \epsilon)`; with fewer, the error of `n_allowed` says how many it takes.
"""

import math
from typing import TypeAlias

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, InfeasibleError

Guarantee: TypeAlias = str | float | None
"""None, "mean", or a certainty over 0 and below 1."""

MEAN = "mean"


def check_guarantee(guarantee: Guarantee) -> Guarantee:
    """`guarantee` if it is one of the three kinds, else ArgumentError.

    >>> check_guarantee("mean"), check_guarantee(0.9)
    ('mean', 0.9)
    """
    if guarantee is None or (isinstance(guarantee, str) and guarantee == MEAN):
        return guarantee
    if isinstance(guarantee, int | float) and not isinstance(guarantee, bool) and 0 < guarantee < 1:
        return float(guarantee)
    raise ArgumentError(
        f'guarantee must be None, "mean" or a number over 0 and below 1, got {guarantee!r:.60}'
    )


def examples_needed(tolerance: float, guarantee: Guarantee) -> float:
    """The fewest calibration examples with which a promise can be kept, none of them lost.

    inf at a tolerance of 0: then no number of examples is enough.

    >>> examples_needed(0.01, "mean"), examples_needed(0.01, 0.9), examples_needed(0.01, None)
    (99, 230, 0)
    """
    tolerance, guarantee = checks.fraction("tolerance", tolerance), check_guarantee(guarantee)
    if guarantee is None:
        return 0
    if tolerance in (0.0, 1.0):
        return math.inf if tolerance == 0.0 else 1
    if isinstance(guarantee, str):
        n = math.ceil(1 / tolerance - 1 - 1e-9)
    else:
        n = math.ceil(math.log1p(-guarantee) / math.log1p(-tolerance) - 1e-9)
    return max(n, 1)


def n_allowed(n: int, tolerance: float, guarantee: Guarantee = None) -> int:
    """Number of n calibration examples that may be lost; see above.

    Raises
    ------
    InfeasibleError
        If a promise cannot be kept with so few examples.
    ArgumentError
        If the tolerance or the guarantee is out of range.

    Examples
    --------
    >>> [n_allowed(1000, 0.02, guarantee) for guarantee in (None, "mean", 0.9)]
    [20, 19, 13]
    """
    n, tolerance = checks.integer("n", n, 0, 2**40), checks.fraction("tolerance", tolerance)
    guarantee = check_guarantee(guarantee)
    if guarantee is None:
        return math.floor(tolerance * n + 1e-9)
    if tolerance == 1.0:
        return n
    needed = examples_needed(tolerance, guarantee)
    if n < needed:
        raise InfeasibleError(too_few(n, tolerance, guarantee))
    if isinstance(guarantee, str):
        return max(math.floor(tolerance * (n + 1) + 1e-9) - 1, 0)
    return _binomial_quantile(n, tolerance, 1.0 - guarantee)


def too_few(n: int, tolerance: float, guarantee: Guarantee) -> str:
    """The sentence that says how many calibration examples a promise needs.

    >>> too_few(50, 0.01, "mean")[:70]
    'a loss of 1 % on average takes at least 99 calibration examples, got 5'
    """
    needed = examples_needed(tolerance, guarantee)
    promise = f"a loss of {100 * tolerance:g} % " + describe_guarantee(guarantee)
    if needed == math.inf:
        return f"{promise} cannot be promised from examples: the tolerance must be over 0"
    more = "raise the tolerance or calibrate on more"
    return f"{promise} takes at least {needed} calibration examples, got {n}: {more}"


def describe_guarantee(guarantee: Guarantee) -> str:
    """A guarantee in words, to follow "a loss of 1 %".

    >>> describe_guarantee(None), describe_guarantee("mean"), describe_guarantee(0.9)
    ('as tuned', 'on average', 'with 90 % certainty')
    """
    if guarantee is None:
        return "as tuned"
    return "on average" if isinstance(guarantee, str) else f"with {100 * guarantee:g} % certainty"


def _binomial_quantile(n: int, p: float, most: float) -> int:
    """Largest k with P(Binomial(n, p) <= k) <= most; at k = 0 it must hold."""
    log_p, log_q, total, k = math.log(p), math.log1p(-p), 0.0, 0
    while k < n:
        choices = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        total += math.exp(choices + k * log_p + (n - k) * log_q)
        if total > most * (1 + 1e-12):
            break
        k += 1
    return max(k - 1, 0)

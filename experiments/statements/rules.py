"""The rules by which a statement gets its verdict: one function a rule, frozen.

A statement has one `Part` for each data set, joint, point of a curve or measure that its sentence names. Each
part is judged by one of the rules below from an `Estimate`, a number with its spread; `verdict` (R7) puts the
parts together. No part without a spread is ever more than open (R6), except ratios of times (RT) and exact
counts. The rules were written after the results were known and are frozen since: whoever changes one says in
``Statement.changed`` of each row whose verdict moves why it did; `experiments.report` refuses to write
otherwise.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

HOLDS, SMALLER, OPEN, FAILS, BESIDE = "holds", "holds, smaller", "open", "fails", "side by side"
VERDICTS = (HOLDS, SMALLER, OPEN, FAILS, BESIDE)
MEANINGS = {
    HOLDS: "so here too, beyond two standard errors",
    SMALLER: "so, but by less than printed or only in part",
    OPEN: "within two standard errors, or no spread is stored",
    FAILS: "the other way round, or an “always” that is broken",
    BESIDE: "levels on other data; both numbers, no verdict",
}
ALL, MOST = "all", "most"
"""What a sentence needs: all of its parts, since it names each or says every, never or always; or most, since
its parts repeat one thing on several data sets, joints or points of a curve."""


class Rules(NamedTuple):
    """What the rules leave to be set; `report --sensitivity` sets it otherwise."""

    shares: tuple[float, ...] = (10, 20, 50)  # % of the features at which curves are compared, always
    margin: float = 0.5  # points: what "as accurate", "no loss" and "negligible" allow
    ratio: float = 1.25  # a ratio of times nearer to 1 decides nothing: one cascade timed twice was 1.15 off
    errors: float = 2.0  # standard errors on each side


class Estimate(NamedTuple):
    """A number and the interval around it; an end that nobody stored is None."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2 if self.low is not None and self.high is not None else float("nan")

    def __neg__(self) -> "Estimate":
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Estimate(-self.value, low, high)


class Part(NamedTuple):
    """One thing that a statement's sentence names."""

    label: str
    state: str  # HOLDS, OPEN, FAILS or BESIDE
    is_smaller: bool = False  # whether it holds by less than the paper prints


def estimate(value: float, error: float | None, rules: Rules) -> Estimate:
    """A number and its standard error.

    >>> estimate(3.0, 0.5, Rules())
    Estimate(value=3.0, low=2.0, high=4.0)
    """
    if error is None:
        return Estimate(float(value))
    return Estimate(float(value), float(value - rules.errors * error), float(value + rules.errors * error))


def over_folds(values: Sequence[float], rules: Rules) -> Estimate:
    """The mean of paired values, a number a fold (or clip, or grid), and its spread."""
    values = np.asarray(values, float)
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    return estimate(values.mean(), error, rules)


def direction(label: str, advantage: Estimate, printed: float | None = None, reached: float = 0.0) -> Part:
    """R1, "A before B": `advantage` is above 0 as the paper says. R2: `reached` falls short of its factor.

    >>> direction("K = 1", Estimate(0.4, 0.1, 0.7)).state, direction("K = 2", Estimate(0.4)).state
    ('holds', 'open')
    """
    if advantage.low is not None and advantage.low > 0:
        return Part(label, HOLDS, printed is not None and reached < printed)
    is_reversed = advantage.high is not None and advantage.high < 0
    return Part(label, FAILS if is_reversed else OPEN)  # R6: what has no spread is open


def no_loss(label: str, change: Estimate, margin: float) -> Part:
    """R3, "as accurate": `change` against the rival, in points, below 0 where something is lost.

    It holds if no loss above the margin is credible, fails if a loss is certain and may be above the margin.
    """
    if change.low is None or change.high is None:
        return Part(label, OPEN)
    if change.low >= -margin:
        return Part(label, HOLDS)
    return Part(label, FAILS if change.high < 0 else OPEN)


def level(label: str, measured: Estimate, paper: float, *, lower_is_better: bool = False) -> Part:
    """R4, a level on the paper's own data: not beyond the spread worse than printed; the paper's own is 0."""
    if measured.low is None or measured.high is None:
        return Part(label, OPEN)
    is_reached = measured.low <= paper if lower_is_better else measured.high >= paper
    return Part(label, HOLDS if is_reached else FAILS)


def beside(label: str) -> Part:
    """R5, a level on other examples or at another resolution: both numbers, no verdict."""
    return Part(label, BESIDE)


def faster(label: str, ratio: Estimate, rules: Rules, printed: float | None = None) -> Part:
    """RT, a ratio of times; R2 for the factor that is printed.

    Where every turn of the clock is stored, the nearer end of its interval must be as far from 1.
    """
    low, high = (ratio.value if end is None else end for end in (ratio.low, ratio.high))
    if low >= rules.ratio:
        return Part(label, HOLDS, printed is not None and ratio.value < printed)
    return Part(label, FAILS if high <= 1 / rules.ratio else OPEN)


def share(label: str, dear: Estimate, above: float | None = None, at_most: float | None = None) -> Part:
    """R1 for a share of cases: its ends count the cases that are so beyond their own spread, and not sure.

    `above`: so in more than these percent; `at_most`: beyond doubt in no more than these.
    """
    if dear.low is None or dear.high is None:
        return Part(label, OPEN)
    if at_most is not None:
        return Part(label, HOLDS if dear.low <= at_most else FAILS)
    return Part(label, HOLDS if dear.low > above else FAILS if dear.high < above else OPEN)


def exactly(label: str, is_so: bool) -> Part:
    """A count or an order that has no spread: all cases were looked at."""
    return Part(label, HOLDS if is_so else FAILS)


def verdict(parts: Iterable[Part], needs: str) -> str:
    """R7: what the parts of a statement come to.

    >>> verdict([Part("a", HOLDS), Part("b", OPEN)], MOST), verdict([Part("a", HOLDS), Part("b", FAILS)], ALL)
    ('holds', 'fails')
    """
    if needs not in (ALL, MOST):
        raise ValueError(f"needs must be {ALL!r} or {MOST!r}, got {needs!r}")
    parts = [part for part in parts if part.state != BESIDE]
    if not parts:
        return BESIDE
    n_hold, n_fail = (sum(part.state == state for part in parts) for state in (HOLDS, FAILS))
    if n_fail and needs == ALL:
        return FAILS
    if n_fail:
        return SMALLER if n_hold > n_fail else FAILS if 2 * n_fail >= len(parts) else OPEN
    if 2 * n_hold < len(parts):
        return OPEN
    is_whole = (needs == MOST or n_hold == len(parts)) and not any(part.is_smaller for part in parts)
    return HOLDS if is_whole else SMALLER

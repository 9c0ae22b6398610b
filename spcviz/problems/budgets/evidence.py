"""What stored results say of methods that spend a budget: where one pays, and the sentence about it.

A batch on the Trade-off page is a few dozen examples, so its curves are noisy. Here stands what was measured
over all folds: by how much each learned method is ahead of each simple rival (random, least sure, in turn),
at each budget, with a 95 % interval. A method *pays* if it is clearly ahead of every simple rival that was
measured beside it, at more than half of the budgets.
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from spcviz.learning.budgets.methods import METHODS, RANDOM, Terms
from spcviz.problems.budgets.task import TradeTask

SIMPLE = (*RANDOM, "margin", "nothing")
"""What a method goes by that learns nothing (`spcviz.learning.budgets.methods.Spends`)."""


class Gap(NamedTuple):
    """A learned method against a simple rival at one budget: both are keys of `METHODS`."""

    method: str
    rival: str
    share: float  # the budget, of what buying everything costs
    fewer: float  # things wrong with the rival less those with the method, in 100
    # low, high: of `fewer`, 95 %
    low: float
    high: float


class Evidence(NamedTuple):
    """All that was measured of a task."""

    over: str  # "10 test folds"
    wrong: str  # "letters misread"
    kind: Literal["units", "us"]  # what budgets are counted in
    terms: Terms
    gaps: tuple[Gap, ...]


def is_simple(key: str) -> bool:
    """Whether a method learns nothing and knows no truth: what a learned one has to beat.

    >>> [is_simple(key) for key in ("uniform", "myopic", "fixed", "dms_pi", "oracle")]
    [True, True, True, False, False]
    """
    return METHODS[key].rule.by in SIMPLE


def closest(gaps: Iterable[Gap]) -> dict[tuple[str, float], Gap]:
    """Of each (method, budget): the gap to the rival that comes closest.

    >>> far, near = Gap("dms", "uniform", 0.5, 3.0, 2.0, 4.0), Gap("dms", "myopic", 0.5, 1.0, -1.0, 3.0)
    >>> closest([far, near])[("dms", 0.5)].rival
    'myopic'
    """
    out: dict[tuple[str, float], Gap] = {}
    for gap in gaps:
        at = gap.method, gap.share
        if at not in out or gap.low < out[at].low:
            out[at] = gap
    return out


def best(evidence: Evidence) -> Gap | None:
    """Where the method that pays (see above: one budget of many may be chance) is farthest ahead, or None."""
    known = closest(evidence.gaps).values()
    paying = [gap for gap in known if gap.low > 0 and _is_mostly_ahead(known, gap.method)]
    return max(paying, key=lambda gap: gap.fewer, default=None)


def opening(evidence: Evidence | None) -> dict[str, Any]:
    """``method``, ``budget`` and ``kind`` of where a method pays most; {} where none does."""
    gap = best(evidence) if evidence else None
    if evidence is None or gap is None:
        return {}
    return {"method": gap.method, "budget": round(gap.share, 3), "kind": evidence.kind}


def first_scene(task: TradeTask) -> dict[str, Any]:
    """What a task opens with: `opening` of the first of its kinds in which a method pays; else {}."""
    for kind in task.kinds or ("",):
        found = opening(task.evidence({"vocabulary": kind})) if task.evidence else {}
        if found:
            return found | ({"vocabulary": kind} if task.kinds else {})
    return {}


def says(evidence: Evidence | None, method: str, budget: float) -> str:
    """What is known of a method at the nearest measured budget, or of the learned method that pays most."""
    if evidence is None:
        return "No stored result compares these methods over all folds."
    most, known = best(evidence), closest(evidence.gaps).values()
    if most is None:
        nearest = max(known, key=lambda gap: gap.low)
        return (
            f"Over {evidence.over} no learned method is clearly ahead of the simplest rules at more than "
            f"half of the budgets. Nearest to it, {_said(evidence, nearest)}; {_ahead(known, nearest[0])}."
        )
    here = [gap for gap in known if gap.method == method]
    if not here:
        return f"Over {evidence.over}, {_said(evidence, most)}: here a learned method pays most."
    gap = min(here, key=lambda gap: abs(gap.share - budget))
    return f"Over {evidence.over}, {_said(evidence, gap)}; {_ahead(known, method)}."


def _counts(known, method):
    """(at how many budgets a method is clearly ahead, of how many)."""
    clear = [gap.low > 0 for gap in known if gap.method == method]
    return sum(clear), len(clear)


def _is_mostly_ahead(known, method):
    n_clear, n = _counts(known, method)
    return 2 * n_clear > n


def _ahead(known, method):
    n_clear, n = _counts(known, method)
    return f"it is clearly ahead at {n_clear} of {n} budgets"


def _said(evidence, gap):
    """A method against the simple rule that comes closest, at one budget."""
    method, rival = (f"“{METHODS[key].said(evidence.terms)[0]}”" for key in (gap.method, gap.rival))
    cost = "cost in units" if evidence.kind == "units" else "time"
    low, high = sorted((abs(gap.low), abs(gap.high))) if gap.low * gap.high > 0 else (gap.low, gap.high)
    side = "fewer" if gap.fewer >= 0 else "more"
    what = f"{abs(gap.fewer):.1f} {side} {evidence.wrong} in 100"
    where, interval = f"at {100 * gap.share:.0f} % of the {cost}", f"95 %: {low:.1f} to {high:.1f}"
    if gap.low <= 0 <= gap.high:
        low, high = (low, high) if side == "fewer" else (-high, -low)
        interval = f"95 %: {low:.1f} to {high:.1f}"
        return f"{where}, {method} has {what} than {rival}, no clear difference ({interval})"
    return f"{where}, {method} has {what} than {rival}, the best simple rule ({interval})"

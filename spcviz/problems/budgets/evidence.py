"""Evidence on methods that spend a budget: where one pays according to the stored results, in a sentence.

A page's batch is a few dozen examples and noisy; the evidence was measured over all folds, with 95 %
intervals. A method *pays* if it is clearly ahead of every simple rival measured along with it at more than
half of the budgets.
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from spcviz.learning.budgets.methods import METHODS, RANDOM, Terms
from spcviz.problems.budgets.task import TradeTask

SIMPLE = (*RANDOM, "margin", "nothing")
"""What methods that learn nothing go by (`spcviz.learning.budgets.methods.Spends`)."""


class Gap(NamedTuple):
    """A learned method against a simple rival at one budget: both are keys of `METHODS`."""

    method: str
    rival: str
    share: float  # the budget, as a share of the cost of everything
    fewer: float  # things wrong with the rival less those with the method, per 100
    # low, high: of `fewer`, 95 %
    low: float
    high: float


class Evidence(NamedTuple):
    """All measurements of a task."""

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
    """The gap of each (method, budget) to the closest rival.

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
    """The widest gap of a method that pays (see above: one budget of many may be chance), or None."""
    known = closest(evidence.gaps).values()
    paying = [gap for gap in known if gap.low > 0 and np.mean(_is_ahead(known, gap.method)) > 0.5]
    return max(paying, key=lambda gap: gap.fewer, default=None)


def opening(evidence: Evidence | None) -> dict[str, Any]:
    """The ``method``, ``budget`` and ``kind`` at which a method pays most; {} if none pays."""
    gap = best(evidence) if evidence else None
    if evidence is None or gap is None:
        return {}
    return {"method": gap.method, "budget": round(gap.share, 3), "kind": evidence.kind}


def first_scene(task: TradeTask) -> dict[str, Any]:
    """The scene that a task opens with: `opening` of its first kind in which a method pays, else {}."""
    for kind in task.kinds or ("",):
        scene = opening(task.evidence({"vocabulary": kind})) if task.evidence else {}
        if scene:
            return scene | ({"vocabulary": kind} if task.kinds else {})
    return {}


def says(evidence: Evidence | None, method: str, budget: float) -> str:
    """A sentence on a method at the nearest measured budget, or on the learned method that pays most."""
    if evidence is None:
        return "No stored result compares these methods over all folds."
    most, known = best(evidence), closest(evidence.gaps).values()
    if most is None:
        gap, nobody = (
            max(known, key=lambda gap: gap.low),
            "no learned method is clearly ahead of the simplest",
        )
        lead = f"{nobody} rules at more than half of the budgets. Nearest to it"
        return f"Over {evidence.over} {lead}, {_compare_rival(evidence, gap)}; {_ahead(known, gap.method)}."
    here = [gap for gap in known if gap.method == method]
    if not here:
        return f"Over {evidence.over}, {_compare_rival(evidence, most)}: here a learned method pays most."
    gap = min(here, key=lambda gap: abs(gap.share - budget))
    return f"Over {evidence.over}, {_compare_rival(evidence, gap)}; {_ahead(known, method)}."


def _is_ahead(known, method):
    """Whether a method is clearly ahead, budget by budget."""
    return [gap.low > 0 for gap in known if gap.method == method]


def _ahead(known, method):
    clear = _is_ahead(known, method)
    return f"it is clearly ahead at {sum(clear)} of {len(clear)} budgets"


def _compare_rival(evidence, gap):
    """A method against the simple rule that comes closest, at one budget."""
    method, rival = (f"“{METHODS[key].describe(evidence.terms)[0]}”" for key in (gap.method, gap.rival))
    cost = "cost in units" if evidence.kind == "units" else "time"
    is_clear, side = not gap.low <= 0 <= gap.high, "fewer" if gap.fewer >= 0 else "more"
    low, high = (gap.low, gap.high) if side == "fewer" else (-gap.high, -gap.low)
    low, high = sorted((abs(low), abs(high))) if is_clear else (low, high)
    what = f"{abs(gap.fewer):.1f} {side} {evidence.wrong} in 100 than {rival}"
    verdict = "the closest simple rule" if is_clear else "which is open"
    where, interval = f"at {100 * gap.share:.0f} % of the {cost}", f"95 %: {low:.1f} to {high:.1f}"
    return f"{where}, {method} has {what}, {verdict} ({interval})"

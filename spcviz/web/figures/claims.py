"""Claims about the reproduced results, as data: one row per claim, one function for verdicts, one writer.

A problem's claims are the tuple ``CLAIMS`` of ``<problem>/paper/claims.py``. Verdicts and numbers
are read from the result when they are asked for; nobody types them.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

NOT_MEASURED = "not measured"
SEVERITY = ("contradicted", "not reproduced", "short by", NOT_MEASURED,
            "no difference", "new", "reproduced", "better")  # fmt: skip
"""Verdicts, worst first."""
FAILED = SEVERITY[:3]
COLUMNS = ("verdict", "system", "claim", "measured", "paper or rival", "source", "note")
NOTE = (
    "“better”, “reproduced”, “short by”: against the number in the paper (or the rival measured here, where "
    "its name is given). “reproduced”, “no difference”, “contradicted”: an advantage that the paper claims "
    "is there, within chance, or the other way round. “not reproduced”: a statement that does not hold. "
    "“new”: no paper claims it. Where a spread is printed after ±, chance is two standard errors; "
    "intervals in brackets are 95 %."
)
_WORDS = {
    "level": ("better", "reproduced", "short by {}"),
    "rival": ("better", "no difference", "short by {}"),
    "ahead": ("reproduced", "no difference", "contradicted"),
}


class NotMeasured(KeyError):
    """A result has no row for what a claim is about: it was made for fewer folds, features or data sets."""


class Claim(NamedTuple):
    """One thing that is said of a result."""

    result: str  # name of the result
    system: str  # the line of README's table that it belongs to
    what: str  # the claim, in the words of the field
    # tuple or callable: where the number stands in the result (see `find`), or a function of the result
    value: Any
    # "level": measured against a number of the paper. "rival": against another method measured here. "ahead":
    # the paper claims an advantage, and `value` is it (0: none). "holds": the paper makes a statement, and
    # `value` counts what breaks it. "new": nobody claims it.
    kind: str = "level"
    # float, (float, float), tuple, callable or None: what it is compared with: a number, a range, or where it
    # stands in the result
    paper: Any = None
    better: str = "higher"  # "higher" or "lower"
    # tuple or callable, optional: half the width of an interval of `value`, its two ends, or whether chance
    # explains the difference
    spread: Any = None
    decimals: int = 1
    shown: str = "{}"  # how `value`, then `beside`, is written; "{}" is the number
    said: Any = "{}"  # str or callable: how `paper` is written; or a function of the result
    beside: tuple = ()  # more numbers to show, found as `value` is
    source: str = ""  # Table or figure of the paper
    note: Any = ""  # str or callable: what a reader must know besides, such as what was chosen on test data
    # its system has no line in the project's README: it stands beside what a paper claims
    is_aside: bool = False
    # what the paper's abstract, or the figure or table it stands for, is read for: counted by itself
    is_headline: bool = False


class Reading(NamedTuple):
    """A claim as a result bears it out: words for a table."""

    claim: Claim
    verdict: str
    measured: str
    paper: str
    note: str


def find(result: dict, where: tuple | Callable) -> Any:
    """What stands somewhere: keys and indices, a dict for the first row with these values (or `NotMeasured`).

    >>> find({"rows": [{"k": 1, "error": 0.5}]}, ("rows", {"k": 1}, "error"))
    0.5
    """
    if callable(where):
        return where(result)
    for key in where:
        result = _row(result, key) if isinstance(key, dict) else result[key]
    return result


def _row(rows, wanted):
    for row in rows:
        if all(name in row and row[name] == value for name, value in wanted.items()):
            return row
    raise NotMeasured(f"no row with {wanted}")


def verdict(value, paper=0.0, *, kind="level", better="higher", spread=None, decimals=1) -> str:
    """What a number says about a claim (`NOTE`); without a `spread`, numbers that print alike are equal.

    >>> verdict(98.42, 98.54, decimals=2), verdict(-3.5, kind="ahead"), verdict(0.1, kind="ahead", spread=0.2)
    ('short by 0.12', 'contradicted', 'no difference')
    """
    if kind == "new":
        return "new"
    if kind == "holds":
        return "not reproduced" if value else "reproduced"
    if kind not in _WORDS:
        raise ValueError(f"kind must be one of {[*_WORDS, 'holds', 'new']}, got {kind!r}")
    if better not in ("higher", "lower"):
        raise ValueError(f"better must be 'higher' or 'lower', got {better!r}")
    low, high = paper if isinstance(paper, tuple | list) else (paper, paper)
    gap = min(max(value, low), high) - value
    ahead, equal, behind = _WORDS[kind]
    if spread is None:
        if round(abs(gap), decimals) == 0:
            return equal
    elif _is_chance(value, gap, spread):
        return "no difference"
    is_ahead = (gap < 0) == (better == "higher")
    return ahead if is_ahead else behind.format(f"{abs(gap):.{decimals}f}")


def _is_chance(value, gap, spread):
    """Whether what is compared with lies inside the interval, its ends included."""
    if isinstance(spread, bool):
        return spread
    if isinstance(spread, tuple | list):
        below, above = spread
        return (below is None or below <= value + gap) and (above is None or value + gap <= above)
    return abs(gap) <= spread


def severity(words):
    """The place of a verdict in `SEVERITY`."""
    return next(i for i, start in enumerate(SEVERITY) if words.startswith(start))


def read(claim, result):
    """A claim's `Reading` in a result."""
    try:
        value = find(result, claim.value)
        paper = claim.paper if _is_plain(claim.paper) else find(result, claim.paper)
        spread = None if claim.spread is None else find(result, claim.spread)
        beside = [find(result, where) for where in claim.beside]
    except NotMeasured:
        return Reading(claim, NOT_MEASURED, "–", "–", "")
    outcome = verdict(
        value, 0.0 if paper is None else paper, kind=claim.kind, better=claim.better, spread=spread,
        decimals=claim.decimals,
    )  # fmt: skip
    number = f"{value:.{claim.decimals}f}" if claim.kind != "ahead" else f"{value:+.{claim.decimals}f}"
    measured = claim.shown.format(number + _spread(spread, claim), *beside)
    note = claim.note(result) if callable(claim.note) else claim.note
    theirs = claim.said(result) if callable(claim.said) else claim.said.format(_number(paper, claim))
    return Reading(claim, outcome, measured, theirs, note)


def _is_plain(paper):
    """Whether a claim's paper is a number or a range of numbers, not a place in the result."""
    is_range = isinstance(paper, tuple) and all(isinstance(end, int | float) for end in paper)
    return paper is None or isinstance(paper, int | float) or is_range


def _number(paper, claim):
    """What is compared with: a rival's as measured numbers are printed, the paper's nearly as it stands."""
    if isinstance(paper, tuple | list):
        return " to ".join(f"{end:g}" for end in paper)
    if paper is None or math.isinf(paper):
        return "–" if paper is None else "none"
    if claim.kind == "rival" and not isinstance(claim.paper, int):
        return f"{paper:.{claim.decimals}f}"
    return f"{round(paper, claim.decimals + 1):g}"


def _spread(spread, claim):
    """A spread behind its number: two standard errors are halved to one."""
    if spread is None or isinstance(spread, bool):
        return ""
    form = "+" if claim.kind == "ahead" else ""
    if isinstance(spread, tuple | list):
        low, high = (f"{end:{form}.{claim.decimals}f}" if end is not None else "" for end in spread)
        return f" [{low}, {high}]" if low and high else f" [{low or high} {'or more' if low else 'or less'}]"
    return f" ± {spread / 2:.{claim.decimals}f}"


def twice(*where):
    """A spread of two standard errors, from where one stands."""
    return lambda result: 2 * (find(result, where) or 0.0)


def readings_of(claims, result):
    """A result's own claims as it bears them out: list of Reading."""
    return [read(claim, result) for claim in claims if claim.result == result["name"]]


def worst_first(readings):
    """Readings by verdict, worst first, otherwise in their order."""
    return sorted(readings, key=lambda reading: severity(reading.verdict))


def counts(readings):
    """How many claims have each verdict, in a line, worst first.

    >>> counts([Reading(None, "short by 2", *"   "), Reading(None, "better", *"   ")])
    '2 claims: 1 short, 1 better'
    """
    tally = Counter(SEVERITY[severity(reading.verdict)] for reading in readings)
    each = ", ".join(f"{tally[word]} {word.removesuffix(' by')}" for word in SEVERITY if tally[word])
    return f"{len(readings)} claim{'s' if len(readings) != 1 else ''}: {each}"


def tally(readings):
    """How many claims have each verdict, as rows (verdict, how many, which), best first.

    >>> tally([Reading(Claim("r", "Words", "right", 0), "short by 2", *"   ")])
    [('short by', 1, 'Words: right')]
    """
    by_word = {word: [] for word in reversed(SEVERITY)}
    for reading in readings:
        by_word[SEVERITY[severity(reading.verdict)]].append(f"{reading.claim.system}: {reading.claim.what}")
    return [(word, len(of_word), "; ".join(of_word)) for word, of_word in by_word.items() if of_word]


def failed(readings):
    """Those whose claim does not hold."""
    return [reading for reading in readings if reading.verdict.startswith(FAILED)]


def held(readings: list) -> dict[str, int]:
    """How many claims there are, how many hold, and which share in percent that is."""
    worst = SEVERITY.index("no difference")
    hold = sum(severity(reading.verdict) > worst for reading in readings)
    return {"claims": len(readings), "hold": hold, "share": round(100 * hold / max(1, len(readings)))}


def leading(readings):
    """The claim that stands for a system: the first contradicted, or that fails, or is unclear, or any."""
    wrong = [reading for reading in readings if reading.verdict == "contradicted"]
    unclear = [reading for reading in readings if reading.verdict in (NOT_MEASURED, "no difference")]
    return (wrong or failed(readings) or unclear or readings)[0]


def system_line(readings):
    """What a system comes to, its `leading` claim: (verdict and measured, paper) for README's table."""
    lead = leading(readings)
    name = f"{lead.claim.what}, " if len(readings) > 1 else ""
    n_failed = len(failed(readings))
    more = f" ({n_failed} of {len(readings)} fail)" if len(readings) > 1 and n_failed else ""
    return f"{lead.verdict}: {name}{lead.measured}{more}", lead.paper


def by_system(readings):
    """{system: its readings}, in order."""
    every = dict.fromkeys(reading.claim.system for reading in readings)
    return {system: [reading for reading in readings if reading.claim.system == system] for system in every}


class Line(NamedTuple):
    """A system in a line: the verdict of its `leading` claim, how many claims hold, and that claim."""

    verdict: str
    system: str
    n_hold: int
    n: int
    what: str
    measured: str
    paper: str
    result: str  # the result that the leading claim is about


def systems(readings: list[Reading]) -> list[Line]:
    """Every system in a line, worst verdict first."""
    lines = []
    for system, of_system in by_system(readings).items():
        lead, n_hold = leading(of_system), len(of_system) - len(failed(of_system))
        fields = lead.claim.what, lead.measured, lead.paper, lead.claim.result
        lines.append(Line(lead.verdict, system, n_hold, len(of_system), *fields))
    return sorted(lines, key=lambda line: severity(line.verdict))


def frame(readings: list, columns=COLUMNS) -> pd.DataFrame:
    """Readings as a table, verdict first; a source, note or system that tells nothing apart is left out."""
    rows = [
        (r.verdict, r.claim.system, r.claim.what, r.measured, r.paper, r.claim.source, r.note)
        for r in readings
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)[list(columns)]
    empty = [name for name in ("source", "note") if name in table and not table[name].any()]
    same = ["system"] if "system" in table and table["system"].nunique() == 1 else []
    return table.drop(columns=[*empty, *same]).set_index("verdict")

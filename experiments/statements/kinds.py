"""Kinds of comparisons that statements share: functions from stored results to numbers with their spread.

Kinds for results with a special form are in `forms`. A number whose spread is not stored has none, and a part
judged by it is open.
"""

from collections.abc import Callable

import numpy as np

from experiments.statements.evidence import Evidence, follow
from experiments.statements.rules import Estimate


class Numbers(dict[str, Estimate]):
    """Estimates by label; a number alone has an empty label."""

    @property
    def one(self) -> Estimate:
        """The only number."""
        (number,) = self.values()
        return number

    def only(self, label: str) -> "Numbers":
        """The number with a label."""
        return Numbers({label: self[label]})

    def near(self, label: str) -> "Numbers":
        """The number with a label, or all of them if none has it."""
        return self.only(label) if label in self else self


KINDS: dict[str, Callable] = {}


def kind(make: Callable) -> Callable:
    """A function ``(evidence, names, *arguments) -> Numbers, Estimate or float`` that rows may name."""
    KINDS[make.__name__] = make
    return make


def numbers(ev: Evidence, text: str, names: dict[str, Numbers]) -> Numbers:
    """The numbers that a row's text specifies: ``kind argument | argument``, or a path."""
    word, _, rest = text.partition(" ")
    arguments = [argument.strip() for argument in rest.split(" | ")] if rest else []
    made = KINDS[word](ev, names, *arguments) if word in KINDS else value(ev, names, text)
    made = Estimate(float(made)) if isinstance(made, int | float | np.floating) else made
    return Numbers({"": made}) if isinstance(made, Estimate) else made


def value(ev, names, text):
    """A named number, or the value at a path."""
    return names[text].one.value if text in names else float(text if text.isdigit() else ev.at(text))


@kind
def spread(ev, names, row, key, error):
    """A number of a row with its standard error, open without one; ``key?`` may be missing too."""
    row, name = ev.at(row), key.rstrip("?")
    return ev.estimate(row[name] if name == key else row.get(name, np.nan), row.get(error))


@kind
def ends(ev, names, row, key, *keys):
    """A number of a row with its interval, one key or two."""
    row = ev.at(row)
    stored = [row.get(key) for key in keys] if len(keys) == 2 else row.get(keys[0])
    return Estimate(row[key], *(stored or (None, None)))


@kind
def less(ev, names, one, other):
    """The difference of two numbers."""
    return value(ev, names, one) - value(ev, names, other)


@kind
def minus(ev, names, name):
    """Numbers with the other sign."""
    return Numbers((label, -one) for label, one in names[name].items())


@kind
def rest(ev, names, name):
    """One minus each number: above 0 where a ratio is below 1."""
    return Numbers(
        (label, Estimate(1 - one.value, *(None if end is None else 1 - end for end in (one.high, one.low))))
        for label, one in names[name].items()
    )


@kind
def square(ev, names, name):
    """The square of a number, in percent."""
    return 100 * names[name].one.value ** 2


@kind
def percent(ev, names, part, whole):
    """A share in percent."""
    return 100 * value(ev, names, part) / value(ev, names, whole)


@kind
def saved(ev, names, part, whole):
    """The share left out, in percent."""
    return 100 - percent(ev, names, part, whole)


@kind
def ratio(ev, names, one, other):
    """The ratio of two numbers, with the spread over timing rounds where every round of both is stored."""
    times = value(ev, names, one) / value(ev, names, other)
    turns = [_turns(ev, path) for path in (one, other)]
    if None in turns:
        return Estimate(times)
    half = ev.folds(np.divide(*turns)).half
    return Estimate(times, times - half, times + half)


@kind
def in_turns(ev, names, row, key):
    """A stored ratio of times, with the spread over rounds where the ratio of every round is stored."""
    row = ev.at(row)
    half = ev.folds(row[f"{key}_turns"]).half if f"{key}_turns" in row else None
    return Estimate(row[key], *(() if half is None else (row[key] - half, row[key] + half)))


def _turns(ev, path):
    try:
        return ev.at(f"{path}_turns") if "/" in path else None  # no path: computed from others
    except LookupError:
        return None


@kind
def folds(ev, names, one, other=""):
    """The mean of a column over folds, or of its paired difference from another."""
    return ev.folds(_column(ev, one) - (_column(ev, other) if other else 0.0))


def _column(ev, text):
    """Shape (folds,): ``orders RUN ORDER KEY`` (run "own": the thesis' tolerance), ``METHOD: last`` or
    ``METHOD: key/key`` of budget-ocr, or the list at a path.
    """
    if text.startswith("orders "):
        *run, order, key = text.removeprefix("orders ").split()
        return ev.order(int(order), key, "" if run == ["own"] else " ".join(run))
    method, is_method, what = text.partition(": ")
    if not is_method:
        return np.array(ev.at(text), float)
    steps = ["error[-1]"] if what == "last" else what.split("/")
    return np.array([follow(row, steps) for row in ev.budget(method)], float)


@kind
def curves(ev, names, method, rival, shares=""):
    """Points of error below a rival's at shares of the features, read off each fold's curve."""
    at = [float(share) for share in shares.split()] or ev.rules.shares
    return Numbers((f"{x:g} %", ev.folds(ev.error(rival, x) - ev.error(method, x))) for x in at)


@kind
def least(ev, names, *of):
    """The one of some numbers that is the fewest standard errors above zero."""
    every = [pair for name in of for pair in names[name].items()]
    return Numbers([min(every, key=lambda pair: pair[1].value / pair[1].half)])


@kind
def widest(ev, names, name):
    """The number with the widest interval."""
    return max(names[name].values(), key=lambda one: one.half)


@kind
def largest(ev, names, name):
    """The largest number."""
    return Numbers([max(names[name].items(), key=lambda pair: pair[1].value)])


@kind
def smallest(ev, names, name):
    """The smallest number."""
    return Numbers([min(names[name].items(), key=lambda pair: pair[1].value)])


@kind
def behind(ev, names, name):
    """How many numbers lie below zero, beyond their spread."""
    return sum(one.high is not None and one.high < 0 for one in names[name].values())

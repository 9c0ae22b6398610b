"""What statements are read from: stored results, and the few ways in which several statements read one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from experiments.statements.rules import Estimate, Part, Rules, over_folds
from spcviz.shared import stored
from spcviz.shared.folders import RESULTS

OWN_RUN = {1: "word 1", 2: "word 1", 3: "word 1", 4: "word 1", 5: "word 0.5", 6: "word 0.25"}
"""Of ocr-orders: the run whose tolerance is the one that the thesis has for an order."""


class NotStoredError(LookupError):
    """A result that a statement reads has not been made; `args` has its name."""


class Found(NamedTuple):
    """What a statement comes to in the stored results."""

    here: str  # our numbers
    spread: str  # of these numbers, and how it was taken
    parts: Sequence[Part]
    note: str = ""  # what one must know besides, at most 20 words
    brief: str = ""  # our numbers in the project's README, at most 60 characters


class Statement(NamedTuple):
    """One thing that a document says, or that we found: a row."""

    text: str  # at most 15 words; no two rows share it
    source: str  # section, table or figure of the document; for our own rows what they are beside
    paper: str  # the numbers printed there
    same_data: str  # whether ours are the document's data
    needs: str  # `rules.ALL` or `rules.MOST` of the parts
    results: tuple[str, ...]  # names of the results that are read; a row opens the table of the first
    where: str  # the place in them
    read: Callable[["Evidence"], Found]
    changed: str = ""  # why its verdict moved when a rule was changed


class Rows(list[Statement]):
    """A list of statements that a decorator adds to."""

    def add(self, text: str, **fields: Any) -> Callable:
        """Append the row whose `Statement.read` is decorated."""

        def keep(read: Callable[[Evidence], Found]) -> Callable[[Evidence], Found]:
            self.append(Statement(text, read=read, **fields))
            return read

        return keep


class Evidence:
    """Stored results, each read when it is first wanted, and the rules they are judged by.

    `load` takes a result's name and returns it, or None if it is not stored.
    """

    def __init__(self, load: Callable[[str], dict | None] | None = None, rules: Rules | None = None) -> None:
        self.load, self.rules = load or partial(stored.read, RESULTS), rules or Rules()
        self.last = ""  # the name of the result that was read last
        self._results: dict[str, dict] = {}

    def __getitem__(self, name: str) -> dict:
        """A result by name; `NotStoredError` without it, `stored.ResultError` if it is damaged."""
        self.last = name
        if name not in self._results:
            result = self.load(name)
            if result is None:
                raise NotStoredError(name)
            self._results[name] = result
        return self._results[name]

    def with_rules(self, rules: Rules) -> "Evidence":
        """The same results under other rules."""
        other = Evidence(self.load, rules)
        other._results = self._results
        return other

    def folds(self, values: Sequence[float]) -> Estimate:
        """The mean of a number a fold, with its spread."""
        return over_folds(values, self.rules)

    @cached_property
    def _orders(self) -> dict[tuple, list[dict]]:
        rows = defaultdict(list)
        for fold in self["ocr-orders"]["fold_rows"]:
            for row in fold["rows"]:
                if row["features"] == "raw":
                    rows[row["run"], row["order"]].append((fold["fold"], row))
        return {key: [row for _, row in sorted(of, key=lambda pair: pair[0])] for key, of in rows.items()}

    def order(self, order: int, key: str, run: str = "") -> np.ndarray:
        """A column of ocr-orders on raw pixels, shape (folds,); of the run with the thesis' tolerance."""
        return np.array([row[key] for row in self._orders[run or OWN_RUN[order], order]])

    @cached_property
    def _budgets(self) -> dict[tuple, list[dict]]:
        rows = defaultdict(list)
        for fold in self["budget-ocr"]["fold_rows"]:
            for row in fold["rows"]:
                key = row["experiment"], row["level"], row["method"], row["q"], row["scale"]
                rows[key].append(row)
        return rows

    def budget(self, method: tuple) -> list[dict]:
        """Rows of budget-ocr, one a fold, of a method: see `dms`, `policy` and `one_shot`."""
        return self._budgets[method]

    def error(self, method: tuple, share: float) -> np.ndarray:
        """% of letters wrong at a share of the features in %, shape (folds,), read off each fold's curve."""
        return np.array(
            [np.interp(share, row["features_share"], row["error"]) for row in self.budget(method)]
        )

    def ahead(self, method: tuple, rival: tuple, shares: Sequence[float] | None = None) -> dict:
        """{share: points less wrong than a rival, paired over folds}."""
        return {
            share: self.folds(self.error(rival, share) - self.error(method, share))
            for share in (self.rules.shares if shares is None else shares)
        }


def dms(method: str) -> tuple:
    """A method of dms-ocr, which chooses for whole words."""
    return "dms-ocr", "word", method, 0.0, None


def policy(method: str, level: str = "letter", q: float = 0.0) -> tuple:
    """A method of policy-ocr, whose messages stop at `q`."""
    return "policy-ocr", level, method, q, "range"


def one_shot(method: str) -> tuple:
    """A method of constrained-ocr."""
    return "constrained-ocr", "letter", method, 0.0, None


def row_of(rows: Sequence[dict], **wanted: Any) -> dict:
    """The first row with these values; `LookupError` without one."""
    for row in rows:
        if all(row.get(name) == value for name, value in wanted.items()):
            return row
    raise LookupError(f"no row with {wanted}")


def signed(number: Estimate, decimals: int = 2) -> str:
    """A number with its sign and half the width of its interval: "+0.16 ± 0.16"."""
    return f"{number.value:+.{decimals}f} ± {number.half:.{decimals}f}"


def values(numbers: Iterable[Estimate | float], decimals: int = 2, sign: str = "", mark: str = ", ") -> str:
    """Several numbers without their spread."""
    plain = (number.value if isinstance(number, Estimate) else number for number in numbers)
    return mark.join(f"{number:{sign}.{decimals}f}" for number in plain)


def halves(numbers: Iterable[Estimate], decimals: int = 2) -> str:
    """Half the widths of their intervals: "± 0.10, 0.12"."""
    return f"± {', '.join(f'{number.half:.{decimals}f}' for number in numbers)}"


def interval(number: Estimate, decimals: int = 2) -> str:
    """A number's interval in brackets; an end that nobody stored is a dash."""
    ends = ("–" if end is None else f"{end:+.{decimals}f}" for end in (number.low, number.high))
    return f"[{', '.join(ends)}]"


PAIRED = "2 se, paired, 10 folds"
"""How most spreads of handwritten words were taken."""

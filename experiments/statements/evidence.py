"""Look up the evidence of a statement: stored results, and paths to the numbers in them."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from experiments.statements.rules import Estimate, Part, Rules, estimate, over_folds
from spcviz.shared import result_files
from spcviz.shared.folders import RESULTS

OWN_RUN = {1: "word 1", 2: "word 1", 3: "word 1", 4: "word 1", 5: "word 0.5", 6: "word 0.25"}
"""Runs of ocr-orders by order: those with the thesis' tolerance for that order."""


class NotStoredError(LookupError):
    """A result that a statement reads has not been made; `args` has its name."""


class Found(NamedTuple):
    """The numbers for a statement in the stored results."""

    here: str  # our numbers
    spread: str  # of these numbers, and how it was computed
    parts: Sequence[Part]
    note: str = ""  # further caveats, at most 20 words
    brief: str = ""  # our numbers in the project's README, at most 60 characters


class Evidence:
    """Stored results, each read on first access, and the rules they are judged by.

    `load` takes a result's name and returns it, or None if it is not stored.
    """

    def __init__(self, load: Callable[[str], dict | None] | None = None, rules: Rules | None = None) -> None:
        self.load, self.rules = load or partial(result_files.read, RESULTS), rules or Rules()
        self.last = ""  # the name of the result that was read last
        self._results: dict[str, dict] = {}

    def __getitem__(self, name: str) -> dict:
        """A result by name; `NotStoredError` without it, `result_files.ResultError` if it is damaged."""
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

    def at(self, path: str) -> Any:
        """The value at a path: a result's name, keys, and in brackets a row's values or its index.

        ``scene/rows[method=him]/pixel_accuracy``; ``rows[-1]`` is the last, ``rows[a=1;b=x]`` the first with
        both, ``rows[-a=1]`` the last. Raises `LookupError` where there is none.
        """
        name, *steps = path.split("/")
        return follow(self[name], steps)

    def estimate(self, value: float, error: float | None = None) -> Estimate:
        """A number with its standard error."""
        return estimate(value, error, self.rules)

    def folds(self, values: Sequence[float]) -> Estimate:
        """The mean of one number per fold, with its spread."""
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
        """A column of ocr-orders on raw pixels, shape (folds,), by default with the thesis' tolerance."""
        return np.array([row[key] for row in self._orders[run or OWN_RUN[order], order]])

    @cached_property
    def _budgets(self) -> dict[str, list[dict]]:
        rows = defaultdict(list)
        for fold in self["budget-ocr"]["fold_rows"]:
            for row in fold["rows"]:
                if row["scale"] in (None, "range"):
                    rows["/".join((row["experiment"], row["level"], row["method"], f"{row['q']:g}"))].append(
                        row
                    )
        return rows

    def budget(self, method: str) -> list[dict]:
        """Rows of budget-ocr, one per fold: "policy-ocr/letter/q-learning", or ending in "/q" of messages."""
        rows = self._budgets[method if method.count("/") == 3 else f"{method}/0"]
        if not rows:
            raise LookupError(f"no method {method}")
        return rows

    def error(self, method: str, share: float) -> np.ndarray:
        """% of letters wrong at a share of the features in %, shape (folds,), read off each fold's curve."""
        return np.array(
            [np.interp(share, row["features_share"], row["error"]) for row in self.budget(method)]
        )


def follow(node: Any, steps: Sequence[str]) -> Any:
    """The value some steps below a list or dictionary: see `Evidence.at`."""
    for step in steps:
        key, *chosen = re.split(r"\[|\]", step)
        node = node[key] if key else node
        for choice in filter(None, chosen):
            if "=" not in choice:
                node = node[int(choice)]
            elif choice.startswith("-"):
                node = row_of(node[::-1], **_parse_choice(choice[1:]))
            else:
                node = row_of(node, **_parse_choice(choice))
    return node


def _parse_choice(choice):
    pairs = (pair.split("=", 1) for pair in choice.split(";"))
    return {key: _plain(text) for key, text in pairs}


def _plain(text):
    """A number, a truth value or a text, as JSON has it.

    >>> [_plain(text) for text in ("0.5", "true", "null", "signs, A")]
    [0.5, True, None, 'signs, A']
    """
    if text in (names := {"true": True, "false": False, "null": None}):
        return names[text]
    try:
        return float(text)
    except ValueError:
        return text


def row_of(rows: Sequence[dict], **wanted: Any) -> dict:
    """The first row with these values; `LookupError` without one."""
    for row in rows:
        if all(row.get(name) == value for name, value in wanted.items()):
            return row
    raise LookupError(f"no row with {wanted}")

"""Ledger of CPU seconds of each part of a result, whether computed now or read from the disk cache.

A part's seconds are stored next to it, without those of its parts; a part that two others share counts once.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any


class Costs:
    """CPU seconds of `parts` (None: not recorded); `now`: those spent in this process, included in them."""

    def __init__(self) -> None:
        self.parts: dict[str, float | None] = {}
        self.now = 0.0


class _Open(threading.local):
    """The `Costs` being collected in this thread, outermost first."""

    def __init__(self) -> None:
        self.costs: list[Costs] = []


_OPEN = _Open()


@contextmanager
def collecting() -> Iterator[Costs]:
    """Collect the costs of all parts that are computed or found in this block, and of nothing outside.

    >>> with collecting() as costs:
    ...     with spending("a sum"):
    ...         total = sum(range(10))
    >>> list(costs.parts)
    ['a sum']
    """
    costs = Costs()
    _OPEN.costs.append(costs)
    try:
        yield costs
    finally:
        _OPEN.costs.pop()


@contextmanager
def spending(name: str) -> Iterator[Costs]:
    """A part that is computed in this block; yields the costs of its parts, at the end also its own."""
    start = time.process_time()
    with collecting() as costs:
        yield costs
    spent = time.process_time() - start
    costs.parts[name] = max(spent - costs.now, 0.0)
    add(costs.parts, spent)


def add(parts: Mapping[str, float | None], now: float = 0.0) -> None:
    """Add the costs of parts that were found, or computed elsewhere, to the innermost open `Costs`."""
    if _OPEN.costs:
        _OPEN.costs[-1].parts.update(parts)
        _OPEN.costs[-1].now += now


def count_costs(
    name: str, function: Callable[..., Any], *arguments: Any
) -> tuple[Any, dict[str, float | None]]:
    """(result of ``function(*arguments)``, costs of its parts): a worker returns its costs."""
    with collecting() as costs, spending(name):
        value = function(*arguments)
    return value, costs.parts


def total(parts: Mapping[str, float | None]) -> float:
    """CPU seconds of all parts whose seconds are known.

    >>> total({"a": 1.5, "b": None})
    1.5
    """
    return sum(seconds for seconds in parts.values() if seconds is not None)

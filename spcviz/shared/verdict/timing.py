"""Times of a cascade beside a dense search, on groups of examples."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spcviz.shared.verdict.judged import Times

N_TIMED, GROUP, _TURNS = 60, 6, 3
"""Test examples that are timed, in groups of so many, and how often; of each group the best time counts."""
MOST_DENSE = 3_000_000
"""Entries of the dense tables, K to the order, beyond which no dense search is run."""


def timed_groups(
    cascade: Callable[..., None],
    dense: Callable[..., None],
    groups: Sequence[tuple[Any, ...]],
    order: int,
    n: int,
) -> Times:
    """Time two searches in turns on the same groups, each the arguments of both; `n` examples in all."""
    turns = [[[_us(run, group) for run in (cascade, dense)] for _ in range(_TURNS)] for group in groups]
    best = np.array(turns).min(axis=1)
    return Times(best[:, 0], best[:, 1], order, n)


def _us(run: Callable[..., None], group: tuple[Any, ...]) -> float:
    """Microseconds of a run, by this thread's own time where that is told."""
    start = time.perf_counter(), time.thread_time()
    run(*group)
    wall, cpu = time.perf_counter() - start[0], time.thread_time() - start[1]
    return 1e6 * (min(wall, cpu) if cpu > 0 else wall)

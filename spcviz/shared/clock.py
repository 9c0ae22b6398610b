"""Timers for results: median, least and fastest microseconds of calls."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def median_us(call: Callable[[], Any], repeats: int) -> float:
    """Median microseconds of a call after an uncounted one, wall clock or CPU, whichever is shorter."""
    return float(np.median(times_us(call, repeats)))


def times_us(call: Callable[[], Any], repeats: int) -> list[float]:
    """Microseconds of every call after an uncounted one, measured as in `median_us`."""
    call()
    return [_time(call)[1] for _ in range(repeats)]


def turns_us(
    calls: Mapping[K, Callable[[], Any]], repeats: int, now: Callable[[], float] = time.process_time
) -> dict[K, list[float]]:
    """Microseconds of each call in every round by the clock `now`, after a round that does not count."""
    taken: dict[K, list[float]] = {key: [] for key in calls}
    for _ in range(repeats + 1):
        for key, call in calls.items():
            start = now()
            call()
            taken[key].append(1e6 * (now() - start))
    return {key: times[1:] for key, times in taken.items()}


def medians_us(
    calls: Mapping[K, Callable[[], Any]], repeats: int, now: Callable[[], float] = time.process_time
) -> dict[K, float]:
    """The medians of `turns_us`."""
    return {key: float(np.median(times)) for key, times in turns_us(calls, repeats, now).items()}


def rounds_us(calls: Sequence[Callable[..., Any]], rounds: int) -> np.ndarray:
    """Microseconds of each call in every round, (calls, rounds), after a round that does not count."""
    for call in calls:
        call()
    taken = [[_time(call)[1] for call in calls] for _ in range(rounds)]
    return np.array(taken).reshape(rounds, len(calls)).T


def least_us(calls: Sequence[Callable[..., Any]], rounds: int) -> list[float]:
    """Least microseconds of each call, all in turn: a disturbance then slows a round, not one call."""
    return rounds_us(calls, rounds).min(axis=1).tolist()


def _time(call: Callable[[], T], now: Callable[[], float] = time.process_time) -> tuple[T, float]:
    """(result, microseconds) of a call: wall clock or a clock of CPU time, whichever is shorter."""
    # Other programs on the machine must not count, and a second thread must not count twice.
    start, cpu_start = time.perf_counter(), now()
    value = call()
    wall, cpu = time.perf_counter() - start, now() - cpu_start
    return value, 1e6 * min(wall, cpu)


_LONG_US = 5000.0  # above it, the cold caches of a first call do not matter


def fastest_us(call: Callable[[], T]) -> tuple[T, float]:
    """(result, microseconds) of the fastest of three calls, or of the first if that is long."""
    least = np.inf
    for _ in range(3):
        value, us = _time(call, time.thread_time)
        least = min(least, us)
        if least > _LONG_US:
            break
    return value, least

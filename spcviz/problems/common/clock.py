"""Timers for results: median, least and fastest microseconds of calls."""

import time
from collections.abc import Callable, Sequence

import numpy as np


def median_us(call, repeats):
    """Median microseconds of a call after an uncounted one, wall clock or CPU, whichever is shorter."""
    call()
    taken = []
    for _ in range(repeats):
        start, own_start = time.perf_counter(), time.process_time()
        call()
        wall, cpu = time.perf_counter() - start, time.process_time() - own_start
        taken.append(1e6 * min(wall, cpu))
    return float(np.median(taken))


def least_us(calls: Sequence[Callable], rounds: int) -> list[float]:
    """Least microseconds of each call, all in turn: a disturbance then slows a round of all, not one of them."""
    for call in calls:
        call()
    least = [np.inf] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start, own_start = time.perf_counter(), time.process_time()
            call()
            wall, cpu = time.perf_counter() - start, time.process_time() - own_start
            least[i] = min(least[i], 1e6 * min(wall, cpu))
    return least


_LONG_US = 5000.0  # beyond it a first call's cold caches do not count


def fastest_us(call):
    """(result, microseconds) of the fastest of three calls, or of the first if that is long."""
    least = np.inf
    for _ in range(3):
        start, own_start = time.perf_counter(), time.thread_time()
        value = call()
        wall, cpu = time.perf_counter() - start, time.thread_time() - own_start
        least = min(least, 1e6 * min(wall, cpu))
        if least > _LONG_US:
            break
    return value, least

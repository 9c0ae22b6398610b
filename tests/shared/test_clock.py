"""Clocks: calls in turn, the least time of each."""

import time

from spcviz.shared.clock import least_us


def test_calls_take_turns_and_the_least_time_counts():
    seen = []

    def spin(name, *seconds):
        waits = iter(seconds)

        def call():
            seen.append(name)
            end = time.perf_counter() + next(waits)
            while time.perf_counter() < end:
                pass

        return call

    times = least_us([spin("a", 0.02, 0.02, 0.004), spin("b", 0.0, 0.001, 0.001)], 2)
    assert seen == ["a", "b"] * 3
    assert 0 < times[0] < 15000  # not the first two rounds; of a busy machine it counts its own time alone

"""Clocks: calls take turns, and the least time of each counts."""

import time

from spcviz.shared.clock import least_us, medians_us, rounds_us, turns_us


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
    assert 0 < times[0] < 15000  # not the first two rounds; on a busy machine only its own time counts


def test_every_turn_is_kept_and_calls_take_turns():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    turns = turns_us(calls, 3)
    assert {name: len(times) for name, times in turns.items()} == {"a": 3, "b": 3}
    assert order == list("abababab")  # a round that does not count, and three
    assert medians_us(calls, 1).keys() == {"a", "b"}
    rounds = rounds_us([calls["a"], calls["b"]], 2)
    assert rounds.shape == (2, 2)
    assert (rounds >= 0).all()

"""The line for processes: first come first served, a few at a time, and nobody who left is waited for."""

import threading
import time

import pytest

from spcviz.shared.confined.asking import Line
from tests.waiting import wait_until


@pytest.mark.parametrize("most", [1, 2, 3])
def test_few_are_served_at_a_time_in_the_order_they_came(most):
    line, served, now, ends = Line(most), [], [], [threading.Event() for _ in range(7)]
    running = []

    def visit(n, place):
        with place:
            assert place.wait()
            running.append(n)
            served.append(n)
            now.append(len(running))
            ends[n].wait(20)
            running.remove(n)

    threads = []
    for n in range(7):
        threads.append(threading.Thread(target=visit, args=(n, line.join())))
    for thread in reversed(threads):  # the order of joining counts, not that of waiting
        thread.start()
    for n in range(7):
        n_served = min(n + most, 7)
        wait_until(lambda n_served=n_served: len(served) == n_served)
        assert sorted(served) == list(range(n_served))
        ends[n].set()
    for thread in threads:
        thread.join(20)
    assert max(now) == most
    assert len(line) == 0


def test_the_next_moves_on_at_once_when_somebody_is_done():
    line, at = Line(1), []
    first = line.join()

    def visit():
        with line.join() as place:
            place.wait()
            at.append(time.monotonic())

    thread = threading.Thread(target=visit)
    thread.start()
    wait_until(lambda: len(line) == 2)
    time.sleep(0.02)
    left = time.monotonic()
    first.leave()
    thread.join(20)
    assert at[0] - left < 5.0
    assert len(line) == 0


class LeftError(Exception):
    """A visitor has gone."""


def test_who_gives_up_in_the_middle_takes_no_place_from_those_behind():
    line = Line(1)
    first, looks = line.join(), []

    def glance():
        looks.append(line)
        if len(looks) == 3:
            raise LeftError

    second, last = line.join(), line.join()
    assert (first.n_before(), second.n_before(), last.n_before()) == (0, 1, 2)
    with pytest.raises(LeftError), second:
        second.wait(glance)
    assert last.n_before() == 1
    first.leave()
    first.leave()  # a second call does nothing
    assert last.n_before() == 0
    assert last.wait(end=0.0), "a turn that has come is no later for a deadline that is over"
    last.leave()
    assert len(line) == 0


def test_who_waits_too_long_is_told_and_is_still_looked_after():
    line, looks = Line(2), []
    with line.join(), line.join(), line.join() as third:
        began = time.monotonic()
        assert not third.wait(lambda: looks.append(1), began + 0.35)
        assert 0.3 < time.monotonic() - began < 10
        assert looks
    assert len(line) == 0

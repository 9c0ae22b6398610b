"""Slots of visitors' runs: a limited number at once, and nobody waits for a run that takes long."""

import threading
import time

import pytest

from spcviz.web.cached.sharing import share
from spcviz.web.cached.threads import LONG_SLOT, SLOTS, Slots


class Runs:
    """Threads that each acquire a slot and hold it until they are released."""

    def __init__(self, slots, n):
        self.slots, self.go, self.inside, self.lock = slots, threading.Event(), [], threading.Lock()
        self.threads = [threading.Thread(target=self._run, args=[i], daemon=True) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def _run(self, i):
        with self.slots.acquire():
            with self.lock:
                self.inside.append(i)
            assert self.go.wait(30)

    def wait_for(self, n):
        """Wait until `n` threads are inside; returns how many are inside a moment later."""
        until = time.monotonic() + 10
        while len(self.inside) < n and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.05)
        return len(self.inside)

    def end(self):
        self.go.set()
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


def test_so_many_at_a_time_and_the_rest_after_them():
    runs = Runs(slots := Slots(2, 60.0), 6)
    assert runs.wait_for(2) == 2
    assert slots.n_running == 2
    runs.end()
    assert sorted(runs.inside) == list(range(6))
    assert slots.n_running == 0


def test_one_that_takes_long_keeps_nobody_waiting():
    begun = time.monotonic()
    runs = Runs(slots := Slots(1, 0.1), 4)
    assert runs.wait_for(4) == 4
    assert 0.3 <= time.monotonic() - begun < 5
    assert slots.n_running == 1  # the last; the others are not counted any more
    runs.end()
    assert slots.n_running == 0


def test_a_part_of_a_run_has_its_turn():
    slots, seen = Slots(1, 60.0), []

    def run():
        with slots.acquire(), slots.acquire():
            seen.append(slots.n_running)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert seen == [1]
    assert slots.n_running == 0


def test_a_turn_is_given_back_after_an_error():
    slots = Slots(1, 60.0)
    with pytest.raises(KeyError), slots.acquire():
        raise KeyError
    with slots.acquire():
        assert slots.n_running == 1


def test_visitors_run_in_turn_and_long_computations_one_by_one(monkeypatch):
    """The page and its computations: a call declared as long waits for other long calls."""
    from streamlit.testing.v1 import AppTest

    counted = []

    @share(4, kernels=False)
    def short(n):
        counted.append(("short", SLOTS.n_running, LONG_SLOT.n_running))

    @share(4, "Takes long ...", kernels=False)
    def long(n):
        counted.append(("long", SLOTS.n_running, LONG_SLOT.n_running))

    def page(short, long):
        from spcviz.web.cached.common import tells_of_damage

        tells_of_damage(lambda: (short(1), long(1)))()

    app = AppTest.from_function(page, kwargs={"short": short, "long": long}).run()
    assert not app.exception
    assert counted == [("short", 1, 0), ("long", 1, 1)]
    assert (SLOTS.n_running, LONG_SLOT.n_running) == (0, 0)
    long(2)  # not for a visitor: ahead of visits, in a script
    assert counted[-1] == ("long", 0, 0)

"""Freed memory goes back to the system, tested in a separate process."""

import subprocess
import sys
import types
from pathlib import Path

import pytest

from spcviz.web.cached import memory, ownership

ROOT = Path(__file__).parents[3]
HOLES = """
import numpy as np
import psutil
from spcviz.web.cached import heap

def megabytes():
    return psutil.Process().memory_info().rss >> 20

heap.set_up()
before = megabytes()
kept = [np.ones(5000) for _ in range(5000)]
full = megabytes()
del kept[::2]
kept.append(np.ones(1))
holes = megabytes()
heap.give_back()
print(full - before, holes - before, megabytes() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' C libraries are asked for nothing")
def test_holes_go_back():
    done = subprocess.run(
        [sys.executable, "-c", HOLES], cwd=ROOT, capture_output=True, text=True, timeout=100, check=True
    )
    full, holes, rest = map(int, done.stdout.split())
    assert full > 150
    assert holes > 0.9 * full, "what is freed between what lives on stays, or there is nothing to give back"
    assert rest < 0.65 * full


def test_a_system_without_such_a_function_is_left_alone(monkeypatch):
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: types.SimpleNamespace())
    memory.give_back()


def test_the_clock_of_visits_gives_memory_back_every_so_often(monkeypatch):
    given, slept = [], []

    class Ended(BaseException):
        pass

    def sleep(seconds):
        slept.append(seconds)
        ownership.CLOCK.turn(seconds)
        if len(slept) == 100:
            raise Ended

    monkeypatch.setattr(ownership.time, "sleep", sleep)
    monkeypatch.setattr(ownership, "clean", lambda: None)
    monkeypatch.setattr(ownership, "CLOCK", ownership.Clock())
    monkeypatch.setattr(ownership.memory, "give_back", lambda: given.append(len(slept)))
    with pytest.raises(Ended):
        ownership._look()
    assert len(given) == 3
    assert given[1] - given[0] == pytest.approx(ownership.SWEEP_EVERY, abs=1)

"""One budget of bytes for the values of all cached calls.

Freed memory goes back to the system, tested in a separate process.
"""

import subprocess
import sys
import threading
import tracemalloc
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.web.cached import memory, ownership
from spcviz.web.cached.sharing import share


@pytest.fixture
def small(monkeypatch):
    """A budget of ten thousand bytes for values; the overhead of an entry is zero."""
    space = memory.MemoryBudget(10_000)
    monkeypatch.setattr(memory, "MEMORY", space)
    monkeypatch.setattr(memory, "OF_ENTRY", 0)
    return space


def arrays_of(n):
    made = []

    @share(100)
    def array(key):
        made.append(key)
        return np.zeros(n // 8)

    return array, made


def test_views_of_one_array_are_counted_once():
    base = np.zeros(1000)
    assert memory.held_by([base[:10], base[5:], {"a": base}]).n_bytes == pytest.approx(
        8000 + memory.OF_ENTRY, abs=700
    )


def test_what_two_values_share_counts_once_until_both_are_gone():
    large, space = np.zeros(100_000), memory.MemoryBudget(10**9)
    space.add("model", print, [large], 1.0)
    space.add("reader", print, {"model": large[5:], "images": np.zeros(10)}, 1.0)
    assert space.n_bytes == pytest.approx(800_000 + 2 * memory.OF_ENTRY, abs=1000)
    space.remove("model")
    assert space.n_bytes == pytest.approx(800_000 + memory.OF_ENTRY, abs=1000)
    space.remove("reader")
    space.remove("reader")
    assert space.n_bytes == 0


def test_attributes_are_counted_and_circles_end():
    class Model:
        pass

    model = Model()
    model.weights, model.own, model.act, model.lock = np.zeros(500), model, print, threading.Lock()
    assert 4000 <= memory.held_by(model).n_bytes - memory.OF_ENTRY <= 5000


def values_of(kind, number):
    """Examples of values that calls of a page return."""
    if kind == "number":
        return number / 7
    if kind == "text":
        return f"{number} of 14,040 words are lost at this threshold"
    return tuple(np.full(40, number + k, float) for k in range(5))


@pytest.mark.parametrize("kind", ["number", "text", "arrays"])
def test_what_is_kept_takes_what_is_counted(monkeypatch, kind):
    """Many small values, as from the visits of a class: keys and tables count, too."""
    monkeypatch.setattr(memory, "MEMORY", space := memory.MemoryBudget(10**9))

    @share(10**6)
    def call(word, alpha, rule):
        return values_of(kind, word)

    call(-1, 0.5, "mean_max")
    n, before = 3000, space.n_bytes
    tracemalloc.start()
    try:
        began, _ = tracemalloc.get_traced_memory()
        for _ in range(3):
            for word in range(n):
                call(word + 1000, word / n, "mean_max")
        taken = tracemalloc.get_traced_memory()[0] - began
    finally:
        tracemalloc.stop()
    assert 0.7 * taken < space.n_bytes - before < 1.4 * taken


def test_what_a_model_makes_at_first_use_is_counted_when_it_is_used_again(small, monkeypatch):
    @share(5)
    def model(key):
        return type("Model", (), {})()

    array, made = arrays_of(3000)
    array(1)
    model(1).table = np.zeros(1000)  # 8000 bytes
    model(1)
    assert small.n_bytes < 5000  # its size was measured a moment ago
    monkeypatch.setattr(memory, "_AGAIN", 0.0)
    assert len(model(1).table) == 1000
    assert 8000 < small.n_bytes <= small.most
    array(1)
    assert made == [1, 1]  # the array was evicted


def kept(space, *values):
    """Names of values still cached after adding (name, bytes, seconds) one after the other."""
    names = []
    for name, n_bytes, seconds in values:
        names.append(name)
        space.add(name, names.remove, np.zeros(n_bytes // 8), seconds)
    return names


def test_what_is_made_soonest_goes_first(small):
    assert kept(small, ("slow", 4000, 1.0), ("quick", 4000, 0.1), ("new", 4000, 1.0)) == ["slow", "new"]


def test_small_values_stay_longer_than_large_ones(small):
    assert kept(small, ("small", 1000, 0.2), ("large", 7000, 1.0), ("new", 4000, 0.1)) == ["small", "new"]


def test_what_is_asked_for_often_stays(small):
    names = kept(small, ("hot", 4000, 0.1), ("cold", 4000, 0.3))
    for _ in range(3):
        small.touch("hot", None)
    small.add("new", names.remove, np.zeros(500), 0.1)
    assert names == ["hot"]


def test_what_was_asked_for_often_long_ago_falls_behind(small):
    gone = []
    small.add("hot", gone.append, np.zeros(500), 1.0)
    for _ in range(20):
        small.touch("hot", None)
    for n in range(100):
        small.add(n, gone.append, np.zeros(500), 1.0)
        small.touch(n, None)
    assert gone.index("hot") >= 10
    assert small.n_bytes <= small.most


def test_calls_share_the_budget(small):
    one, made = arrays_of(4000)
    other, others = arrays_of(4000)
    one(1), other(2)
    for _ in range(1000):
        one(1)
    other(3)
    one(1)
    assert (made, others) == ([1], [2, 3])
    other(2)
    assert others == [2, 3, 2]


def test_a_value_larger_than_the_budget_is_kept_until_the_next(small):
    large, made = arrays_of(50_000)
    assert large(1) is large(1)
    large(2)
    large(1)
    assert made == [1, 2, 1]


def test_what_is_cleared_or_too_old_takes_no_memory(small):
    array, _ = arrays_of(3000)
    array(1), array(2)
    array.clear()
    assert small.n_bytes == 0

    @share(5, seconds=1e-9)
    def brief(key):
        return np.zeros(100)

    brief(1), brief(2)
    assert small.n_bytes < 1600


def test_the_number_of_values_still_counts(small):
    @share(2)
    def array(key):
        return np.zeros(10)

    sizes = [(array(key), small.n_bytes)[1] for key in range(5)]
    assert sizes[1] == sizes[4]


def test_many_threads_leave_no_bytes_behind(small):
    array, _ = arrays_of(1000)
    threads = [
        threading.Thread(target=lambda s=s: [array((s * k) % 37) for k in range(200)]) for s in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < small.n_bytes <= small.most
    array.clear()
    assert small.n_bytes == 0


class Slowly:
    """The same rule without a heap: it searches all cached values."""

    def __init__(self, most):
        self.most, self.floor, self.kept = most, 0.0, {}  # {name: [bytes, seconds, uses, worth]}

    def weigh(self, name):
        n_bytes, seconds, uses, _ = self.kept[name]
        self.kept[name][3] = self.floor + uses * seconds / (n_bytes + 1)

    def add(self, name, n_bytes, seconds):
        self.kept.pop(name, None)
        gone = []
        while self.kept and sum(one[0] for one in self.kept.values()) + n_bytes > self.most:
            least = min(self.kept, key=lambda one: self.kept[one][3])
            self.floor = self.kept.pop(least)[3]
            gone.append(least)
        self.kept[name] = [n_bytes, seconds, 1, 0.0]
        self.weigh(name)
        return gone

    def touch(self, name):
        if name in self.kept:
            self.kept[name][2] += 1
            self.weigh(name)


@given(st.integers(0, 2**32 - 1), st.integers(1, 400))
def test_the_heap_finds_what_a_search_finds(seed, n_steps):
    rng, gone = np.random.default_rng(seed), []
    most = 3000 + 6 * memory.OF_ENTRY
    space, slowly = memory.MemoryBudget(most), Slowly(most)
    for _ in range(n_steps):
        name = ("call", int(rng.integers(30)))
        if rng.random() < 0.6:
            space.touch(name, None)
            slowly.touch(name)
        elif name not in slowly.kept:
            value, seconds = b"x" * int(rng.integers(1, 900)), float(rng.random())
            gone.clear()
            space.add(name, gone.append, value, seconds)
            assert gone == slowly.add(name, memory.held_by(value).n_bytes, seconds)
    assert space.n_bytes == sum(one[0] for one in slowly.kept.values())


ROOT = Path(__file__).parents[3]
HOLES = """
import numpy as np
import psutil
from spcviz.web.cached import memory

def megabytes():
    return psutil.Process().memory_info().rss >> 20

memory.set_up()
before = megabytes()
kept = [np.ones(5000) for _ in range(5000)]
full = megabytes()
del kept[::2]
kept.append(np.ones(1))
holes = megabytes()
memory.give_back()
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

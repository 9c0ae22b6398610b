"""One budget of bytes for what all cached calls keep."""

import threading

import numpy as np
import pytest

from spcviz.web.cached import room
from spcviz.web.cached.shared import shared


@pytest.fixture
def small(monkeypatch):
    """Room for ten thousand bytes."""
    space = room.Room(10_000)
    monkeypatch.setattr(room, "ROOM", space)
    return space


def arrays_of(n):
    made = []

    @shared(100)
    def array(key):
        made.append(key)
        return np.zeros(n // 8)

    return array, made


def test_views_of_one_array_are_counted_once():
    base = np.zeros(1000)
    assert room.held_by([base[:10], base[5:], {"a": base}]).n_bytes == pytest.approx(8000, abs=700)


def test_what_two_values_share_counts_once_until_both_are_gone():
    large, space = np.zeros(100_000), room.Room(10**9)
    space.add("model", print, [large])
    space.add("reader", print, {"model": large[5:], "images": np.zeros(10)})
    assert space.n_bytes == pytest.approx(800_000, abs=1000)
    space.remove("model")
    assert space.n_bytes == pytest.approx(800_000, abs=1000)
    space.remove("reader")
    space.remove("reader")
    assert space.n_bytes == 0


def test_attributes_are_counted_and_circles_end():
    class Model:
        pass

    model = Model()
    model.weights, model.own, model.act, model.lock = np.zeros(500), model, print, threading.Lock()
    assert 4000 <= room.held_by(model).n_bytes <= 5000


def test_what_a_model_makes_at_first_use_is_counted_when_it_is_used_again(small, monkeypatch):
    @shared(5)
    def model(key):
        return type("Model", (), {})()

    array, made = arrays_of(3000)
    array(1)
    model(1).table = np.zeros(1000)  # 8000 bytes
    model(1)
    assert small.n_bytes < 5000  # looked at just now
    monkeypatch.setattr(room, "_AGAIN", 0.0)
    assert len(model(1).table) == 1000
    assert 8000 < small.n_bytes <= small.most
    array(1)
    assert made == [1, 1]  # the array had to go


def test_the_least_recently_used_of_all_calls_goes(small):
    one, made = arrays_of(3000)
    other, others = arrays_of(3000)
    for ask, key in ((one, 1), (other, 2), (one, 3), (one, 1)):
        ask(key)
    other(4)  # of 1, 2 and 3 the second was used longest ago
    one(1), one(3)
    assert (made, others) == ([1, 3], [2, 4])
    other(2)
    assert others == [2, 4, 2]
    assert small.n_bytes <= small.most


def test_a_value_larger_than_the_room_is_kept_until_the_next(small):
    large, made = arrays_of(50_000)
    assert large(1) is large(1)
    large(2)
    large(1)
    assert made == [1, 2, 1]


def test_what_is_cleared_or_too_old_takes_no_room(small):
    array, _ = arrays_of(3000)
    array(1), array(2)
    array.clear()
    assert small.n_bytes == 0

    @shared(5, seconds=1e-9)
    def brief(key):
        return np.zeros(100)

    brief(1), brief(2)
    assert small.n_bytes < 1600


def test_the_number_of_values_still_counts(small):
    @shared(2)
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

"""One value for all visitors: made once, bounded, and an error is not kept."""

import threading
import time

import pytest

from spcviz.web.cached import sharing as module
from spcviz.web.cached.sharing import share


def test_made_once_and_forgotten_by_age_of_use():
    made = []

    @share(2)
    def named(n, word="a"):
        """Says it."""
        made.append((n, word))
        return f"{word}{n}"

    assert [named(1), named(2), named(1), named(3), named(1)] == ["a1", "a2", "a1", "a3", "a1"]
    assert made == [(1, "a"), (2, "a"), (3, "a")]  # 1 was the most recent request when 3 came
    named(2, "b")
    assert named(3) == "a3"
    assert made[3:] == [(2, "b"), (3, "a")]
    named.clear()
    assert named(3) == "a3"
    assert len(made) == 6
    assert named.__name__ == "named"
    assert named.__doc__ == "Says it."


def test_who_asks_at_once_waits_for_the_first():
    made, answers = [], []

    @share(4)
    def slow(n):
        made.append(n)
        time.sleep(0.1)
        return object()

    threads = [threading.Thread(target=lambda: answers.append(slow(1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert len(answers) == 4
    assert len(set(map(id, answers))) == 1


def test_an_error_is_raised_again_and_others_go_on():
    tries = []

    @share(4)
    def broken(n):
        tries.append(n)
        if len(tries) < 3:
            raise ValueError("not yet")
        return n

    for _ in range(2):
        with pytest.raises(ValueError, match="not yet"):
            broken(7)
    assert broken(7) == 7
    assert tries == [7, 7, 7]
    assert not broken.asked


def test_what_begins_with_an_underscore_is_handed_on_and_tells_no_calls_apart():
    made = []

    @share(4)
    def read(digest, _data, size=1, *more):
        made.append((digest, _data, size, more))
        return len(made)

    assert [read("a", b"1"), read("a", b"2"), read("b", b"1"), read("a", b"1", 2)] == [1, 1, 2, 3]
    assert read(size=2, digest="a", _data=b"3") == 3
    assert [read("a", b"1", 2, 7), read("a", b"4", 2, 7), read("a", b"1", 2, 8)] == [4, 4, 5]
    assert made[0] == ("a", b"1", 1, ())
    assert made[3:] == [("a", b"1", 2, (7,)), ("a", b"1", 2, (8,))]


def test_a_value_is_forgotten_when_its_time_is_over(monkeypatch):
    now, made = [0.0], []
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    @share(4, seconds=10)
    def read(name):
        made.append(name)
        return name

    read("a")
    now[0] = 9.0
    read("b"), read("a")
    assert made == ["a", "b"]
    now[0] = 10.5
    read("b")
    assert list(read.known) == [("b",)]  # the old one is gone, though nobody requested it
    read("a")
    assert made == ["a", "b", "a"]


def test_a_value_is_kept_on_while_what_it_is_made_of_is_the_same(monkeypatch):
    now, made, file = [0.0], [], ["first"]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    @share(4, seconds=10, stamp=lambda: file[0])
    def read(name):
        made.append(name)
        return file[0]

    read("a")
    now[0] = 11.0
    assert (read("a"), made) == ("first", ["a"])
    file[0], now[0] = "second", 15.0
    assert read("a") == "first"  # the stamp was checked 4 seconds ago
    now[0] = 21.5
    assert (read("a"), made) == ("second", ["a", "a"])

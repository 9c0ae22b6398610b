"""Contents cached for the next request: within bounds of bytes and time, whatever is requested."""

import random

import pytest

from spcviz.web.cached import ownership
from spcviz.web.exporting import saving
from spcviz.web.serving import cards
from spcviz.web.transport.visitor_cache import VisitorCache


class Clock:
    """A clock whose seconds a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


def test_what_is_used_stays_and_the_rest_makes_room():
    kept = VisitorCache(30, 60.0)
    for name in "abc":
        kept.put(name, name.encode() * 10)
    assert kept.get("a") == b"a" * 10
    kept.put("d", b"d" * 10)
    assert [kept.get(name) is not None for name in "abcd"] == [True, False, True, True]
    kept.put("a", b"A")  # replaces the old one
    assert (kept.get("a"), kept.size) == (b"A", 21)


def test_after_its_time_nothing_is_left():
    clock = Clock()
    kept = VisitorCache(30, 60.0, clock)
    kept.put("a", b"1")
    clock.now = 59.9
    kept.put("b", b"2")
    assert kept.get("a") == b"1"
    clock.now = 60.0
    assert kept.get("a") is None
    assert (kept.get("b"), kept.size) == (b"2", 1)


def test_no_order_of_questions_grows_it():
    rng, clock = random.Random(0), Clock()
    kept = VisitorCache(1000, 5.0, clock)
    for _ in range(5000):
        clock.now += rng.random() / 10
        name = rng.randrange(50)
        if (found := kept.get(name)) is not None:
            assert found == bytes([name]) * len(found)
        kept.put(name, bytes([name]) * rng.randrange(1200))
        assert kept.size <= 1000


@pytest.mark.parametrize("where", [cards, saving])
def test_what_is_over_goes_without_anybody_asking(where, monkeypatch):
    """The clock of visitors' data drops it: a card is somebody's ink."""
    clock = ownership.Clock()
    monkeypatch.setattr(where, "KEPT", VisitorCache(1000, 600.0, clock.now))
    where.KEPT.put("write?ink=b", b"ink")
    ownership.clean()
    assert where.KEPT.size == 3
    clock.turn(601)
    ownership.clean()
    assert where.KEPT.size == 0

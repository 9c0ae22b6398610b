"""Nothing in a hall of rooms grows without end: times, answers, rooms, phones, orders."""

import pytest

from spcviz.web.classroom import rooms
from spcviz.web.classroom.rooms import FullError, NoRoomError
from tests.web.classroom.hall import ASKED, voter


def test_time_is_bounded(hall, clock):
    number, key = hall.open()
    other, _ = hall.open()
    clock.seconds += rooms.IDLE_SECONDS - 1
    hall.describe(number, key)  # the lecturer is still present
    clock.seconds += 2
    assert hall.describe(number)["n"] == 0
    with pytest.raises(NoRoomError):
        hall.describe(other)
    hall.open()
    assert len(hall._rooms) == 2, "the other is closed"
    clock.seconds += rooms.IDLE_SECONDS
    with pytest.raises(NoRoomError):
        hall.describe(number, key)


def test_a_flood_of_answers_makes_way_for_a_class_and_no_phone_is_refused(hall):
    """1000 phones poll as usual; ten times as many tokens answer and are never seen again."""
    number, key = hall.open()
    hall.put(number, key, ASKED)
    flood = 0
    for at in range(1000):
        hall.answer(number, voter(at), 1, 1)
        for _ in range(4):  # meanwhile
            hall.answer(number, voter(10**6 + flood, in_crowd=flood > 600), 1, 0)
            flood += 1
        hall.describe(number, phone=voter(at))
    for _ in range(2 * rooms.MOST_ANSWERS):
        hall.answer(number, voter(10**6 + flood, in_crowd=True), 1, 0)
        flood += 1
    assert hall.describe(number, key)["counts"][1] == 1000, "every phone's answer stands"
    assert hall.describe(number, key)["answers"] == rooms.MOST_ANSWERS
    hall.answer(number, voter(0), 1, 2)
    assert hall.describe(number, key)["counts"][2] == 1, "who has answered may change their mind"


def test_the_emptiest_room_gives_way_to_a_new_one(hall, clock):
    """A client that floods rooms closes its own; a class that has answered, or a lecturer who asks, stays."""
    number, key = hall.open()
    hall.put(number, key, ASKED)
    hall.answer(number, voter(1), 1, 0)
    asking, asking_key = hall.open()
    hall.put(asking, asking_key, ASKED)
    for _ in range(20 * rooms.MOST_ROOMS):
        hall.open()
        clock.seconds += 0.1
    assert len(hall._rooms) == rooms.MOST_ROOMS
    assert hall.describe(number, key)["answers"] == 1
    assert hall.describe(asking, asking_key)["isAsking"]


def test_a_new_room_is_refused_only_where_a_class_is_in_each(hall, clock):
    for _ in range(rooms.MOST_ROOMS):
        number, key = hall.open()
        hall.put(number, key, ASKED)
        hall.answer(number, voter(1), 1, 0)
    with pytest.raises(FullError, match="300 rooms are open, with a class in each"):
        hall.open()
    clock.seconds += rooms.HERE_SECONDS  # nobody uses any of them
    hall.open()


def test_phones_that_are_there_are_bounded(hall, monkeypatch):
    monkeypatch.setattr(rooms, "MOST_ANSWERS", 5)
    number, key = hall.open()
    hall.put(number, key, ASKED)
    for at in range(50):
        hall.describe(number, "", voter(at))
    assert hall.describe(number, key)["here"] == 5

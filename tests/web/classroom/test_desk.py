"""The speaker's desk of a room: it follows the hall's window and steers it."""

import pytest

from spcviz.web.classroom.rooms import MOST_ORDERS, NotYoursError, RoomError


def test_a_desk_follows_the_hall_and_sends_it_on(hall):
    number, key = hall.open()
    assert hall.tell(number, key, {"kind": "scene"}) == [], "nobody is told without a desk"
    with pytest.raises(NotYoursError):
        hall.desk(number, "not the key")
    desk = hall.desk(number, key)
    assert hall.steer(number, desk) == {}
    assert hall.tell(number, key, {"kind": "scene", "code": "1"}) == []
    assert hall.steer(number, desk, {"kind": "go", "by": 1}) == {"kind": "scene", "code": "1"}
    hall.steer(number, desk, {"kind": "black"})
    assert hall.tell(number, key, {}) == [{"kind": "go", "by": 1}, {"kind": "black"}]
    assert hall.tell(number, key, {}) == [], "an order is done once"
    assert hall.steer(number, desk)["code"] == "1"
    newer = hall.desk(number, key)
    with pytest.raises(NotYoursError, match="copy its link again"):
        hall.steer(number, desk)
    assert hall.steer(number, newer) == {}
    with pytest.raises(NotYoursError):
        hall.tell(number, "not the key", {})


@pytest.mark.parametrize(
    "order",
    [{}, {"kind": "leave"}, {"kind": "go"}, {"kind": "go", "by": 7}, {"kind": "go", "by": True},
     {"kind": "go", "to": "//x"}, {"kind": "go", "to": 3}, {"kind": "go", "to": "1" * 9}, {"kind": ["go"]}],
)  # fmt: skip
def test_what_is_no_order_is_refused(hall, order):
    number, key = hall.open()
    desk = hall.desk(number, key)
    with pytest.raises(RoomError, match="an order must be"):
        hall.steer(number, desk, order)
    assert hall.tell(number, key, {}) == []


def test_orders_that_nobody_fetches_are_bounded(hall):
    number, key = hall.open()
    desk = hall.desk(number, key)
    for _ in range(500):
        hall.steer(number, desk, {"kind": "black"})
    assert len(hall.tell(number, key, {})) == MOST_ORDERS

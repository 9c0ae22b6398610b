"""Rooms of a class: permissions, refusals, and bounds on everything that could grow.

The speaker's desk of a room: it follows the hall's window and steers it.
"""

import math

import pytest

from spcviz.web.classroom import rooms
from spcviz.web.classroom.rooms import MOST_ORDERS, ClosedQuestionError, NoRoomError, NotYoursError, RoomError
from tests.web.classroom.hall import ASKED, GUESS, LINK, TASK, voter


def test_a_class_answers_and_sees_the_truth_only_once_it_is_shown(hall):
    number, key = hall.open()
    assert hall.describe(number) == {"n": 0, "isYours": False, "isAsking": False}
    hall.put(number, key, ASKED)
    for at in range(5):
        hall.answer(number, voter(at), 1, at % 2)
    hall.answer(number, voter(0), 1, 2)  # this phone changes its answer
    student, lecturer = hall.describe(number), hall.describe(number, key)
    assert "counts" not in student
    assert "truth" not in student
    assert student["answers"] == lecturer["answers"] == 5
    assert lecturer["counts"] == [2, 2, 1]
    assert lecturer["isYours"]
    hall.put(number, key, ASKED | {"truth": "It is a verb.", "right": "a Verb"})
    student = hall.describe(number)
    assert student["counts"] == [2, 2, 1]
    assert student["right"] == 1
    assert student["truth"] == "It is a verb."
    with pytest.raises(ClosedQuestionError, match="question 1 is not asked any more"):
        hall.answer(number, voter(9), 1, 0)
    hall.put(number, key, ASKED)  # back to the question: the answers are kept
    assert hall.describe(number, key)["counts"] == [2, 2, 1]
    hall.put(number, key, GUESS)
    assert hall.describe(number, key)["answers"] == 0
    assert hall.describe(number)["n"] == 2


def test_guesses_are_counted_with_the_right_number(hall):
    number, key = hall.open()
    hall.put(number, key, GUESS)
    for at, guess in enumerate([10, 20, 30, 40.5]):
        hall.answer(number, voter(at), 1, guess)
    hall.put(number, key, GUESS | {"truth": "1,074 stay.", "right": "1,074"})
    shown = hall.describe(number)
    assert shown["right"] == 1074
    assert shown["guesses"]["median"] == 25
    assert sum(one["count"] for one in shown["guesses"]["bins"]) == 4


@pytest.mark.parametrize(
    ("right", "choice"),
    [("verb", 1), ("Verb!", 1), ("verbs", None), ("noun verb", None), ("", None), ("adverb", None)],
)
def test_the_right_choice_is_the_only_one_that_the_truth_names(hall, right, choice):
    number, key = hall.open()
    hall.put(number, key, ASKED | {"truth": "so", "right": right})
    assert hall.describe(number)["right"] == choice


@pytest.mark.parametrize("right", ["", "many", "…"])
def test_a_truth_without_a_number_marks_no_guess(hall, right):
    number, key = hall.open()
    hall.put(number, key, GUESS | {"truth": "so", "right": right})
    assert hall.describe(number)["right"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": 3}, "value must be the number of a choice, at most 2, got 3"),
        ({"value": -1}, "value must be the number of a choice"),
        ({"value": 1.0}, "value must be the number of a choice"),
        ({"value": True}, "value must be a number, got bool"),
        ({"value": "1"}, "value must be a number, got str"),
        ({"value": None}, "value must be a number, got NoneType"),
        ({"n": 0}, "question 0 is not asked"),
        ({"n": "1"}, "question '1' is not asked"),
        ({"n": [1]}, "is not asked"),
    ],
)
def test_what_is_no_answer_is_refused(hall, change, message):
    number, key = hall.open()
    hall.put(number, key, ASKED)
    with pytest.raises(RoomError, match=message):
        hall.answer(**{"number": number, "phone": voter(1), "n": 1, "value": 0} | change)
    assert hall.describe(number, key)["answers"] == 0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e16, 10**60])
def test_what_is_no_guess_is_refused(hall, value):
    number, key = hall.open()
    hall.put(number, key, GUESS)
    with pytest.raises(RoomError, match="value must be a number of at most 1e"):
        hall.answer(number, voter(1), 1, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ask": 3}, "ask must be a text of at most 400"),
        ({"ask": "x" * 401}, "ask must be a text of at most 400"),
        ({"code": "x" * 101}, "code must be a text of at most 100"),
        ({"truth": None}, "truth must be a text"),
        ({"right": {}}, "right must be a text"),
        ({"choices": "ab"}, "choices must be a list of at most 6"),
        ({"choices": ["a"] * 7}, "choices must be a list of at most 6"),
        ({"choices": [3]}, "choice must be a text"),
    ],
)
def test_what_is_no_question_is_refused(hall, change, message):
    number, key = hall.open()
    with pytest.raises(RoomError, match=message):
        hall.put(number, key, ASKED | change)


def test_only_who_opened_a_room_asks(hall):
    number, key = hall.open()
    other, other_key = hall.open()
    assert number != other
    for wrong in ("", other_key, key + "x", "é"):
        with pytest.raises(NotYoursError, match=f"room {number} was opened by another browser"):
            hall.put(number, wrong, ASKED)
        assert not hall.describe(number, wrong)["isYours"]
    with pytest.raises(NoRoomError, match="there is no room 7"):
        hall.describe(7)


def test_a_phone_is_told_whether_its_answer_stands(hall):
    number, key = hall.open()
    hall.put(number, key, ASKED)
    assert hall.describe(number, phone=voter(1))["mine"] is None
    hall.answer(number, voter(1), 1, 2)
    assert hall.describe(number, phone=voter(1))["mine"] == 2
    hall.clear(number, key)
    now = hall.describe(number, phone=voter(1))
    assert (now["mine"], now["answers"], now["n"]) == (None, 0, 2)
    with pytest.raises(ClosedQuestionError):
        hall.answer(number, voter(1), 1, 2)
    hall.answer(number, voter(1), 2, 0)
    assert hall.describe(number, key)["counts"] == [1, 0, 0]


def test_only_who_opened_a_room_clears_and_closes_it(hall):
    number, key = hall.open()
    for act in (hall.clear, hall.close):
        with pytest.raises(NotYoursError):
            act(number, "x")
    hall.close(number, key)
    for act in (hall.clear, hall.close):
        with pytest.raises(NoRoomError):
            act(number, key)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"say": "x" * 701}, "say must be a text of at most 700"),
        ({"say": ["x"]}, "say must be a text"),
        ({"why": "ab"}, "why must be a list of at most 6"),
        ({"why": {"0": "a"}}, "why must be a list of at most 6"),
        ({"why": ["a"] * 7}, "why must be a list of at most 6"),
        ({"why": ["", None]}, "why must be a text"),
        ({"why": ["x" * 301]}, "why must be a text of at most 300"),
        ({"link": 3}, "link must be a text"),
        ({"link": "letters?" + "a" * 300}, "link must be a text of at most 300"),
        *(
            ({"link": link}, "link must be a page of this app with its state")
            for link in (
                "letters", "https://example.edu/?a", "//example.edu?a", "/letters?a=1", "../letters?a",
                "javascript:alert(1)?a", "letters?a=<script>", "letters?a#b", "letters?a b", "Letters?a",
                "letters?a\\b", "letters@example.edu?a", "?a=//'", "a?" + "é",
            )
        ),
    ],
)  # fmt: skip
def test_what_a_phone_is_told_beside_a_question_is_bounded(hall, change, message):
    """Anybody may open a room: phones get texts of bounded length, and only links into this app."""
    number, key = hall.open()
    with pytest.raises(RoomError, match=message):
        hall.put(number, key, ASKED | change)
    assert not hall.describe(number)["isAsking"]


def test_signs_that_nobody_sees_do_not_stay_in_a_link(hall):
    number, key = hall.open()
    hall.put(number, key, ASKED | {"link": "letters?\u202ea\n"})
    assert hall.describe(number)["link"] == "letters?a"


@pytest.mark.parametrize("link", ["", LINK, "?tour=why&scene=3", "data?x=%3Cscript%3E"])
def test_a_link_into_this_app_comes_through_as_it_is(hall, link):
    number, key = hall.open()
    hall.put(number, key, ASKED | {"link": link})
    assert hall.describe(number)["link"] == link


def test_reasons_are_told_with_the_truth_and_not_before(hall):
    number, key = hall.open()
    why = ["a noun names", "", "one of both"]
    hall.put(number, key, ASKED | {"say": "Look.", "why": why})
    before = hall.describe(number)
    assert before["say"] == "Look."
    assert "why" not in before
    hall.put(number, key, ASKED | {"say": "Look.", "why": why, "truth": "It is a verb.", "right": "verb"})
    assert hall.describe(number)["why"] == why


def test_signs_that_turn_or_hide_a_text_are_left_out(hall):
    number, key = hall.open()
    sign = "\u202e\x00\x1b[31m\u2066\n"
    hall.put(number, key, ASKED | dict.fromkeys(("ask", "say", "truth"), f"a{sign}b") | {"why": [sign]})
    shown = hall.describe(number)
    assert {shown[name] for name in ("ask", "say", "truth")} == {"a[31mb"}
    assert shown["why"] == ["[31m"]


def test_a_question_made_up_on_the_spot_takes_the_place_of_the_scenes_with_its_answers(hall):
    number, key = hall.open()
    hall.put(number, key, ASKED)
    hall.answer(number, voter(1), 1, 0)
    own = {"code": "own/Clear?", "ask": "Clear?", "choices": ["yes", "yes", " no"]}
    hall.put(number, key, own)
    assert hall.describe(number, key)["answers"] == 0
    assert hall.describe(number)["choices"] == ["yes", " no"], "a choice stands there once"
    with pytest.raises(ClosedQuestionError):
        hall.answer(number, voter(1), 1, 0)
    hall.answer(number, voter(1), 2, 0)
    hall.put(number, key, own | {"truth": "Closed."})
    assert hall.describe(number)["counts"] == [1, 0]
    assert hall.describe(number)["right"] is None, "nobody said which is right"
    with pytest.raises(NotYoursError):
        hall.put(number, "", own)


def test_a_task_that_a_class_is_given_takes_no_answer_that_is_none(hall):
    number, key = hall.open()
    hall.put(number, key, GUESS | {"link": LINK, "say": "Find the budget."})
    for wrong in ("3", [3], {"a": 1}, None, True):
        with pytest.raises(RoomError, match="value must be a number, got"):
            hall.answer(number, voter(1), 1, wrong)
    assert hall.describe(number, key)["answers"] == 0


def test_the_wall_says_how_many_are_there_and_how_it_was_solved(hall, clock):
    number, key = hall.open()
    hall.describe(number, "", voter(1))  # joined early and left
    clock.seconds = 100.0
    for at in range(2, 6):
        hall.describe(number, "", voter(at))
    clock.seconds += rooms.HERE_BEFORE - 1
    hall.put(number, key, TASK)
    hall.answer(number, voter(9), 1, 0, "letters?word=3128&a1=0.7")  # directly from the task's page
    for at, found in ((2, "letters?a1=0.7"), (3, "letters?a1=0.71"), (4, "letters?a1=0.72"), (5, "")):
        hall.answer(number, voter(at), 1, 0, found)
    seen = hall.describe(number, key)
    assert (seen["answers"], seen["here"]) == (5, 5)
    assert seen["found"] == ["letters?word=3128&a1=0.7", "letters?a1=0.7", "letters?a1=0.71"]
    student = hall.describe(number, "", voter(2))
    assert "found" not in student
    assert "here" not in student
    hall.clear(number, key)
    assert hall.describe(number, key)["found"] == []


def test_a_question_without_a_task_keeps_no_addresses(hall):
    number, key = hall.open()
    hall.put(number, key, ASKED)
    hall.answer(number, voter(1), 1, 0, "letters?a1=0.7")
    assert hall.describe(number, key)["found"] == []


@pytest.mark.parametrize(
    "found", ["//evil.example?x=1", "javascript:alert(1)", "a" * 400, "letters", 3, None]
)
def test_what_is_no_address_of_this_app_solves_nothing(hall, found):
    number, key = hall.open()
    hall.put(number, key, TASK)
    with pytest.raises(RoomError, match="found must be a page of this app"):
        hall.answer(number, voter(1), 1, 0, found)
    assert hall.describe(number, key)["answers"] == 0
    with pytest.raises(RoomError, match="picture must be a page of this app"):
        hall.put(number, key, ASKED | {"picture": "//evil.example?x=1"})


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

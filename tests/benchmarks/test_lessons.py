"""A class on a task, and phones that solve it: what is counted, and a small class on the real server."""

import json

import pytest

from benchmarks.app import hall, lessons, words
from benchmarks.app.lessons import Solved
from benchmarks.app.load import Crowd
from benchmarks.app.visitor import Ran
from spcviz.engine.errors import ArgumentError
from spcviz.web.view import mount


def turn(times, faults=()):
    return Crowd([], [Ran(ms, 20.0, (), "") for ms in times], list(faults), 1, 5.0)


def test_an_answer_is_seen_by_the_first_look_that_counts_it():
    solved = [Solved(0.0, 1.0, 1.1, 200), Solved(0.5, 2.0, 2.1, 200), Solved(1.0, 2.0, 2.2, 429)]
    row = lessons.of_phones(4, solved, [(1.05, 0), (1.4, 1), (1.75, 1), (2.3, 2)], ["lost"])
    assert (row["solved"], row["refused"], row["counted"]) == (3, 1, 2)
    assert row["seen_p50_ms"] == pytest.approx(350.0)
    assert row["whole_p95_ms"] == pytest.approx(1400.0 + 0.95 * 400.0)
    never = lessons.of_phones(1, solved[:1], [(3.0, 0)], [])
    assert never["counted"] == 0
    assert never["seen_p95_ms"] is None
    assert "1 solved, 0 refused, 0 counted on the wall; an answer is counted after never" in words.of_course(
        never
    )


def test_who_is_counted_late_or_not_at_all_keeps_no_goal():
    rows = [
        lessons.row_of(2, is_asked, [turn([100.0, 200.0])], ["now: 8 words"]) for is_asked in (False, True)
    ]
    phones = {"phones": 2, "counted": 2, "seen_p95_ms": 900.0, "exceptions": 0}
    assert lessons.holds([*rows, phones])
    assert not lessons.holds([*rows, phones | {"seen_p95_ms": 1001.0}])
    assert not lessons.holds([*rows, phones | {"counted": 1}])
    assert not lessons.holds([rows[0], rows[1] | {"p95_ms": 401.0}, phones])
    assert not lessons.holds([rows[0], lessons.row_of(2, True, [turn([1.0], ["Boom"])], []), phones])


def test_a_class_is_told_over_all_its_turns():
    row = lessons.row_of(40, True, [turn([100.0]), turn([300.0], ["Boom"])], ["now: 8 words"])
    assert (row["actions"], row["skipped"], row["turns"], row["lines"]) == (2, 2, 2, 1)
    said = words.of_course(row)
    assert "40 students on Letters with a task open, 2 turns: p50 200 ms" in said
    assert said.endswith("1 faults\n  Boom")


def test_what_the_bar_says_is_read_and_nothing_else():
    assert lessons.unpack_values(mount.pack({"open": {"live": "now"}})) == {"open": {"live": "now"}}
    for data in (b"", b"\x00", b"\xff\xff\xff\xff{", mount.pack([1])):
        assert lessons.unpack_values(data) == {}


def test_a_part_that_there_is_not_is_refused_before_anything_is_started():
    with pytest.raises(ArgumentError, match=r"only must be one of .*, got 'curse'"):
        hall.bench_app(only="curse")


@pytest.mark.browser
def test_a_small_class_on_a_task_on_the_real_server():
    outcome = hall.bench_app(scale=0.03, only="course")
    without, with_task, phones = outcome["course"]
    assert without["exceptions"] == with_task["exceptions"] == phones["exceptions"] == 0, outcome["course"]
    assert without["lines"] == 0, "no task, no check"
    assert with_task["lines"] >= with_task["actions"] > 0, "each is told what its alpha comes to"
    assert phones["solved"] == phones["counted"] == phones["phones"] == 6
    assert phones["refused"] == outcome["server"]["logged_tracebacks"] == 0
    json.dumps(outcome, allow_nan=False)
    assert len(words.as_text(outcome | {"rows": []}).splitlines()) == 3

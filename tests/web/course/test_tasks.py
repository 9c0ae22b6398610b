"""Tasks as data: complete, plain, and with only what some page can offer."""

import re

import pytest

from spcviz.web.course import expression
from spcviz.web.course import task as tasks
from spcviz.web.ui import navigation

EVERY = tasks.every()


def test_every_page_of_the_course_is_there_and_has_tasks():
    strange = set(tasks.stops()) - set(navigation.names())
    assert not strange, f"spcviz/web/course/course.json has rows of pages that are none: {strange}"
    for page in tasks.stops():
        n = len(tasks.of_page(page))
        assert 2 <= n <= 5, f"{page} needs 2 to 5 tasks in spcviz/web/course/tasks.json, has {n}"
    assert sum(len(tasks.of_page(page)) for page in tasks.stops()) == len(EVERY)


@pytest.mark.parametrize("name", list(EVERY))
def test_a_task_is_whole(name):
    one = EVERY[name]
    assert one.kind in tasks.KINDS
    assert re.fullmatch(r"[A-Z][0-9]", one.id)
    assert one.ask.endswith(("?", "."))
    assert one.won.endswith((".", ")", "?"))
    assert one.hint
    assert expression.names(one.check)
    assert one.solved.partition("?")[0].strip("/") == one.page
    if one.options:
        assert len(one.options) >= 3
        assert [option.why == "" for option in one.options] == [True] + [False] * (len(one.options) - 1)
        assert len({option.text for option in one.options}) == len(one.options)
        assert one.kind in ("predict", "explain")
    else:
        assert one.way, "a second hint"
        assert one.live, "how far one is"
        assert tasks.named_in(one.live)
        assert one.ring


def test_an_address_of_a_task_that_there_is_not_names_none():
    from spcviz.web.course import questions

    for code in ("", "L", "L99", "L1b", "l1", "L1a ", "L1aa", "<b>", "1", "Ｌ１", "arms"):
        assert questions.of({"ask": code}) is None
    assert questions.of({"ask": "L1"}).code == "L1"
    assert questions.of({"ask": "L1a"}).is_answered
    assert not questions.of({"ask": "L2a"}).is_answered  # it has no options: only its page can answer


def test_values_are_written_as_a_person_writes_them():
    line = "now: {left} words, truth {alive?alive:lost}, {nothing}, {absent}"
    assert tasks.fill_line(line, {"left": 5430000, "alive": False, "nothing": None}) == (
        "now: 5,430,000 words, truth lost, –, –"
    )

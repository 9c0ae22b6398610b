"""Tasks are played as their texts say: by mouse and by keys, on a desk, a phone and a projector.

These are a few of each kind; ``python -m benchmarks.app.course`` plays all of them on all screens.
"""

import pytest

from benchmarks.app import course
from spcviz.web.course import task as tasks

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


def test_every_task_that_asks_for_more_than_an_answer_has_an_act_of_its_own():
    assert set(course.ACTS) == {one.id for one in tasks.every().values() if not one.options}


@pytest.mark.parametrize(
    ("name", "screen", "hand", "with_hint", "counts"),
    [
        ("L1", "desk", "keys", False, "self"),
        ("H1", "desk", "mouse", False, "self"),
        ("L2", "phone", "keys", False, "self"),
        ("S1", "phone", "mouse", False, "self"),
        ("L3", "projector", "keys", False, "self"),
        ("T2", "projector", "mouse", False, "self"),
        ("L4", "phone", "mouse", True, "shown"),
        ("E2", "desk", "mouse", False, "self"),
        ("W1", "desk", "mouse", False, "self"),
        ("W1", "desk", "keys", False, "self"),
        ("W1", "phone", "keys", False, "self"),
        ("B4", "phone", "keys", False, "self"),
        ("S3", "projector", "keys", False, "self"),
    ],
)
def test_a_task_is_played_as_its_text_says(browser, server, name, screen, hand, with_hint, counts):
    size = course.SCREENS[screen]
    looks = {"viewport": {"width": size.width, "height": size.height}, "has_touch": size.is_phone}
    context = browser.new_context(**looks, reduced_motion="reduce")
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    how = course.play(page, server, tasks.every()[name], size, hand, with_hint=with_hint)
    assert how == counts
    if size.is_phone:
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert not problems

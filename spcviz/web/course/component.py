"""Components of the course: the bar above a page, and the Course page."""

from collections.abc import Callable

from spcviz.web.view.mount import Component, show

PARTS = ("web/view/elements.js", "web/view/view.js", "web/touring/tour_core.js", "web/course/progress.js")
BAR = Component("spcviz_course", ("web/course/course_bar.css",), (*PARTS, "web/course/course_bar.js"))
COURSE = Component(
    "spcviz_course_page", ("web/course/course_page.css",), (*PARTS, "web/course/course_page.js")
)
ALONE = {"view": {}, "epoch": 0}
"""What a view of the browser's own would be: neither has one, the server says everything."""


def show_bar(page: dict, *, key: str, on_act: Callable) -> None:
    """Mount the bar on what `spcviz.web.course.bar` says of a page."""
    show(BAR, {"identity": "course"} | page | ALONE, key=key, parts={}, on_act_change=on_act)


def show_course(course: dict, *, key: str, on_act: Callable) -> None:
    """Mount the Course page: its parts and pages, each with goal, minutes and tasks."""
    show(COURSE, {"identity": "course"} | course | ALONE, key=key, parts={}, on_act_change=on_act)

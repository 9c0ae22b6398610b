"""Python side of the tour's views: the bar at a page's top, the speaker's window, the handout."""

from collections.abc import Callable
from functools import cache

from spcviz.web.tours import tour as tours
from spcviz.web.transport import static_files
from spcviz.web.view.mount import Component, show

PARTS = ("web/view/elements.js", "web/view/view.js", "web/touring/tour_core.js")
BAR = Component(
    "spcviz_tour",
    ("web/touring/tour.css", "web/classroom/class.css"),
    (
        *PARTS,
        "web/tours/glossary.json",
        "web/classroom/class.js",
        "web/touring/save.js",
        "web/touring/kept_tours.js",
        "web/touring/tour_words.js",
        "web/touring/tour.js",
    ),
)
SPEAKER = Component(
    "spcviz_speaker",
    ("web/touring/speaker.css",),
    (*PARTS, "web/touring/kept_tours.js", "web/touring/speaker.js"),
)
HANDOUT = Component("spcviz_handout", ("web/touring/handout.css",), (*PARTS, "web/touring/handout.js"))
ALONE = {"view": {}, "epoch": 0}
"""Placeholder for a view of the browser's own: no component has one, everything comes from the server."""


def show_bar(
    tour: dict | None,
    lesson: dict | None,
    tools: dict,
    *,
    key: str,
    is_projected: bool,
    form: dict | None = None,
    on_act: Callable | None = None,
):
    """Mount the bar, with a `tour`'s scene (`scenes.describe_scene`) or, without one, its tools alone.

    A `lesson` is the task posed to a class (`touring.lesson`).

    `tools` are ``said``, a message on the last action, ``kept`` (`own_tour.values_to_keep`), ``version``,
    ``card``, the address of the page's card ("" without one), ``hasLines``, whether it has Python, and
    ``isBrought``, whether it shows a visitor's own data; `form` opens the form that adds a scene: its
    ``address``, ``facts``, and ``n``, which is new each time.
    """
    payload = {"identity": "tour", "tour": tour, "lesson": lesson, "tools": tools, "form": form}
    payload |= {"isProjected": is_projected}
    show(BAR, payload | ALONE, key=key, parts={}, on_act_change=on_act or (lambda: None))


def show_speaker(tour: dict | None, hall: str, kept: dict, *, key: str, on_act: Callable):
    """Mount the speaker's window.

    `tour` is the scene that it shows on its own (`scenes.describe_to_speaker`), `hall` the address that opens
    it as an audience sees it, `kept` are the visitor's own tours (`own_tour.values_to_keep`).
    """
    payload = {"identity": "speaker", "tour": tour, "hall": hall, "kept": kept}
    show(SPEAKER, payload | ALONE, key=key, parts={}, on_act_change=on_act)


def show_handout(scenes: list[dict], *, key: str):
    """Mount the sheets of a printed tour, see `scenes.pictures_of`."""
    payload = {"identity": str(len(scenes)), "scenes": scenes} | ALONE
    show(HANDOUT, payload, key=key, parts={}, on_done_change=lambda: None)


@cache
def picture(name: str) -> str:
    """The address of the small picture of a shipped tour, "" if there is none."""
    return _publish(tours.picture(name))


@cache
def loop(name: str) -> str:
    """The address of the loop of the same scene, "" if there is none."""
    return _publish(tours.loop(name))


def _publish(path):
    return (
        ""
        if path is None
        else static_files.publish_file(f"tour-{path.name}", path.read_bytes(), "image/webp")
    )

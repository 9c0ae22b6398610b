"""Plays the course's tasks in a browser, as a student would: `python -m benchmarks.app.course ADDRESS`.

Each task is opened at its start and must not be solved there. A question is answered wrongly first, then
rightly. For any other task the page's own controls are moved to where the hints say (`hands`), by the mouse
or by keys; with ``--hints``, the hints' "Show me" does it. Prints one line per task: screen, hand, how it
counts, seconds.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from playwright.sync_api import Page, sync_playwright

from benchmarks.app.hands import Act, Aim, Choose, Draw, Mark, Over, Pick, Press, Range, Slide, Type, do_all
from spcviz.web.course import task as tasks
from spcviz.web.course.task import CourseTask

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SECONDS = 60


class Screen(NamedTuple):
    """A student's screen."""

    width: int
    height: int
    query: str = ""
    is_phone: bool = False


SCREENS = {
    "desk": Screen(1440, 900),
    "phone": Screen(390, 844, is_phone=True),
    "projector": Screen(1920, 1080, "&embed=true"),
}


KEPT = "id => JSON.parse(localStorage.getItem('spcviz-course') ?? '{}').done?.[id]"
ALPHA, SHARE = ".alpha input[type=range]", ".bar input[type=range], .budget input[type=range]"
SETTINGS, SECOND_BOX = Press("Settings"), "canvas[aria-label^='Box 2']"
Y = ((0.3, 0.3), (0.5, 0.6)), ((0.72, 0.3), (0.3, 0.95))
"""Strokes of a letter, by shares of its box."""

ACTS: dict[str, tuple[Act, ...]] = {
    "H1": (Range("input[type=range]", 0.8),),
    "W1": (Over(".write .cell:nth-child(2)"), Press("Clear box 2"), Draw(SECOND_BOX, Y, "y")),
    "W2": (SETTINGS, Pick("Longest n-gram", "3")),
    "W3": (Press("Show me one"), SETTINGS, Type("What did you mean?", "spring")),
    "E2": (SETTINGS, Slide("Weight of pairs λ", 0.6)),
    "E3": (Slide("Candidates K", 6),),
    "E4": (Mark(".stButtonGroup button:has-text('23')"),),
    "L2": (Range(ALPHA, 0.7, is_lattice=True),),
    "L4": (Range(ALPHA, 0.85, is_lattice=True),),
    "L5": (Range(ALPHA, 0.5, is_lattice=True),),
    "S2": (Slide("True words we may lose", "2 %"),),
    "S3": (Choose("Level", "4"),),
    "J2": (Slide("Smoothness λ", 2.0),),
    "J3": (Slide("Smoothness λ", 1.5),),
    "T2": (Range(ALPHA, 0.9),),
    "T3": (Mark(".levels button"), Range(ALPHA, 0.6, is_lattice=True)),
    "G2": (Slide("Coupling ω", 4.0),),
    "G3": (Press("Another grid"),) * 4,
    "G4": (SETTINGS, Slide("Damping", 0.1)),
    "P2": (Range(ALPHA, 0.85),),
    "B2": (Aim(".chips", "#chip8"), Aim(".chips", "#chip23"), Press("Score")),
    "B3": (Range(SHARE, 0.22),),
    "B4": (Mark("summary:has-text('Compare')"), Mark("button[data-method=myopic]")),
    "Q2": (SETTINGS, Pick("Stop messages below q", "0.5")),
    "Q3": (Choose("Word", "charge"),),
    "A2": (Range(SHARE, 0.2),),
    "A3": (Choose("Sentence", "The teacher gave the children"),),
    "O2": tuple(Aim(".scroller", f"[data-act='{act}']", "ArrowDown") for act in ("1,2", "1,3", "0,3")),
    "O3": (Aim(".scroller", "[data-act='0,5']", "ArrowDown"),),
    "Z2": (Range(SHARE, 0.2),),
    "Z3": (Range(SHARE, 0.7),),
    "R2": (Choose("Result", "Tagging, six methods"),),
    "D2": (Range(ALPHA, 0.8, is_lattice=True),),
}  # fmt: skip
"""Acts on the page's own controls that solve the tasks that need more than an answer."""


def over(page: Page, name: str, seconds: float = SECONDS) -> None:
    """Wait until a task is solved."""
    page.locator(f".course[data-task='{name}'][data-over='1']").wait_for(timeout=1000 * seconds)


def is_over(page: Page) -> bool:
    """Whether the open task is solved now."""
    return page.locator(".course[data-over='1']").count() > 0


def open_task(page: Page, address: str, one: CourseTask, screen: Screen) -> None:
    """Open a task at its start, where it must not be solved."""
    page.goto(f"{address}/{one.page}?ask={one.id}{screen.query}", timeout=120_000)
    page.locator(f".course[data-task='{one.id}'][data-drawn='1']").wait_for(timeout=1000 * SECONDS)
    page.wait_for_function("() => !document.querySelector('.spcviz-settling')", timeout=1000 * SECONDS)
    page.wait_for_timeout(300)
    if is_over(page):
        raise AssertionError(f"{one.id} is solved at its start")


def choose(page: Page, one: CourseTask, text: str, hand: str) -> None:
    """Choose an option, by its number on the keyboard or by a click."""
    labels = page.locator(".course .options button").all_inner_texts()
    at = [label.split()[1:] for label in labels].index(text.split())
    if hand == "keys":
        page.keyboard.press(str(at + 1))
    else:
        page.locator(".course .options button").nth(at).click()


def answer(page: Page, one: CourseTask, hand: str) -> None:
    """Answer wrongly first, which says why without revealing the answer; then rightly."""
    wrong = one.options[1]
    choose(page, one, wrong.text, hand)
    page.locator(".course .why").first.wait_for(timeout=1000 * SECONDS)
    if page.locator(".course button.right").count():
        raise AssertionError(f"{one.id} shows the right option after one wrong one")
    choose(page, one, one.right, hand)


def by_hints(page: Page, hand: str, screen: Screen) -> None:
    """Take the hints, then "Show me"."""
    if screen.is_phone:
        page.get_by_role("button", name="Unfold the task").click()
    for _ in range(3):
        buttons = page.locator(".course .moves button:visible")
        wanted = buttons.filter(has_text="Show me").or_(buttons.filter(has_text="Hint")).first
        if not wanted.count():
            break
        if hand == "keys":
            wanted.focus()
            page.keyboard.press("Enter")
        else:
            wanted.click()
        page.wait_for_timeout(900)
        if is_over(page):
            return


def play(page: Page, address: str, one: CourseTask, screen: Screen, hand: str, *, with_hint: bool) -> str:
    """Play a task; how it counts: "self" or "shown". An error where it cannot be played."""
    open_task(page, address, one, screen)
    if with_hint:
        by_hints(page, hand, screen)
    elif one.options:
        answer(page, one, hand)
    else:
        do_all(page, ACTS[one.id], hand, is_over)
    over(page, one.id)
    page.wait_for_function(KEPT, arg=one.id, timeout=20_000)
    kept = json.loads(page.evaluate("localStorage.getItem('spcviz-course')"))
    return kept["done"][one.id]["how"]


def main(argv: Sequence[str] | None = None) -> int:
    """Play the requested tasks; returns the number of those that could not be played."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.app.course", description=__doc__)
    parser.add_argument("address", help="of a running app")
    parser.add_argument("--tasks", nargs="*", default=list(tasks.every()), help="names; without: all")
    parser.add_argument("--screens", nargs="*", default=list(SCREENS), choices=list(SCREENS))
    parser.add_argument("--hands", nargs="*", default=["mouse", "keys"], choices=["mouse", "keys"])
    parser.add_argument("--hints", action="store_true", help="by the hints alone")
    parser.add_argument("--browser", default=None, help="path of a Chromium")
    args = parser.parse_args(argv)
    n_failed = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=args.browser, args=ARGS)
        for screen_name in args.screens:
            screen = SCREENS[screen_name]
            size = {"width": screen.width, "height": screen.height}
            for hand in args.hands:
                for name in args.tasks:
                    context = browser.new_context(
                        viewport=size, has_touch=screen.is_phone, reduced_motion="reduce"
                    )
                    began = time.monotonic()
                    try:
                        one = tasks.every()[name]
                        address = args.address.rstrip("/")
                        how = play(context.new_page(), address, one, screen, hand, with_hint=args.hints)
                    except Exception as error:
                        n_failed += 1
                        how = f"NOT PLAYED: {(str(error).splitlines() or [repr(error)])[0][:100]}"
                    took = time.monotonic() - began
                    sys.stdout.write(f"{screen_name:9} {hand:5} {name:3} {took:5.1f} s {how}\n")
                    sys.stdout.flush()
                    context.close()
        browser.close()
    return n_failed


if __name__ == "__main__":
    raise SystemExit(main())

"""Mouse and keyboard gestures of a student: the acts by which `course` solves a task in a browser.

An act finds its control as a student does, by its name, and works both by mouse and by keys. No act knows an
address or sends anything on its own.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from playwright.sync_api import Locator, Page

SECONDS = 40
MOUSE, KEYS = "mouse", "keys"
LARGE = 0.1
"""Share of its length by which Page Up moves a native slider."""
REST_MS = 700
"""Time between two acts, in which a page answers and its new layout settles."""


class Press(NamedTuple):
    """A button, by its name."""

    name: str

    def do(self, page: Page, hand: str) -> None:
        press(page.get_by_role("button", name=self.name).first, hand)


class Mark(NamedTuple):
    """Something in a view that is pressed, by its selector."""

    selector: str
    at: int = 0

    def do(self, page: Page, hand: str) -> None:
        press(page.locator(self.selector).nth(self.at), hand)


class Over(NamedTuple):
    """Something that appears only while the mouse is over a part, or the focus is in it."""

    selector: str

    def do(self, page: Page, hand: str) -> None:
        part = page.locator(self.selector).first
        part.wait_for(timeout=1000 * SECONDS)
        if hand == MOUSE:
            part.hover()
        else:
            part.locator("[tabindex='0']").first.focus()


class Pick(NamedTuple):
    """One of a few words side by side, in the group `label`."""

    label: str
    word: str

    def do(self, page: Page, hand: str) -> None:
        group = page.get_by_role("radiogroup", name=self.label, exact=True)
        one = group.get_by_role("radio", name=self.word, exact=True)
        press(one, hand)


class Choose(NamedTuple):
    """An entry of a list; `typed` finds it."""

    label: str
    typed: str

    def do(self, page: Page, hand: str) -> None:
        go_into(page.get_by_role("combobox", name=self.label).first, hand)
        page.keyboard.type(self.typed, delay=30)
        option = page.get_by_role("option").filter(has_text=self.typed).first
        option.wait_for(timeout=1000 * SECONDS)
        if hand == MOUSE:
            option.click()
        else:
            page.keyboard.press("Enter")


class Type(NamedTuple):
    """A text to type into a field."""

    label: str
    text: str

    def do(self, page: Page, hand: str) -> None:
        go_into(page.get_by_role("textbox", name=self.label).first, hand)
        page.keyboard.press("Control+A")
        page.keyboard.type(self.text, delay=30)
        page.keyboard.press("Enter")


class Slide(NamedTuple):
    """A slider of the page's own controls and its target: a value, or the text of one of a few numbers."""

    label: str
    to: float | str

    def do(self, page: Page, hand: str) -> None:
        slider = page.locator(f"input[type=range][aria-label='{self.label}']").first
        slider.wait_for(state="attached", timeout=1000 * SECONDS)
        (by_mouse if hand == MOUSE else by_keys)(page, slider, self.to)


class Range(NamedTuple):
    """A slider of a view and its target: an alpha or a share of its length."""

    selector: str
    to: float
    is_lattice: bool = False  # its keys are the page's: arrows up and down, by 0.01

    def do(self, page: Page, hand: str) -> None:
        slider = page.locator(self.selector).first
        slider.wait_for(timeout=1000 * SECONDS)
        low, high, step = (
            float(slider.get_attribute(name) or n) for name, n in (("min", 0), ("max", 100), ("step", 1))
        )
        to = self.to if high <= 1 else low + self.to * (high - low)
        if hand == MOUSE:
            slider.scroll_into_view_if_needed()
            box = slider.bounding_box()
            share, thumb = (to - low) / (high - low), min(box["height"] / 2, 9)
            x = box["x"] + thumb + share * (box["width"] - 2 * thumb)
            page.mouse.click(x, box["y"] + box["height"] / 2)
            return
        away = to - float(slider.input_value())
        if self.is_lattice:
            pressed = [("ArrowUp" if away > 0 else "ArrowDown", round(abs(away) / 0.01))]
        else:
            slider.focus()
            large = int(abs(away) / (LARGE * (high - low)))
            small = min(round((abs(away) - large * LARGE * (high - low)) / step), 120)
            names = ("PageUp", "ArrowRight") if away > 0 else ("PageDown", "ArrowLeft")
            pressed = list(zip(names, (large, small), strict=True))
        for key, n in pressed:
            for _ in range(n):
                page.keyboard.press(key)


class Draw(NamedTuple):
    """Strokes in one of several boxes, by shares of its width and height; by keys the letter is typed."""

    selector: str
    strokes: tuple[tuple[tuple[float, float], ...], ...]
    letter: str

    def do(self, page: Page, hand: str) -> None:
        box = page.locator(self.selector).first
        if hand != MOUSE:
            box.focus()
            page.keyboard.press(self.letter)
            return
        box.scroll_into_view_if_needed()
        place = box.bounding_box()
        for stroke in self.strokes:
            for k, (x, y) in enumerate(stroke):
                at = place["x"] + x * place["width"], place["y"] + y * place["height"]
                page.mouse.move(*at, steps=6)
                if k == 0:
                    page.mouse.down()
            page.mouse.up()


class Aim(NamedTuple):
    """A part of a list that is aimed at by arrow keys and then pressed; by the mouse it is clicked."""

    box: str  # selector of the element with the focus
    selector: str  # of the part
    key: str = "ArrowRight"

    def do(self, page: Page, hand: str) -> None:
        part = page.locator(self.selector).first
        part.wait_for(timeout=1000 * SECONDS)
        if hand == MOUSE:
            part.click()
            return
        page.locator(self.box).first.focus()
        for _ in range(200):
            page.keyboard.press(self.key)
            if part.get_attribute("aria-selected") == "true":
                break
        else:
            raise AssertionError(f"arrow keys do not reach {self.selector}")
        page.keyboard.press("Enter")


Act = Press | Mark | Over | Pick | Choose | Type | Slide | Range | Draw | Aim


def go_into(control: Locator, hand: str) -> None:
    """Wait for a control and give it the focus: by a click, or without one."""
    control.wait_for(timeout=1000 * SECONDS)
    if hand == MOUSE:
        control.click()
    else:
        control.focus()


def press(control: Locator, hand: str) -> None:
    """Press a control by a click, or by the focus and Enter."""
    go_into(control, hand)
    if hand != MOUSE:
        control.press("Enter")


def by_keys(page: Page, slider: Locator, to: float | str) -> None:
    """Press arrow keys until a slider has the wanted value."""
    slider.focus()
    for _ in range(400):
        away = _away(slider, to)
        if away == 0:
            return
        page.keyboard.press("ArrowRight" if away > 0 else "ArrowLeft")
    raise AssertionError(f"arrow keys do not bring the slider to {to}")


def by_mouse(page: Page, slider: Locator, to: float | str) -> None:
    """Click on a slider's track; among a few numbers, try one after another until it is the right one."""
    line = slider.locator("xpath=ancestor::*[contains(@style, 'relative')][1]")
    line.scroll_into_view_if_needed()
    low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
    places = range(int(low), int(high) + 1) if isinstance(to, str) else [to]
    for place in places:
        box = line.bounding_box()
        x = box["x"] + (place - low) / (high - low) * box["width"]
        page.mouse.click(min(max(x, box["x"] + 1), box["x"] + box["width"] - 1), box["y"] + box["height"] / 2)
        page.wait_for_timeout(REST_MS)
        if _away(slider, to) == 0:
            return
    raise AssertionError(
        f"clicks do not bring the slider to {to}: it says {slider.get_attribute('aria-valuetext')}"
    )


def _away(slider: Locator, to: float | str) -> float:
    now = slider.get_attribute("aria-valuetext") or slider.input_value()
    if isinstance(to, str):
        return 0 if now == to else _number(to) - _number(now)
    step = float(slider.get_attribute("step") or 1)
    away = to - float(slider.input_value())
    return 0 if abs(away) < 0.5 * step else away


def _number(text: str) -> float:
    return float(text.split()[0].replace(",", ""))


def do_all(page: Page, acts: Sequence[Act], hand: str, is_over: Callable[[Page], bool]) -> None:
    """Do acts in turn, each after the page's answer to the previous one, until ``is_over(page)``."""
    for act in acts:
        act.do(page, hand)
        page.wait_for_timeout(REST_MS)
        page.wait_for_function(
            "() => !document.querySelector('.stApp[data-test-script-state=running]')", timeout=1000 * SECONDS
        )
        if is_over(page):
            return

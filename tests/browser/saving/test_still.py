"""Pages in Chromium while they load: nothing shifts, nothing is wider than a phone, nothing is missing."""

import os

import pytest

from benchmarks.app.page_figures import IS_SHOWN, SIZES, WATCH_SHIFTS, shift_of
from spcviz.web.ui import navigation

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

GOOD = 0.1
"""Layout shift below which https://web.dev/articles/cls calls a page good."""

WIDTH = "() => Math.max(document.documentElement.scrollWidth, document.querySelector('.stMain').scrollWidth)"


@pytest.fixture(scope="module")
def windows(browser):
    """{size: a page of that size}, for all tests of this file, so that they share what was fetched."""
    contexts, tabs = [], {}
    for name, (width, height, _) in SIZES.items():
        contexts.append(browser.new_context(viewport={"width": width, "height": height}))
        tabs[name] = contexts[-1].new_page()
        tabs[name].add_init_script(WATCH_SHIFTS)
    yield tabs
    for context in contexts:
        context.close()


CASES = [*((name, "phone") for name in navigation.headings()), ("letters", "desk"), ("sweep", "projector")]
"""Every page on a phone, where layout shifts most, and two at the other sizes."""


@pytest.mark.parametrize(("name", "size"), CASES)
def test_a_page_stays_still_as_wide_as_its_window_and_misses_nothing(windows, server, name, size):
    page, (width, _, query) = windows[size], SIZES[size]
    wrong = []
    said = lambda message: wrong.append(message.text) if message.type == "error" else None  # noqa: E731
    came = lambda answer: wrong.append(answer.url) if answer.status >= 400 else None  # noqa: E731
    page.on("console", said)
    page.on("response", came)
    page.goto(f"{server}/{name}{query}", timeout=120_000)
    page.wait_for_function(IS_SHOWN, timeout=60_000)
    page.wait_for_timeout(300)
    page.remove_listener("console", said)
    page.remove_listener("response", came)
    assert wrong == []
    if os.environ.get("SPCVIZ_QUIET"):  # a busy machine delivers parts after the page is shown
        assert shift_of(page.evaluate("window.spcvizShifts")) < GOOD
    assert page.evaluate(WIDTH) <= width


def test_a_jump_is_seen(windows):
    page = windows["desk"]
    page.goto("data:text/html,<p>text</p><h1>more</h1>")
    page.wait_for_timeout(100)
    page.evaluate("document.body.style.paddingTop = '400px'")
    page.wait_for_timeout(200)
    assert shift_of(page.evaluate("window.spcvizShifts")) > 0

"""The Exact inference, Joint beats separate and Loopy grids pages in Chromium: clicks, keys, projector."""

import re
import time
from contextlib import contextmanager

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

COLD_SECONDS, WARM_SECONDS = 60, 15
CHART = ".js-plotly-plot .main-svg"


@contextmanager
def open_page(browser, address, *, width=1440, height=900, **context):
    """A page with its first chart drawn; fails on script errors when it is closed."""
    context = browser.new_context(viewport={"width": width, "height": height}, **context)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    started = time.perf_counter()
    page.goto(address, timeout=120_000)
    page.wait_for_selector(CHART, timeout=1000 * COLD_SECONDS)
    page.seconds = time.perf_counter() - started
    page.wait_for_timeout(600)
    yield page
    context.close()
    assert not problems


def click_mark(page, trace, nth):
    """Click mark number `nth` of marker trace number `trace` in the first chart."""
    marks = (
        page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace").nth(trace).locator("path.point")
    )
    box = marks.nth(nth).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def wait_for_address(page, pattern):
    page.wait_for_url(re.compile(pattern), timeout=1000 * WARM_SECONDS)


def test_a_click_on_a_square_takes_a_table_away_and_another_brings_it_back(browser, server):
    with open_page(browser, f"{server}/exact_inference?show=tables") as page:
        page.get_by_text("2,132", exact=True).wait_for()
        click_mark(page, 3, 0)  # the table over letter 1
        wait_for_address(page, r"sets=2\+3\+4\+12\+23\+34")
        page.get_by_text("2,106", exact=True).wait_for()
        page.wait_for_timeout(600)
        click_mark(page, 2, 0)  # the same square, now unused
        page.get_by_text("2,132", exact=True).wait_for()
        assert "sets=" not in page.url


def test_arrow_keys_step_through_the_messages_of_a_tree(browser, server):
    with open_page(browser, f"{server}/exact_inference?show=tree") as page:
        page.keyboard.press("ArrowRight")
        wait_for_address(page, "step=1")
        page.get_by_text("Upward message 1 of 5").wait_for()
        page.keyboard.press("Home")
        page.get_by_text("Nothing has been sent").wait_for()


def test_a_click_on_a_comb_s_node_chooses_both(browser, server):
    query = "show=combs&rows=3&columns=3&classes=3&strength=6.0&seed=0"
    with open_page(browser, f"{server}/loopy?{query}", height=1200) as page:
        click_mark(page, 3, 4 * 9 + 7)  # comb of column 2, row 3, column 2
        wait_for_address(page, "comb=4")
        assert "variable=7" in page.url
        page.get_by_text("the comb of column 2").wait_for()


def test_a_click_on_a_cell_chooses_the_variable(browser, server):
    with open_page(browser, f"{server}/loopy?show=agreement") as page:
        click_mark(page, 0, 24)
        wait_for_address(page, "variable=24")


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("exact_inference?show=tree&step=3", "light"),
        ("joint_beats_separate?pair=dots", "dark"),
        ("loopy?show=combs", "light"),
    ],
)
def test_projector_shows_all_of_it_in_large_letters(browser, server, address, scheme):
    address = f"{server}/{address}{'&' if '?' in address else '?'}embed=true"
    with open_page(browser, address, width=1920, height=1080, color_scheme=scheme) as page:
        wide, bottom = page.evaluate(
            """() => { const r = document.querySelector('.js-plotly-plot').getBoundingClientRect();
            return [document.documentElement.scrollWidth, r.bottom]; }"""
        )
        assert wide <= 1920
        assert bottom <= 1080
        legends = page.evaluate(
            """() => [...document.querySelectorAll('.legendtext, .annotation-text')]
            .map((e) => parseFloat(getComputedStyle(e).fontSize))"""
        )
        assert not legends or max(legends) >= 24


def test_a_bad_address_shows_a_page(browser, server):
    with open_page(browser, f"{server}/joint_beats_separate?pair=..%2F&noise=nan&show=9") as page:
        assert page.get_by_test_id("stException").count() == 0
        page.wait_for_function("() => location.search === ''", timeout=5000)

"""The Sweep page in Chromium, beyond AppTest: clicks on charts, the address, a full projector screen."""

import contextlib
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.driver import choose

pytestmark = pytest.mark.browser

PATH = "/sweep"
CHART = ".js-plotly-plot .main-svg"


@contextlib.contextmanager
def open_page(browser, address, query="", *, size=(1440, 1000), color_scheme="light"):
    """The Sweep page of the 55 words in a new browser context, once its chart is drawn."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=color_scheme)
    try:
        page = context.new_page()
        page.goto(f"{address}{PATH}?features=raw&{query}", timeout=120_000)
        page.wait_for_selector(CHART, timeout=180_000)
        close_dialog(page)
        settle(page)
        yield page
    finally:
        context.close()


def close_dialog(page):
    """Close "Page not found", a dialog that a server's very first visitor sees although the page exists."""
    page.wait_for_timeout(300)
    button = page.get_by_role("dialog").get_by_role("button", name="Close")
    if button.count():
        button.first.click()


def settle(page):
    """Wait until the server has nothing more to draw."""
    page.wait_for_timeout(300)
    page.wait_for_function("() => document.querySelector('[data-test-script-state=\"notRunning\"]') !== null")
    page.wait_for_timeout(300)


def query_of(page):
    """The address without the set of words, which is the 55 words if a test opened the page."""
    query = {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}
    query.pop("features", None)
    return query


def metric(page, label):
    shown = page.locator("[data-testid=stMetric]").filter(has_text=label).first.inner_text()
    return float(re.search(r"\d+\.\d+", shown.replace(label, "")).group())


def boxes(page, selector):
    return [box for e in page.locator(selector).all() if (box := e.bounding_box())]


def test_a_click_on_a_step_chooses_its_alpha_and_the_link_carries_it_to_letters(browser, server):
    with open_page(browser, server, "level=3&zoom=all") as page:
        before = metric(page, "Threshold setting α")
        steps = boxes(page, ".js-plotly-plot .subplot.xy .scatterlayer .points path")
        left, right = min(b["x"] for b in steps), max(b["x"] for b in steps)
        step = min(steps, key=lambda b: abs(b["x"] - (left + 0.8 * (right - left))))
        page.mouse.move(step["x"] + step["width"] / 2, step["y"] + step["height"] / 2)
        page.wait_for_timeout(300)
        page.mouse.down()
        page.mouse.up()
        page.wait_for_url(re.compile("alpha="), timeout=90_000)
        settle(page)
        alpha = float(query_of(page)["alpha"])
        assert metric(page, "Threshold setting α") == pytest.approx(alpha, abs=6e-4)
        assert alpha != pytest.approx(before, abs=1e-3)
        page.get_by_text("prune a word").click()
        page.wait_for_url(re.compile("/letters"), timeout=90_000)
        query = query_of(page)
        assert float(query["a3"]) == pytest.approx(alpha)
        assert query["level"] == "3"


def test_a_link_restores_everything(browser, server):
    query = "level=4&tol=1.0&by=definition&zoom=all&alpha=0.5"
    with open_page(browser, server, query) as page:
        assert query_of(page) == {name: value for name, (value,) in parse_qs(query).items()}
        assert metric(page, "Threshold setting α") == 0.5
        assert page.get_by_label("Level", exact=True).input_value() == "4: 4-grams"


def test_choices_go_to_the_address_and_bad_ones_leave_it(browser, server):
    with open_page(browser, server, "level=77&tol=abc&show=%3Cb%3E") as page:
        assert query_of(page) == {}
        choose(page, "Show", "What theory promises")
        page.wait_for_url(re.compile("show=bound"), timeout=90_000)
        page.get_by_text("Vacuous").wait_for(timeout=90_000)


@pytest.mark.parametrize("show", ["curves", "bound"])
def test_a_projector_shows_it_without_scrolling_in_large_letters(browser, server, show):
    with open_page(browser, server, f"embed=true&show={show}", size=(1920, 1080)) as page:
        (chart,) = boxes(page, ".js-plotly-plot")
        assert chart["y"] + chart["height"] <= 1080
        assert chart["width"] > 1200
        sizes = page.evaluate(
            "() => [...document.querySelectorAll('.js-plotly-plot text')]"
            ".map(t => parseFloat(getComputedStyle(t).fontSize))"
        )
        assert min(s for s in sizes) >= 15
        assert sorted(sizes)[len(sizes) // 2] >= 22
        overflow = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_letters_of_the_chart_follow_the_theme(browser, server, color_scheme):
    with open_page(browser, server, color_scheme=color_scheme) as page:
        settle(page)
        fill = page.evaluate(
            "() => getComputedStyle(document.querySelector('.js-plotly-plot .ytick text')).fill"
        )
        brightness = sum(int(v) for v in re.findall(r"\d+", fill)[:3]) / 3
        assert brightness < 90 if color_scheme == "light" else brightness > 180


def test_legend_and_panels_do_not_overlap(browser, server):
    for size in ((1440, 1000), (1100, 800)):
        with open_page(browser, server, size=size) as page:
            (legend,) = boxes(page, ".js-plotly-plot .legend")
            panel = boxes(page, ".js-plotly-plot .nsewdrag")[0]
            assert legend["y"] + legend["height"] <= panel["y"] + 8, size

"""The Pose page in Chromium: it draws, plays, and its link restores it."""

import re

import pytest

from spcviz.ui.cached import pose as cached
from tests.browser.test_sweep import close_dialog, query_of, settle

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not cached.HAS_POSE, reason="no pose model stored: python -m spcviz train pose"),
]


def test_play_walks_through_the_clip_and_the_projector_is_filled(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    try:
        page = context.new_page()
        page.goto(f"{server}/pose?embed=true&frame=9&show=top")
        page.wait_for_selector(".js-plotly-plot .main-svg", timeout=180_000)
        close_dialog(page)
        settle(page)
        chart = page.locator(".js-plotly-plot").first.bounding_box()
        assert chart["width"] > 1700
        assert chart["y"] + chart["height"] < 1080
        page.get_by_role("button", name="Play").click()
        page.wait_for_function("() => location.search.includes('frame=11')", timeout=60_000)
        settle(page)
        assert query_of(page)["frame"] == "11"
        assert page.get_by_role("button", name="Play").count() == 1  # stopped at the end
        assert re.search("frame 12 of 12", page.inner_text("body"))
    finally:
        context.close()


def test_four_models_and_purchases_fill_a_projector(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    try:
        page = context.new_page()
        for show, charts in (("four", 1), ("bought", 2)):
            page.goto(f"{server}/pose?embed=true&scene=astronaut&show={show}&spend=0.5")
            page.wait_for_selector(".js-plotly-plot .main-svg", timeout=180_000)
            settle(page)
            boxes = [chart.bounding_box() for chart in page.locator(".js-plotly-plot").all()]
            assert len(boxes) == charts
            assert max(box["y"] + box["height"] for box in boxes) < 1080
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    finally:
        context.close()

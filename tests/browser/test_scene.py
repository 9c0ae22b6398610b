"""Scenes at any time in Chromium: a stored street first, time dragged in place, a link.

Figures are printed (``pytest -n 0 -s -m browser``); what is asserted is what a busy machine holds.
"""

import json
import math
import time

import pytest

from spcviz.problems.scene.page import cached
from tests.browser.driver import ready
from tests.browser.test_sweep import close_dialog, query_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not cached.HAS_SCENE or cached.stored_picture("road", 0) is None,
        reason="no predictors or first picture stored: python -m spcviz train scene, then scene-first",
    ),
]


def test_time_is_dragged_without_the_server(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    try:
        page = context.new_page()
        problems, bytes_in = [], []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("websocket", lambda ws: ws.on("framereceived", lambda data: bytes_in.append(len(data))))
        root = ready(page, f"{server}/scene?embed=true&kind=rendered")
        close_dialog(page)
        started = time.perf_counter()
        page.reload()
        page.wait_for_selector("[data-ready='1']", timeout=60_000)
        print(f"\nfirst picture after a reload: {time.perf_counter() - started:.2f} s (goal: 1.2 s)")
        assert max(bytes_in) < 3_000_000
        pictures = page.locator(".scene canvas")
        boxes = [pictures.nth(k).bounding_box() for k in range(2)]
        assert boxes[1]["x"] > boxes[0]["x"] + 500  # side by side, and large
        assert min(own["width"] for own in boxes) > 550
        lowest = page.locator(".scene .curve").bounding_box()
        assert lowest["y"] + lowest["height"] <= 1081
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        box, best = page.locator(".scene input[type=range]").bounding_box(), None
        y = box["y"] + box["height"] / 2
        for drag in range(1, 4):
            page.mouse.move(box["x"] + 5, y)
            page.mouse.down()
            started = time.perf_counter()
            while (now := time.perf_counter() - started) < 2.0:
                page.mouse.move(box["x"] + (0.5 - 0.45 * math.cos(3 * now)) * box["width"], y)
            page.mouse.move(box["x"] + 0.9 * box["width"], y)
            page.mouse.up()
            page.wait_for_selector(f"[data-drags='{drag}']", timeout=30_000)
            own = root.evaluate("e => ({...e.dataset})")
            figures = {name: float(own[name]) for name in ("fps", "gapP95", "inputMs", "paintMs")}
            best = max(best or figures, figures, key=lambda f: f["fps"])
            if best["fps"] >= 55:
                break
        print(json.dumps(best), "(goal: 55 frames a second)")
        assert best["fps"] > 15
        assert int(own["step"]) > 20
        page.wait_for_function(
            "() => +new URLSearchParams(location.search).get('spend') > 0.8", timeout=60_000
        )
        assert problems == []
    finally:
        context.close()


def test_a_link_restores_a_step_and_keys_walk_on(browser, server):
    page = browser.new_page()
    try:
        root = ready(page, f"{server}/scene?spend=0.2&show=entropy")
        close_dialog(page)
        step = int(root.get_attribute("data-step"))
        pressed = page.locator(".scene .shows [aria-pressed='true']")
        assert pressed.get_attribute("data-show") == "entropy"
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"[data-step='{step + 1}']", timeout=20_000)
        page.keyboard.press("4")
        page.wait_for_selector(".scene [data-show='errors'][aria-pressed='true']", timeout=20_000)
        page.wait_for_function("() => location.search.includes('show=errors')", timeout=60_000)
        assert float(query_of(page)["spend"]) > 0.2
    finally:
        page.close()


def test_the_page_opens_at_a_third_of_the_time_and_plays(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        root = ready(page, f"{server}/scene")
        close_dialog(page)
        assert root.get_attribute("data-him") == "0"  # SIM has an answer, HIM has none
        first = int(root.get_attribute("data-step"))
        assert first >= 0
        page.wait_for_selector("[data-him='1']", timeout=30_000)
        assert int(root.get_attribute("data-step")) > first
        page.wait_for_selector(".scene .bar button:has-text('▶')", timeout=30_000)
        page.wait_for_timeout(600)
        assert query_of(page) == {}  # nobody has asked for anything
    finally:
        page.close()

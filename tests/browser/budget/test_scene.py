"""Scenes at any time in Chromium: a stored street first, time dragged in place, a link.

Figures are printed (``pytest -n 0 -s -m browser``); the assertions hold even on a busy machine.
"""

import json
import math
import time

import pytest

from spcviz.problems.scene.page import cached
from tests.browser.cascade.test_sweep import close_dialog, query_of
from tests.browser.driver import ready

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not cached.HAS_SCENE,
        reason="no predictors stored: python -m spcviz train scene",
    ),
]


def test_time_is_dragged_without_the_server(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    try:
        page = context.new_page()
        problems, bytes_in = [], []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("websocket", lambda ws: ws.on("framereceived", lambda data: bytes_in.append(len(data))))
        root = ready(page, f"{server}/scene?embed=true")
        close_dialog(page)
        started = time.perf_counter()
        page.reload()
        page.wait_for_selector("[data-ready='1']", timeout=60_000)
        print(f"\nfirst picture after a reload: {time.perf_counter() - started:.2f} s (goal: 1.2 s)")
        assert max(bytes_in) < 3_000_000
        pictures = page.locator(".scene canvas")
        boxes = [pictures.nth(k).bounding_box() for k in range(2)]
        assert boxes[1]["x"] > boxes[0]["x"] + 500  # side by side, and large
        assert min(frame["width"] for frame in boxes) > 550
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
            measured = root.evaluate("e => ({...e.dataset})")
            figures = {name: float(measured[name]) for name in ("fps", "gapP95", "inputMs", "paintMs")}
            best = max(best or figures, figures, key=lambda f: f["fps"])
            if best["fps"] >= 55:
                break
        print(json.dumps(best), "(goal: 55 frames a second)")
        assert best["fps"] > 15
        assert int(measured["step"]) > 20
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
        # this photograph has no truth, so no view shows right and wrong: the fourth view is the picture
        page.wait_for_selector(".scene [data-show='picture'][aria-pressed='true']", timeout=20_000)
        page.wait_for_function("() => location.search.includes('show=picture')", timeout=60_000)
        assert float(query_of(page)["spend"]) > 0.2
    finally:
        page.close()


def test_the_page_opens_paused_in_the_middle_while_its_rival_works(browser, server):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="no-preference")
    try:
        page = context.new_page()
        root = ready(page, f"{server}/scene")
        last = len(cached.label_picture("road", 0).sim.seconds) - 1
        box = page.locator(".scene .panels").bounding_box()
        assert box["y"] + box["height"] <= 900
        step = int(root.get_attribute("data-step"))
        assert 3 <= step < last
        page.wait_for_timeout(2500)  # it does not start automatically
        assert int(root.get_attribute("data-step")) == step
        assert page.locator(".scene .right .state").inner_text() == "no answer yet"
        assert "?" not in page.url  # values that nobody has chosen are not in the address
    finally:
        context.close()

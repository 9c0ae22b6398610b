"""The Write page in Chromium: strokes are read, stored in the address, and restored from it."""

import pytest

from spcviz.problems.letters.page import cached

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not cached.LETTERS_FEATURES, reason="no handwriting model: python -m spcviz train open"
    ),
]
LETTERS = {
    "l": [[(0.5, 0.1), (0.5, 0.9)]],
    "i": [[(0.5, 0.4), (0.5, 0.8)], [(0.5, 0.2), (0.51, 0.21)]],
    "t": [[(0.5, 0.1), (0.5, 0.9)], [(0.25, 0.4), (0.75, 0.4)]],
}
COLD_MS = 60_000
GOAL_MS = 100
"""At p90, warm, on an idle machine."""


def draw(page, canvas, points):
    box = canvas.bounding_box()
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
    page.mouse.move(*at[0])
    page.mouse.down()
    for x, y in at[1:]:
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def test_a_drawn_word_is_read_and_its_link_restores_it(browser, server):
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server}/write", timeout=120_000)
    view = page.locator(".write")
    page.locator('.write[data-ready="1"]').wait_for(timeout=COLD_MS)
    assert view.get_attribute("data-reading") == cached.EXAMPLE, "a written word, to draw over"
    assert page.locator(".write.example").count() == 1
    assert float(page.locator(".says").evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")) >= 32
    canvases, took, so_far = page.locator(".write .paper canvas"), [], ""
    for i, letter in enumerate("lit"):
        so_far += letter
        for stroke in LETTERS[letter]:
            view.evaluate("(root) => { delete root.dataset.ms; }")
            draw(page, canvases.nth(i), stroke)
            page.locator(".write[data-ms]").wait_for(timeout=COLD_MS)
            took.append(int(view.get_attribute("data-ms")))
    assert view.get_attribute("data-reading") == so_far
    assert page.locator(".write.example").count() == 0
    assert page.locator(".lattice").get_attribute("data-ready") == "1"
    print(f"pen up to picture: {took} ms (the first of them cold); the goal is {GOAL_MS} ms at p90")
    # The page is notified of the last stroke once the pen rests: the third letter has two.
    kept = r"() => /^b[^~]+~[^~]+~[^~.]+\.[^~]+/.test(new URL(location).searchParams.get('ink'))"
    page.wait_for_function(kept, timeout=COLD_MS)
    again = page.context.new_page()
    again.goto(page.url, timeout=120_000)
    again.locator('.write[data-reading="lit"]').wait_for(timeout=COLD_MS)
    assert not problems
    page.context.close()

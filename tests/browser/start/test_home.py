"""Home in Chromium: the story plays to its right ending on its own; on a phone it is in the first view."""

import pytest

from spcviz.problems.letters.page import landing

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
WORD = "".join(chr(97 + int(letter)) for letter in landing.word().truth)
END = f"1 word left: {WORD} ✔"
CASES = {
    "it plays by itself": ("", {"viewport": {"width": 1440, "height": 900}}),
    "on a phone": ("", {"viewport": {"width": 390, "height": 844}}),
    "who asked for no motion": ("", {"reduced_motion": "reduce"}),
    "a link to its end": ("?show=end", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_story_ends_with_the_right_word_in_the_first_view(browser, server, case):
    query, options = CASES[case]
    page = browser.new_context(**options).new_page()
    page.goto(f"{server}/{query}", timeout=120_000)
    figure = page.locator("figure.home-word")
    figure.wait_for(timeout=60_000)
    is_played = not query and "reduced_motion" not in options
    if is_played:
        assert "right" not in figure.get_attribute("class")
    page.locator("figure.home-word.right strong").filter(has_text=END).wait_for(timeout=30_000)
    assert page.locator("figure.home-word .cell.read").count() == len(WORD)
    slider = figure.locator("input")
    box = slider.bounding_box()
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    slider.fill("1")
    page.locator("figure.home-word.lost span").filter(has_text="pruned too early").wait_for(timeout=30_000)
    figure.locator("button").click()
    page.locator("figure.home-word.right strong").filter(has_text=END).wait_for(timeout=30_000)
    page.context.close()

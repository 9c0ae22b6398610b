"""Pictures on Tours in Chromium: still until one is pointed at, and always still with reduced motion."""

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

COVER = """() => {
  const place = document.querySelector(".st-key-tour_card_cascade p:has(> img)");
  const { backgroundImage, width, height } = getComputedStyle(place, "::after");
  const right = place.getBoundingClientRect().right;
  return { picture: backgroundImage, width: parseFloat(width), height: parseFloat(height), right };
}"""


@pytest.mark.parametrize(("motion", "plays"), [("no-preference", True), ("reduce", False)])
def test_a_loop_comes_when_its_card_is_pointed_at(browser, server, motion, plays):
    tab = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion=motion)
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{server}/tours", timeout=120_000)
    card = tab.locator(".st-key-tour_card_cascade")
    card.wait_for(timeout=120_000)
    tab.wait_for_load_state("networkidle")
    assert not [url for url in asked if "-loop" in url], "the first paint has stills alone"
    assert tab.evaluate(COVER)["picture"] == "none"
    card.hover()
    tab.wait_for_timeout(1500)
    assert ("cascade-loop" in tab.evaluate(COVER)["picture"]) == plays
    assert len([url for url in asked if "cascade-loop" in url]) == plays
    image, cover = card.locator("img").bounding_box(), tab.evaluate(COVER)
    assert abs(image["x"] + image["width"] - cover["right"]) < 1
    assert abs(image["width"] - cover["width"]) < 1
    assert abs(image["height"] - cover["height"]) < 1.5
    tab.mouse.move(2, 2)
    tab.wait_for_timeout(300)
    assert tab.evaluate(COVER)["picture"] == "none"
    tab.close()

"""Orders and features in Chromium: steps of a course, an action by hand, a restored link; projector."""

import pytest

from spcviz.shared.folders import MODELS
from tests.browser.driver import ready

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (MODELS / "hybrid-words.json").is_file(), reason="no model: python -m spcviz train hybrid"
    ),
]
SHOWN_SIZES = """
(root) => [...root.querySelectorAll("svg.chart text")].map((e) => {
  const box = e.ownerSVGElement.getBoundingClientRect(), own = e.ownerSVGElement.viewBox.baseVal;
  return parseFloat(getComputedStyle(e).fontSize) * Math.min(box.width / own.width, box.height / own.height);
})
"""


def bottom_of_chart(root):
    box = root.locator("svg.chart").bounding_box()
    return box["y"] + box["height"]


def test_a_course_is_walked_and_taken_over(browser, server):
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    root = ready(page, f"{server}/hybrid")
    assert int(root.get_attribute("data-step")) >= 4  # the graph has grown, and play begins at the start
    page.keyboard.press("Space")
    page.wait_for_selector("[data-ready='1'][data-step='1']")
    page.keyboard.press("Space")
    root = ready(page, f"{server}/hybrid?step=0")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => /step=3/.test(document.location.search)")
    assert root.get_attribute("data-step") == "3"
    assert root.locator(".factor.new").count() == 1
    root.locator("g.action").first.click()
    page.keyboard.press("ArrowLeft")  # before the server has answered: drawn from the data at hand
    page.evaluate("() => window.dispatchEvent(new Event('resize'))")
    page.wait_for_selector("[data-courses='2']")
    page.wait_for_function("() => /hand=3/.test(document.location.search)")
    assert root.get_attribute("data-step") == "4"
    reading = root.get_attribute("data-reading")
    again = ready(page, page.url)
    assert again.get_attribute("data-courses") == "2"
    assert again.get_attribute("data-reading") == reading
    assert not faults
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_projector(browser, server, scheme):
    page = browser.new_context(viewport={"width": 1920, "height": 1080}, color_scheme=scheme).new_page()
    root = ready(page, f"{server}/hybrid?embed=true")
    heights = root.evaluate(
        "(root) => [...root.querySelectorAll('svg.graph text')].map((e) => e.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24
    bottom = root.locator("svg.graph").evaluate("(graph) => graph.getBoundingClientRect().bottom")
    assert bottom <= 1080  # all surviving states are visible
    page.context.close()


def test_the_page_opens_on_a_right_reading_and_its_curve_can_be_read(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 980})
    root = ready(page, f"{server}/hybrid")
    assert "reading is right from action" in root.locator(".says").text_content()
    heights = root.evaluate(SHOWN_SIZES)
    assert len(heights) > 3
    assert min(heights) >= 12
    assert bottom_of_chart(root) <= 980
    page.close()


def test_what_comes_late_above_the_picture_moves_nothing_out_of_sight(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 980})
    root = ready(page, f"{server}/hybrid")
    graph = root.locator("svg.graph")
    top = graph.bounding_box()["y"]
    page.evaluate("""() => {
      const late = document.createElement("div");
      late.style.flex = "0 0 30px";
      document.querySelector(".stMainBlockContainer > div").prepend(late);
    }""")
    page.wait_for_timeout(500)
    assert graph.bounding_box()["y"] > top + 29
    assert bottom_of_chart(root) <= 980
    page.close()

"""The Parsing page in Chromium: a budget is dragged, an arc clicked, a link restored; the projector."""

import pytest

from spcviz.problems.parsing.page import cached
from tests.browser.driver import ready

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not cached.HAS_PARSER, reason="no parser: python -m spcviz train parsing"),
]
FRAMES = """
async (root) => {
  const slider = root.querySelector("input[type=range]");
  const gaps = [];
  let last = performance.now();
  for (let k = 0; k <= 90; k++) {
    slider.value = 1000 * k / 90;
    slider.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
    gaps.push(performance.now() - last);
    last = performance.now();
  }
  return gaps.sort((a, b) => a - b)[45];
}
"""


def test_a_budget_buys_words_and_the_link_restores_them(browser, server):
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    root = ready(page, f"{server}/parsing?spend=0&sentence=own5")
    assert root.get_attribute("data-bought") == "0"
    before = root.get_attribute("data-heads")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => /spend=0.3[0-9]/.test(document.location.search)")
    assert root.get_attribute("data-bought") == "3"
    page.keyboard.press("End")
    page.wait_for_function("(root) => root.dataset.bought === '8'", arg=root.element_handle())
    assert root.locator(".cell.bought").count() >= 8 * root.locator(".band").count() > 0
    assert root.get_attribute("data-heads") != before
    root.locator("g.arc path.hit").first.click(force=True)
    page.wait_for_function("() => document.location.search.includes('arc=')")
    assert "without this arc" in root.get_attribute("data-says")
    says = root.get_attribute("data-says")
    again = ready(page, page.url)
    assert again.get_attribute("data-says") == says
    print(f"median frame while dragging: {again.evaluate(FRAMES):.1f} ms")
    assert not faults
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_projector(browser, server, scheme):
    page = browser.new_context(viewport={"width": 1920, "height": 1080}, color_scheme=scheme).new_page()
    root = ready(page, f"{server}/parsing?embed=true&sentence=own11")
    sizes = root.evaluate(
        "(root) => [...root.querySelectorAll('text, button, p, span, output')]"
        ".filter((e) => e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 24
    page.context.close()


def test_the_page_opens_beside_the_tree_of_tags_alone_and_chance(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 980})
    root = ready(page, f"{server}/parsing")
    counts = root.locator("svg.tree .name.few, svg.tree .name.all").all_text_contents()
    before, after = (int(said.split(" of ")[0]) for said in counts)
    n_words = len(root.get_attribute("data-heads").split(","))
    assert before <= n_words - 3
    assert after == n_words
    assert 1 <= int(root.get_attribute("data-bought")) <= n_words / 2
    assert root.locator(".band").count() == 3
    rows = dict(
        zip(
            root.locator("text.name[data-policy]").all_text_contents(),
            root.locator("text.count").all_text_contents(),
        )
    )
    assert int(rows["At random"].split("/")[0]) < n_words
    box = root.locator("svg.curve").bounding_box()
    assert box["y"] + box["height"] <= 980  # both trees and the curve are visible
    page.locator("button", has_text="More policies").click()
    page.wait_for_function("() => location.search !== ''")
    address = page.url
    assert ready(page, address).locator(".band").count() == 7
    page.close()


def test_a_link_of_a_part_keeps_the_first_rows(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    assert ready(page, f"{server}/parsing?spend=0.25").locator(".band").count() == 3
    page.close()

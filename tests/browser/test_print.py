"""Pictures on paper, in Chromium: drawn anew at paper's resolution and in the light theme, and back again."""

import re

import pytest

from spcviz.web.figures.palette import CSS_VARIABLES, LIGHT
from spcviz.web.view import mount
from tests.browser.driver import ready

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
LOOK = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let dark = 0, light = 0;
  for (let i = 0; i < data.length; i += 4) {
    const grey = (data[i] + data[i + 1] + data[i + 2]) / 3;
    if (data[i + 3] > 200 && grey < 90) dark += 1;
    if (data[i + 3] > 200 && grey > 190) light += 1;
  }
  const root = canvas.getRootNode().querySelector("[data-ready]");
  const ground = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  return { dots: canvas.width / canvas.getBoundingClientRect().width, isDark: dark > light, ground };
}"""


@pytest.mark.parametrize("address", ["letters?order=2", "tagging?view=lattice"])
def test_a_picture_is_drawn_for_paper_and_then_for_the_screen_again(browser, server, address):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    page = context.new_page()
    ready(page, f"{server}/{address}")
    canvas = page.locator("canvas").first
    screen = canvas.evaluate(LOOK)
    canvas.evaluate(
        f"canvas => addEventListener('beforeprint', () => {{ window.onPaper = ({LOOK})(canvas); }})"
    )
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    paper = page.evaluate("window.onPaper")
    assert (screen["ground"], screen["dots"]) == ("#0F141B", pytest.approx(1, abs=0.01))
    assert not screen["isDark"], "light letters on a dark ground"
    assert (paper["ground"], paper["dots"]) == (LIGHT.background, pytest.approx(3, abs=0.01))
    assert paper["isDark"], "dark letters on paper"
    page.wait_for_timeout(300)
    assert canvas.evaluate(LOOK) == screen
    context.close()


def test_paper_has_the_colours_of_the_light_theme():
    text = (mount.PACKAGE / "web/view/view.js").read_text(encoding="utf-8")
    rule = re.search(r"\.on-paper \{(.*?)\}", text, re.DOTALL).group(1)
    said = dict(re.findall(r"(--st-[a-z-]+): (#[0-9A-F]{6});", rule))
    assert said == {variable: getattr(LIGHT, role) for role, variable in CSS_VARIABLES.items()}
